"""AutoGen: streams, results and saved states of agent chats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import kinds, lost, read, read_as, write_lines
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import (
    CallError,
    Change,
    Claim,
    ContextChange,
    ModelReply,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap


def a_message(kind: str, content: Json, **more: Json) -> JsonMap:
    """A message or an event of the chat."""
    return {"type": kind, "source": "billing", "content": content, **more}


def a_stream() -> list[Json]:
    """Task, one call that fails, the answer, and the result that repeats them."""
    messages: list[Json] = [
        a_message("TextMessage", "Pause it.", source="user", id="1"),
        a_message("ThoughtEvent", "I should pause it.", id="2"),
        a_message(
            "ToolCallRequestEvent",
            [{"id": "c1", "name": "pause", "arguments": '{"id": 1}'}],
            id="3",
            models_usage={"prompt_tokens": 5, "completion_tokens": 2},
            created_at="2026-01-01T00:00:00Z",
        ),
        a_message(
            "ToolCallExecutionEvent",
            [{"call_id": "c1", "name": "pause", "content": "504", "is_error": True}],
            id="4",
        ),
        a_message("TextMessage", "It is paused.", id="5"),
    ]
    return [*messages, {"type": "TaskResult", "messages": messages, "stop_reason": "done"}]


def test_a_stream_is_a_run(tmp_path: Path) -> None:
    """The result at its end repeats the messages; each counts once."""
    (run,) = read(write_lines(tmp_path / "run.jsonl", *a_stream()))

    assert run.trace is not None
    assert kinds(run.trace) == [
        "user_message",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    (call,) = (event for event in run.trace.events if isinstance(event, ToolCall))
    assert (call.agent, call.args_raw, call.at) == ("billing", '{"id": 1}', "2026-01-01T00:00:00Z")
    (result,) = (event for event in run.trace.events if isinstance(event, ToolResult))
    assert result.error == CallError(message="504")
    reply = run.trace.events[1]
    assert isinstance(reply, ModelReply)
    assert reply.usage == Usage(input_tokens=5, output_tokens=2)
    assert run.trace.labels == {"stop_reason": "done"}
    assert lost(run.losses) == {"system_missing": 1, "tools_not_listed": 1}


def test_a_result_alone_is_a_run_with_or_without_ids() -> None:
    """`TaskResult.model_dump()` is what `run` returns; old messages have no ids."""
    messages: list[Json] = [
        {key: value for key, value in message.items() if key != "id"}  # type: ignore[union-attr]
        for message in a_stream()[:-1]
    ]
    alone, _ = read_as("autogen_stream", [{"messages": messages, "stop_reason": None}])
    after, _ = read_as("autogen_stream", [*messages, {"messages": messages, "stop_reason": None}])
    stream, _ = read_as("autogen_stream", a_stream())

    assert kinds(alone) == kinds(after) == kinds(stream)


def test_who_is_asked_for_input_is_a_person() -> None:
    """A proxy of a user may have any name."""
    trace, _ = read_as(
        "autogen_stream",
        [
            a_message("TextMessage", "Hello.", source="user"),
            a_message("UserInputRequestedEvent", "", source="Ada", request_id="r"),
            a_message("TextMessage", "Yes.", source="Ada"),
            a_message("TextMessage", "Bye.", source="bot"),
        ],
    )

    users = [event.text for event in trace.events if isinstance(event, UserMessage)]
    assert users == ["Hello.", "Yes."]


def test_every_kind_of_message_has_its_meaning() -> None:
    """Hand-offs change the context, summaries are shown though no model wrote them."""
    trace, losses = read_as(
        "autogen_stream",
        [
            a_message("MultiModalMessage", ["Look:", {"data": "x"}], source="user"),
            a_message("HandoffMessage", "Over to refunds.", target="refunds"),
            a_message("StructuredMessage[Plan]", {"steps": 1}, source="refunds"),
            a_message("ToolCallSummaryMessage", "pending", source="refunds"),
            a_message("StopMessage", None),
            a_message("MemoryQueryEvent", []),
        ],
    )

    assert kinds(trace) == [
        "user_message",
        "context_change",
        "claim",
        "model_reply",
        "claim",
        "claim",
        "model_reply",
    ]
    (change,) = (event for event in trace.events if isinstance(event, ContextChange))
    assert (change.change, change.before, change.after) == (Change.HAND_OFF, "billing", "refunds")
    claims = [event.text for event in trace.events if isinstance(event, Claim)]
    assert claims == ["Over to refunds.", '{"steps":1}', "pending"]
    assert lost(losses)["parts_dropped"] == 1


@pytest.mark.parametrize("code", [0, 1])
def test_a_code_executor_is_a_tool_that_nobody_named(code: int) -> None:
    """Its exit code is the error mark."""
    trace, losses = read_as(
        "autogen_stream",
        [
            a_message("CodeGenerationEvent", "Run it.", code_blocks=[{"code": "1/0"}]),
            a_message("CodeExecutionEvent", None, result={"exit_code": code, "output": "?"}),
        ],
    )

    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert result.error == (CallError(type="exit_code", status=1) if code else None)
    assert lost(losses)["calls_written_as_text"] == 1


def test_a_result_may_be_no_text() -> None:
    """A tool's own structure stays one."""
    trace, _ = read_as(
        "autogen_stream",
        [
            a_message("ToolCallRequestEvent", [{"id": "c", "name": "t", "arguments": "{}"}]),
            a_message("ToolCallExecutionEvent", [{"call_id": "c", "content": {"ok": 1}}]),
        ],
    )

    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert result.result == {"ok": 1}


def a_context() -> list[Json]:
    """What an agent keeps for its model."""
    return [
        {"type": "SystemMessage", "content": "You pause things."},
        {"type": "UserMessage", "content": "Pause it.", "source": "user"},
        {
            "type": "AssistantMessage",
            "content": [{"id": "c1", "name": "pause", "arguments": "{}"}],
            "thought": "Let me see.",
            "source": "billing",
        },
        {
            "type": "FunctionExecutionResultMessage",
            "content": [{"call_id": "c1", "name": "pause", "content": "ok", "is_error": False}],
        },
        {"type": "AssistantMessage", "content": "Paused.", "source": "billing"},
    ]


def test_a_teams_thread_is_read_before_its_agents_contexts() -> None:
    """The thread has times and sources, and one order for all agents."""
    agent: JsonMap = {"agent_state": {"llm_context": {"messages": a_context()}}}
    state: JsonMap = {
        "type": "TeamState",
        "agent_states": {"billing": agent, "Manager": {"message_thread": a_stream()[:-1]}},
    }
    trace, _ = read_as("autogen_state", state)

    assert candidates(state) == ("autogen_state",)
    assert kinds(trace)[0] == "user_message"
    assert {event.agent for event in trace.events if isinstance(event, ToolCall)} == {"billing"}


@pytest.mark.parametrize("left", [0, 1])
def test_without_a_thread_the_longest_context_is_read(left: int) -> None:
    """The order among several contexts is not known; what is left out is counted."""
    inner: JsonMap = {"type": "AssistantAgentState", "llm_context": {"messages": a_context()}}
    other: JsonMap = {"agent_state": {"llm_context": {"messages": a_context()[:2]}}}
    state: JsonMap = {
        "type": "TeamState",
        "agent_states": {"a": other, "b": {"agent_state": inner}},
    }

    trace, losses = read_as("autogen_state", state if left else inner)

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    assert lost(losses).get("contexts_left_out", 0) == left
    assert candidates(inner) == ("autogen_state",)


def test_broken_messages_are_named() -> None:
    """The error says where."""
    call = a_message("ToolCallRequestEvent", [{"id": "c"}])
    with pytest.raises(TraceFormatError, match=r"0\.content\.0\.name is .*; expected a tool's"):
        read_as("autogen_stream", [call])
    with pytest.raises(TraceFormatError, match="agent_states hold no messages"):
        read_as("autogen_state", {"type": "TeamState", "agent_states": {}})


@pytest.mark.parametrize(
    "record",
    [
        {"type": "TextMessage", "content": "no source"},
        {"messages": [], "stop_reason": "x"},
        {"messages": [{"type": "other"}], "stop_reason": "x"},
        {"type": "TeamState", "agent_states": []},
        {"type": "AssistantAgentState"},
    ],
)
def test_what_only_looks_like_a_message_is_none(record: Json) -> None:
    """`type` and `messages` are common keys."""
    assert not {"autogen_stream", "autogen_state"} & set(candidates(record))
