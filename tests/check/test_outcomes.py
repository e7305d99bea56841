"""How each tool call ended."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import a_call, a_predicate, a_trace
from workbench.check.outcomes import (
    OutcomeRule,
    assumed_tools,
    resolve_outcomes,
    value_of,
    with_effects,
)
from workbench.model.event import CallError, Outcome, ToolResult
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Effect, Tool, calls_of

W, R = Effect.WRITE, Effect.READ
UNKNOWN, RETRYABLE, PERMANENT = Outcome.UNKNOWN, Outcome.RETRYABLE, Outcome.PERMANENT


def ending(error, effect=W, result=ABSENT):
    """Return outcome and detail of a call that answered so."""
    trace = a_trace(a_call("t", outcome=None, error=error, result=result), tools={"t": effect})
    (call,) = calls_of(resolve_outcomes(trace))
    return call.outcome, call.detail


@pytest.mark.parametrize(
    ("error", "write", "read", "detail"),
    [
        (CallError(message="Rejected by the user"), Outcome.DENIED, Outcome.DENIED, "refused"),
        (
            CallError(status=403, message="denied by policy"),
            Outcome.DENIED,
            Outcome.DENIED,
            "refused",
        ),
        (CallError(type="ApprovalDenied"), Outcome.DENIED, Outcome.DENIED, "refused"),
        (CallError(type="ConnectionRefusedError"), RETRYABLE, RETRYABLE, "connection_refused"),
        (CallError(message="reset before sending"), RETRYABLE, RETRYABLE, "connection_refused"),
        (CallError(status=429), RETRYABLE, RETRYABLE, "rate_limited"),
        (CallError(message="Rate limit reached"), RETRYABLE, RETRYABLE, "rate_limited"),
        (CallError(status=503), RETRYABLE, RETRYABLE, "http_503"),
        (CallError(message="Service unavailable"), RETRYABLE, RETRYABLE, "unavailable"),
        (CallError(type="ReadTimeout"), UNKNOWN, RETRYABLE, "timeout"),
        (CallError(message="request timed out"), UNKNOWN, RETRYABLE, "timeout"),
        (CallError(status=502), UNKNOWN, RETRYABLE, "http_502"),
        (CallError(status=504, body="upstream timeout"), UNKNOWN, RETRYABLE, "http_504"),
        (CallError(status=408), UNKNOWN, RETRYABLE, "http_408"),
        (CallError(body="upstream timeout"), UNKNOWN, RETRYABLE, "timeout"),
        (CallError(body={"error": {"code": "ETIMEDOUT"}}), UNKNOWN, RETRYABLE, "timeout"),
        (CallError(type="ConnectionResetError"), UNKNOWN, RETRYABLE, "connection_reset"),
        (CallError(type="CancelledError"), UNKNOWN, RETRYABLE, "cancelled"),
        (CallError(message="Bad gateway"), UNKNOWN, RETRYABLE, "bad_gateway"),
        (CallError(status=404), PERMANENT, PERMANENT, "http_404"),
        (CallError(status=403), PERMANENT, PERMANENT, "http_403"),
        (CallError(status=400, message="timed out"), PERMANENT, PERMANENT, "http_400"),
        (CallError(type="ValidationError"), PERMANENT, PERMANENT, "invalid_args"),
        (CallError(type="TypeError"), PERMANENT, PERMANENT, "invalid_args"),
        (CallError(message="invalid account"), PERMANENT, PERMANENT, "invalid_args"),
        (CallError(status=500), UNKNOWN, RETRYABLE, "http_500"),
        (CallError(status=599, message="invalid"), UNKNOWN, RETRYABLE, "http_599"),
        (
            CallError(type="model_retry", message="billing backend 504: upstream"),
            UNKNOWN,
            RETRYABLE,
            "http_504",
        ),
        (CallError(message="billing backend 504: retry-after=2"), UNKNOWN, RETRYABLE, "http_504"),
        (CallError(message="Error code: 429 - slow down"), RETRYABLE, RETRYABLE, "rate_limited"),
        (CallError(message="HTTP 400: invalid timeout"), PERMANENT, PERMANENT, "http_400"),
        (CallError(type="TypeError", message="no timeout"), PERMANENT, PERMANENT, "invalid_args"),
        (CallError(type="TimeoutError", message="HTTP 400"), UNKNOWN, RETRYABLE, "timeout"),
        (CallError(message="account 429 is closed"), PERMANENT, PERMANENT, "error"),
        (CallError(message="account 504: closed"), PERMANENT, PERMANENT, "error"),
        (CallError(status=1), PERMANENT, PERMANENT, "error"),
        (CallError(message="no luck"), PERMANENT, PERMANENT, "error"),
        (CallError(type="KeyError"), PERMANENT, PERMANENT, "error"),
        (CallError(body={"error": "x"}), PERMANENT, PERMANENT, "error"),
        (CallError(), Outcome.OK, Outcome.OK, None),
        (CallError(status=200), Outcome.OK, Outcome.OK, None),
        (CallError(status=0), Outcome.OK, Outcome.OK, None),
    ],
)
def test_each_row_of_the_table(error, write, read, detail):
    """What a failure leaves uncertain depends on whether the tool writes."""
    assert ending(error, W) == (write, detail)
    assert ending(error, R) == (read, detail)
    assert ending(error, Effect.PURE) == (read, detail)


def test_an_undeclared_tool_is_taken_for_a_write():
    """A time-out of a tool nobody declared may have changed something."""
    trace = a_trace(a_call("get_x", outcome=None, error=CallError(status=504)))

    (call,) = calls_of(resolve_outcomes(trace))
    (read,) = calls_of(resolve_outcomes(trace, effects={"get_x": R}))

    assert (call.outcome, read.outcome) == (UNKNOWN, RETRYABLE)


def test_a_call_without_result_stays_without_one():
    """`missing` is derived when it is read; nothing is written into the trace."""
    trace = a_trace(a_call("t", outcome=Outcome.MISSING))

    assert resolve_outcomes(trace) is trace
    assert calls_of(trace)[0].outcome is Outcome.MISSING


def test_a_soft_failure_is_ok_unless_a_rule_says_otherwise():
    """HTTP 200 with `ok: false` keeps its body; only a user's rule calls it a failure."""
    trace = a_trace(a_call("chat.post", outcome=None, result={"ok": False}))
    rule = OutcomeRule(
        tool="chat.*", when=(a_predicate("ok", literal=False),), outcome=PERMANENT, detail="soft"
    )
    other = replace(rule, tool="mail.*")

    assert calls_of(resolve_outcomes(trace))[0].outcome is Outcome.OK
    (call,) = calls_of(resolve_outcomes(trace, rules=(other, rule)))
    assert (call.outcome, call.detail) == (PERMANENT, "soft")


def test_a_rule_reads_the_body_of_an_error():
    """Where there is no result, the error's body is what came back."""
    error = CallError(status=409, body={"code": "in_progress"})
    rule = OutcomeRule(tool="t", when=(a_predicate("code", "==", "in_progress"),), outcome=UNKNOWN)
    trace = a_trace(a_call("t", outcome=None, error=error))

    (call,) = calls_of(resolve_outcomes(trace, rules=(rule,)))

    assert (call.outcome, call.detail) == (UNKNOWN, None)


def test_what_the_recorder_stated_stays():
    """An outcome or a detail that is there is a fact, not a guess of ours."""
    stated = a_trace(a_call("t", outcome=RETRYABLE, error=CallError(status=504)))
    detailed = a_trace(a_call("t", outcome=None, detail="timeout", error=CallError(status=504)))

    assert resolve_outcomes(stated) is stated
    (call,) = calls_of(resolve_outcomes(detailed))
    assert (call.outcome, call.detail) == (UNKNOWN, "timeout")


def test_resolving_twice_changes_nothing():
    """Every entry resolves first, so it must be safe to repeat."""
    once = resolve_outcomes(a_trace(a_call("t", outcome=None, error=CallError(status=500))))

    assert resolve_outcomes(once) is once


def test_a_result_of_no_call_is_resolved_too():
    """A recorder may have lost the call."""
    trace = replace(a_trace(), events=(ToolResult(call_id="gone"),))

    (event,) = resolve_outcomes(trace).events

    assert isinstance(event, ToolResult)
    assert event.outcome is Outcome.OK


def test_assumed_tools_are_those_nobody_declared():
    """`ingest` and `show` list them, so that a person confirms."""
    trace = a_trace(a_call("b"), a_call("a"), tools={"c": None, "d": R})

    assert assumed_tools(trace) == ("a", "b", "c")
    assert assumed_tools(trace, {"a": R, "c": W}) == ("b",)


def test_declared_effects_can_be_written_into_the_tools():
    """Later steps read the effects of the trace."""
    trace = a_trace(tools=(Tool(name="a"), Tool(name="b", effect=R)))

    changed = with_effects(trace, {"a": W})

    assert [tool.effect for tool in changed.tools] == [W, R]
    assert with_effects(trace, {"b": R}) is trace


def test_a_result_is_read_from_its_text_when_it_was_not_parsed():
    """Some recorders keep only the exact text."""
    result = ToolResult(call_id="c", result_raw='{"a": 1}')

    assert value_of(result) == {"a": 1}
    assert value_of(None) is ABSENT
    assert value_of(ToolResult(call_id="c")) is ABSENT
