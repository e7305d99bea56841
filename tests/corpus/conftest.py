"""Where the shared corpus of real traces lies, and what happens when it is absent.

The corpus is read in place and never copied. Without it its tests are skipped and say so; where
`CI=true` they fail, since a green run that tested nothing would be a lie.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from workbench.ingest.reader import read_tools

if TYPE_CHECKING:
    from workbench.model.trace import Tool

PROJECT = Path(__file__).resolve().parents[2]
GROUPS = ("agentdojo", "tau-bench", "tau2-bench")


def corpus_folder() -> Path:
    """Return `$WORKBENCH_CORPUS`, else the folder beside the project."""
    named = os.environ.get("WORKBENCH_CORPUS")
    return Path(named) if named else PROJECT.parent / "shared" / "corpus"


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the corpus; without it the test is skipped, or fails in CI."""
    folder = corpus_folder()
    if all((folder / group).is_dir() for group in GROUPS):
        return folder
    reason = (
        "NOT TESTED on real traces: the corpus is absent. "
        "Fix: set WORKBENCH_CORPUS to a folder with " + ", ".join(GROUPS)
    )
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def corpus_tools() -> tuple[Tool, ...]:
    """Effects of the corpus' tools, declared by hand."""
    return read_tools(Path(__file__).with_name("tools.json"))
