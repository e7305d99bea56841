"""Sentences that may hold a name."""

# ruff: noqa: RUF001  typographic marks are data here
from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from workbench.redact.prose import parts_with_names

pytestmark = pytest.mark.desk


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("the plan ends. it is late", []),
        ("The plan ends. I paid. Please wait!", []),
        ("Ask Dr. Lee. The plan ends. Then Ann came", ["Ask Dr. Lee. ", "Then Ann came"]),
        ("It’s late.\nŁukasz called.\nok", ["Łukasz called.\n"]),
    ],
)
def test_only_sentences_with_a_capital_that_may_be_a_name(text: str, parts: list[str]) -> None:
    """A model reads the rest for nothing."""
    assert [text[start:end] for start, end in parts_with_names(text)] == parts


@settings(max_examples=100)
@given(st.text("Aab.! \n", max_size=60))
def test_no_capital_is_left_out(text: str) -> None:
    """`A` is a plain word; any other word with a capital is read."""
    read = set()
    for start, end in parts_with_names(text):
        read |= set(range(start, end))

    for at, char in enumerate(text):
        alone = text[at - 1 : at].isalpha() or text[at + 1 : at + 2].isalpha()
        if char == "A" and alone and not text[at - 1 : at].isalpha():
            assert at in read
