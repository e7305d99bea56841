"""Model values to JSON and back, driven by their type hints.

One rule for every format of ours: a field that is at its default (`None`, `ABSENT`, empty) is not
written, but a recorded `null` is; an unknown field is an error that names the nearest valid one; a wrong type is an error
that says where, what it is and what was expected. Errors never show a text of the input, only
its type and length.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from workbench.casefile.place import Place, describe, nearest, step_key
from workbench.model.event import EVENT_TYPES
from workbench.model.jsonvalue import Absent, Json, JsonMap
from workbench.model.verdict import First, Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.errors import CaseFormatError

__all__ = [
    "decode",
    "encode",
    "encode_fields",
    "hints_of",
]

Value = TypeVar("Value")
Reader: TypeAlias = Callable[[Any, Json, "Place", str], object]

_PLAIN_HINTS = (Json, Json | Absent, JsonMap, JsonMap | None)
"""Types of fields that hold plain JSON: written as they are, however deep."""

_SCALARS = frozenset({str, int, float, bool, types.NoneType})


# --- values to JSON ----------------------------------------------------------


def encode(value: object) -> Json:
    """Return a model value as plain JSON, without fields at their defaults."""
    if type(value) in _SCALARS:
        return cast("Json", value)
    match value:
        case Signature():
            return _encode_signature(value)
        case Enum():
            return cast("str", value.value)
        case tuple():
            return [encode(item) for item in value]
        case dict():
            return {_key_text(key): encode(item) for key, item in value.items()}
        case _ if is_dataclass(value):
            return encode_fields(value)
        case _:
            return cast("Json", value)


def _key_text(key: object) -> str:
    return str(key.value) if isinstance(key, Enum) else str(key)


def encode_fields(value: Any) -> JsonMap:  # noqa: ANN401  any dataclass
    """Return a dataclass of the model as a JSON mapping."""
    found: JsonMap = {}
    kind = getattr(type(value), "kind", None)
    for name, key, default, is_plain in _written(cast("type", type(value))):
        item = getattr(value, name)
        if item is default or (type(item) is type(default) and item == default):
            continue
        found[key] = item if is_plain else encode(item)
        if kind is not None and name == "seq":
            found["kind"] = kind
    return found


@lru_cache(maxsize=256)
def _written(cls: type) -> tuple[tuple[str, str, object, bool], ...]:
    """Return of each field its name, its key, the default that is not written, and if it is JSON."""
    hints = hints_of(cls)
    return tuple(
        (entry.name, _json_key(entry), _default(entry), hints[entry.name] in _PLAIN_HINTS)
        for entry in fields(cls)
    )


def _default(entry: Field[Any]) -> object:
    """Return the default of a field; `MISSING`, which no value is: it is always written."""
    if entry.name == "seq":
        return MISSING
    return entry.default if entry.default_factory is MISSING else entry.default_factory()


def _json_key(entry: Field[Any]) -> str:
    return cast("str", entry.metadata.get("key", entry.name))


def _encode_signature(signature: Signature) -> JsonMap:
    first = signature.first
    names: list[Json] = [*sorted(signature.clauses)]
    if first is None:
        return {"clauses": names, "first": None}
    return {"clauses": names, "first": [first.clause, first.kind, first.tool, first.outcome]}


# --- JSON to values ----------------------------------------------------------


def decode(hint: type[Value], value: Json, *, place: Place, key: str = "") -> Value:
    """Read a model value.

    Args:
        hint: the type wanted: a model class, or any type that a model field has.
        value: plain JSON.
        place: the document, for errors.
        key: dotted path to `value` in it.

    Raises:
        CaseFormatError: an unknown or missing field, or a wrong type, anywhere below `value`.
    """
    return cast("Value", _decode(hint, value, place, key))


def _decode(hint: Any, value: Json, place: Place, key: str) -> object:  # noqa: ANN401
    return _reader(hint)(hint, value, place, key)


@lru_cache(maxsize=1024)
def _reader(hint: Any) -> Reader:  # noqa: ANN401  any type of a model field
    """Return the function that reads a type, `(hint, value, place, key)`."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _union_reader(typing.get_args(hint))
    if origin in (tuple, frozenset):
        return _decode_sequence
    if origin is dict or hint is dict:
        return _decode_mapping
    if hint is Any:
        return _take_any
    if hint is Signature:
        return _decode_signature
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _decode_enum
    return _decode_fields if is_dataclass(hint) else _decode_scalar


def _union_reader(members: Sequence[Any]) -> Reader:
    if Absent in members or any(typing.get_origin(member) is list for member in members):
        return _take_any
    others = [member for member in members if member is not type(None)]
    if len(others) == 1:
        return _decode_optional
    return _decode_event if all(map(is_dataclass, others)) else _decode_choice


def _take_any(_: Any, value: Json, __: Place, ___: str) -> object:  # noqa: ANN401
    return value


def _decode_optional(hint: Any, value: Json, place: Place, key: str) -> object:  # noqa: ANN401
    if value is None:
        return None
    first, second = typing.get_args(hint)
    return _decode(first if second is type(None) else second, value, place, key)


def _decode_choice(hint: Any, value: Json, place: Place, key: str) -> object:  # noqa: ANN401
    members = typing.get_args(hint)
    if type(value) in members:
        return value
    raise _wrong(value, " or ".join(_name(member) for member in members), place, key)


def _decode_event(_: Any, value: Json, place: Place, key: str) -> object:  # noqa: ANN401
    if not isinstance(value, dict):
        raise _wrong(value, "an event, a mapping with `kind`", place, key)
    kind = value.get("kind")
    cls = EVENT_TYPES.get(kind) if isinstance(kind, str) else None
    if cls is None:
        near = nearest(kind, EVENT_TYPES) if isinstance(kind, str) else None
        raise place.error(
            step_key(key, "kind"),
            f"is {describe(kind)}; expected one of {', '.join(EVENT_TYPES)}",
            fix=None if near is None else f"write {near}",
        )
    return _decode_fields(
        cls, {name: item for name, item in value.items() if name != "kind"}, place, key
    )


def _decode_sequence(hint: Any, value: Json, place: Place, key: str) -> object:  # noqa: ANN401
    if not isinstance(value, list):
        raise _wrong(value, "a list", place, key)
    origin = cast("type", typing.get_origin(hint))
    members = typing.get_args(hint)
    if len(members) == 2 and members[1] is Ellipsis:
        members = (members[0],) * len(value)
    elif origin is frozenset:
        members = members * len(value)
    if len(members) != len(value):
        raise _wrong(value, f"a list of {len(members)}", place, key)
    items = (
        _decode(member, item, place, step_key(key, at))
        for at, (member, item) in enumerate(zip(members, value, strict=True))
    )
    return origin(items)


def _decode_mapping(hint: Any, value: Json, place: Place, key: str) -> object:  # noqa: ANN401
    if not isinstance(value, dict):
        raise _wrong(value, "a mapping", place, key)
    names, items = typing.get_args(hint) or (str, Any)
    return {
        _decode(names, name, place, step_key(key, name)): _decode(
            items, item, place, step_key(key, name)
        )
        for name, item in value.items()
    }


def _decode_enum(hint: Any, value: Json, place: Place, key: str) -> object:  # noqa: ANN401
    try:
        return hint(value)
    except ValueError:
        known = [str(member.value) for member in hint]
        near = nearest(value, known) if isinstance(value, str) else None
        raise place.error(
            key,
            f"is {describe(value)}; expected one of {', '.join(known)}",
            fix=None if near is None else f"write {near}",
        ) from None


@lru_cache(maxsize=256)
def hints_of(cls: type) -> dict[str, Any]:
    """Return the type of each field of a model class."""
    return typing.get_type_hints(cls)


@dataclass(frozen=True, slots=True, kw_only=True)
class _FieldPlan:
    """What reading one field of a class needs to know."""

    name: str
    hint: Any
    required: bool
    null_is_absent: bool


@lru_cache(maxsize=256)
def _plans(cls: type) -> dict[str, _FieldPlan]:
    """Return the fields of a class by their names in JSON."""
    hints = hints_of(cls)
    return {
        _json_key(entry): _FieldPlan(
            name=entry.name,
            hint=hints[entry.name],
            required=entry.default is MISSING and entry.default_factory is MISSING,
            null_is_absent=entry.default is None
            and type(None) in typing.get_args(hints[entry.name]),
        )
        for entry in fields(cls)
    }


def _decode_fields(hint: Any, value: Json, place: Place, key: str) -> object:  # noqa: ANN401
    if not isinstance(value, dict):
        raise _wrong(value, "a mapping", place, key)
    plans = _plans(hint)
    found: dict[str, object] = {}
    for name, item in value.items():
        plan = plans.get(name)
        if plan is None:
            near = nearest(name, plans)
            raise place.error(
                step_key(key, name),
                f"is not a field here; expected one of {', '.join(plans)}",
                fix="remove it" if near is None else f"write {near}",
            )
        if item is not None or not plan.null_is_absent:
            found[plan.name] = _decode(plan.hint, item, place, step_key(key, name))
    for name, plan in plans.items():
        if plan.required and plan.name not in found:
            raise place.error(step_key(key, name), "is missing; it is required", fix=f"add {name}")
    return hint(**found)


def _decode_signature(_: Any, value: Json, place: Place, key: str) -> Signature:  # noqa: ANN401
    if not isinstance(value, dict) or set(value) != {"clauses", "first"}:
        raise _wrong(value, "a mapping of `clauses` and `first`", place, key)
    clauses = _decode(frozenset[str], value["clauses"], place, step_key(key, "clauses"))
    first = value["first"]
    at = step_key(key, "first")
    if first is None:
        return Signature(clauses=cast("frozenset[str]", clauses))
    if not (
        isinstance(first, list) and len(first) == 4 and all(isinstance(i, str) for i in first[:2])
    ):
        raise _wrong(first, "a list of clause, kind, tool and outcome", place, at)
    clause, kind, tool, outcome = (
        _decode(str if n < 2 else (str | None), item, place, step_key(at, n))
        for n, item in enumerate(first)
    )
    return Signature(
        clauses=cast("frozenset[str]", clauses),
        first=First(
            clause=cast("str", clause),
            kind=cast("str", kind),
            tool=cast("str | None", tool),
            outcome=cast("str | None", outcome),
        ),
    )


def _decode_scalar(hint: Any, value: Json, place: Place, key: str) -> object:  # noqa: ANN401
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return value  # stays an integer, so that it is written back as it was
    if type(value) is not hint:
        raise _wrong(value, _name(hint), place, key)
    return value


def _name(hint: type) -> str:
    names = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}
    return names.get(hint, "a mapping")


def _wrong(value: Json, want: str, place: Place, key: str) -> CaseFormatError:
    return place.error(key, f"is {describe(value)}; expected {want}")
