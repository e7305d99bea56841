"""The openai and anthropic clients as they are, driving the case of the demo."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from tests.clients import sdk_agents
from workbench.casefile.case import load_case
from workbench.casefile.contract import load_contract
from workbench.demo import broken_agent
from workbench.model.event import ModelRequest
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.gateway.http import serve
from workbench.replay.issues import IssueKind
from workbench.runner.outcome import CaseVerdict
from workbench.runner.trials import run_cases
from workbench.runner.verdicts import trial_result

HERE = Path(__file__).parent
CASE = load_case(HERE / "demo.case.yaml")
PROGRAM = shlex.join([sys.executable, "-m", "tests.clients.sdk_agents"])
WORKER = parse_agent(f"worker:{PROGRAM}")
RECORDED = {"damaged_account_id", "confirmed_before_promised"}


@pytest.fixture(scope="module")
def server():
    """One gateway and one process with the clients for all tests."""
    with serve() as running:
        yield running


def trial(server, name, path):
    """Run one path with one of the agents and judge it."""
    run_id = f"{name}.{path.name}"
    driven = drive(CASE, path, agent=WORKER, server=server, run_id=run_id, setting=Setting())
    return trial_result(CASE, path.name, driven)


def test_the_case_is_that_of_the_demo():
    """The demo's contract decides here as there."""
    own = load_contract(Path(broken_agent.__file__).with_name("contract.yaml"))

    assert [c.id for c in CASE.contract.clauses] == [c.id for c in own.clauses]


@pytest.mark.parametrize("name", sdk_agents.AGENTS)
def test_red_on_the_recorded_path_and_green_on_the_accepted_one(server, name):
    """Sync or async, streamed or not: the client cannot tell the gateway from its provider."""
    recorded = trial(server, name, CASE.recorded)
    accepted = trial(server, name, CASE.accepted[0])

    assert {found.clause for found in recorded.violations} >= RECORDED
    assert (recorded.doubts, recorded.replies_left) == ((), 0)
    assert (accepted.verdict, accepted.doubts) == (CaseVerdict.PASS, ())
    assert (accepted.violations, accepted.replies_left) == ((), 0)


@pytest.mark.parametrize("name", ["chat", "responses_stream", "messages"])
def test_a_tool_of_its_own_is_caught_in_every_dialect(server, name):
    """The result in the next request came from nowhere that we know of."""
    found = trial(server, f"own_{name}", CASE.accepted[0])

    assert IssueKind.UNOBSERVED_TOOL.value in {v.clause for v in found.violations}
    assert found.verdict is CaseVerdict.FAIL


def test_requests_are_recorded_with_what_they_ask_for(server):
    """Versions and offered tools are what a report compares."""
    found = trial(server, "messages_stream", CASE.accepted[0])

    (first, *_) = [e for e in found.trace.events if isinstance(e, ModelRequest)]
    assert (first.model, first.settings) == ("claude-x", {"max_tokens": 1000})
    assert first.offered_tools == ("crm.lookup", "billing.pause", "billing.get_operation")


@pytest.mark.slow
@pytest.mark.parametrize(
    "agent", ["python:tests.clients.sdk_agents:chat_async", f"cmd:{PROGRAM} chat"]
)
def test_runs_of_both_paths_tell_them_apart(agent):
    """By the public surface, as a callable led by its environment and as a command."""
    report = run_cases([CASE], agent=agent, paths="all")

    (result,) = report.cases
    assert [(t.path, t.verdict) for t in result.trials] == [
        ("recorded", CaseVerdict.FAIL),
        ("repaired", CaseVerdict.PASS),
    ]
