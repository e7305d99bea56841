"""`workbench ingest FILE...`: read trace files into the store.

Of several files the good ones are taken, the bad ones named, and the exit code is then 4.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from workbench.cli.options import (
    complain,
    print_json,
    relative,
    settings_of,
    store_of,
)
from workbench.cli.progress import Progress
from workbench.errors import InputError, UnknownRunError
from workbench.ingest.formats import checked_format
from workbench.ingest.reader import read_tools
from workbench.model.trace import Grade
from workbench.model.wording import counted
from workbench.review.checkup import (
    ASSUMED_FIX,
    Checkup,
    checkup_document,
    checkup_lines,
    loss_documents,
    loss_lines,
    stored_checkup,
)
from workbench.review.intake import Intake, take_file
from workbench.review.source import declared_tools, proposed_effect
from workbench.runner.reports.harmless import harmless
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Tool
    from workbench.store.handle import Store

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Store every file and say what came in and what was lost."""
    checked_format(options.format)
    settings = settings_of()
    tools = declared_tools(settings, read_tools(options.tools) if options.tools else ())
    with open_store(store_of(options, settings)) as store:
        taken = dict(_taken(options, store, tools))
        explained = _explained(options.explain, taken, store, tools)
    lost = _lost(taken)
    if options.json:
        told = {} if explained is None else {"explained": checkup_document(explained)}
        print_json({**_document(taken, lost), **told})
    else:
        print("\n".join(_lines(taken, lost, explained)))
    useless = [path for path, intake in taken.items() if intake.is_useless]
    for path in useless:
        complain(
            f"workbench: {relative(path)}: no usable run; its records are stored raw\n"
            "  Fix: `workbench doctor FILE` says what is wrong with its records, --format names "
            "the right format"
        )
    if options.explain and explained is None:
        complain(f"no run {options.explain!r} among those that were read, nor in the store")
    return 4 if useless or len(taken) < len(set(options.files)) else 0


def _taken(
    options: Namespace, store: Store, tools: Sequence[Tool]
) -> Iterator[tuple[Path, Intake]]:
    for path in dict.fromkeys(options.files):
        try:
            with Progress(stream=sys.stderr) as progress:
                intake = take_file(
                    store,
                    path,
                    format=options.format,
                    tools=tools,
                    explain_run=options.explain,
                    on_progress=partial(progress.step, f"reading {relative(path)}"),
                )
        except InputError as error:
            complain(f"workbench: {error}")
            continue
        for run_id, reason in intake.checkup.unreadable.items():
            complain(f"unreadable, stored raw: {relative(path)}#{run_id}: {reason}")
        yield path, intake


def _explained(
    run_id: str | None, taken: dict[Path, Intake], store: Store, tools: Sequence[Tool]
) -> Checkup | None:
    """Return the report of the run that was asked about, also where its file was here before."""
    if run_id is None:
        return None
    read = (intake.explained for intake in taken.values())
    found = next((checkup for checkup in read if checkup is not None), None)
    if found is not None:
        return found
    try:
        return stored_checkup(store, run_id, tools=tools)
    except UnknownRunError:
        return None


def _lost(taken: dict[Path, Intake]) -> Checkup:
    lost = Checkup()
    for intake in taken.values():
        lost.merge(intake.checkup)
    return lost


def _document(taken: dict[Path, Intake], lost: Checkup) -> JsonMap:
    batches: list[JsonMap] = [
        {
            "file": path.name,
            "batch_id": intake.commit.batch_id,
            "runs": intake.runs,
            "duplicates": intake.commit.duplicates,
        }
        for path, intake in taken.items()
    ]
    return {
        "runs": sum(intake.runs for intake in taken.values()),
        "events": sum(intake.events for intake in taken.values()),
        "duplicates": sum(intake.commit.duplicates for intake in taken.values()),
        "grades": {grade.value: count for grade, count in lost.grades.items()},
        "losses": loss_documents(lost),
        "batch_id": batches[-1]["batch_id"] if batches else None,
        "batches": [*batches],
        "assumed_tools": [*sorted(lost.assumed)],
    }


def _lines(taken: dict[Path, Intake], lost: Checkup, explained: Checkup | None) -> Iterator[str]:
    runs = sum(intake.runs for intake in taken.values())
    events = sum(intake.events for intake in taken.values())
    yield f"{counted(runs, 'run')}, {counted(events, 'event')} stored"
    duplicates = sum(intake.commit.duplicates for intake in taken.values())
    if duplicates:
        yield f"{counted(duplicates, 'run')} here already; nothing was added for them"
    yield from (f"  {lost.grades[g]:6} {g.value}" for g in Grade if lost.grades[g])
    yield from _loss_lines(lost)
    if explained is not None:
        yield from checkup_lines(explained)
    if lost.assumed:
        guesses = ", ".join(
            f"{name} ({proposed_effect(name).value}?)" for name in sorted(lost.assumed)
        )
        yield harmless(f"effect not declared, taken as write: {guesses}")
        yield f"  Fix: {ASSUMED_FIX}"


def _loss_lines(lost: Checkup) -> Iterator[str]:
    """Say which losses lower a grade; the rest is for whoever asks."""
    costly = [
        (loss, runs)
        for loss, runs in lost.losses
        if loss.caps is not Grade.REPLAYABLE and loss.kind != "unreadable"
    ]
    if not costly:
        return
    yield "lost, which lowers the grade:"
    for loss, runs in costly:
        yield from (f"  {line}" for line in loss_lines(loss, runs=runs))
    yield "  `workbench doctor FILE` or `workbench doctor RUN` says all that was lost"
