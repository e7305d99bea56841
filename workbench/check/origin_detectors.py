"""Detectors of where calls and claims come from: tools nobody offered, values nobody gave.

Every detector takes the facts of a trace and returns what it found, earliest first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.check.hints import Hint, is_write, is_write_declared, texts_in, where_of
from workbench.check.outcomes import value_of
from workbench.check.proposals import (
    forbidden_call,
    holds_text,
    must_call,
    quotes_results,
    selector,
)
from workbench.check.quotes import unfounded_quotes
from workbench.model.event import (
    Claim,
    ClaimOutcome,
    ModelReply,
    ModelRequest,
    SystemMessage,
    ToolResult,
    UserMessage,
)
from workbench.model.trace import Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.check.facts import Facts
    from workbench.model.contract import Predicate
    from workbench.model.trace import Call

__all__ = [
    "ask_then_act",
    "claim_without_call",
    "tool_not_offered",
    "unfounded_quote",
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
_WEB: Final = re.compile(r"(?i)^(?:https?://)?(?:www\.)?([\w-]+(?:\.[\w-]+)+)(?:[/?#:]|$)")


def write_from_result_only(facts: Facts) -> Iterator[Hint]:
    """Find a write whose argument stood in the prose of a result and that no person gave.

    Addresses come first: mail, accounts, and sites, which a read opens as well. Other values of
    writes, which honest runs also take from what they read, follow with low confidence.
    """
    given = "\n".join(e.text for e in facts.events if isinstance(e, UserMessage | SystemMessage))
    prose = [
        (event.seq, text)
        for event in facts.events
        if isinstance(event, ToolResult)
        for text in texts_in(value_of(event))
    ]
    found: set[tuple[str, str]] = set()
    suspect: set[int] = set()
    for of_address in (True, False):
        for call in facts.own_calls:
            for where, value in _values(facts, call):
                known = (call.tool, value) in found or (not of_address and call.start in suspect)
                if bool(_address(value)) is not of_address or known:
                    continue
                source = _source(value, prose, before=call.start)
                if source is None or _stands_in(value, given):
                    continue
                found.add((call.tool, value))
                suspect.add(call.start)
                yield _from_result(facts, call, where, source, of_address=of_address)


def _from_result(
    facts: Facts, call: Call, where: Predicate, source: int, *, of_address: bool
) -> Hint:
    return Hint(
        confidence="medium" if of_address and is_write_declared(facts, call) else "low",
        proposal=forbidden_call(selector(call.tool, where=(where,))),
        evidence=(source, *facts.pair(call)),
        sentence=f"{call.tool} at {call.start} was given a value that only the result at {source}"
        " names",
    )


def _values(facts: Facts, call: Call) -> Iterator[tuple[Predicate, str]]:
    """Yield the texts among the arguments, with the predicate that names them."""
    if not isinstance(call.args, dict):
        return
    write, declared = is_write(facts, call), is_write_declared(facts, call)
    for key, value in call.args.items():
        for text in texts_in(value):
            address = _address(text)
            wanted = (write or _WEB.match(address) is not None) if address else declared
            if wanted and len(text) >= 2 and not _DATE.match(text.strip()):
                yield holds_text(key, text, value), text


def _address(text: str) -> str:
    """Return what an address is searched by: a site without its scheme; empty: it is none."""
    plain = text.strip()
    if len(plain) < _SHORTEST or _DATE.match(plain) or not _TARGET.match(plain):
        return ""
    site = _WEB.match(plain)
    return site[1] if site is not None and "@" not in plain else plain


def _source(value: str, prose: list[tuple[int, str]], *, before: int) -> int | None:
    """Return the first result that names a value among other words."""
    return next(
        (
            seq
            for seq, text in prose
            if seq < before and len(text) >= len(value) + _PROSE_MARGIN and _stands_in(value, text)
        ),
        None,
    )


def _stands_in(value: str, text: str) -> bool:
    """Whether a text holds a value, not as a part of a longer word."""
    sought = _address(value) or value
    at = text.find(sought)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(sought) : at + len(sought) + 1]
        if len(sought) >= _SHORTEST or not any(map(str.isalnum, around)):
            return True
        at = text.find(sought, at + 1)
    return False


# --- claims without ground ----------------------------------------------------------


def claim_without_call(facts: Facts) -> Iterator[Hint]:
    """Find success claimed in a run that never used its tools, or by one who could not have."""
    claimed = next((c for c in facts.claims if c.outcome is ClaimOutcome.SUCCESS), None)
    if claimed is None or not facts.trace.tools:
        return
    if not facts.own_calls:
        yield Hint(
            confidence="high",
            proposal=must_call(selector("*")),
            evidence=(*facts.duty, claimed.seq),
            sentence="success was claimed without any tool call",
        )
    yield from _claimed_without_means(facts)


def _claimed_without_means(facts: Facts) -> Iterator[Hint]:
    """Find success claimed by a sub-agent that was offered no write, where nobody made one."""
    writes = [tool.name for tool in facts.trace.tools if tool.effect is Effect.WRITE]
    if not writes or any(is_write(facts, call) for call in facts.own_calls):
        return
    offered: dict[str, set[str]] = {}
    for event in facts.events:
        if isinstance(event, ModelRequest) and event.agent and event.offered_tools is not None:
            offered.setdefault(event.agent, set()).update(event.offered_tools)
    for claim in facts.claims:
        agent = facts.events[claim.seq].agent
        if claim.outcome is not ClaimOutcome.SUCCESS or agent not in offered:
            continue
        for tool in writes if offered[agent].isdisjoint(writes) else ():
            yield Hint(
                confidence="high" if len(writes) == 1 else "medium",
                proposal=must_call(selector(tool)),
                evidence=(claim.seq,),
                sentence=f"success was claimed at {claim.seq} by one who was not offered {tool},"
                " and nobody else wrote",
            )


_ERROR_WORD: Final = re.compile(r"(?i)error|exception|fail|denied|refused|not found|错误|失败")
_COUNTED: Final = re.compile(r"(\d+) ?(?:/|of|out of) ?(\d+)")


def unfounded_quote(facts: Facts) -> Iterator[Hint]:
    """Find an error, or a count of a whole, in the final answer that no result gave."""
    answer = facts.answer
    if answer is None or not facts.own_calls:
        return
    made_up = unfounded_quotes(answer, facts.trace)
    errors = [quote for quote in made_up if _ERROR_WORD.search(quote)]
    counts = {part for pair in _COUNTED.findall(answer.text) for part in pair}
    if errors or not counts.isdisjoint(made_up):
        what = "an error" if errors else "a count"
        yield Hint(
            confidence="medium",
            proposal=quotes_results(),
            evidence=(answer.seq,),
            sentence=f"the final answer quotes {what} that occurs in no result",
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
