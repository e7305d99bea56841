"""`workbench ingest FILE...`: read trace files into the store.

Of several files the good ones are taken, the bad ones named, and the exit code is then 4.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

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
from workbench.ingest.formats import FORMATS, checked_format
from workbench.ingest.reader import read_tools
from workbench.model.trace import Grade
from workbench.review.intake import Intake, take_file
from workbench.review.source import declared_tools, proposed_effect
from workbench.runner.reports.harmless import harmless
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from workbench.model.jsonvalue import JsonMap

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="trace files")
    parser.add_argument(
        "--format",
        default="auto",
        metavar="FORMAT",
        help=f"of the files: auto, {', '.join(FORMATS)}, or one that another package adds",
    )
    parser.add_argument("--explain", metavar="RUN", help="say what one run of the files lost")
    add_tools(parser)
    add_store(parser)
    add_json(parser)


def execute(options: Namespace) -> int:
    """Store every file and say what came in and what was lost."""
    checked_format(options.format)
    taken = dict(_taken(options))
    if options.json:
        print_json(_document(taken))
        for line in _explained(taken):
            complain(line)
    else:
        print("\n".join(_lines(taken)))
    useless = [path for path, intake in taken.items() if intake.is_useless]
    for path in useless:
        complain(
            f"workbench: {relative(path)}: no usable run; its records are stored raw\n"
            "  Fix: --explain RUN says what is wrong with a record, --format names the right format"
        )
    if options.explain and not any(intake.explained for intake in taken.values()):
        complain(f"no run {options.explain!r} among those that were read")
    return 4 if useless or len(taken) < len(set(options.files)) else 0


def _taken(options: Namespace) -> Iterator[tuple[Path, Intake]]:
    settings = settings_of()
    tools = declared_tools(settings, read_tools(options.tools) if options.tools else ())
    with open_store(store_of(options, settings)) as store:
        for path in dict.fromkeys(options.files):
            try:
                with Progress(relative(path), stream=sys.stderr) as progress:
                    intake = take_file(
                        store,
                        path,
                        format=options.format,
                        tools=tools,
                        explain_run=options.explain,
                        on_progress=progress,
                    )
            except InputError as error:
                complain(f"workbench: {error}")
                continue
            for line in intake.unreadable:
                complain(f"unreadable, stored raw: {relative(path)}#{line}")
            yield path, intake


def _document(taken: dict[Path, Intake]) -> JsonMap:
    grades = sum((Counter(intake.grades) for intake in taken.values()), Counter())
    assumed = {name for intake in taken.values() for name in intake.assumed_tools}
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
        "grades": dict(grades),
        "batch_id": batches[-1]["batch_id"] if batches else None,
        "batches": [*batches],
        "assumed_tools": [*sorted(assumed)],
    }


def _explained(taken: dict[Path, Intake]) -> tuple[str, ...]:
    return tuple(line for intake in taken.values() for line in intake.explained)


def _lines(taken: dict[Path, Intake]) -> Iterator[str]:
    runs = sum(intake.runs for intake in taken.values())
    events = sum(intake.events for intake in taken.values())
    yield f"{runs} runs, {events} events stored"
    duplicates = sum(intake.commit.duplicates for intake in taken.values())
    if duplicates:
        yield f"{duplicates} runs were here already; nothing was added for them"
    grades = sum((Counter(intake.grades) for intake in taken.values()), Counter())
    yield from (f"  {grades[g.value]:6} {g.value}" for g in Grade if grades[g.value])
    yield from map(harmless, _explained(taken))
    assumed = sorted({name for intake in taken.values() for name in intake.assumed_tools})
    if assumed:
        guesses = ", ".join(f"{name} ({proposed_effect(name).value}?)" for name in assumed)
        yield harmless(f"effect not declared, taken as write: {guesses}")
        yield "  Fix: declare effects in workbench.toml, or give --tools FILE"
