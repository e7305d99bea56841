"""Clauses that contradict one another, or that nothing could ever satisfy.

Every check takes the clauses and returns the first `Conflict`, or None. Only what is certain
from the contract alone is reported: two globs, or two conditions, may or may not overlap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.model.contract import (
    After,
    AnswerRule,
    Before,
    Clause,
    ForbidCall,
    ImmediatelyAfter,
    Limit,
    MaxCalls,
    MinCalls,
    MustCall,
    OnlyCall,
    Selector,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Conflict", "find_conflict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A clause that can never hold, and why; no literals."""

    clause: str
    message: str
    fix: str


def find_conflict(clauses: Sequence[Clause]) -> Conflict | None:
    """Return the first clause that can never hold together with the others."""
    found = (
        conflict
        for check in (
            _check_forbidden_duties,
            _check_closed_list,
            _check_counts,
            _check_total,
            _check_self_orders,
            _check_answers,
        )
        for conflict in check(clauses)
    )
    return next(found, None)


def _duties(clauses: Iterable[Clause]) -> Iterator[tuple[str, Selector, int]]:
    """Yield each clause that asks for calls: its id, which calls, how many."""
    for clause in clauses:
        match clause:
            case MustCall():
                yield clause.id, clause.selector, 1
            case MinCalls() if clause.limit > 0:
                yield clause.id, clause.selector, clause.limit
            case _:
                pass


def _check_forbidden_duties(clauses: Sequence[Clause]) -> Iterator[Conflict]:
    forbidden = [clause for clause in clauses if isinstance(clause, ForbidCall)]
    for duty, selector, _ in _duties(clauses):
        for clause in forbidden:
            if _covers(clause.selector, selector):
                yield Conflict(
                    clause=clause.id,
                    message=f"forbids every call that {duty} asks for; both can never hold",
                    fix="remove one, or narrow the forbidden calls with `where`",
                )


def _check_closed_list(clauses: Sequence[Clause]) -> Iterator[Conflict]:
    for clause in clauses:
        if not isinstance(clause, OnlyCall):
            continue
        for duty, selector, _ in _duties(clauses):
            if (
                "*" not in selector.tool
                and selector.by == "agent"
                and not any(
                    _glob_covers(allowed.tool, selector.tool) for allowed in clause.selectors
                )
            ):
                yield Conflict(
                    clause=clause.id,
                    message=f"leaves out the tool that {duty} asks for; both can never hold",
                    fix="add the tool to only_call",
                )


def _check_counts(clauses: Sequence[Clause]) -> Iterator[Conflict]:
    for clause in clauses:
        if not isinstance(clause, MaxCalls):
            continue
        for duty, selector, wanted in _duties(clauses):
            if wanted > clause.limit and _covers(clause.selector, selector):
                yield Conflict(
                    clause=clause.id,
                    message=f"allows {clause.limit} calls and {duty} asks for {wanted}",
                    fix="raise the one or lower the other",
                )


def _check_total(clauses: Sequence[Clause]) -> Iterator[Conflict]:
    wanted: dict[str, int] = {}
    for _, selector, count in _duties(clauses):
        if "*" not in selector.tool and selector.by == "agent":
            wanted[selector.tool] = max(count, wanted.get(selector.tool, 0))
    total = sum(wanted.values())
    for clause in clauses:
        if isinstance(clause, Limit) and clause.measure == "tool_calls" and clause.bound < total:
            yield Conflict(
                clause=clause.id,
                message=f"allows {clause.bound} calls and the contract asks for {total}",
                fix="raise the limit or ask for less",
            )


def _check_self_orders(clauses: Sequence[Clause]) -> Iterator[Conflict]:
    for clause in clauses:
        if isinstance(clause, Before | After | ImmediatelyAfter) and (
            _bare(clause.first) == _bare(clause.then)
        ):
            yield Conflict(
                clause=clause.id,
                message="asks each call for another one of the same kind, without end",
                fix="name two different calls, or use max_calls or forbid_call",
            )


def _check_answers(clauses: Sequence[Clause]) -> Iterator[Conflict]:
    texts = {
        clause.rule: clause.value if isinstance(clause.value, list) else []
        for clause in clauses
        if isinstance(clause, AnswerRule)
    }
    names = {clause.rule: clause.id for clause in clauses if isinstance(clause, AnswerRule)}
    for rule in ("contains", "matches"):
        if any(text in texts.get(rule, []) for text in texts.get(f"not_{rule}", [])):
            yield Conflict(
                clause=names[rule],
                message=f"asks for a text that not_{rule} forbids; both can never hold",
                fix="remove one of them",
            )


def _bare(selector: Selector) -> Selector:
    return replace(selector, text="")


def _covers(wide: Selector, narrow: Selector) -> bool:
    """Whether each call that `narrow` selects is certainly one of `wide`."""
    if _bare(wide) == _bare(narrow):
        return True
    return (
        not wide.where
        and not wide.result
        and wide.classes in ((), ("any",), narrow.classes)
        and wide.agent in (None, narrow.agent)
        and wide.by in ("any", narrow.by)
        and _glob_covers(wide.tool, narrow.tool)
    )


def _glob_covers(wide: str, narrow: str) -> bool:
    """Whether a glob matches a name, or each name of a glob whose stars it sees as text."""
    pattern = ".*".join(re.escape(part) for part in wide.split("*"))
    return re.fullmatch(pattern, narrow, re.DOTALL) is not None
