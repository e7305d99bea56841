"""Message histories of pydantic-ai: `[{"kind": "request", "parts": [...]}, ...]`.

A request holds what the model was given (instructions, prompts, results of tools), a response
what it answered. A call whose arguments did not fit, or whose tool asked for another try, is
answered by a return with the outcome `retried`, in older versions by a `retry-prompt`. An output
tool is no tool: its arguments are the answer, and its return says only that it was processed.
The history repairs interrupted calls with a placeholder; such a call has no result.

Source:
    pydantic-ai 2.68, `messages.py`; formats page 2.3, row "pydantic-ai messages".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.times import time_of
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript, compact
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import integer_in, map_in, map_items, text_in
from workbench.model.event import (
    CallError,
    Change,
    ContextChange,
    Decision,
    Outcome,
    Permission,
    Usage,
)
from workbench.model.jsonvalue import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_pydantic_ai"]

_CALLS: Final = frozenset({"tool-call", "builtin-tool-call"})
_RETURNS: Final = frozenset({"tool-return", "builtin-tool-return"})
_SILENT: Final = frozenset({"thinking", "instruction-digest", "instruction-baseline"})
"""Reasoning and bookkeeping; they stay in raw."""
_OUTPUT_DONE: Final = (
    "Final result processed.",
    "Output tool not used - a final result was already processed.",
    "Output tool used - a final result was already processed.",
)
_MESSAGE_KINDS: Final = frozenset({"request", "response"})


@dataclass(slots=True)
class _Reader:
    """One history on its way into a transcript."""

    origin: Origin
    script: Transcript = field(default_factory=Transcript)
    outputs: frozenset[str] = frozenset()
    """Ids of calls of output tools."""
    instructions: str | None = None
    models: dict[str, None] = field(default_factory=dict)

    def add(self, ref: str, message: JsonMap) -> None:
        key = step_key(ref, "parts")
        parts = [
            (place, part)
            for place, part in map_items(message.get("parts"), key=key, origin=self.origin)
        ]
        at = time_of(message.get("timestamp"), self.script.counts)
        if message.get("kind") == "request":
            self._add_instructions(ref, message, at)
            for place, part in parts:
                self._add_given(place, part)
            return
        name = text_in(message, "model_name")
        if name:
            self.models.setdefault(name)
        for segment in _segments(parts):
            self._add_reply(ref, message, segment, at)

    def _add_instructions(self, ref: str, message: JsonMap, at: str | None) -> None:
        text = text_in(message, "instructions")
        if text and text != self.instructions:
            self.instructions = text
            self.script.system(Said(ref=f"{ref}.instructions", text=text, at=at))

    def _add_given(self, ref: str, part: JsonMap) -> None:
        """Add a part of a request."""
        at = time_of(part.get("timestamp"), self.script.counts)
        match part.get("part_kind"):
            case "system-prompt" | "instruction" | "instruction-delta":
                self.script.system(Said(ref=ref, text=text_in(part, "content"), at=at))
            case "user-prompt":
                self.script.user(self._prompt(ref, part, at))
            case "speech":
                self.script.user(Said(ref=ref, text=text_in(part, "transcript"), at=at))
            case "compaction":
                self._add_compaction(ref, part)
            case "tool-return" | "builtin-tool-return" | "retry-prompt" if part.get("tool_name"):
                self._add_return(ref, part)
            case "retry-prompt" | "retry-feedback":
                text = _text(part.get("content"))
                self.script.user(Said(ref=ref, text=text, at=at, actor="framework"))
            case str():
                self.script.counts["parts_dropped"] += part["part_kind"] not in _SILENT
            case other:
                raise self.origin.error(
                    step_key(ref, "part_kind"), f"is {describe(other)}; expected a kind of part"
                )

    def _prompt(self, ref: str, part: JsonMap, at: str | None) -> Said:
        """Read a prompt: a text, or a list of texts and of parts that are none."""
        content = part.get("content")
        items = content if isinstance(content, list) else [content]
        texts = [text for item in items if (text := _prompt_text(item)) is not None]
        return Said(
            ref=ref,
            text="\n".join(texts) if texts else None,
            at=at,
            dropped=sum(item is not None for item in items) - len(texts),
        )

    def _add_compaction(self, ref: str, part: JsonMap) -> None:
        content = part.get("content")
        after = ABSENT if content is None else content
        self.script.mark(ContextChange(change=Change.COMPACTION, after=after, source_ref=ref))

    def _add_reply(
        self, ref: str, message: JsonMap, segment: Sequence[tuple[str, JsonMap]], at: str | None
    ) -> None:
        texts, calls, dropped = [], [], 0
        for place, part in segment:
            match text_in(part, "part_kind"):
                case kind if kind in _CALLS:
                    if text_in(part, "tool_call_id") in self.outputs:
                        texts.append(_args_text(part))
                    else:
                        calls.append(self._asked(place, part))
                case "text":
                    texts.append(text_in(part, "content"))
                case "speech":
                    texts.append(text_in(part, "transcript"))
                case "compaction":
                    self._add_compaction(place, part)
                case kind if kind not in _SILENT and kind not in _RETURNS:
                    dropped += 1
                case _:
                    pass  # reasoning stays in raw; answers of the provider's own tools come below
        said = Said(
            ref=ref,
            text="\n".join(text for text in texts if text) or None,
            at=at,
            finish_reason=text_in(message, "finish_reason"),
            usage=_usage(message),
            dropped=dropped,
        )
        self.script.reply(said, calls)
        for place, part in segment:
            if text_in(part, "part_kind") in _RETURNS:
                self._add_return(place, part)

    def _asked(self, ref: str, part: JsonMap) -> Asked:
        name = part.get("tool_name")
        if not isinstance(name, str) or not name:
            raise self.origin.error(
                step_key(ref, "tool_name"), f"is {describe(name)}; expected a tool's name"
            )
        value = part.get("args")
        return Asked(
            ref=ref,
            id=text_in(part, "tool_call_id"),
            tool=name,
            text=value if isinstance(value, str) else None,
            value=ABSENT if value is None or isinstance(value, str) else value,
        )

    def _add_return(self, ref: str, part: JsonMap) -> None:
        given = text_in(part, "tool_call_id")
        said = "retried" if part.get("part_kind") == "retry-prompt" else text_in(part, "outcome")
        if given in self.outputs or said == "interrupted":
            return
        content = part.get("content")
        text = content if isinstance(content, str) else None
        failed = said in ("failed", "retried")
        cause = text_in(map_in(part, "retry"), "cause")
        if said == "denied":
            self.script.mark(
                Permission(
                    decision=Decision.DENIED, tool=text_in(part, "tool_name"), source_ref=ref
                )
            )
        self.script.result(
            Answered(
                ref=ref,
                id=given,
                tool=text_in(part, "tool_name"),
                text=text,
                value=None if text is not None else content,
                error=CallError(type=cause, message=_text(content)) if failed else None,
                outcome=Outcome.DENIED if said == "denied" else None,
                at=time_of(part.get("timestamp"), self.script.counts),
            )
        )


def read_pydantic_ai(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one history, given as the list of its messages.

    Raises:
        TraceFormatError: a message has another form than the library's.
    """
    messages = list(map_items(record, key="", origin=place))
    reader = _Reader(origin=place, outputs=frozenset(_output_ids(messages)))
    for ref, message in messages:
        reader.add(ref, message)
    runs = {text_in(message, "run_id") for _, message in messages} - {None}
    facts = RunFacts(
        own_id=_own_id(record),
        session=next((s for _, m in messages if (s := text_in(m, "conversation_id"))), None),
        model=", ".join(reader.models),
        labels={"agent_runs": len(runs)} if len(runs) > 1 else {},
    )
    return finished(reader.script, facts, origin=place, tools=tools)


def _segments(parts: Sequence[tuple[str, JsonMap]]) -> Iterator[list[tuple[str, JsonMap]]]:
    """Cut a response behind each answer of a tool that the provider ran itself."""
    segment: list[tuple[str, JsonMap]] = []
    for at, (ref, part) in enumerate(parts):
        segment.append((ref, part))
        following = text_in(parts[at + 1][1], "part_kind") if at + 1 < len(parts) else None
        if text_in(part, "part_kind") in _RETURNS and following not in _RETURNS:
            yield segment
            segment = []
    if segment or not parts:
        yield segment


def _output_ids(messages: Sequence[tuple[str, JsonMap]]) -> Iterator[str]:
    for _, message in messages:
        parts = message.get("parts")
        for part in parts if isinstance(parts, list) else ():
            given = text_in(part, "tool_call_id")
            if given and text_in(part, "content") in _OUTPUT_DONE:
                yield given


def _text(content: Json) -> str | None:
    if content is None or isinstance(content, str):
        return content
    return compact(content)


def _args_text(part: JsonMap) -> str | None:
    return _text(part.get("args"))


def _prompt_text(item: Json) -> str | None:
    if isinstance(item, str):
        return item
    if isinstance(item, dict) and item.get("kind") in (None, "text", "text-content"):
        return text_in(item, "content") or text_in(item, "text")
    return None


def _usage(message: JsonMap) -> Usage | None:
    usage = map_in(message, "usage")
    found = Usage(
        input_tokens=_first(usage, "input_tokens", "request_tokens"),
        output_tokens=_first(usage, "output_tokens", "response_tokens"),
        cached_tokens=integer_in(usage, "cache_read_tokens"),
    )
    return found if usage else None


def _first(usage: JsonMap, *names: str) -> int | None:
    return next((n for name in names if (n := integer_in(usage, name)) is not None), None)


def _own_id(record: Json) -> Json:
    """Return the run's id; the conversation's where the history holds several runs."""
    messages = record if isinstance(record, list) else []
    runs = {text for message in messages if (text := text_in(message, "run_id"))}
    if len(runs) == 1:
        return runs.pop()
    return next((s for m in messages if (s := text_in(m, "conversation_id"))), None)


def _is_message(record: Json) -> bool:
    if not isinstance(record, dict) or text_in(record, "kind") not in _MESSAGE_KINDS:
        return False
    parts = record.get("parts")
    return isinstance(parts, list) and all("part_kind" in map_in(part) for part in parts)


FORMAT: Final = Format(
    name="pydantic_ai",
    recognises=_is_message,
    owns=_is_message,
    keys=frozenset({"parts"}),
    own_id=_own_id,
    run_of=lambda record: text_in(record, "conversation_id") or text_in(record, "run_id"),
    read=read_pydantic_ai,
)
