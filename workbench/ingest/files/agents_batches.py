"""Which records are spans of the OpenAI Agents SDK, and which documents are batches of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.records.shapes import map_in

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

__all__ = ["INPUT_LIST", "is_agents_batch", "is_agents_export", "is_agents_run", "is_agents_span"]

INPUT_LIST: Final = "to_input_list"
"""Where `RunResult.to_input_list()` stands beside the spans of its run."""


def is_agents_span(record: Json) -> bool:
    """Whether a record is a span, or the trace that spans belong to."""
    body = map_in(record)
    if body.get("object") == "trace":
        return "workflow_name" in body and "id" in body
    return body.get("object") == "trace.span" and "trace_id" in body


def is_agents_batch(value: Json) -> bool:
    """Whether a document is a batch as the SDK sends it."""
    return _are_spans(map_in(value).get("data"))


def is_agents_export(value: Json) -> bool:
    """Whether a document holds spans of any runs under `spans`."""
    return _are_spans(map_in(value).get("spans")) and INPUT_LIST not in map_in(value)


def is_agents_run(value: Json) -> bool:
    """Whether a document holds the spans of one run and its input list."""
    return _are_spans(map_in(value).get("spans")) and INPUT_LIST in map_in(value)


def _are_spans(items: Json) -> bool:
    return isinstance(items, list) and bool(items) and all(map(is_agents_span, items))
