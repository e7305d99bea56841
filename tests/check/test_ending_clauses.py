"""How a run ends, and what its final answer says."""

from __future__ import annotations

import pytest

from tests.builders import a_call, a_claim, a_contract, a_trace, a_turn, a_user
from workbench.check.judge import judge
from workbench.check.quotes import unfounded_quotes
from workbench.model.contract import AnswerRule, Finishes
from workbench.model.event import CallError, Claim, Outcome, Requestor
from workbench.model.verdict import Result

PASS, FAIL, OPEN = Result.PASS, Result.FAIL, Result.INCONCLUSIVE
MISSING, BLOCKED, NO_FIXTURE = Outcome.MISSING, Outcome.BLOCKED, Outcome.MISSING_FIXTURE


def answer(clause, *parts):
    """Return what one clause says of a trace of a user message and these parts."""
    return judge(a_trace(a_user(), *parts), a_contract(clause)).clauses[0]


@pytest.mark.parametrize(
    ("parts", "result", "kinds"),
    [
        ([a_call("a"), a_claim()], PASS, []),
        ([a_claim(), a_user("thanks")], PASS, []),
        ([a_claim(), a_call("a", by=Requestor.USER)], PASS, []),
        ([a_call("a")], FAIL, ["end"]),
        ([], FAIL, ["end"]),
        ([a_claim(), a_call("a")], FAIL, ["end"]),
        ([a_turn(a_call("a"), text="One moment.")], FAIL, ["end"]),
        ([a_call("a", outcome=MISSING), a_claim()], FAIL, ["tool_call"]),
        ([a_claim(), a_call("a", outcome=MISSING)], FAIL, ["tool_call", "end"]),
        ([a_call("a", outcome=NO_FIXTURE)], OPEN, []),
        ([a_call("a", outcome=BLOCKED), a_claim()], OPEN, []),
    ],
)
def test_a_run_ends_in_a_text_with_every_call_answered(parts, result, kinds):
    """A person's last word or their simulator's calls do not matter."""
    given = answer(Finishes(id="finishes/1"), *parts)

    assert (given.result, [found.kind for found in given.violations]) == (result, kinds)


@pytest.mark.parametrize(
    ("rule", "value", "text", "result"),
    [
        ("contains", ["README.md", "docs"], "README.md and docs", PASS),
        ("contains", ["README.md", "docs"], "README.md", FAIL),
        ("contains", "one", "one two", PASS),
        ("not_contains", ["sorry"], "fine", PASS),
        ("not_contains", ["sorry", "alas"], "alas", FAIL),
        ("matches", ["^ok", "[0-9]+"], "ok 12", PASS),
        ("matches", ["^ok", "[0-9]+"], "ok", FAIL),
        ("not_matches", ["sk-[a-z]{3}"], "sk-ab", PASS),
        ("not_matches", ["sk-[a-z]{3}"], "sk-abc", FAIL),
        ("json_schema", {"required": ["a"]}, '{"a": 1}', PASS),
        ("json_schema", {"required": ["a"]}, "{}", FAIL),
        ("json_schema", {"required": ["a"]}, "a text", FAIL),
        ("json_schema", {}, "{'a': 1}", FAIL),
        ("quotes_results", True, "It costs 42 dollars.", PASS),
        ("quotes_results", True, "It costs 43 dollars.", FAIL),
        ("quotes_results", False, "It costs 43 dollars.", PASS),
    ],
)
def test_the_final_answer_is_judged_by_each_rule(rule, value, text, result):
    """Only the last text counts."""
    clause = AnswerRule(id=f"answer.{rule}/1", rule=rule, value=value)
    parts = (a_claim("sorry sk-abc"), a_call("a", result={"price": 42}), a_claim(text))

    given = answer(clause, *parts)

    assert given.result is result
    assert [found.seq for found in given.violations] == ([7] if result is FAIL else [])


@pytest.mark.parametrize(
    ("rule", "result"),
    [("contains", FAIL), ("not_contains", PASS), ("matches", FAIL), ("not_matches", PASS)],
)
def test_a_run_without_answer_says_nothing(rule, result):
    """What must be said is missing at the end; what must not be said was not."""
    given = answer(AnswerRule(id="answer/1", rule=rule, value=["x"]), a_call("a"))

    assert given.result is result
    assert [found.kind for found in given.violations] == (["end"] if result is FAIL else [])


@pytest.mark.parametrize(("rule", "result"), [("contains", OPEN), ("not_contains", FAIL)])
def test_an_answer_after_a_missing_fixture_is_not_blamed_for_what_it_lacks(rule, result):
    """The agent could not know; but what it did say stays said."""
    clause = AnswerRule(id="answer/1", rule=rule, value=["x"] if rule == "contains" else ["o"])

    assert answer(clause, a_call("a", outcome=NO_FIXTURE), a_claim("no")).result is result


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It costs 1,250.00 dollars.", ()),
        ("It costs 1250 dollars.", ()),
        ("It costs 1251 dollars.", ("1251",)),
        ("Code 5 and item 7.", ()),
        ('It said "quota exceeded".', ()),
        ('It said "disk full".', ("disk full",)),
        ("It said “disk full”.", ("disk full",)),
        ("Your number 77 of 99.", ("99",)),
        ("Status 504 and E1234.", ()),
        ("1. first\n12. twelfth", ()),
    ],
)
def test_figures_and_quotes_must_have_been_given(text, found):
    """A figure may come from a result, an error, a person or the instructions."""
    trace = a_trace(
        a_user("I am number 77."),
        a_call("a", result={"price": 1250.0, "note": "quota exceeded"}),
        a_call("b", outcome=Outcome.UNKNOWN, error=CallError(status=504, message="late", body={})),
        a_call("c", result="plain 88"),
        a_call("d", outcome=MISSING),
    )

    assert unfounded_quotes(Claim(seq=len(trace.events), text=text), trace) == found
