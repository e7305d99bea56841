"""Whether a trace is another one with things left out, and nothing else.

Every field of every event is compared: it is as it was, or it is one of the few that may be
lacking. A field that is added to the model later must be equal until a rule here says otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final, TypeAlias

from workbench.casefile.codec import encode
from workbench.model.event import Claim, Event, ModelReply, ToolCall, ToolResult
from workbench.model.jsonvalue import Absent
from workbench.model.trace import Trace
from workbench.shrink.nodes import is_part
from workbench.shrink.places import origin_of
from workbench.shrink.words import is_text_part

__all__ = ["is_projection"]

_Rule: TypeAlias = Callable[[Any, Any], bool]
"""Takes a shrunk and an original value of a field."""


def is_projection(shrunk: Trace, original: Trace) -> bool:
    """Whether `shrunk` lacks things of `original`, and has nothing changed, moved or added.

    A claim may lack words, and the reply that it came from then lacks the same ones.

    Positions, and the numbers of turns that follow from them, are counted anew; each event keeps
    its old position as `origin_seq`. No result is without its call, and no reply names a call
    that was dropped.
    """
    pairs = _pairs(shrunk, original)
    return (
        pairs is not None
        and all(
            _kept(getattr(shrunk, f.name), getattr(original, f.name), _TRACE_RULES.get(f.name))
            for f in fields(Trace)
            if f.name != "events"
        )
        and all(_is_event_part(small, large) for small, large in pairs)
        and _turns_follow(shrunk, original, pairs)
        and _replies_say_it(pairs)
        and _is_whole(shrunk, original)
    )


def _pairs(shrunk: Trace, original: Trace) -> list[tuple[Event, Event]] | None:
    """Pair the events by origin; None: an event is new, double, or out of its order."""
    places = {origin_of(event): n for n, event in enumerate(original.events)}
    if len(places) != len(original.events):
        return None
    last = -1
    found: list[tuple[Event, Event]] = []
    for seq, event in enumerate(shrunk.events):
        place = places.get(origin_of(event), -1)
        if event.seq != seq or place <= last:
            return None
        last = place
        found.append((event, original.events[place]))
    return found


def _is_event_part(small: Event, large: Event) -> bool:
    if type(small) is not type(large):
        return False
    rules = _EVENT_RULES.get(small.kind, {})
    return all(
        _kept(getattr(small, f.name), getattr(large, f.name), rules.get(f.name))
        for f in fields(small)
        if f.name not in _POSITIONS
    ) and (not isinstance(small, ToolCall) or _arguments_kept(small, large))


def _kept(small: object, large: object, rule: _Rule | None) -> bool:
    """Whether a field is as it was, or lacks what its rule lets it lack."""
    return _same(small, large) if rule is None else rule(small, large)


def _same(small: object, large: object) -> bool:
    """Equal, and of one type at every depth: JSON `1`, `1.0` and `true` are three values."""
    if small is large:
        return True
    return (
        type(small) is type(large)
        and is_part(encode(small), encode(large))
        and is_part(encode(large), encode(small))
    )


def _shown_text(small: object, large: object) -> bool:
    """A text shown to a person may lack words; what is left stands as it stood."""
    return isinstance(small, str) and isinstance(large, str) and is_text_part(small, large)


def _reply_text(small: object, large: object) -> bool:
    return small == "" or _shown_text(small, large)


def _replies_say_it(pairs: Sequence[tuple[Event, Event]]) -> bool:
    """Whether each reply that lacks words is followed by a claim that lacks the same ones.

    And each claim that lacks words follows a reply with what is left of it, if it did before.
    """
    cut = [
        (small, large)
        for small, large in pairs
        if isinstance(small, Claim | ModelReply)
        and isinstance(large, Claim | ModelReply)
        and small.text not in (large.text, "")
    ]
    replies = Counter((s.text, lg.text) for s, lg in cut if isinstance(s, ModelReply))
    claims = Counter((s.text, lg.text) for s, lg in cut if isinstance(s, Claim))
    said = {lg.text for s, lg in pairs if isinstance(s, ModelReply) and isinstance(lg, ModelReply)}
    return all(replies[key] == n for key, n in claims.items() if key[1] in said) and all(
        key in claims for key in replies
    )


def _same_or_lacking(lacking: object) -> _Rule:
    return lambda small, large: small == lacking or _same(small, large)


def _some_of(small: Sequence[object], large: Sequence[object]) -> bool:
    others = iter(large)
    return all(any(_same(item, other) for other in others) for item in small)


def _some_entries(small: Mapping[str, object], large: Mapping[str, object]) -> bool:
    return all(key in large and _same(item, large[key]) for key, item in small.items())


def _any_value(_small: object, _large: object) -> bool:
    """Leave a field to a rule that looks at several fields."""
    return True


def _arguments_kept(small: ToolCall, large: Event) -> bool:
    """Arguments are parts of the old ones; their exact text stays only while all of them do."""
    assert isinstance(large, ToolCall)  # noqa: S101  the caller compared the types
    if isinstance(small.args, Absent) or isinstance(large.args, Absent):
        return small.args is large.args and small.args_raw == large.args_raw
    if _same(small.args, large.args):
        return small.args_raw in (large.args_raw, None)
    return small.args_raw is None and is_part(small.args, large.args)


def _turns_follow(shrunk: Trace, original: Trace, pairs: Sequence[tuple[Event, Event]]) -> bool:
    """Whether each call's turn is still the number of the same reply."""
    number = {origin_of(e): n for n, e in enumerate(_replies(shrunk), start=1)}
    renamed = {
        n: number[origin]
        for n, event in enumerate(_replies(original), start=1)
        if (origin := origin_of(event)) in number
    }
    return all(
        small.turn == renamed.get(large.turn, large.turn)
        for small, large in pairs
        if isinstance(small, ToolCall) and isinstance(large, ToolCall)
    )


def _replies(trace: Trace) -> list[ModelReply]:
    return [event for event in trace.events if isinstance(event, ModelReply)]


def _is_whole(shrunk: Trace, original: Trace) -> bool:
    """Whether results have their calls, calls their results, and replies name kept calls only."""
    called = {e.call_id for e in shrunk.events if isinstance(e, ToolCall)}
    answered = {e.call_id for e in shrunk.events if isinstance(e, ToolResult)}
    was_called = {e.call_id for e in original.events if isinstance(e, ToolCall)}
    was_answered = {e.call_id for e in original.events if isinstance(e, ToolResult)}
    named = {call_id for reply in _replies(shrunk) for call_id in reply.call_ids}
    return (
        answered & was_called <= called
        and called & was_answered <= answered
        and named & was_called <= called
    )


_POSITIONS: Final = frozenset({"seq", "origin_seq", "turn"})

_TRACE_RULES: Final[Mapping[str, _Rule]] = {
    "labels": _some_entries,
    "tags": _some_of,
}

_EVENT_RULES: Final[Mapping[str, Mapping[str, _Rule]]] = {
    "model_reply": {
        "text": _reply_text,
        "call_ids": _some_of,
        "usage": _same_or_lacking(None),
    },
    "tool_call": {"args": _any_value, "args_raw": _any_value},
    "claim": {"text": _shown_text},
}
"""By kind and field; every other field of an event is as it was."""
