"""Older forms of a case to the present one: one small numbered pure function a version.

A function takes the document of its version and returns that of the next; it is never edited once
it is published, and a case of its version stays in the tests. `replay-case/1` is the first
version, so there is none yet. Nothing is migrated on load: a command does it, and a person
reviews the change.

Source:
    design page 04, "Rules".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.casefile.case_document import CASE_SCHEMA
from workbench.casefile.place import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from workbench.casefile.place import Place
    from workbench.errors import CaseFormatError
    from workbench.model.jsonvalue import Json, JsonMap

    Migration: TypeAlias = Callable[[JsonMap], JsonMap]

__all__ = ["CURRENT", "MIGRATIONS", "migrated", "version_of"]

_FAMILY: Final = "replay-case"
_SCHEMA: Final = re.compile(rf"{_FAMILY}/([0-9]{{1,4}})")
CURRENT: Final = 1
"""The version that this package reads and writes."""

MIGRATIONS: Final[Mapping[int, Migration]] = {}
"""Version -> the function that makes the next one of it."""


def version_of(document: Json, place: Place) -> int:
    """Return the version of a case document, which is not newer than this package.

    Raises:
        CaseFormatError: it is no case, or newer than this package.
    """
    schema = document.get("schema") if isinstance(document, dict) else None
    found = _SCHEMA.fullmatch(schema) if isinstance(schema, str) else None
    if found is None:
        raise place.error(
            "schema",
            f"is {describe(schema)}; expected {CASE_SCHEMA}",
            fix=f"write schema: {CASE_SCHEMA}",
        )
    version = int(found[1])
    if version > CURRENT:
        raise place.error(
            "schema",
            f"is {schema}, newer than this workbench, which reads {CASE_SCHEMA}",
            fix=f'install one that reads it: pip install --upgrade "incident-workbench>={version}"',
        )
    return version


def migrated(
    document: JsonMap, place: Place, *, migrations: Mapping[int, Migration] = MIGRATIONS
) -> JsonMap:
    """Return a document of any older version in the present form; one of today as it is.

    Args:
        document: of a case file; it is not changed.
        place: of its values, for errors.
        migrations: version -> the function that makes the next one of it.

    Raises:
        CaseFormatError: it is no case, newer than this package, or of a version that never was.
    """
    for version in range(version_of(document, place), CURRENT):
        step = migrations.get(version)
        if step is None:
            raise _no_such(version, place)
        document = {**step(document), "schema": f"{_FAMILY}/{version + 1}"}
    return document


def _no_such(version: int, place: Place) -> CaseFormatError:
    return place.error(
        "schema",
        f"is {_FAMILY}/{version}, a version that was never published",
        fix=f"write schema: {CASE_SCHEMA}, and mend what `workbench check` names",
    )
