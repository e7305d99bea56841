"""Saved traces as the rest of the package wants them: with outcomes derived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile import trace as native
from workbench.check.outcomes import resolve_outcomes

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Effect, Trace

__all__ = ["load_trace"]


def load_trace(
    source: str | os.PathLike[str] | Mapping[str, Json],
    *,
    effects: Mapping[str, Effect] | None = None,
) -> Trace:
    """Read one native trace (`trace/1`) and derive the outcomes that it does not state.

    Args:
        source: path of a JSON file, or a mapping of the same form.
        effects: what tools may do, by name, as declared; they go before the trace's own.

    Raises:
        InputError: the file cannot be read, or is no native trace.
    """
    return resolve_outcomes(native.load_trace(source), effects={} if effects is None else effects)
