"""Detectors of where calls and claims come from: tools nobody offered, values nobody gave.

Every detector takes the facts of a trace and returns what it found, earliest first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.check.outcomes import value_of
from workbench.check.proposals import (
    forbidden_call,
    holds_text,
    must_call,
    quotes_results,
    selector,
)
from workbench.check.quotes import unfounded_quotes
from workbench.check.write_detectors import Hint, is_write, is_write_declared, where_of
from workbench.model.event import (
    Claim,
    ClaimOutcome,
    ModelReply,
    ModelRequest,
    SystemMessage,
    ToolResult,
    UserMessage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.check.facts import Facts
    from workbench.model.contract import Predicate
    from workbench.model.jsonvalue import Absent, Json
    from workbench.model.trace import Call

__all__ = [
    "ask_then_act",
    "claim_without_call",
    "tool_not_offered",
    "unfounded_error_quote",
    "write_from_result_only",
]


# --- tools nobody offered -------------------------------------------------------


def tool_not_offered(facts: Facts) -> Iterator[Hint]:
    """Find a call of a tool that the model was not offered when it asked."""
    listed = frozenset(tool.name for tool in facts.trace.tools)
    offers = _offers(facts)
    ever = {name for offered in offers.values() if offered is not None for name in offered}
    seen: set[str] = set()
    for call in facts.own_calls:
        offered = offers.get(call.start)
        known = frozenset(offered) if offered is not None else listed
        if not known or call.tool in known or call.tool in seen:
            continue
        seen.add(call.tool)
        where = where_of(call) if call.tool in ever else ()
        yield Hint(
            confidence="high" if offered is not None else "medium",
            proposal=forbidden_call(selector(call.tool, where=where)),
            evidence=facts.pair(call),
            sentence=f"{call.tool} was called; it was not offered",
        )


def _offers(facts: Facts) -> dict[int, tuple[str, ...] | None]:
    """Return what was offered when each call was asked for, by the call's start."""
    latest: dict[str | None, tuple[str, ...] | None] = {}
    found: dict[int, tuple[str, ...] | None] = {}
    starts = {call.start: call for call in facts.own_calls}
    for event in facts.events:
        if isinstance(event, ModelRequest):
            latest[event.agent] = event.offered_tools
        elif event.seq in starts:
            found[event.seq] = latest.get(event.agent)
    return found


# --- values nobody gave -----------------------------------------------------------

_SHORTEST: Final = 6
_PROSE_MARGIN: Final = 40
_TARGET: Final = re.compile(
    r"(?i)^[^@\s]+@[^@\s]+\.[^@\s]+$|^https?://|^www\.|^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$"
    r"|^\+?[\d\s().-]{9,}$|^[\w.-]+\.(?:com|net|org|io|ru|cn|info|dev|app|example)(?:/|$)"
)
_DATE: Final = re.compile(r"^\d{4}-\d{2}-\d{2}|^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|^\d+\.\d+$")


def write_from_result_only(facts: Facts) -> Iterator[Hint]:
    """Find a write to an address that stood in the prose of a result and that no person gave."""
    writes = [call for call in facts.own_calls if is_write(facts, call)]
    prose: list[tuple[int, str]] = []
    given = "\n".join(e.text for e in facts.events if isinstance(e, UserMessage | SystemMessage))
    for event in facts.events:
        if isinstance(event, ToolResult):
            prose.extend((event.seq, text) for text in _texts(value_of(event)))
    found: set[tuple[str, str]] = set()
    for call in writes:
        for where, value in _targets(call.args):
            sources = [
                seq
                for seq, text in prose
                if seq < call.start and value in text and len(text) >= len(value) + _PROSE_MARGIN
            ]
            if not sources or value in given or (call.tool, value) in found:
                continue
            found.add((call.tool, value))
            yield Hint(
                confidence="medium" if is_write_declared(facts, call) else "low",
                proposal=forbidden_call(selector(call.tool, where=(where,))),
                evidence=(sources[0], *facts.pair(call)),
                sentence=f"{call.tool} at {call.start} went to a target that only the result"
                f" at {sources[0]} names",
            )


def _texts(value: Json | Absent) -> Iterator[str]:
    """Yield every text in a value, without recursion."""
    pending: list[Json | Absent] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)


def _targets(args: Json | Absent) -> Iterator[tuple[Predicate, str]]:
    """Yield the addresses among the arguments, with the predicate that names them."""
    if not isinstance(args, dict):
        return
    for key, value in args.items():
        for text in _texts(value):
            plain = text.strip()
            if len(text) >= _SHORTEST and _TARGET.match(plain) and not _DATE.match(plain):
                yield holds_text(key, text, value), text


# --- claims without ground ----------------------------------------------------------


def claim_without_call(facts: Facts) -> Iterator[Hint]:
    """Find success claimed in a run that could use tools and never did."""
    if facts.own_calls or not facts.trace.tools:
        return
    claimed = next((c for c in facts.claims if c.outcome is ClaimOutcome.SUCCESS), None)
    if claimed is not None:
        yield Hint(
            confidence="high",
            proposal=must_call(selector("*")),
            evidence=(*facts.duty, claimed.seq),
            sentence="success was claimed without any tool call",
        )


_ERROR_WORD: Final = re.compile(r"(?i)error|exception|fail|denied|refused|not found|错误|失败")


def unfounded_error_quote(facts: Facts) -> Iterator[Hint]:
    """Find an error quoted in the final answer that no result gave."""
    answer = facts.answer
    if answer is None or not facts.own_calls:
        return
    made_up = [
        quote for quote in unfounded_quotes(answer, facts.trace) if _ERROR_WORD.search(quote)
    ]
    if made_up:
        yield Hint(
            confidence="medium",
            proposal=quotes_results(),
            evidence=(answer.seq,),
            sentence="the final answer quotes an error that occurs in no result",
        )


def ask_then_act(facts: Facts) -> Iterator[Hint]:
    """Find a reply that asks a person and acts at once, without waiting for the answer."""
    by_reply: dict[str, Call] = {call.request.call_id: call for call in facts.own_calls}
    for event in facts.events:
        if not isinstance(event, ModelReply) or not event.text.rstrip().endswith(("?", "\uff1f")):
            continue
        shown = event.seq + 1 < facts.end and isinstance(facts.events[event.seq + 1], Claim)
        calls = [by_reply[call_id] for call_id in event.call_ids if call_id in by_reply]
        acts = [call for call in calls if is_write_declared(facts, call)]
        if shown and acts:
            yield Hint(
                confidence="medium",
                proposal=forbidden_call(selector(acts[0].tool, where=where_of(acts[0]))),
                evidence=(event.seq, event.seq + 1, *facts.pair(acts[0])),
                sentence=f"{acts[0].tool} was called in the reply that asked for leave",
            )
