"""A list of runs, filtered, sorted and paged in memory."""

from __future__ import annotations

import pytest

from tests.store.runs import a_small_trace, a_source, an_import
from workbench.errors import InputError
from workbench.model.trace import RunStatus
from workbench.store.listing import Listing, Query


@pytest.fixture
def listing(store):
    """Five runs: two failed, one without a time."""
    traces = [
        a_small_trace("run-a", at="2026-11-01T10:00:00Z", status=RunStatus.FAILED, tags=("Late",)),
        a_small_trace("run-b", at="2026-11-02T10:00:00Z", status=RunStatus.OK),
        a_small_trace("run-c", at="2026-11-03T10:00:00Z", status=RunStatus.FAILED),
        a_small_trace("run-d"),
        a_small_trace("other", at="2026-11-04T10:00:00Z"),
    ]
    store.append([an_import(trace) for trace in traces], source=a_source())
    return Listing(store.runs())


def ids(listing):
    """Return the ids of all chosen runs, in order."""
    return [row["run_id"] for row in listing.page(0, 100)]


def test_the_newest_run_is_first_and_one_without_a_time_last(listing):
    """As the store lists them."""
    assert listing.ask(Query()) == 5
    assert ids(listing) == ["other", "run-c", "run-b", "run-a", "run-d"]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        (Query(text="RUN-"), ["run-c", "run-b", "run-a", "run-d"]),
        (Query(text="late"), ["run-a"]),
        (Query(text="100%"), []),
        (Query(text="\ud800"), []),
        (Query(status="\ud800"), []),
        (Query(grade="\ud800"), []),
        (Query(status="failed"), ["run-c", "run-a"]),
        (Query(status="failed", text="-a"), ["run-a"]),
        (Query(grade="skeleton"), []),
        (Query(grade="replayable", status="ok"), ["run-b"]),
        (Query(run_ids=frozenset({"run-d", "nobody"})), ["run-d"]),
        (Query(run_ids=frozenset()), []),
        (Query(sort="run_id", descending=False), ["other", "run-a", "run-b", "run-c", "run-d"]),
        (Query(sort="start", descending=False), ["run-a", "run-b", "run-c", "other", "run-d"]),
    ],
)
def test_a_query_chooses_and_sorts(listing, query, wanted):
    """What a person types is text, never a pattern."""
    assert listing.ask(query) == len(wanted)
    assert ids(listing) == wanted
    assert listing.found == len(wanted)
    assert listing.total == 5


def test_pages_are_parts_of_the_chosen_runs(listing):
    """Also beyond the end."""
    listing.ask(Query(sort="run_id", descending=False))

    assert [row["run_id"] for row in listing.page(2, 2)] == ["run-b", "run-c"]
    assert listing.page(4, 10)[0]["start"] is None
    assert listing.page(50, 10) == []
    assert listing.page(1, 1)[0]["start"].startswith("2026-11-01T10:00:00")


def test_a_run_is_found_among_the_chosen(listing):
    """A pick from before is shown where it stands."""
    listing.ask(Query(status="failed"))

    assert listing.position("run-a") == 1
    assert listing.position("run-b") is None


def test_values_are_counted_over_all_runs(listing):
    """A choice says how many there are, whatever is chosen now."""
    listing.ask(Query(status="ok"))

    assert listing.counts("status") == {"failed": 2, "ok": 1, "unknown": 2}
    assert listing.counts("error") == {"": 5}


def test_a_column_that_is_none_is_refused(listing):
    """It would otherwise fail inside a library."""
    with pytest.raises(InputError, match="no column to sort by"):
        listing.ask(Query(sort="raw"))


def test_an_empty_store_lists_nothing(store):
    """The first thing that a newcomer sees."""
    listing = Listing(store.runs())

    assert listing.ask(Query(text="a", status="ok", run_ids=frozenset({"x"}))) == 0
    assert listing.page(0, 10) == []
    assert listing.position("run-1") is None
    assert listing.counts("status") == {}
