"""The figures of the README can be measured: every engine runs, table and plot can be written."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from xml.etree import ElementTree as ET

import pytest

from benchmarks.shrink import measure_all, misses, page, table
from benchmarks.shrink_engines import ENGINES, Row, two_workers
from benchmarks.shrink_faults import FAULTS, a_faulty_trace
from benchmarks.shrink_plot import plot


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """All engines on small traces."""
    return measure_all([20], 1)


def test_every_engine_shrinks_every_kind_of_fault(rows):
    """Eight kinds at least, and our targets hold."""
    assert len({row.fault for row in rows}) >= 8
    assert {row.engine for row in rows} == set(ENGINES)
    assert all(row.complete for row in rows)
    assert misses(rows) == []


def test_a_missed_target_is_named(rows):
    """A benchmark that cannot fail measures nothing."""
    ours = next(row for row in rows if row.engine == "explained")
    slow = replace(ours, calls=61, size=20_000, seconds=1e6, complete=False)
    blind = replace(ours, engine="hidden", size=2_000, calls=101)

    found = misses([slow, blind])

    assert len(found) == 5
    assert f"101 calls with hidden reads for {ours.fault} at 2000" in found


def test_table_and_plot_are_written_from_the_rows(rows):
    """A picture that no reader can open is none."""
    picture = ET.fromstring(plot(rows, size=20))  # noqa: S314  our own text

    assert len(picture.findall("{http://www.w3.org/2000/svg}polyline")) == len(rows)
    assert table(rows).count("\n") == 1 + len(ENGINES)
    assert table(rows) in page(rows, "slow", 20)
    assert json.dumps([asdict(row) for row in rows])


def test_two_workers_give_the_same_result():
    """Judging ahead may only save time."""
    alone, together = two_workers(FAULTS[0], a_faulty_trace(FAULTS[0], 20, 0))

    assert min(alone, together) > 0
