"""Reads trace files: which format, which runs, and what of each could be recovered.

A file is read twice, a small one from memory. The first time it is only surveyed: if it is damaged, ambiguous, holds no
trace, or uses one run id for two contents, the error comes before the first run is handed out,
so that nobody stores half a file. The second time each run becomes an `Imported`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from workbench.casefile.files import shown_path
from workbench.casefile.place import nearest
from workbench.errors import InputError, UnknownRunError
from workbench.ingest.events.toollist import offered_tools, read_tools
from workbench.ingest.files.source import file_digest, open_source
from workbench.ingest.formats import AUTO, FORMATS, checked_format
from workbench.ingest.gather import gathered
from workbench.ingest.imported import imported
from workbench.ingest.importers.results_record import FORMAT as RESULTS
from workbench.ingest.joined import is_joinable, joined, with_apart
from workbench.ingest.survey import survey
from workbench.ingest.trial_results import is_results_file, runs_of_results
from workbench.model.trace import Imported, Losses, Source, Tool, Trace

__all__ = [
    "FORMATS",
    "file_digest",
    "ingest_traces",
    "load_run",
    "offered_tools",
    "read_source",
    "read_tools",
]

Progress: TypeAlias = Callable[[int, int], None]
"""Is told bytes done and bytes in all; a file counts twice, as it is read twice."""

_SHOWN_IDS: Final = 5


def read_source(
    path: str | os.PathLike[str],
    *,
    format: str = AUTO,  # noqa: A002  named as the flag is
    tools: Sequence[Tool] = (),
    on_progress: Progress | None = None,
) -> Iterator[Imported]:
    """Yield the runs of a file; a record that is no trace comes with `parse_error`.

    A run that stands in the file twice, byte for byte, is yielded twice: whoever stores runs
    counts duplicates.

    Args:
        path: JSON or JSON Lines, plain or gzip.
        format: name of a format; `auto`: recognised by content.
        tools: declared tools, with their effects.
        on_progress: see `Progress`.

    Raises:
        InputError: before the first run: the file cannot be read, no record in it is a trace,
            its format is ambiguous, or one run id has two contents.
    """
    checked_format(format)
    source = open_source(path)
    size = source.path.stat().st_size
    tell = on_progress or _silent
    if format in (AUTO, RESULTS.name) and is_results_file(source):
        yield from runs_of_results(source, tools=tools)
        tell(2 * size, 2 * size)
        return
    found = survey(source, wanted=format, on_bytes=lambda done: tell(done, 2 * size))
    pieces = found.again(source, on_bytes=lambda done: tell(size + done, 2 * size))
    for run in gathered(pieces, found):
        yield imported(run, file=source.path.name, tools=tools)


def ingest_traces(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    format: str = AUTO,  # noqa: A002  named as the flag is
    tools: Sequence[Tool] = (),
) -> list[tuple[Trace, Losses]]:
    """Return the runs of files with their loss reports, without a store.

    Spans of one trace that stand in several of the files make one run.

    A record that is no trace is there too: without events, and graded `unusable`. A run that
    stands in a file twice is returned once.

    Raises:
        InputError: a file cannot be read as a whole (see `read_source`).
    """
    files = (paths,) if isinstance(paths, str | os.PathLike) else tuple(paths)
    found: dict[tuple[int, str], tuple[Imported, str | os.PathLike[str]]] = {}
    for at, path in enumerate(files):
        for run in read_source(path, format=format, tools=tools):
            key = (-1 if is_joinable(run) else at, run.run_id)
            before = found.get(key)
            if before is not None and key[0] < 0:
                whole = joined(run, before[0].raw, tools=tools)
                found[key] = whole or with_apart(run), path
            else:
                found[key] = run, path
    return [(run.trace or _empty(run, path), run.losses) for run, path in found.values()]


def _empty(run: Imported, path: str | os.PathLike[str]) -> Trace:
    return Trace(run_id=run.run_id, source=Source(file=Path(path).name))


def load_run(
    reference: str,
    *,
    format: str = AUTO,  # noqa: A002  named as the flag is
    tools: Sequence[Tool] = (),
) -> Imported:
    """Return one run of a file.

    Args:
        reference: `FILE`, where the file holds one run, or `FILE#RUN_ID`.
        format: as for `read_source`.
        tools: as for `read_source`.

    Raises:
        UnknownRunError: the file has no run of that id.
        InputError: the file cannot be read, or holds several runs and none was named.
    """
    path, run_id = _split(reference)
    runs = {run.run_id: run for run in read_source(path, format=format, tools=tools)}
    if run_id is None:
        if len(runs) == 1:
            return next(iter(runs.values()))
        raise InputError(
            f"holds {len(runs)} runs; expected one, or a run's id behind #",
            place=shown_path(Path(path)),
            fix=_name_one_of(runs),
        )
    if run_id not in runs:
        near = nearest(run_id, runs)
        raise UnknownRunError(
            f"has no run {run_id!r} among its {len(runs)}",
            place=shown_path(Path(path)),
            fix=_name_one_of(runs) if near is None else f"did you mean {near!r}?",
        )
    return runs[run_id]


def _name_one_of(runs: Mapping[str, Imported]) -> str:
    shown = ", ".join(map(repr, list(runs)[:_SHOWN_IDS]))
    return f"give FILE#RUN_ID, with one of {shown}{' ...' if len(runs) > _SHOWN_IDS else ''}"


def _split(reference: str) -> tuple[str, str | None]:
    """Split FILE#RUN_ID; both may hold a `#`, so a file that exists decides."""
    if Path(reference).exists() or "#" not in reference:
        return reference, None
    parts = reference.split("#")
    for at in range(1, len(parts)):
        path = "#".join(parts[:at])
        if Path(path).exists():
            return path, "#".join(parts[at:])
    return parts[0], "#".join(parts[1:])


def _silent(_done: int, _total: int) -> None:
    """Tell nobody."""
