"""What of a trace is left, on which side it stands, and why it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.model.event import Claim, ModelReply, Permission, ToolCall
from workbench.model.trace import Losses
from workbench.review.source import LoadedRun
from workbench.review.timeline import event_lines
from workbench.shrink.flow import Flow
from workbench.shrink.places import origin_of
from workbench.shrink.units import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Trace
    from workbench.model.verdict import Verdict

__all__ = ["event_rows", "reasons"]

_BEHAVIOUR: Final = (ModelReply, ToolCall, Permission, Claim)
"""What the agent did; all else is what it saw."""
_PLAIN: Final = {
    "system_message": "instructions",
    "user_message": "what was asked",
    "model_request": "led to a kept call or claim",
    "model_reply": "carries a kept call or claim",
    "tool_call": "its result is used",
    "tool_result": "result of a kept call",
}
"""Why an event is left that nothing else names."""


def event_rows(draft: Draft) -> list[Json]:
    """Return a line an event; values are masked while the draft is raw."""
    run = LoadedRun(trace=draft.trace, losses=Losses(), assumed_tools=())
    lines = event_lines(run, reveal=draft.redaction is not None)
    return [
        {
            "seq": origin_of(event),
            "kind": event.kind,
            "side": "behaviour" if isinstance(event, _BEHAVIOUR) else "stimulus",
            "line": line,
        }
        for event, line in zip(draft.trace.events, lines, strict=True)
    ]


def reasons(
    trace: Trace, verdict: Verdict, *, locked: Iterable[str], trigger: Iterable[str]
) -> dict[str, Json]:
    """Return for each event that is left (by its number in the raw trace) why it is.

    Args:
        trace: shrunk.
        verdict: about it.
        locked: places that a person locked.
        trigger: places that make the failure happen.
    """
    found: dict[int, list[str]] = {origin_of(event): [] for event in trace.events}
    origins = [origin_of(event) for event in trace.events]
    for violation in verdict.violations:
        for seq in dict.fromkeys((*violation.evidence, violation.seq)):
            if seq < len(origins):
                word = "violation" if seq == violation.seq else "evidence"
                _note(found, origins[seq], f"{word} of {violation.clause}")
    for place in trigger:
        _note(found, _event_of(place), "trigger")
    for place in locked:
        _note(found, _event_of(place), "locked")
    for source, user in _flows(trace):
        _note(found, origins[source], f"gives #{origins[user]} a value")
    plain = {origin_of(event): _PLAIN.get(event.kind, "") for event in trace.events}
    return {str(origin): [*(words or [plain[origin]])] for origin, words in found.items()}


def _note(found: dict[int, list[str]], origin: int, words: str) -> None:
    if origin in found and words not in found[origin]:
        found[origin].append(words)


def _event_of(place: str) -> int:
    number = place.partition(".")[0].removeprefix("#")
    return int(number) if number.isdigit() else -1


def _flows(trace: Trace) -> Iterable[tuple[int, int]]:
    """Yield the last event of a unit and the first of one that uses a value of it."""
    layout = layout_of(trace)
    flow = Flow(trace, layout)
    for place, unit in enumerate(layout.units):
        for provider in sorted(flow.providers(place)):
            yield layout.units[provider].events[-1], unit.events[0]
