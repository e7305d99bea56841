"""The demo as data: each step is one `workbench` command with what to look at and what it returns.

The commands run in the demo's own folder, so a person can repeat any of them there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["CASE", "RUN_ID", "Step", "steps"]

RUN_ID: Final = "run-leafbox-2041"
CASE: Final = "cases/billing/pause-with-unknown-outcome.case.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command of the demo."""

    title: str
    why: str
    """What to look at, for a reader who sees this for the first time."""
    words: tuple[str, ...]
    """After `workbench`."""
    expected: int = 0
    """Exit code; anything else ends the demo."""
    head: int = 30
    """Lines of output shown from its start; the middle of longer output is left out."""
    tail: int = 12


def steps(*, review_date: str) -> tuple[Step, ...]:
    """Return the steps in their order."""
    return (
        Step(
            title="Keep the raw trace",
            why="A customer of a made-up tea subscription was told that her plan is paused. It was "
            "not. The trace of that chat goes into an append-only store, byte for byte.",
            words=("ingest", "incident.json"),
        ),
        Step(
            title="Find it again",
            why="Failed runs, newest first.",
            words=("runs", "--failed"),
        ),
        Step(
            title="Look at it",
            why="134 events; values are masked, so that this may be shown in a meeting.",
            words=("show", RUN_ID),
            head=10,
            tail=22,
        ),
        Step(
            title="What does the trace itself suggest?",
            why="Detectors propose clauses with their evidence. A person decides.",
            words=("diagnose", RUN_ID),
        ),
        Step(
            title="State what must never happen again",
            why="The contract is five deterministic clauses. The recorded run breaks two of them: "
            "exit code 1.",
            words=("judge", RUN_ID, "--contract", "contract.yaml"),
            expected=1,
        ),
        Step(
            title="Replace personal data, and prove that it still fails",
            why="The account id keeps the blank that caused it all; everything personal gets a "
            "consistent pseudonym; the failure is the same before and after.",
            words=(
                *("redact", RUN_ID, "--contract", "contract.yaml"),
                *("--policy", "redaction.yaml", "-o", "redacted.draft.json"),
            ),
        ),
        Step(
            title="Find the smallest trace that fails the same way",
            why="Nothing is rewritten: the result only lacks what the failure does not need.",
            words=(
                *("shrink", "redacted.draft.json", "--contract", "contract.yaml"),
                *("-o", "small.draft.json"),
            ),
        ),
        Step(
            title="Write the case",
            why="One YAML file that reviews well in a pull request.",
            words=(
                *("export", "small.draft.json", "--owner", "billing-agents"),
                *("--review-date", review_date, "--severity", "S1"),
                *("--id", "pause-with-unknown-outcome"),
                *("--title", "Pause timed out, the customer was told it was paused"),
                *("--why", "impact=the customer was charged another month"),
                *("--why", "cause=account id with a trailing blank from an import"),
                *("-o", CASE),
            ),
        ),
        Step(
            title="Check the case",
            why="It can fail: the recorded path is red. It cannot pass yet: nobody has said how.",
            words=("check", "cases"),
        ),
        Step(
            title="Accept a way that is right",
            why="The repair cuts the recorded path before its first violation and ends it honestly.",
            words=("accept", CASE, "--repair"),
        ),
        Step(
            title="Put it into force",
            why="Red where it must be, green where it must be, every clause can turn red.",
            words=("activate", CASE, "--by", "demo-reviewer"),
        ),
        Step(
            title="Run the agent of the incident",
            why="It hands the damaged id on and repeats the model's promise: exit code 1.",
            words=("run", "cases", "--agent", "python:workbench.demo.broken_agent:agent"),
            expected=1,
        ),
        Step(
            title="Run the mended agent",
            why="The same model says the same things; the code refuses the id and promises "
            "nothing: exit code 0.",
            words=("run", "cases", "--agent", "python:workbench.demo.mended_agent:agent"),
        ),
    )
