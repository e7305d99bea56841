"""`check` proves a case without an agent and says what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.replay.builders import a_fixture
from tests.runner.cases import a_pause_case
from workbench.casefile.codec import encode
from workbench.model.case import CaseState, Expectation, Path
from workbench.model.contract import Unproven
from workbench.model.event import ClaimOutcome, Outcome
from workbench.model.ledger import RedactionNote, Residue
from workbench.runner.accept import repair
from workbench.runner.lint import Level, lint_case, unseen_texts
from workbench.runner.selftest import check_case, invalid_case, render_report
from workbench.runner.strength import strength_line


def a_mended_case():
    """Return the incident with an accepted path."""
    return repair(a_pause_case())


def sentences(report, level=None):
    """Return the places and sentences of a report's problems."""
    return [(p.at, p.sentence) for p in report.problems if level in (None, p.level)]


def test_a_fresh_case_is_red_and_says_what_is_missing():
    """A proposed case without accepted path is sound, and not finished."""
    report = check_case(a_pause_case(), path="cases/pause.case.yaml")

    assert (report.valid, report.recorded_red, report.accepted_green, report.sound) == (
        True, True, None, True,
    )  # fmt: skip
    assert render_report(report) == (
        "cases/pause.case.yaml [proposed]: red ok | no accepted path yet\n"
        "  note: paths: no accepted path yet"
    )


def test_a_finished_case_is_red_green_and_killable():
    """Every clause is broken on purpose once."""
    report = check_case(a_mended_case())

    assert report.sound
    assert report.dead_clauses == ()
    assert report.strength is not None
    assert render_report(report) == (
        "pause-with-unknown-outcome [proposed]: red ok | green ok | clauses 5/5 killable"
    )


def test_every_field_is_written_for_machines():
    """Absent and false are two things."""
    document = encode(check_case(a_pause_case()))

    assert isinstance(document, dict)
    assert set(document) == {
        "id", "path", "state", "valid", "recorded_red", "accepted_green", "dead_clauses",
        "strength", "problems",
    }  # fmt: skip
    assert document["accepted_green"] is None


def test_a_case_that_fails_otherwise_than_the_incident_is_wrong():
    """It would protect against something else."""
    case = a_pause_case()
    mended = replace(
        case, fixtures=(case.fixtures[0], replace(case.fixtures[1], outcome=Outcome.OK))
    )

    report = check_case(mended)

    assert (report.valid, report.recorded_red, report.sound) == (True, False, False)
    ((at, sentence),) = sentences(report, "wrong")
    assert at == "paths.recorded"
    assert "it does not fail as the incident did: success_requires/1: " in sentence
    assert "NOT RED" in render_report(report)


def test_a_recorded_path_that_violates_nothing_says_so():
    """The contract lost what it was written for."""
    case = a_pause_case()
    silent = replace(case, contract=replace(case.contract, clauses=case.contract.clauses[:1]))

    assert "nothing is violated" in sentences(check_case(silent), "wrong")[0][1]


def test_an_accepted_path_that_fails_is_wrong():
    """The case would be red for ever."""
    case = a_pause_case()
    path = Path(name="hopeful", expect=Expectation.PASS, turns=case.recorded.turns)

    report = check_case(replace(case, paths=(*case.paths, path)))

    assert (report.accepted_green, report.sound) == (False, False)
    assert "it is accepted and not green: success_requires/1: " in sentences(report, "wrong")[0][1]
    assert "NOT GREEN" in render_report(report)


def test_an_accepted_path_that_leaves_the_fixtures_is_not_green():
    """What nobody recorded proves nothing; the miss is explained."""
    case = a_mended_case()
    unanswered = replace(case, fixtures=case.fixtures[:2])

    report = check_case(unanswered)

    assert report.accepted_green is False
    assert ("paths.repaired", "no fixture for any call of billing.get_operation in this path") in (
        sentences(report, "note")
    )


def test_an_unproven_clause_may_stay_open():
    """It was exported so, with a reason."""
    case = a_mended_case()
    (path,) = case.accepted
    said = replace(path.turns[-1], text="Hm.", outcome=None)
    vague = replace(case, paths=(case.recorded, replace(path, turns=(*path.turns[:-1], said))))

    allowed = replace(vague, unproven=(Unproven(clause="success_requires/1", reason="free text"),))

    assert check_case(vague).accepted_green is False
    assert "success_requires/1 is inconclusive" in sentences(check_case(vague), "wrong")[0][1]
    assert check_case(allowed).accepted_green is True


def test_texts_must_be_read_as_they_are_scripted():
    """Or an agent's text would be judged otherwise than the script's."""
    texts = {"Your plan is paused., outcome: success": "Hm., outcome: success"}
    structured = {
        "Your plan is paused., outcome: success": "Hm., outcome: success, structured: true"
    }

    report = check_case(a_pause_case(texts=texts))

    ((at, sentence),) = sentences(report, "wrong")
    assert at == "paths.recorded.turns.2"
    assert sentence.startswith(
        "its text is scripted as success and the claims patterns read unknown"
    )
    assert check_case(a_pause_case(texts=structured)).sound


def test_twins_with_different_results_are_noted():
    """Only their order tells equal calls of one turn apart."""
    case = a_pause_case()
    first = case.recorded.turns[0].tool_calls[0]
    twins = replace(case.recorded.turns[0], tool_calls=(first, replace(first, id="c9")))
    path = replace(case.recorded, turns=(twins, *case.recorded.turns[1:]))
    known = replace(case.fixtures[0], times=1)
    other = replace(known, id="f9", result={"account_id": "ACC-1"})

    differing = replace(case, paths=(path,), fixtures=(known, other, case.fixtures[1]))
    equal = replace(case, paths=(path,))

    assert any(
        "c1 and c9 call customer.lookup" in text for _, text in sentences(check_case(differing))
    )
    assert not any("c9" in text for _, text in sentences(check_case(equal)))


@pytest.mark.parametrize(
    ("clause", "noted"),
    [
        ("{before: [customer.lookup, billing.pause]}", True),
        ("{before: [{tool: customer.lookup, result: [account_id exists]}, billing.pause]}", False),
        ("{before: [billing.get_operation, billing.pause]}", False),
    ],
)
def test_an_authorisation_that_may_say_no_needs_a_result(clause, noted):
    """A refusal is a completed call too."""
    case = a_pause_case(texts={"[{after:": f"[{clause}, {{after:", "order/1": "order/2"})
    other = a_fixture(id="f9", args={"email": "x"}, result={"account_id": None})

    report = check_case(replace(case, fixtures=(*case.fixtures, other)))

    assert any("add a `result` predicate" in text for _, text in sentences(report)) == noted


def test_what_cannot_be_run_is_invalid():
    """A matcher that is none, names that are there twice, a path that is not there."""
    case = a_pause_case()
    broken = replace(
        case,
        fixtures=(
            replace(case.fixtures[0], match={"email": "mail"}),
            replace(case.fixtures[1], id="f1", only=("nowhere",)),
        ),
        gate={"scripted": {"trials": 20}},
    )

    report = check_case(broken)

    assert (report.valid, report.sound, report.recorded_red) == (False, False, False)
    places = [at for at, _ in sentences(report, "invalid")]
    assert places == ["fixtures.1", "fixtures.0", "fixtures.1.only", "gate.scripted", "paths"]
    assert "[proposed]: invalid" in render_report(report)


def test_tools_that_are_not_listed_are_noted():
    """They count as writes, which surprises."""
    case = a_pause_case()

    report = check_case(replace(case, tools=case.tools[1:]))

    assert ("paths.recorded.turns.0", "c1 calls a tool that `tools` does not list") in (
        sentences(report, "note")
    )


@pytest.mark.parametrize(
    ("state", "level"), [(CaseState.PROPOSED, "note"), (CaseState.ACTIVE, "wrong")]
)
def test_unreviewed_texts_and_missing_paths_are_wrong_only_in_an_active_case(state, level):
    """A fresh export is allowed to wait for people."""
    note = RedactionNote(
        policy="default@1",
        residue=Residue(views=1, hits=0),
        unreviewed=3,
        unseen=("#0.text", "#7.args.note"),
    )

    report = check_case(replace(a_pause_case(), state=state, redaction=note))

    assert sentences(report, level) == [
        (
            "redaction.unreviewed",
            "3 texts seen by nobody yet; in the raw run: #0.text, #7.args.note",
        ),
        ("paths", "no accepted path yet"),
    ]


def test_a_hundred_unseen_texts_do_not_fill_the_screen():
    """The first ones are enough to begin with; the case has them all, and older cases have none."""
    places = tuple(f"#{n}.text" for n in range(100))
    note = RedactionNote(policy="p", residue=Residue(views=1, hits=0), unreviewed=100)

    assert unseen_texts(None) == unseen_texts(replace(note, unreviewed=0)) == ""
    assert unseen_texts(note) == "100 texts seen by nobody yet"
    assert unseen_texts(replace(note, unseen=places)).endswith(
        "#11.text and 88 more, all in redaction.unseen"
    )


def test_a_clause_that_nothing_breaks_is_dead():
    """It protects against nothing; an active case may not have one."""
    limit = "max_calls: {billing.pause: 1}"
    case = repair(a_pause_case(texts={limit: f"{limit}\n  min_calls: {{customer.lookup: 0}}"}))

    report = check_case(case)
    active = check_case(replace(case, state=CaseState.ACTIVE))

    assert report.dead_clauses == ("min_calls/1",)
    assert report.strength is not None
    assert report.strength.killable == (5, 6)
    assert (report.sound, active.sound) == (True, False)
    assert sentences(active, "wrong")[0][0] == "contract.min_calls/1"


def test_a_file_that_is_no_case_has_a_report_too():
    """`--json` lists every file."""
    report = invalid_case("cases/x.case.yaml", "cases/x.case.yaml:1: is empty")

    assert (report.valid, report.sound, report.strength) == (False, False, None)
    assert render_report(report) == (
        "cases/x.case.yaml: invalid\n  invalid: cases/x.case.yaml:1: is empty"
    )


def test_outcomes_of_claims_are_not_lost():
    """The accepted path of the repair ends unresolved, as scripted."""
    (path,) = a_mended_case().accepted

    assert path.turns[-1].outcome is ClaimOutcome.UNRESOLVED


@pytest.mark.parametrize(
    ("contract", "noted"),
    [
        ("must_call: [customer.lookup, billing.pause]\n  max_calls: {billing.pause: 1}", False),
        ("max_calls: {billing.pause: 1}", True),
    ],
)
def test_a_contract_that_an_idle_agent_keeps_is_noted(contract, noted):
    """A green agent would then say nothing: it may never have tried."""
    whole = "must_call: [customer.lookup, billing.pause]\n  max_calls: {billing.pause: 1}"

    report = check_case(a_pause_case(texts={whole: contract}))

    assert any("does nothing" in text for _, text in sentences(report, "note")) is noted
    assert report.strength is not None
    assert report.strength.idle is noted
    assert ("doing nothing passes" in strength_line(report.strength)) is noted


def test_an_idle_agent_hears_every_message_of_the_person():
    """What a later message asks for counts as well."""
    case = a_pause_case(
        texts={
            "must_call: [customer.lookup, billing.pause]\n  ": "",
            "      - {text: Your plan is paused., outcome: success}": (
                "      - {text: Your plan is paused., outcome: success}\n"
                "      - {user: And now?}\n"
                "      - {text: Still paused., outcome: success}"
            ),
        }
    )

    report = check_case(case)

    assert any("does nothing" in text for _, text in sentences(report, "note"))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"ref": "f9.result.id"}, "`ref` names no fixture of the case"),
        ({"optional": {"ref": "f9.result"}}, "`ref` names no fixture of the case"),
        ({"range": [9, 1]}, "no number is in its `range`"),
        ({"ref": "f1.result.account_id"}, None),
        ({"range": [1, 9]}, None),
    ],
)
def test_a_matcher_that_can_never_match_is_wrong(rule, words):
    """The call would be blocked for ever, and nobody would know why."""
    case = a_pause_case()
    loose = replace(case.fixtures[1], id="f7", match={"idempotency_key": rule})

    found = lint_case(replace(case, fixtures=(*case.fixtures, loose)))

    assert [p.sentence for p in found if p.level is Level.WRONG] == (
        [] if words is None else [f"f7: {words}, so it never matches"]
    )


def test_a_fixture_that_is_never_reached_is_noted():
    """Somebody wrote an answer that no trial will ever hear."""
    case = a_pause_case()
    again = replace(case.fixtures[0], id="f7", result={"account_id": "A-2"}, times=1)
    elsewhere = replace(again, id="f8", only=("recorded",))

    found = lint_case(replace(case, fixtures=(*case.fixtures, again, elsewhere)))

    assert [(p.at, p.sentence) for p in found if "reached" in p.sentence] == [
        ("fixtures.2", "f7 is never reached: f1 answers its call always")
    ]
