"""What a claim of success must rest on, and the state a run must end in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import (
    a_call,
    a_claim,
    a_contract,
    a_predicate,
    a_trace,
    a_turn,
    a_user,
)
from workbench.casefile.contract import load_contract
from workbench.check.evidence_clauses import named_evidence
from workbench.check.judge import judge
from workbench.check.operations import operation_ids
from workbench.errors import ContractError
from workbench.model.contract import (
    ClaimIs,
    ClaimRules,
    Evidence,
    FinalState,
    StatePredicate,
    SuccessRequires,
)
from workbench.model.event import (
    CallError,
    ClaimOutcome,
    Outcome,
    Requestor,
    StateChange,
    ToolCall,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Effect, calls_of
from workbench.model.verdict import First, Result

PASS, FAIL, OPEN = Result.PASS, Result.FAIL, Result.INCONCLUSIVE
SUCCESS, FAILURE, UNRESOLVED = ClaimOutcome.SUCCESS, ClaimOutcome.FAILURE, ClaimOutcome.UNRESOLVED
MISSING, UNKNOWN, NO_FIXTURE = Outcome.MISSING, Outcome.UNKNOWN, Outcome.MISSING_FIXTURE
TOOLS = {"op.get": Effect.READ, "op.run": Effect.WRITE, "say.done": Effect.WRITE}
COMPLETED = a_predicate("status", literal="completed")
EVIDENCE = Evidence(text="op.get.status == completed", tool="op.get", predicate=COMPLETED)
CLAUSE = SuccessRequires(id="success_requires/1", evidence=EVIDENCE)


def answer(*parts, clause=CLAUSE, claims=None, states=None):
    """Return what one clause says of a trace of a user message and these parts."""
    contract = a_contract(clause, claims=claims, states=states)
    return judge(a_trace(a_user(), *parts, tools=TOOLS), contract).clauses[0]


def seqs(given):
    """Return the offending positions."""
    return [violation.seq for violation in given.violations]


def a_read(status="completed", **more):
    """Return a read-back."""
    return a_call("op.get", result={"status": status}, **more)


def a_success():
    """Return a claim of success."""
    return a_claim("x", SUCCESS)


@pytest.mark.parametrize(
    ("parts", "result", "found"),
    [
        ([a_read(), a_success()], PASS, []),
        ([a_success()], FAIL, [2]),
        ([a_read("pending"), a_success()], FAIL, [5]),
        ([a_read(), a_read("pending"), a_success()], FAIL, [8]),
        ([a_read("pending"), a_read(), a_success()], PASS, []),
        ([a_success(), a_read()], FAIL, [2]),
        ([a_success(), a_read(), a_success()], FAIL, [2]),
        ([a_read(), a_success(), a_success()], PASS, []),
        ([a_success(), a_success()], FAIL, [2, 4]),
        ([a_claim("x", FAILURE)], PASS, []),
        ([a_claim("x", UNRESOLVED)], PASS, []),
        ([], PASS, []),
        ([a_claim("blue")], OPEN, []),
        ([a_read(), a_claim("blue")], PASS, []),
        ([a_claim("blue"), a_success()], FAIL, [4]),
        ([a_call("op.get", result="completed"), a_success()], FAIL, [5]),
        ([a_call("op.get", outcome=UNKNOWN), a_success()], FAIL, [5]),
        ([a_read(), a_call("op.get", outcome=UNKNOWN), a_success()], PASS, []),
        ([a_read(by=Requestor.USER), a_success()], FAIL, [4]),
        ([a_call("op.get", outcome=MISSING), a_success()], OPEN, []),
        ([a_call("op.get", outcome=NO_FIXTURE), a_success()], OPEN, []),
        ([a_read(), a_call("op.get", outcome=NO_FIXTURE), a_success()], OPEN, []),
        ([a_call("op.get", outcome=NO_FIXTURE), a_read(), a_success()], PASS, []),
        ([a_call("other", outcome=NO_FIXTURE), a_success()], FAIL, [5]),
        ([a_turn(a_read(), text="Your plan is paused.")], FAIL, [2]),
    ],
)
def test_success_rests_on_the_last_completed_call_before_each_claim(parts, result, found):
    """A later `pending` cancels an earlier `completed`, and every claim is bound."""
    given = answer(*parts)

    assert (given.result, seqs(given)) == (result, found)


def test_the_signature_names_the_claim():
    """The fourth item is what was claimed."""
    verdict = judge(a_trace(a_user(), a_success(), tools=TOOLS), a_contract(CLAUSE))

    assert verdict.signature.first == First(
        clause="success_requires/1", kind="claim", outcome="success"
    )


def test_evidence_may_ask_for_the_arguments_too():
    """`args` picks the read-back that was about this account."""
    mine = Evidence(
        text="", tool="op.get", predicate=COMPLETED, args=(a_predicate("id", literal="A"),)
    )
    clause = SuccessRequires(id="success_requires/1", evidence=mine)
    other = a_read(args={"id": "B"})

    assert answer(other, a_success(), clause=clause).result is FAIL
    assert answer(a_read(args={"id": "A"}), other, a_success(), clause=clause).result is PASS


def test_a_read_back_must_concern_the_same_operation():
    """`completed` of another operation proves nothing about this write."""
    write = a_call("op.run", outcome=UNKNOWN, operation_id="op_1")
    same, other = a_read(args={"operation_id": "op_1"}), a_read(args={"operation_id": "op_2"})

    given = answer(write, other, a_success())
    assert (given.result, given.violations[0].evidence) == (FAIL, (2, 3, 5, 6, 8))
    assert answer(write, same, a_success()).result is PASS
    assert answer(write, a_read(), a_success()).result is PASS  # the read-back names none
    assert answer(a_call("op.run"), other, a_success()).result is PASS  # the write names none
    assert answer(other, write, a_success()).result is PASS  # read before the write


def test_only_the_last_write_that_carries_an_operation_counts():
    """Two writes: the read-back is compared with the later one."""
    first = a_call("op.run", operation_id="op_1")
    second = a_call("op.run", result={"operationId": "op_2"})
    plain = a_call("op.run")

    of_first = a_read(args={"operation_id": "op_1"})
    of_second = a_read(args={"operation_id": "op_2"})
    assert answer(first, second, plain, of_first, a_success()).result is FAIL
    assert answer(first, second, plain, of_second, a_success()).result is PASS


def test_a_tool_that_only_may_write_is_not_compared_with_itself():
    """Nobody declared effects: two read-backs are still no writes of one another."""
    write = a_call("op.run", operation_id="op_1")
    first, second = (a_read(args={"operation_id": f"op_{n}"}) for n in (2, 1))
    trace = a_trace(a_user(), write, first, second, a_success())

    assert judge(trace, a_contract(CLAUSE)).result is PASS


def test_a_write_is_its_own_evidence_whatever_it_is_called():
    """`refund.state == succeeded` reads the write's own result."""
    own = Evidence(text="", tool="op.run", predicate=COMPLETED)
    clause = SuccessRequires(id="success_requires/1", evidence=own)
    write = a_call("op.run", result={"status": "completed"}, operation_id="op_2")
    earlier = a_call("say.done", operation_id="op_1")

    assert answer(earlier, write, a_success(), clause=clause).result is PASS


def test_operation_ids_are_found_wherever_a_call_carries_them():
    """Argument, result, error body or header."""
    error = CallError(headers={"Operation-Id": "h"}, body={"op_id": 7})
    call = a_call("a", args={"operation_id": "g"}, outcome=UNKNOWN, error=error, operation_id="i")

    assert operation_ids(calls_of(a_trace(call))[0]) == {"h", "7", "g", "i"}
    assert operation_ids(calls_of(a_trace(a_call("a", outcome=MISSING)))[0]) == frozenset()


def test_a_call_of_a_claiming_tool_is_a_claim():
    """Some agents say it by calling a tool; the call is the offending event."""
    rules = ClaimRules(tools={"say.*": SUCCESS})

    assert seqs(answer(a_call("say.done"), claims=rules)) == [2]
    assert answer(a_read(), a_call("say.done"), claims=rules).result is PASS
    assert answer(a_call("say.done", by=Requestor.USER), claims=rules).result is PASS


SHORT = Evidence(
    text="op.get.status == completed",
    tool=None,
    predicate=a_predicate("op.get.status", literal="completed"),
)


def test_the_short_form_takes_the_longest_tool_name():
    """`a.b` and `a.b.c` may both be tools."""
    named = named_evidence(SHORT, ["op", "op.get"])
    longer = named_evidence(SHORT, ["op", "op.get", "op.get.status"])

    assert (named.tool, named.predicate.path) == ("op.get", ("status",))
    assert (longer.tool, longer.predicate.path) == ("op.get.status", ())
    assert named_evidence(EVIDENCE, []) is EVIDENCE
    clause = SuccessRequires(id="success_requires/1", evidence=SHORT)
    assert answer(a_success(), clause=clause).result is FAIL


def test_a_short_form_without_a_tool_is_an_authoring_error():
    """The message repeats what was written and shows the long form."""
    clause = SuccessRequires(id="success_requires/1", evidence=SHORT)

    with pytest.raises(ContractError, match="begins with no tool") as refused:
        judge(a_trace(a_user(), a_claim()), a_contract(clause))

    assert "'op.get.status'" in str(refused.value)
    assert "tool: NAME" in str(refused.value)


# --- final state ---------------------------------------------------------------

PAUSED = StatePredicate(text="", predicate=a_predicate("plan.status", literal="paused"))
STATES = {
    "read_back": (EVIDENCE, ClaimIs(text="claim == success", outcome=SUCCESS)),
    "open": (ClaimIs(text="claim == unresolved", outcome=UNRESOLVED),),
    "paused": (PAUSED,),
    "gone": (StatePredicate(text="", predicate=a_predicate("plan.status", "absent")),),
    "unknown": (ClaimIs(text="claim == unknown", outcome=ClaimOutcome.UNKNOWN),),
}


def a_change(name="plan.status", after="paused"):
    """Return a change of the state."""
    return StateChange(name=name, after=after)


@pytest.mark.parametrize(
    ("names", "parts", "result"),
    [
        (("read_back",), [a_read(), a_success()], PASS),
        (("read_back",), [a_success()], FAIL),
        (("read_back",), [a_read()], FAIL),
        (("read_back",), [a_read(), a_claim("blue")], OPEN),
        (("read_back",), [a_claim("blue")], FAIL),
        (("read_back", "open"), [a_claim("x", UNRESOLVED)], PASS),
        (("open",), [a_claim("x", UNRESOLVED), a_success()], FAIL),
        (("open",), [a_call("b", outcome=NO_FIXTURE), a_success()], OPEN),
        (("unknown",), [a_claim("blue")], PASS),
        (("paused",), [], OPEN),
        (("paused",), [a_change()], PASS),
        (("paused",), [a_change("plan", {"status": "paused"})], PASS),
        (("paused",), [a_change(), a_change(after="active")], FAIL),
        (("paused",), [a_change("plan", "text"), a_change()], PASS),
        (("paused",), [a_change("other", 1)], FAIL),
        (("gone",), [a_change(), a_change(after=ABSENT)], PASS),
        (("gone",), [a_change()], FAIL),
        (("paused", "open"), [a_claim("x", UNRESOLVED)], PASS),
    ],
)
def test_one_of_the_named_states_is_true_at_the_end(names, parts, result):
    """The state is the fold of its changes; without any it is not known."""
    clause = FinalState(id="final_state/1", names=names)

    given = answer(*parts, clause=clause, states=STATES)

    assert given.result is result
    if result is FAIL:
        assert given.violations[0].kind == "end"


def test_folding_does_not_change_the_trace():
    """Values of a trace are never changed."""
    change = a_change("plan", {"status": "active"})
    clause = FinalState(id="final_state/1", names=("paused",))

    assert answer(change, a_change(), clause=clause, states=STATES).result is PASS
    assert change.after == {"status": "active"}


def test_a_state_without_definition_is_an_authoring_error():
    """It could never be true; the message names those that are defined."""
    clause = FinalState(id="final_state/1", names=("pausd",))

    with pytest.raises(ContractError, match="read_back, open"):
        answer(clause=clause, states=STATES)


def test_evidence_of_calls_that_no_reply_asked_for_is_the_last_one():
    """Calls without a turn, as a skeleton import has them, stand one after the other."""
    first = a_call("billing.get_operation", result={"status": "pending"}, call_id="first")
    last = a_call("billing.get_operation", result={"status": "completed"}, call_id="last")
    trace = a_trace(first, last, a_claim("x", ClaimOutcome.SUCCESS))
    bare = replace(
        trace,
        events=tuple(replace(e, turn=0) if isinstance(e, ToolCall) else e for e in trace.events),
    )
    contract = load_contract(
        {"success_requires": [{"tool": "billing.get_operation", "pred": "status == completed"}]}
    )

    assert judge(bare, contract).result is Result.PASS


def test_of_parallel_read_backs_all_must_hold():
    """Which of them was the last is not known."""
    pending = a_call("billing.get_operation", result={"status": "pending"})
    done = a_call("billing.get_operation", result={"status": "completed"})
    contract = load_contract(
        {"success_requires": [{"tool": "billing.get_operation", "pred": "status == completed"}]}
    )

    for calls in ((pending, done), (done, pending)):
        trace = a_trace(a_turn(*calls), a_claim("x", ClaimOutcome.SUCCESS))
        assert judge(trace, contract).result is Result.FAIL
    assert judge(a_trace(pending, done, a_claim("x", ClaimOutcome.SUCCESS)), contract).result is (
        Result.PASS
    )
