"""Logs of agents and benchmarks in the corpus: every file is imported, or refused with a reason.

The table was counted over the raw files without the importers, by the marks that each format has
for a call, a result and an error.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tests.corpus.test_ingest_corpus import problems_of
from workbench.errors import TraceFormatError
from workbench.ingest.files.source import open_source, pieces_of
from workbench.ingest.formats import candidates
from workbench.ingest.reader import read_source
from workbench.model.event import ToolCall, ToolResult
from workbench.model.trace import Grade, RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.trace import Imported

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

GROUPS = {
    "claude-code": 5,
    "google-adk": 10,
    "inspect": 15,
    "mini-swe-agent": 2,
    "openhands": 4,
    "swe-agent": 19,
    "whowhen": 2,
}
"""Folder -> files in it."""

TABLE: dict[str, tuple[int, int, int, int]] = {
    "claude_code": (5, 19, 19, 1),
    "google_adk": (1, 1, 1, 0),
    "google_adk_case": (7, 14, 0, 0),
    "inspect": (51, 125, 125, 6),
    "mini_swe_agent": (2, 10, 10, 2),
    "openhands": (5, 127, 127, 19),
    "openhands_events": (2, 5, 5, 1),
    "swe_agent": (19, 211, 211, 0),
    "whowhen": (122, 619, 598, 63),
}
"""Format -> runs, calls, results, results with an error mark."""

REFUSED = {
    "trip_planner_agent__trip_inquiry.test.json": "holds no trace among its 2 records",
}
"""File -> why: questions with the calls that are expected, which nobody made."""

UNUSABLE = {
    "trip_planner_agent__initial.session.json": "events is empty",
}
"""File whose one run is kept without a trace -> why."""


@dataclass(slots=True)
class Tally:
    """What one pass over the folders found."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    statuses: Counter[tuple[str, RunStatus]] = field(default_factory=Counter)
    grades: Counter[tuple[str, Grade]] = field(default_factory=Counter)
    losses: Counter[tuple[str, str]] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)
    unusable: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def folders(corpus: Path) -> Path:
    """The corpus with these folders; without them the test is skipped."""
    absent = [group for group in GROUPS if not (corpus / group).is_dir()]
    if absent:
        pytest.skip(f"NOT TESTED on agents' logs: the corpus has no {', '.join(absent)}")
    return corpus


@pytest.fixture(scope="module")
def tally(folders: Path) -> Tally:
    """One pass over every file."""
    found = Tally()
    for group in GROUPS:
        for path in sorted((folders / group).iterdir()):
            try:
                runs = list(read_source(path))
            except TraceFormatError as error:
                found.refused[path.name] = str(error)
                continue
            for run in runs:
                count(found, path.name, run)
    return found


def count(found: Tally, name: str, run: Imported) -> None:
    """Add one run."""
    if run.trace is None:
        found.unusable[name] = run.parse_error or ""
        return
    assert run.trace.source is not None
    kind = run.trace.source.format or ""
    counts = found.counts.setdefault(kind, Counter())
    counts["runs"] += 1
    found.statuses[kind, run.trace.status] += 1
    found.grades[kind, run.losses.grade] += 1
    found.losses.update({(kind, loss.kind): loss.count for loss in run.losses.items})
    for event in run.trace.events:
        counts["calls"] += isinstance(event, ToolCall)
        counts["results"] += isinstance(event, ToolResult)
        counts["errors"] += isinstance(event, ToolResult) and event.error is not None
    found.problems.extend(f"{name} {run.run_id}: {problem}" for problem in problems(run))


def problems(run: Imported) -> list[str]:
    """Return what is wrong with a run as a value of the model.

    Some of these sources have rows that stand in another order than their events, calls whose
    arguments no record has as a text, and replies of which a person sees a part.
    """
    allowed = {"rows of messages", "written arguments", "a text of a reply without its claim"}
    return [problem for problem in problems_of(run) if problem not in allowed]


def test_no_file_looks_like_two_formats(folders: Path) -> None:
    """A record that two importers take would be a guess."""
    seen: dict[str, set[tuple[str, ...]]] = {}
    for group, files in GROUPS.items():
        paths = sorted((folders / group).iterdir())
        assert len(paths) == files
        for path in paths:
            pieces = pieces_of(open_source(path), on_bytes=lambda _: None)
            seen[path.name] = {candidates(piece.value) for piece in pieces}

    unsure = {name: found for name, found in seen.items() if len(found) != 1}
    none = {name for name, found in seen.items() if found == {()}}
    assert unsure == {}
    assert none == set(REFUSED)
    assert all(len(names) <= 1 for found in seen.values() for names in found)


def test_every_run_is_whole(tally: Tally) -> None:
    """No lost byte, and each trace survives its own document."""
    assert tally.problems == []


def test_the_table_of_counts(tally: Tally) -> None:
    """A change of an importer shows here first."""
    found = {
        kind: (counts["runs"], counts["calls"], counts["results"], counts["errors"])
        for kind, counts in tally.counts.items()
    }

    assert found == TABLE


def test_what_these_producers_lose_is_named(tally: Tally) -> None:
    """Answers that evaluation cases do not keep, calls that a framework refused unrecorded."""
    assert tally.losses["google_adk_case", "results_missing"] == 14
    assert tally.losses["openhands", "rejected_calls_not_recorded"] == 2
    assert tally.losses["whowhen", "calls_written_as_text"] == 619
    assert tally.losses["whowhen", "results_missing"] == 21
    assert not any(kind in ("results_orphaned", "results_reused") for _, kind in tally.losses)
    assert tally.grades["whowhen", Grade.REPLAYABLE] == 108
    assert tally.grades["google_adk_case", Grade.NEEDS_FIXTURES] == 7


def test_labels_say_which_runs_failed(tally: Tally) -> None:
    """Every run of Who&When is a failure; scores and limits say it elsewhere."""
    assert tally.statuses["whowhen", RunStatus.FAILED] == 122
    assert tally.statuses["inspect", RunStatus.OK] == 29
    assert tally.statuses["inspect", RunStatus.FAILED] == 12
    assert tally.statuses["openhands", RunStatus.FAILED] == 1


def test_what_is_refused_says_why(tally: Tally) -> None:
    """Nothing else is."""
    assert tally.refused.keys() == REFUSED.keys()
    assert tally.unusable.keys() == UNUSABLE.keys()
    for name, reason in {**REFUSED, **UNUSABLE}.items():
        assert reason in {**tally.refused, **tally.unusable}[name]
