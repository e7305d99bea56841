"""`trace/1`: nothing is lost, and what is no trace is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from tests.builders import a_call, a_claim, a_result, a_system, a_trace, a_user
from tests.strategies import traces
from workbench.casefile.place import Place
from workbench.casefile.trace import load_trace, parse_trace, trace_document
from workbench.errors import TraceFormatError
from workbench.model.event import Claim, Outcome, ToolCall, ToolResult
from workbench.model.trace import Source, Tool, Trace

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap


def a_document() -> JsonMap:
    """Return the document of a small trace."""
    return trace_document(a_trace(a_system(), a_user(), a_call("x"), a_claim(), a_claim("Bye.")))


def events_of(document: JsonMap) -> list[JsonMap]:
    """Return the events of a document."""
    events = document["events"]
    assert isinstance(events, list)
    return [event for event in events if isinstance(event, dict)]


def changed(at: int, name: str, value: Json) -> JsonMap:
    """Return the document with one field of one event changed."""
    document = json.loads(json.dumps(a_document()))
    document["events"][at][name] = value
    return document  # type: ignore[no-any-return]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(traces())
def test_any_trace_is_read_as_it_was_written(trace: Trace) -> None:
    """Every kind of event, also through the text of a file."""
    document = json.loads(json.dumps(trace_document(trace)))

    assert load_trace(document) == trace


def test_absent_fields_are_absent_and_a_recorded_null_is_null() -> None:
    """The two differ: a tool answered null, or nobody recorded what."""
    trace = a_trace(a_user(), a_call("x", result=None), a_call("y", outcome=Outcome.UNKNOWN))

    results = [e for e in events_of(trace_document(trace)) if e["kind"] == "tool_result"]

    assert results[0]["result"] is None
    assert "result" not in results[1]
    assert "null" not in json.dumps(trace_document(a_trace(a_user("hi"))))


def test_the_schema_comes_first_and_the_kind_after_the_place() -> None:
    """A person who opens the file sees at once what it is."""
    document = a_document()

    assert list(document) == ["schema", "run_id", "events"]
    assert list(events_of(document)[0])[:2] == ["seq", "kind"]


def test_deep_arguments_survive() -> None:
    """`parse_text` reads 500 levels; writing must not stop before."""
    deep: Json = 1
    for _ in range(450):
        deep = {"a": [deep]} if isinstance(deep, int) else {"a": deep}
    trace = a_trace(a_user(), a_call("x", args=deep))

    assert events_of(trace_document(trace))[2]["args"] == deep


def test_a_trace_is_read_from_a_file(tmp_path: Path) -> None:
    """One JSON document a file."""
    trace = Trace(
        run_id="r",
        source=Source(format="x", file="f", place="line 1"),
        tools=(Tool(name="t", schema={"type": "object"}),),
    )
    (tmp_path / "t.json").write_text(json.dumps(trace_document(trace)))

    assert load_trace(tmp_path / "t.json") == trace


@pytest.mark.parametrize(
    ("document", "key", "words"),
    [
        (changed(1, "seq", 2), "events.1.seq", "is 2; expected 1"),
        (changed(1, "kind", "user_mesage"), "events.1.kind", "write user_message"),
        (changed(1, "kind", None), "events.1.kind", "is null; expected one of"),
        (changed(1, "txt", "x"), "events.1.txt", "write text"),
        (changed(1, "text", 5), "events.1.text", "is a number; expected a string"),
        (changed(3, "turn", 2), "events.3.turn", "expected the number of a reply before it"),
        (changed(3, "turn", -1), "events.3.turn", "expected the number of a reply before it"),
        (changed(4, "call_id", "zz"), "events.4.call_id", "names no call before it"),
        (changed(6, "final", value=True), "events.6.final", "only the last one is final"),
        ({"schema": "trace/1"}, "run_id", "is missing"),
        ({"schema": "trace/1", "run_id": ""}, "run_id", "is empty"),
        ({"schema": "trace/2", "run_id": "r"}, "schema", "workbench ingest"),
        ({"messages": []}, "schema", "is null; expected trace/1"),
        ({"schema": "trace/1", "run_id": "r", "status": "bad"}, "status", "expected one of ok"),
        ({"schema": "trace/1", "run_id": "r", "events": [5]}, "events.0", "a mapping with `kind`"),
    ],
)
def test_what_breaks_a_trace_is_named_at_its_place(document: JsonMap, key: str, words: str) -> None:
    """A trace with gaps would be judged as another run."""
    with pytest.raises(TraceFormatError) as caught:
        load_trace(document)

    assert caught.value.key == key
    assert words in str(caught.value)


def test_call_ids_are_unique_and_answered_once() -> None:
    """Else a result could belong to two calls."""
    twice = trace_document(a_trace(a_user(), a_call("x", call_id="c"), a_call("x")))
    twice = json.loads(json.dumps(twice).replace('"c1"', '"c"'))
    again = trace_document(a_trace(a_user(), a_call("x", call_id="c"), a_result("c")))

    with pytest.raises(TraceFormatError, match="used by an earlier call"):
        load_trace(twice)
    with pytest.raises(TraceFormatError, match="has a result already"):
        load_trace(again)


def test_what_is_no_document_is_refused(tmp_path: Path) -> None:
    """A list of numbers is JSON and no trace."""
    (tmp_path / "t.json").write_text("[1, 2]")

    with pytest.raises(Exception, match="expected a mapping"):
        load_trace(tmp_path / "t.json")
    with pytest.raises(TraceFormatError, match="expected a trace/1 mapping"):
        parse_trace([1], place=Place(name="x"))


def test_an_error_shows_no_text_of_the_trace() -> None:
    """A raw trace is personal."""
    with pytest.raises(TraceFormatError) as caught:
        load_trace(changed(1, "kind", "anna@example.org"))

    assert "anna" not in str(caught.value)


def test_the_builders_keep_what_a_trace_promises() -> None:
    """The other tests rest on them."""
    trace = a_trace(a_user(), a_call("x"), a_claim())

    assert [e.seq for e in trace.events] == list(range(len(trace.events)))
    assert [type(e) for e in trace.events[2:4]] == [ToolCall, ToolResult]
    assert isinstance(trace.events[-1], Claim)
