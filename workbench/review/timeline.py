"""A run as lines of text, one an event; values masked unless asked otherwise."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.casefile.codec import encode
from workbench.check.claims import claim_outcome
from workbench.model.contract import ClaimRules
from workbench.model.event import (
    Claim,
    ModelReply,
    ModelRequest,
    Permission,
    StateChange,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.wording import counted
from workbench.review.checkup import loss_lines
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.text import bold, cut, masked, red, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.model.event import ContextChange, Event
    from workbench.model.jsonvalue import Absent, Json
    from workbench.review.source import LoadedRun

__all__ = ["claimed", "event_lines", "headline", "timeline", "word_or_mask"]

_WIDTH = 96
_RULES = ClaimRules()
"""What reads a claim that nobody labelled, unless a contract says otherwise."""
_NAME = re.compile(r"[^\s@]{0,80}")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_.]{0,39}")


def headline(run: LoadedRun) -> str:
    """Say what the run is, what it lost, and which effects nobody declared."""
    trace = run.trace
    source = trace.source.format if trace.source and trace.source.format else "unknown format"
    lines = [
        bold(f"{harmless(trace.run_id)}  {trace.status.value}  {run.losses.grade.value}"),
        f"{counted(len(trace.events), 'event')} from {source}",
    ]
    for loss in run.losses.items:
        what, *fixes = loss_lines(loss)
        lines += [f"lost: {what}", *fixes]
    if run.assumed_tools:
        lines.append(
            "effect not declared, taken as write: "
            + ", ".join(harmless(f"{name} ({guess}?)") for name, guess in run.proposed_effects)
        )
    return "\n".join(lines)


def timeline(run: LoadedRun, *, reveal: bool) -> str:
    """Return one line an event; failures stand out by word and, on a terminal, by colour."""
    lines_of_events = event_lines(run, reveal=reveal)
    rows = [
        (str(event.seq), event.kind, _name(event.agent or "", is_raw=reveal), line)
        for event, line in zip(run.trace.events, lines_of_events, strict=True)
    ]
    text = table(rows, head=("seq", "kind", "agent", ""))
    bad = {
        e.seq
        for e in run.trace.events
        if isinstance(e, ToolResult) and e.outcome not in (None, "ok")
    }
    head, *lines = text.split("\n")
    marked = (
        red(line) if event.seq in bad else line
        for event, line in zip(run.trace.events, lines, strict=True)
    )
    return "\n".join((head, *marked))


def _name(text: str, *, is_raw: bool) -> str:
    """Return a name of an agent, a model or a state; one that is a sentence or an address is a value."""
    return harmless(text) if is_raw or _NAME.fullmatch(text) else masked(text)


Say = Callable[["Json | Absent"], str]


def event_lines(run: LoadedRun, *, reveal: bool) -> tuple[str, ...]:
    """Return what each event says; types and lengths instead of values unless `reveal`."""
    tool_by_call = run.tool_by_call
    say = _revealed if reveal else masked
    return tuple(_event_line(event, tool_by_call, say) for event in run.trace.events)


def _revealed(value: Json | Absent) -> str:
    if value is ABSENT:
        return masked(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(harmless(text), _WIDTH)


def claimed(claim: Claim) -> str:
    """Return the outcome that a claim claims, wherever an event is put into words."""
    return claim_outcome(claim, _RULES).value


def _event_line(event: Event, tool_by_call: Mapping[str, str], say: Say) -> str:
    match event:
        case ToolCall():
            return _say_call(event, say)
        case ToolResult():
            return _say_result(event, tool_by_call[event.call_id], say)
        case SystemMessage() | UserMessage():
            return say(event.text)
        case ModelReply():
            calls = f"  asks for {counted(len(event.call_ids), 'call')}" if event.call_ids else ""
            return (say(event.text) if event.text else "") + calls
        case Claim():
            final = "final, " if event.final else ""
            return f"{final}claims {claimed(event)}  {say(event.text)}"
        case _:
            return _say_rest(event, say)


def _say_rest(event: ModelRequest | Permission | StateChange | ContextChange, say: Say) -> str:
    match event:
        case ModelRequest():
            offered = event.offered_tools
            tools = "" if offered is None else f"  {counted(len(offered), 'tool')} offered"
            return _name(event.model or "", is_raw=say is not masked) + tools
        case Permission():
            return f"{event.decision.value} {harmless(event.tool or 'any tool')}"
        case StateChange():
            name = _name(event.name, is_raw=say is not masked)
            return f"{name}: {say(event.before)} -> {say(event.after)}"
        case _:
            return event.change.value


def _say_call(event: ToolCall, say: Say) -> str:
    args = event.args if event.args is not ABSENT else (event.args_raw or "")
    by = "" if event.requestor == "agent" else f"  by {event.requestor.value}"
    return f"{harmless(event.tool)} {say(args)}{by}"


def _said_detail(detail: str, say: Say) -> str:
    return word_or_mask(detail) if say is masked else say(detail)


def word_or_mask(text: str) -> str:
    """Return a detail that is a word such as `http_504`; a sentence may be of anybody.

    >>> word_or_mask("GatewayTimeout"), word_or_mask("timeout of ada@example.com")
    ('GatewayTimeout', 'text(26)')
    """
    return text if _WORD.fullmatch(text) else masked(text)


def _say_result(event: ToolResult, tool: str, say: Say) -> str:
    outcome = event.outcome.value if event.outcome is not None else "?"
    detail = f" {_said_detail(event.detail, say)}" if event.detail else ""
    value: Json | Absent = event.result
    if value is ABSENT:
        value = encode(event.error) if event.error is not None else event.result_raw
    return f"{harmless(tool)} -> {outcome}{detail}  {say(value)}"
