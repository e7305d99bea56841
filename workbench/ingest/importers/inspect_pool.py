"""Messages that an Inspect log keeps once, and its events name by ranges of positions.

A request to a model in a conversation of n messages would repeat them n times; newer logs put
them into `events_data` and write `[[from, to], ...]`. However often a range is named, each message
is handed out once.

Source:
    inspect_ai 0.3.285, `log/_condense.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import step_key
from workbench.ingest.records.shapes import as_map, map_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["Pool"]

_KEY: Final = "events_data.messages"


@dataclass(slots=True)
class Pool:
    """The messages of a sample that its events share."""

    messages: list[Json]
    missing: int = 0
    """References of requests that name messages which are not here, or that nobody can read."""
    _next: list[int] = field(default_factory=list)
    """For each position the next one, itself included, that was not handed out; one more ends it."""

    @classmethod
    def of(cls, sample: JsonMap) -> Pool:
        """Return a sample's pool; an empty one where it has none."""
        found = map_in(sample, "events_data").get("messages")
        messages = found if isinstance(found, list) else []
        return cls(messages, _next=list(range(len(messages) + 1)))

    def count(self, event: JsonMap) -> int:
        """Return how many messages a request names."""
        return sum(end - start for start, end in self._ranges(event))

    def fresh(self, event: JsonMap, origin: Origin) -> Iterator[tuple[str, JsonMap]]:
        """Yield those messages of a request that no earlier one named, with their places."""
        self.missing += sum(1 for pair in _refs(event) if not self._is_whole(pair))
        for start, end in self._ranges(event):
            at = self._untaken(start)
            while at < end:
                self._next[at] = at + 1
                place = step_key(_KEY, at)
                yield place, as_map(self.messages[at], key=place, origin=origin)
                at = self._untaken(at)

    def _untaken(self, at: int) -> int:
        while self._next[at] != at:
            self._next[at] = self._next[self._next[at]]
            at = self._next[at]
        return at

    def _ranges(self, event: JsonMap) -> Iterator[tuple[int, int]]:
        """Yield of each range of a request what lies in the pool."""
        for pair in _refs(event):
            match pair:
                case [int(start), int(end)] if 0 <= start < min(end, len(self.messages)):
                    yield start, min(end, len(self.messages))
                case _:
                    pass  # names nothing that is here; counted as `missing`

    def _is_whole(self, pair: Json) -> bool:
        match pair:
            case [int(start), int(end)]:
                return 0 <= start <= end <= len(self.messages)
            case _:
                return False


def _refs(event: JsonMap) -> list[Json]:
    """Return the references of a request; what is no list of them is one that nobody can read."""
    found = event.get("input_refs")
    if found is None:
        return []
    return found if isinstance(found, list) else [found]
