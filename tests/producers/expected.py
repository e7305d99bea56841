"""A producer, its takes, and how to say what an emission of it is expected to be read as."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.corpus.generated import Row
from tests.producers.judging import COLLECTED, NOT_PLAYED, Emission
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "LATEST",
    "NO_SYSTEM",
    "REDACTED",
    "REFUSED",
    "UNTRACED",
    "Producer",
    "Take",
    "file",
    "spans",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """One run of the scenario in a process of its own."""

    name: str
    """Of the take in the producer's script."""
    emissions: tuple[Emission, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Producer:
    """One environment, and the script that is played in it."""

    name: str
    """Of the environment and of its lock."""
    needs: tuple[str, ...]
    """What is locked beside the exporter; shown with versions."""
    takes: tuple[Take, ...]
    script: str = ""
    """Module of `tests.producers.scripts`; empty: the name."""


def file(
    name: str,
    format: str,  # noqa: A002  as everywhere
    *also: str,
    lost: Mapping[str, str] | None = None,
    grade: Grade = Grade.REPLAYABLE,
    decisions: tuple[str, ...] = (),
) -> Emission:
    """Expect a file of this format, with these losses beside those of facets."""
    row = Row(file=name, format=format, grade=grade, lost=dict(lost or {}), also=frozenset(also))
    return Emission(row=row, decisions=decisions)


def spans(
    dialect: str,
    *also: str,
    lost: Mapping[str, str] | None = None,
    grade: Grade = Grade.REPLAYABLE,
    silent: tuple[str, ...] = (),
    runs: int = 1,
    fault: str = "",
) -> Emission:
    """Expect that spans of these dialects, separated by blanks, came to `workbench collect`."""
    row = Row(
        file=COLLECTED,
        format="otlp",
        grade=grade,
        lost=dict(lost or {}),
        also=frozenset(also),
        runs=runs,
    )
    return Emission(
        row=row, dialects=frozenset(dialect.split()), silent=frozenset(silent), fault=fault
    )


NO_SYSTEM = {"system": "system_missing"}
"""The system text goes to the model and nowhere else."""
REDACTED = {"result 2": "errors_redacted"}
"""The SDK's text for every error stands for what the tool said."""
REFUSED = {"result 2": NOT_PLAYED, "mark": NOT_PLAYED, "result 3": NOT_PLAYED}
UNTRACED = {"mark": "tool_spans_missing"}
"""Clients trace no tools: results come from the next request, without marks of errors."""
LATEST = {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
}
