"""What one file brought, and what is said of a run."""

from __future__ import annotations

import pytest

from workbench.model.trace import Grade, Imported, Loss, Losses
from workbench.review.intake import explain

pytestmark = pytest.mark.desk


def test_a_run_that_lost_nothing_says_so():
    """Silence could be a run that was not looked at."""
    assert [*explain(Imported(run_id="r", raw=b""))] == [
        "r: replayable",
        "  nothing was lost",
    ]


def test_each_loss_says_what_it_costs():
    """Only a loss that lowers the grade names it."""
    losses = Losses(
        items=(
            Loss(kind="times_missing", count=2, note="no times"),
            Loss(kind="texts_missing", note="no texts", caps=Grade.SKELETON),
        )
    )

    assert [*explain(Imported(run_id="r", raw=b"", losses=losses))] == [
        "r: skeleton",
        "  times_missing x2: no times",
        "  texts_missing x1: no texts  [at best skeleton]",
    ]


def test_a_record_that_cannot_be_read_says_why():
    """Nothing else is known of it."""
    run = Imported(run_id="r", raw=b"x", parse_error="line 2: is cut")

    assert [*explain(run)] == ["r: replayable", "  unreadable: line 2: is cut"]
