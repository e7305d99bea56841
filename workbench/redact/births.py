"""Days of birth by the words before them; other days are no personal data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.redact.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["find_births"]

_NAME: Final = "births 1"
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY: Final = (
    r"(?:(?:18|19|20)\d\d[-/. ]\d{1,2}[-/. ]\d{1,2}|\d{1,2}[-/. ]{1,2}\d{1,2}[-/. ]{1,2}(?:\d{4}|\d{2})"
    rf"|{_MONTH}[ -]\d{{1,2}}(?:st|nd|rd|th)?,?[ -](?:18|19|20)\d\d|\d{{1,2}}(?:st|nd|rd|th)?[ -](?:of )?{_MONTH},?[ -](?:18|19|20)\d\d"
    r"|(?:18|19|20)\d\d年\d{1,2}月\d{1,2}[日号]|(?:18|19|20)\d{6})(?!\d)"
)
_BIRTH: Final = re.compile(
    r"(?i)(?:\b(?:date of birth|birth[ _-]?da(?:te|y)|d\.?o\.?b\.?|born)\b|出生|生日)"
    rf"[^\d\n]{{0,16}}?(?P<value>{_DAY})"
)
_HINT: Final = re.compile(r"(?i)birth|dob|d\.o\.b|born|出生|生日")


def find_births(text: str) -> Iterator[Finding]:
    """Find days of birth in one text."""
    if _HINT.search(text) is None:
        return
    for match in _BIRTH.finditer(text):
        start, end = match.span("value")
        yield Finding(start=start, end=end, type="DATE_OF_BIRTH", score=0.8, detector=_NAME)
