"""OTLP documents cut into records of one span or one log record.

Each keeps its exact bytes inside its own envelope, so that a record is an OTLP document again:
what the file says once of a resource or a scope travels with every span.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from workbench.ingest.records.parts import PartMap
from workbench.ingest.records.piece import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.ingest.records.jsontext import Step
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "LEVELS",
    "RECORD_KEYS",
    "Enveloped",
    "enveloped",
    "holds_spans",
    "is_sdk_record",
    "spans_of",
    "the_one",
]

LEVELS: Final = (
    ("resourceSpans", "scopeSpans", "spans"),
    ("resourceLogs", "scopeLogs", "logRecords"),
    ("resource_spans", "scope_spans", "spans"),
    ("resource_logs", "scope_logs", "log_records"),
    ("resourceSpans", "instrumentationLibrarySpans", "spans"),
)
"""Names of the three levels, for spans and for log records; the last is of OTLP before 0.15."""

_NAMES: Final = frozenset(levels[0] for levels in LEVELS)
_LEVELS_OF: Final = {
    name: tuple(levels for levels in LEVELS if levels[0] == name) for name in _NAMES
}

RECORD_KEYS: Final = _NAMES | {"context", "event_name"}
"""A span or log record has one of these keys: its document's, or those of an SDK's."""


class Enveloped(Struct, frozen=True, kw_only=True):
    """One span or log record inside its document."""

    levels: tuple[str, str, str]
    """Names of the three levels on the way to it."""
    body: Json
    resource: JsonMap
    """What stands on the first level, the resource and all below it."""
    scope: JsonMap
    """What stands on the second."""


def holds_spans(value: Json) -> bool:
    """Whether a value is an OTLP document that is not one record already."""
    return isinstance(value, dict) and enveloped(value) is None and _is_document(value)


def _is_document(value: JsonMap) -> bool:
    return any(isinstance(value.get(levels[0]), list) for levels in LEVELS)


def the_one(value: Json) -> tuple[tuple[Step, ...], tuple[str, str, str]] | None:
    """Return the path to the one span or log record of a document, and its levels' names.

    None: it is no document, or holds another number of them.
    """
    found = enveloped(value)
    if found is None:
        return None
    levels = found.levels
    return (levels[0], 0, levels[1], 0, levels[2], 0), levels


def enveloped(value: Json) -> Enveloped | None:
    """Return the one span or log record of a document with what stands around it.

    None: it is no document, or holds another number of them.
    """
    if not isinstance(value, dict) or _NAMES.isdisjoint(value):
        return None
    names = [name for name, item in value.items() if name in _NAMES and isinstance(item, list)]
    for levels in _LEVELS_OF[names[0]] if len(names) == 1 else ():
        outer = _only(value[levels[0]])
        inner = None if outer is None else _only(outer.get(levels[1]))
        last = None if inner is None else inner.get(levels[2])
        if outer is not None and inner is not None and isinstance(last, list) and len(last) == 1:
            return Enveloped(levels=levels, body=last[0], resource=outer, scope=inner)
    return None


def _only(items: Json) -> JsonMap | None:
    """Return the one mapping that a list holds; None: it holds another number, or is no list."""
    if isinstance(items, list) and len(items) == 1 and isinstance(items[0], dict):
        return items[0]
    return None


def is_sdk_record(value: Json) -> bool:
    """Whether a value is a span or log record as an SDK's `to_json` prints it."""
    if not isinstance(value, dict):
        return False
    context = value.get("context")
    if isinstance(context, dict) and "trace_id" in context and "span_id" in context:
        return "start_time" in value and "attributes" in value
    return "trace_id" in value and "span_id" in value and "event_name" in value and "body" in value


def spans_of(document: Piece) -> Iterator[Piece]:
    """Yield the spans and log records of a document, each as a document of its own."""
    parts = document.parts or PartMap(document.raw)
    value = document.value
    assert isinstance(value, dict)  # noqa: S101  the container was recognised
    for levels in LEVELS:
        for at, outer in enumerate(_maps(value.get(levels[0]))):
            yield from _cut(parts, outer, (levels[0], at), levels)


def _maps(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _cut(
    parts: PartMap,
    outer: Json,
    path: tuple[Step, ...],
    levels: tuple[str, str, str],
) -> Iterator[Piece]:
    if not isinstance(outer, dict):
        return
    head = _members(parts, path, outer, without=levels[1])
    for at, inner in enumerate(_maps(outer.get(levels[1]))):
        if not isinstance(inner, dict):
            continue
        below = (*path, levels[1], at)
        around = _members(parts, below, inner, without=levels[2])
        for n, item in enumerate(_maps(inner.get(levels[2]))):
            span = parts.span((*below, levels[2], n))
            assert span is not None  # noqa: S101  the value was read from this text
            scope = {**_rest(inner, levels[2]), levels[2]: [item]}
            yield Piece(
                raw=b"".join(
                    (
                        f'{{"{levels[0]}":[{{{head}"{levels[1]}":[{{{around}"{levels[2]}":['.encode(),
                        parts.raw[span[0] : span[1]],
                        b"]}]}]}",
                    )
                ),
                value={levels[0]: [{**_rest(outer, levels[1]), levels[1]: [scope]}]},
            )


def _members(parts: PartMap, path: tuple[Step, ...], value: JsonMap, *, without: str) -> str:
    """Return the exact text of a mapping's members but one, each with a comma behind it."""
    return "".join(
        f"{json.dumps(key)}:{parts.text((*path, key))}," for key in _rest(value, without)
    )


def _rest(value: JsonMap, without: str) -> JsonMap:
    return {key: item for key, item in value.items() if key != without}
