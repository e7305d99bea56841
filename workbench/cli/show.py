"""`workbench show RUN`: the timeline of one run.

Values are masked unless `--reveal` is given: this output ends up in chats and tickets.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.casefile.codec import encode
from workbench.casefile.trace import trace_document
from workbench.cli.lookup import lookup_of
from workbench.cli.options import add_json, add_run, print_json
from workbench.cli.term import bold, cut, masked, red, table
from workbench.model.event import (
    Claim,
    ContextChange,
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
from workbench.review.source import LoadedRun, find_run
from workbench.runner.reports.harmless import harmless

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from workbench.model.event import Event
    from workbench.model.jsonvalue import Absent, Json

__all__ = ["add_arguments", "execute", "timeline"]

_WIDTH = 96


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    add_run(parser)
    parser.add_argument("--reveal", action="store_true", help="show values; they may be personal")
    add_json(parser)


def execute(options: Namespace) -> int:
    """Print the timeline."""
    run = find_run(options.run, lookup_of(options))
    if options.json:
        print_json(_document(run, reveal=options.reveal))
        return 0
    print(_headline(run))
    print()
    print(timeline(run, reveal=options.reveal))
    return 0


def _document(run: LoadedRun, *, reveal: bool) -> dict[str, Json]:
    trace = run.trace
    return {
        "run_id": trace.run_id,
        "status": trace.status.value,
        "grade": run.losses.grade.value,
        "losses": encode(run.losses.items),
        "assumed_tools": list(run.assumed_tools),
        "trace": trace_document(trace) if reveal else None,
        "events": [
            {"seq": event.seq, "kind": event.kind, "text": _line(event, run, reveal=reveal)}
            for event in trace.events
        ],
    }


def _headline(run: LoadedRun) -> str:
    trace = run.trace
    source = trace.source.format if trace.source and trace.source.format else "unknown format"
    lines = [
        bold(f"{harmless(trace.run_id)}  {trace.status.value}  {run.losses.grade.value}"),
        f"{len(trace.events)} events from {source}",
    ]
    lines += [
        f"lost: {loss.kind} x{loss.count}" + (f" ({loss.note})" if loss.note else "")
        for loss in run.losses.items
    ]
    if run.assumed_tools:
        lines.append(
            "effect not declared, taken as write: "
            + ", ".join(harmless(f"{name} ({guess}?)") for name, guess in run.proposed_effects)
        )
    return "\n".join(lines)


def timeline(run: LoadedRun, *, reveal: bool) -> str:
    """Return one line an event; failures stand out by word and, on a terminal, by colour."""
    rows = [
        (str(event.seq), event.kind, harmless(event.agent or ""), _line(event, run, reveal=reveal))
        for event in run.trace.events
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


Say = Callable[["Json | Absent"], str]


def _line(event: Event, run: LoadedRun, *, reveal: bool) -> str:
    def say(value: Json | Absent) -> str:
        if not reveal:
            return masked(value)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return cut(harmless(text), _WIDTH)

    match event:
        case ToolCall():
            return _say_call(event, say)
        case ToolResult():
            return _say_result(event, run, say)
        case SystemMessage() | UserMessage():
            return say(event.text)
        case ModelReply():
            calls = f"  asks for {len(event.call_ids)} calls" if event.call_ids else ""
            return (say(event.text) if event.text else "") + calls
        case Claim():
            final = "final, " if event.final else ""
            return f"{final}claims {event.outcome.value}  {say(event.text)}"
        case _:
            return _say_rest(event, say)


def _say_rest(event: ModelRequest | Permission | StateChange | ContextChange, say: Say) -> str:
    match event:
        case ModelRequest():
            offered = event.offered_tools
            tools = "" if offered is None else f"  {len(offered)} tools offered"
            return harmless(event.model or "") + tools
        case Permission():
            return f"{event.decision.value} {harmless(event.tool or 'any tool')}"
        case StateChange():
            return f"{harmless(event.name)}: {say(event.before)} -> {say(event.after)}"
        case ContextChange():
            return event.change.value


def _say_call(event: ToolCall, say: Say) -> str:
    args = event.args if event.args is not ABSENT else (event.args_raw or "")
    by = "" if event.requestor == "agent" else f"  by {event.requestor.value}"
    return f"{harmless(event.tool)} {say(args)}{by}"


def _say_result(event: ToolResult, run: LoadedRun, say: Say) -> str:
    outcome = event.outcome.value if event.outcome is not None else "?"
    detail = f" {harmless(event.detail)}" if event.detail else ""
    tool = harmless(run.tool_of(event.call_id))
    value: Json | Absent = event.result
    if value is ABSENT:
        value = encode(event.error) if event.error is not None else event.result_raw
    return f"{tool} -> {outcome}{detail}  {say(value)}"
