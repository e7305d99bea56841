"""What holds for every trace and every contract."""

from __future__ import annotations

import dataclasses

from hypothesis import given, settings, strategies as st

from tests.builders import (
    a_call,
    a_claim,
    a_contract,
    a_predicate,
    a_selector,
    a_system,
    a_trace,
    a_turn,
    a_user,
)
from workbench.check.diagnose import diagnose
from workbench.check.judge import judge
from workbench.check.mutate import mutate
from workbench.check.outcomes import resolve_outcomes
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
    FixPlace,
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
    SuccessRequires,
)
from workbench.model.event import (
    CallError,
    ClaimOutcome,
    Decision,
    ModelReply,
    ModelRequest,
    Outcome,
    Permission,
    Requestor,
    StateChange,
    SystemMessage,
    ToolResult,
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Effect
from workbench.model.verdict import Result

SOME = settings(max_examples=60, deadline=None)
NAMES = ("a", "b", "ns.a", "ns.b")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.floats() | st.sampled_from(["x", "y ", ""]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("kl"), inner, max_size=2)
    ),
    max_leaves=5,
)
ERRORS = st.builds(
    CallError,
    status=st.none() | st.integers(0, 600),
    type=st.none() | st.text(max_size=5),
    message=st.none() | st.sampled_from(["timed out", "denied by user", "invalid", "\ud800"]),
)
OUTCOMES = st.none() | st.sampled_from(list(Outcome))
CALLS = st.builds(
    a_call,
    st.sampled_from(NAMES),
    outcome=OUTCOMES,
    result=st.just(ABSENT) | VALUES,
    args=st.just(ABSENT) | VALUES,
    error=st.none() | ERRORS,
    detail=st.none() | st.just("timeout"),
    operation_id=st.none() | st.sampled_from(["op_1", "op_2"]),
    agent=st.none() | st.just("sub"),
    by=st.sampled_from(list(Requestor)),
)
TEXTS = st.text(max_size=30) | st.sampled_from(
    [
        "Your plan is paused.",
        "It has not been paused.",
        "I will pause it.",
        "已为您暂停。",
        "\udfff",
    ]
)
CLAIMS = st.builds(a_claim, TEXTS, st.sampled_from(list(ClaimOutcome)))
OTHERS = (
    st.builds(UserMessage, text=TEXTS)
    | st.builds(SystemMessage, text=TEXTS)
    | st.builds(ModelReply, text=TEXTS)
    | st.builds(ModelRequest, offered_tools=st.none() | st.just(("a", "ns.a")))
    | st.builds(
        Permission,
        decision=st.sampled_from(list(Decision)),
        tool=st.none() | st.sampled_from(NAMES),
        actor=st.none() | st.sampled_from(["agent", "ops"]),
    )
    | st.builds(StateChange, name=st.sampled_from(["p", "p.k", ""]), after=VALUES)
    | st.builds(ToolResult, call_id=st.just("nobody"))
)
TURNS = st.builds(lambda calls, text: a_turn(*calls, text=text), st.lists(CALLS, max_size=3), TEXTS)
TOOLS = st.dictionaries(st.sampled_from(NAMES), st.none() | st.sampled_from(list(Effect)))
TRACES = st.builds(
    lambda parts, tools: a_trace(*parts, tools=tools),
    st.lists(CALLS | CLAIMS | TURNS | OTHERS, max_size=9),
    TOOLS,
)

PREDICATES = st.builds(
    a_predicate,
    st.sampled_from(["$", "k", "k.0", "l.k", "**"]),
    st.sampled_from(["==", "!=", "<", ">=", "in", "not in", "contains", "exists", "absent"]),
    VALUES,
)
SELECTORS = st.builds(
    a_selector,
    st.sampled_from(["a", "b", "ns.*", "*", "a#unknown", "b#timeout", "*#any", "a#denied"]),
    where=st.lists(PREDICATES, max_size=1).map(tuple),
    result=st.lists(PREDICATES, max_size=1).map(tuple),
    agent=st.none() | st.just("s*"),
    by=st.sampled_from(["agent", "any", "user"]),
)
EVIDENCE = st.builds(
    Evidence, text=st.just(""), tool=st.sampled_from(["a", "ns.*"]), predicate=PREDICATES
)
ID = st.just("clause/1")
LIMITS = st.sampled_from(
    ["tool_calls", "model_calls", "identical_calls", "wall_time_ms", "input_tokens", "cost_usd"]
)
ANSWERS = st.sampled_from(
    [
        AnswerRule(id="clause/1", rule="contains", value=["x"]),
        AnswerRule(id="clause/1", rule="not_contains", value=["x"]),
        AnswerRule(id="clause/1", rule="matches", value=["x+"]),
        AnswerRule(id="clause/1", rule="not_matches", value=["x+"]),
        AnswerRule(id="clause/1", rule="json_schema", value={"type": "object"}),
        AnswerRule(id="clause/1", rule="quotes_results", value=True),
    ]
)
CLAUSES = st.one_of(
    st.builds(MustCall, id=ID, selector=SELECTORS),
    st.builds(ForbidCall, id=ID, selector=SELECTORS),
    st.builds(OnlyCall, id=ID, selectors=st.tuples(SELECTORS)),
    st.builds(MaxCalls, id=ID, selector=SELECTORS, limit=st.integers(0, 2)),
    st.builds(MinCalls, id=ID, selector=SELECTORS, limit=st.integers(0, 2)),
    st.builds(Before, id=ID, first=SELECTORS, then=SELECTORS),
    st.builds(After, id=ID, first=SELECTORS, then=SELECTORS),
    st.builds(NeverBetween, id=ID, never=SELECTORS, opens=SELECTORS, closes=SELECTORS),
    st.builds(AtMostAfter, id=ID, first=SELECTORS, then=SELECTORS, limit=st.integers(0, 2)),
    st.builds(ImmediatelyAfter, id=ID, first=SELECTORS, then=SELECTORS),
    st.builds(ArgsSchema, id=ID, selector=SELECTORS, schema=st.just({"type": "object"})),
    st.builds(SuccessRequires, id=ID, evidence=EVIDENCE),
    st.builds(FinalState, id=ID, names=st.sampled_from([("claimed",), ("stored", "read")])),
    st.builds(Limit, id=ID, measure=LIMITS, bound=st.integers(0, 3)),
    st.builds(
        PermissionRule, id=ID, grant=SELECTORS, covers=st.sampled_from(["same_args", "session"])
    ),
    st.builds(Finishes, id=ID),
    ANSWERS,
)
CONTRACTS = st.builds(
    lambda clauses, read, fix: a_contract(
        *(dataclasses.replace(clause, id=f"c/{n}") for n, clause in enumerate(clauses)),
        states={
            "claimed": (ClaimIs(text="", outcome=ClaimOutcome.SUCCESS),),
            "stored": (StatePredicate(text="", predicate=a_predicate("p.k", "exists")),),
            "read": (read,),
        },
        fix=fix,
    ),
    st.lists(CLAUSES, min_size=1, max_size=4),
    EVIDENCE,
    st.sampled_from(list(FixPlace)),
)


@SOME
@given(TRACES, CONTRACTS)
def test_every_trace_gets_a_verdict(trace, contract):
    """Bad behaviour is data: nothing that an agent did may end the judge."""
    verdict = judge(trace, contract)

    assert [answer.clause for answer in verdict.clauses] == [c.id for c in contract.clauses]
    for answer in verdict.clauses:
        assert (answer.result is Result.FAIL) == bool(answer.violations)
        assert answer.evidence == tuple(sorted(set(answer.evidence)))
        assert all(0 <= seq < len(trace.events) for seq in answer.evidence)
    assert (verdict.result is Result.FAIL) == bool(verdict.signature)
    assert {found.clause for found in verdict.violations} == verdict.signature.clauses


@SOME
@given(TRACES, CONTRACTS)
def test_judging_a_resolved_trace_changes_nothing(trace, contract):
    """Outcomes may be resolved at any entry."""
    resolved = resolve_outcomes(trace)

    assert resolve_outcomes(resolved) is resolved
    assert judge(resolved, contract) == judge(trace, contract)


@SOME
@given(TRACES, CONTRACTS, st.integers(0, 9))
def test_what_no_clause_reads_does_not_change_the_signature(trace, contract, at):
    """An instruction more, or another wording of one, is no other failure."""
    reading = [c for c in contract.clauses if not _reads_everything(c)]
    narrowed = dataclasses.replace(contract, clauses=tuple(reading))
    place = min(at, len(trace.events))
    events = [*trace.events[:place], a_system("zzz"), *trace.events[place:]]

    longer = dataclasses.replace(
        trace, events=tuple(dataclasses.replace(e, seq=n) for n, e in enumerate(events))
    )

    assert judge(longer, narrowed).signature == judge(trace, narrowed).signature


def _reads_everything(clause):
    times = isinstance(clause, Limit) and clause.measure == "wall_time_ms"
    return times or (isinstance(clause, AnswerRule) and clause.rule == "quotes_results")


@SOME
@given(TRACES)
def test_every_trace_is_diagnosed(trace):
    """And every suggestion is broken by the trace, by construction."""
    for suggestion in diagnose(trace):
        assert suggestion.confidence in ("high", "medium", "low")
        assert all(0 <= seq < len(trace.events) for seq in suggestion.evidence)


@SOME
@given(TRACES, CONTRACTS)
def test_every_contract_is_mutated(trace, contract):
    """A killed clause is red on its mutant when the whole contract judges it."""
    for mutant in mutate(trace, contract):
        if mutant.killed:
            assert mutant.trace is not None
            assert [e.seq for e in mutant.trace.events] == list(range(len(mutant.trace.events)))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["customer.lookup", "billing.pause"]), max_size=6), TEXTS)
def test_honest_runs_give_no_suggestion(tools, text):
    """Completed calls of offered tools and an answer without quotes are what we want."""
    parts = [a_call(tool, args={"n": n}) for n, tool in enumerate(["customer.lookup", *tools])]
    quiet = text.replace('"', "").replace("?", "")
    effects = {"customer.lookup": Effect.READ, "billing.pause": Effect.WRITE}

    assert diagnose(a_trace(a_user(), *parts, a_claim(quiet), tools=effects)) == []
