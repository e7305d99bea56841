"""Literals of a contract: what is replaced, and what is a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from workbench.casefile.contract import parse_contract
from workbench.casefile.place import Place
from workbench.redact.literals import fill_contract

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap
    from workbench.redact.slots import Slot

DOCUMENT: JsonMap = {
    "must_call": ["crm.get"],
    "forbid_call": [
        {"tool": "pay", "where": ["to == ann", 'note contains "ann"'], "class": "executed"},
        {"tool": "pay", "where": ['to matches "^ann"', "memo exists"]},
    ],
    "max_calls": {"pay#unknown": 1},
    "order": [{"before": ["crm.get", {"tool": "pay", "where": ['to in ["ann", "bob"]']}]}],
    "args": {"pay": {"properties": {"to": {"const": "ann", "pattern": "^ann"}}}},
    "success_requires": [
        "crm.get.owner == ann",
        {"tool": "crm.get", "pred": "owner == ann", "args": ["id == ann"]},
    ],
    "states": {"done": ["crm.get.owner == ann"]},
    "final_state": ["done"],
    "answer": {"contains": ["ann"], "matches": ["ann"], "json_schema": {"enum": ["ann"]}},
    "claims": {"success": ["ann is done"], "tool": {"ann.*": "success"}},
    "names": {"must_call/1": "ann"},
}


def test_literals_are_filled_and_names_are_not() -> None:
    """A tool name that looks like a value must still select its calls."""
    literals: list[str] = []
    patterns: list[str] = []

    def fill(slot: Slot) -> str:
        (patterns if slot.is_pattern else literals).append(slot.text)
        return slot.text.replace("ann", "eve")

    done = fill_contract(DOCUMENT, fill)

    assert sorted(literals) == ['"ann"', '["ann", "bob"]', *["ann"] * 8]
    assert sorted(patterns) == ['"^ann"', "^ann", "ann", "ann is done"]
    assert done["must_call"] == ["crm.get"]
    assert done["max_calls"] == {"pay#unknown": 1}
    assert done["names"] == {"must_call/1": "ann"}
    assert done["final_state"] == ["done"]
    assert "ann" not in str([done["order"], done["success_requires"], done["states"]])


@pytest.mark.parametrize("document", [DOCUMENT])
def test_a_filled_contract_is_still_one(document: JsonMap) -> None:
    """It is parsed again by the one reader of contracts."""
    same = fill_contract(document, lambda slot: slot.text)

    assert same == document
    assert parse_contract(same, place=Place(name="c")).clauses
