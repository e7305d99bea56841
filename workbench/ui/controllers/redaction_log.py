"""What people did about a draft's redaction: decided, took back, looked at raw values, wrote it.

Values that were accepted together, and texts that were seen together, have an entry each; a common
number in it says that they are one thing to take back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import encode
from workbench.review.decision_log import DecisionLog
from workbench.ui.controllers.decided import TOGETHER, key_of, taken

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.model.jsonvalue import JsonMap
    from workbench.redact.policy import Decision
    from workbench.store.handle import Store
    from workbench.store.records import Decision as Entry
    from workbench.ui.controllers.findings import Finding

__all__ = ["DECISION", "TOPIC", "RedactionLog", "is_about"]

TOPIC: Final = "redaction"
DECISION: Final = "decision"
_REVEAL: Final = "reveal"
_WRITTEN: Final = "written"


class RedactionLog:
    """The log of one draft."""

    def __init__(self, store: Store, draft: str) -> None:
        self._log = DecisionLog(store, draft, topic=TOPIC)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The decisions that stand, oldest first."""
        return self._log.standing(DECISION)

    @property
    def seen(self) -> int:
        """How much of the log was read; see `DecisionLog`."""
        return self._log.seen

    @property
    def is_written(self) -> bool:
        """Whether nothing was decided since the draft was written last."""
        kinds = [(entry.seq, self._log.kind_of(entry)) for entry in self._log.entries]
        marks = [seq for seq, kind in kinds if kind == _WRITTEN]
        others = [seq for seq, kind in kinds if kind != _REVEAL]
        return bool(marks) and marks[-1] == others[-1]

    def look(self) -> tuple[Entry, ...]:
        """Read the log again; return what is new and changes something."""
        return tuple(e for e in self._log.look() if self._log.kind_of(e) != _REVEAL)

    def decide(
        self, made: Sequence[tuple[Finding, Decision]], *, by: str, seen: int | None
    ) -> None:
        """Write decisions down, at least one: all of them or none.

        Raises:
            RefusedError: somebody decided on one of the findings after `seen`.
        """
        payloads = [_payload(decision) for _, decision in made]
        if len(made) > 1:
            self._log.look()
            number = 1 + max((_together(entry) for entry in self._log.entries), default=0)
            payloads = [{**payload, TOGETHER: number} for payload in payloads]
        self._log.write_together(
            DECISION,
            payloads,
            by=by,
            seen=seen,
            unless=lambda entry: any(is_about(entry, finding) for finding, _ in made),
        )

    def undo(self, *, by: str) -> tuple[Entry, ...]:
        """Take back what a person decided last, all that was decided together; return it."""
        last = self._log.last_of(DECISION, by=by)
        number = _together(last)
        undone = [e for e in self.entries if e.actor == by and _together(e) == number]
        undone = undone if number else [last]
        self._log.take_back(*undone, by=by)
        return tuple(undone)

    def undo_one(self, *, by: str) -> Entry:
        """Take back a person's last decision alone, also if it was made with others; return it."""
        return self._log.undo(DECISION, by=by)

    def reveal(self, findings: Iterable[Finding], *, by: str) -> None:
        """Write down that somebody looks at raw values."""
        payloads: list[JsonMap] = [{"at": finding.places[0]} for finding in findings]
        self._log.write_together(_REVEAL, payloads, by=by)

    def mark_written(self, told: JsonMap, *, by: str) -> None:
        """Write down that the draft is written as it was decided."""
        self._log.write(_WRITTEN, told, by=by)


def is_about(entry: Entry, finding: Finding) -> bool:
    """Whether an entry is a decision on a finding."""
    return entry.kind == f"{TOPIC}.{DECISION}" and key_of(taken(entry)) == finding.key


def _payload(decision: Decision) -> JsonMap:
    payload = encode(decision)
    assert isinstance(payload, dict)  # noqa: S101  a decision is a mapping
    return payload


def _together(entry: Entry) -> int:
    """Return the number of what was decided together; 0: by itself."""
    number = entry.payload.get(TOGETHER)
    return number if isinstance(number, int) else 0
