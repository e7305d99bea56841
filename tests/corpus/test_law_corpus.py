"""The law of `build_case` on real traces: the replayed case fails as the trace does."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.corpus.derive import dojo_contract, tau_contract
from tests.corpus.making import loaded_runs
from workbench.casefile.build import build_case
from workbench.casefile.contract import load_contract
from workbench.check.judge import judge
from workbench.model.case import CaseSource, Header, SourceKind
from workbench.model.trace import Effect, Grade, calls_of
from workbench.replay.scripted import replay_path

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Tool, Trace
    from workbench.review.source import LoadedRun

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

GROUPS = ("agentdojo", "tau-bench", "tau2-bench")
PER_GROUP = {"agentdojo": 260, "tau-bench": 110, "tau2-bench": 170}
LEAST = 500


def contract_of(record: JsonMap, trace: Trace, writes: frozenset[str]) -> Contract:
    """Return the derived clause with two that surely fail: a count and a tool never called."""
    derived: JsonMap = {}
    if "suite_name" in record:
        derived = dojo_contract(record) or {}
    elif "traj" in record:
        derived = tau_contract(record, writes=writes) or {}
    calls = sum(call.request.requestor == "agent" for call in calls_of(trace))
    required = derived.get("must_call", [])
    assert isinstance(required, list)
    reachable = calls - 1 > len(required)
    limits: JsonMap = {"limits": {"tool_calls": calls - 1}} if reachable else {}
    return load_contract({**derived, **limits, "must_call": [*required, "no.such_tool"]})


def header_of(run: LoadedRun, contract: Contract) -> Header:
    """Return a header that says no more than it must."""
    return Header(
        id="law",
        title="law",
        owner="tests",
        review_date="2030-01-01",
        source=CaseSource(kind=SourceKind.INCIDENT, run_id=run.trace.run_id),
        signature=judge(run.trace, contract).signature,
        fix=contract.fix,
    )


def lacks_task(run: LoadedRun) -> bool:
    """Whether nobody says what to do in it: no case can be made, and `build_case` says so."""
    return any(loss.kind == "task_missing" for loss in run.losses.items)


def sampled(corpus: Path, tools: tuple[Tool, ...]) -> list[tuple[JsonMap, LoadedRun]]:
    """Return a seeded sample of each group, of runs that have a task."""
    found = []
    for group in GROUPS:
        files = sorted((corpus / group).glob("*.jsonl.gz"))
        runs = [
            entry
            for entry in loaded_runs(files, tools)
            if entry[1].grade is not Grade.SKELETON and not lacks_task(entry[1])
        ]
        found += random.Random(7).sample(runs, min(PER_GROUP[group], len(runs)))  # noqa: S311
    return found


def test_a_replayed_case_fails_as_its_trace_did(corpus: Path, corpus_tools: tuple[Tool, ...]):
    """What `build_case` carries is enough, in order and in content, for every clause."""
    writes = frozenset(tool.name for tool in corpus_tools if tool.effect is Effect.WRITE)
    held, broken = 0, []
    for record, run in sampled(corpus, corpus_tools):
        contract = contract_of(record, run.trace, writes)
        wanted = judge(run.trace, contract).signature
        assert wanted
        case = build_case(run.trace, contract, header=header_of(run, contract))

        found = judge(replay_path(case, case.recorded), contract).signature

        if found == wanted:
            held += 1
        else:
            broken.append((run.trace.run_id, wanted, found))

    assert broken == []
    assert held >= LEAST
