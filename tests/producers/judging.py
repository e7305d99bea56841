"""What a producer's emission has to be read as, and what speaks against it.

Nothing may be lost in silence: every kind of loss has to be expected, every span has to be in a
dialect that we read or among those that are known to tell nothing of an agent.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from tests.corpus.generated import CANONICAL, Row, facets_of, without
from workbench.ingest.files.source import pieces_in
from workbench.ingest.otlp.assemble import dialect_of
from workbench.ingest.otlp.spans import span_of
from workbench.ingest.reader import read_source
from workbench.model.event import Permission
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from workbench.model.trace import Losses, Trace

__all__ = ["COLLECTED", "NOT_PLAYED", "Emission", "Read", "problems", "read_all"]

COLLECTED = "collected"
"""Stands for the file where an emission went to `workbench collect`."""

NOT_PLAYED = ""
"""In place of a loss: the facet is no part of this take, say because a call was refused."""

_ANYWHERE = frozenset({"tools_not_listed"})
"""Depends on what the recorder lists, not on what it saw; said everywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Emission:
    """One thing that comes out of a take, and what is expected of it."""

    row: Row
    dialects: frozenset[str] = frozenset()
    """Of its spans."""
    silent: frozenset[str] = frozenset()
    """First words of names of spans that tell nothing of an agent."""
    decisions: tuple[str, ...] = ()
    """Permissions, in order."""
    fault: str = ""
    """What we are known to read wrongly; it has to show, or the row is out of date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One run as it was read."""

    trace: Trace
    losses: Losses
    dialects: frozenset[str] = frozenset()
    strangers: frozenset[str] = frozenset()
    """First words of names of spans in no dialect."""


def read_all(folder: Path, emission: Emission) -> list[Read]:
    """Return the runs of an emission; a record that is no trace is none."""
    if emission.row.file != COLLECTED:
        return [
            Read(trace=run.trace, losses=run.losses)
            for run in read_source(folder / emission.row.file)
            if run.trace is not None
        ]
    with open_store(folder / "store", create=False) as store:
        found = []
        for run_id in sorted(store.run_ids()):
            trace, losses, _ = store.imported(run_id)
            spans = list(_spans(store.pieces(run_id)))
            found.append(
                Read(
                    trace=trace,
                    losses=losses,
                    dialects=frozenset(name for _, name in spans if name),
                    strangers=frozenset(words for words, name in spans if not name),
                )
            )
        return found


def _spans(batches: Sequence[bytes]) -> Iterator[tuple[str, str | None]]:
    """Yield the first word of each span's name, and its dialect."""
    for piece in chain.from_iterable(map(pieces_in, batches)):
        span = span_of(piece.value, "")
        if span is not None:
            dialect = dialect_of(span)
            yield span.name.partition(" ")[0], None if dialect is None else dialect.name


def problems(runs: list[Read], emission: Emission) -> Iterator[str]:
    """Yield what is not as it has to be."""
    row = emission.row
    if len(runs) != row.runs:
        yield f"{len(runs)} runs; expected {row.runs}"
    if not runs:
        return
    run = max(runs, key=lambda one: len(one.trace.events))
    source = run.trace.source
    if source is None or source.format != row.format:
        yield f"read as {source and source.format}; expected {row.format}"
    yield from _facets(run, row)
    kinds = {loss.kind for loss in run.losses.items} - _ANYWHERE
    expected = {*row.lost.values(), *row.also} - {NOT_PLAYED}
    if kinds != expected:
        yield f"losses {sorted(kinds)}; expected {sorted(expected)}"
    if run.losses.grade is not row.grade:
        yield f"is {run.losses.grade}; expected {row.grade}"
    if run.dialects != emission.dialects:
        yield f"spans in {sorted(run.dialects)}; expected {sorted(emission.dialects)}"
    if run.strangers != emission.silent:
        yield f"spans in no dialect: {sorted(run.strangers)}; expected {sorted(emission.silent)}"
    decisions = tuple(event.decision for event in run.trace.events if isinstance(event, Permission))
    if decisions != emission.decisions:
        yield f"permissions {decisions}; expected {emission.decisions}"


def _facets(run: Read, row: Row) -> Iterator[str]:
    seen, expected = without(facets_of(run.trace), row.lost), without(CANONICAL, row.lost)
    if "order" in row.lost:
        if seen == expected:
            yield "the order is there after all"
        seen, expected = sorted(seen), sorted(expected)
    if seen != expected:
        missing = [facet for facet in expected if facet not in seen]
        more = [facet for facet in seen if facet not in expected]
        yield f"missing {missing}, unexpected {more}" if missing or more else f"other order {seen}"
    kept = {name for name, _ in facets_of(run.trace)}
    for name, kind in row.lost.items():
        if name == "order" or kind == NOT_PLAYED:
            continue
        facets = {facet for facet, _ in CANONICAL if name in (facet, facet.split()[0])}
        if not facets - kept:
            yield f"{name} is there after all"
