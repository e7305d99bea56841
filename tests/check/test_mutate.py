"""Every kind of clause can be broken on purpose."""

from __future__ import annotations

import pytest

from tests.builders import (
    a_call,
    a_claim,
    a_contract,
    a_predicate,
    a_selector,
    a_trace,
    a_user,
    timed_trace,
)
from workbench.check.judge import judge
from workbench.check.mutate import MUTATIONS, dead_clauses, mutate
from workbench.model.contract import (
    After,
    AnswerRule,
    ArgsSchema,
    AtMostAfter,
    Before,
    ClaimIs,
    Evidence,
    FinalState,
    Finishes,
    ForbidCall,
    ImmediatelyAfter,
    Limit,
    MaxCalls,
    MinCalls,
    MustCall,
    NeverBetween,
    OnlyCall,
    PermissionRule,
    StatePredicate,
    StateRule,
    SuccessRequires,
)
from workbench.model.event import (
    ClaimOutcome,
    Decision,
    ModelReply,
    Outcome,
    Permission,
    StateChange,
    ToolCall,
    ToolResult,
    Usage,
)
from workbench.model.trace import Effect
from workbench.model.verdict import Result

PAUSE = a_selector("billing.pause")
READ = a_selector("billing.get_operation")
LOOKUP = a_selector("customer.lookup")
DONE = Evidence(
    text="billing.get_operation.status == completed",
    tool="billing.get_operation",
    predicate=a_predicate("status", "==", "completed"),
)
TOOLS = {
    "customer.lookup": Effect.READ,
    "billing.pause": Effect.WRITE,
    "billing.get_operation": Effect.READ,
    "mail.send": Effect.WRITE,
}


def a_good_trace():
    """Return a run that looked up, paused, read back and said so."""
    return a_trace(
        a_user(),
        a_call("customer.lookup", args={"email": "user_01@mail-01.example"}),
        Permission(decision=Decision.GRANTED, tool="billing.pause", actor="ops"),
        a_call(
            "billing.pause",
            args={"account": "AC-100001"},
            outcome=Outcome.UNKNOWN,
            detail="timeout",
            operation_id="op_1",
        ),
        a_call(
            "billing.get_operation",
            args={"operation_id": "op_1"},
            result={"status": "completed", "months": 12},
        ),
        StateChange(name="plan.status", before="active", after="paused"),
        a_claim("Your plan is paused for 12 months.", ClaimOutcome.SUCCESS),
        tools=TOOLS,
    )


CLAUSES = [
    MustCall(id="must_call/1", selector=PAUSE),
    MustCall(id="must_call/2", selector=a_selector("billing.pause#unknown")),
    MinCalls(id="min_calls/1", selector=a_selector("billing.*"), limit=2),
    ForbidCall(id="forbid_call/1", selector=a_selector("mail.send")),
    ForbidCall(
        id="forbid_call/2",
        selector=a_selector("billing.pause", where=(a_predicate("account", "!=", "AC-100001"),)),
    ),
    ForbidCall(
        id="forbid_call/3",
        selector=a_selector(
            "*", where=(a_predicate("to", "matches", r"^[^@]+@evil\.example$"),), agent="sub-*"
        ),
    ),
    ForbidCall(
        id="forbid_call/4",
        selector=a_selector("billing.pause#timeout", result=(a_predicate("a.0", "exists"),)),
    ),
    OnlyCall(id="only_call/1", selectors=(a_selector("billing.*"), LOOKUP)),
    MaxCalls(id="max_calls/1", selector=PAUSE, limit=1),
    MaxCalls(id="max_calls/2", selector=a_selector("mail.send"), limit=0),
    ArgsSchema(id="args/1", selector=PAUSE, schema={"type": "object", "required": ["account"]}),
    ArgsSchema(id="args/2", selector=a_selector("mail.send"), schema={"type": "object"}),
    ArgsSchema(id="args/3", selector=PAUSE, schema={"type": "object"}),
    Before(id="order/1", first=LOOKUP, then=PAUSE),
    Before(id="order/2", first=LOOKUP, then=a_selector("mail.send")),
    After(id="order/3", first=a_selector("billing.pause#unknown"), then=READ),
    After(id="order/4", first=a_selector("mail.send"), then=LOOKUP),
    NeverBetween(id="order/5", never=a_selector("mail.send"), opens=PAUSE, closes=READ),
    NeverBetween(id="order/6", never=PAUSE, opens=a_selector("mail.send"), closes=READ),
    AtMostAfter(id="order/7", first=a_selector("billing.pause#unknown"), then=PAUSE, limit=1),
    AtMostAfter(id="order/8", first=a_selector("mail.send"), then=PAUSE, limit=0),
    ImmediatelyAfter(id="order/9", first=PAUSE, then=READ),
    ImmediatelyAfter(id="order/10", first=a_selector("mail.send"), then=READ),
    ImmediatelyAfter(id="order/11", first=PAUSE, then=a_selector("*")),
    SuccessRequires(id="success_requires/1", evidence=DONE),
    FinalState(id="final_state/1", names=("read_back",)),
    FinalState(id="final_state/2", names=("not_done", "paused")),
    Finishes(id="finishes/1"),
    PermissionRule(id="permissions/1", grant=PAUSE, covers="same_tool"),
    PermissionRule(id="permissions/2", grant=a_selector("mail.send"), covers="session"),
    AnswerRule(id="answer.contains/1", rule="contains", value=["12 months"]),
    AnswerRule(id="answer.not_contains/1", rule="not_contains", value=["sorry"]),
    AnswerRule(id="answer.matches/1", rule="matches", value=["(?i)paused"]),
    AnswerRule(id="answer.not_matches/1", rule="not_matches", value=["sk-[A-Za-z0-9]{8,}"]),
    AnswerRule(id="answer.not_matches/2", rule="not_matches", value=["^sk-[0-9]$"]),
    AnswerRule(id="answer.quotes_results/1", rule="quotes_results", value=True),
    Limit(id="limits/1", measure="tool_calls", bound=5),
    Limit(id="limits/2", measure="model_calls", bound=4),
    Limit(id="limits/3", measure="identical_calls", bound=2),
]
STATES: dict[str, tuple[StateRule, ...]] = {
    "read_back": (DONE,),
    "not_done": (ClaimIs(text="claim == failure", outcome=ClaimOutcome.FAILURE),),
    "paused": (
        StatePredicate(
            text="state.plan.status == paused",
            predicate=a_predicate("plan.status", "==", "paused"),
        ),
    ),
}


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.id)
def test_a_live_clause_is_killed(clause):
    """A clause that protects must be able to turn red; the passing path shows how."""
    trace = a_good_trace()
    contract = a_contract(clause, states=STATES)
    assert judge(trace, contract).result is Result.PASS

    (mutant,) = mutate(trace, contract)

    assert mutant.clause == clause.id
    assert mutant.killed
    assert mutant.trace is not None
    assert clause.id in judge(mutant.trace, contract).signature.clauses


def test_every_kind_of_clause_has_a_mutation():
    """A kind without one would make every case that uses it look dead."""
    assert {type(clause) for clause in CLAUSES} == set(MUTATIONS)


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.id)
def test_a_mutant_is_a_well_formed_trace(clause):
    """A broken trace would break the judge, not the clause."""
    (mutant,) = mutate(a_good_trace(), a_contract(clause, states=STATES))

    assert mutant.trace is not None
    events = mutant.trace.events
    calls = {e.call_id: e.seq for e in events if isinstance(e, ToolCall)}
    asked = [i for e in events if isinstance(e, ModelReply) for i in e.call_ids]
    assert [event.seq for event in events] == list(range(len(events)))
    assert len(calls) == sum(isinstance(e, ToolCall) for e in events)
    assert all(calls[e.call_id] < e.seq for e in events if isinstance(e, ToolResult))
    assert set(asked) <= set(calls)


def test_measures_of_tokens_and_time_are_killed():
    """These need usage and times, which the other trace does not have."""
    trace = a_trace(
        a_user(), a_claim("Done.", usage=Usage(input_tokens=10, output_tokens=2, cost_usd=0.5))
    )
    timed = timed_trace(trace, step_ms=1500)
    contract = a_contract(
        Limit(id="limits/1", measure="input_tokens", bound=10),
        Limit(id="limits/2", measure="output_tokens", bound=2.5),
        Limit(id="limits/3", measure="wall_time_ms", bound=3000),
        Limit(id="limits/4", measure="cost_usd", bound=1.5),
    )

    assert judge(timed, contract).result is Result.PASS
    assert dead_clauses(timed, contract) == ()


def test_a_clause_that_can_never_turn_red_is_dead():
    """A predicate that no argument satisfies forbids nothing."""
    never = a_selector(
        "billing.pause", where=(a_predicate("a", "==", 1), a_predicate("a", "==", 2))
    )
    contract = a_contract(
        ForbidCall(id="forbid_call/1", selector=never),
        Limit(id="limits/1", measure="tool_calls", bound=10**8),
        MinCalls(id="min_calls/1", selector=PAUSE, limit=0),
        Limit(id="limits/2", measure="tool_calls", bound=10**9),
        Limit(id="limits/3", measure="model_calls", bound=10**9),
        AnswerRule(id="answer.not_matches/1", rule="not_matches", value=["\\x{41}"]),
        MustCall(id="must_call/1", selector=PAUSE),
    )

    assert dead_clauses(a_good_trace(), contract) == (
        "forbid_call/1",
        "limits/1",
        "min_calls/1",
        "limits/2",
        "limits/3",
        "answer.not_matches/1",
    )


def test_an_answer_that_is_json_is_killed():
    """A schema on the answer breaks by an answer that is no JSON."""
    trace = a_trace(a_user(), a_claim('{"paused": true}'))
    clause = AnswerRule(
        id="answer.json_schema/1", rule="json_schema", value={"required": ["paused"]}
    )

    assert judge(trace, a_contract(clause)).result is Result.PASS
    assert dead_clauses(trace, a_contract(clause)) == ()


def test_success_requires_is_killed_where_the_path_claims_nothing():
    """An accepted path may end unresolved; the clause must still be able to fire."""
    for trace in (
        a_trace(a_user(), a_claim("It is pending.", ClaimOutcome.UNRESOLVED)),
        a_trace(a_user(), a_call("billing.get_operation", result={"status": "completed"})),
    ):
        clause = SuccessRequires(id="success_requires/1", evidence=DONE)
        assert dead_clauses(trace, a_contract(clause)) == ()


def test_a_run_of_nothing_can_be_mutated():
    """An empty path has no event to move; clauses that need one are dead on it."""
    empty = a_trace()
    contract = a_contract(
        Limit(id="limits/1", measure="wall_time_ms", bound=1),
        Limit(id="limits/2", measure="identical_calls", bound=1),
        AnswerRule(id="answer.not_contains/1", rule="not_contains", value="x"),
        Finishes(id="finishes/1"),
        ForbidCall(id="forbid_call/1", selector=PAUSE),
        NeverBetween(
            id="order/1",
            never=PAUSE,
            opens=a_selector("a", where=(a_predicate("a", "in", []),)),
            closes=READ,
        ),
    )

    assert dead_clauses(empty, contract) == ("limits/1", "order/1")


def test_arguments_that_are_no_mapping_are_broken_too():
    """A schema may ask for a list; text that is no JSON fits none."""
    trace = a_trace(a_user(), a_call("billing.pause", args=[1]), a_claim())
    clause = ArgsSchema(id="args/1", selector=PAUSE, schema={"type": "array"})
    other = ArgsSchema(id="args/2", selector=a_selector("a*", agent="x"), schema=True)
    grant = PermissionRule(id="permissions/1", grant=a_selector("mail.send"), covers="session")

    assert dead_clauses(trace, a_contract(clause, other, grant)) == ()


def test_a_call_that_cannot_be_made_up_leaves_a_clause_dead():
    """Nothing satisfies an empty list of choices."""
    never = a_selector("mail.send", where=(a_predicate("a", "in", []),))
    contract = a_contract(
        ArgsSchema(id="args/1", selector=never, schema=False),
        PermissionRule(id="permissions/1", grant=never, covers="session"),
    )

    assert dead_clauses(a_good_trace(), contract) == ("args/1", "permissions/1")


def test_a_repeated_call_keeps_that_it_was_never_answered():
    """A lost call is repeated as a lost call."""
    trace = a_trace(a_user(), a_call("billing.pause", outcome=Outcome.MISSING), a_claim())
    clause = Limit(id="limits/1", measure="identical_calls", bound=1)

    assert dead_clauses(trace, a_contract(clause)) == ()
