"""Runs of spans: each trap that recorders set, and the loss that names it."""

from __future__ import annotations

import json
import random
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from tests.ingest.otlp.spans import (
    TRACE,
    a_billing_run,
    a_chat,
    a_document,
    a_log,
    a_message,
    a_span,
    a_tool,
    answer,
    attributes,
    call,
    calls,
    imported,
    results,
    run_of,
    text,
    trace_of,
)
from tests.ingest.samples import kinds, lost, write_file, write_lines
from workbench.errors import TraceFormatError
from workbench.ingest.reader import ingest_traces, read_source
from workbench.model.event import (
    CallIdSource,
    Claim,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolResult,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Grade, Loss, RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Imported

KINDS = [
    "user_message",
    "model_request",
    "model_reply",
    "tool_call",
    "tool_result",
    "model_request",
    "model_reply",
    "claim",
]
ASK = a_message("user", text("Pause my plan."))
DONE = a_message("assistant", text("Paused."))
FAILED: JsonMap = {"code": 2}


def loss_of(run: Imported, kind: str) -> Loss:
    """Return the one loss of a kind."""
    (loss,) = [loss for loss in run.losses.items if loss.kind == kind]
    return loss


# --- order and grouping --------------------------------------------------------


def test_spans_become_events_in_the_order_of_time(tmp_path: Path) -> None:
    """History that each request repeats is told once."""
    run = run_of(tmp_path, *a_billing_run())

    trace = trace_of(run)
    assert kinds(trace) == KINDS
    assert run.run_id == TRACE
    assert calls(trace) == [("c1", "pause", '{"account": "AC-1"}')]
    assert results(trace) == {"c1": '{"ok": true}'}  # as the model saw it
    result = next(event for event in trace.events if isinstance(event, ToolResult))
    assert result.latency_ms == 12
    assert {event.agent for event in trace.events if isinstance(event, ModelReply)} == {"billing"}
    assert trace.versions.agent == "7"
    assert trace.versions.model == "m-1"
    assert run.losses.grade is Grade.REPLAYABLE


def test_the_order_of_the_file_does_not_matter(tmp_path: Path) -> None:
    """Recorders write spans in the order in which they end, or in none."""
    spans = a_billing_run()
    expected = trace_of(run_of(tmp_path, *spans)).events

    for order in permutations(range(len(spans))):
        found = trace_of(run_of(tmp_path, *(spans[at] for at in order))).events
        assert [(e.kind, e.at) for e in found] == [(e.kind, e.at) for e in expected]


def test_a_parent_stands_before_a_child_that_began_with_it(tmp_path: Path) -> None:
    """Clocks are coarse; the tree says what came first."""
    spans = [
        a_chat(2, [ASK], [a_message("assistant", call("c1", "pause", {}))], end_ms=0),
        a_tool(3, "pause", given="c1", result="ok", parent=2, end_ms=0),
    ]

    trace = trace_of(run_of(tmp_path, *reversed(spans)))

    assert kinds(trace)[-3:] == ["model_reply", "tool_call", "tool_result"]


def test_each_trace_of_a_file_is_a_run(tmp_path: Path) -> None:
    """Their spans stand between each other, in one document and over several lines."""
    other = [{**span, "traceId": "f" * 32} for span in a_billing_run()]
    mixed = [span for pair in zip(a_billing_run(), other, strict=True) for span in pair]
    random.Random(7).shuffle(mixed)  # noqa: S311  only an order

    whole = imported(tmp_path, *mixed)
    lines = list(
        read_source(write_lines(tmp_path / "l.jsonl", *(a_document(span) for span in mixed)))
    )
    listed = list(
        read_source(
            write_file(
                tmp_path / "a.json", json.dumps([a_document(span) for span in mixed]).encode()
            )
        )
    )

    for runs in (whole, lines, listed):
        assert {run.run_id for run in runs} == {TRACE, "f" * 32}
        assert all(kinds(trace_of(run)) == KINDS for run in runs)


def test_a_record_is_an_otlp_document_of_one_span(tmp_path: Path) -> None:
    """What the store keeps of a run can be read again, with resource and scope."""
    document = json.dumps(a_document(*a_billing_run()), indent=2)
    (run,) = read_source(write_file(tmp_path / "a.json", document.encode()))

    text_kept = run.raw.decode()
    first = json.JSONDecoder().raw_decode(text_kept)[0]
    assert len(first["resourceSpans"][0]["scopeSpans"][0]["spans"]) == 1
    assert first["resourceSpans"][0]["resource"]["attributes"][0]["key"] == "service.name"
    assert text_kept.count("service.name") == 4
    again = list(read_source(write_file(tmp_path / "b.json", json.dumps(first).encode())))
    assert [one.run_id for one in again] == [TRACE]


def test_late_spans_in_another_file_of_one_command_make_one_run(tmp_path: Path) -> None:
    """Exporters flush in batches; a trace ends where its last span ends."""
    spans = a_billing_run()
    first = write_lines(tmp_path / "1.jsonl", a_document(*spans[2:]))
    second = write_lines(tmp_path / "2.jsonl", a_document(*spans[:2]))

    ((trace, losses),) = ingest_traces([first, second])

    assert kinds(trace) == KINDS
    assert lost(losses)["records_joined"] == 2


def test_a_span_that_comes_twice_counts_once(tmp_path: Path) -> None:
    """Exporters send again what was not acknowledged."""
    spans = a_billing_run()

    run = run_of(tmp_path, *spans, spans[2], {**spans[2], "attributes": []})

    assert kinds(trace_of(run)) == KINDS
    assert lost(run.losses)["spans_repeated"] == 2


def test_conversations_in_one_trace_stay_one_run(tmp_path: Path) -> None:
    """The trace is the run, and the report says that it holds several conversations."""
    spans = [
        a_chat(2, [ASK], [DONE], more={"gen_ai.conversation.id": "a"}),
        a_chat(3, [a_message("user", text("More"))], [DONE], more={"gen_ai.conversation.id": "b"}),
    ]

    run = run_of(tmp_path, *spans)

    assert trace_of(run).session == "a"
    assert lost(run.losses)["conversations_mixed"] == 2


def test_a_trace_without_an_agent_is_kept_and_unusable(tmp_path: Path) -> None:
    """Web servers write to the same file; nothing of it is lost or taken for an agent."""
    run = run_of(tmp_path, a_span(1, {"http.request.method": "GET"}))

    assert trace_of(run).events == ()
    assert run.losses.grade is Grade.UNUSABLE
    assert "no_agent_spans" in lost(run.losses)


def test_a_failed_root_is_a_failed_run(tmp_path: Path) -> None:
    """The recorder says so."""
    root = {**a_billing_run()[0], "status": FAILED}

    assert trace_of(run_of(tmp_path, root, *a_billing_run()[1:])).status is RunStatus.FAILED
    assert trace_of(run_of(tmp_path, *a_billing_run())).status is RunStatus.UNKNOWN


# --- how the wire may be written -------------------------------------------------


@pytest.mark.parametrize("code", [2, "2", "STATUS_CODE_ERROR", "ERROR"])
def test_an_error_status_is_a_number_or_a_name(tmp_path: Path, code: Json) -> None:
    """JSON allows both."""
    spans = [
        a_chat(2, [ASK], [a_message("assistant", call("c1", "pause", {}))]),
        a_tool(3, "pause", given="c1", start_ms=9, status={"code": code, "message": "504: later"}),
    ]

    trace = trace_of(run_of(tmp_path, *spans))

    result = next(event for event in trace.events if isinstance(event, ToolResult))
    assert result.error is not None
    assert result.error.message == "504: later"


def test_ids_in_base64_and_numbers_for_times_are_read(tmp_path: Path) -> None:
    """Protobuf's own JSON writes bytes in base64; some recorders write times as numbers."""
    span = a_chat(2, [ASK], [DONE])
    span["traceId"] = "CvdlGRbNQ92ESOshHIAxnA=="
    span["spanId"] = "AAAAAAAAAAI="
    span["startTimeUnixNano"] = 1_796_042_081_000_000_000

    run = run_of(tmp_path, span)

    trace = trace_of(run)
    request = next(event for event in trace.events if isinstance(event, ModelRequest))
    assert run.run_id == "0af7651916cd43dd8448eb211c80319c"
    assert request.at == "2026-11-30T12:34:41+00:00"


def test_a_span_without_times_stands_behind_the_one_before(tmp_path: Path) -> None:
    """It is imported, and no time is made up."""
    spans = a_billing_run()[1:]
    for span in spans:
        del span["startTimeUnixNano"], span["endTimeUnixNano"]

    run = run_of(tmp_path, *spans)

    assert kinds(trace_of(run)) == KINDS
    assert "no_timestamps" in lost(run.losses)


def test_a_ring_of_parents_ends(tmp_path: Path) -> None:
    """A hostile file must not hang."""
    one = a_chat(2, [ASK], [DONE])
    two = a_tool(3, "pause", result="ok", parent=2)
    one["parentSpanId"] = two["spanId"]

    assert "model_reply" in kinds(trace_of(run_of(tmp_path, one, two)))


@pytest.mark.parametrize(
    "document",
    [
        {"resourceSpans": []},
        {"resourceSpans": [{}]},
        {"resourceSpans": [None, 3, {"scopeSpans": "x"}, {"scopeSpans": [7, {"spans": {}}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": []}]}], "resourceLogs": []},
    ],
)
def test_a_document_without_spans_is_refused(tmp_path: Path, document: Json) -> None:
    """One line that says so."""
    with pytest.raises(TraceFormatError, match=r"empty list|holds no trace"):
        list(read_source(write_file(tmp_path / "a.json", json.dumps(document).encode())))


@pytest.mark.parametrize("span", [None, 3, "x", [], {}, {"attributes": 3, "events": [1, {}]}])
def test_a_span_of_any_shape_is_kept(tmp_path: Path, span: Json) -> None:
    """Nothing of it is read, all of it is stored, and nothing crashes."""
    document = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}

    (run,) = read_source(write_file(tmp_path / "a.json", json.dumps(document).encode()))

    assert run.losses.grade is Grade.UNUSABLE
    assert json.loads(run.raw) == document


# --- ids, arguments, results -----------------------------------------------------


def a_turn(*parts: JsonMap, results: tuple[JsonMap, ...] = ()) -> list[JsonMap]:
    """A request that asks for calls, and the one that shows their results."""
    asked = a_message("assistant", *parts)
    return [
        a_chat(2, [ASK], [asked], start_ms=10),
        a_chat(4, [ASK, asked, a_message("tool", *results)], [DONE], start_ms=50),
    ]


def test_parallel_calls_keep_the_order_of_the_reply(tmp_path: Path) -> None:
    """Which span began first says nothing: they differ by less than the clock."""
    spans = [
        *a_turn(call("c1", "look", {"n": 1}), call("c2", "look", {"n": 2})),
        a_tool(5, "look", given="c2", result="two", start_ms=20, end_ms=21),
        a_tool(6, "look", given="c1", result="one", start_ms=20, end_ms=30),
    ]

    trace = trace_of(run_of(tmp_path, *spans))

    assert [one[0] for one in calls(trace)] == ["c1", "c2"]
    assert list(results(trace).items()) == [("c2", "two"), ("c1", "one")]  # as they completed
    assert {event.turn for event in trace.events if isinstance(event, ToolCall)} == {1}


def test_calls_without_ids_are_paired_by_tool_and_arguments(tmp_path: Path) -> None:
    """Every call gets an id of ours, and the report says how results were paired."""
    spans = [
        *a_turn(call(None, "look", {"n": 1}), call("", "look", {"n": 2})),
        a_tool(5, "look", args='{"n": 2}', result="two", start_ms=20),
        a_tool(6, "look", args='{"n":1}', result="one", start_ms=21),
    ]

    run = run_of(tmp_path, *spans)

    trace = trace_of(run)
    found = [event for event in trace.events if isinstance(event, ToolCall)]
    assert [event.call_id_source for event in found] == [CallIdSource.SYNTHESISED] * 2
    texts = results(trace)
    assert [texts[event.call_id] for event in found] == ["one", "two"]
    assert lost(run.losses)["call_ids_synthesised"] == 2


def test_a_reused_id_gets_one_of_ours(tmp_path: Path) -> None:
    """Some providers number calls anew in each turn."""
    first = a_message("assistant", call("c1", "look", {"n": 1}))
    second = a_message("assistant", call("c1", "look", {"n": 2}))
    one, two = (a_message("tool", answer("c1", text)) for text in ("one", "two"))
    spans = [
        a_chat(2, [ASK], [first], start_ms=10),
        a_chat(3, [ASK, first, one], [second], start_ms=20),
        a_chat(4, [ASK, first, one, second, two], [DONE], start_ms=30),
    ]

    run = run_of(tmp_path, *spans)

    trace = trace_of(run)
    assert len({given for given, _, _ in calls(trace)}) == 2
    assert list(results(trace).values()) == ["one", "two"]
    assert lost(run.losses)["call_ids_synthesised"] == 1


def test_a_call_without_a_result_is_missing(tmp_path: Path) -> None:
    """The run was interrupted; nobody makes a result up."""
    run = run_of(tmp_path, a_turn(call("c1", "pause", {}))[0])

    assert results(trace_of(run)) == {}
    assert lost(run.losses)["results_missing"] == 1
    assert run.losses.grade is Grade.NEEDS_FIXTURES


def test_results_without_tool_spans_come_from_the_next_request(tmp_path: Path) -> None:
    """Clients trace no tools; the report says what such results lack."""
    run = run_of(tmp_path, *a_turn(call("c1", "pause", {}), results=(answer("c1", "done"),)))

    assert results(trace_of(run)) == {"c1": "done"}
    assert lost(run.losses)["tool_spans_missing"] == 1


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ('{"account": "AC-1"', "args_not_json"),
        ("{'account': 'AC-1', 'hard': True}", "args_as_literal"),
        ('{"account":  "AC-1" , "n": 1.0e2}', None),
    ],
)
def test_arguments_keep_their_bytes(tmp_path: Path, arguments: str, kind: str | None) -> None:
    """Malformed JSON may be the bug, and spaces may be the difference."""
    run = run_of(tmp_path, *a_turn(call("c1", "pause", arguments)))

    assert calls(trace_of(run)) == [("c1", "pause", arguments)]
    assert kind is None or lost(run.losses)[kind] == 1


def test_arguments_as_a_structure_keep_the_text_of_the_attribute(tmp_path: Path) -> None:
    """They stand in JSON inside a text; that text is the recorder's own."""
    reply = '[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"p","arguments":{"a" : 1.50}}]}]'

    run = run_of(tmp_path, a_chat(2, [ASK], [], more={"gen_ai.output.messages": reply}))

    assert calls(trace_of(run)) == [("c", "p", '{"a" : 1.50}')]
    assert "args_not_exact" not in lost(run.losses)


def test_messages_may_be_structures(tmp_path: Path) -> None:
    """The convention allows both; a structure has no text of its own, which is named."""
    more: JsonMap = {
        "gen_ai.input.messages": [ASK],
        "gen_ai.output.messages": [a_message("assistant", call("c1", "pause", {"a": 1}))],
    }

    run = run_of(tmp_path, a_chat(2, [], [], more=more))

    assert calls(trace_of(run)) == [("c1", "pause", '{"a":1}')]
    assert lost(run.losses)["args_not_exact"] == 1


# --- errors ----------------------------------------------------------------------


def test_an_error_is_taken_from_the_exception(tmp_path: Path) -> None:
    """Its type, its text and the status that drives retries; no stack."""
    exception: JsonMap = {
        "name": "exception",
        "attributes": attributes(
            {"exception.type": "TimeoutError", "exception.message": "504: retry-after=2"}
        ),
    }
    spans = [
        *a_turn(call("c1", "pause", {})),
        a_tool(
            5,
            "pause",
            given="c1",
            more={"error.type": "504"},
            start_ms=20,
            events=[exception],
            status={"code": 2, "message": "Traceback (most recent call last) ..."},
        ),
    ]

    trace = trace_of(run_of(tmp_path, *spans))

    result = next(event for event in trace.events if isinstance(event, ToolResult))
    assert result.error is not None
    assert result.error.type == "TimeoutError"
    assert result.error.message == "504: retry-after=2"


def test_an_error_without_a_text_blocks_incidents_of_retries(tmp_path: Path) -> None:
    """Without it nobody knows whether the call may be made again."""
    spans = [
        *a_turn(call("c1", "pause", {})),
        a_tool(5, "pause", given="c1", more={"error.type": "504"}, start_ms=20, status=FAILED),
    ]

    run = run_of(tmp_path, *spans)

    result = next(e for e in trace_of(run).events if isinstance(e, ToolResult))
    assert result.error is not None
    assert result.error.status == 504
    loss = loss_of(run, "error_body_missing")
    assert "blocks incidents about retries" in loss.note
    assert loss.caps is Grade.NEEDS_FIXTURES


def test_a_failed_request_has_no_reply(tmp_path: Path) -> None:
    """The model never answered; a reply would be made up."""
    failed = a_chat(2, [ASK], [])
    failed["status"] = {"code": 2}

    assert "model_reply" not in kinds(trace_of(run_of(tmp_path, failed)))


# --- what recorders leave out ----------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "setting"),
    [
        ("demo", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"),
        ("agent_framework", "ENABLE_SENSITIVE_DATA=true"),
        ("opentelemetry.instrumentation.openai.v1", "TRACELOOP_TRACE_CONTENT=true"),
        ("opentelemetry.util.genai.handler", "OTEL_SEMCONV_STABILITY_OPT_IN"),
        ("opentelemetry.instrumentation.openai_v2", "log records"),
        ("pydantic-ai", "include_content=True"),
    ],
)
def test_content_that_was_not_captured_leaves_a_skeleton(
    tmp_path: Path, scope: str, setting: str
) -> None:
    """Counts, order and tokens remain; the report names the setting of this very library."""
    found: JsonMap = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.output_tokens": 3,
    }

    run = run_of(tmp_path, a_span(2, found), scope=scope)

    reply = next(event for event in trace_of(run).events if isinstance(event, ModelReply))
    assert reply.finish_reason == "stop"
    assert reply.usage is not None
    assert reply.usage.output_tokens == 3
    assert setting in loss_of(run, "content_off").fix
    assert run.losses.grade is Grade.SKELETON


def test_a_tool_that_answered_without_content_is_named(tmp_path: Path) -> None:
    """It ended, so it is not missing; what it answered is."""
    spans = [
        a_turn(call("c1", "pause", {}))[0],
        a_tool(5, "pause", given="c1", start_ms=20),
    ]

    run = run_of(tmp_path, *spans)

    result = next(e for e in trace_of(run).events if isinstance(e, ToolResult))
    assert result.result_raw is None
    assert result.result is ABSENT
    assert "set OTEL_" in loss_of(run, "results_not_captured").fix
    assert run.losses.grade is Grade.NEEDS_FIXTURES


def cut(spans: list[JsonMap], limit: int) -> list[JsonMap]:
    """Cut every text of every span, as a limit on attributes does."""

    def shorter(node: Json) -> Json:
        match node:
            case {"stringValue": str(value)}:
                return {"stringValue": value[:limit]}
            case list():
                return [shorter(item) for item in node]
            case dict():
                return {key: shorter(item) for key, item in node.items()}
            case _:
                return node

    found = [shorter(span) for span in spans]
    return [span for span in found if isinstance(span, dict)]


def test_attributes_cut_at_200_characters_are_truncated(tmp_path: Path) -> None:
    """The limit leaves no mark: JSON that ends in the middle, and the common length, tell it."""
    long = a_message("user", text("Pause my plan. " * 40))
    spans = [
        a_chat(2, [long], [DONE], start_ms=1),
        a_chat(3, [long, DONE, ASK], [DONE], start_ms=2),
    ]

    run = run_of(tmp_path, *cut(spans, 200))

    loss = loss_of(run, "truncated")
    assert loss.count == 1  # both are cut to one text
    assert "cut at 200 characters" in loss.note
    assert "raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT" in loss.fix
    assert loss.caps is Grade.NEEDS_FIXTURES
    assert "truncated" not in lost(run_of(tmp_path, *spans).losses)


def test_json_that_ends_in_the_middle_is_truncated(tmp_path: Path) -> None:
    """Also at a length that nobody usually sets."""
    run = run_of(tmp_path, *cut([a_chat(2, [ASK], [DONE])], 61))

    assert "ends in the middle" in loss_of(run, "truncated").note


def test_dropped_attributes_are_named(tmp_path: Path) -> None:
    """The recorder counts them."""
    span = a_chat(2, [ASK], [DONE])
    span["droppedAttributesCount"] = 4

    assert lost(run_of(tmp_path, span).losses)["attributes_dropped"] == 4


# --- one thing told twice ----------------------------------------------------------


def test_tokens_are_those_of_requests_only(tmp_path: Path) -> None:
    """Agents sum them up; adding both would count them twice."""
    spans = a_billing_run()
    spans[0]["attributes"] = attributes(
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 9999}
    )

    trace = trace_of(run_of(tmp_path, *spans))

    usages = [event.usage for event in trace.events if isinstance(event, ModelReply)]
    assert sum(usage.input_tokens or 0 for usage in usages if usage) == 20


@pytest.mark.parametrize("inner_has_content", [True, False])
def test_a_request_inside_a_request_is_one(tmp_path: Path, inner_has_content: bool) -> None:  # noqa: FBT001  a parameter of the test
    """A framework and the client below it are both instrumented; the fuller one counts."""
    inner = a_chat(3, [ASK], [DONE])
    if not inner_has_content:
        inner = a_span(3, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"})
    inner["parentSpanId"] = f"{2:016x}"

    trace = trace_of(run_of(tmp_path, a_chat(2, [ASK], [DONE]), inner))

    assert kinds(trace) == ["user_message", "model_request", "model_reply", "claim"]


def test_an_mcp_call_inside_an_execution_is_one_call(tmp_path: Path) -> None:
    """Client, server and framework each write a span; what only one of them knows is kept."""
    mcp: JsonMap = {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "pause",
        "gen_ai.operation.name": "execute_tool",
    }
    spans = [
        *a_turn(call("c1", "pause", {"a": 1})),
        a_tool(5, "pause", given="c1", start_ms=20, end_ms=40),
        a_span(6, {**mcp, "gen_ai.tool.call.result": "done"}, parent=5, start_ms=21),
        a_span(7, mcp, parent=6, start_ms=22, kind=2),
    ]

    run = run_of(tmp_path, *spans)

    trace = trace_of(run)
    assert len(calls(trace)) == 1
    assert results(trace) == {"c1": "done"}
    assert next(e for e in trace.events if isinstance(e, ToolResult)).latency_ms == 20


def test_mcp_alone_is_read_too(tmp_path: Path) -> None:
    """A client that only its MCP library instruments still shows its calls, not its handshake."""
    spans = [
        a_span(2, {"mcp.method.name": "initialize"}),
        a_span(
            3,
            {
                "mcp.method.name": "tools/call",
                "mcp.request.argument": '{"name": "pause", "arguments": {"a": 1}}',
            },
            name="tools/call pause",
            start_ms=5,
        ),
    ]

    run = run_of(tmp_path, *spans)

    assert [one[1] for one in calls(trace_of(run))] == ["pause"]
    assert lost(run.losses)["calls_unasked"] == 1


# --- log records -------------------------------------------------------------------


def test_messages_in_log_records_are_tied_to_their_span(tmp_path: Path) -> None:
    """Until 1.36 the span has only names and counts."""
    found: JsonMap = {"gen_ai.operation.name": "chat", "gen_ai.system": "openai"}
    asked: Json = {
        "id": "c1",
        "type": "function",
        "function": {"name": "pause", "arguments": "{}"},
    }
    logs = (
        a_log("gen_ai.user.message", {"content": "Pause my plan."}, span=2, at_ms=1),
        a_log(
            "gen_ai.choice",
            {"index": 0, "finish_reason": "tool_calls", "message": {"tool_calls": [asked]}},
            span=2,
            at_ms=2,
        ),
        a_log("gen_ai.user.message", {"content": "Pause my plan."}, span=4, at_ms=9),
        a_log("gen_ai.assistant.message", {"tool_calls": [asked]}, span=4, at_ms=9),
        a_log("gen_ai.tool.message", {"id": "c1", "content": "done"}, span=4, at_ms=9),
        a_log("gen_ai.choice", {"index": 0, "message": {"content": "Paused."}}, span=4, at_ms=11),
    )
    spans = [a_span(2, found, start_ms=1), a_span(4, found, start_ms=9)]

    both = trace_of(run_of(tmp_path, *spans, logs=logs))
    alone = trace_of(run_of(tmp_path, logs=logs))

    for trace in (both, alone):
        assert kinds(trace) == KINDS
        assert results(trace) == {"c1": "done"}
        assert [e.text for e in trace.events if isinstance(e, Claim)] == ["Paused."]


def test_an_event_in_no_known_form_is_counted(tmp_path: Path) -> None:
    """A choice whose call has no name is no call."""
    body: JsonMap = {"message": {"tool_calls": [{"function": {}}]}}

    run = run_of(tmp_path, logs=(a_log("gen_ai.choice", body, span=2),))

    assert lost(run.losses)["events_unreadable"] == 1


def test_the_event_of_a_whole_request_counts_as_its_attributes(tmp_path: Path) -> None:
    """`EVENT_ONLY` writes messages to one log record."""
    more: JsonMap = {
        "gen_ai.input.messages": json.dumps([ASK]),
        "gen_ai.output.messages": json.dumps([DONE]),
    }
    log = a_log("gen_ai.client.inference.operation.details", None, span=2)
    log["attributes"] = attributes(more)
    span = a_span(2, {"gen_ai.operation.name": "chat"})

    trace = trace_of(run_of(tmp_path, span, logs=(log,)))

    assert kinds(trace) == ["user_message", "model_request", "model_reply", "claim"]


def test_events_of_spans_hold_messages_too(tmp_path: Path) -> None:
    """Azure's SDKs keep them in an attribute of an event."""
    contents: dict[str, Json] = {
        "gen_ai.user.message": {"content": "Pause my plan."},
        "gen_ai.choice": {"message": {"content": "Paused."}, "finish_reason": "stop"},
    }
    events: list[Json] = [
        {
            "name": name,
            "attributes": attributes({"gen_ai.event.content": json.dumps(content)}),
        }
        for name, content in contents.items()
    ]

    trace = trace_of(run_of(tmp_path, a_span(2, {"gen_ai.system": "az"}, events=events)))

    assert kinds(trace) == ["user_message", "model_request", "model_reply", "claim"]


def test_records_as_the_sdk_prints_them_are_read(tmp_path: Path) -> None:
    """`ConsoleSpanExporter` and `to_json` are how people first look at spans."""
    span: JsonMap = {
        "name": "chat m-1",
        "context": {"trace_id": f"0x{TRACE}", "span_id": "0x00000000000000aa", "trace_state": "[]"},
        "kind": "SpanKind.CLIENT",
        "parent_id": None,
        "start_time": "2026-11-30T12:00:00.000000Z",
        "end_time": "2026-11-30T12:00:01.000000Z",
        "status": {"status_code": "UNSET"},
        "attributes": {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"},
        "events": [],
        "resource": {"attributes": {"service.version": "7"}, "schema_url": ""},
    }
    log: JsonMap = {
        "body": {"content": "Pause my plan."},
        "attributes": {"gen_ai.system": "openai"},
        "timestamp": None,
        "observed_timestamp": "2026-11-30T12:00:00.100000Z",
        "trace_id": f"0x{TRACE}",
        "span_id": "0x00000000000000aa",
        "event_name": "gen_ai.user.message",
    }

    (run,) = read_source(write_lines(tmp_path / "a.jsonl", log, span))

    assert kinds(trace_of(run)) == ["user_message", "model_request", "model_reply"]
    assert trace_of(run).versions.agent == "7"
