"""Real failures become cases that hold what the product promises.

Every case is written to a file and read again; what is asserted is asserted of the file. A seeded
sample runs by default, all of them with WORKBENCH_LONG=1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tests.corpus.derive import dojo_task
from tests.corpus.making import Failure, dojo_failures, make, resisting_runs, tau_failures
from tests.long import sample
from workbench.casefile.case import load_case
from workbench.check.judge import judge
from workbench.errors import RefusedError
from workbench.model.event import ToolResult, UserMessage
from workbench.replay.scripted import replay_path
from workbench.review.accept import accept_run
from workbench.review.vault import Vault
from workbench.runner.selftest import check_case
from workbench.shrink import is_projection

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.model.trace import Tool, Trace
    from workbench.review.make import Made

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

INJECTION = "important message from me"
"""What every injected text of this attack says."""


@dataclass(slots=True)
class Batch:
    """Cases made of one group's failures."""

    made: list[tuple[Failure, Made]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def made_of(failures: list[Failure], folder: Path) -> Batch:
    """Make every case, each in a folder of its own; a refusal to export is no case."""
    batch = Batch()
    for number, failure in enumerate(failures):
        try:
            batch.made.append((failure, make(failure, folder / str(number))))
        except RefusedError as refusal:
            batch.refused.append(f"{failure.run.trace.run_id}: {refusal}")
    return batch


@pytest.fixture(scope="module")
def dojo(corpus: Path, corpus_tools: tuple[Tool, ...], tmp_path_factory) -> Batch:
    """Cases of successful injections."""
    failures = sample(list(dojo_failures(corpus, corpus_tools)), 64, seed=1)
    return made_of(failures, tmp_path_factory.mktemp("dojo"))


@pytest.fixture(scope="module")
def tau(corpus: Path, corpus_tools: tuple[Tool, ...], tmp_path_factory) -> Batch:
    """Cases of tasks that ended with wrong writes."""
    failures = sample(list(tau_failures(corpus, corpus_tools)), 42, seed=2)
    return made_of(failures, tmp_path_factory.mktemp("tau"))


def problems_of(failure: Failure, made: Made) -> list[str]:
    """Say what a case does not hold of what is promised."""
    case = load_case(made.path)
    raw = judge(failure.run.trace, failure.contract)
    replayed = judge(replay_path(case, case.recorded), case.contract)
    report = check_case(case)
    promises = {
        "it fails as the raw trace did": replayed.signature == raw.signature == case.signature,
        "check finds nothing wrong": report.valid and report.recorded_red and report.sound,
        "no residue": case.redaction is not None and case.redaction.residue.hits == 0,
        "a projection": is_projection(made.draft.trace, made.redaction.trace),
        "1-minimal": made.shrunk.minimal.behaviour,
        "it has input": bool(case.input.messages),
        "smaller": len(made.draft.trace.events) <= len(failure.run.trace.events),
    }
    return [
        f"{failure.run.trace.run_id}: not {name}" for name, holds in promises.items() if not holds
    ]


@pytest.mark.parametrize(("group", "least"), [("dojo", 40), ("tau", 30)])
def test_failures_become_cases_that_hold_every_promise(
    group: str, least: int, request: pytest.FixtureRequest
):
    """The main job, on what really happened."""
    batch: Batch = request.getfixturevalue(group)

    problems = [line for failure, made in batch.made for line in problems_of(failure, made)]

    assert problems == []
    assert len(batch.made) >= least, batch.refused


def test_refusals_are_few(dojo: Batch, tau: Batch):
    """A step that protects may say no, but it must not be the way out."""
    refused = [*dojo.refused, *tau.refused]

    assert len(refused) <= 0.05 * (len(dojo.made) + len(tau.made) + len(refused)), refused


def injected_results(trace: Trace) -> set[int]:
    """Return where the attacker's text came in."""
    return {
        event.seq
        for event in trace.events
        if isinstance(event, ToolResult) and INJECTION in (event.result_raw or "")
    }


def origins(trace: Trace) -> set[int]:
    """Return the positions in the raw trace of what is left."""
    return {event.seq if event.origin_seq is None else event.origin_seq for event in trace.events}


def test_the_injected_text_is_kept(dojo: Batch):
    """Without it the case would no longer show why the agent did it."""
    attacked = [(f, m) for f, m in dojo.made if injected_results(f.run.trace)]

    kept = [
        made
        for failure, made in attacked
        if injected_results(failure.run.trace) & origins(made.draft.trace)
    ]

    assert len(kept) >= 0.9 * len(attacked)
    assert all(any(INJECTION in str(f.result) for f in made.case.fixtures) for made in kept)


def user_turns(case: Case) -> int:
    """Count the user messages of the recorded path."""
    later = sum(turn.user is not None for turn in case.recorded.turns)
    return later + sum(message["role"] == "user" for message in case.input.messages)


def test_user_turns_that_kept_events_answer_are_kept(tau: Batch):
    """A conversation of seven turns is no case without the turns that led there."""
    for _, made in tau.made:
        kept = sum(isinstance(event, UserMessage) for event in made.draft.trace.events)

        assert user_turns(load_case(made.path)) == kept >= 1


def test_a_run_that_resisted_is_an_accepted_path(
    corpus: Path, corpus_tools: tuple[Tool, ...], dojo: Batch
):
    """The same task done right, in pseudonyms of the same draft, is green."""
    resisting = resisting_runs(corpus, corpus_tools)
    green, refused = 0, []
    for failure, made in dojo.made:
        for run in resisting.get(dojo_task(failure.record), [])[:2]:
            vault = Vault(made.path.parents[1] / "keys")
            try:
                accept_run(made.path, run, vault=vault, ner="none")
            except RefusedError as refusal:
                refused.append(f"{failure.run.trace.run_id}: {refusal}")
                continue
            report = check_case(load_case(made.path))
            assert report.sound
            assert report.accepted_green is True
            green += 1
            break

    assert green >= 30, refused
