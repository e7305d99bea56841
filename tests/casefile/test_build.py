"""From a trace to a case: each rule of the page, and what is refused by name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from tests.builders import a_call, a_claim, a_system, a_trace, a_turn, a_user
from tests.casefile.test_law import a_header
from tests.strategies import traces
from workbench.casefile.build import build_case, case_places, wire_name
from workbench.casefile.contract import load_contract
from workbench.check.outcomes import resolve_outcomes
from workbench.errors import TraceFormatError
from workbench.model.case import ANY_TIMES, Case, Fixture, ScriptedCall, Turn
from workbench.model.event import (
    Basis,
    CallError,
    Change,
    Claim,
    ClaimBasis,
    ClaimOutcome,
    ContextChange,
    Decision,
    Event,
    ModelReply,
    ModelRequest,
    Outcome,
    Permission,
    Requestor,
    StateChange,
    SystemMessage,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT, Absent, Json
from workbench.model.trace import Effect, Tool, Trace, Versions, renumbered
from workbench.model.verdict import Signature
from workbench.replay.scripted import replay_path

CONTRACT = load_contract({"must_call": ["never.called"]})


def built(trace: Trace, contract: object = None) -> Case:
    """Build a case of a trace; the contract matters to few tests."""
    used = CONTRACT if contract is None else load_contract(contract)  # type: ignore[arg-type]
    return build_case(trace, used, header=a_header(used, Signature()))


def a_list_of(*events: Event) -> Trace:
    """Return a trace of events that no builder would put together."""
    return Trace(run_id="run-1", events=renumbered(events))


READS = {"get": Effect.READ, "put": Effect.WRITE}


# --- (a) the input ---------------------------------------------------------------


def test_what_is_said_before_and_with_the_first_user_message_is_the_input() -> None:
    """A greeting is history, not a turn of the agent under test."""
    case = built(
        a_trace(
            a_system("Be kind."), a_claim("Hello!"), a_user("Hi."), a_user("Pause it."), a_claim()
        )
    )

    assert case.input.messages == (
        {"role": "system", "content": "Be kind."},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "Hi."},
        {"role": "user", "content": "Pause it."},
    )
    assert case.recorded.turns == (Turn(text="Your plan is paused."),)


def test_later_user_messages_are_turns_at_their_place() -> None:
    """Real runs have a median of seven."""
    case = built(a_trace(a_user("Hi."), a_claim("Yes?"), a_user("Pause it."), a_call("put")))

    assert [turn.user for turn in case.recorded.turns] == [None, "Pause it.", None]


def test_without_a_user_the_system_messages_are_the_input() -> None:
    """A headless agent has its task there."""
    case = built(a_trace(a_system("Count the files."), a_claim("Counting."), a_call("get")))

    assert [message["role"] for message in case.input.messages] == ["system"]
    assert len(case.recorded.turns) == 2


def test_an_agent_that_acts_before_it_is_spoken_to_keeps_its_turns() -> None:
    """A call is no history: it may be the failure."""
    case = built(a_trace(a_system(), a_call("get"), a_user("Late."), a_claim()))

    assert [message["role"] for message in case.input.messages] == ["system"]
    assert [turn.user for turn in case.recorded.turns] == [None, "Late.", None]


def test_changes_and_framework_calls_before_the_task_come_right_after_it() -> None:
    """They are no messages, and no claim is between."""
    change = StateChange(name="plan", after="active")
    case = built(
        a_trace(a_system(), change, a_call("get", by=Requestor.FRAMEWORK), a_user(), a_claim())
    )

    assert [message["role"] for message in case.input.messages] == ["system", "user"]
    assert case.recorded.turns[0].state_change == {"name": "plan", "after": "active"}
    assert case.recorded.turns[1].by is Requestor.FRAMEWORK


@pytest.mark.parametrize(
    "greeting",
    [
        (ModelReply(text=""),),
        (ModelReply(text="Thinking."),),
        (ModelReply(text="Hi."), Claim(text="Hi.", basis=ClaimBasis.STRUCTURED)),
        (ModelReply(text="Hi."), Claim(text="Hi!")),
    ],
)
def test_only_a_plain_shown_text_is_a_greeting(greeting: tuple[Event, ...]) -> None:
    """A message of the input cannot say what else a reply was."""
    trace = a_list_of(SystemMessage(text="s"), *greeting, UserMessage(text="u"))

    case = built(trace)

    assert [message["role"] for message in case.input.messages] == ["system"]
    assert case.recorded.turns[-1].user == "u"


@pytest.mark.parametrize("trace", [a_trace(), a_trace(a_call("get")), a_trace(a_claim("Hi."))])
def test_a_trace_without_a_task_is_refused(trace: Trace) -> None:
    """A case without input gives an agent nothing to do."""
    with pytest.raises(TraceFormatError, match="says nothing before the agent acts"):
        built(trace)


# --- (b) replies -------------------------------------------------------------------


def test_a_reply_is_one_turn_with_all_its_calls() -> None:
    """Calls of one reply are concurrent, so they stay together."""
    usage = Usage(input_tokens=3)
    case = built(
        a_trace(
            a_user(), a_turn(a_call("a", args={"x": 1}), a_call("b", args_raw="{x"), usage=usage)
        )
    )

    assert case.recorded.turns == (
        Turn(
            tool_calls=(
                ScriptedCall(id="c1", name="a", args={"x": 1}),
                ScriptedCall(id="c2", name="b", args_raw="{x"),
            ),
            usage=usage,
        ),
    )
    assert [fixture.args for fixture in case.fixtures] == [{"x": 1}, "{x"]


def test_a_request_without_a_reply_is_a_failed_turn() -> None:
    """A retry of the model is two attempts."""
    case = built(
        a_trace(
            a_user(), ModelRequest(), ModelRequest(offered_tools=("a",)), a_claim(), ModelRequest()
        )
    )

    failed = Turn(error=CallError())
    assert case.recorded.turns == (
        failed,
        Turn(text="Your plan is paused.", offered=("a",)),
        failed,
    )


def test_offered_tools_are_said_where_they_are_not_all() -> None:
    """A tool that was not offered is a finding."""
    trace = a_trace(a_user(), ModelRequest(offered_tools=("put", "get")), a_claim(), tools=READS)

    assert built(trace).recorded.turns[0].offered is None
    counted = built(trace, {"limits": {"model_calls": 0}})
    assert counted.recorded.turns[0].offered == ("get", "put")


# --- (c) calls that no reply asked for ----------------------------------------------


def test_framework_calls_are_turns_of_their_own() -> None:
    """Clauses see them only with `by`."""
    call = a_call("get", by=Requestor.FRAMEWORK)
    case = built(a_trace(a_user(), a_claim("Hm."), call, call, a_claim()))

    assert [turn.by for turn in case.recorded.turns] == [
        None,
        Requestor.FRAMEWORK,
        Requestor.FRAMEWORK,
        None,
    ]


def test_overlapping_framework_calls_stay_together() -> None:
    """Two turns would order what was concurrent."""
    calls = [ToolCall(call_id=c, tool="get", requestor=Requestor.FRAMEWORK) for c in "ab"]
    results = [ToolResult(call_id=c, outcome=Outcome.OK) for c in "ba"]

    case = built(a_list_of(UserMessage(text="u"), *calls, *results))

    assert [len(turn.tool_calls) for turn in case.recorded.turns] == [2]


def test_calls_of_a_user_simulator_fold_into_the_message_after_them() -> None:
    """They are the person's, and never count."""
    call = a_call("get", by=Requestor.USER)
    case = built(a_trace(a_user(), a_claim("Try."), call, call, a_user("Done."), a_claim(), call))

    shapes = [(turn.by, turn.user, len(turn.tool_calls)) for turn in case.recorded.turns]
    assert shapes == [
        (None, None, 0),
        (Requestor.USER, None, 1),
        (Requestor.USER, "Done.", 1),
        (None, None, 0),
        (Requestor.USER, None, 1),
    ]


def test_a_message_during_a_users_calls_takes_them_along() -> None:
    """Its place is right after them."""
    call = ToolCall(call_id="a", tool="get", requestor=Requestor.USER)
    case = built(
        a_list_of(
            UserMessage(text="u"),
            ModelReply(),
            call,
            UserMessage(text="Wait."),
            StateChange(name="x"),
            ToolResult(call_id="a", outcome=Outcome.OK),
        )
    )

    assert [(turn.user, turn.by) for turn in case.recorded.turns][1] == ("Wait.", Requestor.USER)
    assert case.recorded.turns[2].state_change == {"name": "x"}


def test_a_change_during_a_users_calls_comes_after_them() -> None:
    """And the next message stands alone."""
    call = ToolCall(call_id="a", tool="get", requestor=Requestor.USER)
    case = built(
        a_list_of(
            UserMessage(text="u"),
            ModelReply(),
            call,
            StateChange(name="x"),
            ToolResult(call_id="a", outcome=Outcome.OK),
            UserMessage(text="Done."),
        )
    )

    shapes = [(turn.user, turn.by, turn.state_change) for turn in case.recorded.turns[1:]]
    assert shapes == [
        (None, Requestor.USER, None),
        (None, None, {"name": "x"}),
        ("Done.", None, None),
    ]


# --- (d) fixtures ---------------------------------------------------------------------


def test_fixtures_come_in_the_order_of_completion() -> None:
    """A replay ends the calls of a turn in this order."""
    case = built(a_trace(a_user(), a_turn(a_call("a"), a_call("b"), completes=(1, 0))))

    assert [fixture.tool for fixture in case.fixtures] == ["b", "a"]


def test_a_read_that_always_answered_the_same_answers_any_number_of_times() -> None:
    """An accepted path may read once more; a write never may."""
    get = a_call("get", result={"s": 1}, args={"id": 1})
    other = a_call("get", result={"s": 2}, args={"id": 2})
    changed = a_call("get", result={"s": 3}, args={"id": 2})
    failed = a_call("get", outcome=Outcome.RETRYABLE, args={"id": 3})
    case = built(a_trace(a_user(), get, get, other, changed, failed, a_call("put"), tools=READS))

    assert [(f.args, f.times) for f in case.fixtures] == [
        ({"id": 1}, ANY_TIMES),
        ({"id": 2}, 1),
        ({"id": 2}, 1),
        ({"id": 3}, 1),
        ({}, 1),
    ]


def test_a_read_that_was_once_left_unanswered_is_not_shared() -> None:
    """One fixture for both would answer the call that got no answer."""
    trace = a_trace(
        a_user("go"),
        a_call("get", result=1),
        a_call("get", outcome=Outcome.MISSING),
        a_claim("done"),
        tools=READS,
    )

    case = built(trace)

    assert [(f.outcome, f.times) for f in case.fixtures] == [
        (Outcome.OK, 1),
        (Outcome.MISSING, 1),
    ]


def test_a_shared_fixture_never_reorders_a_turn() -> None:
    """The last completed result before a claim is evidence."""
    one, two = a_call("get", args={"id": 1}), a_call("get", args={"id": 2})
    trace = a_trace(a_user(), one, a_turn(one, two, completes=(1, 0)), tools=READS)

    case = built(trace)

    ends = [e.call_id for e in replay_path(case, case.recorded).events if e.kind == "tool_result"]  # type: ignore[union-attr]
    assert ends == ["c1", "c3", "c2"]
    assert [fixture.times for fixture in case.fixtures] == [1, ANY_TIMES, 1]


def test_a_call_without_a_result_is_left_unanswered() -> None:
    """`missing` is derived, so a replay must not write a result either."""
    missing = a_call("put", outcome=Outcome.MISSING)
    case = built(a_trace(a_user(), a_turn(missing, a_call("put"), missing)))

    assert [fixture.outcome for fixture in case.fixtures] == [
        Outcome.MISSING,
        Outcome.OK,
        Outcome.MISSING,
    ]
    ends = [e.call_id for e in replay_path(case, case.recorded).events if e.kind == "tool_result"]  # type: ignore[union-attr]
    assert ends == ["c2"]


def test_errors_travel_wholly() -> None:
    """Status, headers and body drive retries."""
    error = CallError(
        type="Timeout", message="m", status=504, headers={"retry-after": "2"}, body={"x": None}
    )
    call = a_call("put", outcome=Outcome.UNKNOWN, detail="timeout", error=error, operation_id="op")
    trace = a_trace(a_user(), call)
    result = trace.events[3]
    assert isinstance(result, ToolResult)
    late = replace(result, latency_ms=12.5)

    (fixture,) = built(replace(trace, events=(*trace.events[:3], late))).fixtures

    assert fixture == Fixture(
        id="f1",
        tool="put",
        args={},
        outcome=Outcome.UNKNOWN,
        detail="timeout",
        error=error,
        operation_id="op",
        delay_ms=12.5,
    )


@pytest.mark.parametrize(
    ("raw", "result", "carried"),
    [
        ('{"a": 1}', {"a": 1}, {"a": 1}),
        ("[1]", [1], [1]),
        ("5", 5, 5),
        ("true", True, True),
        ("null", None, None),
        ("plain text", "plain text", "plain text"),
        ('"quoted"', "quoted", '"quoted"'),
        ("{'a': 1}", {"a": 1}, "{'a': 1}"),
        (None, {"a": 1}, {"a": 1}),
        (None, "plain", "plain"),
        (None, "5", '"5"'),
        ("text", ABSENT, "text"),
        (None, ABSENT, ABSENT),
        ('{"a": 9007199254740993}', {"a": 9007199254740993}, '{"a": 9007199254740993}'),
        (None, [9007199254740993], "[9007199254740993]"),
        ("shown differently", {"a": 1}, {"a": 1}),
        ("shown differently", "text", "text"),
    ],
)
def test_a_result_is_json_or_the_text_that_reads_as_it(
    raw: str | None, result: Json | Absent, carried: Json | Absent
) -> None:
    """Replay reads a text again, so both give the recorded result."""
    answer = ToolResult(call_id="c1", outcome=Outcome.OK, result_raw=raw, result=result)
    trace = a_trace(a_user(), a_call("get", outcome=Outcome.MISSING), answer)

    case = built(trace)

    assert repr(case.fixtures[0].result) == repr(carried)
    if result is not ABSENT:
        replayed = replay_path(case, case.recorded).events[-1]
        assert isinstance(replayed, ToolResult)
        assert repr(replayed.result) == repr(result)


# --- (e) other events -------------------------------------------------------------------


def test_other_events_are_turns_at_their_place() -> None:
    """Without what only the raw record has."""
    case = built(
        a_trace(
            a_user(),
            Permission(decision=Decision.GRANTED, tool="put", at="2026-01-01T00:00:00Z"),
            a_call("put"),
            StateChange(name="plan", before=None, after="paused", basis=Basis.INFERRED),
            ContextChange(change=Change.TRUNCATION, source_ref="line 7"),
            a_claim(),
        )
    )

    assert case.recorded.turns[0].permission == {"decision": "granted", "tool": "put"}
    assert case.recorded.turns[2].state_change == {
        "name": "plan",
        "before": None,
        "after": "paused",
        "basis": "inferred",
    }
    assert case.recorded.turns[3].context_change == {"change": "truncation"}


def test_a_change_of_agent_is_said_with_the_turn_that_it_begins() -> None:
    """And the way back to the one without a name too."""
    case = built(
        a_trace(
            a_user(),
            a_call("a", agent="sub"),
            a_claim("Hm.", agent="sub"),
            a_claim(),
            ModelReply(agent="sub"),
            ModelReply(),
        )
    )

    assert [turn.agent for turn in case.recorded.turns] == ["sub", None, "", "sub", None, "", None]
    replayed = replay_path(case, case.recorded)
    assert [e.agent for e in replayed.events if e.kind == "model_reply"] == [
        "sub",
        "sub",
        None,
        "sub",
        None,
    ]


def test_what_happens_during_calls_comes_right_after_them() -> None:
    """It bears on later calls only."""
    call = ToolCall(call_id="a", tool="put", turn=1)
    case = built(
        a_list_of(
            UserMessage(text="u"),
            ModelReply(call_ids=("a",)),
            call,
            Permission(decision=Decision.DENIED),
            UserMessage(text="Stop!"),
            ToolResult(call_id="a", outcome=Outcome.OK),
        )
    )

    assert [len(turn.tool_calls) for turn in case.recorded.turns] == [1, 0, 0]
    assert case.recorded.turns[1].permission == {"decision": "denied"}
    assert case.recorded.turns[2].user == "Stop!"


def test_a_decision_on_a_running_call_comes_right_before_its_turn() -> None:
    """It was made before the call ran; after it, the replay would call the same run unallowed."""
    case = built(
        a_list_of(
            UserMessage(text="u"),
            ModelReply(call_ids=("a",)),
            ToolCall(call_id="a", tool="put", turn=1),
            Permission(decision=Decision.ASKED, tool="put"),
            Permission(decision=Decision.GRANTED, tool="put"),
            Permission(decision=Decision.DENIED, tool="get"),
            ToolResult(call_id="a", outcome=Outcome.OK),
        )
    )

    turns = case.recorded.turns
    assert [turn.permission and turn.permission["decision"] for turn in turns] == [
        "asked",
        "granted",
        None,
        "denied",
    ]
    kinds = [event.kind for event in replay_path(case, case.recorded).events]
    assert kinds.index("permission") < kinds.index("tool_call") < len(kinds)


# --- (f) claims ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("basis", "outcome", "turn"),
    [
        (ClaimBasis.UNKNOWN, ClaimOutcome.UNKNOWN, Turn(text="t")),
        (ClaimBasis.PATTERN, ClaimOutcome.UNKNOWN, Turn(text="t")),
        (
            ClaimBasis.PATTERN,
            ClaimOutcome.SUCCESS,
            Turn(text="t", outcome=ClaimOutcome.SUCCESS),
        ),
        (
            ClaimBasis.STRUCTURED,
            ClaimOutcome.FAILURE,
            Turn(text="t", outcome=ClaimOutcome.FAILURE, structured=True),
        ),
        (
            ClaimBasis.LABELLED,
            ClaimOutcome.UNKNOWN,
            Turn(text="t", outcome=ClaimOutcome.UNKNOWN, structured=True),
        ),
    ],
)
def test_a_shown_text_keeps_its_claimed_outcome(
    basis: ClaimBasis, outcome: ClaimOutcome, turn: Turn
) -> None:
    """What only the patterns say they say again."""
    claim = Claim(text="t", outcome=outcome, basis=basis)

    case = built(a_list_of(UserMessage(text="u"), ModelReply(text="t"), claim))

    assert case.recorded.turns == (turn,)


def test_a_text_that_nobody_was_shown_is_not_carried() -> None:
    """In a case every text of a turn is shown."""
    case = built(a_list_of(UserMessage(text="u"), ModelReply(text="Let me think.")))

    assert case.recorded.turns == (Turn(),)


# --- refusals --------------------------------------------------------------------------------


def a_reply(*call_ids: str) -> ModelReply:
    """Return a reply that asks for calls."""
    return ModelReply(call_ids=call_ids)


def a_bare_call(call_id: str, **args: Json) -> ToolCall:
    """Return a call."""
    return ToolCall(call_id=call_id, tool="put", args=args)


def a_bare_result(call_id: str, result: Json = None) -> ToolResult:
    """Return a result."""
    return ToolResult(call_id=call_id, outcome=Outcome.OK, result=result)


USER = UserMessage(text="u")

REFUSED: list[tuple[str, tuple[Event, ...], str]] = [
    ("#2", (USER, ModelReply(), SystemMessage(text="s")), "instructs the model after it began"),
    ("#1", (USER, Claim(text="t")), "not the text of the reply"),
    ("#1", (SystemMessage(text="s"), Claim(text="t"), USER), "not the text of the reply"),
    ("#2", (USER, ModelReply(text="t"), Claim(text="")), "not the text of the reply"),
    (
        "#3",
        (USER, ModelReply(text="t"), Claim(text="t"), Claim(text="t")),
        "not the text of the reply",
    ),
    (
        "#4",
        (USER, a_reply("a"), a_bare_call("a"), a_bare_result("a"), Claim(text="t")),
        "not the text of the reply",
    ),
    (
        "#4",
        (USER, a_reply("a", "b"), a_bare_call("a"), a_bare_result("a"), a_bare_call("b")),
        "requests the calls of a reply together",
    ),
    (
        "#4",
        (
            USER,
            a_reply("a", "b"),
            a_bare_call("a"),
            Permission(decision=Decision.GRANTED),
            a_bare_call("b"),
            a_bare_result("a"),
        ),
        "requests the calls of a reply together",
    ),
    ("#3", (USER, a_reply("a"), ModelReply(), a_bare_call("a")), "after its reply"),
    ("#1", (USER, a_bare_call("a"), a_reply("a")), "after its reply"),
    (
        "#3",
        (USER, a_reply("a"), a_bare_call("a"), ModelReply(), a_bare_result("a")),
        "while calls of the turn before are running",
    ),
    (
        "#2",
        (USER, replace(a_reply("a", "b")), a_bare_call("a"), replace(a_bare_call("b"), agent="x")),
        "of several agents",
    ),
    (
        "",
        (
            USER,
            a_reply("a", "b"),
            a_bare_call("a"),
            a_bare_call("b"),
            a_bare_result("b", 1),
            a_bare_result("a", 2),
        ),
        "cannot tell which result belongs to which",
    ),
    (
        "",
        (USER, a_bare_call("a"), replace(a_bare_result("a"), outcome=Outcome.BLOCKED)),
        "a refusal of a replay",
    ),
    (
        "",
        (
            USER,
            a_bare_call("a"),
            ToolResult(call_id="a", error=CallError(status=504)),
        ),
        "through resolve_outcomes first",
    ),
]


@pytest.mark.parametrize(("key", "events", "words"), REFUSED)
def test_what_no_case_can_carry_is_refused_by_name(
    key: str, events: tuple[Event, ...], words: str
) -> None:
    """A case that failed otherwise would be worse than none."""
    with pytest.raises(TraceFormatError) as caught:
        built(a_list_of(*events))

    assert words in str(caught.value)
    assert caught.value.fix
    if key and "several agents" not in words:
        assert caught.value.key == key


def test_equal_calls_that_ended_alike_may_cross() -> None:
    """Nobody can tell them apart."""
    crossed = (a_bare_result("b", 1), a_bare_result("a", 1))

    case = built(a_list_of(USER, a_reply("a", "b"), a_bare_call("a"), a_bare_call("b"), *crossed))

    assert len(case.fixtures) == 2


# --- the rest of a case ------------------------------------------------------------------------


def test_tools_get_names_that_model_apis_take() -> None:
    """They take no dots and 64 characters."""
    tools = (
        Tool(name="a.b", description="d", schema={"type": "object"}),
        Tool(name="a_b", effect=Effect.READ),
        Tool(name="a/b"),
        Tool(name="x" * 70),
    )

    case = built(a_trace(a_user(), a_claim(), tools=tools))

    assert [tool.wire for tool in case.tools] == ["a_b_2", None, "a_b_3", "x" * 64]
    assert [tool.effect for tool in case.tools[:2]] == [Effect.WRITE, Effect.READ]
    assert wire_name("x" * 64, {"x" * 64}) == "x" * 62 + "_2"
    assert wire_name("", ()) == "tool"


def test_without_a_list_of_tools_the_called_ones_are_assumed_writes() -> None:
    """The gateway offers something, and nothing is taken for harmless."""
    case = built(a_trace(a_user(), a_call("a.b"), a_call("a.b"), a_call("c")))

    assert [(tool.name, tool.wire, tool.effect) for tool in case.tools] == [
        ("a.b", "a_b", Effect.WRITE),
        ("c", None, Effect.WRITE),
    ]


def test_the_environment_says_what_made_the_run() -> None:
    """So that results of two versions are compared knowingly."""
    request = ModelRequest(model="m-1", settings={"temperature": 0})
    trace = a_trace(a_user(), request, a_claim())

    assert built(trace).environment == {"model": "m-1", "settings": {"temperature": 0}}
    named = replace(trace, versions=Versions(model="m-2", prompt="p@1"))
    assert built(named).environment == {
        "model": "m-2",
        "prompt": "p@1",
        "settings": {"temperature": 0},
    }
    assert built(a_trace(a_user(), a_claim())).environment is None
    nameless = a_trace(a_user(), ModelRequest(settings={"seed": 1}), a_claim())
    assert built(nameless).environment == {"settings": {"seed": 1}}


def test_the_header_says_where_it_can_be_mended() -> None:
    """The contract in the case is judged the same way."""
    contract = load_contract(
        {
            "fix": "code",
            "must_call": ["a"],
            "unproven": [{"clause": "must_call/1", "reason": "r"}],
        }
    )

    case = build_case(
        a_trace(a_user(), a_claim()), contract, header=a_header(contract, Signature())
    )

    assert (case.fix, case.contract.fix) == (contract.fix, contract.fix)
    assert case.unproven == case.contract.unproven == contract.unproven


# --- places ---------------------------------------------------------------------------------------


def test_places_of_a_trace_are_found_in_the_case() -> None:
    """Ledger and trigger of a draft name the trace; a reviewer reads the case."""
    trace = a_trace(
        a_user("Hi."),
        a_call("get", args={"id": 1}),
        a_call("put", args_raw="{x", operation_id="op"),
        a_user("More."),
        a_claim(),
    )
    shifted = replace(trace, events=tuple(replace(e, origin_seq=e.seq + 100) for e in trace.events))

    places = case_places(trace)

    assert places["#0.text"] == ("input.0.content",)
    assert places["#2.args"] == ("paths.recorded.turns.0.tool_calls.0.args", "f1.args")
    assert places["#3.result"] == ("f1.result",)
    assert places["#5.args_raw"] == ("paths.recorded.turns.1.tool_calls.0.args_raw", "f2.args")
    assert places["#6.operation_id"] == ("f2.operation_id",)
    assert places["#7.text"] == ("paths.recorded.turns.2.user",)
    assert places["#9.text"] == places["#8.text"] == ("paths.recorded.turns.3.text",)
    assert case_places(shifted)["#102.args"] == places["#2.args"]
    unanswered = a_trace(a_user(), a_call("get", outcome=Outcome.MISSING))
    assert "f1.args" in case_places(unanswered)["#2.args"]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(traces())
def test_building_is_a_function_of_its_arguments(trace: Trace) -> None:
    """The same trace gives the same bytes, on every machine."""
    resolved = resolve_outcomes(trace)
    try:
        case = built(resolved)
    except TraceFormatError:
        return

    assert built(resolved) == case
    assert len(case.fixtures) <= sum(isinstance(e, ToolCall) for e in trace.events)
