"""Marks in a raw record that say: here something was masked, replaced or cut before we saw it.

All are counted in the JSON text of the record, so a mark counts wherever it stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.ingest.events.hints import hint_finder
from workbench.ingest.events.pseudonyms import PSEUDONYM_HINTS, count_pseudonyms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["count_cuts", "count_masks", "count_redacted_errors", "hints_in"]

_CLASSES: Final = (
    "ACCOUNT|ACCOUNT_ID|ACCOUNT_NUMBER|ADDRESS|AGE|API_KEY|AWS_ACCESS_KEY|AWS_SECRET_KEY|"
    "BANK_ACCOUNT_NUMBER|BANK_ROUTING|CARD|CREDIT_CARD|CREDIT_CARD_NUMBER|CREDIT_CARD_RE|"
    "CREDIT_DEBIT_CARD_NUMBER|CREDIT_DEBIT_NUMBER|CRYPTO|CUSTOMER|DATE_OF_BIRTH|DATE_TIME|DOB|"
    "DRIVER_ID|EMAIL|EMAIL_ADDRESS|EMAIL_ADDRESS_RE|FIRST_NAME|FULL_NAME|FULLNAME|IBAN|IBAN_CODE|"
    "INTERNATIONAL_BANK_ACCOUNT_NUMBER|IP|IP_ADDRESS|LAST_NAME|LICENSE_PLATE|LOCATION|MAC_ADDRESS|"
    "MEDICAL_LICENSE|NAME|NRP|ORGANIZATION|PASSPORT|PASSPORT_NUMBER|PASSWORD|PERSON|PERSON_NAME|"
    "PHONE|PHONE_NUMBER|PIN|SECRET|SSN|STREET_ADDRESS|TOKEN|UK_NHS|US_BANK_NUMBER|"
    "US_DRIVER_LICENSE|US_ITIN|US_PASSPORT|US_SOCIAL_SECURITY_NUMBER|US_SSN|US_SSN_RE|USERNAME|UUID"
)
"""What Presidio, LLM Guard, AWS Comprehend and Bedrock, Google's DLP and Private AI call a find."""
_WORDS: Final = (
    "REDACTED|[Rr]edacted|MASKED|[Mm]asked|FILTERED|[Ff]iltered|SCRUBBED|[Ss]crubbed|HIDDEN"
)
_BODY: Final = (
    rf"(?:(?:{_CLASSES})(?:[_ ]REDACTED)?(?:_\d+)?"
    rf"|(?:{_WORDS})(?: due to '[^'\"<>\[\]]{{1,40}}'|[_ -][A-Z][A-Z_ ]{{0,38}})?(?:_\d+)?)"
    r"(?::[^\"<>\[\]{}]{0,40})?"
)
"""`[REDACTED:ssn]`, `<EMAIL_ADDRESS_2>`, `[REDACTED_PERSON_1]`, `[Scrubbed due to 'password']`."""
_STARS: Final = re.compile(
    r"\*\*\*(?<![\w*\\]\*\*\*)(?<!\\n\*\*\*)(?<!\* \*\*\*)\**"
    r"(?! \[| No rule)(?=\d{2,4}\b|[\"'\\,;:&}\])\s]|$)"
)
"""No Markdown, no stars of a hotel, no complaint of `make`."""
_MASKS: Final = (
    ("*", "***", _STARS),
    ("<", "<", re.compile(rf"<(?=[A-Zrmfs]){_BODY}>")),
    ("[", "[", re.compile(rf"\[(?=[A-Zrmfs]){_BODY}\]")),
    # what templates and usage texts hold too counts only where it is all of a value
    ("{", '}"', re.compile(rf'"\{{(?:{_CLASSES})\}}"')),
    ("{", '}\\"', re.compile(rf'"\{{(?:{_CLASSES})\}}\\+"')),
    ("<", '"<URL>', re.compile(r'"<URL>\\*"')),
    ("█", "██", re.compile("██(?<![|█]██)█*")),
    ("\\", r"\u2588\u2588", re.compile(r"\\u2588(?<!\|\\u2588)(?<!\\u2588\\u2588)(?:\\u2588)+")),
    ("_", "__REDACTED__", re.compile("__REDACTED__")),
    ('"', '"REDACTED', re.compile(r'"REDACTED\\*"')),
    ("X", "XX", re.compile(r"XX(?<!\wXX)X{0,2}[- ](?:X{2,4}[- ]){0,2}\d{4}\b")),
    ("x", "xxx", re.compile(r"xxx(?<!\wxxx)x?[- ](?:x{3,4}[- ]){1,2}\d{4}\b")),
    ("X", '"XXXX', re.compile(r'"XXXX(?:[- ]X{4}){1,3}\\*"')),
    ("x", '"xxxx', re.compile(r'"xxxx(?:[- ]x{4}){1,3}\\*"')),
)
"""A character and a text that the mask cannot be without, found quickly; and its pattern, which
starts with plain characters: what stands before them is looked at from behind them."""
_CUT_HINTS: Final = ("[...", "truncated", "omitted")
"""Every mark of a cut holds one of these, in any case."""
_CUT_BYTES: Final = 100
"""No mark reaches further from its hint."""
_CUT: Final = re.compile(
    r"(?:\[|<|\(|\.\.\.\s?|… ?)(?:output |response |result |content )?truncated\b"
    r"|\[\.\.\.\s?\d+ (?:more )?(?:characters|chars|bytes|lines|items)"
    r"|\b\d+ (?:characters|chars|bytes|lines) (?:omitted|truncated)\b",
    re.IGNORECASE,
)
_REDACTED_ERROR: Final = re.compile(
    r"An error occurred while running the tool\. Please try again(?:(?!\.)|\.(?! Error: \S))"
    r"|Error details are redacted"
    r"|\AError: Function failed\.\Z"
)


hints_in: Final = hint_finder(
    (*PSEUDONYM_HINTS, *_CUT_HINTS, *(hint for _, hint, _ in _MASKS if len(hint) > 1))
)
"""Says which texts that a mask, a pseudonym or a cut cannot be without stand in a text."""


def count_masks(text: str, *, hints: frozenset[str] | None = None) -> int:
    """Count masks (`***`, `<EMAIL>`, `[REDACTED]`) and pseudonyms of our own.

    Args:
        text: any.
        hints: `hints_in(text)`, where it is known.

    >>> count_masks('{"token": "***", "to": "user_01@mail-01.example", "note": "**bold**"}')
    2
    >>> count_masks('{"card": "9999990000000018", "n": 999999, "t": 1999999000000001}')
    1
    """
    present = hints_in(text) if hints is None else hints
    found = (
        len(mask.findall(text))
        for sign, hint, mask in _MASKS
        if hint in present or (sign == hint and sign in text)
    )
    return sum(found) + count_pseudonyms(text, hints=present)


def count_cuts(text: str, *, hints: frozenset[str] | None = None) -> int:
    """Count marks of a text that was cut.

    Args:
        text: any.
        hints: `hints_in(text)`, where it is known.

    >>> count_cuts("line 1 ... [truncated] and [... 512 more lines]")
    2
    """
    present = hints_in(text) if hints is None else hints
    wanted = present.intersection(_CUT_HINTS)
    return sum(len(_CUT.findall(near)) for near in _around(text, wanted)) if wanted else 0


def _around(text: str, hints: Iterable[str]) -> Iterator[str]:
    """Yield what stands around these hints, each place once; that is a small part of a record."""
    raw = text.encode(errors="replace")
    lowered = raw.lower()
    starts = sorted(
        found.start() for hint in hints for found in re.finditer(re.escape(hint.encode()), lowered)
    )
    places: list[tuple[int, int]] = []
    for at in starts:
        start, end = max(0, at - _CUT_BYTES), at + _CUT_BYTES
        if places and start <= places[-1][1]:
            start = places.pop()[0]
        places.append((start, end))
    for start, end in places:
        yield raw[start:end].decode(errors="ignore")


def count_redacted_errors(text: str) -> int:
    """Count errors whose text the framework took away."""
    return len(_REDACTED_ERROR.findall(text)) if "rror" in text else 0
