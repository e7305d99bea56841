"""Decisions and results come back as they were written."""

from __future__ import annotations

import errno
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from tests.strategies import hostile_texts, json_maps
from workbench.store import Decision, Store, StoreCorrupt, StoreFull, TrialResult, open_store

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import JsonMap
from workbench.store.parts import OpenPart


@given(text=hostile_texts(), payload=json_maps())
@settings(max_examples=10)
def test_a_decision_comes_back_as_it_was(
    text: str, payload: JsonMap, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A reason may hold anything that a person types."""
    with open_store(tmp_path_factory.mktemp("any")) as store:
        made = store.decide(text, at=text, actor=text, kind=text, payload=payload)

        want = Decision(draft_id=text, seq=0, at=text, actor=text, kind=text, payload=payload)
        assert made == want
        assert store.decisions(text) == (want,)


def test_decisions_are_numbered_in_each_draft(store: Store) -> None:
    """The same decision twice is two decisions."""
    for draft in ("d-1", "d-2", "d-1", "d-1"):
        store.decide(draft, at="2026-05-31T08:00:00Z", actor="ann", kind="retain")

    assert [decision.seq for decision in store.decisions("d-1")] == [0, 1, 2]
    assert [decision.seq for decision in store.decisions("d-2")] == [0]
    assert store.decisions("d-3") == ()
    assert store.verify().ok


def test_decisions_made_together_are_one_commit(store: Store) -> None:
    """A kernel that dies among them leaves all or none."""
    store.decide("d-1", at="2026-05-31T08:00:00Z", actor="ann", kind="retain")
    before = store.verify().entries
    payloads: list[JsonMap] = [{"n": 0}, {"n": 1}, {"n": 2}]

    made = store.decide_together(
        "d-1", at="2026-05-31T08:00:00Z", actor="bo", kind="accept", payloads=payloads
    )

    assert [decision.seq for decision in made] == [1, 2, 3]
    assert store.decisions("d-1")[1:] == made
    assert store.verify().entries == before + 1


def test_several_threads_read_at_once(store: Store) -> None:
    """A view's callback and its worker ask one store: neither takes the other's answer."""
    for _ in range(4):
        store.decide("d-1", at="2026-05-31T08:00:00Z", actor="ann", kind="retain")

    def found(_: int) -> int:
        return len(store.decisions("d-1"))

    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(found, range(60))) == {4}


def test_results_come_back_as_they_were(store: Store) -> None:
    """Unknown duration and tokens stay unknown."""
    results = [
        TrialResult(case_id="c", case_digest="d", version="v1", verdict="fail", tokens=7),
        TrialResult(
            case_id="c",
            case_digest="d",
            verdict="pass",
            violations=({"clause": "max_calls", "seq": 3},),
            duration_ms=12.5,
        ),
    ]

    head = store.record(results)

    assert head is not None
    assert head.version == 1
    assert sorted(store.results("c"), key=lambda result: result.verdict) == results
    assert store.results("other") == ()


def test_results_come_in_the_order_in_which_they_were_stored(tmp_path: Path) -> None:
    """A history that is out of order shows a case that was mended as one that broke."""
    now = [1_800_000_000.0]
    store = open_store(tmp_path / "store", clock=lambda: now[0])
    stored = ["fail", "fail", "pass", "fail", "pass", "pass", "pass", "pass"]
    for first, second in zip(stored[::2], stored[1::2], strict=True):
        store.record(
            [TrialResult(case_id="c", case_digest="d", verdict=one) for one in (first, second)]
        )
        now[0] += 86_400

    again = open_store(tmp_path / "store").results("c")

    assert [result.verdict for result in again] == stored
    assert again[0].recorded_ms == again[1].recorded_ms == 1_800_000_000_000
    assert again[-1].recorded_ms == 1_800_000_000_000 + 3 * 86_400_000


def test_no_results_make_no_commit(store: Store) -> None:
    """And no table."""
    assert store.record([]) is None
    assert not (store.root / "results").exists()


def test_nothing_recorded_is_nothing_found(store: Store) -> None:
    """Reading makes no table either."""
    assert store.decisions("d-1") == ()
    assert store.results("c") == ()
    assert sorted(path.name for path in store.root.iterdir()) == ["traces"]


def test_another_handle_sees_them(store: Store) -> None:
    """A restarted notebook goes on where it was."""
    store.decide("d-1", at="2026-05-31", actor="ann", kind="retain")

    with open_store(store.root) as again:
        assert len(again.decisions("d-1")) == 1
        again.decide("d-1", at="2026-06-01", actor="bob", kind="lock")

    assert [decision.actor for decision in store.decisions("d-1")] == ["ann", "bob"]


def test_a_full_disk_adds_no_decision(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """And leaves no part."""

    def full(_: OpenPart) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(OpenPart, "flush", full)
    with pytest.raises(StoreFull):
        store.decide("d-1", at="2026-05-31", actor="ann", kind="retain")
    monkeypatch.undo()

    assert store.decisions("d-1") == ()
    assert store.verify().orphans == 0


def test_a_lost_part_is_named(store: Store) -> None:
    """A review that lost a decision must not look complete."""
    store.decide("d-1", at="2026-05-31", actor="ann", kind="retain")
    (part,) = (store.root / "decisions").glob("*.parquet")
    part.unlink()

    with pytest.raises(StoreCorrupt) as caught:
        store.decisions("d-1")

    assert caught.value.path == f"decisions/{part.name}"
