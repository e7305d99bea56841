"""Every file of the corpus: one format and no other, or a refusal with a reason.

`counts.json` is the table by folder and format; it was reviewed by hand against the corpus'
MANIFEST. A new format that takes a file by mistake changes it, and so does one that loses a file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.ingest.asking import answers_of_all
from tests.long import is_long
from workbench.errors import TraceFormatError
from workbench.ingest.files.source import open_source, pieces_of
from workbench.ingest.formats import candidates
from workbench.ingest.reader import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

COUNTS: dict[str, dict[str, int]] = json.loads(
    Path(__file__).with_name("counts.json").read_text("utf-8")
)
NO_TRACES = ("licenses",)
LARGE = ("agentdojo", "tau2-bench")
"""Read whole in the long run only; their runs are counted by `test_ingest_corpus` each time."""

FOLDERS = [folder for folder in COUNTS if is_long() or folder not in LARGE]


def files_of(folder: Path) -> Iterator[Path]:
    """The files of a folder of the corpus, at least one."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    assert found, f"{folder.name} has no files"
    yield from found


def reading_of(path: Path) -> str:
    """The formats that a file's runs are read as, or what became of it."""
    try:
        runs = list(read_source(path))
    except TraceFormatError as error:
        return "refused" if error.fix else "refused without a fix"
    sources = [run.trace.source for run in runs if run.trace is not None]
    names = {source.format or "" for source in sources if source is not None}
    return " and ".join(sorted(names)) or "unusable"


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_counts_by_format_are_the_reviewed_ones(corpus: Path, folder: str) -> None:
    """What is found is printed whole when it differs."""
    if not (corpus / folder).is_dir():
        pytest.skip(f"NOT TESTED on real traces: the corpus has no folder {folder}")

    found = Counter(map(reading_of, files_of(corpus / folder)))

    assert dict(sorted(found.items())) == COUNTS[folder]


def test_no_folder_is_left_out(corpus: Path) -> None:
    """A folder without a row would not be tested."""
    folders = {path.name for path in corpus.iterdir() if path.is_dir()}

    assert folders - {*NO_TRACES} <= COUNTS.keys()


def test_the_table_agrees_with_the_manifest(corpus: Path) -> None:
    """The corpus' own list says how many traces each group holds: files, or lines of bundles."""
    text = (corpus / "MANIFEST.md").read_text("utf-8")
    rows = (line.split("|") for line in text.splitlines() if line.startswith("| "))
    stated = {row[1].strip(): int(row[5]) for row in rows if row[5].strip().isdecimal()}
    bundles = {
        name: int(n) for name, n in re.findall(r"^- (\S+): (\d+) traces$", text, re.MULTILINE)
    }

    found = {}
    for folder, counts in COUNTS.items():
        lines = [n for name, n in bundles.items() if name.startswith(f"{folder}/")]
        beside = len(list((corpus / folder).rglob("*.info.json.gz")))
        found[folder] = sum(counts.values()) - len(lines) - beside + sum(lines)

    assert found == stated


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_record_can_be_read_as_two_formats(corpus: Path, folder: str) -> None:
    """Sniffing never guesses: where two formats could read a record it would ask, and here it need not."""
    if not (corpus / folder).is_dir():
        pytest.skip(f"NOT TESTED on real traces: the corpus has no folder {folder}")

    found = {
        (path.name, names)
        for path in files_of(corpus / folder)
        for piece in pieces_of(open_source(path), on_bytes=lambda _: None)
        if piece.error is None and len(names := candidates(piece.value)) > 1
    }

    assert found == set()


@pytest.mark.parametrize("folder", FOLDERS)
def test_keys_hide_no_format_from_a_record(corpus: Path, folder: str) -> None:
    """A record is shown to some formats only; the answers are those of all of them."""
    if not (corpus / folder).is_dir():
        pytest.skip(f"NOT TESTED on real traces: the corpus has no folder {folder}")

    differ = {
        (path.name, name)
        for path in files_of(corpus / folder)
        for piece in pieces_of(open_source(path), on_bytes=lambda _: None)
        for name, answer in answers_of_all(piece.value).items()
        if candidates(piece.value, wanted=name) != answer
    }

    assert differ == set()
