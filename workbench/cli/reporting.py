"""How `run` reports: the terminal, files for CI, annotations, and the store; runner half.

The verdict is printed whatever else fails; a report that could not be written is named and makes
the exit code 4. Only `--record` needs the desk half, which is named here as text.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from workbench.casefile.files import (
    append_text,
    read_bytes,
    require_target,
    shown_path,
    write_over,
)
from workbench.casefile.strict_yaml import MAX_BYTES as YAML_BYTES
from workbench.casefile.stubs import extended_stubs, parse_stubs, stubs_path
from workbench.cli.options import complain, print_json, settings_of, store_of
from workbench.cli.progress import Progress
from workbench.errors import InputError, MissingExtraError
from workbench.model.wording import counted
from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.annotations import github_annotations
from workbench.runner.reports.junit import junit_xml
from workbench.runner.reports.markdown import MAX_BYTES, markdown_summary
from workbench.runner.reports.results import results_document
from workbench.runner.reports.terminal import render
from workbench.runner.reports.text import wants_colour
from workbench.runner.reports.trace_files import write_traces
from workbench.runner.stubs import missed_calls
from workbench.runner.trials import LIVE

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Mapping

    from workbench.runner.outcome import CaseResult, RunReport

__all__ = ["case_progress", "require_targets", "write_reports"]

Result = TypeVar("Result")

_RECORD: Final = "workbench.review.record"
_INVALID: Final = 4
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"


def require_targets(options: Namespace) -> None:
    """Refuse reports that cannot be written, before the trials that they are about.

    Raises:
        InputError: a target takes no file, or `--record` lacks the desk extra.
    """
    for path in (options.junit, options.markdown, options.results):
        if path is not None and path.parent.exists():
            require_target(path)
    if options.record:
        _record_module()


def _record_module() -> Callable[..., int]:
    try:
        found: Callable[..., int] = importlib.import_module(_RECORD).record_trials
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        raise MissingExtraError(package, needed_for="--record", extra="desk") from None
    return found


@contextmanager
def case_progress(total: int) -> Iterator[Callable[[CaseResult], None]]:
    """Yield what is told each case as it ends, and draws the bar."""
    ended: list[CaseVerdict] = []
    with Progress("cases", stream=sys.stderr) as progress:

        def note(case: CaseResult) -> None:
            ended.append(case.verdict)
            failed = ended.count(CaseVerdict.FAIL)
            progress(len(ended), total, note=f"{len(ended)} of {total}, {failed} failed")

        yield note


def write_reports(report: RunReport, options: Namespace) -> int:
    """Print the verdict, write what was asked for, and return the exit code."""
    writing = _Writing()
    files: Mapping[str, str] = {}
    if options.traces is not None:
        files = writing.do(lambda: write_traces(report, options.traces, beside=options.results), {})
    document = results_document(report, trace_files=files)
    if options.json:
        print_json(document)
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        print(render(report, colour=wants_colour(sys.stdout), width=width))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        _annotate(report)
    if options.results is not None:
        text = f"{json.dumps(document, indent=2)}\n"
        writing.do(lambda: write_over(options.results, text), None)
    if options.junit is not None:
        writing.do(lambda: write_over(options.junit, junit_xml(report)), None)
    if options.markdown is not None:
        writing.do(lambda: _write_markdown(report, options.markdown), None)
    for case in report.cases if report.layer == LIVE else ():
        writing.do(partial(_write_stubs, case), None)
    if options.record:
        writing.do(lambda: _record(report, options), None)
    return _INVALID if writing.failed else report.exit_code


class _Writing:
    """Writes one report after the other and remembers whether one could not be written."""

    def __init__(self) -> None:
        self.failed = False

    def do(self, work: Callable[[], Result], otherwise: Result) -> Result:
        """Do `work`; what it refuses is said, and the next report is tried."""
        try:
            return work()
        except InputError as error:
            self.failed = True
            complain(f"workbench: {error}")
            return otherwise


def _annotate(report: RunReport) -> None:
    """Write workflow commands where a JSON document on stdout stays one: GitHub reads both."""
    root = os.environ.get("GITHUB_WORKSPACE")
    sys.stdout.flush()
    for command in github_annotations(report, root=Path(root) if root else None):
        print(command, file=sys.stderr)


def _write_markdown(report: RunReport, path: Path) -> None:
    """Write the summary; in a step's summary file others may have written before."""
    if os.environ.get(_SUMMARY) != str(path):
        write_over(path, markdown_summary(report))
        return
    written = path.stat().st_size if path.exists() else 0
    append_text(path, f"\n{markdown_summary(report, limit=MAX_BYTES - written)}")


def _write_stubs(case: CaseResult) -> None:
    """Write the calls that no fixture answered beside the case, for a person to fill in."""
    stubs = missed_calls(case)
    if case.path is None or not stubs:
        return
    file = stubs_path(Path(case.path))
    name = shown_path(file)
    text = extended_stubs(_text_of(file, name), case.id, stubs, name=name)
    if text is not None:
        write_over(file, text)
    complain(
        f"no fixture for {counted(len(stubs), 'call')} of {case.id}: fill in {name}, then "
        f"workbench fixtures {case.path} --add {name}"
    )


def _text_of(file: Path, name: str) -> str | None:
    """Return what a person wrote into a file of stubs; None: it is not there.

    Raises:
        CaseFormatError: it is no UTF-8 text; adding to it would lose what is written there.
    """
    if not file.exists():
        return None
    raw = read_bytes(file, limit=YAML_BYTES)
    parse_stubs(raw, name=name)
    return raw.decode("utf-8")


def _record(report: RunReport, options: Namespace) -> None:
    stored = _record_module()(report, store=store_of(options, settings_of()))
    complain(f"{counted(stored, 'trial')} in the store")
