"""An error as its text tells it."""

from __future__ import annotations

import re
from typing import Final

from workbench.model.event import CallError

__all__ = ["error_from"]

_ERROR_TYPE: Final = re.compile(
    r"\s*(?:Error: *)?([A-Za-z_][\w.]{0,80}(?:Error|Exception|Timeout|Interrupt))(?=[(:])"
)


def error_from(text: str | None) -> CallError:
    """Return an error as its text tells it: `TimeoutError('504')` names its type.

    >>> error_from("Error: TimeoutError('504')").type
    'TimeoutError'
    """
    found = _ERROR_TYPE.match(text or "")
    return CallError(type=None if found is None else found[1], message=text)
