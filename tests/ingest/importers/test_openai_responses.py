"""OpenAI Responses: items, requests with responses, approvals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import dumped, kinds, lost, read, read_as, write_file
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.canonical import args_digest
from workbench.model.event import (
    Decision,
    ModelReply,
    ModelRequest,
    Permission,
    ToolCall,
    ToolResult,
    Usage,
)

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap


def a_function_call(given: str, name: str, arguments: str) -> JsonMap:
    """An item by which the model asks for a call."""
    return {
        "type": "function_call",
        "call_id": given,
        "id": f"fc_{given}",
        "name": name,
        "arguments": arguments,
    }


def said(text: str) -> JsonMap:
    """A message of the model."""
    return {
        "type": "message",
        "role": "assistant",
        "id": "msg_1",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }


def items() -> list[Json]:
    """Task, a text with two calls, their results in another order, the answer."""
    return [
        {"role": "user", "content": "Pause AC-1."},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        said("One moment."),
        a_function_call("c1", "find", '{"account":  "AC-1"}'),
        a_function_call("c2", "pause", "{'account': 'AC-1'}"),
        {"type": "function_call_output", "call_id": "c2", "output": "paused"},
        {"type": "function_call_output", "call_id": "c1", "output": '{"ok": true}'},
        said("Paused."),
    ]


def test_a_list_of_items_is_one_run(tmp_path: Path) -> None:
    """A text and the calls beside it are one reply; reasoning is none."""
    (run,) = read(write_file(tmp_path / "items.json", dumped(items())))

    assert run.trace is not None
    assert run.trace.source is not None
    assert run.trace.source.format == "openai_responses"
    assert kinds(run.trace) == [
        "user_message",
        "model_reply",
        "claim",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
        "model_reply",
        "claim",
    ]
    calls = [event for event in run.trace.events if isinstance(event, ToolCall)]
    assert [call.args_raw for call in calls] == ['{"account":  "AC-1"}', "{'account': 'AC-1'}"]
    assert [call.args for call in calls] == [{"account": "AC-1"}] * 2
    assert lost(run.losses)["args_as_literal"] == 1
    results = [event for event in run.trace.events if isinstance(event, ToolResult)]
    assert [result.call_id for result in results] == ["c2", "c1"]


def a_request(**fields: Json) -> JsonMap:
    """What was sent."""
    return {
        "model": "model-x",
        "instructions": "You are a billing agent.",
        "input": items()[:-1],
        "temperature": 0.5,
        "tools": [{"type": "function", "name": "find", "parameters": {"type": "object"}}],
        "conversation": {"id": "conv-1"},
        "prompt": {"id": "p", "version": "4"},
        **fields,
    }


def a_response(*output: Json, **fields: Json) -> JsonMap:
    """What came back."""
    usage: JsonMap = {
        "input_tokens": 10,
        "output_tokens": 2,
        "input_tokens_details": {"cached_tokens": 4},
    }
    return {
        "object": "response",
        "id": "resp_1",
        "model": "model-x-2026",
        "status": "completed",
        "output": list(output),
        "usage": usage,
        **fields,
    }


def test_a_request_with_its_response_has_all_the_facts() -> None:
    """Settings, tools, tokens, versions, session."""
    record: JsonMap = {"request": a_request(), "response": a_response(said("Paused."))}

    trace, losses = read_as("openai_responses", record)

    assert candidates(record) == ("openai_responses",)
    assert (trace.run_id, trace.session) == ("resp_1", "conv-1")
    assert (trace.versions.model, trace.versions.prompt) == ("model-x-2026", "4")
    request, reply = trace.events[-3:-1]
    assert isinstance(request, ModelRequest)
    assert (request.model, request.offered_tools) == ("model-x", ("find",))
    assert request.settings == {"temperature": 0.5}
    assert isinstance(reply, ModelReply)
    assert reply.finish_reason == "stop"
    assert reply.usage == Usage(input_tokens=10, output_tokens=2, cached_tokens=4)
    assert set(lost(losses)) == {"args_as_literal", "no_timestamps"}


def test_a_response_alone_is_read() -> None:
    """Its request is not there, and so is the task."""
    record = a_response(a_function_call("c1", "find", "{}"), instructions="Be brief.")

    trace, losses = read_as("openai_responses", record)

    assert candidates(record) == ("openai_responses",)
    assert kinds(trace) == ["system_message", "model_request", "model_reply", "tool_call"]
    assert {"task_missing", "results_missing"} <= set(lost(losses))


def test_a_reply_that_was_cut_says_so() -> None:
    """`incomplete_details` is where the API tells it."""
    record: JsonMap = {
        **a_request(input="Pause AC-1."),
        "response": a_response(
            said("Pau"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
        ),
    }

    trace, losses = read_as("openai_responses", record)

    assert kinds(trace)[:2] == ["system_message", "user_message"]
    assert lost(losses)["reply_cut"] == 1


def test_approvals_are_permissions() -> None:
    """Asked by the model's call of a hosted tool, answered by the user."""
    request: JsonMap = {
        "type": "mcp_approval_request",
        "id": "mcpr_1",
        "name": "pause",
        "arguments": '{"account": "AC-1"}',
        "server_label": "billing",
    }
    answer: JsonMap = {
        "type": "mcp_approval_response",
        "approval_request_id": "mcpr_1",
        "approve": False,
    }
    unknown: JsonMap = {
        "type": "mcp_approval_response",
        "approval_request_id": "other",
        "approve": True,
    }
    record: list[Json] = [
        {"role": "user", "content": "Pause"},
        said("May I?"),
        request,
        answer,
        unknown,
    ]

    trace, _ = read_as("openai_responses", record)

    assert kinds(trace)[-3:] == ["permission"] * 3
    asked, denied, granted = (e for e in trace.events if isinstance(e, Permission))
    assert asked.decision is Decision.ASKED
    assert (asked.tool, asked.scope, asked.actor) == ("pause", "billing", None)
    assert asked.args_digest == args_digest({"account": "AC-1"})
    assert (denied.decision, denied.tool, denied.actor) == (Decision.DENIED, "pause", "user")
    assert (granted.decision, granted.tool) == (Decision.GRANTED, None)


def test_hosted_tools_are_calls() -> None:
    """OpenAI runs them: some items hold what came back, some do not."""
    record: list[Json] = [
        {"role": "user", "content": "Find"},
        {"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": "x"}},
        {"type": "mcp_call", "id": "m_1", "name": "find", "arguments": "{}", "output": "found"},
        {
            "type": "mcp_call",
            "id": "m_2",
            "name": "find",
            "arguments": "{}",
            "error": "KeyError: x",
        },
        said("Found."),
    ]

    trace, losses = read_as("openai_responses", record)

    calls = [event for event in trace.events if isinstance(event, ToolCall)]
    assert [call.tool for call in calls] == ["web_search", "find", "find"]
    assert calls[0].args == {"type": "search", "query": "x"}
    ok, failed = (event for event in trace.events if isinstance(event, ToolResult))
    assert ok.result_raw == "found"
    assert failed.error is not None
    assert failed.error.type == "KeyError"
    assert lost(losses)["results_missing"] == 1


def test_a_free_text_call_is_no_json() -> None:
    """Custom tools take any text."""
    record: list[Json] = [
        {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "select 1"},
        {"type": "custom_tool_call_output", "call_id": "c", "output": "1"},
    ]

    trace, losses = read_as("openai_responses", record)

    call = trace.events[1]
    assert isinstance(call, ToolCall)
    assert call.args_raw == "select 1"
    assert lost(losses)["args_not_json"] == 1


@pytest.mark.parametrize(
    ("record", "where"),
    [
        ([{"type": "function_call", "call_id": "c"}], "0.name"),
        ({"input": 5, "output": [said("x")]}, None),
        ([{"role": "assistant", "content": 5}], "0.content"),
    ],
)
def test_a_wrong_part_is_named(record: Json, where: str | None) -> None:
    """The place leads to it; an input that is none is not there."""
    if where is None:
        assert kinds(read_as("openai_responses", record)[0])[0] == "model_request"
        return
    with pytest.raises(TraceFormatError) as error:
        read_as("openai_responses", record)

    assert where in (error.value.key or "")


@pytest.mark.parametrize(
    "record",
    [
        [],
        [{"role": "user", "content": "hi"}],
        {"input": "hi"},
        {"input": [{"role": "user", "content": "hi"}], "output": "hello"},
        {"output": []},
        {"output": [{"type": "event"}]},
        None,
    ],
)
def test_other_records_are_not_taken(record: Json) -> None:
    """A list of plain messages is a chat; a common key alone decides nothing."""
    assert "openai_responses" not in candidates(record)
