"""Results too large for a case: files beside it, named by their digest.

Source:
    design page 04: `<id>.files/<sha256>.json`, and "`$file` stays inside the case's own folder".
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.casefile.files import read_bytes, shown_path, write_new
from workbench.casefile.place import describe, step_key
from workbench.casefile.strict_json import load_json
from workbench.errors import CaseFormatError
from workbench.model.jsonvalue import ABSENT, Absent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workbench.casefile.place import Place
    from workbench.model.case import Case, Fixture

__all__ = ["MAX_INLINE_BYTES", "load_results", "name_results", "results_written"]

MAX_INLINE_BYTES: Final = 32 << 10
_NAME: Final = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]*)\.files/([0-9a-f]{64})\.json")


def name_results(case: Case) -> Case:
    """Return the case with each large result named as its file beside the case."""
    return replace(case, fixtures=tuple(_named(case.id, fixture) for fixture in case.fixtures))


def _named(case_id: str, fixture: Fixture) -> Fixture:
    if fixture.file is None and isinstance(fixture.result, Absent):
        return fixture
    text = _text(fixture)
    if len(text) <= MAX_INLINE_BYTES and fixture.file is None:
        return fixture
    name = f"{case_id}.files/{hashlib.sha256(text.encode()).hexdigest()}.json"
    return replace(fixture, file=name)


def _text(fixture: Fixture) -> str:
    return json.dumps(fixture.result, allow_nan=False)


@contextmanager
def results_written(case: Case, folder: Path) -> Iterator[None]:
    """Have the named results of a case lie in `folder` while the case itself is written.

    When that fails, those that were not there before are gone again.

    Raises:
        CaseFormatError: a name leads out of the case's folder, or a file cannot be written.
    """
    made: list[Path] = []
    try:
        for at, fixture in enumerate(case.fixtures):
            if fixture.file is not None:
                _require_own(fixture.file, case.id, f"fixtures.{at}")
                made += _written(folder / fixture.file, _text(fixture))
        yield
    except BaseException:  # also when interrupted
        for path in made:
            path.unlink(missing_ok=True)
            with suppress(OSError):  # others lie there
                path.parent.rmdir()
        raise


def _require_own(name: str, case_id: str, key: str) -> None:
    parts = _NAME.fullmatch(name)
    if parts is None or parts[1] != case_id:
        raise CaseFormatError(
            f"would be written to {describe(name)}; expected {case_id!a}.files/ and a digest",
            key=key,
            fix="give the case an id of letters, digits, `-` and `_`",
        )


def _written(path: Path, text: str) -> list[Path]:
    """Write a result; return its path, or nothing when it is there: its name is its digest."""
    try:
        write_new(path, text)
    except CaseFormatError:
        if path.exists():  # it was there, or another command was faster
            return []
        raise
    return [path]


def load_results(case: Case, place: Place, folder: Path | None) -> tuple[Fixture, ...]:
    """Return the case's fixtures with the results that lie in files.

    Raises:
        CaseFormatError: a name leads out of the case's folder, or a file is not what its name
            says.
    """
    return tuple(
        fixture
        if fixture.file is None
        else _loaded(case.id, fixture, step_key("fixtures", at), place, folder)
        for at, fixture in enumerate(case.fixtures)
    )


def _loaded(case_id: str, fixture: Fixture, key: str, place: Place, folder: Path | None) -> Fixture:
    name = fixture.file or ""
    at = step_key(key, "$file")
    parts = _NAME.fullmatch(name)
    if parts is None or parts[1] != case_id:
        raise place.error(
            at,
            f"is {describe(name)}; expected {case_id}.files/ and the sha256 of the file, .json",
            fix="keep the file in the case's own folder",
        )
    if fixture.result is not ABSENT:
        raise place.error(
            at, "stands beside a result; expected one of the two", fix="remove one of them"
        )
    if folder is None:
        raise place.error(
            at,
            "lies in another file, and a text alone has none",
            fix="load the case from its folder",
        )
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise place.error(at, "leads out of the case's folder", fix="replace the link by the file")
    data = read_bytes(path)
    if hashlib.sha256(data).hexdigest() != parts[2]:
        raise place.error(
            at, "names a file with another digest; it was changed", fix="restore the file"
        )
    result, _ = load_json(data, name=shown_path(path))
    return replace(fixture, result=result)
