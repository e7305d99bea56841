"""Microsoft Agent Framework: the messages of a response or a thread.

Each message has `contents` by type; a tool that raised says so in `exception`, while its text is
one that the framework wrote.

Source:
    agent-framework 1.23, `ChatMessage.to_dict`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.events.conversation import tell
from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.messages import read_messages
from workbench.ingest.events.transcript import Transcript
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import map_in, text_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_agent_framework"]


def read_agent_framework(
    record: Json, *, place: Origin, tools: Sequence[Tool]
) -> tuple[Trace, Losses]:
    """Read one list of messages, or a response that holds it.

    Raises:
        TraceFormatError: a message has another form than the framework's.
    """
    script = Transcript()
    key = "messages" if isinstance(record, dict) else ""
    tell(script, read_messages(_messages(record), key=key, origin=place))
    facts = RunFacts(own_id=_own_id(record), session=text_in(record, "conversation_id"))
    return finished(script, facts, origin=place, tools=tools)


def _messages(record: Json) -> Json:
    return record.get("messages") if isinstance(record, dict) else record


def _own_id(record: Json) -> Json:
    return text_in(record, "response_id")


def _is_message(item: Json) -> bool:
    body = map_in(item)
    return "role" in body and isinstance(body.get("contents"), list)


def _is_agent_framework(record: Json) -> bool:
    messages = _messages(record)
    return isinstance(messages, list) and bool(messages) and all(map(_is_message, messages))


FORMAT: Final = Format(
    name="agent_framework",
    recognises=_is_agent_framework,
    owns=_is_agent_framework,
    keys=frozenset({"messages"}),
    own_id=_own_id,
    read=read_agent_framework,
)
