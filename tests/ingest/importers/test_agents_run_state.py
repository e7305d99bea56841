"""Saved states of the Agents SDK: items, approvals, interruptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import kinds, lost, read_as
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.canonical import args_digest
from workbench.model.event import (
    Decision,
    ModelReply,
    Outcome,
    Permission,
    ToolCall,
    ToolResult,
    Usage,
)

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Trace


def a_raw_call(given: str, name: str) -> JsonMap:
    """What the API sent."""
    return {
        "type": "function_call",
        "call_id": given,
        "name": name,
        "arguments": '{"account": "AC-1"}',
    }


def an_item(kind: str, raw: JsonMap, **fields: Json) -> JsonMap:
    """One generated item of an agent."""
    return {"type": kind, "agent": {"name": "biller"}, "raw_item": raw, **fields}


def a_result(given: str, output: str) -> JsonMap:
    """The item of a result."""
    raw: JsonMap = {"type": "function_call_output", "call_id": given, "output": output}
    return an_item("tool_call_output_item", raw, output=output)


def a_state(*items: Json, approvals: JsonMap | None = None, **fields: Json) -> JsonMap:
    """A state with some items."""
    return {
        "$schemaVersion": "1.17",
        "current_agent": {"name": "biller"},
        "original_input": "Pause AC-1.",
        "generated_items": list(items),
        "session_items": [],
        "model_responses": [],
        "context": {"approvals": approvals or {}},
        "conversation_id": "conv-1",
        "trace": None,
        **fields,
    }


ASKED: JsonMap = an_item("tool_call_item", a_raw_call("c1", "pause"), tool_name="pause")
WAITS: JsonMap = an_item("tool_approval_item", a_raw_call("c1", "pause"), tool_name="pause")
SAID: JsonMap = an_item(
    "message_output_item",
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Done."}],
    },
)


def permissions(trace: Trace) -> list[Permission]:
    """The permissions in order."""
    return [event for event in trace.events if isinstance(event, Permission)]


def test_a_call_that_waits_asked_for_permission() -> None:
    """An interruption: no decision yet, no result."""
    trace, losses = read_as("agents_run_state", a_state(ASKED, WAITS))

    assert kinds(trace) == ["user_message", "model_reply", "tool_call", "permission"]
    (asked,) = permissions(trace)
    assert (asked.decision, asked.tool) == (Decision.ASKED, "pause")
    assert asked.args_digest == args_digest({"account": "AC-1"})
    assert lost(losses)["results_missing"] == 1
    assert trace.session == "conv-1"


def test_a_rejection_stands_between_the_call_and_its_result() -> None:
    """The text of the result is what the agent was told; the call never ran."""
    approvals: JsonMap = {"pause": {"approved": [], "rejected": ["c1"]}}
    state = a_state(ASKED, WAITS, a_result("c1", "Not today."), SAID, approvals=approvals)

    trace, _ = read_as("agents_run_state", state)

    assert kinds(trace) == [
        "user_message",
        "model_reply",
        "tool_call",
        "permission",
        "permission",
        "tool_result",
        "model_reply",
        "claim",
    ]
    _, denied = permissions(trace)
    assert (denied.decision, denied.scope, denied.actor) == (Decision.DENIED, "c1", "user")
    assert denied.args_digest == args_digest({"account": "AC-1"})
    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert (result.outcome, result.detail) == (Outcome.DENIED, "refused")
    assert result.result_raw == "Not today."


def test_a_decision_without_its_request_stands_before_the_result() -> None:
    """After a resume the approval item may be gone."""
    approvals: JsonMap = {"pause": {"approved": ["c1"], "rejected": []}}

    trace, _ = read_as(
        "agents_run_state", a_state(ASKED, a_result("c1", "paused"), approvals=approvals)
    )

    assert kinds(trace)[2:] == ["tool_call", "permission", "tool_result"]
    (granted,) = permissions(trace)
    assert granted.decision is Decision.GRANTED
    result = trace.events[-1]
    assert isinstance(result, ToolResult)
    assert result.outcome is None


def test_decisions_for_every_call_and_for_hosted_tools_are_told() -> None:
    """They have no place in the run and stand at its end."""
    approvals: JsonMap = {"pause": {"approved": True, "rejected": ["other"]}}
    hosted: list[Json] = [
        {
            "decision": {"approved": True, "rejected": []},
            "identity": {"type": "server_tool", "server_label": "billing", "tool_name": "find"},
        }
    ]
    context: JsonMap = {"approvals": approvals, "hosted_mcp_approvals": hosted}

    trace, _ = read_as("agents_run_state", a_state(context=context))

    found = [(one.decision.value, one.tool, one.scope) for one in permissions(trace)]
    assert found == [
        ("granted", "pause", "every call"),
        ("denied", "pause", "other"),
        ("granted", "find", "billing"),
    ]


def test_decisions_that_belong_to_an_agent_are_told_behind_what_asked() -> None:
    """Schema 1.18 keeps them beside the others, with the agent whose tool it is."""
    call: JsonMap = {"type": "function_call", "call_id": "c1", "name": "pause", "arguments": "{}"}
    who: JsonMap = {"name": "billing"}
    items: list[Json] = [
        {"type": "tool_call_item", "raw_item": call, "agent": who},
        {"type": "tool_approval_item", "raw_item": call, "agent": who, "tool_name": "pause"},
    ]
    decision: JsonMap = {"approved": [], "rejected": ["c1"]}
    owned: list[Json] = [{"agent": who, "tool_key": "pause", "decision": decision}]
    context: JsonMap = {"approvals": {}, "function_tool_approvals": owned}

    trace, _ = read_as("agents_run_state", a_state(context=context, session_items=items))

    found = [(one.decision.value, one.tool, one.scope) for one in permissions(trace)]
    assert [one[:2] for one in found] == [("asked", "pause"), ("denied", "pause")]
    assert permissions(trace)[1].source_ref == "context.function_tool_approvals.0"


def a_model_response(*output: Json, tokens: int) -> JsonMap:
    """What the SDK keeps of a response."""
    details: list[Json] = [{"cached_tokens": 4}]
    usage: JsonMap = {
        "requests": 1,
        "input_tokens": tokens,
        "output_tokens": 2,
        "input_tokens_details": details,
    }
    return {"output": list(output), "usage": usage, "response_id": "resp"}


def test_tokens_are_given_where_replies_and_responses_agree() -> None:
    """As many replies as responses: the n-th of one is the n-th of the other."""
    responses: list[Json] = [
        a_model_response(a_raw_call("c1", "pause"), tokens=10),
        a_model_response(tokens=20),
    ]
    state = a_state(ASKED, a_result("c1", "ok"), SAID, model_responses=responses)

    trace, _ = read_as("agents_run_state", state)

    replies = [event for event in trace.events if isinstance(event, ModelReply)]
    assert [reply.usage for reply in replies] == [
        Usage(input_tokens=10, output_tokens=2, cached_tokens=4),
        Usage(input_tokens=20, output_tokens=2, cached_tokens=4),
    ]
    assert [reply.agent for reply in replies] == ["biller", "biller"]


def test_tokens_are_left_out_where_they_do_not_agree() -> None:
    """An importer never guesses."""
    responses: list[Json] = [a_model_response(tokens=10)]
    state = a_state(ASKED, a_result("c1", "ok"), SAID, model_responses=responses)

    trace, _ = read_as("agents_run_state", state)

    replies = [event for event in trace.events if isinstance(event, ModelReply)]
    assert [reply.usage for reply in replies] == [None, None]


def test_responses_alone_are_read() -> None:
    """A state saved before its items were made."""
    responses: list[Json] = [a_model_response(a_raw_call("c1", "pause"), tokens=10)]

    trace, _ = read_as("agents_run_state", a_state(model_responses=responses))

    assert kinds(trace) == ["user_message", "model_reply", "tool_call"]


def test_the_whole_session_counts_where_items_were_filtered() -> None:
    """A hand-over may hide items from the next agent."""
    state = a_state(SAID, session_items=[ASKED, a_result("c1", "ok"), SAID])

    trace, _ = read_as("agents_run_state", state)

    assert sum(isinstance(event, ToolCall) for event in trace.events) == 1


def test_schemas_of_used_tools_are_kept() -> None:
    """The SDK keeps those of the last response."""
    tool: JsonMap = {"name": "pause", "description": "", "paramsJsonSchema": {"type": "object"}}
    processed: JsonMap = {"functions": [{"tool": tool}]}

    trace, _ = read_as(
        "agents_run_state",
        a_state(ASKED, last_processed_response=processed, trace={"group_id": "g", "metadata": {}}),
    )

    assert trace.tools[0].schema == {"type": "object"}


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"current_agent": "AC-1"}, "current_agent"),
        ({"context": None}, "context"),
        ({"generated_items": [5]}, "generated_items.0"),
        ({"generated_items": [{"type": "x"}]}, "generated_items.0.raw_item"),
        ({"original_input": 5}, "original_input"),
    ],
)
def test_a_damaged_state_is_refused_with_its_place(fields: JsonMap, where: str) -> None:
    """Its text, which may be secret, is not repeated."""
    with pytest.raises(TraceFormatError) as error:
        read_as("agents_run_state", {**a_state(), **fields})

    assert error.value.key == where
    assert "AC-1" not in str(error.value)


@pytest.mark.parametrize("record", [{}, {"$schemaVersion": "1.0"}, {"current_agent": {}}, [], None])
def test_other_records_are_not_taken(record: Json) -> None:
    """A state names its version and its agent."""
    assert candidates(record) == ()
