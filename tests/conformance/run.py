"""What an implementation shows of a case, as `docs/conformance/manifest.json` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.codec import encode
from workbench.casefile.digest import case_digest
from workbench.check.judge import judge
from workbench.replay.matching import Answered, FixtureTable
from workbench.replay.scripted import call_args, replay_path

if TYPE_CHECKING:
    from workbench.model.case import Case, Path
    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.matching import Miss

__all__ = ["observed"]


def observed(case: Case) -> JsonMap:
    """Return digest and paths of a case."""
    return {
        "digest": case_digest(case),
        "paths": {path.name: _path(case, path) for path in case.paths},
    }


def _path(case: Case, path: Path) -> JsonMap:
    verdict = judge(replay_path(case, path), case.contract)
    table = FixtureTable(case, path.name)
    calls = [
        _call(table.answer(call.name, call_args(call)), call.id)
        for turn in path.turns
        for call in turn.tool_calls
    ]
    return {
        "verdict": verdict.result.value,
        "clauses": {clause.clause: clause.result.value for clause in verdict.clauses},
        "violations": [{"clause": v.clause, "seq": v.seq} for v in verdict.violations],
        "signature": encode(verdict.signature),
        "calls": [*calls],
        "unused": [fixture.id for fixture in table.unused()],
    }


def _call(answer: Answered | Miss, call_id: str) -> JsonMap:
    if isinstance(answer, Answered):
        fixture = answer.fixture
        return {"id": call_id, "fixture": fixture.id, "outcome": fixture.outcome.value}
    return {
        "id": call_id,
        "fixture": None,
        "outcome": answer.outcome.value,
        "nearest": answer.nearest,
        "differs_at": [*answer.differs_at],
    }
