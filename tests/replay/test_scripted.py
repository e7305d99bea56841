"""The reference loop emits what the recorder of the incident would have written."""

from __future__ import annotations

import pytest

from tests.replay.builders import TOOLS, a_call, a_case, a_fixture, asks
from workbench.errors import CaseFormatError
from workbench.model.case import ANY_TIMES, CaseInput, Turn
from workbench.model.event import (
    CallError,
    Claim,
    ClaimBasis,
    ClaimOutcome,
    ModelReply,
    ModelRequest,
    Outcome,
    Permission,
    Requestor,
    StateChange,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT, JsonMap
from workbench.model.trace import Versions
from workbench.replay.scripted import replay_path


def replayed(*turns, **fields):
    """Return the trace of a case's recorded path."""
    case = a_case(*turns, **fields)
    return replay_path(case, case.recorded)


def kinds(trace):
    """Return the kinds of a trace's events."""
    return [event.kind for event in trace.events]


def of(trace, cls):
    """Return the events of one kind."""
    return [event for event in trace.events if isinstance(event, cls)]


def test_messages_come_first_in_their_roles():
    """An opening greeting of the assistant is a reply and a claim, as importers write it."""
    roles = ("system", "assistant", "user", "user")
    messages: tuple[JsonMap, ...] = tuple({"role": role, "content": role} for role in roles)

    trace = replayed(Turn(text="done"), input=CaseInput(messages=messages))

    assert kinds(trace) == [
        "system_message", "model_reply", "claim", "user_message", "user_message",
        "model_reply", "claim",
    ]  # fmt: skip
    assert [event.seq for event in trace.events] == list(range(7))


def test_calls_of_one_turn_overlap_and_complete_in_recorded_order():
    """Calls are requested together; the fixtures' order is the order of completion."""
    trace = replayed(
        asks(a_call("billing.pause"), a_call("customer.lookup", call_id="c2"), text="One moment"),
        fixtures=(a_fixture(id="f1"), a_fixture("billing.pause", id="f2")),
    )

    assert kinds(trace)[1:] == [
        "model_reply", "claim", "tool_call", "tool_call", "tool_result", "tool_result",
    ]  # fmt: skip
    assert [event.call_id for event in of(trace, ToolResult)] == ["c2", "c1"]
    assert of(trace, ModelReply)[0].call_ids == ("c1", "c2")
    assert {event.turn for event in of(trace, ToolCall)} == {1}


def test_a_call_without_a_recorded_result_stays_unanswered():
    """The incident's agent never saw an answer either."""
    fixture = a_fixture(outcome=Outcome.MISSING, sets={"seen": True})

    trace = replayed(asks(a_call("customer.lookup")), fixtures=(fixture,))

    assert of(trace, ToolResult) == []
    assert of(trace, StateChange)[0].after is True


def test_what_travels_with_a_fixture():
    """Outcome, detail, error and operation id come back as recorded."""
    error = CallError(status=504, headers={"retry-after": "2"}, body="upstream timeout")
    fixture = a_fixture(outcome=Outcome.UNKNOWN, detail="timeout", error=error, operation_id="op")

    (result,) = of(replayed(asks(a_call("customer.lookup")), fixtures=(fixture,)), ToolResult)

    assert (result.outcome, result.detail, result.error) == (Outcome.UNKNOWN, "timeout", error)
    assert (result.operation_id, result.result) == ("op", ABSENT)


def test_a_text_result_keeps_its_exact_text():
    """Clauses that quote need the text, predicates the value."""
    fixture = a_fixture(result="{'a': 1}")

    (result,) = of(replayed(asks(a_call("customer.lookup")), fixtures=(fixture,)), ToolResult)

    assert (result.result_raw, result.result) == ("{'a': 1}", {"a": 1})


def test_arguments_that_are_not_json_are_passed_on():
    """Malformed arguments are often the bug."""
    trace = replayed(
        asks(a_call("customer.lookup", raw="{oops")), fixtures=(a_fixture(args="{oops"),)
    )

    (call,) = of(trace, ToolCall)
    assert (call.args_raw, call.args) == ("{oops", ABSENT)
    assert of(trace, ToolResult)[0].outcome is Outcome.OK


def test_refusals_are_results_that_explain():
    """An unrecorded write is blocked, an unrecorded read has no fixture; both come first."""
    trace = replayed(
        asks(
            a_call("customer.lookup", {"a": 1}),
            a_call("billing.pause", call_id="c2"),
            a_call("calc", call_id="c3"),
        ),
        fixtures=(a_fixture(args={"a": 1}),),
    )

    results = of(trace, ToolResult)
    assert [(r.call_id, r.outcome) for r in results] == [
        ("c2", Outcome.BLOCKED), ("c3", Outcome.MISSING_FIXTURE), ("c1", Outcome.OK),
    ]  # fmt: skip
    assert results[0].error.message == "no fixture for any call of billing.pause in this path"
    assert results[0].error.type == "blocked"


def test_claims_say_how_their_outcome_is_known():
    """Scripted, reported by the agent, or still to be read off the text; the last is final."""
    trace = replayed(
        Turn(text="a", outcome=ClaimOutcome.SUCCESS),
        Turn(text="b", outcome=ClaimOutcome.FAILURE, structured=True),
        Turn(text="c"),
    )

    assert [(c.outcome, c.basis, c.final) for c in of(trace, Claim)] == [
        (ClaimOutcome.SUCCESS, ClaimBasis.SCRIPTED, False),
        (ClaimOutcome.FAILURE, ClaimBasis.STRUCTURED, False),
        (ClaimOutcome.UNKNOWN, ClaimBasis.UNKNOWN, True),
    ]


def test_other_events_are_emitted_at_their_place():
    """Decisions, changes, users, the framework and hand-offs."""
    turns = (
        Turn(permission={"decision": "granted", "tool": "billing.pause"}),
        Turn(state_change={"name": "plan", "after": "open"}),
        Turn(context_change={"change": "compaction"}),
        Turn(agent="refunds"),
        Turn(by=Requestor.FRAMEWORK, tool_calls=(a_call("customer.lookup"),)),
        Turn(user="and?", by=Requestor.USER, tool_calls=(a_call("calc", call_id="u1"),)),
        Turn(text="done"),
    )
    fixtures = (a_fixture(times=ANY_TIMES), a_fixture("calc", id="f2"))

    trace = replayed(*turns, fixtures=fixtures)

    assert kinds(trace)[1:] == [
        "permission", "state_change", "context_change", "tool_call", "tool_result", "tool_call",
        "tool_result", "user_message", "model_reply", "claim",
    ]  # fmt: skip
    assert [c.requestor for c in of(trace, ToolCall)] == [Requestor.FRAMEWORK, Requestor.USER]
    assert of(trace, Permission)[0].agent is None
    assert of(trace, ModelReply)[0].agent == "refunds"


def test_state_starts_as_given_and_follows_the_fixtures():
    """`sets` over `input.state`, as events that the fold reads."""
    trace = replayed(
        asks(a_call("billing.pause")),
        fixtures=(a_fixture("billing.pause", sets={"plan": "paused"}),),
        input=CaseInput(messages=({"role": "user", "content": "x"},), state={"plan": "active"}),
    )

    assert [(s.before, s.after) for s in of(trace, StateChange)] == [
        (ABSENT, "active"), ("active", "paused"),
    ]  # fmt: skip


def test_time_is_known_only_when_the_case_says_how_long_tools_took():
    """A limit on wall time must not pass on times that nobody recorded."""
    turn = asks(a_call("customer.lookup"), a_call("calc", call_id="c2"))
    slow = a_fixture(delay_ms=1500)
    other = a_fixture("calc", id="f2", delay_ms=200)

    timed = replayed(turn, Turn(text="done"), fixtures=(slow, other))
    untimed = replayed(turn, fixtures=(a_fixture(), a_fixture("calc", id="f2")))

    assert [r.at for r in of(timed, ToolResult)] == ["2000-01-01T00:00:01.500Z"] * 2
    assert of(timed, ToolResult)[0].latency_ms == 1500
    assert timed.events[-1].at == "2000-01-01T00:00:01.500Z"
    assert {event.at for event in untimed.events} == {None}


def test_failed_and_restricted_requests_are_events():
    """A recorded model error has no reply; offered tools are named when not all were."""
    trace = replayed(
        Turn(error=CallError(status=503)),
        Turn(text="a", offered=("calc",), usage=Usage(input_tokens=3)),
        Turn(),
    )

    assert kinds(trace)[1:] == [
        "model_request", "model_request", "model_reply", "claim", "model_reply",
    ]  # fmt: skip
    assert of(trace, ModelRequest)[1].offered_tools == ("calc",)
    assert of(trace, ModelReply)[0].usage == Usage(input_tokens=3)


def test_call_ids_stay_unique():
    """Two turns of a hand-written path may repeat an id; a trace may not."""
    turn = asks(a_call("customer.lookup"))

    trace = replayed(turn, turn, turn, fixtures=(a_fixture(times=ANY_TIMES),))

    assert [c.call_id for c in of(trace, ToolCall)] == ["c1", "c1~2", "c1~3"]


def test_an_entry_that_is_no_event_is_an_error_with_its_place():
    """Authoring slips are named, not replayed."""
    with pytest.raises(CaseFormatError) as error:
        replayed(Turn(permission={"decision": "perhaps"}))

    assert error.value.key == "paths.recorded.turns.0.permission.decision"


def test_the_trace_names_case_tools_and_versions():
    """Evidence needs the tools, a report the versions."""
    trace = replayed(
        environment={"prompt": "v43", "settings": {}, "model": None}, tags=("billing",)
    )

    assert trace.run_id == "a-case.recorded"
    assert [tool.name for tool in trace.tools] == [tool.name for tool in TOOLS]
    assert (trace.versions, trace.tags) == (Versions(prompt="v43"), ("billing",))


def test_content_that_is_no_text_is_an_empty_message():
    """A hand-written case must not end in a traceback."""
    trace = replayed(input=CaseInput(messages=({"role": "user", "content": [1]},)))

    assert of(trace, UserMessage)[0].text == ""
