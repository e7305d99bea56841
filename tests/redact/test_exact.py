"""What a scan of the final bytes blocks on was replaced, by the same rule."""

# ruff: noqa: RUF001  full width is data here
from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.redact import redact_trace, require_safe
from workbench.redact.exact import Exact, is_searched
from workbench.redact.leaves import Leaf
from workbench.redact.residue import needle_of, scan

pytestmark = pytest.mark.desk

KEY = bytes(range(32))


def spans(text: str, *values: tuple[str, str]) -> list[str]:
    """Return what is found of some values in a text."""
    return [text[f.start : f.end] for f in Exact(values).find(Leaf(text=text, path=("a",)))]


def test_a_heading_that_was_taken_for_a_name_blocks_nothing() -> None:
    """`Delivery Window` in `delivery windows` is a word of the prose, no leak."""
    trace = a_trace(
        a_user("Sent for Delivery Window of today. All delivery windows are open."),
        a_call("t", args={"full_name": "Delivery Window"}),
        a_claim("ok"),
    )

    done = redact_trace(trace, key=KEY, ner="none")

    assert done.residue.hits == 0
    require_safe(done)


def test_values_are_found_as_a_scan_finds_them() -> None:
    """In any case unless one word, inside a token when nothing is so by chance."""
    mail = ("jane.doe@fabrikam.com", "EMAIL_ADDRESS")

    assert spans("xJANE.DOE@fabrikam.comx", mail) == ["JANE.DOE@fabrikam.com"]
    assert spans("Ｊane.doe@fabrikam.com", mail) == ["Ｊane.doe@fabrikam.com"]
    assert spans("Rosemarie rosemarie Rosemaries", ("Rosemarie", "PERSON")) == ["Rosemarie"]
    assert spans("christian words", ("christian", "PERSON")) == []
    assert spans("a 4711 b", ("4711", "CREDIT_CARD")) == []
    assert spans("anything") == []


_VALUES = st.sampled_from(
    [
        ("jane.doe@fabrikam.com", "EMAIL_ADDRESS"),
        ("ACC-4471902", "ACCOUNT_ID"),
        ("Rachel Rivera", "PERSON"),
        ("289-218-4011", "PHONE_NUMBER"),
    ]
)
_AROUND = st.text("aZ9 -._@/:é\u200b", max_size=3)


@settings(max_examples=80, deadline=None)
@given(_VALUES, _AROUND, _AROUND)
def test_nothing_is_left_that_blocks(value: tuple[str, str], before: str, after: str) -> None:
    """Whatever stands beside a value."""
    text, kind = value
    document = before + text + after

    found = spans(document, value)

    needle = needle_of(text, kind)
    blocked = any(
        h.view == "raw" for h in scan(json.dumps([document], ensure_ascii=False).encode(), [needle])
    )
    assert bool(found) or not blocked


def test_plain_words_are_not_searched_for() -> None:
    """Alone they say nothing of a person."""
    assert not is_searched("Hope", "PERSON")
    assert not is_searched("rivera", "PERSON")
    assert is_searched("rivera", "USERNAME")
    assert is_searched("Rivera", "PERSON")


def test_a_written_out_line_end_is_a_boundary() -> None:
    """Texts of tools are often quoted once more: the letter of an escape belongs to no word."""
    quoted = a_call("t", result={"text": r"Thanks,\nRachel Rivera\tRivera\r\nRachel"})
    trace = a_trace(a_user("This is Rachel Rivera."), quoted, a_claim("ok"))

    done = redact_trace(trace, key=KEY, ner="none")

    assert "Rachel" not in str(done.trace)
    assert "Rivera" not in str(done.trace)
    require_safe(done)
