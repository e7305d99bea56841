"""The samples in the pages about our formats are true."""

from __future__ import annotations

import json
import re
from pathlib import Path

from workbench.casefile.case import parse_case
from workbench.casefile.layout import format_case
from workbench.casefile.trace import load_trace
from workbench.check.judge import judge
from workbench.model.event import Claim
from workbench.replay.scripted import replay_path

DOCS = Path(__file__).parents[2] / "docs"


def sample_of(page: str) -> str:
    """Return the first indented block of a page."""
    found = re.search(r"\n\n((?:    .*\n)+)", (DOCS / page).read_text(encoding="utf-8"))
    assert found is not None
    return re.sub(r"(?m)^    ", "", found[1])


def test_the_sample_case_is_canonical_and_fails_as_it_says() -> None:
    """Somebody will copy it."""
    text = sample_of("case-format.md")

    case = parse_case(text, name="docs/case-format.md")

    assert format_case(case) == text
    verdict = judge(replay_path(case, case.recorded), case.contract)
    assert verdict.signature == case.signature


def test_the_sample_trace_is_one() -> None:
    """An exporter in another language starts from it."""
    trace = load_trace(json.loads(sample_of("trace-format.md")))

    assert isinstance(trace.events[-1], Claim)
