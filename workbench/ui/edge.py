"""The edge of a notebook: what an error may say where outputs are saved.

A cell's error becomes an output, and so does what a thread or a callback raises. Our own errors
say places, types and lengths; the text of any other may quote a trace, and IPython's verbose mode
writes the values of local variables beside it. So nothing but ours goes over this edge.
"""

from __future__ import annotations

import functools
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["at_the_edge", "place_of"]

P = ParamSpec("P")
T = TypeVar("T")


def at_the_edge(act: Callable[P, T]) -> Callable[P, T]:
    """Have a function that cells call raise our own errors only.

    Raises:
        WorkbenchError: in place of any other exception; it says type and place of that.
    """

    @functools.wraps(act)
    def edged(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return act(*args, **kwargs)
        except WorkbenchError:
            raise
        except Exception as error:  # noqa: BLE001  its text may be of the trace, so it ends here
            message = f"an unexpected {type(error).__name__} at {place_of(error)}"
        raise WorkbenchError(message, fix="run the cell again: what was decided is in the store")

    return edged


def place_of(error: Exception) -> str:
    """Return file and line where an error was raised; no text of it."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
