"""Which calls a selector chooses."""

from __future__ import annotations

import pytest

from tests.builders import a_call, a_predicate, a_selector, a_trace
from workbench.check.selectors import Stage, args_of, at_stage, selects
from workbench.model.event import Outcome, Requestor
from workbench.model.trace import calls_of

ALL = (Stage.REQUESTED, Stage.ATTEMPTED, Stage.EXECUTED, Stage.COMPLETED)


@pytest.mark.parametrize(
    ("outcome", "stages"),
    [
        (Outcome.OK, ALL),
        (Outcome.RETRYABLE, ALL[:3]),
        (Outcome.PERMANENT, ALL[:3]),
        (Outcome.UNKNOWN, ALL[:3]),
        (Outcome.MISSING, ALL[:2]),
        (Outcome.BLOCKED, ALL[:2]),
        (Outcome.MISSING_FIXTURE, ALL[:2]),
        (Outcome.DENIED, ALL[:1]),
    ],
)
def test_how_far_a_call_came(outcome, stages):
    """Every call but a denied one was attempted; whatever answered was executed."""
    (call,) = calls_of(a_trace(a_call("a", outcome=outcome)))

    assert tuple(stage for stage in ALL if at_stage(call, stage)) == stages


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("billing.pause#unknown", True),
        ("billing.pause#timeout", True),
        ("billing.pause#ok|timeout", True),
        ("billing.pause#ok", False),
        ("billing.pause#executed", True),
        ("billing.*#any", True),
        ("pause", False),
    ],
)
def test_a_class_is_an_outcome_or_a_detail(text, want):
    """`#timeout` names the detail, `#unknown` the outcome; any word of several is enough."""
    (call,) = calls_of(a_trace(a_call("billing.pause", outcome=Outcome.UNKNOWN, detail="timeout")))

    assert selects(a_selector(text), call, Stage.COMPLETED) is want


def test_a_class_replaces_the_stage_of_the_clause():
    """`must_call: pause#denied` asks for a denied call, which was never executed."""
    (call,) = calls_of(a_trace(a_call("a", outcome=Outcome.DENIED)))

    assert not selects(a_selector("a"), call, Stage.EXECUTED)
    assert selects(a_selector("a#denied"), call, Stage.EXECUTED)
    assert not selects(a_selector("a#executed"), call, Stage.REQUESTED)


def test_where_and_result_narrow_a_tool():
    """A tool often has honest uses; arguments tell them apart."""
    (call,) = calls_of(a_trace(a_call("pay", args={"to": "x"}, result={"state": "done"})))
    to_x, to_y = a_predicate("to", "==", "x"), a_predicate("to", "==", "y")
    done = a_predicate("state", "==", "done")

    assert selects(a_selector("pay", where=(to_x,), result=(done,)), call, Stage.REQUESTED)
    assert not selects(a_selector("pay", where=(to_x, to_y)), call, Stage.REQUESTED)
    assert not selects(a_selector("pay", result=(to_x,)), call, Stage.REQUESTED)


def test_a_call_without_result_fits_only_absent():
    """Nothing came back, so nothing can be read in it."""
    (call,) = calls_of(a_trace(a_call("pay", outcome=Outcome.MISSING)))

    assert not selects(a_selector("pay", result=(a_predicate("$", "exists"),)), call, ALL[0])
    assert selects(a_selector("pay", result=(a_predicate("$", "absent"),)), call, ALL[0])


@pytest.mark.parametrize(
    ("requestor", "by", "want"),
    [
        (Requestor.AGENT, "agent", True),
        (Requestor.USER, "agent", False),
        (Requestor.FRAMEWORK, "agent", False),
        (Requestor.USER, "user", True),
        (Requestor.FRAMEWORK, "any", True),
    ],
)
def test_only_the_agents_own_calls_count_unless_said(requestor, by, want):
    """Calls of a user simulator never count against the agent."""
    (call,) = calls_of(a_trace(a_call("a", by=requestor)))

    assert selects(a_selector("a", by=by), call, Stage.REQUESTED) is want


def test_a_glob_of_agents_chooses_sub_agents():
    """Without `agent` all agents' calls are seen."""
    named, plain = calls_of(a_trace(a_call("a", agent="sub-1"), a_call("a")))
    sub = a_selector("a", agent="sub-*")

    assert selects(sub, named, Stage.REQUESTED)
    assert not selects(sub, plain, Stage.REQUESTED)
    assert selects(a_selector("a"), named, Stage.REQUESTED)


def test_arguments_that_are_not_json_are_a_text():
    """Malformed arguments are often the bug: their exact text can be matched as `$`."""
    (call,) = calls_of(a_trace(a_call("a", args_raw='{"x": ')))

    assert args_of(call) == '{"x": '
    assert selects(a_selector("a", where=(a_predicate("$", "contains", "x"),)), call, ALL[0])
    assert not selects(a_selector("a", where=(a_predicate("x", "exists"),)), call, ALL[0])
