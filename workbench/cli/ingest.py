"""`workbench ingest FILE...`: read trace files into the store.

Each file is one batch: all of it is stored, or nothing. Of several files the good ones are
taken, the bad ones named, and the exit code is then 4.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.check.outcomes import assumed_tools
from workbench.cli.options import (
    add_json,
    add_store,
    add_tools,
    complain,
    print_json,
    relative,
    settings_of,
    store_of,
)
from workbench.cli.progress import Progress
from workbench.errors import InputError
from workbench.ingest.reader import FORMATS, file_digest, read_source, read_tools
from workbench.model.trace import Grade, Imported
from workbench.review.source import declared_tools, proposed_effect, with_tools
from workbench.runner.reports.harmless import harmless
from workbench.store.append import SourceFile
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator, Sequence

    from workbench.model.trace import Tool
    from workbench.store.append import Commit
    from workbench.store.handle import Store

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="trace files")
    parser.add_argument("--format", default="auto", choices=("auto", *FORMATS), help="of the files")
    parser.add_argument("--explain", metavar="RUN", help="say what one run of the files lost")
    add_tools(parser)
    add_store(parser)
    add_json(parser)


@dataclass
class _Tally:
    """What was read so far."""

    runs: int = 0
    events: int = 0
    duplicates: int = 0
    grades: Counter[str] = field(default_factory=Counter)
    assumed: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)
    batches: list[dict[str, object]] = field(default_factory=list)
    failed: bool = False
    explained: list[str] = field(default_factory=list)


def execute(options: Namespace) -> int:
    """Store every file and say what came in and what was lost."""
    settings = settings_of()
    declared = declared_tools(settings, read_tools(options.tools) if options.tools else ())
    store = open_store(store_of(options, settings))
    tally = _Tally()
    for path in options.files:
        try:
            _take(path, store, tally, options=options, declared=declared)
        except InputError as error:
            tally.failed = True
            complain(f"workbench: {error}")
    _report(tally, options)
    return 4 if tally.failed else 0


def _take(
    path: Path,
    store: Store,
    tally: _Tally,
    *,
    options: Namespace,
    declared: Sequence[Tool],
) -> None:
    seen = _Tally()
    with Progress(relative(path), stream=sys.stderr) as progress:
        runs = read_source(path, format=options.format, on_progress=progress)
        source = SourceFile(name=path.name, format=options.format, digest=file_digest(path))
        commit = store.append(
            _watched(runs, seen, declared, explain=options.explain), source=source
        )
    _add(tally, seen, commit, path)
    if not commit.repeated and seen.runs and len(seen.unreadable) == seen.runs:
        tally.failed = True
        complain(f"workbench: {relative(path)}: no usable run; its records are stored raw")


def _watched(
    runs: Iterator[Imported], seen: _Tally, declared: Sequence[Tool], *, explain: str | None
) -> Iterator[Imported]:
    """Count the runs on their way into the store."""
    for run in runs:
        seen.runs += 1
        run = _with_tools(run, declared)  # noqa: PLW2901  what is stored is what is counted
        seen.grades[run.losses.grade.value] += 1
        if run.trace is None:
            seen.unreadable.append(f"{run.run_id}: {run.parse_error}")
        else:
            seen.events += len(run.trace.events)
            seen.assumed.update(assumed_tools(run.trace, {}))
        if explain == run.run_id:
            seen.explained.extend(_explanation(run))
        yield run


def _with_tools(run: Imported, declared: Sequence[Tool]) -> Imported:
    return run if run.trace is None else replace(run, trace=with_tools(run.trace, declared))


def _explanation(run: Imported) -> Iterator[str]:
    yield f"{run.run_id}: {run.losses.grade.value}"
    if run.parse_error:
        yield f"  unreadable: {run.parse_error}"
    for loss in run.losses.items:
        cap = "" if loss.caps is Grade.REPLAYABLE else f"  [at best {loss.caps.value}]"
        yield f"  {loss.kind} x{loss.count}: {loss.note}{cap}"
    if not run.losses.items and not run.parse_error:
        yield "  nothing was lost"


def _add(tally: _Tally, seen: _Tally, commit: Commit, path: Path) -> None:
    if not commit.repeated:
        tally.runs += commit.runs
        tally.events += commit.events
    tally.duplicates += commit.duplicates
    tally.grades.update(seen.grades)
    tally.assumed |= seen.assumed
    tally.unreadable += [f"{relative(path)}#{text}" for text in seen.unreadable]
    tally.explained += seen.explained
    tally.batches.append(
        {
            "file": path.name,
            "batch_id": commit.batch_id,
            "runs": commit.runs,
            "duplicates": commit.duplicates,
        }
    )


def _report(tally: _Tally, options: Namespace) -> None:
    for line in tally.unreadable:
        complain(harmless(f"unreadable, stored raw: {line}"))
    if options.explain and not tally.explained:
        complain(harmless(f"no run {options.explain!r} in these files"))
    if options.json:
        print_json(
            {
                "runs": tally.runs,
                "events": tally.events,
                "duplicates": tally.duplicates,
                "grades": dict(tally.grades),
                "batch_id": str(tally.batches[-1]["batch_id"]) if tally.batches else None,
                "batches": [{k: _plain(v) for k, v in batch.items()} for batch in tally.batches],
                "assumed_tools": [*sorted(tally.assumed)],
            }
        )
        return
    print(f"{tally.runs} runs, {tally.events} events stored")
    if tally.duplicates:
        print(f"{tally.duplicates} runs were here already; nothing was added for them")
    for grade in Grade:
        if tally.grades[grade.value]:
            print(f"  {tally.grades[grade.value]:6} {grade.value}")
    for line in tally.explained:
        print(harmless(line))
    if tally.assumed:
        guesses = ", ".join(
            f"{name} ({proposed_effect(name).value}?)" for name in sorted(tally.assumed)
        )
        print(harmless(f"effect not declared, taken as write: {guesses}"))
        print("  Fix: declare effects in workbench.toml, or give --tools FILE")


def _plain(value: object) -> str | int:
    return value if isinstance(value, int) else str(value)
