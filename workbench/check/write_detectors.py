"""Detectors of what goes wrong around writes: lost answers, repetition, claims on thin ice.

Every detector takes the facts of a trace and returns what it found, earliest first. Where the
effect of a tool is only assumed, a finding is `medium` at most.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.check.hints import (
    Hint,
    certainty,
    is_idempotency,
    is_write,
    is_write_declared,
    refusal_of,
    where_of,
)
from workbench.check.limit_clauses import call_key
from workbench.check.operations import named_operations, operation_ids
from workbench.check.outcomes import value_of
from workbench.check.proposals import (
    Proposal,
    at_most_after,
    equals,
    evidence_needed,
    exists,
    identical_calls,
    max_calls,
    selector,
)
from workbench.check.selectors import Stage, at_stage
from workbench.model.event import Claim, ClaimOutcome, Outcome
from workbench.model.jsonvalue import Json, same_json
from workbench.model.trace import Call, Effect, Tool

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from workbench.check.facts import Facts
    from workbench.model.contract import Selector

__all__ = [
    "fresh_idempotency_key",
    "identical_failing_calls",
    "repeated_write_after_unknown",
    "success_without_read_back",
]


# --- success claimed without read-back ---------------------------------------

_UNDER_WAY: Final = frozenset(
    {"pending", "accepted", "queued", "processing", "in_progress", "inprogress", "scheduled"}
    | {"submitted", "running", "started", "待处理", "处理中"}
)


_LEAST_DIGITS: Final = 4


def success_without_read_back(facts: Facts) -> Iterator[Hint]:
    """Find success claimed after a call that said no, or of what was under way or never read back."""
    yield from _success_after_refusal(facts)
    writes = [call for call in facts.own_calls if is_write(facts, call) or _asks_for(call)]
    for claimed in facts.claims:
        if claimed.outcome is not ClaimOutcome.SUCCESS:
            continue
        before = [call for call in writes if facts.ended(call) < claimed.seq]
        open_writes = [call for call in before if _end_unknown(call)]
        if not open_writes:
            continue
        write = max(open_writes, key=lambda call: (is_write_declared(facts, call), call.start))
        if _settled(facts, write, claimed.seq):
            continue
        looks = [c for c in _looks_at(facts, write, claimed.seq) if c.tool != write.tool]
        yield Hint(
            confidence="high" if _names(facts, claimed.seq, write) else certainty(facts, write),
            proposal=_evidence_of(facts, _read_back_tool(facts, write), write),
            evidence=(*facts.pair(write, *looks[-1:]), claimed.seq),
            sentence=f"success was claimed after {_how(write, looks)}",
        )
        return


def _how(write: Call, looks: list[Call]) -> str:
    """Say what was known of a write when success was claimed; the last look at it counts."""
    under_way = "answered that it was still under way"
    if _asks_for(write) and write.outcome is Outcome.OK:
        return f"{write.tool} {under_way}"
    how = "did not show its end" if write.outcome is Outcome.OK else f"ended {write.outcome}"
    if not looks:
        return f"{write.tool} {how} and nobody read it back"
    last = looks[-1]
    if _status_key(last, _UNDER_WAY) is not None:
        return f"{last.tool} {under_way}"
    return f"{write.tool} {how}, and {last.tool} did not show it either"


def _names(facts: Facts, seq: int, call: Call) -> bool:
    """Whether a claim names the operation that a call asked for: it is about that one then."""
    claim = facts.trace.events[seq]
    return isinstance(claim, Claim) and any(_says(claim.text, name) for name in _asks_for(call))


def _says(text: str, name: str) -> bool:
    """Whether a text says a name by itself: `op_1` is neither in `A-op_1` nor in `op_17`.

    A number of few digits is not taken for a name: it counts something in nearly every text.
    """
    is_name = bool(name) and not (name.isdigit() and len(name) < _LEAST_DIGITS)
    at = text.find(name) if is_name else -1
    while at >= 0:
        before, after = text[max(0, at - 2) : at], text[at + len(name) :][:2]
        if not _goes_on(before[::-1]) and not _goes_on(after):
            return True
        at = text.find(name, at + 1)
    return False


def _goes_on(beside: str) -> bool:
    """Whether a word goes on in the two characters beside it, the nearer one first."""
    first = beside[:1]
    if first in (".", ","):
        return beside[1:].isdigit()
    return first in ("-", "_") or (first.isascii() and first.isalnum())


def _asks_for(call: Call) -> frozenset[str]:
    """Return the operations that a call asks for and that its answer is about: it reads them back."""
    if call.outcome is not Outcome.OK:
        return frozenset()
    return named_operations(call.args) & named_operations(value_of(call.result))


def _success_after_refusal(facts: Facts) -> Iterator[Hint]:
    """Find success claimed though the last result of a tool says itself that it did not work."""
    claimed = [claim.seq for claim in facts.claims if claim.outcome is ClaimOutcome.SUCCESS]
    last: dict[str, Call] = {}
    for call in facts.own_calls:
        if claimed and facts.ended(call) < claimed[-1]:
            last[call.tool] = call
    for call in last.values():
        key = refusal_of(call)
        if key is not None:
            yield Hint(
                confidence=certainty(facts, call),
                proposal=evidence_needed(call.tool, equals(key, value=True)),
                evidence=(*facts.pair(call), claimed[-1]),
                sentence=f"success was claimed though the result of {call.tool} at {call.start}"
                " says that it did not work",
            )


def _end_unknown(call: Call) -> bool:
    if call.outcome is Outcome.OK:
        receipt = bool(operation_ids(call))  # without one it is a record's own state
        return receipt and _status_key(call, _UNDER_WAY) is not None
    return call.outcome in (Outcome.UNKNOWN, Outcome.MISSING)


def _status_key(call: Call, words: Collection[str]) -> str | None:
    """Return the key of a call's answer that says how things stand, if it says one of some words."""
    result = value_of(call.result)
    if not isinstance(result, dict):
        return None
    key = "status" if "status" in result else "state"
    status = result.get(key)
    return key if isinstance(status, str) and status.lower() in words else None


def _settled(facts: Facts, write: Call, before: int) -> bool:
    """Whether a later call showed how a write ended, or did it again and completed."""
    return any(
        call.outcome is Outcome.OK and not _end_unknown(call)
        for call in _looks_at(facts, write, before)
    )


def _looks_at(facts: Facts, write: Call, before: int) -> list[Call]:
    """Return the later calls that could show how a write ended, in order."""
    return [
        call
        for call in facts.own_calls
        if call.start > facts.ended(write)
        and facts.ended(call) < before
        and (call.tool == write.tool or not is_write_declared(facts, call))
        and (call.tool == write.tool or _related(call.tool, write.tool))
    ]


def _related(tool: str, write: str) -> bool:
    """Whether two tools belong together: one namespace, or a noun that both names share."""
    if "." in tool or "." in write:
        return tool.rpartition(".")[0] == write.rpartition(".")[0]
    return not _nouns(tool).isdisjoint(_nouns(write))


def _nouns(tool: str) -> frozenset[str]:
    """Return the words of a name but its verb, which comes first."""
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", tool)
    return frozenset(word.lower().removesuffix("s") for word in words[1:])


_READ_WORDS: Final = ("operation", "status", "verify", "check", "receipt", "get", "read", "show")


def _read_back_tool(facts: Facts, write: Call) -> Tool | None:
    """Return the tool that could have read a write back: a declared read of the same family."""
    reads = [
        tool
        for tool in facts.trace.tools
        if tool.effect in (Effect.READ, Effect.PURE) and _related(tool.name, write.tool)
    ]
    scores = {tool.name: _read_score(tool) for tool in reads}
    best = max(reads, key=lambda tool: scores[tool.name], default=None)
    return best if best is not None and scores[best.name] > 0 else None


def _read_score(tool: Tool) -> int:
    properties = (tool.schema or {}).get("properties")
    asks = isinstance(properties, dict) and any("operation" in key.lower() for key in properties)
    named = [
        len(_READ_WORDS) - place
        for place, word in enumerate(_READ_WORDS)
        if word in tool.name.rpartition(".")[2].lower()
    ]
    return (100 if asks else 0) + max(named, default=0)


_DONE_WORDS: Final = ("completed", "succeeded", "success", "done", "complete", "ok")


def _evidence_of(facts: Facts, tool: Tool | None, write: Call) -> Proposal:
    """Propose a read-back with a final status, or at least a completed call of the write."""
    under_way = _status_key(write, _UNDER_WAY)
    if under_way is not None and (_asks_for(write) or tool is None):
        word = _final_word(facts, write.tool, under_way)
        return evidence_needed(write.tool, equals(under_way, word))
    if tool is None:
        return evidence_needed(write.tool, exists())
    for call in facts.of_tool(tool.name):
        result = value_of(call.result)
        if not isinstance(result, dict):
            continue
        for key in ("status", "state"):
            if isinstance(result.get(key), str):
                return evidence_needed(tool.name, equals(key, _final_word(facts, tool.name, key)))
    return evidence_needed(tool.name, equals("status", "completed"))


def _final_word(facts: Facts, tool: str, key: str) -> Json:
    seen = [
        value
        for call in facts.of_tool(tool)
        if isinstance(result := value_of(call.result), dict)
        and isinstance(value := result.get(key), str)
    ]
    return next((word for word in seen if word.lower() in _DONE_WORDS), _DONE_WORDS[0])


# --- repeated writes -----------------------------------------------------------


def _split(call: Call) -> tuple[Json, Json]:
    """Return arguments without and with only idempotency keys."""
    if not isinstance(call.args, dict):
        return call.request.args_raw, {}
    rest: Json = {k: v for k, v in call.args.items() if not is_idempotency(k)}
    keys: Json = {k: v for k, v in call.args.items() if is_idempotency(k) and v}
    return rest, keys


def _repetitions(facts: Facts) -> Iterator[tuple[Call, Call]]:
    """Yield a write whose end is unknown and its repetition, with nothing read in between."""
    lost: dict[str, list[Call]] = {}
    read_at = -1
    for call in facts.own_calls:
        if not is_write(facts, call):
            if at_stage(call, Stage.COMPLETED):
                read_at = max(read_at, call.start)
            continue
        earlier = [
            first
            for first in lost.get(call.tool, [])
            if facts.ended(first) < call.start
            and not facts.ended(first) < read_at
            and same_json(_split(first)[0], _split(call)[0])
        ]
        if earlier:
            yield earlier[-1], call
        if call.outcome is Outcome.UNKNOWN:
            lost.setdefault(call.tool, []).append(call)


def repeated_write_after_unknown(facts: Facts) -> Iterator[Hint]:
    """Find a write made again with equal arguments though the first may have worked."""
    for first, again in _repetitions(facts):
        if not _split(first)[1] and not _split(again)[1]:
            yield _repetition(facts, first, again, "was called again")


def fresh_idempotency_key(facts: Facts) -> Iterator[Hint]:
    """Find a write made again under another idempotency key, so that nothing merges the two."""
    for first, again in _repetitions(facts):
        keys, new_keys = _split(first)[1], _split(again)[1]
        if (keys or new_keys) and not same_json(keys, new_keys):
            yield _repetition(facts, first, again, "was called again under another key")


def _repetition(facts: Facts, first: Call, again: Call, what: str) -> Hint:
    others = [
        call
        for call in facts.of_tool(first.tool)
        if not same_json(_split(call)[0], _split(first)[0])
    ]
    where = where_of(first) if others else ()
    proposal = (
        at_most_after(
            selector(first.tool, where=where, classes=(Outcome.UNKNOWN.value,)),
            selector(first.tool, where=where),
            0,
        )
        if others
        else max_calls(selector(first.tool), 1)
    )
    return Hint(
        confidence=certainty(facts, first),
        proposal=proposal,
        evidence=facts.pair(first, again),
        sentence=f"{first.tool} {what} after an unknown outcome, without looking first",
    )


# --- identical failing calls -----------------------------------------------------

_TOLERATED: Final = 2
_TOLERATED_EMPTY: Final = 4


def identical_failing_calls(facts: Facts) -> Iterator[Hint]:
    """Find a call made again and again with equal arguments that never brought anything."""
    groups: dict[tuple[str, str], list[Call]] = {}
    for call in facts.own_calls:
        groups.setdefault(call_key(call), []).append(call)
    honest = max((len(group) for group in groups.values() if not _in_vain(group)), default=0)
    for group in groups.values():
        if not _in_vain(group) or len(group) <= _TOLERATED:
            continue
        chosen: Selector = selector(group[0].tool, where=where_of(group[0]))
        proposal = (
            identical_calls(_TOLERATED)
            if honest <= _TOLERATED
            else at_most_after(chosen, chosen, _TOLERATED - 1)
        )
        how = "failed every time" if _fails_always(group) else "never brought anything"
        yield Hint(
            confidence="high",
            proposal=proposal,
            evidence=facts.pair(*group[: _TOLERATED + 1]),
            sentence=f"{group[0].tool} was called {len(group)} times with the same arguments and"
            f" {how}",
        )


def _in_vain(group: list[Call]) -> bool:
    return _fails_always(group) or (
        len(group) > _TOLERATED_EMPTY
        and all(
            call.outcome is Outcome.OK and value_of(call.result) in ("", None) for call in group
        )
    )


def _fails_always(group: list[Call]) -> bool:
    return all(
        call.outcome in (Outcome.PERMANENT, Outcome.RETRYABLE, Outcome.UNKNOWN, Outcome.DENIED)
        or refusal_of(call) is not None
        for call in group
    )
