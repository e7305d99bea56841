"""A review's state: at each click in the store, resumed by whoever opens it next."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.review.runs import CONTRACT, KEY, an_incident
from tests.ui.stores import a_store
from workbench.errors import InputError, RefusedError
from workbench.review import open_draft
from workbench.review.draft import open_draft as draft_of
from workbench.review.incident import review_id


@pytest.fixture
def folder(tmp_path):
    """The folder of a store with one run."""
    a_store(tmp_path / "store", an_incident()).close()
    return tmp_path / "store"


def opened(folder, reviewer="Ada"):
    """Open the review, as a fresh kernel does."""
    return open_draft("run-7f3a", store=folder, reviewer=reviewer, clock=lambda: 1_800_000_000.0)


def test_a_decision_is_there_for_the_next_kernel_with_its_name(folder):
    """A kernel may be restarted between any two clicks."""
    opened(folder).record("contract", {"forbid": ["a"]})
    opened(folder, "Grace").record("contract", {"forbid": ["a", "b"]})

    again = opened(folder)
    last = again.log.last("contract")

    assert [(d.actor, d.seq) for d in again.log.standing()] == [("Ada", 0), ("Grace", 1)]
    assert last is not None
    assert last.payload == {"forbid": ["a", "b"]}
    assert last.at == "2027-01-15T08:00:00.000+00:00"
    assert again.log.last("nothing") is None


def test_undo_takes_back_the_last_standing_decision_and_keeps_the_record(folder):
    """The table is append-only; what was taken back is still said."""
    incident = opened(folder)
    incident.record("a", {})
    incident.record("b", {})

    assert incident.undo().kind == "b"
    assert incident.undo().kind == "a"
    with pytest.raises(InputError, match="has decided nothing that stands"):
        incident.undo()
    assert opened(folder).log.standing() == ()
    assert len(opened(folder).log.entries) == 4


def test_a_mark_that_another_window_set_is_not_taken_away_in_silence(folder):
    """Whoever presses the key wanted to mark; now it would unmark."""
    one, two = opened(folder), opened(folder, "Grace")
    one.mark("#4.args")

    with pytest.raises(RefusedError, match="Ada decided on this meanwhile"):
        two.mark("#4.args")

    assert two.trigger == opened(folder).trigger == ("#4.args",)
    two.mark("#4.args")
    assert opened(folder).trigger == ()


def test_decisions_that_commute_are_all_kept(folder):
    """Marks of two windows do not exclude each other."""
    one, two = opened(folder), opened(folder)
    one.mark("#4.args")
    two.mark("#6.args")

    assert opened(folder).trigger == ("#4.args", "#6.args")


def test_a_mark_is_taken_away_by_marking_again_and_by_undo(folder):
    """One key for both ways."""
    incident = opened(folder)
    incident.mark("#4.args")
    incident.mark("#4.args")
    assert incident.trigger == ()

    incident.undo()
    assert incident.trigger == ("#4.args",)

    incident.record("trigger_marked", {"place": 3})
    assert incident.trigger == ("#4.args",)


def test_a_draft_is_kept_for_its_owner_alone_and_resumed(folder):
    """It holds the raw trace until it is redacted."""
    incident = opened(folder)
    assert incident.draft() is None
    draft = draft_of(incident.run, CONTRACT, key=KEY)

    incident.keep_draft(draft)

    assert opened(folder).draft() == draft
    assert incident.draft_path.stat().st_mode & 0o777 == 0o600
    assert incident.draft_path.parent.stat().st_mode & 0o777 == 0o700
    assert incident.store.verify().ok


def test_a_draft_that_another_window_wrote_is_not_overwritten(folder):
    """The later writer reads first."""
    one, two = opened(folder), opened(folder)
    draft = draft_of(one.run, CONTRACT, key=KEY)
    other = replace(draft, source=replace(draft.source, incident="INC-1"))
    one.draft(), two.draft()
    one.keep_draft(draft)

    with pytest.raises(RefusedError, match="changed in another window"):
        two.keep_draft(other)
    assert two.draft() == draft
    two.keep_draft(other)
    one.draft()

    assert one.draft() == other


def test_a_draft_that_cannot_be_read_is_an_error(folder):
    """A folder in its place, say."""
    incident = opened(folder)
    incident.draft_path.mkdir(parents=True)

    with pytest.raises(InputError, match="cannot be read"):
        incident.draft()


def test_nobody_cannot_decide(folder):
    """Each decision has a name."""
    with pytest.raises(InputError, match="reviewer is empty"):
        opened(folder, " ")


def test_reviews_of_two_runs_are_filed_apart():
    """Also for ids that are no UTF-8."""
    assert review_id("run-1") != review_id("run-2")
    assert review_id("\ud800").startswith("r-")
