"""Decisions of reviews and results of trials: small tables beside the traces.

Each call is one commit on the table's own chain; the table is made by its first row. What a
row says is the caller's business: a payload is JSON and comes back as it was.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.store.append import disk_errors, forget
from workbench.store.delta import MAX_TRIES, pauses
from workbench.store.errors import CommitContention
from workbench.store.parts import OpenPart
from workbench.store.query import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from duckdb import DuckDBPyConnection

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.store.delta import DeltaFolder
    from workbench.store.log import Head
    from workbench.store.parts import Row

__all__ = ["Decision", "TrialResult", "add_decisions", "add_results", "decisions_of", "results_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One decision of a review."""

    draft_id: str
    seq: int
    """Position among the decisions of the draft, from 0 and gap-free."""
    at: str
    """RFC 3339 time."""
    actor: str
    kind: str
    payload: JsonMap = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """One recorded trial of a case."""

    case_id: str
    case_digest: str
    version: str | None = None
    """Of the agent."""
    verdict: str
    violations: tuple[JsonMap, ...] = ()
    duration_ms: float | None = None
    tokens: int | None = None
    recorded_ms: int | None = field(default=None, compare=False)
    """When it was stored, milliseconds since 1970; the store says it, None: it is not stored yet."""


def add_decisions(
    table: DeltaFolder,
    connection: DuckDBPyConnection,
    decisions: Sequence[Decision],
    *,
    clock: Callable[[], float],
) -> tuple[Decision, ...]:
    """Store decisions, at least one and all of one draft, as its next ones in one commit.

    Returns:
        Them with their `seq`.

    Raises:
        CommitContention: other writers won every try; nothing is stored.
    """
    draft_id = decisions[0].draft_id
    waits = pauses(draft_id)
    for _ in range(MAX_TRIES):
        table.refresh()
        first = len(decisions_of(table, connection, draft_id))
        numbered = tuple(replace(d, seq=seq) for seq, d in enumerate(decisions, start=first))
        cells = [(d.draft_id, d.seq, d.at, d.actor, d.kind, _dumps(d.payload)) for d in numbered]
        if _add_rows(table, cells, clock=clock) is not None:
            return numbered
        time.sleep(next(waits))
    raise CommitContention(MAX_TRIES)


def add_results(
    table: DeltaFolder, results: Sequence[TrialResult], *, clock: Callable[[], float]
) -> Head:
    """Store trials, at least one, in one commit.

    Raises:
        CommitContention: other writers won every try.
    """
    cells = [
        (
            *(result.case_id, result.case_digest, result.version, result.verdict),
            *(_dumps(list(result.violations)), result.duration_ms, result.tokens),
        )
        for result in results
    ]
    waits = pauses(results[0].case_id)
    for _ in range(MAX_TRIES):
        table.refresh()
        head = _add_rows(table, cells, clock=clock)
        if head is not None:
            return head
        time.sleep(next(waits))
    raise CommitContention(MAX_TRIES)


def decisions_of(
    table: DeltaFolder, connection: DuckDBPyConnection, draft_id: str
) -> tuple[Decision, ...]:
    """Return the decisions of a draft in their order."""
    query = """
        select draft_id, seq, "at", actor, kind, payload from {parts}
        where draft_id = $draft order by seq
    """
    return tuple(
        Decision(
            draft_id=draft, seq=seq, at=at, actor=actor, kind=kind, payload=json.loads(payload)
        )
        for draft, seq, at, actor, kind, payload in _rows(
            table, connection, query, {"draft": draft_id}
        )
    )


def results_of(
    table: DeltaFolder, connection: DuckDBPyConnection, case_id: str
) -> tuple[TrialResult, ...]:
    """Return the recorded trials of a case, those that were stored first before others."""
    query = """
        select case_id, case_digest, version, verdict, violations, duration_ms, tokens, filename
        from {parts} where case_id = $case order by filename, file_row_number
    """
    moments = table.moments()
    found = [
        TrialResult(
            case_id=case,
            case_digest=digest,
            version=version,
            verdict=verdict,
            violations=tuple(json.loads(violations)),
            duration_ms=duration_ms,
            tokens=tokens,
            recorded_ms=moments[Path(file).name],
        )
        for case, digest, version, verdict, violations, duration_ms, tokens, file in _rows(
            table, connection, query, {"case": case_id}
        )
    ]
    return tuple(sorted(found, key=lambda one: one.recorded_ms or 0))


def _dumps(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"))


def _add_rows(
    table: DeltaFolder, cells: Sequence[Row], *, clock: Callable[[], float]
) -> Head | None:
    """Commit rows right after the newest entry; None: somebody else's entry came first."""
    after = table.head()
    (kind,) = table.table.kinds
    batch_id = sha256(json.dumps([after.digest, cells]).encode()).hexdigest()
    with disk_errors():
        part = OpenPart(table.path, kind, {}, prefix=batch_id)
        try:
            part.add("", cells, size_bytes=0)
            finished = part.close()
        except BaseException:
            part.drop()
            raise
        head = None
        try:
            head = table.attempt(
                [finished],
                after=after,
                batch_id=batch_id,
                meta={"kind": kind.name, "rows": len(cells)},
                clock=clock,
            )
        finally:
            if head is None:
                forget(table.path, [finished], since=after.version)
    return head


def _rows(
    table: DeltaFolder, connection: DuckDBPyConnection, query: str, values: dict[str, Any]
) -> list[Any]:
    files = table.files()
    return rows(connection, table, files, query, values) if files else []
