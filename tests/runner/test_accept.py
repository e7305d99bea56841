"""Accepted paths: from a run that did it right, or by mending the recorded one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import a_call, a_claim, a_trace, a_turn, a_user
from tests.replay.builders import a_fixture
from tests.runner.cases import a_pause_case, written
from workbench.casefile.contract import load_contract
from workbench.casefile.strict_yaml import load_yaml
from workbench.check.judge import judge
from workbench.errors import InputError, RefusedError
from workbench.model.case import CaseState, Mute, PathBasis
from workbench.model.event import CallError, ClaimOutcome, Outcome
from workbench.model.ledger import RedactionNote, Residue
from workbench.model.verdict import Result
from workbench.replay.scripted import replay_path
from workbench.runner.accept import accept_trace, repair
from workbench.runner.activate import activate
from workbench.runner.selftest import check_case

LOOKUP = a_call(
    "customer.lookup", args={"email": "a@b.example"}, result={"account_id": "ACC-4471902 "}
)
PAUSE = a_call(
    "billing.pause",
    args={"account_id": "ACC-4471902 ", "idempotency_key": "k1"},
    outcome=Outcome.UNKNOWN,
    detail="timeout",
    error=CallError(status=504),
    operation_id="op_1",
)


def a_read_back(status="completed"):
    """Return a read-back of the pause."""
    return a_call(
        "billing.get_operation", args={"operation_id": "op_1"}, result={"status": status},
        operation_id="op_1",
    )  # fmt: skip


def a_run(*parts):
    """Return a run of the mended agent."""
    tools = {tool.name: tool.effect for tool in a_pause_case().tools}
    return a_trace(a_user("Pause my plan"), *parts, tools={**tools, "audit.note": None})


def a_good_run(*more):
    """Return the run that reads back before it claims."""
    return a_run(LOOKUP, PAUSE, *more, a_read_back(), a_claim("Your plan is paused."))


def test_a_good_run_becomes_an_accepted_path():
    """Fixtures that are there are used; those of new calls are declared by name."""
    case = accept_trace(a_pause_case(), a_good_run(), name="verified", by="ann")

    (path,) = case.accepted
    assert (path.name, path.by, path.basis) == ("verified", "ann", PathBasis.RECORDED)
    assert [fixture.id for fixture in case.fixtures] == ["f1", "f2", "f3"]
    added = case.fixtures[-1]
    assert (added.basis, added.by, added.only) == (PathBasis.DECLARED, "ann", ())
    assert check_case(written(case)).accepted_green


def test_an_equal_call_with_another_result_answers_in_its_path_only():
    """The incident must stay as it was."""
    pause = replace(
        PAUSE, result=a_call("x", result={"status": "paused"}, operation_id="op_1").result
    )
    run = a_run(LOOKUP, pause, a_read_back(), a_claim("Your plan is paused."))

    case = accept_trace(a_pause_case(), run, name="verified", by="ann")

    assert [(f.tool, f.only) for f in case.fixtures[2:]] == [
        ("billing.pause", ("verified",)),
        ("billing.get_operation", ()),
    ]
    report = check_case(written(case))
    assert (report.recorded_red, report.accepted_green) == (True, True)


def test_several_accepted_paths_stand_beside_one_another():
    """Each with its own answers for equal calls."""
    other = a_run(
        LOOKUP, PAUSE, a_read_back("pending"), a_read_back(), a_claim("It is paused now.")
    )

    case = accept_trace(a_pause_case(), a_good_run(), name="first", by="ann")
    both = accept_trace(case, other, name="second", by="bob")

    assert [path.name for path in both.accepted] == ["first", "second"]
    assert check_case(written(both)).accepted_green


def test_tools_that_only_the_new_path_calls_are_added():
    """A shrunk case may have dropped them."""
    run = a_good_run(a_call("audit.note", args={"n": 1}))

    case = accept_trace(a_pause_case(), run, name="verified", by="ann")

    assert [tool.name for tool in case.tools][3:] == ["audit.note"]
    assert case.tools[-1].wire == "audit_note"


def test_a_run_that_is_not_green_is_refused_with_reasons():
    """An accepted path that fails would make the case red for ever."""
    run = a_run(LOOKUP, PAUSE, a_claim("Your plan is paused."))

    with pytest.raises(RefusedError) as error:
        accept_trace(a_pause_case(), run, name="verified", by="ann")

    assert any(reason.startswith("success_requires/1: ") for reason in error.value.reasons)


def test_a_run_whose_claims_cannot_be_read_is_refused():
    """Inconclusive is not green."""
    with pytest.raises(RefusedError) as error:
        accept_trace(
            a_pause_case(),
            a_run(LOOKUP, PAUSE, a_read_back("pending"), a_claim("Hm.")),
            name="v",
            by="ann",
        )

    assert any("is inconclusive" in reason for reason in error.value.reasons)


def test_a_name_is_taken_once():
    """A report names paths."""
    with pytest.raises(InputError, match="has a path named recorded already"):
        accept_trace(a_pause_case(), a_good_run(), name="recorded", by="ann")


def test_answers_that_a_loose_fixture_would_give_are_kept_out():
    """A matcher of the case may take a call that the run answered otherwise."""
    pause = a_call(
        "billing.pause", args={"account_id": "ACC-4471902 ", "idempotency_key": "k2"},
        result={"status": "paused"}, operation_id="op_1",
    )  # fmt: skip
    run = a_run(LOOKUP, pause, a_read_back(), a_claim("Your plan is paused."))

    case = accept_trace(a_pause_case(), run, name="verified", by="ann")

    replayed = replay_path(case, case.accepted[0])
    outcomes = [e.outcome for e in replayed.events if e.kind == "tool_result"]  # type: ignore[union-attr]
    assert outcomes == [Outcome.OK] * 3


def test_fixtures_with_limits_are_counted():
    """A read that is used up must be answered again in the new path."""
    case = a_pause_case()
    once = replace(case, fixtures=(replace(case.fixtures[0], times=1), case.fixtures[1]))
    run = a_run(LOOKUP, LOOKUP, PAUSE, a_read_back(), a_claim("Your plan is paused."))

    grown = accept_trace(once, run, name="verified", by="ann")

    assert [(f.tool, f.only) for f in grown.fixtures[2:]] == [
        ("customer.lookup", ("verified",)),
        ("billing.get_operation", ()),
    ]
    assert check_case(grown).accepted_green


# --- repair ----------------------------------------------------------------------------


def failing(contract, **texts):
    """Return the incident with its signature under another contract."""
    document, _ = load_yaml("\n".join(contract), name="contract.yaml")
    assert isinstance(document, dict)
    case = replace(a_pause_case(texts=texts), contract=load_contract(document))
    signature = judge(replay_path(case, case.recorded), case.contract).signature
    assert signature
    return replace(case, signature=signature)


def repaired(contract, **texts):
    """Return the incident with a repaired path under another contract."""
    mended = repair(failing(contract, **texts), by="ann")
    assert check_case(written(mended)).accepted_green
    return mended


def shape(case):
    """Return tools and claimed outcomes of the accepted path."""
    (path,) = case.accepted
    found = []
    for turn in path.turns:
        found += [call.name for call in turn.tool_calls]
        found += [] if turn.text is None else [str(turn.outcome)]
    return found


def test_a_missing_read_back_is_added_and_the_end_is_unresolved():
    """What nobody knows is not claimed."""
    case = repair(a_pause_case())

    assert shape(case) == [
        "customer.lookup",
        "billing.pause",
        "billing.get_operation",
        "unresolved",
    ]
    added = case.fixtures[-1]
    assert (added.result, added.operation_id, added.basis) == (
        {"status": "pending"}, "op_1", PathBasis.DECLARED,
    )  # fmt: skip
    assert (added.by, case.accepted[0].by) == ("billing-agents", "billing-agents")
    assert judge(replay_path(case, case.accepted[0]), case.contract).result is Result.PASS


@pytest.mark.parametrize(
    ("contract", "expected"),
    [
        (["success_requires: billing.get_operation.status == completed"],
         ["customer.lookup", "billing.pause", "unresolved"]),
        (["success_requires: {tool: billing.get_operation, pred: status == completed}"],
         ["customer.lookup", "billing.pause", "unresolved"]),
        (["forbid_call: [billing.pause]"], ["customer.lookup", "unresolved"]),
        (["forbid_call: [billing.pause]", "answer: {not_contains: [unresolved]}"],
         ["customer.lookup", "success"]),
        (["only_call: [customer.lookup]"], ["customer.lookup", "unresolved"]),
        (["max_calls: {billing.pause: 0}"], ["customer.lookup", "unresolved"]),
        (["limits: {tool_calls: 1}"], ["customer.lookup", "unresolved"]),
        (['args: {billing.pause: {properties: {account_id: {pattern: "^ACC-[0-9]{7}$"}}}}'],
         ["customer.lookup", "unresolved"]),
        (["must_call: [billing.get_operation]"],
         ["customer.lookup", "billing.pause", "billing.get_operation", "success"]),
        (["min_calls: {billing.get_operation: 2}"],
         ["customer.lookup", "billing.pause", "billing.get_operation", "billing.get_operation", "success"]),
        (["order: [{before: [{tool: billing.get_operation, result: [status == open, n > 1]}, billing.pause]}]"],
         ["customer.lookup", "billing.get_operation", "billing.pause", "success"]),
        (["order: [{before: [{tool: no.such.*, by: framework}, billing.pause]}]"],
         ["customer.lookup", "unresolved"]),
        (["must_call: [{tool: no.such.tool, where: ['items.1.id == 7']}]"],
         ["customer.lookup", "billing.pause", "no.such.tool", "success"]),
        (['order: [{immediately_after: [customer.lookup, {tool: billing.get_operation, where: ["operation_id in [1, 2]"]}]}]'],
         ["customer.lookup", "billing.get_operation", "billing.pause", "success"]),
        (["answer: {contains: [unresolved]}"],
         ["customer.lookup", "billing.pause", "success", "unresolved"]),
        (["answer: {not_contains: [paused]}"],
         ["customer.lookup", "billing.pause", "success", "unresolved"]),
        (["order: [{never_between: [billing.pause, customer.lookup, billing.get_operation]}]"],
         ["customer.lookup", "unresolved"]),
        (["order: [{at_most_after: [customer.lookup, billing.pause, 0]}]"],
         ["customer.lookup", "unresolved"]),
    ],
)  # fmt: skip
def test_the_way_each_kind_is_mended(contract, expected):
    """Cut at the first violation, or made whole by a call; always green."""
    assert shape(repaired(contract)) == expected


def test_a_turn_keeps_the_calls_that_are_allowed():
    """Only the forbidden one is left out."""
    two = {
        "      - {tool_calls: [{id: c2, name: billing.pause,": "      - {text: Wait., tool_calls: [{id: c0, "
        "name: billing.get_operation, args: {operation_id: op_9}}, {id: c2, name: billing.pause,"
    }
    extra = "  - {id: f2, tool: billing.pause,"
    read = "  - {id: f0, tool: billing.get_operation, args: {operation_id: op_9}, outcome: ok, result: {}}\n"

    case = repaired(["forbid_call: [billing.pause]"], **two, **{extra: read + extra})

    assert shape(case) == ["customer.lookup", "billing.get_operation", "unresolved"]


def test_a_recorded_answer_is_preferred_to_a_declared_one():
    """What really came back is better evidence."""
    case = a_pause_case()
    known = a_fixture(
        "billing.get_operation", id="f9", args={"operation_id": "op_7"}, result={"status": "open"}
    )

    mended = repair(replace(case, fixtures=(*case.fixtures, known)))

    (call,) = mended.accepted[0].turns[2].tool_calls
    assert call.args == {"operation_id": "op_7"}
    assert len(mended.fixtures) == 3


def test_texts_that_the_patterns_do_not_read_are_reported_by_the_agent():
    """A contract with its own words for success has its own for doubt."""
    case = repaired(
        ["success_requires: billing.get_operation.status == completed",
         "claims: {success: [paused], unresolved: [noch offen], failure: [still]}"],
    )  # fmt: skip

    assert case.accepted[0].turns[-1].structured


@pytest.mark.parametrize(
    "contract",
    [
        ["states: {open: [claim == failure]}", "final_state: [open]"],
        ["must_call: [no.such.*]"],
        ["order: [{after: [billing.pause#unknown, no.such.*]}]"],
    ],
)
def test_what_cannot_be_mended_is_refused_with_reasons(contract):
    """A person has to bring a run."""
    with pytest.raises(RefusedError, match="cannot be repaired") as error:
        repair(failing(contract))

    assert error.value.reasons


def test_a_repair_is_named_once():
    """As any path."""
    with pytest.raises(InputError, match="has a path named repaired already"):
        repair(repair(a_pause_case()))


def test_a_turn_that_also_calls_is_not_claimed_twice():
    """A success claim beside calls is replaced, and its calls are dropped with it."""
    run = a_run(a_turn(LOOKUP, text="Your plan is paused."))
    assert run.events

    case = a_pause_case(texts={
        "      - {tool_calls: [{id: c2,": "      - {text: It is paused., outcome: success, tool_calls: [{id: c2,"
    })  # fmt: skip
    signature = judge(replay_path(case, case.recorded), case.contract).signature

    mended = repair(replace(case, signature=signature))

    assert ClaimOutcome.SUCCESS not in {turn.outcome for turn in mended.accepted[0].turns}


def test_a_last_turn_that_calls_is_kept_when_another_end_is_needed():
    """Only a text can be said otherwise."""
    turn = {
        "{text: Your plan is paused., outcome: success}": "{tool_calls: [{id: c3, name: customer.lookup, args: {email: a@b.example}}]}"
    }

    case = repaired(["finishes: true"], **turn)

    assert shape(case)[-2:] == ["customer.lookup", "unresolved"]


def test_a_path_without_any_text_gets_its_call_at_the_end():
    """There is no last text to come before."""
    turn = {"      - {text: Your plan is paused., outcome: success}\n": ""}

    case = repaired(["must_call: [billing.get_operation]"], **turn)

    assert shape(case) == ["customer.lookup", "billing.pause", "billing.get_operation"]


def test_a_path_that_nothing_can_be_concluded_of_is_no_repair():
    """Tokens of a made-up reply are not known, so a limit on them stays open."""
    with pytest.raises(RefusedError) as error:
        repair(failing(["limits: {input_tokens: 100}"]))

    assert "tokens of some replies are not recorded" in error.value.reasons[0]


def test_success_may_need_its_read_back_to_be_said_at_all():
    """When nothing else may be said, the evidence is declared, for a person to review."""
    contract = [
        "success_requires: billing.get_operation.status == completed",
        "answer: {not_contains: [unresolved]}",
    ]

    case = repaired(contract)

    assert shape(case) == ["customer.lookup", "billing.pause", "billing.get_operation", "success"]
    assert case.fixtures[-1].result == {"status": "completed"}


@pytest.mark.parametrize(
    "evidence",
    [
        "{tool: no.such.*, pred: status == completed}",
        '{tool: billing.get_operation, pred: status matches "^x+y$"}',
    ],
)
def test_evidence_that_cannot_be_made_up_is_not(evidence):
    """Then the path is refused, when nothing else may be said."""
    contract = [f"success_requires: {evidence}", "answer: {not_contains: [unresolved]}"]

    with pytest.raises(RefusedError):
        repair(failing(contract))


def test_an_unanswered_call_stays_unanswered_in_an_accepted_path():
    """The run went on without its answer."""
    lost = a_call("customer.lookup", args={"email": "b@c.example"}, outcome=Outcome.MISSING)

    case = accept_trace(a_pause_case(), a_good_run(lost), name="verified", by="ann")

    assert [f.outcome for f in case.fixtures[2:]] == [Outcome.MISSING, Outcome.OK]


def test_ids_that_are_taken_get_a_number():
    """A hand-written case may have numbered its own way."""
    case = a_pause_case()
    odd = replace(case, fixtures=(case.fixtures[0], replace(case.fixtures[1], id="f3")))

    grown = accept_trace(odd, a_good_run(), name="verified", by="ann")

    assert grown.fixtures[-1].id == "f3-2"


def test_an_answer_kept_for_another_path_is_not_known_to_this_one():
    """What only the incident may hear is recorded anew for the accepted path."""
    case = a_pause_case()
    kept = replace(case.fixtures[0], only=("recorded",))

    grown = accept_trace(
        replace(case, fixtures=(kept, *case.fixtures[1:])), a_good_run(), name="verified", by="ann"
    )

    assert [f.tool for f in grown.fixtures[2:]] == ["customer.lookup", "billing.get_operation"]


# --- activation ------------------------------------------------------------------------


def test_a_proven_case_becomes_active():
    """With a line in its history; a mute ends."""
    muted = replace(repair(a_pause_case()), state=CaseState.MUTED,
                    mute=Mute(by="ann", reason="flaky", until="2027-01-01"))  # fmt: skip

    case = activate(muted, by="bob", date="2026-12-01")

    assert (case.state, case.mute) == (CaseState.ACTIVE, None)
    entry = case.history[-1]
    assert (entry.by, entry.date, entry.change) == ("bob", "2026-12-01", "activated")


def test_an_unfinished_case_is_refused_with_everything_that_is_missing():
    """One message, so that nobody runs it five times."""
    note = RedactionNote(policy="default@1", residue=Residue(views=1, hits=0), unreviewed=3)

    with pytest.raises(RefusedError) as error:
        activate(replace(a_pause_case(), redaction=note), by="bob", date="2026-12-01")

    assert error.value.reasons == ("no accepted path yet", "3 texts seen by nobody yet")


def test_a_wrong_case_is_refused_with_its_place():
    """A case that is not red protects nothing."""
    case = repair(a_pause_case())
    red = replace(case, signature=replace(case.signature, clauses=frozenset({"order/1"})))

    with pytest.raises(RefusedError, match=r"paths\.recorded: it does not fail"):
        activate(red, by="bob", date="2026-12-01")


def test_an_active_case_is_not_activated_again():
    """Its history would lie."""
    with pytest.raises(InputError, match="is active already"):
        activate(replace(a_pause_case(), state=CaseState.ACTIVE), by="bob", date="2026-12-01")
