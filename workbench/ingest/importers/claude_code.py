"""Claude Code sessions: one entry a line, linked by `parentUuid`, or `{"loglines": [...]}`.

One reply of the model is written as several entries with one message id, one for each block.
Entries of a sub-agent (`isSidechain`) stand between the others; nobody but the main agent reads
what a sub-agent says. Where a person went back and asked again, the entries left behind are no
part of the conversation any more; they stay in raw, and are counted.

Source:
    Claude Code 1.0-2.0, `~/.claude/projects/*/*.jsonl`; formats page 2.3, row "Claude Code".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.content import REASONING, read_content, read_result
from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.times import time_of
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.usage import cost_in, usage_of
from workbench.ingest.importers.claude_code_chain import kept_entries
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import integer_in, map_in, map_items, text_in
from workbench.model.event import (
    Basis,
    CallError,
    Change,
    ContextChange,
    Decision,
    Outcome,
    Permission,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Loss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_claude_code"]

_TURNS: Final = frozenset({"user", "assistant"})
_REFUSALS: Final = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
)
_SYNTHETIC: Final = "<synthetic>"
_DURATIONS: Final = ("durationMs", "totalDurationMs")


@dataclass(slots=True)
class _Reader:
    """One session on its way into a transcript."""

    origin: Origin
    alone: bool
    """Whether all entries are a sub-agent's: its log is a file of its own."""
    script: Transcript = field(default_factory=Transcript)
    models: dict[str, None] = field(default_factory=dict)
    _tools: dict[str, str] = field(default_factory=dict)
    """Id of a call -> its tool."""

    def add(self, ref: str, entry: JsonMap, blocks: Sequence[tuple[str, JsonMap]]) -> None:
        """Add one entry; `blocks` are those of all entries of its reply."""
        said = Said(
            ref=ref,
            at=time_of(entry.get("timestamp"), self.script.counts),
            agent=_agent(entry),
        )
        match text_in(entry, "type"):
            case "user":
                self._add_given(said, entry, blocks)
            case "assistant":
                self._add_reply(said, entry, blocks)
            case "system" if entry.get("subtype") == "compact_boundary":
                self.script.mark(
                    ContextChange(change=Change.COMPACTION, at=said.at, source_ref=ref)
                )
            case _:
                pass  # titles, snapshots and progress stay in raw

    def _add_given(self, said: Said, entry: JsonMap, blocks: Sequence[tuple[str, JsonMap]]) -> None:
        rest: list[Json] = []
        for ref, block in blocks:
            if block.get("type") == "tool_result":
                self._add_result(replace(said, ref=ref), entry, block)
            else:
                rest.append(block)
        content = read_content(
            rest or _plain(entry), key=f"{said.ref}.message.content", origin=self.origin
        )
        actor = "framework" if entry.get("isMeta") or entry.get("isCompactSummary") else None
        if said.agent and not self.alone:
            actor = "agent"  # the main agent prompts its sub-agent
        self.script.user(
            replace(said, text=content.text, dropped=content.dropped, actor=actor, agent=None)
        )

    def _add_reply(self, said: Said, entry: JsonMap, blocks: Sequence[tuple[str, JsonMap]]) -> None:
        message = map_in(entry, "message")
        model = text_in(message, "model")
        shown: list[Json] = [
            block for _, block in blocks if block.get("type") not in ("tool_use", *REASONING)
        ]
        key = f"{said.ref}.message.content"
        content = read_content(shown or _plain(entry), key=key, origin=self.origin)
        said = replace(
            said,
            text=content.text,
            dropped=content.dropped,
            finish_reason=text_in(message, "stop_reason"),
            usage=usage_of(message.get("usage"), cost_usd=cost_in(entry, "costUSD")),
            claimed="" if said.agent and not self.alone else None,
        )
        if model == _SYNTHETIC or entry.get("isApiErrorMessage") is True:
            self.script.claim(said)  # the program speaks, not the model
            return
        if model:
            self.models.setdefault(model)
        calls = [self._asked(ref, b) for ref, b in blocks if b.get("type") == "tool_use"]
        if said.text or calls or not blocks:
            self.script.reply(said, calls)

    def _asked(self, ref: str, block: JsonMap) -> Asked:
        name = block.get("name")
        if not isinstance(name, str) or not name:
            raise self.origin.error(
                step_key(ref, "name"), f"is {describe(name)}; expected a tool's name"
            )
        given, value = text_in(block, "id"), block.get("input")
        self._tools[given or ""] = name
        return Asked(ref=ref, id=given, tool=name, value=ABSENT if value is None else value)

    def _add_result(self, said: Said, entry: JsonMap, block: JsonMap) -> None:
        key = step_key(said.ref, "content")
        content = read_result(block.get("content"), key=key, origin=self.origin)
        given, detail = text_in(block, "tool_use_id"), map_in(entry, "toolUseResult")
        refused = (content.text or "").startswith(_REFUSALS)
        if refused:
            self.script.mark(
                Permission(
                    decision=Decision.DENIED,
                    tool=self._tools.get(given or ""),
                    actor="user",
                    basis=Basis.INFERRED,
                    at=said.at,
                    source_ref=said.ref,
                )
            )
        self.script.result(
            Answered(
                ref=said.ref,
                id=given,
                text=content.text,
                value=content.value,
                dropped=content.dropped,
                error=_error(block, detail, content.text),
                outcome=Outcome.DENIED if refused else None,
                at=said.at,
                agent=said.agent,
                latency_ms=next(
                    (n for name in _DURATIONS if (n := integer_in(detail, name)) is not None), None
                ),
            )
        )


def read_claude_code(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one session, given as the list of its entries.

    Raises:
        TraceFormatError: a message has another form than the program's, or there is none.
    """
    entries = list(map_items(record, key="", origin=place))
    turns = [entry for _, entry in entries if _is_turn(entry)]
    if not turns:
        raise place.error("", "holds no message; expected a session")
    kept, left = kept_entries(entries)
    reader = _Reader(origin=place, alone=all(entry.get("isSidechain") is True for entry in turns))
    merged = _merged(kept, place)
    for ref, entry, blocks in merged:
        reader.add(ref, entry, blocks)
    note = "entries that a person left behind by going back; they are in raw only"
    facts = RunFacts(
        own_id=_own_id(record),
        session=_first(entries, "sessionId"),
        model=", ".join(reader.models),
        agent=_first(entries, "version"),
        losses=(Loss(kind="branches_left_out", count=left, note=note),) if left else (),
    )
    return finished(reader.script, facts, origin=place, tools=tools)


def _merged(
    entries: Sequence[tuple[str, JsonMap]], origin: Origin
) -> list[tuple[str, JsonMap, list[tuple[str, JsonMap]]]]:
    """Join the entries of one reply at the place of the first; the last one's usage is whole."""
    found: list[tuple[str, JsonMap, list[tuple[str, JsonMap]]]] = []
    at: dict[str, int] = {}
    for ref, entry in entries:
        content = map_in(entry, "message").get("content")
        key = f"{ref}.message.content"
        blocks = list(map_items(content, key=key, origin=origin)) if _is_list(content) else []
        given = (
            text_in(map_in(entry, "message"), "id") if entry.get("type") == "assistant" else None
        )
        if given is not None and given in at:
            first, _, earlier = found[at[given]]
            found[at[given]] = first, entry, [*earlier, *blocks]
            continue
        if given is not None:
            at[given] = len(found)
        found.append((ref, entry, blocks))
    return found


def _is_list(content: Json) -> bool:
    return isinstance(content, list) and not all(isinstance(item, str) for item in content)


def _plain(entry: JsonMap) -> Json:
    """Return a content that is no list of blocks."""
    content = map_in(entry, "message").get("content")
    return None if _is_list(content) else content


def _agent(entry: JsonMap) -> str | None:
    """Return the sub-agent that an entry belongs to; None: the main agent."""
    if entry.get("isSidechain") is not True:
        return None
    return text_in(entry, "agentId") or "sidechain"


def _error(block: JsonMap, detail: JsonMap, text: str | None) -> CallError | None:
    if block.get("is_error") is True:
        return CallError(message=text)
    return CallError(type="interrupted") if detail.get("interrupted") is True else None


def _first(entries: Sequence[tuple[str, JsonMap]], name: str) -> str | None:
    return next((text for _, entry in entries if (text := text_in(entry, name))), None)


def _own_id(record: Json) -> Json:
    """Return the session's id; a sub-agent's own log has the same, and its agent's beside it."""
    turns = [entry for entry in (record if isinstance(record, list) else []) if _is_turn(entry)]
    session = next((text for entry in turns if (text := text_in(entry, "sessionId"))), None)
    agents = {text_in(entry, "agentId") for entry in turns if map_in(entry).get("isSidechain")}
    alone = all(map_in(entry).get("isSidechain") is True for entry in turns)
    if session is None or not alone or len(agents) != 1:
        return session
    return f"{session}/{agents.pop() or 'sidechain'}"


def _is_turn(record: Json) -> bool:
    kind = text_in(record, "type")
    return (
        kind in _TURNS
        and map_in(record, "message").get("role") == kind
        and text_in(record, "timestamp") is not None
    )


def _is_entry(record: Json) -> bool:
    """Whether it can only stand in a session: a turn, a summary, a link of the chain."""
    entry = map_in(record)
    return (
        _is_turn(record)
        or (entry.get("type") == "summary" and "leafUuid" in entry)
        or (entry.get("type") == "file-history-snapshot" and "snapshot" in entry)
        or ("sessionId" in entry and "uuid" in entry and "type" in entry)
    )


def _recognises(record: Json) -> bool:
    """Whether it may stand in a session: many kinds of entry have little more than a type."""
    return _is_entry(record) or (
        text_in(record, "type") is not None and text_in(record, "sessionId") is not None
    )


FORMAT: Final = Format(
    name="claude_code",
    recognises=_recognises,
    owns=_is_entry,
    keys=frozenset({"sessionId", "message", "leafUuid", "snapshot"}),
    own_id=_own_id,
    run_of=lambda entry: text_in(entry, "sessionId"),
    read=read_claude_code,
)
