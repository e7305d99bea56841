"""JSON Schemas that people write into contracts and tools: checked once, never fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import jsonschema_rs

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

__all__ = ["schema_problem"]


def schema_problem(schema: Json) -> str | None:
    """Say why a JSON Schema cannot be used; None: it can.

    References outside the schema are refused, never fetched. Patterns must suit the linear
    engine.
    """
    if not isinstance(schema, dict | bool):
        return "a JSON Schema is a mapping, true or false"
    try:
        jsonschema_rs.validator_for(
            schema, retriever=_refuse, pattern_options=jsonschema_rs.RegexOptions()
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        place = ".".join(map(str, getattr(error, "instance_path", ()))) or "its top"
        return f"it is no JSON Schema, or refers to what is not in it; see {place}"
    return None


def _refuse(_: str) -> NoReturn:
    raise ValueError
