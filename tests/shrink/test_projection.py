"""A projection lacks things; it has nothing changed, moved or added."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_system, a_trace, a_turn, a_user
from tests.shrink.test_shrinking import PAID, a_long_trace
from workbench.casefile.place import Place
from workbench.casefile.trace import parse_trace, trace_document
from workbench.model.event import (
    CallError,
    Claim,
    ModelReply,
    Outcome,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from workbench.model.trace import Trace, renumbered
from workbench.shrink import is_projection, shrink_trace

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

ARGS: JsonMap = {"to": "Ann", "items": [{"id": 1, "n": 2}, {"id": 2}, 3.0], "deep": {"a": None}}


def an_original() -> Trace:
    """Return a trace with everything that may be left out."""
    trace = a_trace(
        a_system(),
        a_user(),
        a_turn(a_call("pay", args=ARGS), a_call("log"), text="Paid.", usage=Usage(input_tokens=3)),
        a_call("look", outcome=Outcome.UNKNOWN, error=CallError(status=504)),
        a_claim("Bye."),
    )
    return replace(trace, tags=("a", "b"), labels={"reward": 0, "who": "x"})


def with_event(trace: Trace, place: int, **changes: object) -> Trace:
    """Return the trace with one event changed."""
    events = list(trace.events)
    events[place] = replace(events[place], **changes)  # type: ignore[arg-type]
    return replace(trace, events=tuple(events))


def place_of(trace: Trace, kind: type) -> int:
    """Return the position of the first event of a kind."""
    return next(n for n, event in enumerate(trace.events) if isinstance(event, kind))


def test_a_trace_is_a_projection_of_itself():
    """Leaving out nothing is allowed."""
    assert is_projection(an_original(), an_original())


def test_a_shrunk_trace_is_one_also_after_it_was_written_and_read():
    """`export` checks what it reads from the draft."""
    trace = a_long_trace()
    small = shrink_trace(trace, PAID).trace

    read = parse_trace(trace_document(small), place=Place(name="draft"))

    assert is_projection(read, trace)
    assert is_projection(small, parse_trace(trace_document(trace), place=Place(name="run")))


@pytest.mark.parametrize(
    "changes",
    [
        {"args": {}, "args_raw": None},
        {"args": {"to": "Ann", "items": [{"id": 2}], "deep": {}}, "args_raw": None},
        {"args": {"items": [{"n": 2}, 3.0]}, "args_raw": None},
        {"args_raw": None},
    ],
)
def test_arguments_may_lose_nodes(changes):
    """Keys and items may go, at any depth."""
    trace = an_original()

    assert is_projection(with_event(trace, place_of(trace, ToolCall), **changes), trace)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (ToolCall, {"args": {"to": "Bob"}, "args_raw": None}),
        (ToolCall, {"args": {"to": "Ann"}}),  # the exact text is no longer what was called
        (ToolCall, {"args": {**ARGS, "more": 1}, "args_raw": None}),
        (ToolCall, {"args": {"items": [3]}, "args_raw": None}),  # 3 is not 3.0
        (ToolCall, {"args": {"items": [3.0, {"id": 1}]}, "args_raw": None}),
        (ToolCall, {"args": {"deep": {"a": False}}, "args_raw": None}),
        (ToolCall, {"args": []}),
        (ToolCall, {"args_raw": "{}"}),
        (ToolCall, {"tool": "pray"}),
        (ToolCall, {"turn": 2}),
        (ToolCall, {"call_id": "c9"}),
        (ToolResult, {"result": {"ok": True}}),
        (ToolResult, {"outcome": Outcome.DENIED}),
        (ToolResult, {"result_raw": None}),
        (UserMessage, {"text": "Pay"}),
        (ModelReply, {"text": "Paid"}),
        (ModelReply, {"usage": Usage(input_tokens=4)}),
        (ModelReply, {"call_ids": ("c2", "c1")}),
        (Claim, {"text": ""}),
        (Claim, {"final": True}),
        (Claim, {"source_ref": "line 1"}),
    ],
)
def test_anything_else_that_differs_is_refused(kind, changes):
    """No value is rewritten or made up."""
    trace = an_original()

    assert not is_projection(with_event(trace, place_of(trace, kind), **changes), trace)


@pytest.mark.parametrize(
    ("changes", "holds"),
    [
        ({"tags": ("b",)}, True),
        ({"labels": {"who": "x"}}, True),
        ({"tags": ("b", "a")}, False),
        ({"labels": {"reward": False}}, False),
        ({"run_id": "other"}, False),
        ({"session": "s"}, False),
    ],
)
def test_of_the_trace_only_tags_and_labels_may_go(changes, holds):
    """The rest says where the case comes from."""
    assert is_projection(replace(an_original(), **changes), an_original()) is holds


def test_events_keep_their_order_and_come_once():
    """Order is what most clauses read."""
    trace = an_original()
    doubled = replace(
        trace, events=renumbered((*trace.events[:2], trace.events[1]), keep_origin=True)
    )
    swapped = replace(trace, events=renumbered(trace.events[1::-1], keep_origin=True))
    gap = replace(trace, events=trace.events[1:])
    added = replace(
        trace, events=renumbered((*trace.events, UserMessage(seq=99, text="?")), keep_origin=True)
    )
    other_kind = replace(trace, events=(UserMessage(text="You are a support agent."),))

    assert not any(is_projection(t, trace) for t in (doubled, swapped, gap, added, other_kind))


def test_results_calls_and_replies_come_together():
    """An orphan is no part of any run."""
    trace = an_original()

    def without(*places: int) -> Trace:
        left = [event for n, event in enumerate(trace.events) if n not in places]
        return replace(trace, events=renumbered(left, keep_origin=True))

    call, result = place_of(trace, ToolCall), place_of(trace, ToolResult)
    assert not is_projection(without(call), trace)
    assert not is_projection(without(result), trace)
    assert not is_projection(without(call, result), trace)  # its reply still names it


def test_a_trace_whose_own_positions_are_double_has_no_projection():
    """Then nobody can say which event a smaller trace kept."""
    trace = an_original()
    damaged = with_event(trace, 1, origin_seq=0)

    assert not is_projection(trace, damaged)
