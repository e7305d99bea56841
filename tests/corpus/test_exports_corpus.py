"""Every export, state, event log and cassette of the corpus imports, or is refused with a reason."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from workbench.errors import TraceFormatError
from workbench.ingest.reader import read_source
from workbench.model.event import Decision, Outcome, Permission, ToolResult
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.trace import Imported

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

FOLDERS = {
    "langsmith": {"langsmith": 7, "managed_agents": 4},
    "langfuse": {"langfuse": 14, "refused": 14},
    "openai-agents-run-state": {"agents_run_state": 30, "unusable": 1, "refused": 1},
    "provider-cassettes": {"http_cassette": 142, "unusable": 8},
}
"""Folder -> format -> files; refused: the expected outputs beside Langfuse's exports, and what
shows no mark of a format; unusable: known, but damaged or without a request to a chat."""


def files_of(folder: Path) -> list[Path]:
    """The files of a folder of the corpus."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    assert found, f"{folder.name} has no files"
    return found


def kind_of(path: Path) -> str:
    """The format that a file is read as, or what became of it."""
    try:
        runs = list(read_source(path))
    except TraceFormatError as error:
        return "refused" if error.fix else "refused without a fix"
    (run,) = runs
    if run.trace is None:
        assert run.parse_error
        assert run.losses.grade is Grade.UNUSABLE
        return "unusable"
    assert run.trace.source is not None
    assert run.trace.events
    return run.trace.source.format or ""


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_imports_or_says_why_not(corpus: Path, folder: str) -> None:
    """The table was reviewed by hand; a new format that takes a file by mistake changes it."""
    if not (corpus / folder).is_dir():
        pytest.skip(f"NOT TESTED on real exports: the corpus has no folder {folder}")

    found = Counter(kind_of(path) for path in files_of(corpus / folder))

    assert dict(found) == FOLDERS[folder]


def only_run(path: Path) -> Imported:
    """The one run of a file."""
    if not path.is_file():
        pytest.skip(f"NOT TESTED: the corpus has no {path.name}")
    (run,) = read_source(path)
    return run


def test_a_rejected_tool_is_denied(corpus: Path) -> None:
    """The one real session of the corpus in which a person said no."""
    run = only_run(corpus / "langsmith" / "js-anthropic_managed_mcp_tools_reject.jsonl")

    assert run.trace is not None
    decisions = [event.decision for event in run.trace.events if isinstance(event, Permission)]
    assert decisions == [Decision.ASKED, Decision.DENIED, Decision.GRANTED]
    outcomes = [event.outcome for event in run.trace.events if isinstance(event, ToolResult)]
    assert outcomes == [Outcome.DENIED, None]


def test_a_secret_of_a_damaged_state_is_not_repeated(corpus: Path) -> None:
    """The corpus' own sentinel stands where a mapping should."""
    folder = corpus / "openai-agents-run-state"
    run = only_run(folder / "negative__malformed_current_agent.json")

    assert run.parse_error
    assert "SENTINEL" not in run.parse_error
    with pytest.raises(TraceFormatError) as error:
        list(read_source(folder / "negative__missing_version.json"))
    assert "SENTINEL" not in str(error.value)
