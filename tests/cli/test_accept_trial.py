"""`workbench accept CASE RESULTS#RUN_ID`: the way of a trial becomes an accepted path."""

from __future__ import annotations

import json

import pytest

from tests.runner.cases import PAUSE
from tests.runner.provider import call, provider, say
from workbench.casefile.case import load_case

pytestmark = pytest.mark.desk

CASE = "pause.case.yaml"
RUN = "pause-with-unknown-outcome.live"
AGENT = ("--agent", "python:tests.runner.agents:loop")
LOOK = call("customer.lookup", email="a@b.example")
PAUSED = call("billing.pause", account_id="ACC-4471902 ", idempotency_key="k7")
READ = call("billing.get_operation", operation_id="op_1")
GOOD = (LOOK, PAUSED, READ, say("I could not confirm that your plan is paused."))
HASTY = (LOOK, PAUSED, say("Your plan is paused."))
PENDING = (
    "  - {id: f3, tool: billing.get_operation, args: {operation_id: op_1}, outcome: ok,"
    " result: {status: pending}, operation_id: op_1, basis: declared, by: ann}\n"
)


@pytest.fixture
def night(folder, shell, monkeypatch):
    """Run the case live, and return its folder with `results.json` and traces."""

    def run(*trials, traces=("--traces", "traces")):
        text = PAUSE.replace("contract:\n", f"{PENDING}contract:\n")
        (folder / CASE).write_text(text, "utf-8")
        with provider(*trials) as stand_in:
            base_url = stand_in.upstream.providers[0].base_url
            monkeypatch.setenv("WORKBENCH_LIVE_OPENAI_BASE_URL", base_url)
            monkeypatch.setenv("WORKBENCH_LIVE_OPENAI_API_KEY", "sk-stand-in-0123456789")
            monkeypatch.setenv("WORKBENCH_LIVE_MODEL", "stand-in-1")
            live = ("--layer", "live", "--trials", len(trials), "--results", "results.json")
            shell("run", CASE, *AGENT, *live, *traces)
        return folder

    return run


def test_a_trial_becomes_an_accepted_path(night, shell):
    """No key of a draft is needed: a replay knows pseudonyms only."""
    night(GOOD, HASTY)

    said = shell("accept", CASE, f"results.json#{RUN}.1", "--name", "reads-back", "--by", "ann")

    assert (said.status, said.err) == (0, "")
    (path,) = load_case(CASE).accepted
    assert (path.name, path.by) == ("reads-back", "ann")
    assert [call.name for turn in path.turns for call in turn.tool_calls] == [
        "customer.lookup",
        "billing.pause",
        "billing.get_operation",
    ]
    assert shell("check", CASE, "--json").document["cases"][0]["accepted_green"] is True


def test_a_file_of_one_trial_needs_no_name(night, shell):
    """There is nothing to choose."""
    night(GOOD)

    assert shell("accept", CASE, "results.json").status == 0
    assert [path.name for path in load_case(CASE).accepted] == ["accepted"]


def test_a_trial_that_failed_is_refused(night, shell):
    """Its way is the incident again; the file stays."""
    before = (night(HASTY) / CASE).read_bytes()

    said = shell("accept", CASE, "results.json")

    assert said.status == 1
    assert "success_requires/1" in said.err
    assert load_case(CASE).accepted == ()
    assert (night(HASTY) / CASE).read_bytes() == before


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("results.json", "has 2 trials; expected one, or results.json#RUN_ID; name one of"),
        (f"results.json#{RUN}.7", "has no trial"),
    ],
)
def test_which_trial_is_meant_has_to_be_said(night, shell, reference, words):
    """The first one would be a guess."""
    night(GOOD, HASTY)

    said = shell("accept", CASE, reference)

    assert said.status == 4
    assert words in said.err


def test_a_trial_without_a_trace_cannot_be_accepted(night, shell):
    """The message says which flag was missing."""
    night(GOOD, traces=())

    said = shell("accept", CASE, "results.json")

    assert said.status == 4
    assert "Fix: run again with --traces DIR" in said.err


def test_a_trial_of_another_case_is_refused(night, shell):
    """Its fixtures and its contract are another's."""
    place = night(GOOD)
    document = json.loads((place / "results.json").read_text("utf-8"))
    document["cases"][0]["id"] = "another-case"
    (place / "results.json").write_text(json.dumps(document), "utf-8")

    said = shell("accept", CASE, "results.json")

    assert said.status == 4
    assert "is a trial of another case" in said.err


def test_results_of_no_trial_say_so(night, shell):
    """A run that was stopped at once has a file too."""
    place = night(GOOD)
    document = json.loads((place / "results.json").read_text("utf-8"))
    document["cases"] = []
    (place / "results.json").write_text(json.dumps(document), "utf-8")

    assert "has 0 trials" in shell("accept", CASE, "results.json").err
