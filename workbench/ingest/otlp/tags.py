"""Tags of a run and what was said of it, by which candidates are found.

Source:
    OpenInference 0.1 (`tag.tags`), Langfuse, LangSmith and Logfire on OTLP; semantic-conventions
    1.38 (`gen_ai.evaluation.result`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.otlp.attributes import json_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.ingest.otlp.dialect import Recording
    from workbench.ingest.otlp.spans import Happening
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["evaluations_of", "tags_of"]

_TAGS: Final = (
    "tag.tags",
    "langfuse.trace.tags",
    "langfuse.tags",
    "langsmith.span.tags",
    "logfire.tags",
)
_RESULT: Final = "gen_ai.evaluation.result"


def tags_of(recording: Recording) -> tuple[str, ...]:
    """Return the tags of a run's spans, each once: a list, JSON, or names between commas."""
    values = (span.attributes.get(name) for span in recording.tree.spans for name in _TAGS)
    return tuple(dict.fromkeys(tag for value in values for tag in _words(value)))


def _words(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        found = json_in(value) if value.startswith("[") else None
        value = found if isinstance(found, list) else [*value.split(",")]
    for tag in value if isinstance(value, list) else ():
        if isinstance(tag, str) and tag.strip():
            yield tag.strip()


def evaluations_of(recording: Recording) -> JsonMap:
    """Return what evaluators and people said of the run: name -> score, or its label."""
    logs = (log for found in recording.logs.values() for log in found)
    events = (event for span in recording.tree.spans for event in span.events)
    return {name: value for event in (*logs, *events) for name, value in _evaluation(event)}


def _evaluation(event: Happening) -> Iterator[tuple[str, Json]]:
    name = event.attributes.get("gen_ai.evaluation.name")
    kinds = ("gen_ai.evaluation.score.value", "gen_ai.evaluation.score.label")
    values = [event.attributes[kind] for kind in kinds if kind in event.attributes]
    if event.name == _RESULT and isinstance(name, str) and values:
        yield name, values[0]
