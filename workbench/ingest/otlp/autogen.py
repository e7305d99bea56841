"""AutoGen's runtime: a trace for each message that one agent sends another.

All of a run shows only when the traces of one team are taken together: what was said stands in
the spans that processed a message, and the spans of tools have neither arguments nor results.

Source:
    autogen-core 0.7.5; formats page 2.2, consequence (b).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.ingest.importers.autogen import AutogenReader, is_autogen_message
from workbench.ingest.otlp.attributes import json_in
from workbench.ingest.otlp.spans import scope_of, span_of
from workbench.ingest.records.shapes import map_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.events.transcript import Transcript
    from workbench.ingest.otlp.spans import Span
    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["team_of", "told_by_runtime"]

_TEAM: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NAMES: Final = (
    "recipient_agent_type",
    "sender_agent_type",
    "messaging.destination",
    "gen_ai.agent.id",
)
_NAME_CHARS: Final = 1000


def team_of(record: Json) -> str | None:
    """Return the id of the team that a span of AutoGen belongs to."""
    if not scope_of(record).startswith("autogen"):
        return None
    span = span_of(record, "")
    texts = () if span is None else (span.text(name) for name in _NAMES)
    found = (_TEAM.search(text[:_NAME_CHARS]) for text in texts if text)
    return next((match[0] for match in found if match), None)


def told_by_runtime(spans: Sequence[Span], origin: Origin) -> Transcript | None:
    """Return what the messages of a team's runtime tell; None: there are none.

    Raises:
        TraceFormatError: a message has another form than the library's.
    """
    reader = AutogenReader(origin=origin)
    for span in spans:
        for message in _messages(json_in(span.attributes.get("message"))):
            reader.add(span.ref, message)
    return None if reader.is_empty else reader.script


def _messages(value: Json) -> Iterator[JsonMap]:
    """Yield the messages of an envelope: one, a list, or an answer with those before it."""
    envelope = map_in(value)
    answer = map_in(envelope, "response")
    inner = answer.get("inner_messages")
    listed = envelope.get("messages")
    found: list[Json] = [
        envelope.get("message"),
        *(listed if isinstance(listed, list) else []),
        *(inner if isinstance(inner, list) else []),
        answer.get("chat_message"),
    ]
    yield from (map_in(item) for item in found if is_autogen_message(item))
