"""What people decided is kept, taken back by adding, and never overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ui.review_builders import a_store
from workbench.errors import RefusedError
from workbench.ui.controllers.draft_log import DraftLog, standing

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk


def test_what_is_taken_back_stays_in_the_log(tmp_path: Path) -> None:
    """An audit wants to see that somebody changed their mind."""
    log = DraftLog(a_store(tmp_path), "d-1", "redaction")
    first = log.write("decision", {"n": 1}, by="Ana")
    log.write("decision", {"n": 2}, by="Bo")

    log.take_back(first, by="Ana")

    assert [e.payload["n"] for e in standing(log.entries, "decision")] == [2]
    assert [(e.kind, e.actor) for e in log.entries] == [
        ("redaction.decision", "Ana"),
        ("redaction.decision", "Bo"),
        ("redaction.undo", "Ana"),
    ]
    assert log.entries[0].at == "2026-09-21T14:13:20+00:00"


def test_two_tabs_see_each_other_and_lose_nothing(tmp_path: Path) -> None:
    """Both entries are there, and each tab learns of the other's when it looks."""
    left = DraftLog(a_store(tmp_path), "d-1", "redaction")
    right = DraftLog(a_store(tmp_path), "d-1", "redaction")
    left.write("decision", {"n": 1}, by="Ana")

    right.write("decision", {"n": 2}, by="Bo")

    assert [e.payload["n"] for e in right.entries] == [1, 2]
    assert [e.payload["n"] for e in left.look()] == [2]


def test_who_is_second_is_told_and_writes_nothing(tmp_path: Path) -> None:
    """A lost race is shown, never silent."""
    left = DraftLog(a_store(tmp_path), "d-1", "redaction")
    right = DraftLog(a_store(tmp_path), "d-1", "redaction")
    left.write("decision", {"n": 1}, by="Ana")

    with pytest.raises(RefusedError, match="Ana decided on this meanwhile; nothing was changed"):
        right.write("decision", {"n": 1}, by="Bo", unless=lambda e: e.payload["n"] == 1)

    assert [e.actor for e in right.entries] == ["Ana"]


def test_topics_of_one_draft_do_not_mix(tmp_path: Path) -> None:
    """Locks are no decisions about values."""
    store = a_store(tmp_path)
    DraftLog(store, "d-1", "shrink").write("lock", {"at": "#1"}, by="Ana")

    assert DraftLog(store, "d-1", "redaction").entries == ()
