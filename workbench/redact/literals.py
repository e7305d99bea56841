"""The literals of a contract, which are replaced together with the trace.

Only what is compared with trace values is a literal: predicates after their operator, texts of `answer`, literals of
argument schemas. Tool names, clause ids and paths are not. A pattern that holds a value is refused: a person rewrites it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.casefile.grammar import parse_predicate
from workbench.redact.slots import Fill, Place, Slot, tree_slots

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["fill_contract"]

_TEXT_OF_SELECTORS: Final = (
    "must_call forbid_call only_call order permissions tool class agent by grant covers "
    "names limits final_state finishes max_calls min_calls before after never_between "
    "at_most_after immediately_after"
)
_SELECTORS: Final = frozenset(_TEXT_OF_SELECTORS.split())
_PREDICATES: Final = frozenset(["where", "result", "pred", "success_requires", "states"])
_PATTERNS: Final = frozenset(["matches", "not_matches", "claims", "pattern"])
_OPERATOR: Final = re.compile(
    r"\s(?P<op>==|!=|<=|>=|<|>|not\s+in|in|contains|matches)\s+", re.ASCII
)


def fill_contract(document: JsonMap, fill: Fill) -> JsonMap:
    """Rebuild a contract document, asking `fill` for the new text of every literal."""
    return {
        key: value if key == "names" else _clause(value, ("contract", key), fill, key)
        for key, value in document.items()
    }


def _clause(value: Json, place: Place, fill: Fill, role: str) -> Json:
    if isinstance(value, dict):
        return {
            key: _clause(item, (*place, key), fill, _role(role, key)) for key, item in value.items()
        }
    if isinstance(value, list):
        return [_clause(item, (*place, n), fill, role) for n, item in enumerate(value)]
    if not isinstance(value, str):
        return tree_slots(value, place, fill) if role == "schema" else value
    if role in _PATTERNS:
        return fill(Slot(place=place, text=value, is_pattern=True))
    if role in _PREDICATES:
        return _predicate(value, place, fill)
    return value if role in _SELECTORS else fill(Slot(place=place, text=value))


def _role(above: str, key: str) -> str:
    """Return how texts under a key are read, given how the texts around it are."""
    if above == "claims":
        return "tool" if key == "tool" else above
    if above in ("args", "json_schema", "schema"):
        return "pattern" if key == "pattern" else "schema"
    if above == "states" or (above == "success_requires" and key in ("pred", "args")):
        return "success_requires"
    if above == "success_requires":
        return key
    if key in _SELECTORS or key in _PREDICATES or key in _PATTERNS:
        return key
    return above if above in _SELECTORS else key


def _predicate(text: str, place: Place, fill: Fill) -> str:
    """Replace the literal behind the operator; `matches` has a pattern there.

    A literal is read under the keys of its path: `last_name == "Ng"` names a person.
    """
    match = _OPERATOR.search(text)
    if match is None:
        return text
    head, literal = text[: match.end()], text[match.end() :]
    if match["op"] == "matches":
        return head + fill(Slot(place=place, text=literal, is_pattern=True))
    hints = tuple(step for step in parse_predicate(text).path if isinstance(step, str))
    return head + fill(Slot(place=place, text=literal, hints=hints))
