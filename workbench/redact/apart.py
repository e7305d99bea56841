"""Texts whose scripts are set apart, for patterns that ask for the bounds of words.

Chinese and Japanese write no blanks, so `电话13800138000打不通` is one word to a regular expression, and
no pattern with a bound of a word finds the number in it. A mark that belongs to no value is put
wherever ideographs meet letters or digits of another script; findings are moved back.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workbench.redact.finding import Finding

__all__ = ["MARK", "find_apart", "set_apart"]

MARK: Final = "\x01"
"""What stands between two scripts: no letter, no blank, no sign that a value has."""
_DENSE: Final = "\u2e80-\u2fdf\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LOOSE: Final = "0-9A-Za-z_+(\u00c0-\u024f\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff0b"
_SEAM: Final = re.compile(f"(?<=[{_DENSE}])(?=[{_LOOSE}])|(?<=[{_LOOSE})])(?=[{_DENSE}])")


def set_apart(text: str) -> tuple[str, list[int]]:
    r"""Return the text with marks between its scripts, and where in `text` each was put.

    >>> set_apart("电话138打不通")
    ('电话\x01138\x01打不通', [2, 5])
    """
    if text.isascii():
        return text, []
    seams = [match.start() for match in _SEAM.finditer(text)]
    if not seams:
        return text, []
    bounds = [0, *seams, len(text)]
    parts = (text[left:right] for left, right in itertools.pairwise(bounds))
    return MARK.join(parts), seams


def find_apart(find: Callable[[str], Iterator[Finding]], text: str) -> Iterator[Finding]:
    """Yield what a search finds in the text when its scripts are set apart."""
    shown, seams = set_apart(text)
    if not seams:
        yield from find(text)
        return
    marks = [seam + nth for nth, seam in enumerate(seams)]
    for found in find(shown):
        start = found.start - bisect_left(marks, found.start)
        end = found.end - bisect_left(marks, found.end)
        if start < end:
            yield replace(found, start=start, end=end)
