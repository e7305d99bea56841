"""The JSON Schema of `results.json`, read off the values that a run is made of.

Every field is written, so every field is required, and one that may be unknown is null.

Source:
    JSON Schema, draft 2020-12.
"""

from __future__ import annotations

import typing
from dataclasses import dataclass, field, fields
from enum import Enum
from types import UnionType
from typing import Any, Final

from workbench.model.jsonvalue import Json, JsonMap
from workbench.model.trace import Trace
from workbench.runner.outcome import RunReport
from workbench.runner.reports.results import SCHEMA
from workbench.runner.strength import Strength

__all__ = ["results_schema"]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_NAMES: Final = {"JsonMap": JsonMap, "Strength": Strength, "Trace": Trace}
"""What `runner.outcome` imports for its type hints only."""
_SCALARS: Final[dict[Any, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
_TEXT: Final[JsonMap] = {"type": "string"}
_SIDE: Final[JsonMap] = {"type": ["object", "null"], "required": ["seq"]}
_PARTING: Final[JsonMap] = {
    "type": ["object", "null"],
    "required": ["run_id", "path", "expect", "what", "first", "second", "downstream", "sentence"],
    "properties": {
        **dict.fromkeys(("run_id", "path", "expect", "what", "sentence", "headline"), _TEXT),
        **dict.fromkeys(("first", "second"), _SIDE),
        "downstream": {"type": "array", "items": {"type": "integer"}},
        "beside": {
            "type": "array",
            "items": {"type": "object", "required": ["first", "second", "apart"]},
        },
    },
}
"""What `runner.parting` writes."""


def results_schema() -> JsonMap:
    """Return the JSON Schema of a `results/1` document."""
    writer = _Writer()
    report = writer.properties(RunReport)
    return {
        "$schema": _DIALECT,
        "title": "results/1: everything that a run of cases showed",
        "type": "object",
        "required": ["schema", *report],
        "additionalProperties": False,
        "properties": {"schema": {"const": SCHEMA}, **report},
        "$defs": writer.definitions,
    }


@dataclass(slots=True)
class _Writer:
    """Turns types into schemas; each class is written once, under `$defs`."""

    definitions: JsonMap = field(default_factory=dict)

    def properties(self, cls: type) -> JsonMap:
        """Return the schemas of a class's fields."""
        hints = typing.get_type_hints(cls, localns=_NAMES)
        return {entry.name: self.of(hints[entry.name]) for entry in fields(cls)}

    def of(self, hint: Any) -> JsonMap:  # noqa: ANN401  any type of a field
        """Return the schema of a type."""
        origin, members = typing.get_origin(hint), typing.get_args(hint)
        if hint in _SCALARS:
            return {"type": _SCALARS[hint]}
        if hint is Trace:
            return {"type": ["string", "null"]}
        if origin in (typing.Union, UnionType):
            return self._union([self.of(member) for member in members])
        if origin is tuple:
            return self._list(members)
        if origin is dict:
            return {"type": "object"}
        if issubclass(hint, Enum):
            return {"enum": [member.value for member in hint]}
        return self._reference(hint)

    def _union(self, members: list[JsonMap]) -> JsonMap:
        if all(set(member) == {"type"} for member in members):
            return {"type": [member["type"] for member in members]}
        return {"anyOf": [*members]}

    def _list(self, members: tuple[Any, ...]) -> JsonMap:
        if members[-1] is Ellipsis:
            return {"type": "array", "items": self.of(members[0])}
        items: list[Json] = [self.of(member) for member in members]
        return {
            "type": "array",
            "prefixItems": items,
            "minItems": len(items),
            "maxItems": len(items),
        }

    def _reference(self, cls: type) -> JsonMap:
        if cls.__name__ not in self.definitions:
            self.definitions[cls.__name__] = {}  # seen, so that a cycle would end
            properties = self.properties(cls)
            if "divergence" in properties:
                properties["divergence"] = dict(_PARTING)
            self.definitions[cls.__name__] = {
                "type": "object",
                "required": [*properties],
                "additionalProperties": False,
                "properties": properties,
            }
        return {"$ref": f"#/$defs/{cls.__name__}"}
