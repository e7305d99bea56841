"""What people decided is kept, taken back by adding, and never overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ui.review_builders import a_store
from workbench.errors import InputError, RefusedError
from workbench.review.decision_log import DecisionLog

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import JsonMap
    from workbench.store.records import Decision

pytestmark = pytest.mark.desk


def a_log(folder: Path, topic: str = "redaction") -> DecisionLog:
    """Open a log, as another kernel does."""
    return DecisionLog(a_store(folder), "d-1", topic=topic)


def is_one(entry: Decision) -> bool:
    """Whether an entry decides what the tests contend for."""
    return entry.payload.get("n") == 1


def test_what_is_taken_back_stays_in_the_log(tmp_path: Path) -> None:
    """An audit wants to see that somebody changed their mind."""
    log = a_log(tmp_path)
    log.write("decision", {"n": 1}, by="Ana")
    log.write("decision", {"n": 2}, by="Bo")

    undone = log.undo("decision", by="Ana")

    assert undone.payload == {"n": 1}
    assert [e.payload["n"] for e in log.standing("decision")] == [2]
    assert [(e.kind, e.actor) for e in log.entries] == [
        ("redaction.decision", "Ana"),
        ("redaction.decision", "Bo"),
        ("redaction.undo", "Ana"),
    ]
    assert log.entries[0].at == "2026-09-21T14:13:20.000+00:00"
    with pytest.raises(InputError, match="Ana has decided nothing that stands"):
        log.undo("decision", by="Ana")


def test_two_tabs_see_each_other_and_lose_nothing(tmp_path: Path) -> None:
    """Both entries are there, and each tab learns of the other's when it looks."""
    left, right = a_log(tmp_path), a_log(tmp_path)
    left.write("decision", {"n": 1}, by="Ana")

    right.write("decision", {"n": 2}, by="Bo")

    assert [e.payload["n"] for e in right.entries] == [1, 2]
    assert [e.payload["n"] for e in left.look()] == [2]


def test_who_is_second_is_told_and_writes_nothing(tmp_path: Path) -> None:
    """A lost race is shown, never silent; deciding again is a decision about what is there now."""
    left, right = a_log(tmp_path), a_log(tmp_path)
    left.write("decision", {"n": 1}, by="Ana")

    with pytest.raises(RefusedError, match="Ana decided on this meanwhile; nothing was changed"):
        right.write("decision", {"n": 1}, by="Bo", unless=is_one)

    assert [e.actor for e in right.entries] == ["Ana"]
    right.write("decision", {"n": 1}, by="Bo", unless=is_one)
    assert [e.actor for e in right.entries] == ["Ana", "Bo"]


def test_what_a_tab_had_seen_counts_not_what_its_kernel_knows(tmp_path: Path) -> None:
    """A click may be on its way while the kernel has already read what others decided."""
    left, right = a_log(tmp_path), a_log(tmp_path)
    drawn = right.seen
    left.write("decision", {"n": 1}, by="Ana")
    right.look()

    with pytest.raises(RefusedError, match="Ana decided"):
        right.write("decision", {"n": 1}, by="Bo", seen=drawn, unless=is_one)

    right.write("decision", {"n": 2}, by="Bo", seen=drawn, unless=lambda e: e.payload["n"] == 2)


def test_taking_back_is_a_decision_about_what_is_taken_back(tmp_path: Path) -> None:
    """Somebody who confirms what has just been withdrawn has not seen that it was."""
    left, right = a_log(tmp_path), a_log(tmp_path)
    left.write("decision", {"n": 1}, by="Ana")
    right.look()
    left.undo(by="Ana")

    with pytest.raises(RefusedError, match="Ana decided"):
        right.write("decision", {"n": 1}, by="Bo", unless=is_one)


def test_decisions_made_together_each_have_an_entry(tmp_path: Path) -> None:
    """They are taken back together or one by one; somebody else's on one of them refuses all."""
    left, right = a_log(tmp_path), a_log(tmp_path)
    payloads: list[JsonMap] = [{"n": 0}, {"n": 1}, {"n": 2}]
    left.write_together("decision", payloads, by="Ana")

    with pytest.raises(RefusedError, match="Ana decided on this meanwhile; nothing was changed"):
        right.write_together("decision", payloads, by="Bo", unless=is_one)

    assert [(e.actor, e.payload["n"]) for e in right.standing()] == [
        ("Ana", 0),
        ("Ana", 1),
        ("Ana", 2),
    ]
    left.take_back(*left.standing()[:2], by="Ana")
    assert [e.payload["n"] for e in left.standing()] == [2]
    assert left.last_of("decision", by="Ana").payload == {"n": 2}


def test_what_stood_earlier_can_be_asked_for(tmp_path: Path) -> None:
    """A tab that saw less is understood by what it saw."""
    log = a_log(tmp_path)
    log.write("decision", {"n": 1}, by="Ana")
    early = log.seen
    log.undo(by="Ana")

    assert [e.payload["n"] for e in log.standing(before=early)] == [1]
    assert log.standing() == ()
    assert log.last("decision") is None


def test_nobody_cannot_decide(tmp_path: Path) -> None:
    """Each decision has a name."""
    log = a_log(tmp_path)

    with pytest.raises(InputError, match="nobody is named"):
        log.write("decision", {}, by=" ")

    assert log.entries == ()


def test_topics_of_one_draft_do_not_mix_but_all_can_be_read(tmp_path: Path) -> None:
    """Locks are no decisions about values."""
    a_log(tmp_path, "shrink").write("lock", {"at": "#1"}, by="Ana")

    assert a_log(tmp_path).entries == ()
    assert [e.kind for e in a_log(tmp_path, "").standing()] == ["shrink.lock"]
