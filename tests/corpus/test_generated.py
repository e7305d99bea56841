"""One scenario recorded by many producers gives one list of events, minus losses that are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.corpus.expected_exports import EXPORTS
from tests.corpus.expected_frameworks import FRAMEWORKS
from tests.corpus.expected_otlp import CHATS, OTLP
from tests.corpus.generated import CANONICAL, Row, facets_of, without
from workbench.ingest.reader import read_source

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.trace import Imported

pytestmark = pytest.mark.corpus

ROWS = (
    *CHATS,
    *EXPORTS,
    *FRAMEWORKS,
    *OTLP,
)
"""Each family of producers has its rows in a module `expected_*` of its own."""


@pytest.fixture(scope="module")
def generated(corpus: Path) -> Path:
    """The folder of the scenario's files."""
    folder = corpus / "generated"
    if not folder.is_dir():
        pytest.skip("NOT TESTED on the scenario: the corpus has no folder `generated`")
    return folder


def main_run(path: Path, row: Row) -> Imported:
    """Read a file and return its run with most events."""
    runs = list(read_source(path))
    assert len(runs) == row.runs
    return max(runs, key=lambda run: len(run.trace.events) if run.trace else 0)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.file)
def test_a_producer_tells_the_scenario(generated: Path, row: Row) -> None:
    """What it kept is the same for all; what it did not keep is named, and nothing else is lost."""
    run = main_run(generated / row.file, row)

    assert run.trace is not None
    assert run.trace.source is not None
    assert run.trace.source.format == row.format
    seen, expected = without(facets_of(run.trace), row.lost), without(CANONICAL, row.lost)
    if "order" in row.lost:
        assert seen != expected
        seen, expected = sorted(seen), sorted(expected)
    assert seen == expected
    kinds = {loss.kind for loss in run.losses.items}
    assert kinds >= {*row.lost.values(), *row.also}
    assert run.losses.grade is row.grade


@pytest.mark.parametrize("row", [row for row in ROWS if row.lost], ids=lambda row: row.file)
def test_what_is_expected_to_be_lost_is_lost(generated: Path, row: Row) -> None:
    """A loss that no longer happens leaves the table."""
    run = main_run(generated / row.file, row)

    assert run.trace is not None
    kept = set(facets_of(run.trace))
    for name in row.lost.keys() - {"order"}:
        facets = {facet for facet in CANONICAL if name in (facet[0], facet[0].split()[0])}
        assert facets, f"{name} is no facet"
        assert facets - kept, f"{name} is there after all"


def test_every_file_of_the_scenario_has_a_row(generated: Path) -> None:
    """A file that nobody expects anything of tests nothing."""
    files = {path.name for path in generated.iterdir() if path.is_file()}

    assert {row.file for row in ROWS} == files
    assert len(ROWS) == len(files)
