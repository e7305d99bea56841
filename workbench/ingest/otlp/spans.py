"""Spans and log records in one shape, and the tree that spans make.

Spans arrive in the order in which they ended, shuffled, or twice. Here they stand in the order in
which they began, a parent before its children; of a span that came twice the fuller one counts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from workbench.ingest.events.times import Moment, moment_of
from workbench.ingest.files.otlp_records import enveloped, is_sdk_record
from workbench.ingest.otlp.wire import (
    attributes_in,
    field_in,
    id_in,
    integer_of,
    list_in,
    plain,
)
from workbench.ingest.records.shapes import map_in, text_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["Happening", "Span", "Tree", "log_of", "scope_of", "span_of", "trace_id_of"]

_ERRORS: Final = frozenset({2, "2", "STATUS_CODE_ERROR", "ERROR", "Error", "StatusCode.ERROR"})
_LATEST_NS: Final = 1 << 63


class Happening(Struct, frozen=True, kw_only=True):
    """A log record, or an event of a span."""

    ref: str
    name: str
    at: Moment | None = None
    attributes: JsonMap = {}
    body: Json = None
    trace_id: str | None = None
    span_id: str | None = None
    resource: JsonMap = {}


class Span(Struct, frozen=True, kw_only=True):
    """A timed node of the recorder's tree."""

    ref: str
    """`source_ref` of the span in the run's records."""
    trace_id: str | None = None
    span_id: str | None = None
    parent_id: str | None = None
    name: str = ""
    start: Moment | None = None
    end: Moment | None = None
    start_ns: int = _LATEST_NS
    """For the order only."""
    failed: bool = False
    status_message: str | None = None
    attributes: JsonMap = {}
    resource: JsonMap = {}
    scope: str = ""
    events: tuple[Happening, ...] = ()
    dropped: int = 0
    """Attributes that the recorder's limits dropped."""

    def text(self, *names: str) -> str | None:
        """Return the first of these attributes that is a text and not empty."""
        for name in names:
            value = self.attributes.get(name)
            if isinstance(value, str) and value:
                return value
        return None

    @property
    def exception(self) -> JsonMap:
        """Attributes of the last exception that was recorded."""
        found = [event for event in self.events if event.name == "exception"]
        return found[-1].attributes if found else {}


def trace_id_of(record: Json) -> str | None:
    """Return the trace that a record belongs to."""
    return id_in(_body(record)[0], "traceId") or id_in(map_in(record, "context"), "traceId")


def scope_of(record: Json) -> str:
    """Return the name of the library that wrote a record; empty: it is not said."""
    return text_in(map_in(_body(record)[2][1], "scope"), "name") or ""


def span_of(record: Json, ref: str) -> Span | None:
    """Read a record that is a span; None: it is none."""
    body, path, around = _body(record)
    if is_sdk_record(record):
        return _sdk_span(map_in(record), ref) if "context" in map_in(record) else None
    if not path or "log" in path[0].lower():
        return None
    times = [integer_of(field_in(body, name)) for name in ("startTimeUnixNano", "endTimeUnixNano")]
    place = f"{ref}.{'.0.'.join(path)}.0"
    status = map_in(body, "status")
    return Span(
        ref=place,
        trace_id=id_in(body, "traceId"),
        span_id=id_in(body, "spanId"),
        parent_id=id_in(body, "parentSpanId"),
        name=text_in(body, "name") or "",
        start=moment_of(times[0]),
        end=moment_of(times[1]),
        start_ns=times[0] or _LATEST_NS,
        failed=status.get("code") in _ERRORS if _hashable(status.get("code")) else False,
        status_message=text_in(status, "message"),
        attributes=attributes_in(body),
        resource=attributes_in(map_in(around[0], "resource")),
        scope=text_in(map_in(around[1], "scope"), "name")
        or text_in(map_in(around[1], "instrumentationLibrary"), "name")
        or "",
        events=tuple(_events(list_in(body, "events"), place)),
        dropped=integer_of(field_in(body, "droppedAttributesCount")) or 0,
    )


def log_of(record: Json, ref: str) -> Happening | None:
    """Read a record that is a log record; None: it is none."""
    body, path, around = _body(record)
    sdk = is_sdk_record(record) and "context" not in map_in(record)
    if not sdk and (not path or "log" not in path[0].lower()):
        return None
    attributes = attributes_in(body)
    at = moment_of(integer_of(field_in(body, "timeUnixNano")) or field_in(body, "timestamp"))
    seen = field_in(body, "observedTimeUnixNano")
    return Happening(
        ref=ref if sdk else f"{ref}.{'.0.'.join(path)}.0",
        name=_text(field_in(body, "eventName")) or _text(attributes.get("event.name")) or "",
        at=at or moment_of(integer_of(seen) or field_in(body, "observed_timestamp")),
        attributes=attributes,
        body=plain(field_in(body, "body")),
        trace_id=id_in(body, "traceId"),
        span_id=id_in(body, "spanId"),
        resource=attributes_in(map_in(around[0], "resource") or map_in(body, "resource")),
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _hashable(value: Json) -> bool:
    return not isinstance(value, dict | list)


def _body(record: Json) -> tuple[Json, tuple[str, ...], tuple[Json, Json]]:
    """Return the span or log record, the names on the way to it, and what stands around it."""
    found = enveloped(record)
    if found is None:
        return record, (), ({}, {})
    return found.body, found.levels, (found.resource, found.scope)


def _sdk_span(record: JsonMap, ref: str) -> Span:
    context = map_in(record, "context")
    status = map_in(record, "status")
    start, end = moment_of(record.get("start_time")), moment_of(record.get("end_time"))
    return Span(
        ref=ref,
        trace_id=id_in(context, "traceId"),
        span_id=id_in(context, "spanId"),
        parent_id=id_in(record, "parentId"),
        name=text_in(record, "name") or "",
        start=start,
        end=end,
        start_ns=_LATEST_NS if start is None else start.micros * 1000,
        failed=text_in(status, "status_code") in _ERRORS,
        status_message=text_in(status, "description"),
        attributes=attributes_in(record),
        resource=attributes_in(map_in(record, "resource")),
        events=tuple(_events(list_in(record, "events"), ref)),
    )


def _events(items: Sequence[Json], ref: str) -> Iterator[Happening]:
    for at, item in enumerate(items):
        if isinstance(item, dict):
            time = integer_of(field_in(item, "timeUnixNano")) or item.get("timestamp")
            yield Happening(
                ref=f"{ref}.events.{at}",
                name=text_in(item, "name") or "",
                at=moment_of(time),
                attributes=attributes_in(item),
            )


@dataclass(slots=True)
class Tree:
    """The spans of a run, by id."""

    spans: list[Span]
    """In the order in which they began, parents first."""
    repeated: int = 0
    """Spans that came more than once."""
    _by_id: dict[str, Span] = field(default_factory=dict)

    @classmethod
    def of(cls, spans: Sequence[Span]) -> Tree:
        """Put spans in order, and take each once."""
        by_id: dict[str, Span] = {}
        kept: list[Span] = []
        for span in spans:
            if span.span_id is None:
                kept.append(span)
                continue
            before = by_id.get(span.span_id)
            if before is None or _fullness(span) > _fullness(before):
                by_id[span.span_id] = span
        tree = cls(spans=[], repeated=len(spans) - len(kept) - len(by_id), _by_id=by_id)
        order = {id(span): at for at, span in enumerate(spans)}
        kept.extend(by_id.values())
        tree.spans = sorted(
            kept, key=lambda span: (span.start_ns, tree.depth(span), order[id(span)])
        )
        return tree

    def parents(self, span: Span) -> Iterator[Span]:
        """Yield the spans above, the nearest first; a ring of parents ends where it closes."""
        seen = {span.span_id}
        above = self._by_id.get(span.parent_id or "")
        while above is not None and above.span_id not in seen:
            yield above
            seen.add(above.span_id)
            above = self._by_id.get(above.parent_id or "")

    def depth(self, span: Span) -> int:
        """Return how many spans stand above."""
        return sum(1 for _ in self.parents(span))

    def by_id(self, span_id: str | None) -> Span | None:
        """Return a span by its id."""
        return self._by_id.get(span_id or "")

    @property
    def roots(self) -> list[Span]:
        """Spans whose parent is not in the run."""
        return [span for span in self.spans if self.by_id(span.parent_id) is None]


def _fullness(span: Span) -> tuple[bool, int, int]:
    return span.end is not None, len(span.attributes), len(span.events)
