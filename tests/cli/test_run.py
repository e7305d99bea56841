"""`workbench run`: flags, what is printed, files and exit codes."""

from __future__ import annotations

import json

import pytest

from tests.runner.cases import PAUSE as MODEL_CASE
from tests.runner.provider import call, provider, say

AGENT = ("--agent", "python:tests.cli.agents:loop", "--isolate", "audit", "--gate-proposed")
CODE = MODEL_CASE.replace("fix: model", "fix: code")
LOOK = call("customer.lookup", email="a@b.example")


@pytest.fixture
def cases(folder):
    """A folder with one case whose code is broken."""
    (folder / "cases").mkdir()
    (folder / "cases" / "pause.case.yaml").write_text(CODE, "utf-8")
    return folder


def settings(folder, text):
    """Write `workbench.toml`."""
    (folder / "workbench.toml").write_text(text, "utf-8")


# --- baseline --------------------------------------------------------------------------


def test_a_baseline_is_made_with_a_reason_and_compared_with(cases, shell):
    """Accepted once, and only worse than that fails; no flag turns 1 into 0."""
    first = shell("run", "cases", *AGENT, "--update-baseline", "the incident, not mended yet")
    again = shell("run", "cases", *AGENT, "--baseline", "cases/baseline.json", "--json")

    assert first.status == 1
    assert first.out.endswith("baseline: 1 change\n+ pause-with-unknown-outcome: fail 0/1\n")
    written = json.loads((cases / "cases" / "baseline.json").read_text("utf-8"))
    assert written["updated"]["reason"] == "the incident, not mended yet"
    assert again.status == 1
    (case,) = again.document["cases"]
    assert case["baseline"]["relation"] == "worse"
    assert case["baseline"]["sentence"] == "worse: 0/1 -> 0/1, with a hard violation"


def test_a_deleted_case_is_red_until_somebody_says_why(cases, shell):
    """The way to green is through the baseline's diff."""
    (cases / "cases" / "other.case.yaml").write_text(
        CODE.replace("pause-with-unknown-outcome", "other"), "utf-8"
    )
    shell("run", "cases", *AGENT, "--update-baseline", "start")
    (cases / "cases" / "other.case.yaml").unlink()

    red = shell("run", "cases", *AGENT, "--baseline", "cases/baseline.json")
    said = shell("run", "cases", *AGENT, "--update-baseline", "merged into pause", "--json")
    after = shell("run", "cases", *AGENT, "--baseline", "cases/baseline.json", "--json")

    assert "FAIL         other [absent]" in red.out
    assert "- other: fail 0/1" in said.err
    assert [case["id"] for case in after.document["cases"]] == ["pause-with-unknown-outcome"]


def test_a_baseline_that_is_not_there_is_a_usage_error(cases, shell):
    """Compared with nothing, everything would be new and nothing worse."""
    said = shell("run", "cases", *AGENT, "--baseline", "b.json")

    assert said.status == 4
    assert "b.json: is not there\n  Fix: make it with --update-baseline REASON" in said.err


def test_half_a_run_does_not_become_the_baseline(cases, shell):
    """A file that is no case would lose its entry."""
    (cases / "cases" / "bad.case.yaml").write_text("x: 1\n", "utf-8")

    said = shell("run", "cases", *AGENT, "--update-baseline", "why not")

    assert said.status == 4
    assert "not all cases were run to their end; the baseline stays as it is" in said.err
    assert not (cases / "cases" / "baseline.json").exists()


# --- what is run ------------------------------------------------------------------------


def test_select_leaves_cases_out_and_nothing_selected_is_exit_5(cases, shell):
    """Nothing that gates was run is no success."""
    none = shell("run", "cases", *AGENT, "--select", "severity>S1", "--json")
    some = shell("run", "cases", *AGENT, "--select", "severity<=S1 and owner==billing-*", "--json")
    wrong = shell("run", "cases", *AGENT, "--select", "severity<=S9")

    assert (none.status, none.document["cases"]) == (5, [])
    assert none.document["summary"]["deselected"] == 1
    assert none.document["settings"]["select"] == "severity>S1"
    assert (some.status, len(some.document["cases"])) == (1, 1)
    assert wrong.status == 4
    assert "--select:11: expected one of S1, S2, S3" in wrong.err


def test_cases_run_on_processes(cases, shell):
    """With the same verdict."""
    said = shell("run", "cases", *AGENT, "--executor", "processes:1")
    wrong = shell("run", "cases", *AGENT, "--executor", "cluster")

    assert said.status == 1
    assert wrong.status == 4
    assert "--executor: executor 'cluster' is not known" in wrong.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--trials", "0"), "--trials: '0' is no integer >= 1"),
        (("--trials", "x"), "--trials: 'x' is no integer >= 1"),
        (("--trials", "5"), "the same script run again is no other sample"),
        (("--budget-usd", "-1"), "--budget-usd: '-1' is no number above 0"),
        (("--budget-minutes", "nan"), "--budget-minutes: 'nan' is no number above 0"),
        (("--budget-minutes", "soon"), "--budget-minutes: 'soon' is no number above 0"),
        (("--budget-tokens", "1.5"), "--budget-tokens: '1.5' is no integer >= 1"),
        (("--budget-usd", "5"), "needs the price of the model's tokens"),
        (("--update-baseline", " "), "--update-baseline: says nothing"),
        (("--layer", "dreamed"), "invalid choice: 'dreamed'"),
        (("--layer", "live"), "the live layer has no model provider"),
    ],
)
def test_flags_that_cannot_be_meant_are_usage_errors(cases, shell, monkeypatch, words, expected):
    """Exit 4 with a fix, before the agent starts."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    said = shell("run", "cases", *AGENT, *words)

    assert said.status == 4
    assert expected in said.err
    assert "Fix: " in said.err


# --- versions and the live layer -----------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "version"),
    [
        ("", "support@v44"),
        ('spec = "python:tests.cli.agents:loop"\n', "support@v44"),
        ('spec = "cmd:sh"\n', None),
    ],
)
def test_the_version_is_that_of_the_agent_it_belongs_to(cases, shell, spec, version):
    """A flag that names another agent has no version in the settings."""
    settings(cases, f'[agent]\nversion = "support@v44"\n{spec}')

    said = shell("run", "cases", *AGENT, "--json")

    assert said.document["versions"]["agent"] == version
    fails = said.document["cases"][0]["strength"].get("fails")
    assert (fails is None) is (version is None)


def test_a_live_run_says_first_what_it_may_take(cases, shell, monkeypatch):
    """Then it runs, and the budget and the price are in the results."""
    settings(cases, "[agent]\nusd_per_million_input = 2\nusd_per_million_output = 10\n")
    with provider((LOOK, say("I do not know."))) as stand_in:
        monkeypatch.setenv(
            "WORKBENCH_LIVE_OPENAI_BASE_URL", stand_in.upstream.providers[0].base_url
        )
        monkeypatch.setenv("WORKBENCH_LIVE_OPENAI_API_KEY", "sk-stand-in-0123456789")
        monkeypatch.setenv("WORKBENCH_LIVE_MODEL", "stand-in-1")

        said = shell(
            "run",
            "cases",
            *AGENT,
            "--layer",
            "live",
            "--trials",
            "2",
            "--budget-usd",
            "1",
            "--json",
        )

    assert "2 live trials; about 1,686 tokens, 0.00 USD; stops at 1.0 USD" in said.err
    assert said.status == 1  # billing.pause was never called
    document = said.document
    assert (document["layer"], document["settings"]["trials"]) == ("live", 2)
    assert document["budget"]["spent_tokens"] == 400
    assert document["budget"]["spent_usd"] == pytest.approx(0.00144)
    assert document["cases"][0]["gate"]["trials"] == 2
    assert document["versions"]["models"] == ["stand-in-1"]
    assert "sk-stand-in" not in said.out + said.err
