"""`check`, `run`, `activate`, `fmt`: commands on case files."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.casefile.samples import FULL_CASE
from tests.cli.conftest import CASE
from tests.runner.cases import PAUSE as MODEL_CASE
from workbench.casefile.case import load_case

PAUSE = MODEL_CASE.replace("fix: model", "fix: code")
"""The scripted layer runs an agent only against what code can prevent."""

CHECK_KEYS = {
    *("id", "path", "state", "valid", "recorded_red", "accepted_green", "dead_clauses"),
    *("strength", "problems"),
}
AGENT = "tests.cli.agents"


@pytest.fixture
def cases(folder):
    """A folder with one proposed case."""
    (folder / "cases").mkdir()
    (folder / "cases" / "pause.case.yaml").write_text(PAUSE, "utf-8")
    return folder / "cases"


def with_accepted(folder):
    """Write a case that has an accepted path and is active."""
    (folder / "full.case.yaml").write_text(FULL_CASE, "utf-8")
    return folder / "full.case.yaml"


# --- check -------------------------------------------------------------------


def test_check_says_of_each_case_whether_it_is_sound(cases, shell):
    """No agent is involved, so the word is never "passed"."""
    said = shell("check", "cases")
    document = shell("check", "cases", "--json").document

    assert said.status == 0
    assert "1 of 1 cases are sound" in said.out
    assert "no accepted path yet" in said.out
    assert "passed" not in said.out
    assert set(document) == {"cases"}
    assert [set(report) for report in document["cases"]] == [CHECK_KEYS]
    assert document["cases"][0]["path"] == "cases/pause.case.yaml"
    assert document["cases"][0]["recorded_red"] is True
    assert document["cases"][0]["accepted_green"] is None


def test_a_case_that_does_not_fail_is_no_case(cases, shell):
    """1: it says of itself what is not true."""
    text = PAUSE.replace("outcome: success}", "outcome: unresolved}")
    (cases / "pause.case.yaml").write_text(text, "utf-8")

    said = shell("check", "cases")

    assert said.status == 1
    assert "0 of 1 cases are sound" in said.out


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"

BAD_CASES = {
    "alias bomb": (BOMB, "anchors are not allowed"),
    "missing owner": (PAUSE.replace("owner: billing-agents\n", ""), "owner is missing"),
    "empty owner": (PAUSE.replace("owner: billing-agents", 'owner: ""'), "owner is empty"),
    "wrong date": (PAUSE.replace("2027-02-28", "2027-02-30"), "review_date is a string"),
    "no date": (PAUSE.replace('"2027-02-28"', "tomorrow"), "review_date is a string"),
    "unknown key": (f"{PAUSE}ownr: me\n", "ownr is not a key of a case"),
    "no event": (
        PAUSE[: PAUSE.index("    turns:")] + "    turns: []\n" + PAUSE[PAUSE.index("fixtures:") :],
        "turns",
    ),
    "empty": ("", "is empty"),
    "a list": ("- 1\n", "expected a case, a mapping"),
    "same key twice": (f"{PAUSE}title: again\n", "same key twice"),
    "newer": (PAUSE.replace("replay-case/1", "replay-case/9"), "newer than this workbench"),
    "binary": ("\x00\x01\x02", "is not YAML"),
}


@pytest.mark.parametrize("name", BAD_CASES)
@pytest.mark.parametrize("command", ["check", "run", "fmt", "activate", "accept"])
def test_a_bad_case_is_one_line_with_a_fix(cases, shell, command, name):
    """Whichever command reads it: 4, where, what, and what to do; the file stays."""
    text, message = BAD_CASES[name]
    path = cases / "pause.case.yaml"
    path.write_text(text, "utf-8")
    words = {
        "run": ["--agent", f"python:{AGENT}:loop", "--isolate", "none"],
        "activate": ["--by", "ada"],
        "accept": ["--repair"],
    }

    said = shell(command, "cases/pause.case.yaml", *words.get(command, []))

    shown = said.err + said.out
    assert said.status == 4
    assert "cases/pause.case.yaml" in shown
    assert message in shown
    assert "Fix: " in shown
    assert path.read_text("utf-8") == text


def test_good_cases_are_checked_beside_bad_ones(cases, shell):
    """One broken file must not hide the others."""
    (cases / "bad.case.yaml").write_text("- 1\n")

    said = shell("check", "cases", "--json")

    assert said.status == 4
    assert [report["valid"] for report in said.document["cases"]] == [False, True]
    assert "bad.case.yaml" in said.err


@pytest.mark.parametrize("command", ["check", "run"])
def test_no_case_at_all_is_5(folder, shell, command):
    """A path that moved must not look green."""
    (folder / "cases").mkdir()
    words = ["--agent", f"python:{AGENT}:loop"] if command == "run" else []

    said = shell(command, "cases", *words)

    assert said.status == 5
    assert "no *.case.yaml in what was given\n  Fix: check the path" in said.err


@pytest.mark.parametrize("command", ["check", "run", "fmt"])
def test_a_path_that_is_not_there_is_4(folder, shell, command):
    """A typo in a CI file."""
    words = ["--agent", f"python:{AGENT}:loop"] if command == "run" else []

    said = shell(command, "nowhere", *words)

    assert said.status == 4
    assert "nowhere: does not exist\n  Fix: " in said.err


# --- run ---------------------------------------------------------------------


def run(shell, *words):
    """Run cases with one of our agents, without isolation."""
    return shell("run", *words, "--isolate", "none")


def test_without_an_agent_nothing_would_be_tested(cases, shell):
    """The sentence is fixed: a green self-test is no test of an agent."""
    said = shell("run", "cases")

    assert (said.status, said.out) == (4, "")
    assert said.err == (
        "workbench: nothing of yours would be tested; `workbench check` is the self-test\n"
        "  Fix: --agent python:package.module:callable\n"
    )


def test_the_agent_may_be_in_the_settings(cases, folder, shell):
    """A repository states it once."""
    (folder / "workbench.toml").write_text(f'[agent]\nspec = "python:{AGENT}:loop"\n')

    said = run(shell, "cases", "--gate-proposed")

    assert said.status == 1, said.err


def test_a_proposed_case_gates_only_when_asked(cases, shell):
    """Nobody has vouched for it yet: 5, nothing that gates was run."""
    agent = ("--agent", f"python:{AGENT}:loop")

    assert run(shell, "cases", *agent).status == 5
    assert run(shell, "cases", *agent, "--gate-proposed").status == 1


def test_what_a_model_must_prevent_is_not_run_with_a_scripted_one(cases, shell):
    """The script would be tested, not the model; the report says so."""
    (cases / "pause.case.yaml").write_text(MODEL_CASE, "utf-8")

    said = run(shell, "cases", "--agent", f"python:{AGENT}:loop", "--gate-proposed")

    assert said.status == 5
    assert "not run" in said.out


def test_results_are_written_and_printed(cases, folder, shell):
    """One file for CI, the same document on stdout."""
    words = ("--agent", f"python:{AGENT}:loop", "--gate-proposed", "--results", "out/results.json")

    said = run(shell, "cases", *words, "--json")

    assert said.status == 1
    assert json.loads((folder / "out/results.json").read_text()) == said.document
    assert "cases" in said.document


def test_results_that_cannot_be_written_are_an_error(cases, folder, shell):
    """Nobody may read yesterday's file as today's."""
    (folder / "out").write_text("a file")

    said = run(shell, "cases", "--agent", f"python:{AGENT}:loop", "--results", "out/results.json")

    assert said.status == 4
    assert "cannot be written" in said.err


def test_a_missing_fixture_is_inconclusive_and_explained(cases, shell):
    """6: the case does not know; the nearest fixture and the place that differs are named."""
    said = run(shell, "cases", "--agent", f"python:{AGENT}:other_email", "--gate-proposed")

    assert said.status == 6
    assert "f1" in said.out
    assert "args.email" in said.out


def test_a_write_without_fixture_is_blocked_and_never_done(cases, folder, shell):
    """Default deny: the real tool is not even looked for."""
    said = run(
        *(shell, "cases", "--agent", f"python:{AGENT}:other_write", "--gate-proposed"),
        *("--json", "--results", "r.json"),
    )

    assert "blocked" in json.dumps(said.document)
    assert said.status in {1, 6}
    assert not (folder / "written.txt").exists()


@pytest.mark.parametrize(
    ("agent", "status"),
    [("python:tests.cli.agents:nothing_of_this_name", 4), ("perl:x", 4), ("python:no.such:x", 4)],
)
def test_an_agent_that_is_not_there_is_a_usage_error(cases, shell, agent, status):
    """Not a red case: nothing of the agent was tested."""
    said = run(shell, "cases", "--agent", agent, "--gate-proposed")

    assert said.status == status
    assert "Fix: " in said.err + said.out


def test_an_unknown_level_of_isolation_is_a_usage_error(cases, shell):
    """A typo must not mean none."""
    said = shell("run", "cases", "--agent", f"python:{AGENT}:loop", "--isolate", "nett")

    assert said.status == 4
    assert "isolation 'nett' is not known" in said.err


def test_the_demo_agents_are_told_apart(demo, shell):
    """Red for the agent of the incident, green for the mended one."""
    shell("accept", CASE, "--repair")
    shell("activate", CASE, "--by", "ada")

    broken = shell("run", "cases", "--agent", "python:workbench.demo.broken_agent:agent")
    mended = shell("run", "cases", "--agent", "python:workbench.demo.mended_agent:agent")

    assert (broken.status, mended.status) == (1, 0)


# --- activate ----------------------------------------------------------------


@pytest.mark.desk
def test_a_proven_case_becomes_active(demo, shell):
    """Red, green, killable and reviewed; a reviewer's comment stays."""
    shell("accept", CASE, "--repair")
    text = (demo / CASE).read_text("utf-8")
    (demo / CASE).write_text(text.replace("owner:", "# paged twice\nowner:"), "utf-8")

    said = shell("activate", CASE, "--by", "ada")

    case = load_case(CASE)
    assert (said.status, said.out) == (0, f"{CASE} is active\n")
    assert (case.state, case.history[-1].by) == ("active", "ada")
    assert "\n# paged twice\nowner: billing\n" in (demo / CASE).read_text("utf-8")


def test_an_unproven_case_stays_proposed(cases, shell):
    """1, with what is missing."""
    before = (cases / "pause.case.yaml").read_bytes()

    said = shell("activate", "cases/pause.case.yaml", "--by", "ada")

    assert said.status == 1
    assert "no accepted path yet" in said.err
    assert (cases / "pause.case.yaml").read_bytes() == before


def test_somebody_must_say_so(cases, shell):
    """A case is put into force by a person."""
    said = shell("activate", "cases/pause.case.yaml")

    assert said.status == 4
    assert "required: --by" in said.err


# --- fmt ---------------------------------------------------------------------


def test_fmt_writes_the_canonical_layout_once(cases, shell):
    """The second time there is nothing to do."""
    path = cases / "pause.case.yaml"
    path.write_text(PAUSE.replace("severity: S1", "severity: S1   # paged"), "utf-8")
    case = load_case(path)

    first = shell("fmt", "cases")
    text = path.read_text("utf-8")
    second = shell("fmt", "cases")

    assert (first.status, second.status) == (0, 0)
    assert first.out == "formatted cases/pause.case.yaml\n1 of 1 case files changed\n"
    assert second.out == "0 of 1 case files changed\n"
    assert path.read_text("utf-8") == text
    assert "severity: S1  # paged\n" in text
    assert load_case(path) == case


def test_fmt_check_changes_nothing(cases, shell):
    """For CI: 1 while something would change."""
    path = cases / "pause.case.yaml"

    before = shell("fmt", "--check", "cases")
    unchanged = path.read_text("utf-8")
    shell("fmt", "cases")
    after = shell("fmt", "--check", "cases")

    assert (before.status, after.status) == (1, 0)
    assert before.out.startswith("would change cases/pause.case.yaml\n1 of 1 case files would")
    assert unchanged == PAUSE


def test_fmt_sees_line_ends(cases, shell):
    """An editor on another system; a diff would show every line."""
    path = cases / "pause.case.yaml"
    shell("fmt", "cases")
    canonical = path.read_bytes()
    path.write_bytes(canonical.replace(b"\n", b"\r\n"))

    said = shell("fmt", "cases")

    assert said.out.startswith("formatted ")
    assert path.read_bytes() == canonical


def test_fmt_of_good_files_beside_bad_ones(cases, shell):
    """The good ones are formatted, the bad ones named, and the exit is 4."""
    (cases / "bad.case.yaml").write_bytes(b"title: caf\xe9\n")

    said = shell("fmt", "cases")

    assert said.status == 4
    assert said.out == "formatted cases/pause.case.yaml\n1 of 2 case files changed\n"
    assert "bad.case.yaml: is not UTF-8 text" in said.err


def test_fmt_keeps_an_accepted_case_sound(folder, shell):
    """Layout is not meaning."""
    path = with_accepted(folder)
    case = load_case(path)

    assert shell("fmt", "full.case.yaml").status == 0
    assert load_case(path) == case


# --- in a process of its own -------------------------------------------------


def in_process(folder, *words, **env):
    """Run `python -m workbench` in a folder."""
    ours = {name: value for name, value in os.environ.items() if "COV" not in name}
    above = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120
    return subprocess.run(
        [sys.executable, "-m", "workbench", *words],
        cwd=folder,
        env={**ours, "PYTHONPATH": above, **env},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_process_prints_only_the_document(cases, folder):
    """`workbench check --json | jq` works."""
    done = in_process(folder, "check", "cases", "--json")

    assert (done.returncode, done.stderr) == (0, "")
    assert set(json.loads(done.stdout)) == {"cases"}


def test_a_process_returns_the_code_of_the_gates(cases, folder):
    """CI reads nothing else."""
    words = ("run", "cases", "--isolate", "none", "--gate-proposed")

    loop = in_process(folder, *words, "--agent", f"python:{AGENT}:loop")
    lost = in_process(folder, *words, "--agent", f"python:{AGENT}:other_email")
    nobody = in_process(folder, *words)

    assert [done.returncode for done in (loop, lost, nobody)] == [1, 6, 4]
