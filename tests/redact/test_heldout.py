"""Detection on texts that it was not made for, damaged values as well as whole ones.

16 texts of a kind by default, 64 with WORKBENCH_LONG=1.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.long import is_long
from tests.redact.heldout import Labelled, distractors, labelled
from workbench.redact import find_values

pytestmark = pytest.mark.desk


def is_covered(one: Labelled) -> bool:
    """Whether nothing of the value is left, but for blanks."""
    spans = [(f.start, f.end) for f in find_values(one.text, ner="none")]
    chars = [at for at in range(one.start, one.end) if not one.text[at].isspace()]
    return all(any(start <= at < end for start, end in spans) for at in chars)


@pytest.fixture(scope="module")
def recall() -> dict[str, float]:
    """The share of covered values, by kind."""
    texts = labelled(2026, 64 if is_long() else 16)
    total = Counter(one.kind for one in texts)
    found = Counter(one.kind for one in texts if is_covered(one))
    return {kind: found[kind] / count for kind, count in total.items()}


def test_values_are_covered_without_a_model(recall: dict[str, float]) -> None:
    """What is scored elsewhere are other texts of the same kinds."""
    assert sum(recall.values()) / len(recall) >= 0.97, recall
    assert {kind: share for kind, share in recall.items() if share < 0.85} == {}


def test_damage_costs_nothing(recall: dict[str, float]) -> None:
    """Incidents are about malformed values."""
    twins = {kind: recall[kind.removesuffix("_BAD")] for kind in recall if kind.endswith("_BAD")}

    assert {
        kind: recall[kind] for kind, whole in twins.items() if recall[kind] < whole - 0.07
    } == {}


def test_what_an_incident_is_read_by_stays() -> None:
    """Ids, hashes, versions, amounts."""
    texts = distractors(7, 8 if is_long() else 2)

    wrong = [text for text in texts if find_values(text, ner="none")]

    assert len(wrong) <= 0.02 * len(texts), wrong
