"""Anthropic messages: blocks, results inside user messages, the provider's own tools."""

from __future__ import annotations

import pytest

from tests.ingest.samples import an_anthropic_chat, kinds, lost, read_as
from workbench.casefile.trace import trace_document
from workbench.errors import TraceFormatError
from workbench.model.event import (
    CallError,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolResult,
    Usage,
)
from workbench.model.jsonvalue import ABSENT, Json, JsonMap
from workbench.model.trace import Grade, Tool


def chat(*messages: Json) -> JsonMap:
    """A conversation after a first user message."""
    return {"messages": [{"role": "user", "content": "go"}, *messages]}


def test_blocks_become_events_in_order() -> None:
    """A result stands in a user message, which is no user's message; thinking is dropped."""
    trace, losses = read_as("anthropic_messages", an_anthropic_chat())

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    call, result = trace.events[4:6]
    assert isinstance(call, ToolCall)
    assert isinstance(result, ToolResult)
    assert call.args == {"account": "AC-1"}
    assert call.source_ref == "messages.1.content.2"
    assert result.error == CallError(message="504 after 30 s")
    assert result.result_raw == "504 after 30 s"
    assert result.outcome is None
    assert "which account?" not in str(trace_document(trace))
    assert losses.grade is Grade.REPLAYABLE


def test_a_text_beside_results_stays_in_its_place() -> None:
    """What the user said after a result was said after it."""
    record = chat(
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "a"}]},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "wait"},
                {
                    "type": "tool_result",
                    "tool_use_id": "t",
                    "content": [{"type": "text", "text": "1"}],
                },
                {"type": "text", "text": "and?"},
                {"type": "image", "source": {}},
            ],
        },
    )

    trace, losses = read_as("anthropic_messages", record)

    assert kinds(trace)[3:] == ["user_message", "tool_result", "user_message"]
    assert getattr(trace.events[-1], "text", None) == "and?"
    assert lost(losses)["parts_dropped"] == 1
    assert lost(losses)["args_missing"] == 1


def test_the_providers_own_tools_answer_inside_the_reply() -> None:
    """A text behind the answer is a second reply, or it would stand before what it reports."""
    record = chat(
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Searching."},
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "x"}},
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": {"hits": 0}},
                {"type": "text", "text": "Nothing found."},
            ],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 3, "output_tokens": 4, "cache_read_input_tokens": 1},
        }
    )

    trace, _ = read_as("anthropic_messages", record)

    assert kinds(trace)[1:] == [
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    replies = [event for event in trace.events if isinstance(event, ModelReply)]
    assert [reply.finish_reason for reply in replies] == [None, "end_turn"]
    assert replies[1].usage == Usage(input_tokens=3, output_tokens=4, cached_tokens=1)
    assert [event.result for event in trace.events if isinstance(event, ToolResult)] == [
        {"hits": 0}
    ]


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_request_with_its_response_is_one_run(wrapped: bool) -> None:  # noqa: FBT001  a parameter of the test
    """The response carries id, model and the last reply."""
    request: JsonMap = {
        "model": "claude-x",
        "max_tokens": 99,
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [{"role": "user", "content": "hi"}],
        "tools": [{"name": "a", "description": "does a", "input_schema": {"type": "object"}}],
        "metadata": {"session_id": "s-9"},
    }
    response: JsonMap = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x-2026",
        "content": [{"type": "tool_use", "id": "t", "name": "a", "input": '{"n": 1'}],
        "stop_reason": "tool_use",
    }
    record: JsonMap = (
        {"request": request, "response": response} if wrapped else {**request, "response": response}
    )

    trace, _ = read_as("anthropic_messages", record)

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_request",
        "model_reply",
        "tool_call",
    ]
    sent, call = trace.events[2], trace.events[4]
    assert isinstance(sent, ModelRequest)
    assert isinstance(call, ToolCall)
    assert (sent.offered_tools, sent.settings) == (("a",), {"max_tokens": 99})
    assert (call.args_raw, call.args) == ('{"n": 1', ABSENT)
    assert (trace.run_id, trace.session) == ("msg_1", "s-9")
    assert trace.versions.model == "claude-x-2026"
    assert trace.tools == (Tool(name="a", description="does a", schema={"type": "object"}),)


def test_a_list_of_messages_may_begin_with_a_system_message() -> None:
    """Some recorders put it there."""
    trace, _ = read_as("anthropic_messages", [{"role": "system", "content": "Be brief."}])

    assert kinds(trace) == ["system_message"]


@pytest.mark.parametrize(
    ("message", "where"),
    [
        ({"role": "tool"}, "messages.1.role"),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t"}]},
            "messages.1.content.0.name",
        ),
        ({"role": "assistant", "content": 5}, "messages.1.content"),
        ({"role": "user", "content": [5]}, "messages.1.content.0"),
    ],
)
def test_a_wrong_part_is_named(message: Json, where: str) -> None:
    """The place leads to it."""
    with pytest.raises(TraceFormatError) as error:
        read_as("anthropic_messages", chat(message))

    assert error.value.key == where
