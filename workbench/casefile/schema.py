"""JSON Schemas of `trace/1` and `replay-case/1`, generated from the model's type hints.

They say what a document of ours looks like, for editors and for exporters in other languages.
The loaders stay the judges: dates, ids and clauses that must fit one another are theirs.

Source:
    JSON Schema, draft 2020-12.
"""

from __future__ import annotations

import typing
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import Enum
from types import UnionType
from typing import TYPE_CHECKING, Any, Final

from workbench.casefile.case_document import CASE_KEYS, CASE_SCHEMA, REQUIRED_KEYS
from workbench.casefile.codec import hints_of
from workbench.casefile.contract_schema import contract_definitions, contract_schema
from workbench.casefile.trace import TRACE_SCHEMA
from workbench.model.case import Case, Fixture
from workbench.model.contract import Contract
from workbench.model.event import EVENT_TYPES
from workbench.model.jsonvalue import Absent
from workbench.model.trace import Trace
from workbench.model.verdict import Signature

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["case_schema", "trace_schema"]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_SCALARS: Final[dict[Any, JsonMap]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}
_KINDS: Final[dict[type, str]] = {cls: kind for kind, cls in EVENT_TYPES.items()}
_DATE: Final[JsonMap] = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
_FILLED: Final[JsonMap] = {"type": "string", "pattern": "[^ ]"}
_SLUG: Final[JsonMap] = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$"}


def trace_schema() -> JsonMap:
    """Return the JSON Schema of a `trace/1` document."""
    writer = _Writer()
    properties: JsonMap = {"schema": {"const": TRACE_SCHEMA}, **writer.properties(Trace)}
    return {
        "$schema": _DIALECT,
        "title": "trace/1: the record of one run of an agent",
        "type": "object",
        "required": ["schema", "run_id"],
        "additionalProperties": False,
        "properties": properties,
        "$defs": writer.definitions,
    }


def case_schema() -> JsonMap:
    """Return the JSON Schema of a `replay-case/1` document."""
    writer = _Writer()
    found = writer.properties(Case)
    expect: JsonMap = {
        "type": "object",
        "required": ["signature"],
        "additionalProperties": False,
        "properties": {
            name: found[name] for name in ("signature", "failing_version", "passing_version")
        },
    }
    special: JsonMap = {
        "schema": {"const": CASE_SCHEMA},
        "id": _SLUG,
        "title": _FILLED,
        "owner": _FILLED,
        "review_date": _DATE,
        "contract": contract_schema(),
        "expect": expect,
        "input": writer.input(),
        "paths": {**_mapping(found["paths"]), "minItems": 1},
        "gate": _gate(),
    }
    properties: JsonMap = {key: special.get(key, found.get(key)) for key in CASE_KEYS}
    return {
        "$schema": _DIALECT,
        "title": "replay-case/1: the case that guards against one incident",
        "type": "object",
        "required": list(REQUIRED_KEYS),
        "additionalProperties": False,
        "properties": properties,
        "$defs": {**writer.definitions, **contract_definitions()},
    }


def _mapping(value: Json) -> JsonMap:
    return value if isinstance(value, dict) else {}


def _gate() -> JsonMap:
    names: JsonMap = {"type": "array", "items": {"type": "string"}}
    soft: JsonMap = {
        "type": "object",
        "required": ["clauses"],
        "additionalProperties": False,
        "properties": {
            "clauses": {**names, "minItems": 1},
            "min_passes": {"type": "integer", "minimum": 1},
            "lower": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "confidence": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        },
    }
    live: JsonMap = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "trials": {"type": "integer", "minimum": 1},
            "hard": names,
            "soft": {"type": "array", "items": soft},
        },
    }
    return {
        "type": "object",
        "required": ["live"],
        "additionalProperties": False,
        "properties": {"live": live},
    }


@dataclass(slots=True)
class _Writer:
    """Turns types into schemas; each class is written once, under `$defs`."""

    definitions: JsonMap = field(default_factory=dict)

    def properties(self, cls: type) -> JsonMap:
        """Return the schemas of a class's fields by their names in JSON, but for contracts."""
        hints = hints_of(cls)
        return {
            _json_key(entry): self.of(hints[entry.name])
            for entry in fields(cls)
            if hints[entry.name] is not Contract
        }

    def input(self) -> JsonMap:
        """Return the schema of a case's input: messages with a role and a content."""
        message: JsonMap = {
            "type": "object",
            "required": ["role", "content"],
            "additionalProperties": False,
            "properties": {
                "role": {"enum": ["system", "user", "assistant"]},
                "content": {"type": "string"},
            },
        }
        return {
            "type": "object",
            "required": ["messages"],
            "additionalProperties": False,
            "properties": {
                "messages": {"type": "array", "minItems": 1, "items": message},
                "state": {"type": "object"},
            },
        }

    def of(self, hint: Any) -> JsonMap:  # noqa: ANN401  any type of a model field
        """Return the schema of a type."""
        origin, members = typing.get_origin(hint), typing.get_args(hint)
        if hint in _SCALARS:
            return dict(_SCALARS[hint])
        if origin in (typing.Union, UnionType):
            return self._union(members)
        if origin is tuple:
            return self._list(members)
        if origin is dict or hint is dict:
            return self._mapping(members)
        if hint is Signature:
            return _signature()
        if isinstance(hint, type) and issubclass(hint, Enum):
            return {"enum": [member.value for member in hint]}
        return self._reference(hint)

    def _union(self, members: tuple[Any, ...]) -> JsonMap:
        if Absent in members or any(typing.get_origin(member) is list for member in members):
            return {}  # any JSON value
        others = [member for member in members if member is not type(None)]
        if set(others) == set(EVENT_TYPES.values()):
            return {"oneOf": [self._reference(cls) for cls in EVENT_TYPES.values()]}
        (only,) = others
        return self.of(only)

    def _list(self, members: tuple[Any, ...]) -> JsonMap:
        if members[-1] is Ellipsis:
            return {"type": "array", "items": self.of(members[0])}
        items: list[Json] = [self.of(member) for member in members]
        size = len(items)
        return {"type": "array", "prefixItems": items, "minItems": size, "maxItems": size}

    def _mapping(self, members: tuple[Any, ...]) -> JsonMap:
        items = self.of(members[1]) if members and members[1] is not Any else {}
        return {"type": "object", **({"additionalProperties": items} if items else {})}

    def _reference(self, cls: type) -> JsonMap:
        if cls.__name__ not in self.definitions:
            self.definitions[cls.__name__] = {}  # seen, so that a cycle would end
            self.definitions[cls.__name__] = self._definition(cls)
        return {"$ref": f"#/$defs/{cls.__name__}"}

    def _definition(self, cls: type) -> JsonMap:
        properties = self.properties(cls)
        required: list[Json] = [_json_key(entry) for entry in fields(cls) if _is_required(entry)]
        kind = _KINDS.get(cls)
        if kind is not None:
            properties.pop("seq")
            place: JsonMap = {"type": "integer", "minimum": 0}
            properties = {"seq": place, "kind": {"const": kind}, **properties}
            required = ["seq", "kind", *required]
        if cls is Fixture:
            properties["times"] = {
                "anyOf": [{"type": "integer", "minimum": 1}, {"const": "any"}],
            }
        return {
            "description": (cls.__doc__ or "").partition("\n")[0],
            "type": "object",
            **({"required": required} if required else {}),
            "additionalProperties": False,
            "properties": properties,
        }


def _json_key(entry: Field[Any]) -> str:
    return typing.cast("str", entry.metadata.get("key", entry.name))


def _is_required(entry: Field[Any]) -> bool:
    return entry.default is MISSING and entry.default_factory is MISSING


def _signature() -> JsonMap:
    text: JsonMap = {"type": "string"}
    perhaps: JsonMap = {"type": ["string", "null"]}
    first: JsonMap = {
        "type": ["array", "null"],
        "prefixItems": [text, text, perhaps, perhaps],
        "minItems": 4,
        "maxItems": 4,
    }
    return {
        "type": "object",
        "required": ["clauses", "first"],
        "additionalProperties": False,
        "properties": {
            "clauses": {"type": "array", "uniqueItems": True, "items": text},
            "first": first,
        },
    }
