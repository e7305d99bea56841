"""What a model is asked and what it answers in a trial, whatever dialect it was said in."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.model.case import ScriptedCall
from workbench.model.event import ModelReply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.case import Turn
    from workbench.model.event import CallError, Usage
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.replay.asked import ReportedResult

__all__ = [
    "ModelAsk",
    "ProviderLog",
    "ScriptedReply",
    "SeenCall",
    "SeenReply",
    "arguments_of",
    "scripted_call",
    "seen_event",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAsk:
    """One request of the agent to a model."""

    messages: int
    """How many it sends."""
    results: tuple[ReportedResult, ...] = ()
    """Tool results that it shows to the model, in order."""
    offered: tuple[str, ...] | None = None
    """Names of the tools that the model may call; None: not stated."""
    model: str | None = None
    settings: JsonMap = field(default_factory=dict)
    """Temperature, seed, ..., as sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedReply:
    """What a model request gets from the script."""

    turn: Turn
    number: int
    """Of the request in its trial, from 1."""
    calls: tuple[tuple[str, ScriptedCall], ...] = ()
    """Call id in this trial, and the call."""
    error: CallError | None = None
    """The request fails this way, as recorded."""

    @property
    def text(self) -> str:
        """What the model says; empty when it only calls tools."""
        return self.turn.text or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCall:
    """A tool call in the reply of a live model."""

    id: str
    name: str
    """As the agent offered it."""
    args_text: str
    """The arguments, as the model wrote them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenReply:
    """What a live model was seen to answer."""

    text: str = ""
    calls: tuple[SeenCall, ...] = ()
    finish_reason: str | None = None
    """In the words of its dialect; None: it ended before its end."""
    usage: Usage | None = None
    hosted: tuple[str, ...] = ()
    """Tools that the provider itself ran."""
    id: str | None = None
    """The provider's id of the reply: two replies with one id are one."""


def arguments_of(text: str) -> Json:
    """Return the arguments that a model wrote; the text itself when it is not JSON.

    >>> arguments_of(""), arguments_of("{")
    ({}, '{')
    """
    try:
        found: Json = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text
    return found


def scripted_call(call: SeenCall, call_id: str, tool: str) -> ScriptedCall:
    """Return a call of a live reply as a script would have it."""
    args = arguments_of(call.args_text)
    if args == call.args_text:
        return ScriptedCall(id=call_id, name=tool, args_raw=call.args_text)
    return ScriptedCall(id=call_id, name=tool, args=args)


def seen_event(seen: SeenReply, calls: Sequence[ScriptedCall]) -> ModelReply:
    """Return a live reply as an event; `calls` are its calls under their ids in the trial."""
    return ModelReply(
        text=seen.text,
        call_ids=tuple(call.id for call in calls),
        finish_reason=seen.finish_reason,
        usage=seen.usage,
    )


@dataclass(slots=True, kw_only=True)
class ProviderLog:
    """How the provider of a live trial did; mutable while the trial runs."""

    reply_ids: list[str] = field(default_factory=list)
    errors: int = 0
    _open: dict[bytes, str] = field(default_factory=dict)

    @property
    def unsettled(self) -> tuple[str, ...]:
        """Failures that no repetition of the same request settled, one sentence each."""
        return tuple(self._open.values())

    def answered(self, request: bytes, reply_id: str | None) -> None:
        """Note a reply."""
        self._open.pop(request, None)
        if reply_id is not None:
            self.reply_ids.append(reply_id)

    def failed(self, request: bytes, sentence: str) -> None:
        """Note a failure."""
        self.errors += 1
        self._open[request] = sentence
