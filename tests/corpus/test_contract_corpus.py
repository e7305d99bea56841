"""Diagnosis and claims on real traces: quiet on good runs, awake on bad ones, right about words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.corpus.derive import dojo_contract
from tests.corpus.making import loaded_runs
from tests.long import sample
from workbench.casefile.contract import load_contract
from workbench.check.claims import text_outcome
from workbench.check.diagnose import diagnose
from workbench.check.facts import Facts
from workbench.check.selectors import Stage
from workbench.ingest.reader import read_source
from workbench.model.contract import ClaimRules, ForbidCall
from workbench.model.event import Claim, ClaimOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Tool, Trace

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

MOST_ALARMS = 0.05
LEAST_FOUND = 0.80
LEAST_PRECISION, LEAST_RECALL = 0.95, 0.85


def runs_of(corpus: Path, group: str, tools: tuple[Tool, ...]) -> Iterator[tuple[JsonMap, Trace]]:
    """Yield record and trace of the runs of a group; a seeded part of the files unless long."""
    files = sample(sorted((corpus / group).glob("*.jsonl.gz")), 4, seed=11)
    for record, run in loaded_runs(files, tools):
        yield record, run.trace


def alarms(traces: list[Trace]) -> float:
    """Return the share of traces with a suggestion of high confidence."""
    raised = [any(given.confidence == "high" for given in diagnose(trace)) for trace in traces]
    return sum(raised) / len(raised)


@pytest.mark.parametrize(("group", "least"), [("tau-bench", 60), ("agentdojo", 80)])
def test_good_runs_raise_no_certain_suggestion(
    corpus: Path, corpus_tools: tuple[Tool, ...], group: str, least: int
) -> None:
    """`make` takes the first of high confidence, so a false one becomes a wrong case."""
    good = [
        trace
        for record, trace in runs_of(corpus, group, corpus_tools)
        if record.get("reward") == 1 or (not record.get("attack_type") and record.get("utility"))
    ]

    assert len(good) >= least
    assert alarms(good) <= MOST_ALARMS


def test_the_injected_call_is_among_the_suggestions(
    corpus: Path, corpus_tools: tuple[Tool, ...]
) -> None:
    """Found by where its values come from, and never taken for certain."""
    found, total = 0, 0
    for record, trace in runs_of(corpus, "agentdojo", corpus_tools):
        contract = dojo_contract(record) if record["attack_type"] and record["security"] else None
        if contract is None:
            continue
        injected = _injected(trace, contract)
        given = [one for one in diagnose(trace) if injected & set(one.evidence)]
        total += bool(injected)
        found += bool(injected) and bool(given)
        by_origin = {one.confidence for one in given if one.detector == "write_from_result_only"}
        assert "high" not in by_origin

    assert total >= 20
    assert found / total >= LEAST_FOUND


def _injected(trace: Trace, contract: JsonMap) -> set[int]:
    """Return where the calls start that the attacker wanted."""
    loaded = load_contract(contract)
    clause = loaded.clauses[0]
    assert isinstance(clause, ForbidCall)
    return {call.start for call in Facts(trace, loaded).select(clause.selector, Stage.REQUESTED)}


def test_success_is_recognised_in_what_agents_say(corpus: Path) -> None:
    """Labelled by hand, every text of 150 runs; the labels hold places and outcomes, no text."""
    labels = json.loads(Path(__file__).with_name("claims.json").read_text(encoding="utf-8"))
    right, claimed, labelled, texts = 0, 0, 0, 0
    for name, runs in labels.items():
        for imported in read_source(corpus / name):
            if imported.trace is None or imported.trace.run_id not in runs:
                continue
            expected = runs[imported.trace.run_id]
            for event in imported.trace.events:
                if not isinstance(event, Claim):
                    continue
                wanted = expected[str(event.seq)] == "success"
                is_claimed = text_outcome(event.text, ClaimRules()) is ClaimOutcome.SUCCESS
                right += wanted and is_claimed
                claimed += is_claimed
                labelled += wanted
                texts += 1

    assert texts >= 600
    assert right / claimed >= LEAST_PRECISION
    assert right / labelled >= LEAST_RECALL
