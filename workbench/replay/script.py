"""The scripted model of one trial: the n-th request gets the n-th reply, whatever happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.model.case import Turn
from workbench.model.event import Requestor
from workbench.model.jsonvalue import same_json
from workbench.replay.scripted import call_args, is_reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.case import Path, ScriptedCall
    from workbench.model.jsonvalue import Absent, Json

__all__ = ["Script"]


class Script:
    """Replies, later user turns and framework calls of one path; consumed, one a trial."""

    def __init__(self, path: Path) -> None:
        self._replies = [turn for turn in path.turns if is_reply(turn)]
        groups, self._heard = _user_turns(path)
        self._groups = len(groups)
        self._asked = self._said = 0
        self._closed = False
        self._framework = [
            call
            for turn in path.turns
            if turn.by is Requestor.FRAMEWORK
            for call in turn.tool_calls
        ]
        answered = self._groups in self._heard
        self._user_turns = groups if answered else groups[:-1]
        self.last_words: tuple[Turn, ...] = () if answered or not groups else groups[-1]
        """What the person said when nobody answered any more."""

    @property
    def left(self) -> int:
        """Replies that nobody asked for yet."""
        return max(0, len(self._replies) - self._asked)

    def user_turns(self) -> Iterator[tuple[Turn, ...]]:
        """Give later turns of the person, each counted as said when it is taken.

        Those without a reply between them come together.
        """
        for group in self._user_turns:
            self._said, self._closed = self._said + 1, False
            yield group

    def next_reply(self) -> Turn | None:
        """Return the next reply; None: the script has none left.

        Where the person speaks next although the last reply made calls, since a minimal case leaves
        out what was said of their results, an agent that asks once more gets an empty reply.
        """
        if self._is_open and not self._closed:
            self._closed = True
            return Turn()
        self._asked += 1
        return self._replies[self._asked - 1] if self._asked <= len(self._replies) else None

    @property
    def _is_open(self) -> bool:
        """Whether the last reply waits for results, and the next word is the person's."""
        at = min(self._asked, len(self._replies)) - 1
        if at < 0 or not self._replies[at].tool_calls:
            return False
        return (self._heard[self._asked] if self.left else self._groups) > self._said

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


def _user_turns(path: Path) -> tuple[tuple[tuple[Turn, ...], ...], tuple[int, ...]]:
    """Return later user turns, together where no reply is between them; how many precede each reply."""
    groups: list[list[Turn]] = []
    heard: list[int] = []
    open_group = False
    for turn in path.turns:
        if turn.user is not None:
            if not open_group:
                groups.append([])
            groups[-1].append(turn)
            open_group = True
        elif is_reply(turn):
            heard.append(len(groups))
            open_group = False
    return tuple(map(tuple, groups)), tuple(heard)
