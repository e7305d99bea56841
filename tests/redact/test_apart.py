"""Scripts set apart, and findings moved back."""

# ruff: noqa: RUF001  typographic marks are data here
from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from workbench.redact.apart import MARK, find_apart, set_apart
from workbench.redact.finding import Finding

pytestmark = pytest.mark.desk


@settings(max_examples=100)
@given(st.text("电话号码1 3a_+(，ａ５é。", max_size=30))
def test_nothing_but_marks_is_added(text: str) -> None:
    """What is found must be moved back to the character."""
    shown, seams = set_apart(text)

    assert shown.replace(MARK, "") == text
    assert shown.count(MARK) == len(seams)


@settings(max_examples=100)
@given(st.text("电话1a3 ", min_size=1, max_size=20), st.data())
def test_a_span_is_moved_back(text: str, data: st.DataObject) -> None:
    """Every span of the shown text covers the same characters in the text."""
    shown, _ = set_apart(text)
    start = data.draw(st.integers(0, len(shown) - 1))
    end = data.draw(st.integers(start + 1, len(shown)))

    found = list(
        find_apart(
            lambda _: iter([Finding(start=start, end=end, type="T", score=1.0, detector="d")]), text
        )
    )

    old = shown[start:end].replace(MARK, "")
    assert [text[f.start : f.end] for f in found] == ([old] if old else [])
