"""Shrinking under review, without a browser."""

from __future__ import annotations

import json
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from tests.builders import a_call, a_claim, a_trace, a_turn, a_user
from tests.ui.review_builders import MAIL, TRACE, a_draft, a_redaction, a_shrink, a_store
from workbench.casefile.draft import load_draft
from workbench.errors import InputError, RefusedError
from workbench.model.event import Outcome
from workbench.review.shrink import OracleKind, shrink_draft
from workbench.ui.controllers import shrink as controller
from workbench.ui.controllers.shrink import ShrinkReview
from workbench.ui.controllers.worker import leaving

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from pathlib import Path

    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace
    from workbench.shrink import Shrunk

pytestmark = pytest.mark.desk


def long(notes: int) -> Trace:
    """Return a trace that takes a replay oracle some time."""
    return a_trace(
        a_user("Pause my plan."),
        *(a_turn(a_call("crm.note", args={"n": n}), text=f"Step {n}.") for n in range(notes)),
        a_call("billing.pause", args={"account_id": "A-1"}, outcome=Outcome.UNKNOWN),
        a_claim("It is paused."),
    )


def slow(folder: Path, notes: int = 150) -> ShrinkReview:
    """Return a review whose oracle replays a case each time."""
    return ShrinkReview(
        a_draft(long(notes)),
        store=a_store(folder),
        out=folder / "small.draft.json",
        journals=folder / "journals",
        kind=OracleKind.REPLAY,
        reviewer="Ana",
    )


def kept(review: ShrinkReview) -> JsonMap:
    """Return what is left, by its number in the raw trace."""
    found = review.state()["kept"]
    assert isinstance(found, dict)
    return found


def searched(review: ShrinkReview) -> ShrinkReview:
    """Search to the end."""
    review.start()
    review.wait()
    assert review.failure is None
    return review


def test_the_search_ends_with_the_smallest_trace_in_the_file(tmp_path: Path) -> None:
    """The step of a review and the command come to the same draft."""
    review = searched(a_shrink(tmp_path))

    state = review.state()
    assert review.phase == "done"
    assert (state["events"], state["now"], state["minimal"]) == (len(TRACE.events), 7, True)
    assert len(load_draft(review.out).trace.events) == 7
    assert f"{len(TRACE.events)} -> 7 events" in review.summary()
    assert "written to small.draft.json" in review.summary()


def test_the_curve_never_grows_and_counts_every_call(tmp_path: Path) -> None:
    """It is what a post-mortem shows."""
    review = searched(a_shrink(tmp_path))

    sizes = [step.events for step in review.steps]
    calls = [step.calls for step in review.steps]
    assert sizes == sorted(sizes, reverse=True)
    assert calls == sorted(calls)
    assert review.curve()[0] == [calls[0], sizes[0], "evidence", True]
    assert review.curve(len(sizes)) == []


def test_what_is_left_says_why(tmp_path: Path) -> None:
    """A person reviews the reasons, not the search."""
    review = searched(a_shrink(tmp_path))

    reasons = kept(review)
    assert reasons["0"] == ["what was asked"]
    assert reasons["5"] == ["violation of max_calls/1"]
    sides = {str(e["seq"]): e["side"] for e in review.events() if isinstance(e, dict)}
    assert {sides[seq] for seq in ("0", "6")} == {"stimulus"}
    assert {sides[seq] for seq in ("4", "5")} == {"behaviour"}


def test_values_of_a_raw_draft_are_masked(tmp_path: Path) -> None:
    """Shrinking a raw run is for looking, in a meeting."""
    told = json.dumps(a_shrink(tmp_path).events())

    assert MAIL not in told
    assert "text(" in told


def test_a_locked_event_stays_and_the_lock_survives_a_restart(tmp_path: Path) -> None:
    """A lock is in the store at once, with the name of whoever locked."""
    review = a_shrink(tmp_path)
    review.keep(2)
    review.keep(2)

    again = a_shrink(tmp_path)
    searched(again)

    assert again.locks == ("#2",)
    assert again.state()["by"] == {"#2": "Ana"}
    assert "locked" in str(kept(again)["2"])


def test_other_locks_make_another_search(tmp_path: Path) -> None:
    """What is shown says that it is not about the present locks."""
    review = searched(a_shrink(tmp_path))
    review.keep(2)
    assert review.phase == "changed"

    review.free(2)

    assert review.phase == "done"
    assert review.locks == ()


def test_stop_is_heard_at_once_and_the_search_goes_on_where_it_was(tmp_path: Path) -> None:
    """Stop ends with a trace that fails, and judges no more; going on asks nothing twice."""
    review = slow(tmp_path)

    def press() -> None:
        if len(review.steps) == 1:
            review.stop()

    review.on_change.append(press)
    review.start()
    review.wait()

    assert len(review.steps) == 1
    state = review.state()
    assert (review.phase, state["minimal"], state["why_stopped"]) == (
        "stopped",
        False,
        "interrupted",
    )
    again = slow(tmp_path)
    again.wait()
    assert again.phase == "stopped"
    assert again.state()["why_stopped"] == "the search was left here; it can go on"
    assert again.curve()[: len(review.steps)] == review.curve()
    again.stop()  # nothing is under way: no effect
    searched(again)
    assert again.phase == "done"
    assert again.curve()[: len(review.steps)] == review.curve()


def test_stop_does_not_wait_for_an_answer_that_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first question is about the whole trace, and a person has changed their mind."""
    begun, gate = Event(), Event()

    def gated(
        work: Callable[[object], object],
        stop: Event,
        pool: Executor,
        *,
        heeded: Event | None = None,
    ) -> Callable[[object], object]:
        if heeded is not None:  # the whole search, which gets ready at once
            return leaving(work, stop, pool, heeded=heeded)

        def waits(asked: object) -> object:
            begun.set()
            gate.wait(60)
            return work(asked)

        return leaving(waits, stop, pool)

    monkeypatch.setattr(controller, "leaving", gated)
    review = slow(tmp_path)
    review.start()
    try:
        assert begun.wait(30)
        review.stop()
        assert review.phase in ("stopping", "ready")
        review.wait(30)

        assert (review.phase, review.failure, review.steps) == ("ready", None, [])
        assert not review.is_written
    finally:
        gate.set()  # only now the answer could come


def test_stop_does_not_wait_for_a_search_that_gets_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long trace is read through before the first question; then the next search comes."""
    begun, gate = Event(), Event()

    def gets_ready(
        draft: Draft,
        **options: Any,  # noqa: ANN401  what it gets it passes on
    ) -> tuple[Draft, Shrunk]:
        begun.set()
        assert gate.wait(60)
        return shrink_draft(draft, **options)

    monkeypatch.setattr(controller, "shrink_draft", gets_ready)
    review = slow(tmp_path, notes=3)
    review.start()
    assert begun.wait(30)
    review.stop()
    review.wait(30)

    assert (review.phase, review.failure, review.steps) == ("ready", None, [])
    assert not review.is_written
    review.start()
    gate.set()
    review.wait()
    assert (review.phase, review.failure) == ("done", None)
    other = tmp_path / "other"
    other.mkdir()
    assert review.curve() == searched(slow(other, notes=3)).curve()


def test_a_restarted_kernel_shows_what_was_reached(tmp_path: Path) -> None:
    """Nothing is judged anew: the journal is read."""
    before = searched(a_shrink(tmp_path))

    again = a_shrink(tmp_path)
    again.wait()

    assert again.phase == "done"
    assert again.curve() == before.curve()
    assert again.is_written


def test_locks_wait_until_the_search_has_ended(tmp_path: Path) -> None:
    """Another set of locks is another search."""
    review = slow(tmp_path)
    review.start()

    with pytest.raises(InputError, match="press Stop first"):
        review.keep(1)

    review.stop()
    review.wait()


def test_a_lock_needs_a_name_and_a_place(tmp_path: Path) -> None:
    """A browser may say anything."""
    review = a_shrink(tmp_path, reviewer="")
    with pytest.raises(InputError, match="nobody is named"):
        review.keep(2)
    review.name_reviewer(" Bo  Berg ")

    with pytest.raises(InputError, match="is no event of the trace"):
        review.keep(99_999)

    assert review.locks == ()


def test_a_lock_that_another_tab_took_back_is_not_set_again_in_silence(tmp_path: Path) -> None:
    """Who is second is told; the state is as it is now, and deciding again counts."""
    left, right = a_shrink(tmp_path), a_shrink(tmp_path, reviewer="Bo")
    left.keep(2)
    right.look_again()
    drawn = right.seen
    left.free(2)
    left.keep(2)

    with pytest.raises(RefusedError, match="Ana decided on this meanwhile"):
        right.free(2, seen=drawn)

    assert right.locks == ("#2",)
    right.keep(3, seen=drawn)  # nobody decided on that
    right.free(2)
    assert left.locks == ("#2",)
    left.look_again()
    assert left.locks == ("#3",)


def test_two_tabs_share_their_locks(tmp_path: Path) -> None:
    """Neither loses the other's."""
    left, right = a_shrink(tmp_path), a_shrink(tmp_path, reviewer="Bo")
    left.keep(1)
    right.keep(2)
    left.look_again()

    assert left.locks == right.locks == ("#1", "#2")


def test_a_search_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    """A folder that is gone is told in the view."""
    review = a_shrink(tmp_path)
    review.out = tmp_path / "gone" / "small.json"
    review.start()
    review.wait()

    assert review.phase == "failed"
    assert "cannot be written" in str(review.failure)
    assert not review.is_written


def test_a_draft_that_was_shrunk_is_not_shrunk_again(tmp_path: Path) -> None:
    """The projection would be one of a projection."""
    searched(a_shrink(tmp_path))
    small = load_draft(tmp_path / "small.draft.json")

    with pytest.raises(InputError, match="was shrunk already"):
        ShrinkReview(small, store=a_store(tmp_path), out=tmp_path / "x", journals=tmp_path)


def test_a_redacted_draft_shows_its_texts(tmp_path: Path) -> None:
    """They are pseudonyms then, and a reader wants to read."""
    redaction = a_redaction(tmp_path)
    redaction.wait()
    redaction.write()
    redaction.wait()
    draft = load_draft(redaction.out)
    review = ShrinkReview(
        replace(draft, draft="d-1"), store=a_store(tmp_path), out=tmp_path / "x", journals=tmp_path
    )

    assert "This is " in json.dumps(review.events())
