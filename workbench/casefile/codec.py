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
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast

from workbench.casefile.place import Place, describe, nearest, step_key
from workbench.model.event import EVENT_TYPES
from workbench.model.jsonvalue import Absent, Json, JsonMap
from workbench.model.verdict import First, Signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.errors import CaseFormatError

__all__ = [
    "decode",
    "encode",
    "encode_fields",
    "hints_of",
]

Value = TypeVar("Value")
Key: TypeAlias = "str | tuple[Key, str | int]"
"""A dotted path, or one and a step from there: it is only spelt for an error."""

Reader: TypeAlias = Callable[[Json, Place, Key], object]

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
    wanted: Any = hint
    return cast("Value", _reader(wanted)(value, place, key))


def _spelt(key: Key) -> str:
    """Return the dotted path of a key."""
    steps: list[str | int] = []
    while isinstance(key, tuple):
        key, step = key
        steps.append(step)
    for step in reversed(steps):
        key = step_key(key, step)
    return key


def _error(place: Place, key: Key, message: str, *, fix: str | None = None) -> CaseFormatError:
    return place.error(_spelt(key), message, fix=fix)


def _wrong(value: Json, want: str, place: Place, key: Key) -> CaseFormatError:
    return _error(place, key, f"is {describe(value)}; expected {want}")


@lru_cache(maxsize=1024)
def _reader(hint: Any) -> Reader:  # noqa: ANN401  any type of a model field
    """Return the function that reads a type."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return _union_reader(typing.get_args(hint))
    if origin in (tuple, frozenset):
        return _sequence_reader(cast("type", origin), typing.get_args(hint))
    if origin is dict or hint is dict:
        return _mapping_reader(*(typing.get_args(hint) or (str, Any)))
    if hint is Any:
        return _take_any
    if hint is Signature:
        return _decode_signature
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _enum_reader(hint)
    return _fields_reader(hint) if is_dataclass(hint) else _scalar_reader(hint)


def _union_reader(members: Sequence[Any]) -> Reader:
    if Absent in members or any(typing.get_origin(member) is list for member in members):
        return _take_any
    others = [member for member in members if member is not type(None)]
    if len(others) == 1:
        return _optional_reader(_reader(others[0]))
    return _decode_event if all(map(is_dataclass, others)) else _choice_reader(members)


def _take_any(value: Json, _: Place, __: Key) -> object:
    return value


def _optional_reader(inner: Reader) -> Reader:
    def read(value: Json, place: Place, key: Key) -> object:
        return None if value is None else inner(value, place, key)

    return read


def _choice_reader(members: Sequence[Any]) -> Reader:
    names = " or ".join(_name(member) for member in members)

    def read(value: Json, place: Place, key: Key) -> object:
        if type(value) in members:
            return value
        raise _wrong(value, names, place, key)

    return read


def _decode_event(value: Json, place: Place, key: Key) -> object:
    if not isinstance(value, dict):
        raise _wrong(value, "an event, a mapping with `kind`", place, key)
    kind = value.get("kind")
    cls: Any = EVENT_TYPES.get(kind) if isinstance(kind, str) else None
    if cls is None:
        near = nearest(kind, EVENT_TYPES) if isinstance(kind, str) else None
        raise _error(
            place,
            (key, "kind"),
            f"is {describe(kind)}; expected one of {', '.join(EVENT_TYPES)}",
            fix=None if near is None else f"write {near}",
        )
    fields_of = {name: item for name, item in value.items() if name != "kind"}
    return _reader(cls)(fields_of, place, key)


def _sequence_reader(origin: type, members: tuple[Any, ...]) -> Reader:
    if origin is frozenset or members[1:] == (Ellipsis,):
        return _list_reader(origin, _reader(members[0]), members[0])
    readers = [_reader(member) for member in members]

    def read(value: Json, place: Place, key: Key) -> object:
        if not isinstance(value, list):
            raise _wrong(value, "a list", place, key)
        if len(value) != len(readers):
            raise _wrong(value, f"a list of {len(readers)}", place, key)
        return origin(
            reader(item, place, (key, at))
            for at, (reader, item) in enumerate(zip(readers, value, strict=True))
        )

    return read


def _list_reader(origin: type, inner: Reader, member: Any) -> Reader:  # noqa: ANN401
    want = "a list of strings" if member is str else "a list"

    def read(value: Json, place: Place, key: Key) -> object:
        if not isinstance(value, list):
            raise _wrong(value, want, place, key)
        return origin([inner(item, place, (key, at)) for at, item in enumerate(value)])

    return read


def _mapping_reader(names: Any, items: Any) -> Reader:  # noqa: ANN401
    name_of, item_of = _reader(names), _reader(items)

    def read(value: Json, place: Place, key: Key) -> object:
        if not isinstance(value, dict):
            raise _wrong(value, "a mapping", place, key)
        return {
            name_of(name, place, (key, name)): item_of(item, place, (key, name))
            for name, item in value.items()
        }

    return read


def _enum_reader(hint: type[Enum]) -> Reader:
    members: dict[object, Enum] = {member.value: member for member in hint}
    known = [str(value) for value in members]

    def read(value: Json, place: Place, key: Key) -> object:
        found = members.get(value) if isinstance(value, str) else None
        if found is not None:
            return found
        near = nearest(value, known) if isinstance(value, str) else None
        raise _error(
            place,
            key,
            f"is {describe(value)}; expected one of {', '.join(known)}",
            fix=None if near is None else f"write {near}",
        )

    return read


@lru_cache(maxsize=256)
def hints_of(cls: type) -> dict[str, Any]:
    """Return the type of each field of a model class."""
    return typing.get_type_hints(cls)


class _FieldPlan(NamedTuple):
    """What reading one field of a class needs to know."""

    name: str
    read: Reader
    null_is_absent: bool


def _fields_reader(cls: Any) -> Reader:  # noqa: ANN401
    hints = hints_of(cls)
    plans = {
        _json_key(entry): _FieldPlan(
            name=entry.name,
            read=_reader(hints[entry.name]),
            null_is_absent=entry.default is None
            and type(None) in typing.get_args(hints[entry.name]),
        )
        for entry in fields(cls)
    }
    required = [
        (_json_key(entry), entry.name)
        for entry in fields(cls)
        if entry.default is MISSING and entry.default_factory is MISSING
    ]

    def read(value: Json, place: Place, key: Key) -> object:
        if not isinstance(value, dict):
            raise _wrong(value, "a mapping", place, key)
        found: dict[str, object] = {}
        for name, item in value.items():
            plan = plans.get(name)
            if plan is None:
                raise _unknown(name, plans, place, key)
            field, reader, null_is_absent = plan
            if item is not None or not null_is_absent:
                found[field] = reader(item, place, (key, name))
        for name, field in required:
            if field not in found:
                raise _error(place, (key, name), "is missing; it is required", fix=f"add {name}")
        return cls(**found)

    return read


def _unknown(name: str, known: Iterable[str], place: Place, key: Key) -> CaseFormatError:
    near = nearest(name, known)
    return _error(
        place,
        (key, name),
        f"is not a field here; expected one of {', '.join(known)}",
        fix="remove it" if near is None else f"write {near}",
    )


def _decode_signature(value: Json, place: Place, key: Key) -> Signature:
    if not isinstance(value, dict) or set(value) != {"clauses", "first"}:
        raise _wrong(value, "a mapping of `clauses` and `first`", place, key)
    clauses = cast(
        "frozenset[str]", _reader(frozenset[str])(value["clauses"], place, (key, "clauses"))
    )
    first = value["first"]
    at = (key, "first")
    if first is None:
        return Signature(clauses=clauses)
    if not (
        isinstance(first, list) and len(first) == 4 and all(isinstance(i, str) for i in first[:2])
    ):
        raise _wrong(first, "a list of clause, kind, tool and outcome", place, at)
    clause, kind, tool, outcome = (
        _reader(str if n < 2 else (str | None))(item, place, (at, n))
        for n, item in enumerate(first)
    )
    return Signature(
        clauses=clauses,
        first=First(
            clause=cast("str", clause),
            kind=cast("str", kind),
            tool=cast("str | None", tool),
            outcome=cast("str | None", outcome),
        ),
    )


def _scalar_reader(hint: type) -> Reader:
    def read(value: Json, place: Place, key: Key) -> object:
        if type(value) is hint:
            return value
        if hint is float and type(value) is int:
            return value  # stays an integer, so that it is written back as it was
        raise _wrong(value, _name(hint), place, key)

    return read


def _name(hint: type) -> str:
    names = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}
    return names.get(hint, "a mapping")
