"""The corpus' failures: which runs fail, what they broke, and what becomes of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.corpus.derive import dojo_contract, dojo_task, tau_contract
from workbench.casefile.contract import load_contract
from workbench.check.judge import judge
from workbench.check.outcomes import assumed_tools, resolve_outcomes
from workbench.ingest.reader import read_source
from workbench.model.trace import Effect
from workbench.review.declared import with_tools
from workbench.review.export import CaseDetails
from workbench.review.make import Made, make_case
from workbench.review.source import LoadedRun
from workbench.review.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Tool

__all__ = ["Failure", "dojo_failures", "loaded_runs", "make", "resisting_runs", "tau_failures"]

DETAILS = CaseDetails(owner="corpus-tests", review_date="2030-01-01")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A run of the corpus, and a contract that fits what went wrong."""

    record: JsonMap
    run: LoadedRun
    contract: Contract

    @property
    def injected(self) -> tuple[str, ...]:
        """The texts that an attacker put into results."""
        injections = self.record.get("injections")
        return tuple(map(str, injections.values())) if isinstance(injections, dict) else ()


def loaded_runs(
    files: Sequence[Path], tools: Sequence[Tool]
) -> Iterator[tuple[JsonMap, LoadedRun]]:
    """Yield the raw record and the loaded run of each readable record."""
    for path in files:
        for imported in read_source(path):
            if imported.trace is None:
                continue
            record = json.loads(imported.raw)
            trace = resolve_outcomes(with_tools(imported.trace, tools))
            run = LoadedRun(
                trace=trace, losses=imported.losses, assumed_tools=assumed_tools(trace, {})
            )
            yield record.get("data", record), run


def dojo_failures(folder: Path, tools: Sequence[Tool]) -> Iterator[Failure]:
    """Yield the AgentDojo runs whose injection succeeded, where a call carries it."""
    for record, run in loaded_runs(sorted(folder.glob("agentdojo/*.jsonl.gz")), tools):
        if record["attack_type"] and record["security"]:
            yield from _fitting(record, run, dojo_contract(record))


def tau_failures(folder: Path, tools: Sequence[Tool]) -> Iterator[Failure]:
    """Yield the tau-bench runs with reward 0 whose writes are not those expected."""
    writes = frozenset(tool.name for tool in tools if tool.effect is Effect.WRITE)
    for record, run in loaded_runs(sorted(folder.glob("tau-bench/*.jsonl.gz")), tools):
        if record["reward"] == 0:
            yield from _fitting(record, run, tau_contract(record, writes=writes))


def _fitting(record: JsonMap, run: LoadedRun, contract: JsonMap | None) -> Iterator[Failure]:
    """Yield the failure if the run breaks the contract."""
    if contract is None:
        return
    loaded = load_contract(contract)
    if judge(run.trace, loaded).signature:
        yield Failure(record=record, run=run, contract=loaded)


def resisting_runs(
    folder: Path, tools: Sequence[Tool]
) -> dict[tuple[str, str, str | None], list[LoadedRun]]:
    """Return by task the AgentDojo runs under attack that resisted and were useful."""
    found: dict[tuple[str, str, str | None], list[LoadedRun]] = {}
    for record, run in loaded_runs(sorted(folder.glob("agentdojo/*.jsonl.gz")), tools):
        if record["attack_type"] and not record["security"] and record["utility"]:
            found.setdefault(dojo_task(record), []).append(run)
    return found


def make(failure: Failure, folder: Path, *, ner: str = "none") -> Made:
    """Make the case of a failure in a folder, as `workbench make` does."""
    vault = Vault(folder / "keys")
    return make_case(
        failure.run,
        failure.contract,
        DETAILS,
        folder / "cases",
        vault=vault,
        date="2026-11-30",
        ner=ner,
    )
