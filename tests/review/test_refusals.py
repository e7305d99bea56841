"""Every refusal has an answer and, where a person can act, a `Fix:`."""

from __future__ import annotations

import pytest

from workbench.review.collect import Answer
from workbench.review.refusals import (
    Refusal,
    has_fix,
    refusals_in_words,
    render_refusal,
    status_of,
)

pytestmark = pytest.mark.desk


@pytest.mark.parametrize("refusal", Refusal)
def test_each_refusal_has_a_status_and_a_sentence(refusal: Refusal) -> None:
    """A kind without a row of the table would end a request unanswered."""
    said = render_refusal(refusal)

    assert 400 <= status_of(refusal) <= 503
    assert f"({status_of(refusal)})" in said
    assert ("\n  Fix: " in said) is has_fix(refusal)


def test_what_is_said_elsewhere_has_no_fix_here() -> None:
    """The store says what is wrong with it, and an end that was asked for is nobody's mistake."""
    without = {refusal for refusal in Refusal if not has_fix(refusal)}

    assert without == {Refusal.STOPPING, Refusal.STORE_FAILED, Refusal.FAILED}
    assert {answer.value for answer in Answer} - {"stored"} <= {r.value for r in Refusal}


def test_the_most_frequent_reason_comes_first() -> None:
    """One mistake in a setting makes most of them."""
    said = refusals_in_words({Refusal.BUSY: 1, Refusal.TOO_LARGE: 12, Refusal.PATH: 1})

    assert said == (
        "14 refused: 12 for a body of more than 20 MiB (413), "
        "1 for too much that waits to be stored (429), "
        "1 for another path than /v1/traces and /v1/logs (404)"
    )
