"""`workbench doctor RUN|FILE`: what a recorder did not keep, and the setting that brings it back.

For a newcomer's first file and for one run alike; nothing is stored.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.options import (
    print_json,
    settings_of,
    store_of,
)
from workbench.errors import InputError
from workbench.ingest.formats import checked_format
from workbench.ingest.reader import load_run, read_source, read_tools
from workbench.model.trace import Grade
from workbench.review.checkup import Checkup, checkup_document, checkup_lines, stored_checkup
from workbench.review.source import declared_tools, is_file
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Sequence

    from workbench.model.settings import Settings
    from workbench.model.trace import Imported, Tool

__all__ = ["execute"]

_USAGE = 4


def execute(options: Namespace) -> int:
    """Print the report: 0; 4 if no run could be read at all."""
    checked_format(options.format)
    settings = settings_of()
    tools = declared_tools(settings, read_tools(options.tools) if options.tools else ())
    checkup = _checkup(options, settings, tools)
    if options.json:
        print_json(checkup_document(checkup))
    else:
        print("\n".join(checkup_lines(checkup)))
    return _USAGE if checkup.grades[Grade.UNUSABLE] == checkup.runs else 0


def _checkup(options: Namespace, settings: Settings, tools: Sequence[Tool]) -> Checkup:
    reference = options.run
    if is_file(Path(reference)):
        return _of_file(read_source(reference, format=options.format, tools=tools), tools)
    if "#" in reference and is_file(Path(reference.partition("#")[0])):
        return _of_file([load_run(reference, format=options.format, tools=tools)], tools)
    if not reference or "/" in reference or Path(reference).suffix in _ENDINGS:
        raise InputError(
            "is no file", place=reference or "RUN", fix="check the path; a run id needs no path"
        )
    with open_store(store_of(options, settings), create=False) as store:
        return stored_checkup(store, reference, tools=tools)


_ENDINGS = (".json", ".jsonl", ".gz", ".eval", ".yaml", ".yml", ".traj", ".pb", ".bin")


def _of_file(runs: Iterable[Imported], tools: Sequence[Tool]) -> Checkup:
    found = Checkup(tools=tools)
    for run in runs:
        found.add(run.run_id, run.trace, run.losses, reason=run.parse_error)
    return found
