"""The scripted model of one trial: the n-th request gets the n-th reply, whatever happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.model.event import Requestor
from workbench.model.jsonvalue import same_json
from workbench.replay.scripted import call_args, is_reply

if TYPE_CHECKING:
    from workbench.model.case import Path, ScriptedCall, Turn
    from workbench.model.jsonvalue import Absent, Json

__all__ = ["Script"]


class Script:
    """Replies, later user turns and framework calls of one path; consumed, one a trial."""

    def __init__(self, path: Path) -> None:
        self._replies = [turn for turn in path.turns if is_reply(turn)]
        self._asked = 0
        self._framework = [
            call
            for turn in path.turns
            if turn.by is Requestor.FRAMEWORK
            for call in turn.tool_calls
        ]
        groups = _user_turns(path)
        answered = any(is_reply(turn) for turn in _after_last_user(path))
        self.user_turns: tuple[tuple[Turn, ...], ...] = groups if answered else groups[:-1]
        """Later turns of the person; those without a reply between them come together."""
        self.last_words: tuple[Turn, ...] = () if answered or not groups else groups[-1]
        """What the person said when nobody answered any more."""

    @property
    def left(self) -> int:
        """Replies that nobody asked for yet."""
        return max(0, len(self._replies) - self._asked)

    def next_reply(self) -> Turn | None:
        """Return the next reply; None: the script has none left."""
        self._asked += 1
        return self._replies[self._asked - 1] if self._asked <= len(self._replies) else None

    def spoken(self, text: str) -> Turn | None:
        """Return the reply whose text this is, the latest given first, or one still to come."""
        given = self._replies[: self._asked][::-1]
        wanted = text.strip()
        for turn in (*given, *self._replies[self._asked :]):
            if turn.text is not None and turn.text.strip() == wanted:
                return turn
        return None

    def requestor(self, tool: str, args: Json | Absent) -> Requestor:
        """Say who makes a call that no reply asked for; a recorded framework call is used up."""
        for at, call in enumerate(self._framework):
            if _is_call(call, tool, args):
                del self._framework[at]
                return Requestor.FRAMEWORK
        return Requestor.AGENT


def _is_call(call: ScriptedCall, tool: str, args: Json | Absent) -> bool:
    return call.name == tool and same_json(call_args(call), args)


def _after_last_user(path: Path) -> tuple[Turn, ...]:
    last = max((at for at, turn in enumerate(path.turns) if turn.user is not None), default=-1)
    return path.turns[last + 1 :]


def _user_turns(path: Path) -> tuple[tuple[Turn, ...], ...]:
    groups: list[list[Turn]] = []
    open_group = False
    for turn in path.turns:
        if turn.user is not None:
            if not open_group:
                groups.append([])
            groups[-1].append(turn)
            open_group = True
        elif is_reply(turn):
            open_group = False
    return tuple(tuple(group) for group in groups)
