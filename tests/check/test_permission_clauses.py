"""Calls that need somebody's leave."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_contract, a_selector, a_trace, a_user
from workbench.check.judge import judge
from workbench.model.canonical import args_digest
from workbench.model.contract import PermissionRule
from workbench.model.event import (
    Decision,
    ModelReply,
    Outcome,
    Permission,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.trace import renumbered
from workbench.model.verdict import Result

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

PASS, FAIL, OPEN = Result.PASS, Result.FAIL, Result.INCONCLUSIVE
ARGS: JsonMap = {"path": "notes/a.md"}
DIGEST = args_digest({"path": "notes/a.md"})
WRITE = a_call("write", args={"path": "notes/a.md"})


def a_grant(decision=Decision.GRANTED, *, tool="write", digest=None, actor="ops"):
    """Return a decision of a person."""
    return Permission(decision=decision, tool=tool, args_digest=digest, actor=actor)


def judged(covers, *parts, by=None):
    """Return what a rule says of a trace of a user message and these parts."""
    rule = PermissionRule(id="permissions/1", grant=a_selector("write"), covers=covers, by=by)
    return judge(a_trace(a_user(), *parts), a_contract(rule)).clauses[0]


@pytest.mark.parametrize(
    ("parts", "same_args", "same_tool", "session"),
    [
        ([a_grant(digest=DIGEST), WRITE], PASS, PASS, PASS),
        ([a_grant(digest="sha256:0"), WRITE], FAIL, PASS, PASS),
        ([a_grant(), WRITE], FAIL, PASS, PASS),
        ([a_grant(tool="read"), WRITE], FAIL, FAIL, PASS),
        ([a_grant(tool=None), WRITE], FAIL, FAIL, PASS),
        ([WRITE, a_grant(digest=DIGEST)], FAIL, FAIL, FAIL),
        ([a_grant(Decision.ASKED, digest=DIGEST), WRITE], FAIL, FAIL, FAIL),
        ([a_grant(digest=DIGEST), a_grant(Decision.DENIED), WRITE], FAIL, FAIL, FAIL),
        ([a_grant(digest=DIGEST), a_grant(Decision.DENIED, tool=None), WRITE], FAIL, FAIL, FAIL),
        ([a_grant(digest=DIGEST), a_grant(Decision.DENIED, tool="read"), WRITE], PASS, PASS, PASS),
        (
            [a_grant(digest=DIGEST), a_grant(Decision.DENIED, digest="sha256:0"), WRITE],
            PASS,
            PASS,
            PASS,
        ),
        ([a_grant(Decision.DENIED), a_grant(digest=DIGEST), WRITE], PASS, PASS, PASS),
        ([WRITE], OPEN, OPEN, OPEN),
        ([a_grant(tool="read"), a_call("read")], PASS, PASS, PASS),
        ([a_call("write", outcome=Outcome.DENIED)], PASS, PASS, PASS),
    ],
)
def test_a_grant_covers_what_the_rule_says(parts, same_args, same_tool, session):
    """A later refusal revokes; without any permission event nothing is known."""
    assert judged("same_args", *parts).result is same_args
    assert judged("same_tool", *parts).result is same_tool
    assert judged("session", *parts).result is session


def test_the_offending_event_is_the_call_and_the_decisions_are_evidence():
    """A shrunk case must keep the decision that did not cover it."""
    (violation,) = judged("same_args", a_grant(digest="sha256:0"), WRITE).violations

    assert (violation.seq, violation.evidence) == (3, (1, 3, 4))


@pytest.mark.parametrize(
    ("actor", "result"), [("ops", PASS), ("agent", FAIL), ("sub-1", FAIL), (None, OPEN)]
)
def test_another_actor_must_have_granted(actor, result):
    """An agent that grants itself leave has none."""
    call = a_call("write", args={}, agent="sub-1")

    assert judged("same_tool", a_grant(actor=actor), call, by="other_actor").result is result


@pytest.mark.parametrize(
    "call", [a_call("write", args_raw="{"), a_call("write", args=float("nan"), args_raw="NaN")]
)
def test_arguments_without_digest_match_no_grant(call):
    """What is no JSON has no digest, so nobody can have granted it."""
    assert judged("same_args", a_grant(digest=DIGEST), call).result is FAIL
    assert judged("same_tool", a_grant(), call).result is PASS


def asked_first(*decisions):
    """Return a trace whose decisions come between the request and the result of a write."""
    parts = [
        ToolCall(call_id="c", tool="write", args=ARGS, args_raw="{}", turn=1),
        *decisions,
        ToolResult(call_id="c", outcome=Outcome.OK, result={}),
    ]
    events = (UserMessage(text="u"), ModelReply(call_ids=("c",)), *parts)
    return replace(a_trace(a_user()), events=renumbered(events))


@pytest.mark.parametrize(
    ("decisions", "same_args", "same_tool", "session"),
    [
        ([a_grant(Decision.ASKED), a_grant(digest=DIGEST)], PASS, PASS, PASS),
        ([a_grant()], FAIL, PASS, PASS),
        ([a_grant(tool="read")], FAIL, FAIL, FAIL),
        ([a_grant(tool=None)], FAIL, FAIL, FAIL),
        ([a_grant(digest="sha256:0")], FAIL, FAIL, FAIL),
        ([a_grant(digest=DIGEST), a_grant(Decision.DENIED)], FAIL, FAIL, FAIL),
    ],
)
def test_a_person_who_is_asked_once_the_model_has_asked_has_decided_in_time(
    decisions, same_args, same_tool, session
):
    """Every recorder of approvals writes them between request and result."""
    for covers, wanted in (
        ("same_args", same_args),
        ("same_tool", same_tool),
        ("session", session),
    ):
        rule = PermissionRule(id="permissions/1", grant=a_selector("write"), covers=covers)
        assert judge(asked_first(*decisions), a_contract(rule)).clauses[0].result is wanted


def test_a_later_grant_does_not_excuse_a_call_that_was_answered_already():
    """Leave that comes after the deed is none."""
    parts = [WRITE, a_grant(digest=DIGEST)]

    assert judged("same_args", *parts).result is FAIL
