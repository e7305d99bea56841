"""`pytest cases/ --agent SPEC`: in this process and in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.runner.cases import a_pause_case
from tests.runner.test_trials import a_code_case, an_active_case
from workbench.casefile.case import save_case
from workbench.model.case import CaseState

pytest_plugins = ["pytester"]

QUICK = ("--agent-isolate", "audit", "-p", "no:cacheprovider", "-p", "no:xdist")
FAILS = "python:tests.runner.agents:loop"
ABOVE = str(Path(__file__).parents[2])


@pytest.fixture
def cases(pytester, monkeypatch):
    """A folder of cases, from which the agents of our tests are found."""
    monkeypatch.setenv("PYTHONPATH", ABOVE)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    folder = pytester.path / "cases"
    folder.mkdir()
    return folder


@pytest.fixture
def play(pytester, cases):
    """Run pytest in this process on the folder of cases."""
    return lambda *words: pytester.runpytest_inprocess("cases", *QUICK, *words)


def a_red_case(folder, **changes):
    """Write a case that code has to prevent and a plain agent repeats."""
    save_case(replace(a_code_case(), **changes), folder / "code.case.yaml")


def a_green_case(folder, **changes):
    """Write a case that a plain agent passes."""
    case = an_active_case(**changes)
    save_case(case, folder / f"{case.id}.case.yaml")


# --- what a verdict is -----------------------------------------------------------------


def test_a_broken_clause_is_a_failure_with_our_report(play, cases):
    """No traceback: the reader wants to know what the agent did."""
    a_red_case(cases)

    done = play("--agent", FAILS)

    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            "*_ code-case _*",
            "code-case [[]active[]]",
            "Pause timed out, the customer was told it was paused",
            "path recorded: success_requires/1 at event *",
            "workbench: isolation audit (audit hook)",
            "FAILED cases/code.case.yaml::code-case*",
        ]
    )
    assert "Traceback" not in done.stdout.str()
    assert "items.py" not in done.stdout.str()


def test_a_case_that_holds_passes(play, cases):
    """Its id is the case's."""
    a_green_case(cases)

    done = play("--agent", FAILS, "-v")

    done.assert_outcomes(passed=1)
    done.stdout.fnmatch_lines(
        ["cases/pause-with-unknown-outcome.case.yaml::pause-with-unknown-outcome PASSED*"]
    )


def test_what_proves_nothing_is_an_error(play, cases):
    """A crash of the agent is no verdict on a clause."""
    a_green_case(cases)

    done = play("--agent", "python:tests.runner.agents:crashes")

    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["path repaired: agent_error at event *"])
    assert "Traceback" not in done.stdout.str()


def test_an_agent_that_is_not_there_is_an_error_with_its_fix(play, cases):
    """Nothing of it was tested."""
    a_green_case(cases)

    done = play("--agent", "python:tests.runner.agents:nobody")

    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*no callable nobody*", "*Fix: *"])
    assert "During handling" not in done.stdout.str()


def test_a_file_that_is_no_case_is_an_error_and_the_others_run(play, cases):
    """Of several files given, the good ones are taken."""
    a_green_case(cases)
    (cases / "bad.case.yaml").write_text("title: 5\n")

    done = play("--agent", FAILS)

    done.assert_outcomes(errors=1, passed=1)
    done.stdout.fnmatch_lines(["cases/bad.case.yaml:1: schema is null; *", "*Fix: *"])


def test_what_is_not_run_is_skipped_with_its_reason(play, cases):
    """The scripted layer has nothing to say of it."""
    save_case(replace(a_pause_case(), title="t"), cases / "open.case.yaml")

    done = play("--agent", FAILS, "-rs")

    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["SKIPPED *no accepted path yet*"])


def test_a_proposed_case_fails_as_expected_until_it_gates(play, cases):
    """Nobody has vouched for it yet; what it found is shown all the same."""
    a_red_case(cases, state=CaseState.PROPOSED)

    quiet = play("--agent", FAILS, "-rx")
    loud = play("--agent", FAILS, "--gate-proposed")

    quiet.assert_outcomes(xfailed=1)
    quiet.stdout.fnmatch_lines(["XFAIL *fail, but proposed cases do not gate*"])
    loud.assert_outcomes(failed=1)


def test_the_live_layer_needs_a_provider_and_has_a_marker(play, cases):
    """A nightly job picks it; a commit leaves it out."""
    a_green_case(cases)

    left_out = play("--agent", FAILS, "--agent-layer", "live", "-m", "not live")
    tried = play("--agent", FAILS, "--agent-layer", "live")

    left_out.assert_outcomes(deselected=1)
    tried.assert_outcomes(errors=1)
    tried.stdout.fnmatch_lines(["*provider*"])


# --- what is collected -----------------------------------------------------------------


def test_nothing_is_collected_unless_an_agent_is_named(play, pytester, cases):
    """A plain `pytest` of a repository with cases stays what it was."""
    a_red_case(cases)

    assert play().ret == pytest.ExitCode.NO_TESTS_COLLECTED

    pytester.makeini(f"[pytest]\nworkbench_agent = {FAILS}\n")
    play().assert_outcomes(failed=1)
    play("--agent", "python:tests.runner.agents:crashes").assert_outcomes(errors=1)


@pytest.mark.parametrize("agent", ["", "  "])
def test_an_agent_that_is_asked_for_and_empty_is_a_usage_error(play, cases, agent):
    """A variable of CI that is not set must not look green."""
    a_red_case(cases)

    done = play(f"--agent={agent}")

    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*nothing of yours would be tested; `workbench check` is *"])


def test_cases_are_picked_by_name_state_severity_owner_and_tag(play, cases):
    """`-k` knows what is in the file."""
    a_green_case(cases, tags=("billing",))
    a_green_case(cases, id="other-case", owner="somebody-else")

    words = ("--agent", FAILS, "--collect-only", "-q", "-k")
    for word, picked in (("billing", 1), ("other-case", 1), ("somebody-else", 1), ("S1", 2)):
        assert play(*words, word).stdout.str().count(".case.yaml::") == picked


def test_a_test_module_beside_the_cases_runs_as_ever(play, cases, pytester):
    """The plugin takes files of its own suffix only."""
    a_green_case(cases)
    (cases / "test_x.py").write_text("def test_x():\n    assert True\n")
    (cases / "notes.yaml").write_text("a: 1\n")

    play("--agent", FAILS).assert_outcomes(passed=2)
    play().assert_outcomes(passed=1)


def test_a_module_that_cannot_be_imported_is_pytests_to_tell(play, cases):
    """Our line at the end reads reports of trials only; it once broke on this."""
    (cases / "test_x.py").write_text("import nothing_of_that_name\n")

    shown = play("--agent", FAILS)

    shown.assert_outcomes(errors=1)
    assert "nothing_of_that_name" in shown.stdout.str()
    assert "INTERNALERROR" not in shown.stdout.str() + shown.stderr.str()


def test_strict_markers_and_errors_from_warnings_do_not_hurt(play, pytester, cases):
    """Many suites are run that way."""
    a_green_case(cases)
    pytester.makeini("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")

    play("--agent", FAILS, "-m", "not live").assert_outcomes(passed=1)


def test_pytests_own_junit_file_has_our_properties(play, cases):
    """Strength, coverage and isolation go where the CI service looks."""
    a_green_case(cases)

    play("--agent", FAILS, "--junit-xml", "junit.xml").assert_outcomes(passed=1)

    (case,) = ET.parse("junit.xml").getroot().iter("testcase")  # noqa: S314  our own
    facts = {p.get("name"): p.get("value") for p in case.iter("property")}
    assert facts == {
        "verdict": "pass",
        "strength": "red ok | green ok | clauses 5/5 killable | coverage 3/3",
        "coverage": "3/3",
        "isolation": "audit (audit hook)",
    }


# --- in a process of its own -----------------------------------------------------------

LOADED = """
import sys, pytest
code = pytest.main(["-q", "-p", "no:cacheprovider", "--collect-only"])
ours = sorted(name for name in sys.modules if name.partition(".")[0] == "workbench")
heavy = sorted({"yaml", "re2", "jsonschema_rs", "pyarrow", "deltalake"} & set(sys.modules))
import json; print(json.dumps([int(code), ours, heavy]))
"""


def in_process(folder, *words):
    """Run Python in a folder, with the package found from there."""
    ours = {name: value for name, value in os.environ.items() if "COV" not in name}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**ours, "PYTHONPATH": ABOVE, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_session_that_asks_for_nothing_loads_nothing(cases, pytester):
    """Every pytest of that environment loads the plugin; it must cost next to nothing."""
    a_red_case(cases)
    pytester.makepyfile("def test_x():\n    assert True\n")

    done = in_process(pytester.path, "-c", LOADED)

    code, ours, heavy = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stdout
    assert ours == ["workbench", "workbench.pytest_plugin", "workbench.pytest_plugin.hooks"]
    assert heavy == []


DESK = """
import sys, pytest
code = pytest.main(sys.argv[1:])
tops = {name.partition(".")[0] for name in sys.modules}
print(sorted(tops & {"pyarrow", "deltalake", "duckdb", "presidio_analyzer", "pandas", "spacy"}))
sys.exit(code)
"""


def test_a_real_run_returns_what_ci_reads_without_the_desk(cases):
    """The plugin is found by its entry point, as in the user's own environment."""
    a_red_case(cases)
    a_green_case(cases)

    done = in_process(cases.parent, "-c", DESK, "cases", *QUICK, "-q", "--agent", FAILS)

    assert (done.returncode, done.stderr) == (1, "")
    assert "1 failed, 1 passed" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"
