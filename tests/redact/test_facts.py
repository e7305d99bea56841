"""Facts and validity checks: one table of pure predicates."""

# ruff: noqa: RUF001  full width is data here
from __future__ import annotations

import pytest

from workbench.redact.checks import VALIDITY, zh_check
from workbench.redact.facts import facts_of, lost_facts, pair_facts

pytestmark = pytest.mark.desk


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        ("date", "2026-02-28", "2026-02-30"),
        ("email", "a@b.example", "a@@b.example"),
        ("iban", "GB29 NWBK 6016 1331 9268 19", "GB29NWBK60161331926818"),
        ("ip", "2001:db8::1", "999.1.1.1"),
        ("json", '{"a": 1}', '{"a": 1'),
        ("luhn", "4111 1111 1111 1111", "4111111111111112"),
        ("phone", "+1 415 555 0100", "137 433 7381"),
        ("ssn", "704-25-7333", "000-92-8520"),
        ("url", "https://a.example/x?y", "https:/a.example"),
        ("uuid", "9b2f7c1e-6a51-4d0e-9a0b-5c1d2e3f4a5b", "9b2f7c1e"),
        ("zh_id", "11010519491231002X", "110105194912310021"),
    ],
)
def test_a_check_tells_good_from_bad(check: str, good: str, bad: str) -> None:
    """A fact is worth what its predicate is worth."""
    assert VALIDITY[check](good)
    assert not VALIDITY[check](bad)


@pytest.mark.parametrize("check", VALIDITY)
@pytest.mark.parametrize(
    "text", ["", " ", "x" * 5000, "\ud800", "０１２３", "٣" * 16, "[" * 5000, "@" * 500]
)
def test_no_check_falls_over(check: str, text: str) -> None:
    """Values are hostile."""
    assert VALIDITY[check](text) in (True, False)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (" x", "leading_space"),
        ("x ", "trailing_space"),
        ("0042", "leading_zero"),
        ("2147483648", "magnitude:int53"),
        ("9007199254740993", "magnitude:int64"),
        ("9" * 30, "magnitude:beyond_int64"),
        ("a@@b", "doubled_separator"),
        ("a\u200bb", "invisible"),
        ("שלום", "direction:rtl"),
        ("Привет", "script:cyrillic"),
        ("é", "form:nfc"),
        ("Rachel Rivera", "case:title"),
        ("", "chars:none"),
        ("x" * 300, "length:>255"),
    ],
)
def test_a_fact_is_told(text: str, fact: str) -> None:
    """Each is something that code branches or breaks on."""
    assert fact in facts_of(text)


def test_pairs_are_compared() -> None:
    """Two values that are related must stay related in the same way."""
    assert {"prefix", "contains", "distance:2"} <= pair_facts("ACC-1", "ACC-123")
    assert "suffix" in pair_facts("4711", "99994711")
    assert {"equal", "strip_equal", "fold_equal"} <= pair_facts("a", "a")
    assert "strip_equal" in pair_facts("a", "a ")
    assert pair_facts("abcdefgh", "zyxwvuts") == frozenset()


def test_losing_and_gaining_are_told() -> None:
    """A malformed value that became valid was repaired, and the failure with it."""
    assert "gained:valid:email" in lost_facts("a@@b.example", "a@b.example", "EMAIL_ADDRESS")
    assert "trailing_space" in lost_facts("x ", "x")
    assert zh_check("11010519491231002") == "X"
