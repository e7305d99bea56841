"""`run`: an agent against cases, verdicts, gates and the exit code."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields, replace

import pytest

from tests.runner.cases import a_pause_case
from workbench.casefile.case import save_case
from workbench.errors import InputError
from workbench.model.case import CaseState, Withdrawal
from workbench.model.contract import FixPlace
from workbench.replay.trial import Limits
from workbench.runner.accept import repair
from workbench.runner.outcome import CaseResult, CaseVerdict, exit_code
from workbench.runner.trials import run_cases


def an_active_case(**changes):
    """Return the incident with an accepted path, gating."""
    return replace(repair(a_pause_case()), state=CaseState.ACTIVE, **changes)


def a_code_case(**changes):
    """Return the incident as one that code has to prevent."""
    case = an_active_case(**changes)
    contract = replace(case.contract, fix=FixPlace.CODE)
    return replace(case, id="code-case", fix=FixPlace.CODE, contract=contract)


def run(*cases, agent="loop", **options):
    """Run an agent of `tests.runner.agents` against cases, quickly."""
    options = {"isolate": "audit", "limits": Limits(seconds=20), **options}
    return run_cases(cases, agent=f"python:tests.runner.agents:{agent}", **options)


def verdicts(report):
    """Return the verdict of each trial, by path."""
    return {trial.path: trial.verdict.value for case in report.cases for trial in case.trials}


def test_a_model_case_runs_its_accepted_paths_only():
    """The recorded mistake was the model's; the script would only repeat it."""
    report = run(an_active_case())

    assert verdicts(report) == {"repaired": "pass"}
    assert report.exit_code == 0
    (case,) = report.cases
    assert case.coverage == (3, 3)
    assert case.trials[0].tokens == 843
    assert case.gate is not None
    assert (case.gate.kind, case.gate.passes, case.gate.trials) == ("all_hard", 1, 1)


def test_a_pass_says_that_the_recorded_mistake_was_not_tried():
    """A green model case is easily taken for a mended one, though the broken agent passes it."""
    untried = [run(an_active_case()), run(an_active_case(), paths="all"), run(a_code_case())]

    reasons = [report.cases[0].reason for report in untried]
    assert reasons[0] is not None
    assert "was not tried" in reasons[0]
    assert reasons[1:] == [None, None]


def test_a_code_case_runs_the_recorded_path_too_and_the_code_must_stop_it():
    """Broken code repeats the incident: red."""
    report = run(a_code_case())

    assert verdicts(report) == {"recorded": "fail", "repaired": "pass"}
    assert report.exit_code == 1
    assert {found.clause for found in report.cases[0].violations} == {
        "order/1",
        "success_requires/1",
    }


def test_mended_code_is_green_on_both_paths():
    """Whatever the scripted model says, nothing unproven is claimed."""
    case = a_code_case()
    read_back = replace(case.fixtures[-1], times=2, only=())
    report = run(replace(case, fixtures=(*case.fixtures[:-1], read_back)), agent="reads_back")

    assert verdicts(report) == {"recorded": "pass", "repaired": "pass"}
    assert report.exit_code == 0


def test_half_mended_code_is_still_red():
    """The read-back is missing."""
    report = run(a_code_case(), agent="careful")

    assert [found.clause for found in report.cases[0].violations] == ["order/1"]


def test_a_case_without_accepted_path_has_nothing_to_run_and_says_so():
    """Not run is not passed."""
    report = run(replace(a_pause_case(), state=CaseState.ACTIVE))

    (case,) = report.cases
    assert (case.verdict, case.trials) == (CaseVerdict.NOT_RUN, ())
    assert case.reason == "no accepted path yet: the scripted layer has nothing to run"
    assert report.exit_code == 5


def test_an_unrecorded_write_is_blocked_and_inconclusive():
    """Nobody knows what would have happened; the nearest fixture is named."""
    case = an_active_case()
    silent = replace(case, contract=replace(case.contract, clauses=case.contract.clauses[2:3]))
    red = replace(silent, signature=replace(case.signature, clauses=frozenset({"order/1"})))

    report = run(red, agent="other_account")

    (found,) = report.cases
    assert found.verdict is not CaseVerdict.PASS
    assert found.missing[0].nearest == "f2"
    assert found.missing[0].differs_at == ("args.account_id",)
    assert found.missing[0].outcome == "blocked"


def test_a_crash_is_inconclusive_also_when_calls_are_missing():
    """What did not happen yet might still have happened."""
    report = run(an_active_case(), agent="crashes")

    (trial,) = report.cases[0].trials
    assert (trial.verdict, trial.violations) == (CaseVerdict.INCONCLUSIVE, ())
    assert trial.doubts[0].clause == "agent_error"
    assert report.exit_code == 6


def test_a_time_out_is_inconclusive():
    """Never a pass, never by itself a failure."""
    report = run(an_active_case(), agent="hangs", limits=Limits(seconds=0.7))

    assert report.cases[0].trials[0].doubts[0].clause == "time_limit"
    assert report.exit_code == 6


def test_a_live_tool_is_red_however_good_the_rest():
    """Something real may have run."""
    report = run(an_active_case(), agent="live_tool")

    assert report.cases[0].violations[0].clause == "unobserved_tool"
    assert report.exit_code == 1


@pytest.mark.parametrize(
    ("state", "options", "gates", "code"),
    [
        (CaseState.ACTIVE, {}, True, 1),
        (CaseState.PROPOSED, {}, False, 5),
        (CaseState.PROPOSED, {"gate_proposed": True}, True, 1),
        (CaseState.MUTED, {"gate_proposed": True}, False, 5),
        (CaseState.ARCHIVED, {"gate_proposed": True}, False, 5),
    ],
)
def test_which_states_gate(state, options, gates, code):
    """All but archived cases run and are reported."""
    report = run(replace(a_code_case(), state=state), **options)

    (case,) = report.cases
    assert (case.gates, report.exit_code) == (gates, code)
    expected = CaseVerdict.NOT_RUN if state is CaseState.ARCHIVED else CaseVerdict.FAIL
    assert case.verdict is expected


def test_a_case_that_cannot_be_red_is_inconclusive():
    """It would be green whatever the agent does."""
    case = an_active_case()

    report = run(replace(case, signature=replace(case.signature, clauses=frozenset({"order/1"}))))

    assert report.cases[0].verdict is CaseVerdict.INCONCLUSIVE
    assert "no longer fails as the incident did" in (report.cases[0].reason or "")
    assert report.exit_code == 6


@pytest.mark.parametrize(("wanted", "code"), [("kernel", 6), ("audit", 0), ("vault", 6)])
def test_a_case_may_require_isolation(wanted, code):
    """A weaker level than asked for proves nothing."""
    report = run(an_active_case(require_isolation=wanted))

    assert report.exit_code == code
    if code == 6:
        sentence = report.cases[0].trials[0].doubts[0].sentence
        assert sentence.startswith(f"the case requires isolation {wanted}; reached audit")


def test_files_that_are_no_case_are_named_and_the_others_run(tmp_path):
    """Exit 4, and nothing is lost."""
    good = tmp_path / "good.case.yaml"
    save_case(an_active_case(), good)
    bad = tmp_path / "bad.case.yaml"
    bad.write_text("schema: replay-case/1\n")

    report = run(good, str(bad))

    assert [case.verdict for case in report.cases] == [CaseVerdict.PASS]
    assert report.cases[0].path == str(good)
    assert len(report.summary.invalid) == 1
    assert report.exit_code == 4


def test_two_files_with_one_id_are_not_taken_for_one_case(tmp_path):
    """Baseline, traces and results tell cases by their ids; the second would hide the first."""
    files = [tmp_path / name for name in ("a.case.yaml", "b.case.yaml")]
    for file in files:
        save_case(an_active_case(), file)

    report = run(*files, files[0])

    assert [case.path for case in report.cases] == [str(files[0])] * 2
    assert report.summary.invalid == (
        f"{files[1]}: id is that of {files[0]} too\n  Fix: give each case an id of its own",
    )
    assert report.exit_code == 4


def test_a_case_that_cannot_be_run_as_written_is_invalid():
    """Found before the agent starts."""
    case = an_active_case()
    broken = replace(case, fixtures=(replace(case.fixtures[0], match={"email": "mail"}),))

    report = run(broken)

    assert report.exit_code == 4
    assert "is no matcher" in report.summary.invalid[0]
    assert report.cases[0].strength is None


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_cases_run_at_the_same_time_with_the_same_result(pool):
    """The unit of work is one case; it can be sent to another process."""
    with pool(max_workers=2) as executor:
        report = run(an_active_case(), a_code_case(), executor=executor)

    assert [case.id for case in report.cases] == ["pause-with-unknown-outcome", "code-case"]
    assert report.exit_code == 1


def test_an_interrupted_run_keeps_what_it_has():
    """Exit 2, with the cases that ended."""

    def stop(_: CaseResult) -> None:
        raise KeyboardInterrupt

    report = run(an_active_case(), an_active_case(), on_case=stop)

    assert (report.interrupted, report.exit_code, len(report.cases)) == (True, 2, 1)


@pytest.mark.parametrize(
    ("agent", "options", "expected"),
    [
        ("", {}, "nothing of yours would be tested; `workbench check` is the self-test"),
        (" ", {}, "nothing of yours would be tested"),
        ("python:a", {}, "cannot be started"),
        ("cmd:sh", {"layer": "dreamed"}, "layer 'dreamed' is not known"),
        ("cmd:sh", {"layer": "live"}, "has no model provider"),
        ("cmd:sh", {"trials": 0}, "is 0; expected an integer >= 1"),
        ("cmd:sh", {"trials": 2}, "a script runs once"),
        ("cmd:sh", {"paths": "some"}, "paths 'some' is not known; expected due or all"),
        ("cmd:sh", {"isolate": "docker"}, "isolation 'docker' is not known"),
        ("python:tests.runner.agents:nobody", {}, "no callable nobody"),
    ],
)
def test_what_cannot_be_run_at_all_is_a_usage_error(monkeypatch, agent, options, expected):
    """Before anything is concluded."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match=expected):
        run_cases([an_active_case()], agent=agent, **options)


# --- exit codes ------------------------------------------------------------------------


def a_result(verdict, *, gates=True):
    """Return a case's result with nothing but a verdict."""
    plain = {entry.name: None for entry in fields(CaseResult)}
    return CaseResult(**{**plain, "verdict": CaseVerdict(verdict), "gates": gates})


@pytest.mark.parametrize(
    ("words", "more", "code"),
    [
        ([], {}, 5),
        (["pass"], {}, 0),
        (["pass", "not_run"], {}, 0),
        (["not_run"], {}, 5),
        (["pass", "inconclusive"], {}, 6),
        (["inconclusive", "fail"], {}, 1),
        (["fail"], {"interrupted": True}, 2),
        (["fail"], {"invalid": 1, "interrupted": True}, 4),
        ([], {"invalid": 1}, 4),
    ],
)
def test_of_several_exit_codes_the_first_of_the_order_wins(words, more, code):
    """3 > 4 > 2 > 1 > 6 > 5 > 0."""
    results = tuple(a_result(word) for word in words)

    assert exit_code(results, **{"invalid": 0, "interrupted": False, **more}) == code


def test_cases_that_do_not_gate_count_for_nothing():
    """A proposed failure is shown, not acted upon."""
    results = (a_result("pass"), a_result("fail", gates=False))

    assert exit_code(results, invalid=0, interrupted=False) == 0


def test_a_case_whose_source_was_withdrawn_does_not_gate():
    """Somebody asked to be forgotten: it runs and is shown until it is redacted again or archived."""
    withdrawn = Withdrawal(date="2026-11-30", by="ann")

    report = run(a_code_case(withdrawn=withdrawn), gate_proposed=True)

    assert report.cases[0].verdict is CaseVerdict.FAIL
    assert (report.cases[0].gates, report.exit_code) == (False, 5)
