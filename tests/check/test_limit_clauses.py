"""Upper bounds of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_contract, a_trace, a_turn, a_user, timed_trace
from workbench.check.judge import judge
from workbench.model.contract import FixPlace, Limit
from workbench.model.event import ModelReply, ModelRequest, Outcome, Requestor, ToolCall, Usage
from workbench.model.verdict import Result

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

PASS, FAIL, OPEN = Result.PASS, Result.FAIL, Result.INCONCLUSIVE


def judged(trace, measure, bound, fix=FixPlace.MODEL):
    """Return what one limit says of a trace."""
    clause = Limit(id="limits/1", measure=measure, bound=bound)
    return judge(trace, a_contract(clause, fix=fix)).clauses[0]


def places(given):
    """Return the offending positions with their evidence."""
    return [(violation.seq, violation.evidence) for violation in given.violations]


DENIED = a_call("a", outcome=Outcome.DENIED)


@pytest.mark.parametrize(
    ("bound", "found"),
    [(3, []), (2, [(8, (2, 3, 5, 6, 8, 9))]), (1.5, [(5, (2, 3, 5, 6))]), (0, [(2, (2, 3))])],
)
def test_tool_calls_are_the_agents_requested_ones(bound, found):
    """The evidence is bound + 1 calls with their results; a user's calls do not count."""
    calls = (DENIED, a_call("b"), a_call("c"), a_call("d", by=Requestor.USER))

    assert places(judged(a_trace(a_user(), *calls), "tool_calls", bound)) == found


def test_with_code_denied_calls_do_not_count():
    """Code that stops a call is the cure."""
    trace = a_trace(a_user(), DENIED)

    assert judged(trace, "tool_calls", 0).result is FAIL
    assert judged(trace, "tool_calls", 0, FixPlace.CODE).result is PASS
    assert judged(trace, "identical_calls", 0, FixPlace.CODE).result is PASS


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": "1"}, {"a": 1}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": "x "}, {"a": "x"}, False),
        ({"a": 2**60}, {"a": 2**60 + 1}, False),
        ({"é": 1}, {"é": 1.0}, True),
    ],
)
def test_identical_means_equal_as_json(left, right, same):
    """A malformed id that differs by a blank is another call."""
    trace = a_trace(a_user(), a_call("a", args=left), a_call("a", args=right))

    other = a_trace(a_user(), a_call("a", args=left), a_call("b", args=left))
    assert (judged(trace, "identical_calls", 1).result is FAIL) is same
    assert judged(other, "identical_calls", 1).result is PASS


def test_identical_calls_name_the_first_group_that_goes_beyond():
    """Two loops at once: the one that crossed the bound first is reported."""
    one, two = a_call("a", args={"n": 1}), a_call("a", args={"n": 2})
    trace = a_trace(a_user(), one, two, two, one)

    assert places(judged(trace, "identical_calls", 1)) == [(8, (5, 6, 8, 9))]


def test_arguments_that_are_no_json_are_compared_as_text():
    """Byte-identical broken arguments are the same call again."""
    broken = a_call("a", args_raw='{"x')
    trace = a_trace(a_user(), broken, broken, a_call("a", args_raw='{"x '))

    assert places(judged(trace, "identical_calls", 1)) == [(5, (2, 3, 5, 6))]
    assert judged(trace, "identical_calls", 2).result is PASS


def test_hostile_arguments_are_compared_without_harm():
    """Numbers that JSON does not have, and nesting beyond every limit."""
    deep: Json = []
    for _ in range(100_000):
        deep = [deep]
    hostile: dict[int, Json] = {2: deep, 5: {"n": float("nan")}}
    trace = a_trace(a_user(), a_call("a"), a_call("a"))
    events = tuple(
        replace(event, args=hostile[event.seq]) if isinstance(event, ToolCall) else event
        for event in trace.events
    )

    assert judged(replace(trace, events=events), "identical_calls", 1).result is PASS


@pytest.mark.parametrize(("bound", "found"), [(3, []), (2, [(6, (2, 4, 6))])])
def test_model_calls_count_requests_and_replies_once(bound, found):
    """A request that failed has no reply, and many recorders write no requests."""
    trace = a_trace(
        a_user(), *(a_user("0"), ModelRequest(), ModelReply()), *(ModelRequest(), a_user("5"))
    )
    trace = replace(trace, events=(*trace.events, replace(ModelReply(agent="sub"), seq=6)))

    given = judged(trace, "model_calls", bound)

    assert places(given) == found
    assert judged(a_trace(a_user(), a_claim(), a_claim()), "model_calls", 1).result is FAIL


@pytest.mark.parametrize(
    ("measure", "usages", "bound", "result"),
    [
        ("input_tokens", [Usage(input_tokens=5), Usage(input_tokens=5)], 10, PASS),
        ("input_tokens", [Usage(input_tokens=5), Usage(input_tokens=6)], 10, FAIL),
        ("output_tokens", [Usage(input_tokens=5), None], 10, OPEN),
        ("output_tokens", [Usage(output_tokens=11), None], 10, FAIL),
        ("output_tokens", [], 10, OPEN),
        ("cost_usd", [Usage(input_tokens=5)], 10, OPEN),
        ("cost_usd", [Usage(cost_usd=0.1), Usage(cost_usd=0.2)], 0.5, PASS),
        ("cost_usd", [Usage(cost_usd=0.3), Usage(cost_usd=0.3)], 0.5, FAIL),
    ],
)
def test_tokens_are_summed_and_unknown_usage_is_never_a_pass(measure, usages, bound, result):
    """What was not recorded cannot be within a bound; what is beyond it is."""
    trace = a_trace(a_user(), *(a_turn(usage=usage) for usage in usages))

    assert judged(trace, measure, bound).result is result


@pytest.mark.parametrize(
    ("bound", "found"), [(3000, []), (2999, [(3, (0, 3))]), (500, [(1, (0, 1))])]
)
def test_wall_time_is_measured_from_the_first_event(bound, found):
    """The offending event is the first beyond the bound."""
    trace = timed_trace(a_trace(a_user(), a_user(), a_user(), a_user()))

    assert places(judged(trace, "wall_time_ms", bound)) == found


@pytest.mark.parametrize("at", [None, "yesterday", "2026-11-30T10:00:01"])
def test_time_that_is_not_known_is_inconclusive(at):
    """A run of unknown length is not a short one; a time without zone cannot be compared."""
    trace = timed_trace(a_trace(a_user(), a_user()))
    first, last = trace.events

    cut = replace(trace, events=(first, replace(last, at=at)))
    none = replace(trace, events=(replace(first, at=at), replace(last, at=at)))
    assert judged(cut, "wall_time_ms", 9e9).result is OPEN
    assert judged(none, "wall_time_ms", 9e9).result is OPEN
