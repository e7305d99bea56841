"""Langfuse: unsorted observations, texts that hold structures, tools typed SPAN."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from tests.ingest.exports import a_generation, an_observation, at_second
from tests.ingest.samples import an_openai_call, kinds, lost, read_as
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import (
    CallError,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

SYSTEM: JsonMap = {"role": "system", "content": "You are a billing agent."}
TASK: JsonMap = {"role": "user", "content": "Pause AC-1."}
ASKED: JsonMap = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        an_openai_call("c1", "find", '{"account": "AC-1"}'),
        an_openai_call("c2", "pause", '{"account": "AC-1"}'),
    ],
}
ANSWER: JsonMap = {"role": "assistant", "content": "Paused."}
FOUND: JsonMap = {"role": "tool", "tool_call_id": "c1", "content": "found"}
FAILED: JsonMap = {"role": "tool", "tool_call_id": "c2", "content": "Error: it failed"}
KINDS = [
    "system_message",
    "user_message",
    "model_request",
    "model_reply",
    "tool_call",
    "tool_call",
    "tool_result",
    "tool_result",
    "model_request",
    "model_reply",
    "claim",
]


def observations() -> list[Json]:
    """Two requests as JSON texts, a tool typed SPAN, one that failed, and the agent around."""
    return [
        an_observation("agent", 0, 9),
        a_generation("g1", 1, json.dumps([SYSTEM, TASK]), json.dumps(ASKED), usageDetails={}),
        an_observation(
            "find", 2, 3, input="{'account': 'AC-1'}", output="found", parentObservationId="agent"
        ),
        an_observation(
            "pause",
            2,
            4,
            type="TOOL",
            input='{"account": "AC-1"}',
            level="ERROR",
            statusMessage="TimeoutError('504')",
            parentObservationId="agent",
        ),
        a_generation(
            "g2",
            5,
            json.dumps([SYSTEM, TASK, ASKED, FOUND, FAILED]),
            json.dumps(ANSWER),
            usageDetails={"input": 20, "output": 3, "input_cache_read": 7},
            modelParameters={"temperature": 0.5, "max_tokens": "null"},
            promptName="pause",
            promptVersion=4,
        ),
    ]


def export(*items: Json, **about: Json) -> JsonMap:
    """An export of one trace."""
    trace: JsonMap = {"id": "lf-1", "name": "agent", **about}
    return {"trace": trace, "observations": list(items)}


@given(order=st.permutations(range(5)))
def test_observations_in_any_order_are_the_same_run(order: list[int]) -> None:
    """The export is unsorted; start, then depth decide."""
    items = observations()

    trace, losses = read_as("langfuse", export(*(items[at] for at in order)))

    assert kinds(trace) == KINDS
    assert trace.run_id == "lf-1"
    assert lost(losses) == {"tools_not_listed": 2}


def test_what_the_trace_says_is_kept() -> None:
    """Session, tags, versions and scores are how candidates are found."""
    scores: list[Json] = [
        {"name": "correct", "value": 0},
        {"name": "mood", "value": None, "stringValue": "sad"},
        {"value": 1},
    ]
    record = export(
        *observations(), sessionId="s-1", tags=["eu", 5], release="r9", scores=scores, userId="u"
    )

    trace, _ = read_as("langfuse", record)

    assert trace.session == "s-1"
    assert trace.tags == ("eu",)
    assert (trace.versions.agent, trace.versions.prompt) == ("r9", "pause@4")
    assert trace.labels == {"scores": {"correct": 0, "mood": "sad"}}


def test_a_tools_error_and_text_are_both_kept() -> None:
    """The error is the span's, the text the one that the model saw."""
    trace, _ = read_as("langfuse", export(*observations()))

    found, failed = (event for event in trace.events if isinstance(event, ToolResult))
    assert (found.result_raw, found.latency_ms) == ("found", 1000)
    assert failed.result_raw == "Error: it failed"
    assert failed.error == CallError(type="TimeoutError", message="TimeoutError('504')")


def test_a_request_has_its_settings_and_tokens() -> None:
    """A setting that is null as a text was not set."""
    trace, _ = read_as("langfuse", export(*observations()))

    request, reply = trace.events[-3:-1]
    assert isinstance(request, ModelRequest)
    assert request.settings == {"temperature": 0.5}
    assert isinstance(reply, ModelReply)
    assert reply.usage == Usage(input_tokens=20, output_tokens=3, cached_tokens=7)
    assert reply.at == at_second(6)


def test_a_request_that_is_recorded_twice_counts_once() -> None:
    """Two instrumentations of one library nest the same request."""
    inner = a_generation("inner", 1, "user: hi", "None", parentObservationId="g")

    trace, losses = read_as(
        "langfuse", export(inner, a_generation("g", 1, json.dumps([TASK]), json.dumps(ANSWER)))
    )

    assert kinds(trace) == ["user_message", "model_request", "model_reply", "claim"]
    assert "prompt_flattened" not in lost(losses)


def test_an_observation_that_is_its_own_parent_does_no_harm() -> None:
    """A damaged tree is no endless one."""
    item = a_generation("g", 1, json.dumps([TASK]), json.dumps(ANSWER), parentObservationId="g")

    trace, _ = read_as("langfuse", export(item))

    assert kinds(trace) == ["user_message", "model_request", "model_reply", "claim"]


def test_a_flat_request_is_a_loss_and_is_told_once() -> None:
    """`system: ... user: ...` in one text: who said what is lost."""
    flat = "system: You are a billing agent.\nuser: Pause AC-1."
    record = export(
        a_generation("g1", 1, flat, "One moment."),
        a_generation("g2", 3, flat + "\nassistant: One moment.", "Paused."),
    )

    trace, losses = read_as("langfuse", record)

    users = [event for event in trace.events if isinstance(event, UserMessage)]
    assert [user.text for user in users] == [flat]
    assert lost(losses)["prompt_flattened"] == 2


def test_a_system_text_that_only_the_trace_shows_is_told() -> None:
    """Some integrations keep it at the root alone; it is told once, and first."""
    given: JsonMap = {"system": "You are a billing agent.", "prompt": "Pause AC-1."}
    record = export(
        a_generation("g", 1, json.dumps(TASK), json.dumps(ANSWER)),
        input=json.dumps(json.dumps(given)),
    )

    trace, losses = read_as("langfuse", record)

    assert kinds(trace)[:2] == ["system_message", "user_message"]
    assert kinds(trace).count("user_message") == 1
    assert "system_missing" not in lost(losses)


def test_tools_that_are_listed_as_messages_are_tools() -> None:
    """The LangChain handler appends the tools to the messages."""
    function: JsonMap = {"name": "find", "parameters": {"type": "object"}}
    listed: JsonMap = {"role": "tool", "content": {"type": "function", "function": function}}
    record = export(a_generation("g", 1, json.dumps([TASK, listed]), json.dumps(ANSWER)))

    trace, losses = read_as("langfuse", record)

    assert [tool.name for tool in trace.tools] == ["find"]
    assert trace.tools[0].schema == {"type": "object"}
    request = trace.events[1]
    assert isinstance(request, ModelRequest)
    assert request.offered_tools == ("find",)
    assert "results_orphaned" not in lost(losses)


def test_langfuses_own_tool_definitions_are_read() -> None:
    """A mapping of names to JSON texts."""
    record = export(
        a_generation(
            "g",
            1,
            json.dumps([TASK]),
            json.dumps(ANSWER),
            toolDefinitions={"find": '{"parameters": {"type": "object"}}'},
        )
    )

    trace, _ = read_as("langfuse", record)

    assert [(tool.name, tool.schema) for tool in trace.tools] == [("find", {"type": "object"})]


def test_a_tool_message_as_output_names_its_call() -> None:
    """Its id pairs it where names and arguments would not."""
    message: JsonMap = {"type": "tool", "content": "ok", "tool_call_id": "c2", "status": "success"}
    record = export(
        a_generation("g", 1, json.dumps([TASK]), json.dumps(ASKED)),
        an_observation("pause", 3, 4, input={"input": {"other": 1}}, output=json.dumps(message)),
    )

    trace, _ = read_as("langfuse", record)

    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert (result.call_id, result.result_raw) == ("c2", "ok")


def test_instructions_of_a_response_are_the_system_text() -> None:
    """OpenAI Responses repeats them in its answer, and the request's messages lack them."""
    response: JsonMap = {
        "object": "response",
        "instructions": "You are a billing agent.",
        "output": [{"type": "message", "role": "assistant", "content": texts("Paused.")}],
    }
    record = export(a_generation("g", 1, json.dumps([TASK]), json.dumps(response)))

    trace, _ = read_as("langfuse", record)

    assert kinds(trace)[:2] == ["system_message", "user_message"]


def texts(text: str) -> list[Json]:
    """Content of one text."""
    return [{"type": "output_text", "text": text}]


def test_a_tool_begins_after_the_reply_that_asked_for_it() -> None:
    """A reply whose end was recorded late still comes first, without that time."""
    record = export(
        a_generation("g", 1, json.dumps([TASK]), json.dumps(ASKED)),
        an_observation("find", 1.5, 1.7, input='{"account": "AC-1"}', output="found"),
    )

    trace, _ = read_as("langfuse", record)

    assert kinds(trace) == [
        "user_message",
        "model_request",
        "model_reply",
        "tool_call",
        "tool_call",
        "tool_result",
    ]
    assert trace.events[2].at is None


def test_content_that_is_off_is_a_skeleton() -> None:
    """Only names, times and tokens."""
    record = export(a_generation("g", 1, None, None), an_observation("find", 3, 4, type="TOOL"))

    trace, losses = read_as("langfuse", record)

    assert kinds(trace) == ["model_request", "tool_call"]
    assert lost(losses)["replies_missing"] == 1
    assert losses.grade.value == "skeleton"


def test_a_failed_root_is_a_failed_run() -> None:
    """An error below it may have been handled."""
    below = an_observation("x", 1, 2, level="ERROR", parentObservationId="agent")
    root = an_observation("agent", 0, 9)

    assert read_as("langfuse", export(root, below))[0].status is RunStatus.UNKNOWN
    failed, _ = read_as("langfuse", export({**root, "level": "ERROR"}))
    assert failed.status is RunStatus.FAILED


def test_a_thread_is_the_session() -> None:
    """LangGraph's id of a conversation stands in the metadata, as a JSON text."""
    root = an_observation("agent", 0, 9, metadata='{"thread_id": "t-1"}')

    trace, _ = read_as("langfuse", export(root))

    assert trace.session == "t-1"


def test_an_unknown_message_is_an_error_with_its_place() -> None:
    """Its text is not repeated."""
    record = export(a_generation("g", 1, [{"secret": "AC-1"}], None))

    with pytest.raises(TraceFormatError) as error:
        read_as("langfuse", record)

    assert error.value.key == "observations.0.input.0.role"
    assert "AC-1" not in str(error.value)


def test_a_trace_of_the_api_is_one_too() -> None:
    """There the observations stand in the trace."""
    record: JsonMap = {"id": "lf-2", "observations": observations()}

    assert candidates(record) == ("langfuse",)
    assert read_as("langfuse", record)[0].run_id == "lf-2"


@pytest.mark.parametrize(
    "record", [{"observations": [1], "id": "x"}, {"observations": []}, {"trace": {}}, [], None]
)
def test_other_records_are_not_taken(record: Json) -> None:
    """A common key alone decides nothing."""
    assert "langfuse" not in candidates(record)


def test_calls_are_the_agents() -> None:
    """Their turn is that of the reply."""
    trace, _ = read_as("langfuse", export(*observations()))

    calls = [event for event in trace.events if isinstance(event, ToolCall)]
    assert [call.turn for call in calls] == [1, 1]
