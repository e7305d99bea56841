"""The sampling of long suites."""

from __future__ import annotations

from tests.long import sample


def test_a_sample_is_seeded_and_in_order(monkeypatch):
    """A check that was green stays green, and a failure names a place that can be found."""
    monkeypatch.delenv("WORKBENCH_LONG", raising=False)

    chosen = sample(range(1000), 20, 7)

    assert chosen == sample(range(1000), 20, 7) == sorted(set(chosen))
    assert len(chosen) == 20
    assert chosen != sample(range(1000), 20, 8)


def test_everything_runs_when_asked_or_when_there_is_little(monkeypatch):
    """`make test-all` leaves nothing out; neither does a sample larger than the suite."""
    monkeypatch.delenv("WORKBENCH_LONG", raising=False)
    few = sample("abc", 5, 1)
    monkeypatch.setenv("WORKBENCH_LONG", "1")

    assert few == ["a", "b", "c"]
    assert sample(range(100), 5, 1) == list(range(100))
