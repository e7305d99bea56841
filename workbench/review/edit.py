"""Change a case file so that the reviewer's comments survive.

The file is written anew in the one canonical layout, and each comment goes back to the value it
stood above or beside. A round-trip YAML editor would keep the old layout instead, so that a
case that was edited twice would no longer be canonical; hence not one of those.
"""

from __future__ import annotations

import os
import tempfile
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from workbench.casefile.case import load_case, parse_case
from workbench.casefile.case_files import name_results, results_written
from workbench.casefile.files import read_bytes, shown_path
from workbench.casefile.layout import format_case, format_mapping
from workbench.casefile.migrations import CURRENT, MIGRATIONS, migrated, version_of
from workbench.casefile.strict_yaml import MAX_BYTES, load_yaml
from workbench.errors import CaseFormatError
from workbench.review.onewriter import only_writer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.casefile.migrations import Migration
    from workbench.model.case import Case

__all__ = [
    "Comment",
    "comments_of",
    "formatted",
    "migrate_file",
    "rewrite_case",
    "with_comments",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """One comment and the value that it speaks of."""

    key: str | None
    """Dotted path of the value; None: it stands below the last one."""
    beside: bool
    """On the value's own line, behind it; else on a line of its own above it."""
    text: str
    """From the `#` on."""


def rewrite_case(path: Path, case: Case, *, was: Case) -> None:
    """Replace a case file by `case`, all of it or nothing; comments stay.

    Args:
        path: of the file.
        case: what it shall say.
        was: what it said when `case` was made of it; a file that says something else by now was
            changed by somebody, whose change must not be lost.

    Raises:
        InputError: the file there is no case, was changed since, or cannot be written.
    """
    with only_writer(path.parent):
        if load_case(path) != was:
            message = "was changed by another command meanwhile; nothing was written"
            raise CaseFormatError(message, place=path.name, fix="run the command again")
        named = name_results(case)
        text = with_comments(format_case(named), _comments_in(path))
        with results_written(named, path.parent):
            if parse_case(text, name=path.name, folder=path.parent) != named:
                message = "cannot be written so that it reads back the same"
                raise CaseFormatError(
                    message, place=path.name, fix="report it; the file is unchanged"
                )
            _replace(path.resolve(), text)


def migrate_file(path: Path, *, migrations: Mapping[int, Migration] = MIGRATIONS) -> bool:
    """Bring a case file of an older version up to date; comments stay.

    Args:
        path: of the file.
        migrations: version -> the function that makes the next one of it.

    Returns:
        Whether the file was of an older version.

    Raises:
        InputError: it is no case of a known version, or would be none afterwards; it is unchanged.
    """
    with only_writer(path.parent):
        data = read_bytes(path, limit=MAX_BYTES)
        document, place = load_yaml(data, name=shown_path(path))
        if version_of(document, place) == CURRENT or not isinstance(document, dict):
            load_case(path)  # so that one that is wrong in another way is not called up to date
            return False
        new = format_mapping(migrated(document, place, migrations=migrations))
        case = parse_case(new, name=shown_path(path), folder=path.parent)
        _replace(path.resolve(), with_comments(format_case(case), _comments_in(path)))
        return True


def formatted(path: Path) -> str:
    """Return a case file's text in the canonical layout, with its comments.

    Raises:
        InputError: the file is no case.
    """
    case = load_case(path)
    return with_comments(format_case(case), _comments_in(path))


def _comments_in(path: Path) -> tuple[Comment, ...]:
    """Return the comments of a file that was read as a case before, so it is UTF-8."""
    return comments_of(path.read_text("utf-8-sig"), name=path.name)


def _replace(path: Path, text: str) -> None:
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(path.stat().st_mode & 0o777)
            Path(name).replace(path)
        except BaseException:  # also when interrupted: the old file stays, alone
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        message = f"cannot be written ({error.strerror})"
        raise CaseFormatError(message, place=path.name, fix="check the folder") from None


def comments_of(text: str, *, name: str) -> tuple[Comment, ...]:
    """Return the comments of a YAML text, in their order.

    Raises:
        CaseFormatError: the text is no YAML that we read.
    """
    _, place = load_yaml(text, name=name)
    starts = _outermost_by_line(dict(place.lines))
    ordered = sorted(starts)
    lines = text.splitlines()
    found = []
    for number, column, comment in _comment_places(text):
        alone = not lines[number - 1][:column].strip()
        below = next((line for line in ordered if line > number), None)
        line = below if alone else max((n for n in ordered if n <= number), default=None)
        key = None if line is None else starts[line]
        found.append(Comment(key=key, beside=not alone, text=comment))
    return tuple(found)


def _outermost_by_line(lines: dict[str, int]) -> dict[int, str]:
    """Return for each line the value that starts there and holds the others that do."""
    found: dict[int, str] = {}
    for key, line in lines.items():
        if key and (line not in found or len(key) < len(found[line])):
            found[line] = key
    return found


def _comment_places(text: str) -> list[tuple[int, int, str]]:
    """Return (line from 1, column from 0, comment); a `#` inside a scalar is none."""
    lines = text.splitlines(keepends=True)
    starts = list(accumulate(map(len, lines), initial=0))
    scalars = _scalar_spans(text)
    found, at = [], text.find("#")
    while at >= 0:
        nearest = bisect_right(scalars, (at, len(text))) - 1
        if nearest >= 0 and at < scalars[nearest][1]:
            at = text.find("#", scalars[nearest][1])
            continue
        number = bisect_right(starts, at)
        column = at - starts[number - 1]
        found.append((number, column, lines[number - 1][column:].rstrip()))
        at = text.find("#", starts[number])
    return found


def _scalar_spans(text: str) -> list[tuple[int, int]]:
    """Return where the texts of scalars start and end, in characters."""
    spans = []
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.ScalarEvent) and event.start_mark and event.end_mark:
            start, end = event.start_mark.index, event.end_mark.index
            if event.style in ("|", ">"):  # its first line is a mark, and maybe a comment
                newline = text.find("\n", start)
                start = end if newline < 0 else newline
            spans.append((start, end))
    return spans


def with_comments(text: str, comments: tuple[Comment, ...]) -> str:
    """Return a canonical text with comments put back.

    A comment whose value is gone goes to the nearest value above it that is still there. A
    comment that the text already starts with is not doubled.
    """
    _, place = load_yaml(text, name="case")
    lines = text.splitlines()
    line_by_key = dict(place.lines)
    own = set(lines[:1])
    above: dict[int, list[str]] = {}
    beside: dict[int, list[str]] = {}
    tail: list[str] = []
    for comment in comments:
        if comment.text in own:
            continue
        at = _line_of(comment.key, line_by_key)
        if at is None:
            tail.append(comment.text)
        else:
            (beside if comment.beside else above).setdefault(at, []).append(comment.text)
    done: list[str] = []
    for number, line in enumerate(lines, start=1):
        indent = line[: len(line) - len(line.lstrip())]
        done += [indent + comment for comment in above.get(number, [])]
        done.append("  ".join((line, *beside.get(number, []))))
    return "\n".join((*done, *tail)) + "\n"


def _line_of(key: str | None, lines: dict[str, int]) -> int | None:
    while key:
        if key in lines:
            return lines[key]
        key = key.rpartition(".")[0]
    return None
