"""Which results a call or claim got its values from.

A value *flows* from a result to a later call or claim when it has six characters or more, or is
an id, and stands in both: an argument in the text of the result, or a leaf of the result in an
argument or in the claim. Matching goes by whole words, so `12345` does not flow from `9912345`.

A value that very many results hold is vocabulary (`completed`, a currency), not information:
only the latest holder counts then, so that a thousand polls are not kept for one word.

Source:
    design page 06, "Two sides".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.model.event import Claim, ToolCall, ToolResult
from workbench.model.jsonvalue import Absent, Json
from workbench.shrink.nodes import NodePath, leaves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.model.trace import Trace
    from workbench.shrink.units import Layout

__all__ = ["Flow"]

_LEAST_CHARS: Final = 6
_VOCABULARY: Final = 16
_LONGEST_LEAF: Final = 2_000
_WORD: Final = re.compile(r"\w+")
_DATA: Final = re.compile(r"[\w@.+/:-]{6,}")
_ID_KEY: Final = re.compile(r"(?:^|[_-])ids?$|[a-z0-9]I[dD]s?$|^I[dD]$")
_ID_IN_TEXT: Final = re.compile(r"\b\w{0,40}?[iI][dD]_?['\"]?\s{0,4}[:=]\s{0,4}['\"]?(\w+)")

_Holders: TypeAlias = dict[str, dict[int, None]]


class Flow:
    """The value flow of one trace, from unit to unit; what it finds it keeps."""

    def __init__(self, trace: Trace, layout: Layout) -> None:
        self._trace = trace
        self._layout = layout
        self._results = _ResultIndex(trace, layout)
        self._sources: dict[int, dict[NodePath, frozenset[int]]] = {}
        self._providers: dict[int, frozenset[int]] = {}

    def providers(self, unit: int) -> frozenset[int]:
        """Return the units whose results hold a value that `unit` uses; all are earlier."""
        known = self._providers.get(unit)
        if known is None:
            known = frozenset().union(*self.sources(unit).values())
            self._providers[unit] = known
        return known

    def sources(self, unit: int) -> dict[NodePath, frozenset[int]]:
        """Return, for each argument leaf that has one, the units that its value came from."""
        known = self._sources.get(unit)
        if known is None:
            known = {path: found for path, found in self._find(unit) if found}
            self._sources[unit] = known
        return known

    def _find(self, unit: int) -> Iterator[tuple[NodePath, frozenset[int]]]:
        before = self._layout.units[unit].decided
        event = self._trace.events[self._layout.units[unit].events[0]]
        if isinstance(event, Claim):
            yield (), self._results.holders_in_text(event.text, before)
        elif isinstance(event, ToolCall) and not isinstance(event.args, Absent):
            for path, leaf in leaves(event.args):
                yield path, self._results.holders_of_leaf(path, leaf, before)
        elif isinstance(event, ToolCall):
            yield (), self._results.holders_in_text(event.args_raw or "", before)


class _ResultIndex:
    """Every result's words and leaves, so that no search reads all results."""

    def __init__(self, trace: Trace, layout: Layout) -> None:
        self._texts: dict[int, str] = {}
        self._ended: dict[int, int] = {}
        self._by_word: _Holders = {}
        self._by_id: _Holders = {}
        self._leaves: dict[str, _Holders] = {}
        results = [i for i, event in enumerate(trace.events) if isinstance(event, ToolResult)]
        for position in results:
            unit = layout.unit_at.get(position)
            if unit is not None:
                event = trace.events[position]
                assert isinstance(event, ToolResult)  # noqa: S101  only these were taken
                self._ended[unit] = position
                self._add(unit, event)

    def _add(self, unit: int, result: ToolResult) -> None:
        texts: list[str] = []
        for path, leaf in _result_leaves(result):
            text = _text(leaf)
            if not text:
                continue
            texts.append(text)
            if _is_id(path):
                _note(self._by_id, text.strip(), unit)
            if path or not isinstance(leaf, str):
                self._add_leaf(unit, text.strip(), named_id=_is_id(path))
            elif "\n" in text or ":" in text or "=" in text:
                for found in _ID_IN_TEXT.finditer(text):
                    _note(self._by_id, found[1], unit)
        self._texts[unit] = "\n".join(texts)
        for word in sorted(set(_WORD.findall(self._texts[unit]))):
            _note(self._by_word, word, unit)

    def _add_leaf(self, unit: int, text: str, *, named_id: bool) -> None:
        short_id = named_id and len(text) > 2 and any(char.isdigit() for char in text)
        if (len(text) < _LEAST_CHARS and not short_id) or len(text) > _LONGEST_LEAF:
            return
        words = _WORD.findall(text)
        if words:
            _note(self._leaves.setdefault(max(words, key=len), {}), text, unit)

    def holders_of_leaf(self, path: NodePath, leaf: Json, before: int) -> frozenset[int]:
        """Return the earlier units whose results hold an argument, or parts of it."""
        text = _text(leaf).strip()
        found: set[int] = set()
        if len(text) >= _LEAST_CHARS:
            found |= self._holders(text, before)
            if isinstance(leaf, str) and any(char.isspace() for char in text):
                found |= self.holders_in_text(text, before)
        elif text and _is_id(path):
            found |= self._earlier(self._by_id.get(text, {}), before)
        return frozenset(found)

    def holders_in_text(self, text: str, before: int) -> frozenset[int]:
        """Return the earlier units that a longer text quotes."""
        found: set[int] = set()
        for word in sorted(set(_WORD.findall(text))):
            for leaf, units in self._leaves.get(word, {}).items():
                if leaf in text:
                    found |= self._earlier(units, before)
        for match in sorted(set(_DATA.findall(text))):
            value = match.strip(".:/-+")
            if len(value) >= _LEAST_CHARS and _looks_like_data(value):
                found |= self._holders(value, before)
        return frozenset(found)

    def _holders(self, value: str, before: int) -> set[int]:
        words = _WORD.findall(value)
        if not value.isascii() or not words:  # scripts without blanks have no word to look up
            units: Iterable[int] = (u for u, text in self._texts.items() if value in text)
        else:
            rarest, *others = sorted((self._by_word.get(w, {}) for w in set(words)), key=len)
            units = (
                unit
                for unit in rarest
                if all(unit in other for other in others)
                and (len(words) == 1 or value in self._texts[unit])
            )
        return self._earlier(units, before)

    def _earlier(self, units: Iterable[int], before: int) -> set[int]:
        """Keep the units whose results were there; of vocabulary only the latest."""
        known = [unit for unit in units if self._ended[unit] < before]
        return {max(known, key=self._ended.__getitem__)} if len(known) > _VOCABULARY else set(known)


def _note(holders: _Holders, value: str, unit: int) -> None:
    holders.setdefault(value, {})[unit] = None


def _result_leaves(result: ToolResult) -> Iterator[tuple[NodePath, Json]]:
    """Yield the scalars of a result and its error; a plain text has the empty path."""
    if not isinstance(result.result, Absent):
        yield from leaves(result.result)
    elif result.result_raw is not None:
        yield (), result.result_raw
    if result.operation_id is not None:
        yield ("operation_id",), result.operation_id
    error = result.error
    if error is not None:
        yield (), error.message
        yield from ((("headers", name), text) for name, text in sorted(error.headers.items()))
        if not isinstance(error.body, Absent):
            yield from leaves(error.body)


def _text(leaf: Json) -> str:
    """Return a leaf as it would stand in a text; nothing for true, false and null."""
    match leaf:
        case bool() | None:
            return ""
        case float() if leaf.is_integer():
            return str(int(leaf))
        case str():
            return leaf
        case _:
            return str(leaf)


def _is_id(path: NodePath) -> bool:
    """Whether the nearest key of a path names an id."""
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    return _ID_KEY.search(key) is not None


def _looks_like_data(value: str) -> bool:
    return "@" in value or any(char.isdigit() for char in value)
