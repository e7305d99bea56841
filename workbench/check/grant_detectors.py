"""Detectors of calls that nobody allowed: outside a grant, under a task that forbids them, too early.

Every detector takes the facts of a trace and returns what it found, earliest first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.check.hints import Hint, certainty, is_write, is_write_declared
from workbench.check.outcomes import value_of
from workbench.check.permission_clauses import check_permissions
from workbench.check.predicates import found_in, values_at
from workbench.check.proposals import (
    before,
    equals,
    forbidden_call,
    granted,
    permission_rule,
    selector,
)
from workbench.check.selectors import Stage, at_stage
from workbench.model.event import Permission, UserMessage
from workbench.model.trace import Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.check.facts import Facts
    from workbench.model.contract import Predicate
    from workbench.model.trace import Call

__all__ = ["lookup_before_authorisation", "write_outside_grant"]


# --- writes that nobody allowed ---------------------------------------------------


def write_outside_grant(facts: Facts) -> Iterator[Hint]:
    """Find a write that no grant covers, or that the person's own words rule out."""
    writes = [call for call in facts.own_calls if is_write(facts, call)]
    yield from _without_grant(facts, writes)
    yield from _under_read_only(facts, writes)


def _without_grant(facts: Facts, writes: list[Call]) -> Iterator[Hint]:
    decisions = [event for event in facts.events if isinstance(event, Permission)]
    gated = {event.tool for event in decisions}
    exact = any(event.args_digest is not None for event in decisions)
    for tool in dict.fromkeys(call.tool for call in writes) if decisions else ():
        for by in (None, "other_actor"):
            rule = permission_rule(selector(tool), other_actor=by)
            broken = check_permissions(rule, facts).violations
            if not broken:
                continue
            sure = exact and tool in gated
            call = next(call for call in writes if call.start == broken[0].seq)
            yield Hint(
                confidence=certainty(facts, call) if sure else "medium",
                proposal=granted(rule),
                evidence=broken[0].evidence,
                sentence=f"{tool} was called at {call.start} without a grant for that call",
            )
            break


_NOTHING_CHANGES: Final = (
    r"(?i)\bread[ -]?only\b|\bonly (?:list|look|show|read|report|check)\b"
    r"|\b(?:do not|don.?t|never|without) (?:chang|modif|alter|delet|edit|touch|updat|writ)(?:e|y|ing)?"
    r" (?:anything|any of|a thing|any )|\bchange nothing\b|\blook,? (?:but )?don.?t touch\b"
    r"|只读|仅(?:查看|列出)|只(?:查看|列出|看)|不要(?:修改|更改|改动|删除)任何|请勿(?:修改|更改|改动)"
)


def _under_read_only(facts: Facts, writes: list[Call]) -> Iterator[Hint]:
    bound_by: int | None = None
    at = 0
    found: set[str] = set()
    for call in writes:
        while at < call.start:
            event = facts.events[at]
            if isinstance(event, UserMessage):
                bound_by = at if found_in(_NOTHING_CHANGES, event.text) else None
            at += 1
        if bound_by is None or call.tool in found:
            continue
        found.add(call.tool)
        yield Hint(
            confidence=certainty(facts, call),
            proposal=forbidden_call(selector(call.tool)),
            evidence=(bound_by, *facts.pair(call)),
            sentence=f"{call.tool} was called at {call.start} though the task is to look only",
        )


# --- before authorisation ------------------------------------------------------------

_AUTHORISES: Final = re.compile(
    r"(?i)(?:^|[._-])(?:auth(?!or(?:s|_|\b)|ored)\w*|log_?in|sign_?in|consent\w*"
    r"|(?:caller|identity|customer|user|access)[._-](?:verify|check|confirm)"
    r"|(?:verify|check|confirm)_?(?:identity|caller|customer|user|owner\w*|access|entitlement|consent))"
)
_SAYS_YES: Final = ("allowed", "authorized", "authorised", "authenticated", "granted", "verified")
_SHORTEST_SHARED: Final = 4


def lookup_before_authorisation(facts: Facts) -> Iterator[Hint]:
    """Find a call about somebody that starts before the check of who asks has said yes."""
    for tool in dict.fromkeys(c.tool for c in facts.own_calls if _AUTHORISES.search(c.tool)):
        checks = [call for call in facts.own_calls if call.tool == tool]
        key = _answer_key(checks)
        said_yes = [call for call in checks if _is_yes(call, key)]
        opened = min((facts.ended(call) for call in said_yes), default=facts.end)
        about = _values(checks)
        for call in facts.own_calls:
            early = call.start <= opened and at_stage(call, Stage.ATTEMPTED)
            if not early or _AUTHORISES.search(call.tool) or about.isdisjoint(_values([call])):
                continue
            if facts.effects.get(call.tool) is Effect.PURE:
                continue
            where: tuple[Predicate, ...] = () if key is None else (equals(key, value=True),)
            yield Hint(
                confidence="high" if said_yes or is_write_declared(facts, call) else "medium",
                proposal=before(selector(tool, result=where), selector(call.tool)),
                evidence=facts.pair(call, checks[0]),
                sentence=f"{call.tool} was called at {call.start} before {tool} had said yes",
            )
            break


def _answer_key(checks: list[Call]) -> str | None:
    """Return the key under which the check answers yes or no."""
    results = [value_of(call.result) for call in checks]
    return next(
        (
            key
            for key in _SAYS_YES
            if any(isinstance(r, dict) and isinstance(r.get(key), bool) for r in results)
        ),
        None,
    )


def _is_yes(call: Call, key: str | None) -> bool:
    if not at_stage(call, Stage.COMPLETED):
        return False
    result = value_of(call.result)
    return key is None or (isinstance(result, dict) and result.get(key) is True)


def _values(calls: list[Call]) -> frozenset[str]:
    """Return the texts and numbers among the arguments that can name somebody."""
    return frozenset(
        str(value)
        for call in calls
        for value in values_at(("**",), call.args)
        if isinstance(value, str | int)
        and not isinstance(value, bool)
        and len(str(value)) >= _SHORTEST_SHARED
    )
