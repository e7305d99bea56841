"""What a step of a review did, as text without raw values; for terminals and notebooks.

Suggested contracts are the one exception: they quote the trace, since a person must read them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from workbench.model.verdict import Result, Verdict
from workbench.model.wording import counted
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.text import bold, red, table

if TYPE_CHECKING:
    from workbench.model.case import Case
    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.verdict import Suggestion
    from workbench.redact.redaction import Redaction
    from workbench.shrink import Shrunk

__all__ = [
    "are_long_lists",
    "long_lists",
    "render_case",
    "render_redaction",
    "render_shrunk",
    "render_suggestion",
    "render_verdict",
]

_SHOWN = 12
_LISTS = frozenset({"unseen", "ledger", "trigger"})


def render_verdict(verdict: Verdict) -> str:
    """Return the verdict as text: failures first, then what is not known, then the rest."""
    order = (Result.FAIL, Result.INCONCLUSIVE, Result.PASS)
    lines = [bold(f"verdict: {verdict.result.value}")]
    for result in order:
        for clause in verdict.clauses:
            if clause.result is not result:
                continue
            places = f"  (events {', '.join(map(str, clause.evidence))})" if clause.evidence else ""
            word = red("FAIL") if result is Result.FAIL else result.value
            lines.append(f"  {word:12} {harmless(f'{clause.clause}: {clause.sentence}')}{places}")
    return "\n".join(lines)


def render_suggestion(suggestion: Suggestion) -> str:
    """Return one suggestion as text."""
    events = ", ".join(map(str, suggestion.evidence))
    contract = harmless(json.dumps(suggestion.contract, ensure_ascii=False))
    return "\n".join(
        (
            bold(f"{suggestion.confidence}: {suggestion.detector}"),
            f"  {harmless(suggestion.sentence)} (events {events})",
            f"  {contract}",
        )
    )


def long_lists(redaction: Redaction) -> JsonMap:
    """Return in full the lists of which a terminal shows the first entries; empty: it shows all."""
    lists: JsonMap = {
        "unseen": list(redaction.unseen),
        "ledger": [
            {"type": e.type, "pseudonym": e.pseudonym, "at": list(e.at)} for e in redaction.ledger
        ],
        "trigger": [{"at": n.at, "facts": list(n.facts)} for n in redaction.trigger if n.facts],
    }
    return {name: full for name, full in lists.items() if len(full) > _SHOWN}  # type: ignore[arg-type]  # lists all


def are_long_lists(document: JsonMap) -> bool:
    """Whether a document is what `long_lists` returned, of this redaction or another."""
    return bool(document) and all(
        name in _LISTS and isinstance(full, list) for name, full in document.items()
    )


def render_redaction(redaction: Redaction, *, lists: str = "") -> str:
    """Say what was replaced, which facts stayed, and what nobody has seen yet.

    Args:
        redaction: with what it replaced.
        lists: the file that has the long lists in full; empty: there is none.
    """
    where = f" in {harmless(lists)}" if lists else ""
    by_type: dict[str, int] = {}
    for entry in redaction.ledger:
        by_type[entry.type] = by_type.get(entry.type, 0) + 1
    counts = ", ".join(f"{n} {kind}" for kind, n in sorted(by_type.items(), key=lambda i: -i[1]))
    lines = [
        bold(
            f"{counted(redaction.values, 'value')} replaced in {counted(redaction.findings, 'place')}"
        ),
        *([f"  {counts}"] if counts else []),
        f"  {redaction.surviving} of {redaction.values} values reach the case",
        f"  facts: {len(redaction.facts_kept)} kept, {len(redaction.facts_lost)} lost",
        "  the failure is the same before and after",
    ]
    rows = [
        (
            entry.type,
            harmless(entry.pseudonym or "retained"),
            harmless(entry.at[0]),
            counted(len(entry.at), "place"),
        )
        for entry in redaction.ledger[:_SHOWN]
    ]
    if rows:
        lines += ["", table(rows, head=("type", "pseudonym", "first at", ""))]
    if len(redaction.ledger) > _SHOWN:
        more = len(redaction.ledger) - _SHOWN
        lines.append(f"... {more} more" + (where or ": `workbench redact` lists them all"))
    trigger = [note for note in redaction.trigger if note.facts]
    if trigger:
        lines += ["", bold("what makes it fail, and what stayed true of it")]
        lines += [f"  {harmless(n.at)}: {', '.join(n.facts)}" for n in trigger[:_SHOWN]]
        if len(trigger) > _SHOWN:
            lines.append(f"  ... {len(trigger) - _SHOWN} more{where}")
    if redaction.unreviewed:
        lines += [
            "",
            f"{counted(redaction.unreviewed, 'text')} of the case seen by nobody yet",
        ]
        lines += [f"  {harmless(place)}" for place in redaction.unseen[:_SHOWN]]
        if len(redaction.unseen) > _SHOWN:
            lines.append(f"  ... {len(redaction.unseen) - _SHOWN} more{where}")
        lines.append(
            "  Fix: read them, then say so in redaction.yaml under `decisions`; one place settles all"
        )
        lines.append(
            "  equal texts: - {at: PLACE, decision: seen, by: YOUR-NAME}; pass it with --policy"
        )
    return "\n".join(lines)


def render_shrunk(small: Draft, shrunk: Shrunk) -> str:
    """Say how small it became, what it cost, and how sure that is."""
    note = small.shrink
    assert note is not None  # noqa: S101  a shrunk draft
    before, after = note.events
    lines = [
        bold(f"{before} -> {counted(after, 'event')} in {counted(shrunk.calls, 'oracle call')}")
    ]
    if note.nodes:
        lines.append(f"  {note.nodes[0]} -> {note.nodes[1]} JSON nodes")
    if note.minimal.behaviour:
        lines.append("  no kept call or claim can be dropped without losing the failure")
    else:
        lines.append(f"  not proven minimal: {shrunk.why_stopped}")
    lines.append(f"  what the model saw before: {note.minimal.stimulus.value}")
    if shrunk.also_seen:
        lines.append(f"  other failures met on the way: {len(shrunk.also_seen)}")
    return "\n".join(lines)


def render_case(case: Case, path: str) -> str:
    """Say where the case is and what it still lacks."""
    lines = [f"{path} is {case.state.value}: {harmless(case.title)}"]
    if case.redaction is not None and case.redaction.unreviewed:
        lines.append(f"  {counted(case.redaction.unreviewed, 'text')} seen by nobody yet")
    lines.append("  next: workbench check, accept, activate")
    return "\n".join(lines)
