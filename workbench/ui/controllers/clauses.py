"""Documents of clauses: the three that most incidents need, and how two are joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.contract import load_contract
from workbench.casefile.layout import format_mapping
from workbench.casefile.strict_yaml import load_yaml
from workbench.errors import InputError
from workbench.review.edit import comments_of, with_comments

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["PRESET", "joined", "merged", "preset"]

PRESET = ("forbidden", "evidence", "final")
"""Fields of the preset."""


def preset(*, forbidden: str = "", evidence: str = "", final: str = "") -> JsonMap:
    """Return the clauses that most incidents need; what is empty is left out.

    Args:
        forbidden: a call that must never happen, e.g. `billing.pause#unknown`.
        evidence: what success requires, e.g. `billing.get_operation.status == completed`.
        final: what must hold at the end, e.g. `state.plan.status == paused`.

    Raises:
        InputError: all are empty.

    >>> preset(forbidden="mail.send", final="claim == unresolved")
    {'forbid_call': ['mail.send'], 'states': {'wanted': ['claim == unresolved']}, 'final_state': ['wanted']}
    """
    document: JsonMap = {}
    if forbidden.strip():
        document["forbid_call"] = [forbidden.strip()]
    if evidence.strip():
        document["success_requires"] = [evidence.strip()]
    if final.strip():
        document["states"] = {"wanted": [final.strip()]}
        document["final_state"] = ["wanted"]
    if not document:
        message = "is empty; expected a forbidden call, evidence or a final state"
        raise InputError(message, key="preset", fix="fill in one of the three")
    load_contract(document)
    return document


def merged(now: JsonMap, added: JsonMap) -> JsonMap:
    """Return a contract document with the clauses of another; what is there stays.

    >>> merged({"must_call": "a"}, {"must_call": ["a", "b"], "max_calls": {"a": 1}})
    {'must_call': ['a', 'b'], 'max_calls': {'a': 1}}
    """
    found = dict(now)
    for key, value in added.items():
        old = found.get(key)
        if old is None:
            found[key] = value
        elif isinstance(old, dict) and isinstance(value, dict):
            found[key] = {**value, **old}
        elif not isinstance(old, dict) and not isinstance(value, dict):
            found[key] = _together(old, value)
    return found


def _together(old: Json, value: Json) -> list[Json]:
    """A scalar stands for a list of one."""
    first = old if isinstance(old, list) else [old]
    second = value if isinstance(value, list) else [value]
    return [*first, *(item for item in second if item not in first)]


def joined(text: str, added: JsonMap, *, name: str) -> str:
    """Return a contract's text with the clauses of a document; comments stay.

    Args:
        text: YAML, as it is typed.
        added: clauses.
        name: of the text, for errors.

    Raises:
        InputError: the text is no mapping that clauses can be added to.
    """
    lines = text.splitlines()
    if all(not line.strip() or line.lstrip().startswith("#") for line in lines):
        return "".join(f"{line}\n" for line in lines if line.strip()) + format_mapping(added)
    now, place = load_yaml(text, name=name)
    if not isinstance(now, dict):
        raise place.error("", "is no mapping; expected clauses", fix="empty the text")
    return with_comments(format_mapping(merged(now, added)), comments_of(text, name=name))
