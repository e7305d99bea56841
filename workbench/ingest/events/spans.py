"""The spans that a run is woven from: requests to models, executions of tools, marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from workbench.model.event import (
    ContextChange,
    ModelRequest,
    Permission,
    Requestor,
    StateChange,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.events.messages import Message
    from workbench.ingest.events.times import Moment
    from workbench.ingest.events.transcript import Answered, Asked

__all__ = ["MarkSpan", "ModelSpan", "Span", "ToolSpan"]


class ModelSpan(Struct, frozen=True, kw_only=True):
    """One request to a model and its reply."""

    start: Moment | None
    end: Moment | None
    request: ModelRequest
    history: Sequence[Message] = ()
    """What was sent."""
    reply: Sequence[Message] = ()
    """One message, or several where the provider's own tools answer inside it; empty: the
    request failed or the reply was not kept."""
    unseen: bool = False
    """Whether the recorder kept no content of the reply: a message without any stands for it."""
    agent: str | None = None


class ToolSpan(Struct, frozen=True, kw_only=True):
    """One execution of a tool."""

    start: Moment | None
    end: Moment | None
    asked: Asked
    answered: Answered | None = None
    """None: it never ended."""
    agent: str | None = None
    requestor: Requestor = Requestor.AGENT
    """Who asked where no reply did."""


class MarkSpan(Struct, frozen=True, kw_only=True):
    """What happened beside requests and tools, told when it began."""

    start: Moment | None
    end: Moment | None
    event: Permission | StateChange | ContextChange


Span: TypeAlias = ModelSpan | ToolSpan | MarkSpan
