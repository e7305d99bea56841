"""What later requests tell again of replies, made to agree with the replies themselves.

Recorders write one thing twice and differently: OpenAI's Responses give each call an id of its
item beside its own, and a history may have the one where the reply has the other; a streamed
reply may have no content of its own and stand in the next history.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.ingest.events.messages import Role
from workbench.ingest.events.spans import ModelSpan
from workbench.ingest.events.transcript import compact
from workbench.model.jsonvalue import ABSENT, Absent, parse_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workbench.ingest.events.messages import Message
    from workbench.ingest.events.spans import Span
    from workbench.ingest.events.transcript import Asked
    from workbench.model.jsonvalue import Json

__all__ = ["agreed", "args_of", "key_of", "unseen_replies", "value_of"]

_AHEAD: Final = 8
"""Requests in which a reply is looked for: agents that take turns have one each."""


def agreed(spans: Sequence[Span]) -> list[Span]:
    """Return the spans with one id for each call, and with replies that only histories show."""
    found = list(spans)
    names = _other_names(spans)
    if names:
        found = [_renamed(span, names) for span in spans]
    for at, span in enumerate(found):
        if isinstance(span, ModelSpan) and span.unseen:
            found[at] = _seen(span, islice(found, at + 1, None))
    return found


def unseen_replies(spans: Sequence[Span]) -> int:
    """Count the replies that nobody shows, where the recorder keeps contents at all."""
    models = [span for span in spans if isinstance(span, ModelSpan)]
    if not any(span.history or (span.reply and not span.unseen) for span in models):
        return 0
    return sum(span.unseen for span in models)


# --- calls under two ids ----------------------------------------------------------------------


def _other_names(spans: Sequence[Span]) -> dict[str, str]:
    """Find ids that only histories give to calls, and what the replies call these.

    Both have the same tool and arguments; the one is never answered, the other never shown.
    """
    shown: dict[str, tuple[int, Asked]] = {}
    replied: dict[str, tuple[int, Asked]] = {}
    answered: set[str | None] = set()
    for at, span in enumerate(spans):
        if isinstance(span, ModelSpan):
            answered.update(one.answered.id for one in span.history if one.answered)
            for asked in _calls(span.history):
                shown.setdefault(asked.id or "", (at, asked))
            for asked in _calls(span.reply):
                replied.setdefault(asked.id or "", (at, asked))
    free: dict[tuple[str, str | None], list[tuple[int, str]]] = defaultdict(list)
    for given, (at, asked) in replied.items():
        if given and given not in shown:
            free[_wanted(asked)].append((at, given))
    names: dict[str, str] = {}
    strange = (one for one in shown if one and one not in replied and one not in answered)
    for given in strange if free else ():
        at, asked = shown[given]
        same = free[_wanted(asked)]
        if same and same[0][0] < at:
            names[given] = same.pop(0)[1]
    return names


def _calls(messages: Sequence[Message]) -> Iterator[Asked]:
    return (asked for message in messages for asked in message.asked)


def _wanted(asked: Asked) -> tuple[str, str | None]:
    return asked.tool, args_of(asked) or asked.text


def _renamed(span: Span, names: Mapping[str, str]) -> Span:
    if not isinstance(span, ModelSpan):
        return span
    return replace(span, history=[_with_names(message, names) for message in span.history])


def _with_names(message: Message, names: Mapping[str, str]) -> Message:
    if not any(asked.id in names for asked in message.asked):
        return message
    asked = (replace(one, id=names.get(one.id or "", one.id)) for one in message.asked)
    return replace(message, asked=tuple(asked))


# --- replies without content ------------------------------------------------------------------


def _seen(span: ModelSpan, later: Iterator[Span]) -> ModelSpan:
    """Take the content of a reply from the next request that goes on where its own ends."""
    sent = [key_of(message) for message in span.history]
    requests = (one for one in later if isinstance(one, ModelSpan))
    for request in islice(requests, _AHEAD):
        rest = request.history[len(sent) :]
        if not rest or rest[0].role is not Role.ASSISTANT:
            continue
        if [key_of(message) for message in request.history[: len(sent)]] == sent:
            own = span.reply[0].said
            said = rest[0].said
            said = replace(
                said,
                usage=own.usage or said.usage,
                finish_reason=own.finish_reason or said.finish_reason,
            )
            return replace(span, reply=(replace(rest[0], said=said),), unseen=False)
    return span


# --- what tells messages and calls from others ------------------------------------------------


def key_of(message: Message) -> tuple[object, ...]:
    """Return what tells a message from others, whoever repeats it."""
    text = (message.said.text or "").strip()
    if message.answered is not None:
        return message.role, message.answered.id or message.answered.text
    calls = tuple(asked.id or (asked.tool, args_of(asked)) for asked in message.asked)
    return message.role, text if not calls else "", calls


def value_of(asked: Asked) -> Json | Absent:
    """Return the arguments of a call, parsed."""
    if asked.text is None:
        return asked.value
    return parse_text(asked.text).value


def args_of(asked: Asked) -> str | None:
    """Return the arguments of a call in one way of writing; None: not recorded, or no JSON."""
    value = value_of(asked)
    return None if value is ABSENT else compact(value)
