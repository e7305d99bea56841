"""A literal of a contract becomes what the value becomes that it is compared with.

Three rules, the first that says something counts: a text of the trace that equals the literal, best
under the same key; replaced values that stand in the literal; a replaced value that the literal
is a part of.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.redact.book import KEPT_WORDS
from workbench.redact.finding import Family, Finding, family_of
from workbench.redact.skeleton import folded
from workbench.redact.wording import COMMON_WORDS, on_boundary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.redact.leaves import Leaf

__all__ = ["PART", "Echoes"]

PART: Final = "part of a known value"
"""Name of the detector of literals that are a part of a value; alone they are none."""
_KNOWN: Final = "known_value"
_LONGEST: Final = 400
_LEAST: Final = 3
_LEAST_PART: Final = 4


@dataclass(slots=True)
class Echoes:
    """What the texts of a trace became; told leaf by leaf, asked about literals afterwards."""

    _by_text: dict[str, dict[str, tuple[Finding, ...]]] = field(default_factory=dict)
    _values: dict[str, str] = field(default_factory=dict)

    def tell(self, leaf: Leaf, replaced: Sequence[Finding]) -> None:
        """Take in a leaf of the trace and what is replaced in it."""
        if len(leaf.text) <= _LONGEST and not leaf.is_key:
            key = next((s for s in reversed(leaf.path) if isinstance(s, str)), "")
            known = self._by_text.setdefault(leaf.text, {})
            known[key] = known.get(key) or tuple(replaced)
        for one in replaced:
            self._values.setdefault(leaf.text[one.start : one.end], one.type)

    def of(self, leaf: Leaf) -> tuple[Finding, ...]:
        """Return what is to be replaced in a literal beside what detectors found in it."""
        same = self._by_text.get(leaf.text, {})
        if same:
            under = same.get(leaf.hints[-1]) if leaf.hints else None
            return next(filter(None, same.values()), ()) if under is None else under
        return tuple(self._inside(leaf.text)) or tuple(self._around(leaf.text))

    def _inside(self, text: str) -> Iterator[Finding]:
        for value, kind in self._values.items():
            if len(value) < _LEAST:
                continue
            start = text.find(value)
            while start >= 0:
                end = start + len(value)
                if on_boundary(text, start, end):
                    yield _finding(start, end, kind, _KNOWN)
                start = text.find(value, end)

    def _around(self, text: str) -> Iterator[Finding]:
        at, end = _trimmed(text)
        plain = text[at:end]
        word = folded(plain)
        if len(plain) < _LEAST_PART or word in COMMON_WORDS or word in KEPT_WORDS:
            return
        for value, kind in self._values.items():
            start = value.find(plain)
            if start >= 0 and on_boundary(value, start, start + len(plain)):
                yield _finding(at, end, _kind_of_part(value, start, kind), PART)
                return


def _trimmed(text: str) -> tuple[int, int]:
    """Return where the first letter or digit is, and where the last one ends."""
    places = [n for n, char in enumerate(text) if char.isalnum()]
    return (places[0], places[-1] + 1) if places else (0, 0)


def _kind_of_part(value: str, start: int, kind: str) -> str:
    if family_of(kind) is not Family.EMAIL:
        return kind
    return "DOMAIN_NAME" if start > value.rfind("@") else "USERNAME"


def _finding(start: int, end: int, kind: str, detector: str) -> Finding:
    return Finding(start=start, end=end, type=kind, score=0.75, detector=detector)
