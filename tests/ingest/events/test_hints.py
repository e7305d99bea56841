"""Marks are counted near their hints as they would be in the whole text."""

from __future__ import annotations

import tracemalloc
from unittest.mock import patch

import pytest
from hypothesis import given, strategies as st

from workbench.ingest.events import hints
from workbench.ingest.events.hints import mark_counter, shortest
from workbench.ingest.events.masks import _MASK_MARKS, _OTHER_MARKS

_MARKS = (*_MASK_MARKS, *_OTHER_MARKS)
_count = mark_counter(_MARKS)
_PIECES = st.sampled_from(
    [
        "***", "*", "<EMAIL>", "<name>", "[REDACTED:ssn]", '"{NAME}"', '\\"{NAME}\\"', '"<URL>"', "██", "█",
        "\\u2588\\u2588", "\\u2588", "__REDACTED__", '"REDACTED"', "XXX-XX-6789", "xxxx-xxxx-xxxx-1234",
        '"XXXX-XXXX"', "@mail.example", "https://é.invalid", "9999990000000018", "999-99-1234-1", "415-555-0142",
        "192.0.2.1", "198.18.0.1", "2001:db8::1", "[... 512 more lines]", "... [Truncated]",
        "7 lines omitted", "\\ud83d", "\\uDE00", "é", "\\", '"', " ", "7", "word", "a" * 500, "é" * 400,
    ]
)  # fmt: skip


_PLAIN = "word, " * 3000
"""So long that needles are looked for first, around texts of up to twenty marks."""


@given(
    st.lists(_PIECES, max_size=12).map("".join),
    st.sampled_from(["", _PLAIN]),
    st.sampled_from([97, 4096, 1 << 18]),
)
def test_what_stands_around_the_hints_is_enough(text: str, around: str, chunk_bytes: int) -> None:
    """Windows are joined where they touch, cut no character in two, and count no mark twice."""
    text = around + text + around
    with patch.object(hints, "_CHUNK_BYTES", chunk_bytes):
        found, of_bytes = _count(text), _count(text.encode())
    whole: dict[str, int] = {}
    for mark in _MARKS:
        count = len(mark.pattern.findall(text))
        if count:
            whole[mark.kind] = whole.get(mark.kind, 0) + count

    assert found == whole
    assert of_bytes == found


def test_a_hint_at_each_byte_takes_no_memory_of_its_own() -> None:
    """A progress bar of a megabyte would be hundreds of megabytes of places."""
    tracemalloc.start()
    try:
        with patch.object(hints, "_CHUNK_BYTES", 1 << 14):
            _count(b"*" * 200_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 10_000_000


@pytest.mark.parametrize("dense", ["***, ", "EMAIL ", "99999 "])
def test_where_needles_are_common_all_is_looked_at(dense: str) -> None:
    """Thousands of windows would cost more than one pass."""
    text = dense * 2000 + "<EMAIL>, 415-555-0142 " + dense * 2000

    assert _count(text) == {
        mark.kind: sum(len(one.pattern.findall(text)) for one in _MARKS if one.kind == mark.kind)
        for mark in _MARKS
        if any(one.kind == mark.kind and one.pattern.search(text) for one in _MARKS)
    }


def test_every_hint_holds_a_needle() -> None:
    """A hint without one would be overlooked in long records only."""
    for mark in _MARKS:
        for hint in mark.hints:
            assert any(needle in hint for needle in mark.needles or mark.hints)
            assert all(len(needle.encode()) > 2 for needle in mark.needles or mark.hints)


def test_words_that_begin_alike_are_found_by_the_shortest() -> None:
    """A hint more is a hit more for each place."""
    assert shortest(["ab", "abc", "b", "a"]) == ("a", "b")
    assert shortest([]) == ()
