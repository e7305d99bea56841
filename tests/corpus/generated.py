"""One scenario from many producers: what each file must say, and what it is expected to have lost.

The scenario: `lookup_account` answers, `get_operation` fails with a 504 time-out, asked again it
answers `pending`, and the final answer claims that the refund has completed.

A *facet* is one thing that a file says. A row of the table names the facets that a producer did
not keep, each with the kind of the loss that must report it; everything else must be there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.model.event import (
    Claim,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.trace import Trace

__all__ = ["CANONICAL", "Row", "facets_of", "without"]

CANONICAL = [
    ("system", "billing agent"),
    ("task", "Has the refund op_991 for account ACC-00I7 gone through?"),
    ("call 1", "lookup_account"),
    ("args 1", '{"account_id": "ACC-00I7"}'),
    ("call 2", "get_operation"),
    ("args 2", '{"operation_id": "op_991"}'),
    ("result 1", "active"),
    ("result 2", "504"),
    ("mark 2", "error"),
    ("call 3", "get_operation"),
    ("args 3", '{"operation_id": "op_991"}'),
    ("result 3", "pending"),
    ("claim", "op_991 has completed"),
]
"""What happened, in order; results of one turn in the order of their calls."""

_SIGNS = ("active", "504", "pending")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One file of the corpus."""

    file: str
    format: str
    grade: Grade = Grade.REPLAYABLE
    lost: dict[str, str] = field(default_factory=dict)
    """Facet, or the word that facets begin with, -> kind of the loss that names it."""
    also: frozenset[str] = frozenset()
    """Kinds of losses that must be reported too."""
    runs: int = 1
    """Runs in the file; the one with most events is compared."""


def facets_of(trace: Trace) -> list[tuple[str, str]]:
    """Return what a trace says of the scenario, in the order of the canonical list."""
    return [facet for at, facet in sorted(_facets(trace), key=lambda one: one[0])]


def without(facets: list[tuple[str, str]], lost: dict[str, str]) -> list[tuple[str, str]]:
    """Return the facets that are not expected to be lost."""
    return [facet for facet in facets if not {facet[0], facet[0].split()[0]} & lost.keys()]


def _facets(trace: Trace) -> Iterator[tuple[tuple[int, int], tuple[str, str]]]:
    number: dict[str, int] = {}
    place: dict[str, tuple[int, int]] = {}
    turn = 0
    seen: set[str] = set()
    last = ""
    for event in trace.events:
        match event:
            case SystemMessage() | UserMessage():
                name = "system" if isinstance(event, SystemMessage) else "task"
                if name not in seen:
                    yield (-1, name == "task"), (name, _said(event))
                seen.add(name)
            case ToolCall():
                turn += last != "call"
                n = number[event.call_id] = len(number) + 1
                place[event.call_id] = (2 * turn + 1, n)
                yield (2 * turn, 2 * n), (f"call {n}", event.tool)
                if event.args is not ABSENT:
                    yield (2 * turn, 2 * n + 1), (f"args {n}", json.dumps(event.args))
                last = "call"
                continue
            case ToolResult():
                n = number[event.call_id]
                text = _answer(event)
                sign = next((sign for sign in _SIGNS if sign in text), None)
                if sign is not None:
                    yield (place[event.call_id][0], 2 * n), (f"result {n}", sign)
                if event.error is not None:
                    yield (place[event.call_id][0], 2 * n + 1), (f"mark {n}", "error")
            case Claim() if event.final:
                phrase = "op_991 has completed"
                yield (10_000, 0), ("claim", phrase if phrase in event.text else event.text)
        last = event.kind


def _said(event: SystemMessage | UserMessage) -> str:
    """Return the part of a text that all producers have; frameworks wrap it in words of theirs."""
    known = "billing agent" if isinstance(event, SystemMessage) else CANONICAL[1][1]
    return known if known in event.text else event.text


def _answer(event: ToolResult) -> str:
    error = event.error
    parts: list[object] = [event.result_raw, None if event.result is ABSENT else event.result]
    if error is not None:
        parts += [error.message, error.status, None if error.body is ABSENT else error.body]
    return " ".join(str(part) for part in parts if part is not None)
