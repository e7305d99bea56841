"""Globs over places: where in a trace a rule of a policy holds.

`#17.args.account_id` is one event (its `seq` in the raw trace); `billing.pause:args.account_id` all calls of a
tool; `user:text` all user messages; `**.email` a key at any depth; `tools.**`, `contract.**`, `labels.**`,
`run_id` the rest of the document. A step `*` is any one step, `**` any number; a step that is a prefix of a
place covers everything below it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.errors import CaseFormatError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from workbench.redact.slots import Place

__all__ = ["PlaceGlob", "Survivors", "like_places", "parse_glob", "place_text"]

_STEP = re.compile(r'"(?:[^"\\]|\\.)*"|[^."]+')
_WORD = re.compile(r"[A-Za-z0-9_#*-]+")
_KINDS = {
    "user": "user_message",
    "system": "system_message",
    "reply": "model_reply",
    "claim": "claim",
    "request": "model_request",
    "permission": "permission",
    "state": "state_change",
    "context": "context_change",
}
_SUBJECTS = {kind: subject for subject, kind in _KINDS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceGlob:
    """A parsed glob."""

    text: str
    """As written."""
    subject: str | None = None
    """Before the colon: a tool name (with `*`) or a kind of event; None: no colon."""
    steps: tuple[str, ...] = ()

    def matches(self, place: Place, *, kind: str | None = None, tool: str | None = None) -> bool:
        """Whether a place is the glob's or lies below it.

        Args:
            place: steps from the root.
            kind: kind of the event that the place lies in.
            tool: name of the tool of that event.
        """
        steps = tuple(str(step) for step in place)
        if self.subject is None:
            return _covers(self.steps, steps)
        if kind is None or not (_is_kind(self.subject, kind) or _is_tool(self.subject, tool)):
            return False
        return _covers(self.steps, steps[1:])


def _is_kind(subject: str, kind: str) -> bool:
    return _KINDS.get(subject, subject) == kind


def _is_tool(subject: str, tool: str | None) -> bool:
    if tool is None:
        return False
    parts = (re.escape(part) for part in subject.split("*"))
    return re.fullmatch(".*".join(parts), tool) is not None


def _covers(glob: Sequence[str], steps: Sequence[str]) -> bool:
    if not glob:
        return True
    if glob[0] == "**":
        return any(_covers(glob[1:], steps[at:]) for at in range(len(steps) + 1))
    if not steps:
        return False
    return (glob[0] == "*" or glob[0] == steps[0]) and _covers(glob[1:], steps[1:])


class Survivors:
    """The places that reach the case: exact ones are looked up, globs are matched."""

    def __init__(self, paths: Collection[str]) -> None:
        globs = [parse_glob(path) for path in paths]
        plain = (g for g in globs if g.subject is None and not any("*" in s for s in g.steps))
        self._exact = {tuple(_without_raw(g.steps)) for g in plain}
        self._globs = [g for g in globs if g.subject is not None or any("*" in s for s in g.steps)]

    def cover(self, place: Place, *, kind: str | None = None, tool: str | None = None) -> bool:
        """Whether a place is one of them or lies below one."""
        steps = tuple(str(step) for step in place)
        if any(steps[:n] in self._exact for n in range(1, len(steps) + 1)):
            return True
        return any(glob.matches(place, kind=kind, tool=tool) for glob in self._globs)


def _without_raw(steps: Sequence[str]) -> Sequence[str]:
    """`args_raw` and `result_raw` are the same place as what was read from them."""
    return [s.removesuffix("_raw") if n == 1 else s for n, s in enumerate(steps)]


def _steps(text: str) -> tuple[str, ...]:
    return tuple(json.loads(s) if s[0] == '"' else s for s in _STEP.findall(text))


@lru_cache(maxsize=1024)
def parse_glob(text: str) -> PlaceGlob:
    """Read a glob over places.

    Raises:
        CaseFormatError: it is empty, or has more than two `**`.

    >>> parse_glob("billing.pause:args.account_id").steps
    ('args', 'account_id')
    """
    subject, colon, rest = text.rpartition(":")
    if "#" in subject or '"' in subject:
        subject, colon, rest = "", "", text
    steps = _steps(rest)
    if not steps or steps.count("**") > 2:
        raise CaseFormatError(
            f"the place has {len(steps)} steps; expected steps with a dot between them",
            key="place",
            fix="write, for example, **.email or #17.args.account_id",
        )
    return PlaceGlob(text=text, subject=subject if colon else None, steps=steps)


def like_places(at: str, kinds: Mapping[str, tuple[str, str | None]]) -> PlaceGlob:
    """Return the glob of all places like one: in any such event, at any position of a list.

    Args:
        at: place of a trace.
        kinds: see `trigger.kinds_of`.

    >>> like_places("#7.result.items.3.name", {"#7": ("tool_result", "shop.find")}).text
    'shop.find:result.items.*.name'
    """
    root, *rest = _steps(at)
    kind, tool = kinds.get(root, (None, None))
    steps = tuple("*" if step.isdigit() else step for step in rest)
    if kind is None:
        return PlaceGlob(text=place_text((root, *steps)), steps=(root, *steps))
    subject = tool or _SUBJECTS.get(kind, kind)
    return PlaceGlob(text=f"{subject}:{place_text(steps)}", subject=subject, steps=steps)


def place_text(place: Place) -> str:
    """Return a place as text; a step that is no word is written as a JSON string.

    >>> place_text(("#17", "args", "a b", 0))
    '#17.args."a b".0'
    """
    texts = (str(step) for step in place)
    return ".".join(t if _WORD.fullmatch(t) else json.dumps(t, ensure_ascii=False) for t in texts)
