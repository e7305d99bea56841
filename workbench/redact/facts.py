"""Facts: checkable properties of a value, or of two, that redaction must not change.

Names are `valid:<type>` / `invalid:<type>`, `length:<class>`, `chars:<class>`, `leading_space`, `trailing_space`,
`case:<pattern>`, `script:<s>`, `form:<f>`, `magnitude:<class>` and a few marks of damage; for pairs
`equal`, `fold_equal`, `prefix`, `suffix`, `contains`, `distance:<n>`. One table, pure predicates.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rapidfuzz.distance import Levenshtein

from workbench.redact.checks import VALIDITY
from workbench.redact.skeleton import folded

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FACTS", "facts_of", "is_lost", "is_of_validity", "lost_facts", "pair_facts"]

_OWN: Final = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "IBAN_CODE": "iban",
    "CREDIT_CARD": "luhn",
    "IP_ADDRESS": "ip",
    "DATE_OF_BIRTH": "date",
    "US_SSN": "ssn",
    "ZH_ID": "zh_id",
}
_LENGTHS: Final = (1, 8, 16, 32, 64, 128, 255)
_DOUBLED: Final = re.compile(r"([.@_,/-])\1")
_NUMBER: Final = re.compile(r"[+-]?\d{1,400}", re.ASCII)


def _validity(text: str) -> set[str]:
    return {f"valid:{name}" for name, holds in VALIDITY.items() if holds(text)}


def _length(text: str) -> set[str]:
    above = next((bound for bound in _LENGTHS if len(text) <= bound), None)
    return {f"length:<={above}" if above else "length:>255"}


def _chars(text: str) -> set[str]:
    kinds = []
    if any(c.isdigit() for c in text):
        kinds.append("digits")
    if any(c.isalpha() for c in text):
        kinds.append("letters")
    if any(not c.isalnum() and not c.isspace() for c in text):
        kinds.append("marks")
    if any(c.isspace() for c in text):
        kinds.append("blanks")
    found = {"chars:" + "+".join(kinds or ["none"])}
    return found if text.isascii() else found | {"chars:non_ascii"}


def _edges(text: str) -> set[str]:
    found = set()
    if text[:1].isspace():
        found.add("leading_space")
    if text[-1:].isspace():
        found.add("trailing_space")
    return found


def _case(text: str) -> set[str]:
    for name, holds in (("lower", str.islower), ("upper", str.isupper), ("title", str.istitle)):
        if holds(text):
            return {f"case:{name}"}
    return {"case:mixed"} if any(c.isalpha() for c in text) else {"case:none"}


@lru_cache(maxsize=4096)
def _script_of(char: str) -> str:
    return unicodedata.name(char, "UNKNOWN").split(" ")[0].split("-")[0].lower()


def _scripts(text: str) -> set[str]:
    if text.isascii():
        return {"script:latin"} if any(c.isalpha() for c in text) else set()
    found = {f"script:{_script_of(c)}" for c in text if c.isalpha()}
    if any(unicodedata.bidirectional(c) in ("R", "AL") for c in text):
        found.add("direction:rtl")
    return found


def _form(text: str) -> set[str]:
    if text.isascii():
        return set()
    found = {
        f"form:{f.lower()}" for f in ("NFC", "NFD", "NFKC") if unicodedata.is_normalized(f, text)
    }
    if any(unicodedata.category(c) == "Cf" for c in text):
        found.add("invisible")
    return found


def _magnitude(text: str) -> set[str]:
    value = text.strip()
    if not _NUMBER.fullmatch(value):
        return set()
    number = abs(int(value))
    bounds = (("int32", 2**31), ("int53", 2**53), ("int64", 2**63))
    name = next((name for name, bound in bounds if number < bound), "beyond_int64")
    leading = value.lstrip("+-")
    return {f"magnitude:{name}"} | (
        {"leading_zero"} if leading[0] == "0" and len(leading) > 1 else set()
    )


def _damage(text: str) -> set[str]:
    return {"doubled_separator"} if _DOUBLED.search(text) else set()


FACTS: Final[tuple[Callable[[str], set[str]], ...]] = (
    _validity,
    _length,
    _chars,
    _edges,
    _case,
    _scripts,
    _form,
    _magnitude,
    _damage,
)
"""Each takes a value and returns the facts that hold."""


@lru_cache(maxsize=65536)
def facts_of(text: str, kind: str = "") -> frozenset[str]:
    """Return every fact of a value; `kind` adds `invalid:<type>` when its own check fails.

    >>> sorted(facts_of("a@@b.example", "EMAIL_ADDRESS") - facts_of("a@@b.example"))
    ['invalid:email']
    """
    found = {fact for table in FACTS for fact in table(text)}
    own = _OWN.get(kind)
    if own is not None and f"valid:{own}" not in found:
        found.add(f"invalid:{own}")
    return frozenset(found)


def pair_facts(left: str, right: str) -> frozenset[str]:
    """Return how two values are related.

    >>> sorted(pair_facts("ann", "Ann "))
    ['distance:2', 'fold_equal']
    """
    found = set()
    if left == right:
        found.add("equal")
    left_fold, right_fold = folded(left).strip(), folded(right).strip()
    if left.strip() == right.strip():
        found.add("strip_equal")
    if left_fold == right_fold:
        found.add("fold_equal")
    short, long = sorted((left, right), key=len)
    if short and long.startswith(short):
        found.add("prefix")
    if short and long.endswith(short):
        found.add("suffix")
    if short and short in long:
        found.add("contains")
    distance = Levenshtein.distance(left, right, score_cutoff=4)
    if distance <= 4:
        found.add(f"distance:{distance}")
    return frozenset(found)


def lost_facts(before: str, after: str, kind: str = "") -> tuple[str, ...]:
    """Return the facts of a value that its replacement does not have, and `gained:` ones."""
    old, new = facts_of(before, kind), facts_of(after, kind)
    gained = {f"gained:{fact}" for fact in new - old if fact.startswith("valid:")}
    return tuple(sorted((old - new) | gained))


def is_of_validity(lost: str) -> bool:
    """Whether a lost fact, or a gained one, is that a check holds.

    >>> is_of_validity("gained:valid:luhn"), is_of_validity("invalid:luhn")
    (True, False)
    """
    return lost.removeprefix("gained:").startswith("valid:")


def is_lost(lost: str, after: str) -> bool:
    """Whether a replacement loses, or gains, a fact of validity as another one did.

    >>> is_lost("valid:date", "2024-02-30"), is_lost("gained:valid:date", "2024-02-30")
    (True, False)
    """
    fact = lost.removeprefix("gained:")
    return VALIDITY[fact.removeprefix("valid:")](after) == (fact != lost)
