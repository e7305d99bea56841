"""What the demo did, read off the case file that it ends with."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from workbench.casefile.case import load_case
from workbench.check.judge import judge
from workbench.model.wording import counted
from workbench.replay.scripted import replay_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workbench.model.case import Case

__all__ = ["summary"]


def summary(path: Path) -> str:
    """Return a few lines on a case: its size, what was replaced and kept, what it forbids."""
    case = load_case(path)
    lines = [*_size(case), *_replaced(case), *_kept(case), *_broken(case), *_where(case, path)]
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"  {name:<{width}}  {text}" for name, text in lines)


def _size(case: Case) -> Iterator[tuple[str, str]]:
    if case.shrink is not None:
        before, after = case.shrink.events
        nodes = case.shrink.nodes
        values = "" if nodes is None else f", {nodes[0]} -> {nodes[1]} JSON values"
        yield "size", f"{before} -> {counted(after, 'event')}{values}"
        yield "", f"{case.shrink.oracle_calls} times judged; {_minimal(case)}"


def _minimal(case: Case) -> str:
    note = case.shrink
    if note is not None and note.minimal.behaviour:
        return "no call or claim that is left can be dropped"
    return "not proven minimal"


def _replaced(case: Case) -> Iterator[tuple[str, str]]:
    if case.redaction is None:
        return
    entries = case.redaction.ledger
    types = Counter(entry.type for entry in entries if entry.pseudonym is not None)
    named = ", ".join(f"{count} {kind}" for kind, count in sorted(types.items()))
    yield "replaced", f"{sum(types.values())} values that reach the case: {named}"
    residue = case.redaction.residue
    yield "", f"{residue.hits} of them found in {residue.views} views of the final bytes"
    for entry in entries:
        if entry.pseudonym is None:
            yield "left", f"a {entry.type}, {entry.decision} by a person: {entry.reason}"
    yield "", f"{counted(case.redaction.unreviewed, 'surviving text')} seen by nobody"


def _kept(case: Case) -> Iterator[tuple[str, str]]:
    name = "facts kept"
    for note in case.trigger:
        if note.facts:
            yield name, f"{note.at}: {', '.join(note.facts)}"
            name = ""


def _broken(case: Case) -> Iterator[tuple[str, str]]:
    name = "broken"
    verdict = judge(replay_path(case, case.recorded), case.contract)
    for violation in verdict.violations:
        events = ", ".join(map(str, violation.evidence))
        yield name, f"{violation.clause}: {violation.sentence}"
        yield "", f"  events {events} of the recorded path"
        name = ""


def _where(case: Case, path: Path) -> Iterator[tuple[str, str]]:
    accepted = ", ".join(other.name for other in case.accepted)
    yield "paths", f"{case.recorded.name} must stay red, {accepted or 'none'} must stay green"
    yield "case", f"{path} ({path.stat().st_size} bytes, {case.state.value}, {case.owner})"
