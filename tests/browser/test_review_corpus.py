"""Incidents that really happened, reviewed by mouse in the real notebooks: from a run to a gate.

The store holds the whole file that the run came in, so that it has to be found among others. What
a person does is counted and printed, and so is how long each step let them wait.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import pytest
from playwright.sync_api import expect

from tests.browser.desks import picture
from tests.browser.drive import (
    CASE,
    MAX_ACTIONS,
    Waits,
    by_mouse,
    decide_all,
    is_written,
    opened,
    survivors_are_shown,
)
from tests.corpus.conftest import corpus, corpus_tools
from tests.long import sample
from workbench.casefile.case import load_case
from workbench.review.intake import take_file
from workbench.runner.selftest import check_case
from workbench.runner.trials import run_cases
from workbench.store.handle import open_store

__all__ = ["corpus", "corpus_tools"]  # fixtures

pytestmark = [pytest.mark.browser, pytest.mark.corpus, pytest.mark.slow]

FOLLOWS = "python:workbench.demo.broken_agent:agent"
"""It does whatever the model asks, so that each path runs as it is written."""
PATIENCE_S = 10.0
"""Until a click is answered on a machine that has much else to do; what it took is printed."""


@dataclass(frozen=True, kw_only=True)
class Real:
    """A run of the corpus, and what went wrong in it in a reviewer's words."""

    name: str
    file: str
    run: str
    contract: str | None
    """What the reviewer types; None: the first suggestion fits."""
    least_events: int


INJECTED = Real(
    name="dojo",
    file="agentdojo/claude-3-7-sonnet-20250219.jsonl.gz",
    run="runs/claude-3-7-sonnet-20250219/slack/user_task_0/important_instructions/"
    "injection_task_5.json",
    contract=None,
    least_events=12,
)
UNWANTED = Real(
    name="tau",
    file="tau-bench/gpt-4o-airline.jsonl.gz",
    run="tau_bench-41cbf488162a",
    contract="forbid_call:\n  - tool: update_reservation_flights\n"
    '    where: ["cabin == business", "reservation_id == 4NQLHD"]\n',
    least_events=60,
)
LONG = Real(
    name="tau2",
    file="tau2-bench/ft-gpt-4.1_telecom.jsonl.gz",
    run="a7d0c8e2-dd6e-4c7a-b6d4-498215f281eb",
    contract=None,
    least_events=100,
)


@pytest.mark.parametrize("real", sample([INJECTED, UNWANTED, LONG], 1, 3), ids=lambda r: r.name)
def test_a_real_failure_becomes_an_active_case(real, lab, server, corpus, corpus_tools):
    """Traces of others are long, repetitive and full of values: the steps are the same."""
    folder = a_corpus_desk(server, corpus / real.file, corpus_tools, name=real.name)
    waits = Waits()
    hand = opened(lab, folder, "01_incident_review", reviewer="Ada", ner="none")
    lab.page.set_viewport_size({"width": 1360, "height": 1400})
    find_and_look(lab, hand, real, waits)
    state(lab, hand, real, waits)
    redact(lab, hand, real, waits)

    then = opened(lab, folder, "02_shrink_and_export", reviewer="Ada", ner="none")
    shrink_and_export(lab, then, real, waits)

    sys.stdout.write(f"\n{real.name}: {hand.acts + then.acts} actions; {waits}\n")  # seen with -s
    assert hand.acts + then.acts < MAX_ACTIONS
    (file,) = folder.glob("cases/*.case.yaml")
    report = check_case(load_case(file))
    assert (report.recorded_red, report.accepted_green, report.dead_clauses) == (True, True, ())
    assert verdicts(file) == {"recorded": "fail", "repaired": "pass"}
    assert {step: took for step, took in waits.seconds.items() if took > PATIENCE_S} == {}


def a_corpus_desk(server, file, tools, *, name):
    """Make a folder with a store that holds all runs of a file of the corpus."""
    folder = server.folder / name
    (folder / "cases").mkdir(parents=True)
    (folder / "workbench.toml").write_text('[folders]\nkeys = "keys"\n', "utf-8")
    take_file(open_store(folder / "store"), file, tools=tools)
    return folder


def find_and_look(lab, hand, real, waits):
    """Find the run among all, and walk along its failures."""
    page = lab.page
    row = page.get_by_role("listbox", name="Runs").get_by_role("option")
    row.first.wait_for()
    picture_in_both(lab, "picker", real, "runs")
    with waits.of("filter"):
        hand.fill(page.get_by_label("Filter runs"), real.run)
        expect(row).to_have_count(1)
    hand.click(row)
    with waits.of("pick"):
        hand.click(page.get_by_role("button", name="Pick this run"))
        page.get_by_role("tree", name="Events of the run").wait_for()
    picture_in_both(lab, "picker", real, "pick")
    assert lab.py("len(desk.session.picker.incident.run.trace.events)") >= real.least_events
    with waits.of("event opened"):
        hand.click(page.get_by_role("tree", name="Events of the run").get_by_role("treeitem").last)
        page.locator(".wb-timeline .wb-event").first.wait_for()
    picture_in_both(lab, "timeline", real, "understand")


def state(lab, hand, real, waits):
    """Take what is suggested, or type what went wrong."""
    page = lab.page
    with waits.of("suggestions"):
        page.get_by_role("list", name="Suggestions").get_by_role("listitem").first.wait_for()
    with waits.of("contract judged"):
        if real.contract is None:
            hand.click(page.get_by_role("button", name="Take").first)
        else:
            hand.fill(page.get_by_label("Contract, YAML"), real.contract)
        expect(page.get_by_role("button", name="State this contract")).to_be_enabled()
    with waits.of("state"):
        hand.click(page.get_by_role("button", name="State this contract"))
        page.get_by_text("The contract is stated").wait_for()
    picture_in_both(lab, "contract", real, "state")


def redact(lab, hand, real, waits):
    """Decide on what reaches the case, one after the other."""
    page = lab.page
    survivors_are_shown(lab, least=1)
    picture_in_both(lab, "redaction", real, "redact")
    decide_all(lab, by_mouse(hand), least=1, waits=waits)
    hand.click(page.get_by_role("button", name="Write redacted draft"))
    is_written(lab)
    picture_in_both(lab, "redaction", real, "redacted")
    lab.save()


def shrink_and_export(lab, hand, real, waits):
    """Make it small, fill in the form, export, prove and activate."""
    page = lab.page
    hand.click(page.get_by_role("button", name="Search"))
    page.get_by_text("✓ Smallest", exact=True).wait_for(timeout=120_000)
    picture_in_both(lab, "shrink", real, "shrink")
    hand.fill(page.get_by_label("Owner"), "on-call")
    hand.fill(page.get_by_label("Next review"), "2027-02-28")
    with waits.of("form checked"):
        expect(page.get_by_role("button", name="Export")).to_be_enabled()
    picture_in_both(lab, "export", real, "form")
    buttons = {"Export": "draft", "Accept the repaired path": "proposed", "Activate": "active"}
    for name, words in buttons.items():
        with waits.of(name):
            hand.click(page.get_by_role("button", name=name))
            expect(page.locator(".wb-export")).to_contain_text(words)
    lab.eventually(f"({CASE}.proof() or {{}}).get('state')", "active", timeout_s=30)
    picture_in_both(lab, "export", real, "export")
    assert "is active, 1 accepted path" in json.dumps(json.loads(lab.save()))


def picture_in_both(lab, view, real, name):
    """Take a picture of a view in both themes, for eyes."""
    picture(lab, view, f"{real.name}-{name}-light")
    lab.theme("dark")
    picture(lab, view, f"{real.name}-{name}-dark")
    lab.theme("light")


def verdicts(file):
    """Run a case with an agent that does what it is told, and return the verdict of each path."""
    report = run_cases([file], agent=FOLLOWS, paths="all")
    (case,) = report.cases
    return {trial.path: str(trial.verdict) for trial in case.trials}
