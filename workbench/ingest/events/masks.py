"""Marks in a raw record that say: here something was masked, replaced or cut before we saw it.

All are counted in the JSON text of the record, so a mark counts wherever it stands.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["count_cuts", "count_masks", "count_redacted_errors"]

_NAMES: Final = (
    "ACCOUNT|ACCOUNT_ID|ADDRESS|API_KEY|CARD|CREDIT_CARD|CUSTOMER|DATE_OF_BIRTH|DATE_TIME|EMAIL|"
    "EMAIL_ADDRESS|IBAN|IBAN_CODE|IP|IP_ADDRESS|LOCATION|NAME|ORGANIZATION|PASSWORD|PERSON|PHONE|"
    "PHONE_NUMBER|SECRET|SSN|TOKEN|US_SSN|USERNAME|FILTERED|HIDDEN|MASKED|REDACTED|SCRUBBED"
)
_NAMED: Final = rf"(?:{_NAMES})(?:_\d+)?(?::[^\"<>\[\]]{{0,40}})?[>\]]"
_MASKS: Final = (
    ("*", "***", re.compile(r"(?<![\w*\\])(?<!\\n)\*{3,}(?=\d{2,4}\b|[\"'\\,;:&}\])\s]|$)")),
    ("<", "<", re.compile(rf"<(?=[A-Z]){_NAMED}")),
    ("[", "[", re.compile(rf"\[(?=[A-Z]){_NAMED}")),
    ("█", "██", re.compile("█{2,}")),
    ("\\", r"\u2588\u2588", re.compile(r"(?:\\u2588){2,}")),
    (
        "@",
        "@mail-",
        re.compile(r"\b[a-z]+_\d{2,}@mail-\d{2,}\.(?:example|invalid)\b"),
    ),  # ours: page 05
    ("9", "99999", re.compile(r"(?<![\d.])[89]99999\d{7,13}(?![\d.])")),  # ours, of cards
)
"""A character and a text that the mask cannot be without, found quickly; and its pattern."""
_CUT_HINTS: Final = (b"[...", b"truncated", b"omitted")
"""Every mark of a cut holds one of these in lower case."""
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


def count_masks(text: str) -> int:
    """Count masks (`***`, `<EMAIL>`, `[REDACTED]`) and pseudonyms of our own.

    >>> count_masks('{"token": "***", "to": "user_01@mail-01.example", "note": "**bold**"}')
    2
    >>> count_masks('{"card": "9999990000000018", "n": 999999, "t": 1999999000000001}')
    1
    """
    return sum(
        len(mask.findall(text)) for sign, hint, mask in _MASKS if sign in text and hint in text
    )


def count_cuts(text: str) -> int:
    """Count marks of a text that was cut.

    >>> count_cuts("line 1 ... [truncated] and [... 512 more lines]")
    2
    """
    lowered = text.encode(errors="replace").lower()  # of bytes that takes no time
    return len(_CUT.findall(text)) if any(hint in lowered for hint in _CUT_HINTS) else 0


def count_redacted_errors(text: str) -> int:
    """Count errors whose text the framework took away."""
    return len(_REDACTED_ERROR.findall(text)) if "rror" in text else 0
