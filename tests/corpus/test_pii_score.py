"""Our detectors on the shared benches of labelled personal data."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.corpus.scorer import with_models, without_models

if TYPE_CHECKING:
    from collections.abc import Callable

BENCHES = Path(__file__).resolve().parents[3] / "shared" / "pii"
TRACES = BENCHES / "traces_open.jsonl"
PROSE = BENCHES / "presidio_research_open.jsonl"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.desk,
    pytest.mark.slow,
    pytest.mark.skipif(not TRACES.is_file(), reason="the shared benches are not on this machine"),
]


class Score:
    """Recall by type and over all, and precision, untyped as in the bench's own script."""

    def __init__(
        self, detector: Callable[[str], list[tuple[int, int, str]]], file: Path, *, cover: bool
    ) -> None:
        self.gold: dict[str, int] = defaultdict(int)
        self.found: dict[str, int] = defaultdict(int)
        self.predicted = self.right = 0
        for line in file.read_text(encoding="utf-8").splitlines():
            self._add(json.loads(line), detector, cover=cover)

    def _add(
        self,
        entry: dict[str, object],
        detector: Callable[[str], list[tuple[int, int, str]]],
        *,
        cover: bool,
    ) -> None:
        text, spans = str(entry["text"]), entry["spans"]
        assert isinstance(spans, list)
        predicted = [(start, end) for start, end, _ in detector(text)]
        for start, end, kind in spans:
            self.gold[kind] += 1
            hits = [p for p in predicted if p[0] < end and p[1] > start]
            self.found[kind] += _is_found(text, start, end, hits) if cover else bool(hits)
        self.predicted += len(predicted)
        self.right += sum(
            any(s < end and e > start for start, end, _ in spans) for s, e in predicted
        )

    def recall(self, kind: str = "") -> float:
        """Return the share of gold spans found."""
        kinds = [kind] if kind else list(self.gold)
        return sum(self.found[k] for k in kinds) / sum(self.gold[k] for k in kinds)

    @property
    def precision(self) -> float:
        """Return the share of predictions that touch a gold span."""
        return self.right / self.predicted

    @property
    def f2(self) -> float:
        """Return the F score that weighs recall four times."""
        return 5 * self.precision * self.recall() / (4 * self.precision + self.recall())


def _is_found(text: str, start: int, end: int, hits: list[tuple[int, int]]) -> bool:
    chars = [at for at in range(start, end) if not text[at].isspace()]
    left = [at for at in chars if not any(s <= at < e for s, e in hits)]
    return len(left) <= 0.01 * len(chars)


@pytest.mark.parametrize(("detector", "recall"), [(without_models, 0.93), (with_models, 0.97)])
def test_traces_are_covered(
    detector: Callable[[str], list[tuple[int, int, str]]], recall: float
) -> None:
    """Damaged values are found as well as their twins, and request ids stay."""
    score = Score(detector, TRACES, cover=True)

    assert score.recall() >= recall
    assert score.precision >= 0.90
    for kind in [k for k in score.gold if k.endswith("_BAD")]:
        assert score.recall(kind) >= score.recall(kind.removesuffix("_BAD")) - 0.03


def test_prose_is_read_with_a_model() -> None:
    """Names and addresses in letters and chats."""
    assert Score(with_models, PROSE, cover=False).f2 >= 0.70
