"""What a tool's JSON Schema asks for stays, wherever the schema says so."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import jsonschema_rs
import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.shrink.rules import a_judge, forbidden
from workbench.model.event import ToolCall
from workbench.model.trace import Effect, Tool, Trace
from workbench.shrink import shrink_trace
from workbench.shrink.nodes import cut, loose_nodes
from workbench.shrink.requirements import required_paths

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

ORDER: JsonMap = {
    "$ref": "#/$defs/order",
    "$defs": {
        "order": {
            "required": ["lines", "to"],
            "properties": {
                "lines": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/line"}},
                "to": {"allOf": [{"required": ["city"]}, {"required": ["street"]}]},
                "gift": {"required": ["text"]},
                "next": {"$ref": "#"},
            },
        },
        "line": {"required": ["sku"]},
    },
}
VALUE: JsonMap = {
    "lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}],
    "to": {"city": "X", "street": "Y", "floor": 3},
    "gift": {"text": "hi", "paper": "red"},
    "note": "soon",
}


def test_references_parts_and_items_are_followed() -> None:
    """Only the top level was read, so what a reference asked for was cut."""
    assert sorted(required_paths(ORDER, VALUE), key=str) == sorted(
        [
            ("lines",),
            ("to",),
            ("lines", 0),
            ("lines", 0, "sku"),
            ("lines", 1, "sku"),
            ("to", "city"),
            ("to", "street"),
            ("gift", "text"),
        ],
        key=str,
    )


def test_whatever_is_cut_is_still_valid() -> None:
    """Each node that may go, alone and all together, leaves a call that the tool takes."""
    valid = jsonschema_rs.validator_for(ORDER)
    loose = loose_nodes(VALUE, firm=required_paths(ORDER, VALUE), whole=[])
    topmost = [p for p in loose if not any(p[:n] in loose for n in range(1, len(p)))]

    assert ("gift",) in loose
    assert ("lines", 1) in loose
    assert all(valid.is_valid(cut(VALUE, [path])) for path in loose)
    assert valid.is_valid(cut(VALUE, topmost))


@pytest.mark.parametrize(
    ("schema", "value", "paths"),
    [
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1, "c": 2}, [("a",)]),
        ({"oneOf": [{"$ref": "#/$defs/x"}, {}], "$defs": {"x": {"required": ["a"]}}}, {"a": 1},
         [("a",)]),
        ({"anyOf": [{"required": ["a"]}, True, {"$ref": "#/no"}]}, "text", []),
        ({"additionalProperties": {"required": ["k"]}}, {"x": {"k": 1}}, [("x", "k")]),
        ({"prefixItems": [{"required": ["k"]}], "items": {"required": ["m"]}},
         [{"k": 1, "m": 1}, {"k": 1, "m": 1}], [(0, "k"), (1, "m")]),
        ({"items": [{"required": ["k"]}], "additionalItems": {"required": ["m"]}},
         [{"k": 1, "m": 1}, {"k": 1, "m": 1}], [(0, "k"), (1, "m")]),
        ({"$ref": "#/a~1b/0", "a/b": [{"required": ["k"]}]}, {"k": 1}, [("k",)]),
        ({"$ref": "#/list/7", "list": []}, {"k": 1}, []),
        ({"$ref": "https://schemas.example/x"}, {"k": 1}, []),
        ({"$ref": 7, "required": "k", "allOf": 3, "properties": [], "minItems": True}, {"k": 1},
         []),
        ({"$ref": "#"}, {"k": 1}, []),
        ({"anyOf": [{"$ref": "#/anyOf/0"}]}, {"k": 1}, []),
    ],
)  # fmt: skip
def test_what_is_asked_for(
    schema: JsonMap, value: Json, paths: list[tuple[str | int, ...]]
) -> None:
    """Branches count when their keys are there; what is odd or elsewhere asks for nothing."""
    assert sorted(required_paths(schema, value), key=str) == paths


def test_a_schema_that_refers_to_itself_ends() -> None:
    """It is as deep as the value, and nothing is cut below 64 levels."""
    value: Json = {}
    for _ in range(5000):
        value = {"next": value}

    found = required_paths({"properties": {"next": {"$ref": "#"}}, "required": ["next"]}, value)

    assert 64 <= len(found) <= 66


def test_a_shrunk_call_is_still_one_that_the_tool_takes() -> None:
    """Otherwise the case would show a validation error instead of the failure."""
    trace = a_trace(a_user(), a_call("order.place", args=VALUE), a_claim("bye"))
    tool = Tool(name="order.place", effect=Effect.WRITE, schema=ORDER)
    trace = Trace(run_id="r", tools=(tool,), events=trace.events)

    shrunk = shrink_trace(trace, a_judge(partial(forbidden, tool="order.place")))

    (call,) = (e for e in shrunk.trace.events if isinstance(e, ToolCall))
    assert call.args == {"lines": [{"sku": "a"}], "to": {"city": "X", "street": "Y"}}
