"""What became of a tool is told by its place, and never taken for harmless by mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from tests.strategies import json_maps
from workbench.model.case import CaseTool
from workbench.model.trace import Effect, Tool
from workbench.review.tool_drift import Change, drifts

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

pytestmark = pytest.mark.desk

SCHEMA: JsonMap = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "of the plan"},
        "mode": {"enum": ["soft", "hard"]},
    },
    "required": ["id"],
}


def a_tool(schema: JsonMap | None = None, **changes: str) -> CaseTool:
    """Return a tool of a case."""
    fields = {"name": "billing.pause", "wire": "billing_pause", "description": "Pauses."}
    return CaseTool(
        **(fields | changes), effect=Effect.WRITE, schema=SCHEMA if schema is None else schema
    )


def told(schema: JsonMap, description: str = "Pauses.") -> list[tuple[str, str]]:
    """Return what is told of a tool whose schema is another one today."""
    now = Tool(name="billing_pause", description=description, schema=schema)
    return [(one.change.value, one.what) for one in drifts([a_tool()], [now])]


def changed(**properties: object) -> JsonMap:
    """Return the schema with other properties; None: without it."""
    found: dict[str, object] = {**SCHEMA["properties"], **properties}  # type: ignore[dict-item]
    kept = {name: value for name, value in found.items() if value is not None}
    return {**SCHEMA, "properties": kept}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (SCHEMA, []),
        (changed(mode=None), [("breaking", "mode is gone")]),
        (changed(days={"type": "integer"}), [("additive", "days is new")]),
        (
            changed(id={"type": "integer"}),
            [("breaking", "id.type is another one"), ("reworded", "id.description")][::-1],
        ),
        (changed(id={"type": "string", "description": "a plan"}), [("reworded", "id.description")]),
        (changed(mode={"enum": ["soft"]}), [("breaking", "mode.enum has lost values")]),
        (
            changed(mode={"enum": ["soft", "hard", "x"]}),
            [("additive", "mode.enum has more values")],
        ),
        (changed(mode={}), [("additive", "mode.enum is another one")]),
        (changed(id=True), [("breaking", "id is another one")]),
        ({**SCHEMA, "required": ["id", "mode"]}, [("breaking", "mode is required now")]),
        ({**SCHEMA, "required": []}, [("additive", "id is optional now")]),
        (
            {**SCHEMA, "additionalProperties": False},
            [("breaking", "additionalProperties is another one")],
        ),
    ],
)
def test_each_difference_has_its_place_and_its_weight(
    schema: JsonMap, wanted: list[tuple[str, str]]
) -> None:
    """A reviewer decides by what changed, not by that something did."""
    assert told(schema) == wanted


def test_what_a_schema_only_says_is_reworded_whatever_its_form() -> None:
    """A default refuses no call, be it a mapping; a schema that is called `default` may."""
    old: JsonMap = {
        "default": {"mode": "soft"},
        "examples": [1],
        "$defs": {"default": {"type": "string"}, "same": True},
    }
    new: JsonMap = {
        "default": {"mode": "hard", "days": 2},
        "examples": {"one": 1},
        "$defs": {"default": {"type": "integer"}, "same": True},
    }
    now = Tool(name="billing_pause", description="Pauses.", schema=new)

    assert [(one.change.value, one.what) for one in drifts([a_tool(old)], [now])] == [
        ("breaking", "$defs.default.type is another one"),
        ("reworded", "default"),
        ("reworded", "examples"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ({"const": 1}, {"const": True}, [("breaking", "const is another one")]),
        ({}, {"const": None}, [("breaking", "const is another one")]),
        ({"enum": [0]}, {"enum": [False]}, [("breaking", "enum has lost values")]),
        ({"const": 1}, {"const": 1.0}, []),
    ],
)
def test_values_are_compared_as_json(
    old: JsonMap, new: JsonMap, wanted: list[tuple[str, str]]
) -> None:
    """To Python `1` and `true` are one, and what is `null` is as if it were not there."""
    now = Tool(name="billing_pause", description="Pauses.", schema=new)

    found = [(one.change.value, one.what) for one in drifts([a_tool(old)], [now])]

    assert [one for one in found if one[0] != "additive"] == wanted


def test_a_reworded_and_a_gone_tool() -> None:
    """Names on a model's API have no dots; a tool that nobody offers is gone."""
    assert told(SCHEMA, "Stops.") == [("reworded", "its description")]
    (gone,) = drifts([a_tool()], [])
    assert (gone.change, gone.what) == (Change.GONE, "it is not offered any more")


@given(schema=json_maps())
def test_a_schema_has_not_drifted_from_itself(schema: JsonMap) -> None:
    """Whatever it says."""
    now = Tool(name="billing.pause", description="Pauses.", schema=schema)

    assert list(drifts([a_tool(schema)], [now])) == []
