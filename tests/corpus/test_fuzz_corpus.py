"""Damaged files of the corpus: read, kept raw or refused with a reason; never a crash or a hang."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.ingest.mutations import damaged, survives
from tests.long import is_long

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

BLOCKS = 20
EACH = 500 if is_long() else 8
MOST_BYTES = 60_000
"""Of a larger file as many whole lines are taken, so that ten thousand can be read."""


def part_of(path: Path) -> bytes:
    """Some of a file, unpacked: whole lines where it is large."""
    data = path.read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    if len(data) <= MOST_BYTES or path.suffix == ".eval":
        return data
    end = data.find(b"\n", MOST_BYTES // 4)
    return data[:end] if 0 < end < 4 * MOST_BYTES else data


@pytest.fixture(scope="module")
def parts(corpus: Path) -> list[tuple[str, bytes]]:
    """Every file of the corpus that holds traces."""
    files = sorted(path for path in corpus.rglob("*") if path.is_file())
    return [
        (path.name, part_of(path))
        for path in files
        if "licenses" not in path.parts and path.suffix != ".md"
    ]


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_damaged_file_is_read_or_refused(
    parts: list[tuple[str, bytes]], tmp_path: Path, block: int
) -> None:
    """Ten thousand in the long run; each failure says the number that makes the file again."""
    found: Counter[str] = Counter()
    for number in range(block * EACH, (block + 1) * EACH):
        rng = random.Random(number)  # noqa: S311  a sample, no secret
        name, data = rng.choice(parts)
        broken = damaged(data, rng)
        try:
            found[survives(broken, tmp_path / "trace.json")] += 1
        except Exception as error:
            error.add_note(f"damage {number} of {name}, {len(broken)} bytes")
            raise

    assert found.total() == EACH
    assert found["refused"] < EACH  # else nothing was tested but the JSON parser
