"""Known values wherever a scan of the final bytes would find them.

What `residue` blocks on must have been replaced, so the same rule decides here: texts that
are long enough, on token boundaries, in any case unless they are one word of a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import ahocorasick_rs

from workbench.redact.finding import Family, Finding, family_of
from workbench.redact.residue import is_blocking, on_tokens
from workbench.redact.skeleton import folded, pieces
from workbench.redact.wording import COMMON_WORDS, flattened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.redact.leaves import Leaf

__all__ = ["Exact", "is_one_word", "is_searched"]

_NAME = "known_value"


def is_searched(text: str, kind: str) -> bool:
    """Whether final bytes are searched for a value: plain words alone say nothing of a person."""
    is_lower_word = (
        family_of(kind) is Family.WORDS and kind != "USERNAME" and text.isalpha() and text.islower()
    )
    return folded(text) not in COMMON_WORDS and not is_lower_word


def is_one_word(text: str, kind: str) -> bool:
    """Whether a value is one word of a name, which in other case is a plain word."""
    return family_of(kind) is Family.WORDS and text.isalpha() and text.isascii()


class Exact:
    """Searches leaves for values as they are; build it once per document."""

    def __init__(self, values: Iterable[tuple[str, str]]) -> None:
        exact: dict[str, str] = {}
        loose: dict[str, str] = {}
        for text, kind in sorted({(text.strip(), kind) for text, kind in values}):
            if is_blocking(text) and is_searched(text, kind):
                exact.setdefault(text, kind)
                if not is_one_word(text, kind):
                    loose.setdefault(folded(text), kind)
        self._machines = [(_machine(exact), list(exact.items()))]
        self._machines += [(_machine(loose), list(loose.items()))]

    def find(self, leaf: Leaf) -> Iterator[Finding]:
        """Yield the values in a leaf, with repetitions."""
        (exact, exact_values), (loose, loose_values) = self._machines
        if exact is not None:
            yield from _hits(exact, exact_values, leaf.text, None)
        if loose is not None:
            plain, starts, ends = flattened(
                leaf.text, None if leaf.text.isascii() else pieces(leaf.text)
            )
            yield from _hits(
                loose,
                loose_values,
                plain,
                None if starts is None or ends is None else (starts, ends),
            )


def _machine(values: Iterable[str]) -> ahocorasick_rs.AhoCorasick | None:
    texts = list(values)
    return ahocorasick_rs.AhoCorasick(texts) if texts else None


def _hits(
    machine: ahocorasick_rs.AhoCorasick,
    values: list[tuple[str, str]],
    text: str,
    places: tuple[list[int], list[int]] | None,
) -> Iterator[Finding]:
    for number, start, end in machine.find_matches_as_indexes(text, overlapping=True):
        value, kind = values[number]
        if not on_tokens(value, text, start, end):
            continue
        left, right = (start, end) if places is None else (places[0][start], places[1][end - 1])
        yield Finding(start=left, end=right, type=kind, score=0.75, detector=_NAME)
