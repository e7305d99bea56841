"""The openai and anthropic clients as they are, driving the case of the demo."""

from __future__ import annotations

import json
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.clients import sdk_agents
from tests.long import is_long
from tests.replay.builders import a_call, a_case, a_fixture, asks
from tests.replay.provider import KEY, KEY_ENV, Said, standing_in
from workbench.casefile.case import load_case
from workbench.casefile.contract import load_contract
from workbench.casefile.trace import trace_document
from workbench.demo import broken_agent
from workbench.model.case import Turn
from workbench.model.event import (
    CallError,
    ModelReply,
    ModelRequest,
    Outcome,
    ToolCall,
    ToolResult,
    Usage,
)
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.gateway.dialect import Finish, Speech, SpokenCall
from workbench.replay.gateway.http import serve
from workbench.replay.issues import IssueKind
from workbench.replay.live import live_path
from workbench.replay.trial import Limits
from workbench.runner.outcome import CaseVerdict
from workbench.runner.trials import run_cases
from workbench.runner.verdicts import trial_result

HERE = Path(__file__).parent
CASE = load_case(HERE / "demo.case.yaml")
PROGRAM = shlex.join([sys.executable, "-m", "tests.clients.sdk_agents"])
WORKER = parse_agent(f"worker:{PROGRAM}")
PATIENT = Setting(limits=Limits(seconds=180))  # on a busy machine the imports alone take long
RECORDED = {"damaged_account_id", "confirmed_before_promised"}


@pytest.fixture(scope="module")
def server():
    """One gateway and one process with the clients for all tests."""
    with serve() as running:
        yield running


def trial(server, name, path):
    """Run one path with one of the agents and judge it."""
    run_id = f"{name}.{path.name}"
    driven = drive(CASE, path, agent=WORKER, server=server, run_id=run_id, setting=PATIENT)
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


def scripted(server, name, *turns):
    """Run a script with one of the agents; return its events and issues."""
    case = a_case(
        *turns,
        tools=CASE.tools,
        fixtures=(
            a_fixture("crm.lookup", args={"email": "é@b.example"}, result={"id": [1, {"k": "ü"}]}),
            a_fixture("billing.pause", id="f2", args={"account_id": "ACC-1", "months": 2}),
        ),
    )
    run_id = f"{name}.script"
    driven = drive(case, case.recorded, agent=WORKER, server=server, run_id=run_id, setting=PATIENT)
    events: Any = driven.record.trace.events
    return events, [issue.kind for issue in driven.record.issues]


@pytest.mark.parametrize("name", sdk_agents.AGENTS)
def test_clients_retry_errors_as_they_did_in_the_incident(server, name):
    """One recorded error an attempt; the minute that the provider asked for is not waited."""
    busy = CallError(status=429, headers={"retry-after": "60"}, body={"error": {"message": "m"}})
    down = CallError(status=503, type="overloaded", message="busy")
    started = time.monotonic()

    events, issues = scripted(server, name, Turn(error=busy), Turn(error=down), Turn(text="Done."))

    assert [event.kind for event in events[1:]] == [*["model_request"] * 3, "model_reply", "claim"]
    assert (events[-1].text, issues) == ("Done.", [])
    assert time.monotonic() - started < 30


@pytest.mark.parametrize("name", sdk_agents.AGENTS)
def test_calls_that_are_asked_for_together_arrive_whole(server, name):
    """With text beside them, arguments of any shape, and characters beyond ASCII."""
    both = asks(
        a_call("crm.lookup", {"email": "é@b.example"}, call_id="call_1"),
        a_call("billing.pause", {"account_id": "ACC-1", "months": 2}, call_id="call_2"),
        text="One moment … ✓",
        usage=Usage(input_tokens=7, output_tokens=3, cached_tokens=2),
    )

    events, issues = scripted(server, name, both, Turn(text="Geschafft \U0001f389" * 20))

    calls = [(e.call_id, e.tool, e.turn) for e in events if isinstance(e, ToolCall)]
    assert calls == [("call_1", "crm.lookup", 1), ("call_2", "billing.pause", 1)]
    assert {e.outcome for e in events if isinstance(e, ToolResult)} == {Outcome.OK}
    assert (events[-1].text, issues) == ("Geschafft \U0001f389" * 20, [])


@pytest.mark.parametrize("name", sdk_agents.AGENTS)
def test_a_request_beyond_the_script_is_not_retried(server, name):
    """Our own refusals are final: a client that tried again would only hide them."""
    events, issues = scripted(server, name, asks(a_call("crm.lookup", {"email": "é@b.example"})))

    assert sum(isinstance(event, ModelRequest) for event in events) == 2
    assert events[-1].text == "failed with APIStatusError"
    assert issues == [IssueKind.SCRIPT_EXHAUSTED]


@pytest.mark.parametrize("name", sdk_agents.AGENTS)
def test_live_models_are_reached_through_the_gateway(server, name, monkeypatch):
    """The client talks to its provider as ever; the trace has what was said and what it cost."""
    monkeypatch.setenv(KEY_ENV, KEY)
    usage = Usage(input_tokens=40, output_tokens=2, cached_tokens=0)
    lookup: Any = CASE.fixtures[0].args
    call = SpokenCall(id="call_1", name="crm_lookup", args=lookup, args_text=json.dumps(lookup))
    asks_first = Speech(
        number=1, model="live", text="", calls=(call,), finish=Finish.CALLS, usage=usage
    )
    answer = Speech(
        number=2, model="live", text="Not done.", calls=(), finish=Finish.STOP, usage=usage
    )
    with standing_in(Said(asks_first), Said(answer)) as provider:
        driven = drive(
            CASE,
            live_path(CASE),
            agent=WORKER,
            server=server,
            run_id=f"{name}.live",
            setting=replace(PATIENT, upstream=provider.upstream()),
        )
        server.gateway.hang_up()

    record = driven.record
    events: Any = record.trace.events
    replies = [e for e in events if isinstance(e, ModelReply)][-2:]
    assert record.issues == ()
    assert [(r.text, r.usage) for r in replies] == [("", usage), ("Not done.", usage)]
    assert [e.call_id for e in events if isinstance(e, ToolCall)] == ["call_1"]
    assert (record.answered, len(record.reply_ids), events[-1].text) == (
        1, 2, "Not done.",
    )  # fmt: skip
    assert KEY not in repr(record) + str(trace_document(record.trace))


@pytest.mark.slow
@pytest.mark.parametrize(
    "agent",
    [
        "python:tests.clients.loaded:agent",
        *([f"cmd:{PROGRAM} {name}" for name in sdk_agents.AGENTS] if is_long() else []),
    ],
)
def test_runs_of_both_paths_tell_them_apart(agent):
    """By the public surface, as a callable led by its environment and as a command."""
    report = run_cases([CASE], agent=agent, paths="all", limits=PATIENT.limits)

    (result,) = report.cases
    assert [(t.path, t.verdict) for t in result.trials] == [
        ("recorded", CaseVerdict.FAIL),
        ("repaired", CaseVerdict.PASS),
    ]
