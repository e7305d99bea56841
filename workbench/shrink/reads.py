"""What an oracle that explains nothing looked at: how far into the values of which events.

The trace is judged once more with its arguments and results watched. Most events are read alike,
since every oracle walks along the trace; those that were read more are worth trying first. What is
not seen (texts, outcomes, a value copied at once) costs calls, never correctness: each candidate
that comes of it is judged like any other.

Source:
    design page 06, "Reads second".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from workbench.model.event import ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.event import Event
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Trace

__all__ = ["deep_first", "watched"]

Reads: TypeAlias = "dict[int, set[tuple[str | int, ...]]]"
"""Position of an event -> paths of what was read in its values."""

_DEEPEST: Final = 32


def watched(trace: Trace) -> tuple[Trace, Reads]:
    """Return an equal trace, and a table that fills while somebody reads its values."""
    reads: Reads = {}
    return replace(trace, events=tuple(_watched(event, reads) for event in trace.events)), reads


def _watched(event: Event, reads: Reads) -> Event:
    match event:
        case ToolCall(args=dict() | list() as value):
            return replace(event, args=_wrapped(value, (), reads.setdefault(event.seq, set())))
        case ToolResult(result=dict() | list() as value):
            return replace(event, result=_wrapped(value, (), reads.setdefault(event.seq, set())))
        case _:
            return event


def _wrapped(value: Json, path: tuple[str | int, ...], noted: set[tuple[str | int, ...]]) -> Json:
    if len(path) < _DEEPEST and isinstance(value, dict):
        items = {key: _wrapped(item, (*path, key), noted) for key, item in value.items()}
        return cast("Json", _Map(items, path, noted))
    if len(path) < _DEEPEST and isinstance(value, list):
        parts = [_wrapped(item, (*path, at), noted) for at, item in enumerate(value)]
        return cast("Json", _List(parts, path, noted))
    return value


class _Map(dict[str, Any]):
    """An object that notes which of its keys were asked for."""

    def __init__(self, items: dict[str, Any], path: tuple[Any, ...], noted: set[Any]) -> None:
        super().__init__(items)
        self._path = path
        self._noted = noted

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        """Copy and pickle as what it stands for."""
        return dict, (dict(super().items()),)

    def _note(self, *keys: object) -> None:
        self._noted.update((*self._path, key) for key in keys)

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401  any JSON
        self._note(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)

    def get(self, key: str, default: Any = None, /) -> Any:  # noqa: ANN401  any JSON
        """Note the key and return its value."""
        self._note(key)
        return super().get(key, default)

    def items(self) -> Any:  # noqa: ANN401  a view
        """Note all keys and return all items."""
        self._note(*super().keys())
        return super().items()

    def values(self) -> Any:  # noqa: ANN401  a view
        """Note all keys and return all values."""
        self._note(*super().keys())
        return super().values()


class _List(list[Any]):
    """An array that notes that its items were asked for."""

    def __init__(self, items: list[Any], path: tuple[Any, ...], noted: set[Any]) -> None:
        super().__init__(items)
        self._path = path
        self._noted = noted

    def __reduce__(self) -> tuple[type[list[Any]], tuple[list[Any]]]:
        """Copy and pickle as what it stands for."""
        return list, (list(super().__iter__()),)

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401  a place or a slice
        self._noted.add((*self._path, "*"))
        return super().__getitem__(at)

    def __iter__(self) -> Iterator[Any]:
        self._noted.add((*self._path, "*"))
        return super().__iter__()


def deep_first(trace: Trace, reads: Reads) -> tuple[tuple[int, ...], ...]:
    """Return the events that were read more than most of their kind, the ones read most first.

    Returns:
        At most two lists of positions, the second holding the first: the events with the most
        reads beyond the usual, and all that were read more than usual.
    """
    excess: dict[int, int] = {}
    for kind in (ToolCall, ToolResult):
        counts = {at: len(paths) for at, paths in reads.items() if type(trace.events[at]) is kind}
        many = Counter(counts.values())
        usual = max(many, key=lambda count: (many[count], -count), default=0)
        excess |= {at: count - usual for at, count in counts.items() if count > usual}
    levels = sorted(set(excess.values()), reverse=True)
    chosen = levels if len(levels) < 2 else [levels[0], levels[-1]]
    return tuple(
        tuple(at for at, more in sorted(excess.items()) if more >= level) for level in chosen
    )
