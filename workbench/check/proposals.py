"""Clauses that detectors propose: the value to judge with and the document a person reads.

Both say the same, so a proposal can be judged on the trace before anyone sees it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.model.contract import (
    After,
    AnswerRule,
    ArgsSchema,
    AtMostAfter,
    Before,
    Clause,
    Evidence,
    Finishes,
    ForbidCall,
    Limit,
    MaxCalls,
    MinCalls,
    MustCall,
    Operator,
    PermissionRule,
    Predicate,
    Selector,
    SuccessRequires,
)

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "Proposal",
    "after",
    "anywhere_matches",
    "args_fit",
    "at_most_after",
    "before",
    "compares",
    "equals",
    "evidence_needed",
    "exists",
    "finishes",
    "forbidden_call",
    "granted",
    "holds_text",
    "identical_calls",
    "max_calls",
    "min_calls",
    "model_calls",
    "must_call",
    "permission_rule",
    "quotes_results",
    "selector",
]

_WORD: Final = re.compile(r"[A-Za-z0-9_-]+")
_PLACE: Final = re.compile(r"-?[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One clause, as a value and as a `contract` document."""

    clause: Clause
    document: JsonMap

    @property
    def kind(self) -> str:
        """The clause's kind, as in its id."""
        return self.clause.id.partition("/")[0]


def selector(
    tool: str,
    *,
    where: tuple[Predicate, ...] = (),
    result: tuple[Predicate, ...] = (),
    classes: tuple[str, ...] = (),
) -> Selector:
    """Return a selector of one tool."""
    text = f"{tool}#{'|'.join(classes)}" if classes else tool
    return Selector(text=text, tool=tool, where=where, result=result, classes=classes)


def equals(key: str, value: Json) -> Predicate:
    """Return the predicate that an argument has a value."""
    return compares(key, Operator.EQ, value)


def compares(key: str, operator: Operator, value: Json) -> Predicate:
    """Return the predicate that one key compares with a value."""
    literal = json.dumps(value, ensure_ascii=False)
    return Predicate(
        text=f"{_step(key)} {operator} {literal}",
        path=(_kept(key),),
        operator=operator,
        literal=value,
    )


def anywhere_matches(pattern: str) -> Predicate:
    """Return the predicate that a text at some depth matches an RE2 pattern."""
    return Predicate(
        text=f"** matches {json.dumps(pattern, ensure_ascii=False)}",
        path=("**",),
        operator=Operator.MATCHES,
        literal=pattern,
    )


def holds_text(key: str, text: str, value: Json) -> Predicate:
    """Return the predicate that an argument is a text, or holds it at some depth."""
    if isinstance(value, str):
        return equals(key, text)
    literal = json.dumps(text, ensure_ascii=False)
    if isinstance(value, list) and text in value:
        return Predicate(
            text=f"{_step(key)} contains {literal}",
            path=(_kept(key),),
            operator=Operator.CONTAINS,
            literal=text,
        )
    return Predicate(
        text=f"{_step(key)}.** == {literal}",
        path=(_kept(key), "**"),
        operator=Operator.EQ,
        literal=text,
    )


def exists(text: str = "$") -> Predicate:
    """Return the predicate that the whole value, or one key of it, is there."""
    path = () if text == "$" else (_kept(text),)
    shown = text if text == "$" else _step(text)
    return Predicate(text=f"{shown} exists", path=path, operator=Operator.EXISTS)


def _special(key: str) -> bool:
    return key in ("*", "**") or _PLACE.fullmatch(key) is not None or key.startswith("\\")


def _kept(key: str) -> str:
    return f"\\{key}" if _special(key) else key


def _step(key: str) -> str:
    plain = _WORD.fullmatch(key) and not _special(key)
    return key if plain else json.dumps(key, ensure_ascii=False)


def _written(chosen: Selector) -> Json:
    if not chosen.where and not chosen.result:
        return chosen.text
    document: JsonMap = {"tool": chosen.tool}
    if chosen.where:
        document["where"] = [p.text for p in chosen.where]
    if chosen.result:
        document["result"] = [p.text for p in chosen.result]
    if chosen.classes:
        document["class"] = "|".join(chosen.classes)
    return document


def forbidden_call(chosen: Selector) -> Proposal:
    """Propose that these calls never happen."""
    return Proposal(
        clause=ForbidCall(id="forbid_call/1", selector=chosen),
        document={"forbid_call": [_written(chosen)]},
    )


def must_call(chosen: Selector) -> Proposal:
    """Propose that such a call happens."""
    return Proposal(
        clause=MustCall(id="must_call/1", selector=chosen),
        document={"must_call": [_written(chosen)]},
    )


def max_calls(chosen: Selector, limit: int) -> Proposal:
    """Propose an upper bound; the selector has no `where`."""
    return Proposal(
        clause=MaxCalls(id="max_calls/1", selector=chosen, limit=limit),
        document={"max_calls": {chosen.text: limit}},
    )


def at_most_after(first: Selector, then: Selector, limit: int) -> Proposal:
    """Propose that few calls follow another."""
    return Proposal(
        clause=AtMostAfter(id="order/1", first=first, then=then, limit=limit),
        document={"order": [{"at_most_after": [_written(first), _written(then), limit]}]},
    )


def min_calls(chosen: Selector, limit: int) -> Proposal:
    """Propose a lower bound; the selector has neither `where` nor `result`."""
    return Proposal(
        clause=MinCalls(id="min_calls/1", selector=chosen, limit=limit),
        document={"min_calls": {chosen.text: limit}},
    )


def before(first: Selector, then: Selector) -> Proposal:
    """Propose that one call completes before another is attempted."""
    return Proposal(
        clause=Before(id="order/1", first=first, then=then),
        document={"order": [{"before": [_written(first), _written(then)]}]},
    )


def after(first: Selector, then: Selector) -> Proposal:
    """Propose that one call is followed by another."""
    return Proposal(
        clause=After(id="order/1", first=first, then=then),
        document={"order": [{"after": [_written(first), _written(then)]}]},
    )


def args_fit(tool: str, schema: JsonMap) -> Proposal:
    """Propose what the arguments of a tool must look like."""
    return Proposal(
        clause=ArgsSchema(id="args/1", selector=selector(tool), schema=schema),
        document={"args": {tool: schema}},
    )


def permission_rule(chosen: Selector, *, other_actor: str | None = None) -> PermissionRule:
    """Return the clause that somebody allows each of these calls, with its very arguments."""
    return PermissionRule(id="permissions/1", grant=chosen, covers="same_args", by=other_actor)


def granted(rule: PermissionRule) -> Proposal:
    """Propose that these calls are allowed."""
    document: JsonMap = {"grant": _written(rule.grant), "covers": rule.covers}
    if rule.by is not None:
        document["by"] = rule.by
    return Proposal(clause=rule, document={"permissions": [document]})


def finishes() -> Proposal:
    """Propose that the run ends in a text to a person, with every call answered."""
    return Proposal(clause=Finishes(id="finishes/1"), document={"finishes": True})


def identical_calls(bound: int) -> Proposal:
    """Propose an upper bound of equal calls."""
    return Proposal(
        clause=Limit(id="limits/1", measure="identical_calls", bound=bound),
        document={"limits": {"identical_calls": bound}},
    )


def model_calls(bound: int) -> Proposal:
    """Propose an upper bound of model calls."""
    return Proposal(
        clause=Limit(id="limits/1", measure="model_calls", bound=bound),
        document={"limits": {"model_calls": bound}},
    )


def evidence_needed(tool: str, predicate: Predicate) -> Proposal:
    """Propose what a claim of success must rest on."""
    return Proposal(
        clause=SuccessRequires(
            id="success_requires/1",
            evidence=Evidence(text=f"{tool}.{predicate.text}", tool=tool, predicate=predicate),
        ),
        document={"success_requires": [{"tool": tool, "pred": predicate.text}]},
    )


def quotes_results() -> Proposal:
    """Propose that the answer quotes only what the run gave."""
    return Proposal(
        clause=AnswerRule(id="answer.quotes_results/1", rule="quotes_results", value=True),
        document={"answer": {"quotes_results": True}},
    )
