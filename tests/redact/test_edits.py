"""One damage after another on values of every type: the share of equal verdicts is counted.

800 pairs by default, 20,000 with WORKBENCH_LONG=1, from one seed.
"""

# ruff: noqa: RUF001, S311  look-alikes and chance are data here
from __future__ import annotations

import random
import string
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.long import is_long
from workbench.redact.assign import Assignment, Value, assign
from workbench.redact.checks import VALIDITY, luhn_digit
from workbench.redact.draws import Drawer
from workbench.redact.residue import needle_of, scan

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.desk

KEY, OTHER_KEY = bytes(range(32)), bytes(32)
CHECKS = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "CREDIT_CARD": "luhn",
    "IBAN_CODE": "iban",
    "US_SSN": "ssn",
    "IP_ADDRESS": "ip",
}


def _digits(chance: random.Random, count: int) -> str:
    return "".join(chance.choice(string.digits) for _ in range(count))


def _word(chance: random.Random) -> str:
    return "".join(chance.choice(string.ascii_lowercase) for _ in range(chance.randint(4, 9)))


def _card(chance: random.Random) -> str:
    body = "4" + _digits(chance, 14)
    return body + luhn_digit(body)


MAKERS: dict[str, Callable[[random.Random], str]] = {
    "EMAIL_ADDRESS": lambda c: f"{_word(c)}.{_word(c)}@{_word(c)}.com",
    "PHONE_NUMBER": lambda c: (
        f"{c.choice(['212', '415', '303'])}-{c.randint(200, 999)}-{_digits(c, 4)}"
    ),
    "CREDIT_CARD": _card,
    "IBAN_CODE": lambda c: f"GB29NWBK{_digits(c, 14)}",
    "US_SSN": lambda c: f"{c.randint(100, 665)}-{c.randint(10, 99)}-{c.randint(1000, 9999)}",
    "IP_ADDRESS": lambda c: ".".join(str(c.randint(11, 250)) for _ in range(4)),
    "ACCOUNT_ID": lambda c: f"ACC-{c.randint(1, 9)}{_digits(c, 6)}",
    "PERSON": lambda c: f"{_word(c).title()} {_word(c).title()}",
    "SECRET": lambda c: "sk-live-" + "".join(c.choice("0123456789abcdef") for _ in range(24)),
}


def _swap(text: str, at: int) -> str:
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def _wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in text)


EDITS: dict[str, Callable[[str, int], str]] = {
    "drop": lambda t, n: t[:n] + t[n + 1 :],
    "double": lambda t, n: t[: n + 1] + t[n:],
    "insert": lambda t, n: t[:n] + "7" + t[n:],
    "swap": _swap,
    "truncate": lambda t, _: t[:-2],
    "case": lambda t, _: t.swapcase(),
    "separator": lambda t, _: t.replace("-", "_").replace(".", ","),
    "blank": lambda t, n: t[:n] + " " + t[n:],
    "zero_width": lambda t, n: t[:n] + "\u200b" + t[n:],
    "homoglyph": lambda t, _: t.replace("a", "а", 1).replace("e", "е", 1),
    "full_width": lambda t, _: _wide(t),
    "digit": lambda t, n: t[:n] + str((int(t[n]) + 1) % 10) + t[n + 1 :] if t[n].isdigit() else t,
}


def _pair(chance: random.Random) -> tuple[str, str, str, str]:
    """Return the type, a value, the name of an edit, and the edited copy."""
    kind = chance.choice(sorted(MAKERS))
    text, name = MAKERS[kind](chance), chance.choice(sorted(EDITS))
    return kind, text, name, EDITS[name](text, chance.randint(1, len(text) - 2))


def _assigned(kind: str, *texts: str, key: bytes = KEY) -> Assignment:
    return assign([Value(text=t, type=kind) for t in dict.fromkeys(texts)], Drawer(key))


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, str, str, str, Assignment]]:
    """Seeded pairs with what stands for them."""
    chance = random.Random(20_261_130)
    made = [_pair(chance) for _ in range(20_000 if is_long() else 800)]
    return [(*pair, _assigned(pair[0], pair[1], pair[3])) for pair in made]


def test_the_verdict_of_validators_stays(
    pairs: list[tuple[str, str, str, str, Assignment]],
) -> None:
    """At least 99 of 100: what is damaged must fail where it failed."""
    wrong: Counter[tuple[str, str]] = Counter()
    for kind, text, edit, copy, done in pairs:
        check = VALIDITY[CHECKS[kind]] if kind in CHECKS else None
        if check is not None:
            wrong[kind, edit] += any(check(t) != check(done.pseudonyms[t]) for t in (text, copy))

    assert wrong.total() <= 0.01 * len(pairs), +wrong


def test_copies_stay_linked(pairs: list[tuple[str, str, str, str, Assignment]]) -> None:
    """All of them: an edit is no other person."""
    apart = Counter(
        (kind, edit)
        for kind, text, edit, copy, done in pairs
        if done.clusters[text] != done.clusters[copy]
    )

    assert apart == Counter()


def test_distinct_values_stay_distinct_and_nothing_is_left(
    pairs: list[tuple[str, str, str, str, Assignment]],
) -> None:
    """All of them."""
    for kind, text, _edit, copy, done in pairs:
        new = done.pseudonyms
        assert len(set(new.values())) == len(new)
        needles = [needle_of(t, kind) for t in new]
        assert not [h for h in scan("\n".join(new.values()).encode(), needles) if h.blocking], kind
        assert {text, copy} == set(new)


def test_one_key_gives_one_result(pairs: list[tuple[str, str, str, str, Assignment]]) -> None:
    """And another key another."""
    for kind, text, _edit, copy, done in pairs[:100]:
        assert _assigned(kind, copy, text).pseudonyms == done.pseudonyms
        assert _assigned(kind, text, copy, key=OTHER_KEY).pseudonyms != done.pseudonyms
