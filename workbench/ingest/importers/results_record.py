"""The results of a run as a record among others: named and refused, since their traces are elsewhere.

A `results.json` that is a file of its own is read by `trial_results`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.errors import TraceFormatError
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import text_in
from workbench.runner.reports.results import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT"]


def _is_results(record: Json) -> bool:
    return text_in(record, "schema") == SCHEMA


def _refused(_: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:  # noqa: ARG001  the one shape of importers
    """Refuse results that stand in a file of something else: their traces lie beside a file.

    Raises:
        TraceFormatError: always.
    """
    raise TraceFormatError(
        "holds the results of a run among other records",
        place=place.where,
        fix="give the results.json itself, with its traces beside it",
    )


FORMAT: Final = Format(
    name="results",
    recognises=_is_results,
    owns=_is_results,
    keys=frozenset({"schema"}),
    read=_refused,
)
