"""What an event holds, as a bounded tree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hypothesis import given, settings

from tests import strategies
from workbench.model.event import ToolCall, ToolResult, UserMessage
from workbench.model.ledger import LedgerEntry
from workbench.ui.controllers.details import (
    MAX_DEPTH,
    MAX_ITEMS,
    MAX_TEXT,
    Marks,
    event_detail,
    event_text,
)

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

PLAIN = Marks(replaced={}, trigger=frozenset())
MASKED = Marks(replaced={}, trigger=frozenset(), is_masked=True)


def a_call(args):
    """Return a call with arguments."""
    return ToolCall(seq=7, call_id="c1", tool="crm.find", args=args, args_raw="raw")


def field(detail, name):
    """Return one field of an event."""
    return next(one["value"] for one in detail["fields"] if one["name"] == name)


def test_an_event_is_its_envelope_its_fields_and_its_raw_text():
    """Raw text is what was recorded, beside what was understood of it."""
    detail = event_detail(a_call({"email": "a@b.example", "n": 2**60}), PLAIN)

    assert (detail["seq"], detail["kind"], detail["place"]) == (7, "tool_call", "#7")
    assert detail["raw"] == [{"name": "args_raw", "text": "raw", "more": 0}]
    args = field(detail, "args")
    assert args["items"][0] == ["email", {"type": "string", "text": "a@b.example", "more": 0}]
    assert args["items"][1][1]["text"] == str(2**60)


def test_the_place_of_a_redacted_event_is_that_of_the_raw_trace():
    """`seq` is renumbered; the reviewer's places stay."""
    event = UserMessage(seq=1, origin_seq=17, text="hi")

    assert event_detail(event, PLAIN)["place"] == "#17"


def test_what_is_left_out_is_counted():
    """A browser must not be handed 100,000 nodes, and nobody must think that was all."""
    deep: JsonMap = {}
    for _ in range(100):
        deep = {"a": deep}
    wide = {f"k{nth}": nth for nth in range(MAX_ITEMS + 5)}
    detail = event_detail(a_call({"deep": deep, "wide": wide, "long": "x" * (MAX_TEXT + 9)}), PLAIN)

    items = dict(field(detail, "args")["items"])
    assert items["wide"]["more"] == 5
    assert items["long"]["more"] == 9
    levels, node = 0, items["deep"]
    while node["items"]:
        levels, node = levels + 1, node["items"][0][1]
    assert levels == MAX_DEPTH - 1
    assert node["more"] == 1


def test_a_replaced_value_and_a_trigger_carry_their_marks():
    """At exactly their places."""
    entry = LedgerEntry(at=("#7.args.email",), type="EMAIL", decision="accepted", by="shapes")
    marks = Marks(replaced={"#7.args.email": entry}, trigger=frozenset({"#7.args"}))

    args = field(event_detail(a_call({"email": "a", "name": "b"}), marks), "args")

    assert args["trigger"] is True
    assert args["items"][0][1]["mark"] == {"type": "EMAIL", "decision": "accepted", "by": "shapes"}
    assert "mark" not in args["items"][1][1]


def test_a_masked_detail_holds_types_and_lengths():
    """For a screen that others see; a key that is no word may be of anybody."""
    args = {"email": "ada@b.example", "ada@b.example": 4471902, "ok": True, "ids": [4471902]}

    detail = event_detail(a_call(args), MASKED)

    said = json.dumps(detail)
    assert "ada" not in said
    assert "4471902" not in said
    assert "text(13)" in said
    assert '"text": "raw"' not in said


def test_the_text_of_an_event_is_what_was_understood_else_what_came():
    """A line break in a value is searched as a line break."""
    parsed = ToolResult(call_id="c", result={"note": "a\nb", "n": 3}, result_raw='{"note":"a\\nb"}')
    unparsed = ToolResult(call_id="c", result_raw="<html>")

    assert "a\nb" in event_text(parsed)
    assert "\\n" not in event_text(parsed)
    assert "3" in event_text(parsed).split("\n")
    assert "<html>" in event_text(unparsed)


@settings(max_examples=15)
@given(strategies.traces())
def test_any_event_becomes_json_of_limited_depth(trace):
    """It is sent to a browser, which has no say in what a trace holds."""
    for event in trace.events:
        for marks in (PLAIN, MASKED):
            assert json.loads(json.dumps(event_detail(event, marks)))["seq"] == event.seq
        assert isinstance(event_text(event), str)
