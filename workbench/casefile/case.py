"""Case files: read strictly, checked as a whole, written once.

Source:
    design page 04, `replay-case/1`.
"""

from __future__ import annotations

import os
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workbench.casefile.case_checks import check_case
from workbench.casefile.case_document import (
    CASE_KEYS,
    CASE_SCHEMA,
    REQUIRED_KEYS,
    case_document,
)
from workbench.casefile.case_files import load_results, name_results, results_written
from workbench.casefile.codec import decode, hints_of
from workbench.casefile.contract import parse_contract
from workbench.casefile.files import read_bytes, shown_path, write_new
from workbench.casefile.layout import format_case
from workbench.casefile.migrations import CURRENT, version_of
from workbench.casefile.place import Place, describe, nearest, step_key
from workbench.casefile.strict_yaml import MAX_BYTES, load_yaml
from workbench.errors import CaseFormatError
from workbench.model.case import ANY_TIMES, Case, Fixture
from workbench.model.verdict import Signature

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "CASE_SCHEMA",
    "CASE_SUFFIX",
    "case_document",
    "find_cases",
    "load_case",
    "parse_case",
    "parse_fixture",
    "save_case",
]

CASE_SUFFIX: Final = ".case.yaml"

_OWN_READERS: Final = ("contract", "signature", "failing_version", "passing_version", "fixtures")


def load_case(path: str | os.PathLike[str]) -> Case:
    """Read a case file and the results that lie beside it.

    Raises:
        InputError: the file cannot be read, or breaks the format.
    """
    found = Path(path)
    name = shown_path(found)
    data = read_bytes(found, limit=MAX_BYTES, name=name)
    return parse_case(data, name=name, folder=found.parent)


def parse_case(data: bytes | str, *, name: str, folder: Path | None = None) -> Case:
    """Read the text of a case file.

    Args:
        data: the text, or its bytes in UTF-8.
        name: of the file, for errors.
        folder: where its `$file`s lie; None: it may have none.

    Raises:
        CaseFormatError: a key or a value breaks the format, or two of them do not fit.
        ContractError: a clause can never be judged as written.
    """
    case, place = _checked(data, name)
    if all(fixture.file is None for fixture in case.fixtures):
        return case
    return replace(case, fixtures=load_results(case, place, folder))


def _checked(data: bytes | str, name: str) -> tuple[Case, Place]:
    """Read and check a case without the results that lie in files."""
    document, place = load_yaml(data, name=name)
    case = _decoded(_checked_keys(document, place), place)
    check_case(case, place)
    return case, place


def save_case(case: Case, path: str | os.PathLike[str]) -> None:
    """Write a new case file, and its large results beside it; never over an old one.

    Raises:
        InputError: the file exists, cannot be written, or could not be read back.
    """
    target = Path(path)
    if os.path.lexists(target):
        raise CaseFormatError(
            "exists already; a new file was expected",
            place=shown_path(target),
            fix="choose another id, or delete the old file",
        )
    named = name_results(case)
    text = format_case(named)
    _checked(text, shown_path(target))  # before anything is written
    with results_written(named, target.parent):
        parse_case(text, name=shown_path(target), folder=target.parent)
        write_new(target, text)


def find_cases(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return case files: files as they are given, folders searched for `*.case.yaml`; sorted.

    Raises:
        CaseFormatError: a path does not exist.
    """
    found: set[Path] = set()
    for given in paths:
        path = Path(given)
        if path.is_dir():
            found.update(path.rglob(f"*{CASE_SUFFIX}"))
        elif path.exists():
            found.add(path)
        else:
            raise CaseFormatError(
                "does not exist", place=shown_path(path), fix="give a case file or a folder"
            )
    return sorted(found)


def _checked_keys(document: Json, place: Place) -> JsonMap:
    if not isinstance(document, dict):
        raise place.error(
            "",
            f"is {describe(document)}; expected a case, a mapping",
            fix="check that it is the right file",
        )
    _check_schema(document, place)
    for name in document:
        if name not in CASE_KEYS:
            near = nearest(name, CASE_KEYS)
            raise place.error(
                step_key("", name),
                f"is not a key of a case; expected one of {', '.join(CASE_KEYS)}",
                fix="remove it" if near is None else f"write {near}",
            )
    for name in REQUIRED_KEYS:
        if document.get(name) is None:
            raise place.error(name, "is missing; it is required", fix=f"add {name}")
    return document


def _check_schema(document: JsonMap, place: Place) -> None:
    version = version_of(document, place)
    if version != CURRENT:
        raise place.error(
            "schema",
            f"is of version {version}; expected {CASE_SCHEMA}",
            fix="bring the file up to date with `workbench migrate`",
        )


def _decoded(given: JsonMap, place: Place) -> Case:
    hints = hints_of(Case)
    values: dict[str, Any] = {
        entry.name: decode(hints[entry.name], given[entry.name], place=place, key=entry.name)
        for entry in fields(Case)
        if entry.name not in _OWN_READERS and given.get(entry.name) is not None
    }
    values["fixtures"] = _fixtures(given["fixtures"], place)
    values["contract"] = parse_contract(
        given["contract"], place=place, fix=values["fix"], unproven=values.get("unproven", ())
    )
    values.update(_expected(given["expect"], place))
    return Case(**values)


def _fixtures(value: Json, place: Place) -> tuple[Fixture, ...]:
    if not isinstance(value, list):
        raise place.error("fixtures", f"is {describe(value)}; expected a list")
    return tuple(
        parse_fixture(item, place, step_key("fixtures", at)) for at, item in enumerate(value)
    )


def parse_fixture(value: Json, place: Place, key: str) -> Fixture:
    """Read one fixture.

    Args:
        value: its mapping.
        place: the document, for errors.
        key: dotted path to it in the document.

    Raises:
        CaseFormatError: a key or a value of it breaks the format.
    """
    if not isinstance(value, dict) or "times" not in value:
        return decode(Fixture, value, place=place, key=key)
    times = value["times"]
    if times != "any" and (isinstance(times, bool) or not isinstance(times, int) or times < 1):
        raise place.error(
            step_key(key, "times"), f"is {describe(times)}; expected an integer >= 1, or any"
        )
    counted: JsonMap = {**value, "times": ANY_TIMES if times == "any" else times}
    return decode(Fixture, counted, place=place, key=key)


def _expected(value: Json, place: Place) -> dict[str, Any]:
    known = ("signature", "failing_version", "passing_version")
    if not isinstance(value, dict) or "signature" not in value or not set(value) <= set(known):
        raise place.error(
            "expect",
            f"is {describe(value)}; expected a mapping of {', '.join(known)}",
            fix="add signature, as `workbench judge` prints it",
        )
    found: dict[str, Any] = {
        "signature": decode(Signature, value["signature"], place=place, key="expect.signature")
    }
    for name in known[1:]:
        if value.get(name) is not None:
            found[name] = decode(str, value[name], place=place, key=step_key("expect", name))
    return found
