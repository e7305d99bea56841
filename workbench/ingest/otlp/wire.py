"""How OTLP writes values: JSON's encoding of protobuf, with all its liberties.

64-bit integers may be strings, ids hex or base64, enums numbers or names, keys camelCase or
snake_case, attributes a list of pairs or (as the SDKs print them) a mapping.

Source:
    opentelemetry-proto 1.9, docs/specification "JSON Protobuf Encoding".
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["attributes_in", "field_in", "id_in", "integer_of", "list_in", "plain"]

_HEX: Final = re.compile(r"(?:0x)?([0-9a-fA-F]{16}|[0-9a-fA-F]{32})")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])([A-Z])")
_ID_BYTES: Final = (8, 16)


def field_in(value: Json, name: str) -> Json:
    """Return a field by its camelCase name, also where it is written in snake_case."""
    if not isinstance(value, dict):
        return None
    found = value.get(name)
    return value.get(_snake_case(name)) if found is None else found


@cache
def _snake_case(name: str) -> str:
    """Return one of our names of fields as Python writes it."""
    return _CAMEL.sub(r"_\1", name).lower()


def list_in(value: Json, name: str) -> list[Json]:
    """Return a repeated field; what is no list is empty."""
    found = field_in(value, name)
    return found if isinstance(found, list) else []


def integer_of(value: Json) -> int | None:
    """Return a 64-bit integer, which JSON may hold as a string."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if math.isfinite(value) else None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and len(value) < 25 and re.fullmatch(r"-?[0-9]+", value):
        return int(value)
    return None


def id_in(value: Json, name: str) -> str | None:
    """Return an id of a trace or span in lower-case hex; None: absent, invalid, or all zeros.

    >>> id_in({"spanId": "0xABCDEF0123456789"}, "spanId")
    'abcdef0123456789'
    >>> id_in({"spanId": "q83vASNFZ4k="}, "spanId")
    'abcdef0123456789'
    """
    text = field_in(value, name)
    if not isinstance(text, str):
        return None
    found = _HEX.fullmatch(text)
    digits = _from_base64(text) if found is None else found[1].lower()
    return digits if digits and digits.strip("0") else None


def _from_base64(text: str) -> str | None:
    if len(text) not in (12, 24):
        return None
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return data.hex() if len(data) in _ID_BYTES else None


def plain(value: Json) -> Json:
    """Return the value of an `AnyValue`; what is none is itself, as the SDKs print it."""
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((name, found),) = value.items()
        read = _KINDS.get(name)
        if read is not None and found is not None:
            return read(found)
    return value or None


def _array(value: Json) -> Json:
    return [plain(item) for item in list_in(value, "values")]


def _mapping(value: Json) -> Json:
    return attributes_in(value, "values")


def _itself(value: Json) -> Json:
    """Keep texts, booleans and numbers; `"NaN"` stays a text, since JSON has no such number."""
    return value


_READERS: Final[dict[str, Callable[[Json], Json]]] = {
    "stringValue": _itself,
    "intValue": integer_of,
    "boolValue": _itself,
    "doubleValue": _itself,
    "arrayValue": _array,
    "kvlistValue": _mapping,
    "bytesValue": _itself,
}
_KINDS: Final = {**_READERS, **{_snake_case(name): read for name, read in _READERS.items()}}


def attributes_in(value: Json, name: str = "attributes") -> JsonMap:
    """Return attributes as a mapping; of a key that occurs twice the last one counts."""
    found = field_in(value, name)
    if isinstance(found, dict):
        return {key: plain(item) for key, item in found.items()}
    pairs = found if isinstance(found, list) else []
    return {
        key: plain(pair.get("value"))
        for pair in pairs
        if isinstance(pair, dict) and isinstance(key := pair.get("key"), str)
    }
