"""The JSON Schema of a contract: the shapes of the grammar; its small texts stay texts.

Source:
    design page 03.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.clause_parts import REQUESTORS
from workbench.casefile.clauses import ANSWER_RULES, COUNTS, COVERS, MEASURES, ORDERS

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["contract_definitions", "contract_schema"]

_TEXT: JsonMap = {"type": "string", "minLength": 1}
_COUNT: JsonMap = {"type": "integer", "minimum": 0}
_TRUE: JsonMap = {"const": True}
_ANY_SCHEMA: JsonMap = {"type": ["object", "boolean"]}


def contract_definitions() -> JsonMap:
    """Return the schemas that `contract_schema` refers to, for `$defs`."""
    long_form = _closed({"tool": _TEXT, "pred": _TEXT, "args": _some(_TEXT)}, "tool pred")
    return {"selector": _selector(), "evidence": {"anyOf": [_TEXT, long_form]}}


def contract_schema() -> JsonMap:
    """Return the JSON Schema of the `contract` mapping of a case."""
    selector: JsonMap = {"$ref": "#/$defs/selector"}
    evidence: JsonMap = {"$ref": "#/$defs/evidence"}
    counts: JsonMap = {"type": "object", "additionalProperties": _COUNT}
    properties: JsonMap = {
        "must_call": _some(selector),
        "forbid_call": _some(selector),
        "only_call": _some(selector),
        "max_calls": counts,
        "min_calls": counts,
        "order": _some({"oneOf": [_order(kind, n, selector) for kind, n in ORDERS.items()]}),
        "args": {"type": "object", "additionalProperties": _ANY_SCHEMA},
        "success_requires": _some(evidence),
        "states": {"type": "object", "additionalProperties": _some(evidence)},
        "final_state": _some(_TEXT),
        "claims": _claims(),
        "answer": _closed({rule: _answer(rule) for rule in ANSWER_RULES}),
        "limits": _closed({name: _measure(name) for name in MEASURES}),
        "permissions": _some(
            _closed(
                {
                    "grant": selector,
                    "covers": {"enum": list(COVERS)},
                    "by": {"const": "other_actor"},
                },
                "grant covers",
            )
        ),
        "finishes": _TRUE,
        "names": {"type": "object", "additionalProperties": _TEXT},
    }
    return {**_closed(properties), "minProperties": 1}


def _some(item: JsonMap) -> JsonMap:
    """Return the schema of a list; a scalar is a list of one."""
    return {"anyOf": [{"type": "array", "items": item}, item]}


def _closed(properties: JsonMap, required: str = "") -> JsonMap:
    names: list[Json] = [*required.split()]
    return {
        "type": "object",
        **({"required": names} if names else {}),
        "additionalProperties": False,
        "properties": properties,
    }


def _selector() -> JsonMap:
    mapping = _closed(
        {
            "tool": _TEXT,
            "where": _some(_TEXT),
            "result": _some(_TEXT),
            "class": _TEXT,
            "agent": _TEXT,
            "by": {"enum": [str(word) for word in REQUESTORS]},
        },
        "tool",
    )
    return {"anyOf": [_TEXT, mapping]}


def _order(kind: str, size: int, selector: JsonMap) -> JsonMap:
    items: list[Json] = [selector] * size
    if kind == "at_most_after":
        items[-1] = _COUNT
    shape: JsonMap = {"type": "array", "prefixItems": items, "minItems": size, "maxItems": size}
    return _closed({kind: shape}, kind)


def _claims() -> JsonMap:
    words = ("success", "failure", "unresolved")
    tool: JsonMap = {"type": "object", "additionalProperties": {"enum": [*words]}}
    return _closed({**{word: _some(_TEXT) for word in words}, "tool": tool})


def _answer(rule: str) -> JsonMap:
    if rule == "json_schema":
        return _ANY_SCHEMA
    return _TRUE if rule == "quotes_results" else _some(_TEXT)


def _measure(name: str) -> JsonMap:
    return _COUNT if name in COUNTS else {"type": "number", "minimum": 0}
