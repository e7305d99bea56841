"""Which call a result answers, and which id a call gets.

Sources leave ids out, leave them empty and use them twice. A call keeps its id the first time;
later it gets one of ours. A result is paired by id, else first come first served per tool and
arguments among the open calls of the last turn, else by position there.

Source:
    formats page, pitfall 5.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from workbench.model.event import CallIdSource
from workbench.model.jsonvalue import ABSENT, Absent, Json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["CallBook", "Method", "NamedCall"]


class Method(StrEnum):
    """How a result found its call."""

    ID = "by id"
    ARGUMENTS = "by tool and arguments"
    POSITION = "by position"


class NamedCall(Struct, frozen=True, kw_only=True):
    """A call with the id that it has in the trace."""

    call_id: str
    source: CallIdSource
    given: str | None
    """What the source calls it; not unique."""
    tool: str
    args: Json | Absent
    """Parsed arguments; `ABSENT`: not JSON."""
    turn: int
    """Counts the messages that ask for calls."""


@dataclass(slots=True)
class CallBook:
    """The calls of one run so far, and which of them are still open."""

    missing_ids: int = 0
    reused_ids: int = 0
    reused_results: int = 0
    orphans: int = 0
    """Results that no call asked for."""
    methods: Counter[Method] = field(default_factory=Counter)
    _taken: set[str] = field(default_factory=set)
    _given: set[str] = field(default_factory=set)
    _open: list[NamedCall] = field(default_factory=list)
    _turn: int = 0
    _count: int = 0

    @property
    def synthesised(self) -> int:
        """Calls whose id is ours."""
        return self.missing_ids + self.reused_ids

    @property
    def unanswered(self) -> int:
        """Calls that no result answers."""
        return len(self._open)

    def new_turn(self) -> None:
        """The next calls are asked for together."""
        self._turn += 1

    def ask(self, given: str | None, tool: str, args: Json | Absent) -> NamedCall:
        """Enter a call and give it an id that is unique in the trace."""
        self._count += 1
        source = CallIdSource.GIVEN
        if not given:
            self.missing_ids += 1
            source = CallIdSource.SYNTHESISED
        elif given in self._taken:
            self.reused_ids += 1
            source = CallIdSource.SYNTHESISED
        call = NamedCall(
            call_id=given if given and source is CallIdSource.GIVEN else self._fresh(),
            source=source,
            given=given or None,
            tool=tool,
            args=args,
            turn=self._turn,
        )
        self._taken.add(call.call_id)
        if given:
            self._given.add(given)
        self._open.append(call)
        return call

    def answer(self, given: str | None, tool: str | None, args: Json | Absent) -> str | None:
        """Close the call that a result answers and return its id in the trace.

        Returns:
            None when no open call fits; the result is then counted as reused or as an orphan.
        """
        found = self._match(given, tool, args)
        if found is not None:
            call, method = found
            self.methods[method] += 1
            self._open.remove(call)
            return call.call_id
        if given and given in self._given:
            self.reused_results += 1
        else:
            self.orphans += 1
        return None

    def _match(
        self, given: str | None, tool: str | None, args: Json | Absent
    ) -> tuple[NamedCall, Method] | None:
        if given:
            if len(self._open) == 1 and self._open[0].given == given:
                return self._open[0], Method.ID
            same = [call for call in self._open if call.given == given]
            if same:
                last = max(call.turn for call in same)
                return _first(call for call in same if call.turn == last), Method.ID
            if given in self._given:
                return None
        now = [c for c in self._open if c.turn == self._turn and tool in (None, "", c.tool)]
        alike = _alike(now, args) if tool else []
        if alike:
            return alike[0], Method.ARGUMENTS
        return (now[0], Method.POSITION) if now else None

    def _fresh(self) -> str:
        number = self._count
        while f"call-{number}" in self._taken:
            number += 1
        return f"call-{number}"


def _first(calls: Iterable[NamedCall]) -> NamedCall:
    return next(iter(calls))


def _alike(calls: Sequence[NamedCall], args: Json | Absent) -> Sequence[NamedCall]:
    """Return the calls that have these arguments; all, where the result does not tell any."""
    if args is ABSENT:
        return calls
    text = _canonical(args)
    return [call for call in calls if call.args is not ABSENT and _canonical(call.args) == text]


def _canonical(args: Json) -> str:
    return json.dumps(args, sort_keys=True, separators=(",", ":"))
