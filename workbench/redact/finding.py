"""What a detector proposes: a span of one text, its type, and who says so.

A finding never holds the text itself, so it can be logged, compared and kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Family", "Finding", "family_of", "group_of", "merged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One proposal of a detector."""

    start: int
    """First code point of the span."""
    end: int
    """One past the last code point."""
    type: str
    """`EMAIL_ADDRESS`, `ACCOUNT_ID`, ..."""
    score: float
    """How sure the detector is, 0 to 1; decides between overlapping findings."""
    detector: str
    """Name of the detector, with a version where it has one."""


class Family(StrEnum):
    """How the values of a type are compared and drawn."""

    WORDS = "words"
    """Each word has a pseudonym of its own: names, places, user names."""
    EMAIL = "email"
    """Words before the sign, a domain behind it."""
    SEQUENCE = "sequence"
    """One run of letters and digits, whatever stands between them: ids, numbers, secrets."""
    ADDRESS = "address"
    """An internet address."""
    DATE = "date"
    """A day of a calendar; moved by whole weeks."""
    DOMAIN = "domain"
    """The name of a host."""


_FAMILIES = {
    "EMAIL_ADDRESS": Family.EMAIL,
    "PERSON": Family.WORDS,
    "LOCATION": Family.WORDS,
    "NRP": Family.WORDS,
    "ORGANIZATION": Family.WORDS,
    "USERNAME": Family.WORDS,
    "TEXT": Family.WORDS,
    "IP_ADDRESS": Family.ADDRESS,
    "DATE_OF_BIRTH": Family.DATE,
    "DOMAIN_NAME": Family.DOMAIN,
}


def family_of(type_name: str) -> Family:
    """Return how values of a type are treated; unknown types are sequences.

    >>> family_of("EMAIL_ADDRESS").value, family_of("ACCOUNT_ID").value
    ('email', 'sequence')
    """
    return _FAMILIES.get(type_name, Family.SEQUENCE)


def group_of(type_name: str) -> str:
    """Return the name that types share whose values are compared with one another.

    >>> group_of("PERSON") == group_of("USERNAME"), group_of("ACCOUNT_ID")
    (True, 'ACCOUNT_ID')
    """
    family = family_of(type_name)
    return family.value if family is not Family.SEQUENCE else type_name


def merged(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings without overlaps, in order of position.

    Of two that overlap the surer one names the type, and the result covers both: what any
    detector saw is replaced. Equal scores: the longer, then the earlier one names it.
    """
    done: list[Finding] = []
    for found in sorted(findings, key=lambda f: (f.start, -f.end)):
        if not done or found.start >= done[-1].end:
            done.append(found)
            continue
        last = done.pop()
        best = max((last, found), key=lambda f: (f.score, f.end - f.start, -f.start))
        done.append(
            Finding(
                start=last.start,
                end=max(last.end, found.end),
                type=best.type,
                score=best.score,
                detector=best.detector,
            )
        )
    return tuple(done)
