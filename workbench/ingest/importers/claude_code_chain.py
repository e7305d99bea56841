"""Which entries of a Claude Code session are part of the conversation.

Entries name their parent. A person who goes back and asks again starts a second branch at an
earlier entry; the branch with the last entry of the file is the conversation. Parallel calls
branch too, since each result names the entry of its call: those belong to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ingest.records.shapes import map_in, text_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workbench.model.jsonvalue import JsonMap

__all__ = ["kept_entries"]


def kept_entries(
    entries: Sequence[tuple[str, JsonMap]],
) -> tuple[list[tuple[str, JsonMap]], int]:
    """Return the entries of the conversation, and how many messages were left behind.

    Entries without links, and whole trees that the last entry does not hang on (a session that
    was continued), are kept.
    """
    by_id = {given: entry for _, entry in entries if (given := text_in(entry, "uuid"))}
    chain = set(_ancestors(_last_message(entries), by_id))
    replies = {_reply_id(by_id[given]) for given in chain} - {None}
    kept_calls = {
        call
        for _, entry in entries
        if text_in(entry, "uuid") in chain or _reply_id(entry) in replies
        for call in _ids(entry, "tool_use", "id")
    }
    kept, left = [], 0
    for ref, entry in entries:
        if _left_behind(entry, chain, by_id) and not (
            _reply_id(entry) in replies
            or kept_calls.intersection(_ids(entry, "tool_result", "tool_use_id"))
        ):
            left += entry.get("type") in ("user", "assistant")
        else:
            kept.append((ref, entry))
    return kept, left


def _last_message(entries: Sequence[tuple[str, JsonMap]]) -> str | None:
    return next(
        (
            given
            for _, entry in reversed(entries)
            if entry.get("type") in ("user", "assistant")
            and entry.get("isSidechain") is not True
            and (given := text_in(entry, "uuid"))
        ),
        None,
    )


def _ancestors(given: str | None, by_id: Mapping[str, JsonMap]) -> Iterator[str]:
    """Yield an entry's id and those of its ancestors; a loop of parents ends."""
    passed: set[str] = set()
    while given is not None and given in by_id and given not in passed:
        passed.add(given)
        yield given
        entry = by_id[given]
        given = text_in(entry, "parentUuid") or text_in(entry, "logicalParentUuid")


def _left_behind(entry: JsonMap, chain: set[str], by_id: Mapping[str, JsonMap]) -> bool:
    """Whether an entry hangs on the conversation without being part of it."""
    given = text_in(entry, "uuid")
    if given is None or given in chain or entry.get("isSidechain") is True:
        return False
    return any(ancestor in chain for ancestor in _ancestors(given, by_id))


def _reply_id(entry: JsonMap) -> str | None:
    return text_in(map_in(entry, "message"), "id") if entry.get("type") == "assistant" else None


def _ids(entry: JsonMap, kind: str, name: str) -> Iterator[str]:
    content = map_in(entry, "message").get("content")
    for block in content if isinstance(content, list) else ():
        if text_in(block, "type") == kind and (given := text_in(block, name)):
            yield given
