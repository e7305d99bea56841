"""`trace/1`: one trace as one JSON document, the native interchange format.

Source:
    design page 02.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import decode, encode_fields
from workbench.casefile.files import as_document, load_mapping
from workbench.casefile.place import Place, describe, fix_of, shown_key, step_key
from workbench.errors import CaseFormatError, TraceFormatError
from workbench.model.event import Claim, Event, ModelReply, ToolCall, ToolResult
from workbench.model.trace import Trace

if TYPE_CHECKING:
    import os

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["TRACE_SCHEMA", "load_trace", "parse_trace", "trace_document"]

TRACE_SCHEMA: Final = "trace/1"


def trace_document(trace: Trace) -> JsonMap:
    """Return the `trace/1` document of a trace."""
    return {"schema": TRACE_SCHEMA, **encode_fields(trace)}


def load_trace(source: str | os.PathLike[str] | Mapping[str, Json]) -> Trace:
    """Read one native trace from a JSON file, or from a mapping of the same form.

    Raises:
        InputError: the file cannot be read, or is no `trace/1` document.
    """
    if isinstance(source, Mapping):
        document, place = as_document(source, name="trace")
    else:
        document, place = load_mapping(Path(source))
    return parse_trace(document, place=place)


def parse_trace(document: Json, *, place: Place, key: str = "") -> Trace:
    """Read a `trace/1` document and check what every trace keeps.

    Raises:
        TraceFormatError: a field breaks the format, positions have gaps, a call id is used
            twice, or a result has no call before it.
    """
    if not isinstance(document, dict):
        raise _error(place, key, f"is {describe(document)}; expected a {TRACE_SCHEMA} mapping")
    schema = document.get("schema")
    if schema != TRACE_SCHEMA:
        raise _error(
            place,
            step_key(key, "schema"),
            f"is {describe(schema)}; expected {TRACE_SCHEMA}",
            fix="import a foreign file with `workbench ingest`",
        )
    fields = {name: item for name, item in document.items() if name != "schema"}
    try:
        trace = decode(Trace, fields, place=place, key=key)
    except CaseFormatError as error:
        message = str(error).removesuffix(f"\n  Fix: {error.fix}")
        raise TraceFormatError(
            message.removeprefix(f"{error.place}: ").removeprefix(f"{error.key} "),
            place=error.place,
            key=error.key,
            fix=error.fix,
        ) from None
    _check(trace, place, key)
    return trace


def _error(place: Place, key: str, message: str, *, fix: str | None = None) -> TraceFormatError:
    return TraceFormatError(
        message, place=place.at(key), key=shown_key(key), fix=fix or fix_of(message)
    )


def _check(trace: Trace, place: Place, key: str) -> None:
    if not trace.run_id:
        raise _error(place, step_key(key, "run_id"), "is empty; expected the id of the run")
    called: set[str] = set()
    answered: set[str] = set()
    replies = 0
    for n, event in enumerate(trace.events):
        at = step_key(step_key(key, "events"), n)
        if event.seq != n:
            raise _error(
                place, step_key(at, "seq"), f"is {event.seq}; expected {n}, without gaps from 0"
            )
        match event:
            case ModelReply():
                replies += 1
            case ToolCall():
                _check_call(event, called, replies, place, at)
                called.add(event.call_id)
            case ToolResult():
                _check_result(event, called, answered, place, at)
                answered.add(event.call_id)
            case _:
                pass
    _check_final(trace.events, place, step_key(key, "events"))


def _check_call(call: ToolCall, called: set[str], replies: int, place: Place, at: str) -> None:
    if call.call_id in called:
        raise _error(
            place, step_key(at, "call_id"), "is used by an earlier call", fix="make call ids unique"
        )
    if not 0 <= call.turn <= replies:
        raise _error(
            place,
            step_key(at, "turn"),
            f"is {call.turn}; expected the number of a reply before it, at most {replies}",
        )


def _check_result(
    result: ToolResult, called: set[str], answered: set[str], place: Place, at: str
) -> None:
    if result.call_id not in called:
        raise _error(
            place, step_key(at, "call_id"), "names no call before it", fix="put the call first"
        )
    if result.call_id in answered:
        raise _error(
            place,
            step_key(at, "call_id"),
            "names a call that has a result already",
            fix="keep one of them",
        )


def _check_final(events: tuple[Event, ...], place: Place, at: str) -> None:
    claims = [event for event in events if isinstance(event, Claim)]
    for claim in claims[:-1]:
        if claim.final:
            key = step_key(step_key(at, claim.seq), "final")
            raise _error(
                place,
                key,
                "is true before the last claim; only the last one is final",
                fix="remove it",
            )
