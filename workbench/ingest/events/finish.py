"""The last step of every importer: events, tools and losses to one trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from workbench.ingest.events.losses import book_losses, counted_losses, trace_losses
from workbench.ingest.events.toollist import known_tools
from workbench.model.trace import Losses, RunStatus, Trace, Versions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.events.transcript import Transcript
    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Loss, Tool

__all__ = ["RunFacts", "finished", "labels_of"]


class RunFacts(Struct, frozen=True, kw_only=True):
    """What a source says of a run beside its messages."""

    own_id: Json = None
    session: str | None = None
    model: str | None = None
    agent: str | None = None
    """Version of the agent's code."""
    prompt: str | None = None
    """Version of the prompt."""
    tags: Sequence[str] = ()
    labels: JsonMap = {}
    status: RunStatus = RunStatus.UNKNOWN
    listed: Sequence[Tool] = ()
    losses: Sequence[Loss] = ()
    """What only this importer can know to be missing."""
    capture: str | None = None
    """The producer's setting that records contents."""


def labels_of(**found: Json) -> JsonMap:
    """Return labels without those that are not there."""
    return {name: value for name, value in found.items() if value is not None}


def finished(
    script: Transcript, facts: RunFacts, *, origin: Origin, tools: Sequence[Tool]
) -> tuple[Trace, Losses]:
    """Return the trace of a transcript and its loss report."""
    events = script.events()
    trace = Trace(
        run_id=origin.run_id(facts.own_id),
        versions=Versions(
            prompt=facts.prompt or None, model=facts.model or None, agent=facts.agent or None
        ),
        session=facts.session or None,
        tags=tuple(facts.tags),
        labels=facts.labels,
        status=facts.status,
        source=origin.source,
        tools=known_tools(events, listed=facts.listed, declared=tools),
        events=events,
    )
    losses = (
        *counted_losses(script.counts),
        *book_losses(script.book),
        *facts.losses,
        *trace_losses(trace, tools_listed=len(facts.listed) + len(tools), capture=facts.capture),
    )
    return trace, Losses(items=losses)
