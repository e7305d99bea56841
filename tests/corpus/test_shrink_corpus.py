"""Shrinking what really happened: minimal, with its stimulus, and with the step that was to blame.

A seeded sample runs by default, all of it with WORKBENCH_LONG=1.
"""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import re2

from tests.corpus.making import Failure, dojo_failures, tau_failures
from tests.corpus.whowhen import Blamed, blamed_runs
from tests.long import sample
from tests.shrink.brute import calls_alone, droppable, orphans
from workbench.casefile.contract import load_contract
from workbench.check.oracle import recorded_oracle
from workbench.model.event import Claim, Event, SystemMessage, ToolCall, ToolResult, UserMessage
from workbench.shrink import Budget, is_projection, shrink_trace

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Tool, Trace
    from workbench.shrink import Shrunk

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

INJECTION = "important message from me"
"""What every injected text of this attack says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A failure of the corpus and what was left of it."""

    failure: Failure
    shrunk: Shrunk


def pairs_of(failures: list[Failure]) -> list[Pair]:
    """Shrink each by its contract, without a limit of time: this machine may be slow."""
    return [
        Pair(
            failure=failure,
            shrunk=shrink_trace(
                failure.run.trace, recorded_oracle(failure.contract), budget=Budget(seconds=None)
            ),
        )
        for failure in failures
    ]


@pytest.fixture(scope="module")
def dojo(corpus: Path, corpus_tools: tuple[Tool, ...]) -> list[Pair]:
    """Successful injections."""
    return pairs_of(sample(list(dojo_failures(corpus, corpus_tools)), 145, seed=3))


@pytest.fixture(scope="module")
def tau(corpus: Path, corpus_tools: tuple[Tool, ...]) -> list[Pair]:
    """Conversations that ended with wrong writes, or without the right ones."""
    return pairs_of(sample(list(tau_failures(corpus, corpus_tools)), 60, seed=4))


def problems_of(original: Trace, contract: Contract, shrunk: Shrunk) -> list[str]:
    """Say what a shrunk trace does not hold of what is promised."""
    oracle, small = recorded_oracle(contract), shrunk.trace
    promises = {
        "it fails as the original does": oracle(small).signature == oracle(original).signature,
        "1-minimal, by brute force": droppable(small, oracle) == [],
        "it says that it is minimal": shrunk.minimal.behaviour and shrunk.why_stopped is None,
        "a projection": is_projection(small, original),
        "no orphan": orphans(small) == [],
        "it has input": any(isinstance(e, SystemMessage | UserMessage) for e in small.events),
        "smaller": len(small.events) <= len(original.events),
    }
    return [f"{original.run_id}: not {name}" for name, holds in promises.items() if not holds]


@pytest.mark.parametrize(("group", "least"), [("dojo", 140), ("tau", 60)])
def test_every_failure_of_the_corpus_becomes_minimal(
    group: str, least: int, request: pytest.FixtureRequest
):
    """Two hundred real ones; the brute force has an idea of its own of what hangs together."""
    pairs: list[Pair] = request.getfixturevalue(group)

    problems = [
        line
        for pair in pairs
        for line in problems_of(pair.failure.run.trace, pair.failure.contract, pair.shrunk)
    ]

    assert problems == []
    assert len(pairs) >= least


def test_the_brute_force_sees_what_is_too_much(dojo: list[Pair], tau: list[Pair]):
    """A check that finds nothing anywhere would check nothing."""
    pairs = [*dojo[:20], *tau[:20]]

    seen = [
        bool(droppable(pair.failure.run.trace, recorded_oracle(pair.failure.contract)))
        for pair in pairs
        if len(pair.shrunk.trace.events) < len(pair.failure.run.trace.events)
    ]

    assert len(seen) >= 30
    assert sum(seen) >= 0.9 * len(seen)


def test_the_budget_of_calls_holds_on_real_traces(dojo: list[Pair], tau: list[Pair]):
    """Some conversations break five clauses at once; they may need a few more than sixty."""
    calls = [pair.shrunk.calls for pair in (*dojo, *tau)]

    assert statistics.median(calls) <= 6
    assert max(calls) <= 80


def holds_injection(trace: Trace) -> bool:
    """Whether some result has the attacker's text."""
    return any(
        isinstance(event, ToolResult) and INJECTION in (event.result_raw or "")
        for event in trace.events
    )


def test_the_injected_text_is_kept_for_three_calls_more(dojo: list[Pair]):
    """The contract alone would keep it in next to none; value flow does, and it is not dear."""
    attacked = [pair for pair in dojo if holds_injection(pair.failure.run.trace)]

    kept = [pair for pair in attacked if holds_injection(pair.shrunk.trace)]
    extra = [
        sum(isinstance(event, ToolCall) for event in pair.shrunk.trace.events)
        - calls_alone(pair.shrunk.trace, recorded_oracle(pair.failure.contract))
        for pair in attacked
    ]

    assert len(attacked) >= 130
    assert len(kept) >= 0.9 * len(attacked)
    assert statistics.median(extra) <= 3


# --- Who&When ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def blamed(corpus: Path) -> list[Blamed]:
    """Runs of several agents with a labelled step."""
    runs = list(blamed_runs(corpus))
    if not runs:
        pytest.skip("NOT TESTED on Who&When: its files are absent")
    return runs


def contract_that_reads(run: Blamed) -> JsonMap | None:
    """Return a contract that the labelled step breaks; None: the same was said or done twice."""
    trace, step = run.trace, run.trace.events[run.step]
    text = _start(step)
    if not text or sum(_start(event) == text for event in trace.events) != 1:
        return None
    if isinstance(step, Claim):
        pattern = f"^{re2.escape(text)}"
        return {
            "success_requires": {"tool": "WebSurfer", "pred": "$ == never.said"},
            "claims": {"success": [pattern]},
        }
    where: list[Json] = [
        f"{'text' if isinstance(step, ToolCall) else '$'} contains {json.dumps(text)}"
    ]
    if isinstance(step, ToolCall):
        return {"forbid_call": [{"tool": "*", "where": where}]}
    return {"order": [{"after": [{"tool": "*", "result": where}, "check.facts"]}]}


def _start(event: Event) -> str:
    """Return how a text of the model or a program begins."""
    match event:
        case Claim(text=text):
            return text[:200]
        case ToolCall(args={"text": str(text)}):
            return text[:200]
        case ToolResult(result_raw=str(text)):
            return text[:200]
        case _:
            return ""


def origins(trace: Trace) -> set[int]:
    """Return the positions in the original of what is left."""
    return {event.seq if event.origin_seq is None else event.origin_seq for event in trace.events}


def test_the_step_to_blame_survives_when_the_contract_reads_it(blamed: list[Blamed]):
    """Whatever else goes, the decisive step is what the case is about."""
    read, lost, problems = 0, [], []
    for run in sample(blamed, 122, seed=5):
        document = contract_that_reads(run)
        if document is None:
            continue
        contract = load_contract(document)
        shrunk = shrink_trace(run.trace, recorded_oracle(contract), budget=Budget(seconds=None))
        read += 1
        lost += [] if run.step in origins(shrunk.trace) else [run.trace.run_id]
        problems += problems_of(run.trace, contract, shrunk)

    assert lost == []
    assert problems == []
    assert read >= 100
