"""LangChain messages, as `messages_to_dict`, `dumpd` and `model_dump` write them.

Read are a list of messages, and a state of LangGraph that holds one under `messages`.

Source:
    formats page 2.3, row "LangChain messages"; langchain-core 1.8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.events.conversation import tell
from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.messages import is_turn, read_messages
from workbench.ingest.events.transcript import Transcript
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import map_in, text_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_langchain"]

_MARKS: Final = frozenset({"lc", "additional_kwargs", "content"})
_STATES: Final = (("messages",), ("values", "messages"), ("output", "messages"))


def read_langchain(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one conversation.

    Raises:
        TraceFormatError: a message is none of LangChain's.
    """
    messages, path = _messages(record)
    script = Transcript()
    tell(script, read_messages(messages, key=path, origin=place))
    state = record if isinstance(record, dict) else {}
    facts = RunFacts(
        own_id=_own_id(record),
        session=text_in(map_in(state, "config", "configurable"), "thread_id")
        or text_in(state, "thread_id"),
        model=_model(messages),
    )
    return finished(script, facts, origin=place, tools=tools)


def _messages(record: Json) -> tuple[Json, str]:
    if not isinstance(record, dict):
        return record, ""
    for path in _STATES:
        listing = map_in(record, *path[:-1]).get(path[-1]) if path[0] in record else None
        if isinstance(listing, list):
            return listing, ".".join(path)
    return None, ""


def _model(messages: Json) -> str | None:
    """Return the model that the last reply names."""
    items = messages if isinstance(messages, list) else []
    for item in reversed(items):
        body = map_in(item, "kwargs") or map_in(item, "data") or map_in(item)
        about = map_in(body, "response_metadata")
        name = text_in(about, "model_name") or text_in(about, "model")
        if name:
            return name
    return None


def _own_id(record: Json) -> Json:
    return text_in(record, "run_id")


def _is_langchain(record: Json) -> bool:
    """Whether all messages are LangChain's, which name their type and not a role."""
    messages, _ = _messages(record)
    return isinstance(messages, list) and bool(messages) and all(map(_is_message, messages))


def _is_message(item: Json) -> bool:
    body = map_in(item)
    if "role" in body:
        return False
    known = not _MARKS.isdisjoint(body) or "content" in map_in(body, "data")
    return known and is_turn(item)


FORMAT: Final = Format(
    name="langchain",
    recognises=_is_langchain,
    owns=_is_langchain,
    keys=frozenset(path[0] for path in _STATES),
    own_id=_own_id,
    read=read_langchain,
)
