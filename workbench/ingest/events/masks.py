"""Marks in a raw record that say: here something was masked, replaced or cut before we saw it.

All are counted in the JSON text of the record, so a mark counts wherever it stands.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from workbench.ingest.events.hints import Mark, mark_counter, shortest
from workbench.ingest.events.pseudonyms import PSEUDONYMS

__all__ = ["RawMarks", "count_masks", "is_redacted_error", "marks_of"]

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
    "REDACTED|Redacted|redacted|MASKED|Masked|masked|FILTERED|Filtered|filtered|"
    "SCRUBBED|Scrubbed|scrubbed|HIDDEN"
)
_BODY: Final = (
    rf"(?:(?:{_CLASSES})(?:[_ ]REDACTED)?(?:_\d+)?"
    rf"|(?:{_WORDS})(?: due to '[^'\"<>\[\]]{{1,40}}'|[_ -][A-Z][A-Z_ ]{{0,38}})?(?:_\d+)?)"
    r"(?::[^\"<>\[\]{}]{0,40})?"
)
"""`[REDACTED:ssn]`, `<EMAIL_ADDRESS_2>`, `[REDACTED_PERSON_1]`, `[Scrubbed due to 'password']`."""
_STARS: Final = (
    r"\*\*\*(?<![\w*\\]\*\*\*)(?<!\\n\*\*\*)(?<!\* \*\*\*)\**"
    r"(?! \[| No rule)(?=\d{2,4}\b|[\"'\\,;:&}\])\s]|$)"
)
"""No Markdown, no stars of a hotel, no complaint of `make`."""
_STARTS: Final = shortest(f"{_CLASSES}|{_WORDS}".split("|"))
"""What the body of a mask begins with."""
_MASK: Final = "mask"
_NEEDLE: Final = 3
"""Shorter words are looked for with a letter of their sign."""


def _mask(pattern: str, *hints: str) -> Mark:
    return Mark(kind=_MASK, hints=hints, pattern=re.compile(pattern))


def _worded(pattern: str, *signs: str) -> Mark:
    """Return a mask that is one of the words behind one of these signs."""
    worded = [(sign, word) for sign in signs for word in _STARTS]
    return Mark(
        kind=_MASK,
        hints=tuple(sign + word for sign, word in worded),
        needles=tuple((sign + word)[-max(_NEEDLE, len(word)) :] for sign, word in worded),
        pattern=re.compile(pattern),
    )


_MASKS: Final = (
    _mask(_STARS, "***"),
    _worded(rf"<(?=[A-Zrmfs]){_BODY}>", "<"),
    # as Go and .NET write them in JSON
    _worded(rf"\\u003[cC](?=[A-Zrmfs]){_BODY}\\+u003[eE]", r"\u003c", r"\u003C"),
    _worded(rf"\[(?=[A-Zrmfs]){_BODY}\]", "["),
    # what templates and usage texts hold too counts only where it is all of a value
    _worded(rf'"\{{(?:{_CLASSES})\}}(?:"|\\+")', '"{'),
    _mask(r'"<URL>\\*"', '"<URL>'),
    _mask("██(?<![|█]██)█*", "██"),
    _mask(r"\\u2588(?<!\|\\u2588)(?<!\\u2588\\u2588)(?:\\u2588)+", r"\u2588\u2588"),
    _mask("__REDACTED__", "__REDACTED__"),
    _mask(r'"REDACTED\\*"', '"REDACTED'),
    _mask(r"XX(?<!\wXX)X{0,2}[- ](?:X{2,4}[- ]){0,2}\d{4}\b", "XX-", "XX "),
    _mask(r"xxx(?<!\wxxx)x?[- ](?:x{3,4}[- ]){1,2}\d{4}\b", "xxx-", "xxx "),
    _mask(r'"XXXX(?:[- ]X{4}){1,3}\\*"', '"XXXX'),
    _mask(r'"xxxx(?:[- ]x{4}){1,3}\\*"', '"xxxx'),
)
"""A pattern starts with plain characters: what stands before them is looked at from behind them."""
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
_REDACTED_HINTS: Final = (
    "while running the tool. Please try again",
    "Error details are redacted",
    "Error: Function failed.",
)
"""A redacted error holds one of these."""

_CUT_OFF: Final = "cut"
_HALF: Final = "half"
_REDACTED: Final = "redacted"
_MASK_MARKS: Final = (*PSEUDONYMS, *_MASKS)
_OTHER_MARKS: Final = (
    Mark(
        kind=_CUT_OFF,
        hints=("[...", "truncated", "Truncated", "TRUNCATED", "omitted", "Omitted", "OMITTED"),
        needles=("[...", "runcat", "RUNCAT", "omitt", "Omitt", "OMITT"),
        pattern=_CUT,
        reach_bytes=48,
    ),
    Mark(
        kind=_HALF,
        hints=tuple(rf"\u{first}{digit}" for first in "dD" for digit in "89abcdefABCDEF"),
        needles=(r"\ud", r"\uD"),
        pattern=re.compile(r"\\u[dD][89a-fA-F]"),
        reach_bytes=16,
    ),
    Mark(
        kind=_REDACTED,
        hints=_REDACTED_HINTS,
        pattern=re.compile("|".join(map(re.escape, _REDACTED_HINTS))),
        reach_bytes=64,
    ),
)
_masks_in: Final = mark_counter(_MASK_MARKS)
_marks_in: Final = mark_counter((*_MASK_MARKS, *_OTHER_MARKS))


class RawMarks(Struct, frozen=True, kw_only=True):
    """What stands in a record's JSON text, counted."""

    masked: int = 0
    """Masks, and pseudonyms of our own."""
    cut: int = 0
    halves: int = 0
    """Escapes that may be half of a surrogate pair, or a half of a whole one."""
    redacted: int = 0
    """Texts that may be errors whose own text the framework took away."""


def marks_of(raw: bytes) -> RawMarks:
    r"""Count all marks of a record.

    >>> marks_of(rb'"line 1 ... [truncated], ***, \ud83d and [... 512 more lines]"')
    RawMarks(masked=1, cut=2, halves=1, redacted=0)
    """
    found = _marks_in(raw)
    cut, halves, redacted = (found.pop(kind, 0) for kind in (_CUT_OFF, _HALF, _REDACTED))
    return RawMarks(masked=sum(found.values()), cut=cut, halves=halves, redacted=redacted)


def count_masks(text: str) -> int:
    """Count masks (`***`, `<EMAIL>`, `[REDACTED]`) and pseudonyms of our own.

    >>> count_masks('{"token": "***", "to": "user_01@mail-01.example", "note": "**bold**"}')
    2
    >>> count_masks('{"card": "9999990000000018", "n": 999999, "t": 1999999000000001}')
    1
    """
    return sum(_masks_in(text).values())


def is_redacted_error(text: str) -> bool:
    """Whether an error's own text was taken away by the framework."""
    return _REDACTED_ERROR.search(text) is not None
