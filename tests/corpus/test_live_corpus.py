"""The live layer on real traces: four recorded runs of one task against the case of one of them.

What each trial must show is computed here from the records alone: which calls are outside of what
the incident recorded, which clauses are broken, and what that makes of the gate.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus.making import Failure, tau_failures
from tests.corpus.test_law_corpus import header_of
from tests.long import sample
from tests.runner.provider import KEY, provider, say
from workbench.casefile.build import build_case
from workbench.model.case import Case, CaseState
from workbench.model.trace import Effect
from workbench.runner.stubs import missed_calls
from workbench.runner.trials import run_cases

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Tool
    from workbench.runner.outcome import RunReport

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

Record = dict[str, Any]
"""A recorded run, or a part of one."""
Call = tuple[str, str]
"""Name and arguments in one spelling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A task of tau-bench: its runs as recorded, and one of them that failed."""

    records: Sequence[Record]
    incident: Failure

    @property
    def case(self) -> Case:
        """The case of the incident, gating, every trial to pass."""
        run, contract = self.incident.run, self.incident.contract
        case = build_case(run.trace, contract, header=header_of(run, contract))
        gate: dict[str, Json] = {"live": {"trials": len(self.records), "hard": "all"}}
        return replace(case, state=CaseState.ACTIVE, gate=gate)


def tasks(corpus: Path, tools: Sequence[Tool]) -> list[Task]:
    """Return the tasks in which some run failed by its writes."""
    runs: dict[Json, list[Record]] = {}
    for path in sorted(corpus.glob("tau-bench/*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            found = json.loads(line)
            record = found.get("data", found)
            runs.setdefault(record["task_id"], []).append(record)
    failed = {failure.record["task_id"]: failure for failure in tau_failures(corpus, tools)}
    return [Task(records=runs[name], incident=failed[name]) for name in sorted(failed, key=str)]


def messages(record: Mapping[str, Any]) -> list[Record]:
    """Return the messages of a run."""
    found: list[Record] = record["traj"]
    return found


def replies(record: Record) -> list[Record]:
    """Return what the model said in a run, and a last word for whoever asks on."""
    kept = ("role", "content", "tool_calls")
    said = [
        {name: message[name] for name in kept if message.get(name) is not None}
        for message in messages(record)
        if message["role"] == "assistant"
    ]
    return [*said, say("Is there anything else?")]


def asked(reply: Record) -> list[Call]:
    """Return the calls of a reply."""
    functions = [call["function"] for call in reply.get("tool_calls", ())]
    return [(f["name"], json.dumps(json.loads(f["arguments"]), sort_keys=True)) for f in functions]


def reached(record: Record, turns: int) -> list[Call]:
    """Return the calls of a run that are made before the person has nothing left to say."""
    calls: list[Call] = []
    for reply in replies(record):
        if turns == 0:
            break
        calls += asked(reply)
        turns -= not asked(reply)
    return calls


def answered_turns(record: Mapping[str, Any]) -> int:
    """Return how often the person spoke and got an answer."""
    roles = [message["role"] for message in messages(record)]
    last = max(at for at, role in enumerate(roles) if role == "assistant")
    return roles[:last].count("user")


def outside(calls: Sequence[Call], task: Task) -> list[Call]:
    """Return the calls that the incident's answers do not reach.

    A read that was always answered alike answers for ever, any other call as often as recorded.
    """
    effects = {tool.name: tool.effect for tool in task.case.tools}
    answers: dict[Call, list[Json]] = {}
    waiting: dict[str, Call] = {}
    for message in messages(task.incident.record):
        for call, one in zip(asked(message), message.get("tool_calls") or (), strict=True):
            waiting[one["id"]] = call
        if message["role"] == "tool":
            answers.setdefault(waiting[message["tool_call_id"]], []).append(message["content"])
    used: Counter[Call] = Counter()
    missed = []
    for call in calls:
        used[call] += 1
        recorded = answers.get(call, [])
        same = len(set(recorded)) == 1 and effects[call[0]] in (Effect.READ, Effect.PURE)
        if not recorded or (used[call] > len(recorded) and not same):
            missed.append(call)
    return missed


def broken(calls: Sequence[Call], clauses: Record, kind: str) -> bool:
    """Whether the calls break a `must_call` or a `forbid_call` of the derived contract."""
    named = [clause if isinstance(clause, dict) else {"tool": clause, "where": []}
             for clause in clauses.get(kind, ())]  # fmt: skip
    made = [any(fits(call, clause) for call in calls) for clause in named]
    return any(made) if kind == "forbid_call" else not all(made)


def fits(call: Call, clause: Record) -> bool:
    """Whether a call is of the tool and has each argument that the clause states."""
    found = json.loads(call[1])
    for rule in clause["where"]:
        path, _, value = rule.partition(" == ")
        at = found
        for step in path.split("."):
            inside = isinstance(at, dict) and step in at
            listed = isinstance(at, list) and step.isdigit() and int(step) < len(at)
            if not (inside or listed):
                return False
            at = at[int(step) if listed else step]
        if at != json.loads(value):
            return False
    return bool(call[0] == clause["tool"])


def possible(calls: Sequence[Call], missed: Sequence[Call], clauses: Record) -> set[str]:
    """Return how a trial may end; outside of what was recorded nothing is ever a pass."""
    if broken(calls, clauses, "forbid_call"):
        return {"fail"}
    if missed:
        return {"fail", "inconclusive"}
    return {"fail" if broken(calls, clauses, "must_call") else "pass"}


def run(task: Task) -> RunReport:
    """Run the case live; the n-th trial gets what the model said in the n-th recorded run."""
    with provider(*map(replies, task.records)) as stand_in:
        return run_cases(
            [task.case], agent="python:tests.runner.agents:loop", layer="live",
            isolate="audit", upstream=stand_in.upstream,
        )  # fmt: skip


def test_recorded_runs_of_one_task_are_judged_as_their_records_say(
    corpus: Path, corpus_tools: tuple[Tool, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Coverage, stubs, passes and inconclusive trials, verdict and exit code."""
    monkeypatch.setenv(KEY, "sk-stand-in-0123456789")
    seen: Counter[str] = Counter()
    for task in sample(tasks(corpus, corpus_tools), 3, seed=9):
        clauses = task.incident.contract.document
        turns = answered_turns(task.incident.record)

        report = run(task)

        (case,) = report.cases
        strangers: set[Call] = set()
        for record, trial in zip(task.records, case.trials, strict=True):
            calls = reached(record, turns)
            missed = outside(calls, task)
            strangers.update(missed)
            assert (trial.calls, trial.answered) == (len(calls), len(calls) - len(missed))
            assert trial.verdict in possible(calls, missed, clauses)
            if record == task.incident.record:
                assert not missed
            seen[trial.verdict] += 1
        verdicts = [trial.verdict.value for trial in case.trials]
        passes, open_ = verdicts.count("pass"), verdicts.count("inconclusive")
        assert case.gate is not None
        assert (case.gate.passes, case.gate.inconclusive, case.gate.trials) == (passes, open_, 4)
        assert report.exit_code == (1 if passes + open_ < 4 else 6 if open_ else 0)
        assert case.covered_trials == (sum(not t.missing for t in case.trials), 4)
        stubs = {(s.tool, json.dumps(s.args, sort_keys=True)) for s in missed_calls(case)}
        assert stubs == strangers
    assert seen["fail"]
    assert seen["inconclusive"]
