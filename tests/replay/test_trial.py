"""One trial: what an agent asks for, what it gets, and what is noted."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from tests.replay.builders import a_call, a_case, a_fixture, a_path, asks
from workbench.casefile.digest import args_digest
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
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT, JsonMap
from workbench.replay.asked import reported_results
from workbench.replay.exchange import ModelAsk
from workbench.replay.issues import IssueKind
from workbench.replay.matching import Answered, Miss
from workbench.replay.trial import Limits, Trial

PAUSE = a_fixture("billing.pause", id="f2", args={"a": 1})


def a_trial(*turns, limits=None, clock=None, **fields):
    """Return a trial of the recorded path."""
    case = a_case(*turns, **{"fixtures": (a_fixture(), PAUSE), **fields})
    extra = {} if clock is None else {"clock": clock}
    return Trial(case, case.recorded, run_id="t", limits=limits or Limits(), **extra)


def ask(trial, *results, offered=None):
    """Send a model request that shows these tool results."""
    messages = [{"role": "tool", **result} for result in results]
    asked = ModelAsk(messages=1, results=reported_results(messages), offered=offered)
    return trial.model(asked)


def of(trial, cls):
    """Return the events of one kind of a finished trial."""
    return [event for event in trial.finish().trace.events if isinstance(event, cls)]


def issues(trial):
    """Return the kinds of a finished trial's issues."""
    return [issue.kind for issue in trial.finish().issues]


def results(trial):
    """Return how each call ended."""
    return [(r.call_id, r.outcome, r.detail) for r in of(trial, ToolResult)]


def test_the_nth_request_gets_the_nth_reply():
    """Whatever the code did with the last one."""
    trial = a_trial(Turn(text="a"), Turn(user="x"), Turn(text="b"), Turn(text="c"))

    texts = [ask(trial).text, ask(trial).text]

    assert texts == ["a", "b"]
    assert trial.finish().replies_left == 1


def test_a_request_beyond_the_script_is_inconclusive():
    """A script that ended says nothing about what a model would do."""
    trial = a_trial(Turn(text="a"))

    assert [ask(trial) is None for _ in range(3)] == [False, True, True]
    assert issues(trial) == [IssueKind.SCRIPT_EXHAUSTED]


def test_recorded_errors_are_consumed_one_a_request():
    """A client that retries replays what its retry saw."""
    trial = a_trial(Turn(error=CallError(status=503)), Turn(text="a"))

    assert ask(trial).error == CallError(status=503)
    assert ask(trial).text == "a"


def test_calls_carry_the_id_and_turn_of_the_reply_that_asked():
    """Also when the code repaired the arguments: it still carries out that call."""
    trial = a_trial(
        asks(a_call("customer.lookup", {"a": " 1"})), fixtures=(a_fixture(args={"a": 1}),)
    )
    ask(trial)

    answer = trial.tool("customer_lookup", {"a": 1})

    assert isinstance(answer, Answered)
    (call,) = of(trial, ToolCall)
    assert (call.call_id, call.turn, call.args, call.requestor) == (
        "c1",
        1,
        {"a": 1},
        Requestor.AGENT,
    )


def test_equal_arguments_are_paired_before_others_and_ids_before_both():
    """Calls of one turn are told apart by id, then by arguments, then by tool."""
    turn = asks(
        a_call("customer.lookup", {"a": 1}),
        a_call("customer.lookup", {"a": 2}, call_id="c2"),
        a_call("customer.lookup", {"a": 2}, call_id="c3"),
    )
    trial = a_trial(turn, fixtures=(a_fixture(match={"a": "any"}, times=ANY_TIMES),))
    ask(trial)

    trial.tool("customer.lookup", {"a": 2})
    trial.tool("customer.lookup", {"a": 2}, call_id="c3")
    trial.tool("customer.lookup", {"a": 9})

    assert [call.call_id for call in of(trial, ToolCall)] == ["c2", "c3", "c1"]


def test_equal_calls_get_the_results_of_their_ids_however_they_arrive():
    """The first asked got the first result in the incident, also when it comes last here."""
    turn = asks(*(a_call("customer.lookup", {"a": 1}, call_id=name) for name in ("c1", "c2", "c3")))
    fixtures = [a_fixture(id=f"f{n}", args={"a": 1}, result=n) for n in (1, 2, 3)]
    trial = a_trial(turn, fixtures=(replace(fixtures[0], times=2), *fixtures[1:]))
    ask(trial)

    found = [trial.tool("customer.lookup", {"a": 1}, call_id=n) for n in ("c3", "c1", "c2")]

    assert [a.fixture.id for a in found if isinstance(a, Answered)] == ["f2", "f1", "f1"]


def test_an_equal_call_that_comes_alone_is_answered_all_the_same():
    """Code that makes one of two equal calls gets the one result that there is."""
    turn = asks(*(a_call("customer.lookup", {"a": 1}, call_id=name) for name in ("c1", "c2")))
    trial = a_trial(turn, fixtures=(a_fixture(args={"a": 1}),))
    ask(trial)

    assert isinstance(trial.tool("customer.lookup", {"a": 1}, call_id="c2"), Answered)


def test_a_retry_by_the_code_is_a_call_of_its_own():
    """A retried write is a second write, though the model asked once."""
    trial = a_trial(asks(a_call("billing.pause", {"a": 1})), fixtures=(replace(PAUSE, times=2),))
    ask(trial)

    trial.tool("billing.pause", {"a": 1})
    trial.tool("billing.pause", {"a": 1})

    assert [(c.call_id, c.turn) for c in of(trial, ToolCall)] == [("c1", 1), ("own", 0)]
    assert {c.requestor for c in of(trial, ToolCall)} == {Requestor.AGENT}


def test_a_recorded_framework_call_stays_the_frameworks():
    """Each recorded one once; the next is the agent's own."""
    trial = a_trial(
        Turn(by=Requestor.FRAMEWORK, tool_calls=(a_call("customer.lookup"),)),
        fixtures=(a_fixture(times=ANY_TIMES),),
    )

    trial.tool("customer.lookup", {})
    trial.tool("customer.lookup", {})

    assert [c.requestor for c in of(trial, ToolCall)] == [Requestor.FRAMEWORK, Requestor.AGENT]


def test_framework_calls_are_known_in_any_order():
    """A framework may look things up in another order today."""
    trial = a_trial(
        Turn(
            by=Requestor.FRAMEWORK,
            tool_calls=(a_call("calc"), a_call("customer.lookup", call_id="c2")),
        ),
        fixtures=(a_fixture(), a_fixture("calc", id="f2")),
    )

    trial.tool("customer.lookup", {})
    trial.tool("calc", {})

    assert [c.requestor for c in of(trial, ToolCall)] == [Requestor.FRAMEWORK] * 2


def test_a_call_that_the_code_never_made_is_denied_at_its_place():
    """The model asked and the code stopped it: requested, not attempted."""
    trial = a_trial(asks(a_call("billing.pause", {"a": 1})), Turn(text="b"))
    ask(trial)
    ask(trial)

    kinds = [event.kind for event in trial.finish().trace.events]
    assert kinds == [
        "user_message", "model_request", "model_reply", "tool_call", "tool_result",
        "model_request", "model_reply",
    ]  # fmt: skip


def test_denied_and_unattempted_calls_say_which():
    """A decision that the agent reports is more than silence."""
    turn = asks(
        a_call("billing.pause", {"a": 1}),
        a_call("billing.pause", {"a": 2}, call_id="c2"),
        a_call("customer.lookup", call_id="c3"),
    )
    trial = a_trial(turn)
    ask(trial)

    trial.report(
        [
            {"kind": "permission", "decision": "asked", "tool": "customer.lookup"},
            {
                "kind": "permission",
                "decision": "denied",
                "tool": "billing_pause",
                "args_digest": args_digest({"a": 2}),
            },
        ]
    )

    assert results(trial) == [
        ("c1", Outcome.DENIED, "not_attempted"),
        ("c2", Outcome.DENIED, "denied_by_agent"),
        ("c3", Outcome.DENIED, "not_attempted"),
    ]
    assert [p.tool for p in of(trial, Permission)] == ["customer.lookup", "billing.pause"]


def test_a_digest_fits_no_arguments_that_are_not_json():
    """There is no digest of a text that is no JSON."""
    trial = a_trial(asks(a_call("billing.pause", raw="{")))
    ask(trial)

    trial.report([{"kind": "permission", "decision": "denied", "args_digest": args_digest({})}])

    assert results(trial) == [("c1", Outcome.DENIED, "not_attempted")]


def test_a_result_that_no_fixture_gave_is_a_hard_violation():
    """The agent used a live tool of its own."""
    trial = a_trial(asks(a_call("billing.pause", {"a": 1})), Turn(text="b"))
    ask(trial)

    ask(trial, {"tool_call_id": "c1", "content": {"status": "paused"}})

    record = trial.finish()
    assert [issue.kind for issue in record.issues] == [IssueKind.UNOBSERVED_TOOL]
    assert record.issues[0].is_breach
    assert results(trial)[0][1:] == (Outcome.UNKNOWN, "unobserved")


def test_a_result_without_id_is_known_by_its_tool():
    """An agent may drop ids, and must not slip through by it."""
    trial = a_trial(asks(a_call("billing.pause", {"a": 1})), Turn(text="b"))
    ask(trial)

    ask(trial, {"name": "billing_pause", "content": "paused"})

    assert issues(trial) == [IssueKind.UNOBSERVED_TOOL]


@pytest.mark.parametrize(
    "result",
    [
        {"content": {"error": "not allowed"}},
        {"content": {"outcome": "denied"}},
        {"content": "Error: refused by policy"},
        {"content": "whatever", "is_error": True},
        {"content": "whatever", "error": {"type": "Denied"}},
    ],
)
def test_a_local_refusal_is_right_behaviour(result):
    """Code that stops a call answers the model itself."""
    trial = a_trial(asks(a_call("billing.pause", {"a": 1})), Turn(text="b"))
    ask(trial)

    ask(trial, {"tool_call_id": "c1", **result})

    assert issues(trial) == []
    assert results(trial) == [("c1", Outcome.DENIED, "not_attempted")]


def test_calls_that_went_through_the_gateway_or_were_denied_raise_nothing():
    """The usual loop shows every result to the model."""
    turn = asks(a_call("billing.pause", {"a": 1}), a_call("customer.lookup", call_id="c2"))
    trial = a_trial(turn, Turn(text="b"), Turn(text="c"))
    ask(trial)
    trial.tool("billing.pause", {"a": 1})
    trial.report([{"kind": "permission", "decision": "denied", "tool": "customer.lookup"}])

    ask(trial, {"tool_call_id": "c1", "content": "ok"}, {"tool_call_id": "c2", "content": "no"})
    ask(trial, {"tool_call_id": "c9", "content": "whatever"}, {"content": [1]})

    assert issues(trial) == []


def test_pure_and_local_tools_may_run_for_real():
    """Their results count as evidence; nothing in the world changed."""
    turn = asks(a_call("calc", {"x": 1}), a_call("billing.get_operation", call_id="c2"))
    trial = a_trial(turn, Turn(text="b"), Turn(text="c"), local=("billing.get_operation",))
    ask(trial)

    ask(trial, {"tool_call_id": "c1", "content": "3"}, {"tool_call_id": "c2", "content": {"s": 1}})
    ask(trial, {"tool_call_id": "c1", "content": "4"})

    assert issues(trial) == []
    assert [(r.outcome, r.detail, r.result) for r in of(trial, ToolResult)] == [
        (Outcome.OK, "local", 3),
        (Outcome.OK, "local", {"s": 1}),
    ]


def test_a_tool_that_is_not_offered_any_more_is_a_stale_case():
    """Nothing can be concluded from a script for other tools."""
    trial = a_trial(asks(a_call("billing.pause", {"a": 1})), Turn(text="b"))

    ask(trial, offered=["customer_lookup"])
    ask(trial, offered=["billing_pause"])

    assert issues(trial) == [IssueKind.TOOL_NOT_OFFERED]
    assert of(trial, ModelRequest)[1].offered_tools == ("billing.pause",)


def test_refused_calls_are_noted_with_their_explanation():
    """A blocked write that no clause forbids leaves the question open."""
    trial = a_trial()

    write = trial.tool("billing.pause", {"a": 2})
    read = trial.tool("customer.lookup", {"b": 2})

    assert isinstance(write, Miss)
    assert isinstance(read, Miss)
    record = trial.finish()
    assert [issue.kind for issue in record.issues] == [
        IssueKind.BLOCKED_WRITE, IssueKind.MISSING_FIXTURE,
    ]  # fmt: skip
    assert record.issues[0].sentence.endswith("nearest is f2, which differs at args.a")
    assert [miss.nearest for miss in record.missing] == ["f2", "f1"]
    assert (record.answered, record.unused) == (0, ("f1", "f2"))


def test_a_fixture_that_must_be_used_is_missed():
    """The agent went another way than the case is about."""
    trial = a_trial(fixtures=(a_fixture(must_use=True), PAUSE))

    assert issues(trial) == [IssueKind.UNUSED_FIXTURE]


def test_limits_stop_the_agent():
    """A client that loops for ever is stopped."""
    models = a_trial(*[Turn(text="a")] * 5, limits=Limits(model_calls=2))
    tools = a_trial(fixtures=(a_fixture(times=ANY_TIMES),), limits=Limits(tool_calls=1))

    assert [ask(models) is None for _ in range(3)] == [False, False, True]
    tools.tool("customer.lookup", {})
    assert tools.tool("customer.lookup", {}).outcome is Outcome.BLOCKED

    assert models.stopped.is_set()
    assert tools.stopped.is_set()
    assert issues(models) == [IssueKind.MODEL_CALL_LIMIT]
    assert issues(tools) == [IssueKind.TOOL_CALL_LIMIT]


def test_wall_time_is_counted_down_on_the_clock_given():
    """The adapter ends an agent at the limit."""
    now = [10.0]
    trial = a_trial(limits=Limits(seconds=5), clock=lambda: now[0])

    now[0] = 12.0

    assert trial.seconds_left == 3.0
    assert trial.finish().ms == 2000.0


def test_answers_take_the_outcome_of_the_turn_whose_text_they_are():
    """After trimming; any other text is left to the patterns, a reported outcome wins."""
    trial = a_trial(
        Turn(text="Done.", outcome=ClaimOutcome.FAILURE),
        Turn(text="Done.", outcome=ClaimOutcome.SUCCESS),
        Turn(text="Sure.", outcome=ClaimOutcome.SUCCESS, structured=True),
    )
    ask(trial)

    trial.answer(" Done.\n", outcome=None, state=None)
    trial.answer("Sure.", outcome=None, state=None)
    trial.answer("Other", outcome=None, state=None)
    trial.answer("Done.", outcome="unresolved", state={"plan": "open"})
    trial.answer("", outcome=None, state=None)

    assert [(c.outcome, c.basis) for c in of(trial, Claim)] == [
        (ClaimOutcome.FAILURE, ClaimBasis.SCRIPTED),
        (ClaimOutcome.UNKNOWN, ClaimBasis.UNKNOWN),
        (ClaimOutcome.UNKNOWN, ClaimBasis.UNKNOWN),
        (ClaimOutcome.UNRESOLVED, ClaimBasis.STRUCTURED),
    ]
    assert of(trial, StateChange)[0].after == "open"


def test_a_text_that_is_still_to_come_is_known_too():
    """Code that skips a model request may say the later text."""
    trial = a_trial(Turn(text="a"), Turn(text="b", outcome=ClaimOutcome.SUCCESS))

    trial.answer("b", outcome=None, state=None)

    assert of(trial, Claim)[0].outcome is ClaimOutcome.SUCCESS


def test_an_outcome_that_is_no_word_is_refused():
    """A slip of the agent must not become `unknown`."""
    with pytest.raises(ValueError, match="maybe"):
        a_trial().answer("x", outcome="maybe", state=None)


def test_reports_are_recorded_as_events():
    """Claims on the way, the state as the agent sees it, a compaction."""
    trial = a_trial(Turn(text="Half done.", outcome=ClaimOutcome.UNRESOLVED))

    trial.report(
        [
            {"kind": "claim", "text": "Half done."},
            {"kind": "claim", "text": "All done.", "outcome": "success", "basis": "labelled"},
            {"kind": "state_change", "name": "plan", "after": 1},
            {"kind": "state_change", "name": "plan"},
            {"kind": "context_change", "change": "compaction"},
        ]
    )
    trial.answer("bye", outcome=None, state={"plan": 2})

    assert [(c.outcome, c.basis) for c in of(trial, Claim)][:2] == [
        (ClaimOutcome.UNRESOLVED, ClaimBasis.SCRIPTED),
        (ClaimOutcome.SUCCESS, ClaimBasis.STRUCTURED),
    ]
    assert [(s.before, s.after) for s in of(trial, StateChange)] == [
        (ABSENT, 1), (ABSENT, ABSENT), (1, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "document", [7, {}, {"kind": "tool_result"}, {"kind": []}, {"kind": "claim", "txt": "a"}]
)
def test_a_report_that_is_none_is_refused_whole(document):
    """Half a report would be worse than none."""
    trial = a_trial()

    with pytest.raises(CaseFormatError):
        trial.report([{"kind": "claim", "text": "a"}, document])

    assert of(trial, Claim) == []


def test_user_turns_bring_the_persons_own_calls():
    """A simulator's calls come before its message and never count."""
    turn = Turn(user="and?", by=Requestor.USER, tool_calls=(a_call("calc", call_id="u1"),))
    trial = a_trial(turn, Turn(user="go on"), Turn(text="a"), fixtures=(a_fixture("calc"),))

    ((first, second),) = trial.script.user_turns()
    trial.user(first)
    trial.user(second)

    assert [event.kind for event in trial.finish().trace.events][1:] == [
        "tool_call", "tool_result", "user_message", "user_message",
    ]  # fmt: skip
    assert of(trial, ToolCall)[0].requestor is Requestor.USER
    assert [m.text for m in of(trial, UserMessage)][1:] == ["and?", "go on"]


def test_user_turns_are_grouped_between_replies():
    """The agent is called again once for each group."""
    trial = a_trial(
        Turn(text="a"), Turn(user="1"), Turn(state_change={"name": "x"}), Turn(user="2"),
        Turn(text="b"), Turn(user="3"), Turn(text="c"), Turn(user="bye"), Turn(agent="x"),
    )  # fmt: skip

    groups = [[turn.user for turn in group] for group in trial.script.user_turns()]

    assert groups == [["1", "2"], ["3"]]
    assert [turn.user for turn in trial.script.last_words] == ["bye"]


def test_calls_made_at_the_same_time_overlap():
    """Racing code must not look as if it went one after the other."""
    turn = asks(a_call("billing.pause", {"a": 1}), a_call("customer.lookup", call_id="c2"))
    trial = a_trial(turn)
    ask(trial)
    start = threading.Barrier(2)

    def call(name, args):
        start.wait()
        trial.tool(name, args)

    threads = [
        threading.Thread(target=call, args=("billing.pause", {"a": 1})),
        threading.Thread(target=call, args=("customer.lookup", {})),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    kinds = [event.kind for event in trial.finish().trace.events][-4:]
    assert kinds == ["tool_call", "tool_call", "tool_result", "tool_result"]
    assert [r.call_id for r in of(trial, ToolResult)] == ["c2", "c1"]  # recorded completion


def test_a_call_that_nobody_asked_for_overlaps_with_those_under_way(monkeypatch):
    """It waits for no other call of a turn, but it was made at the same time as one."""
    monkeypatch.setattr("workbench.replay.trial._GRACE_S", 20)
    turn = asks(a_call("billing.pause", {"a": 1}), a_call("calc", call_id="c2"))
    trial = a_trial(turn)
    ask(trial)

    pause = threading.Thread(target=trial.tool, args=("billing.pause", {"a": 1}))
    pause.start()
    while not trial._completing:
        time.sleep(0.001)
    trial.tool("customer.lookup", {})
    trial.tool("calc", {})
    pause.join()

    kinds = [event.kind for event in trial.finish().trace.events][-6:]
    assert kinds[:3] == ["tool_call", "tool_call", "tool_result"]
    assert [c.tool for c in of(trial, ToolCall)][:2] == ["billing.pause", "customer.lookup"]


def test_calls_made_one_after_the_other_do_not_overlap():
    """Code that serialises is the cure of many an incident."""
    turn = asks(a_call("billing.pause", {"a": 1}), a_call("customer.lookup", call_id="c2"))
    trial = a_trial(turn)
    ask(trial)

    trial.tool("customer.lookup", {})
    trial.tool("billing.pause", {"a": 1})

    kinds = [event.kind for event in trial.finish().trace.events][-4:]
    assert kinds == ["tool_call", "tool_result", "tool_call", "tool_result"]


def test_delays_run_on_the_virtual_clock_unless_real():
    """A recorded minute must not take one."""
    slow = a_fixture(delay_ms=60_000)
    real = a_fixture("calc", id="f2", delay_ms=20, real_time=True)
    trial = a_trial(fixtures=(slow, real))

    trial.tool("customer.lookup", {})
    trial.tool("calc", {})

    record = trial.finish()
    assert record.trace.events[-1].at == "2000-01-01T00:01:00.020Z"
    assert 20 <= record.ms < 10_000


def test_an_agent_has_to_report_decisions_itself():
    """Scripted permission and state entries do not come from the agent."""
    trial = a_trial(Turn(permission={"decision": "granted"}), Turn(text="a"))

    ask(trial)

    assert of(trial, Permission) == []
    assert [reply.text for reply in of(trial, ModelReply)] == ["a"]


def test_the_opening_counts_as_a_reply():
    """Turn numbers agree with those of the reference loop."""
    messages: tuple[JsonMap, ...] = (
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "x"},
    )
    trial = a_trial(
        asks(a_call("customer.lookup")), input=CaseInput(messages=messages, state={"a": 1})
    )
    ask(trial)
    trial.tool("customer.lookup", {})

    assert of(trial, ToolCall)[0].turn == 2
    assert of(trial, StateChange)[0].after == 1


def test_text_arguments_stay_a_text():
    """Arguments that are not JSON reach the fixture as the model wrote them."""
    trial = a_trial(asks(a_call("customer.lookup", raw="{")), fixtures=(a_fixture(args="{"),))
    ask(trial)

    assert isinstance(trial.tool("customer.lookup", "{"), Answered)
    assert of(trial, ToolCall)[0].args_raw == "{"


def test_issues_point_at_their_place_after_unmade_calls_are_filled_in():
    """A position must be right in the finished trace."""
    trial = a_trial(asks(a_call("billing.pause", {"a": 1})))
    ask(trial)
    ask(trial)

    (issue,) = trial.finish().issues

    assert issue.seq == 6  # user, request, reply, call, its denial, request


def test_only_fixtures_of_the_path_answer():
    """A trial of another path has other answers."""
    case = a_case(fixtures=(a_fixture(only=("mended",)),))
    trial = Trial(case, a_path(name="mended"), run_id="t")

    assert isinstance(trial.tool("customer.lookup", {}), Answered)
