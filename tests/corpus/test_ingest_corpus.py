"""All traces of three groups of the corpus are read, and nothing in them is lost or made up.

The figures are those of the corpus' manifest and of a count over its raw records that does not
use the importers.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from workbench.casefile.place import Place
from workbench.casefile.trace import parse_trace, trace_document
from workbench.errors import TraceFormatError
from workbench.ingest.reader import load_run, read_source
from workbench.model.event import (
    CallIdSource,
    Claim,
    ModelReply,
    Requestor,
    ToolCall,
    ToolResult,
)
from workbench.model.trace import Grade, Imported, RunStatus, Tool

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap

pytestmark = [pytest.mark.corpus, pytest.mark.slow]

RUNS = {"agentdojo": 1701, "tau-bench": 152, "tau2-bench": 349}
CALLS = {"agentdojo": 6169, "tau-bench": 856, "tau2-bench": 4044}


@dataclass(slots=True)
class Tally:
    """What one pass over the corpus found."""

    runs: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    marked: Counter[str] = field(default_factory=Counter)
    """Results with an error mark."""
    user_calls: Counter[str] = field(default_factory=Counter)
    statuses: Counter[tuple[str, RunStatus]] = field(default_factory=Counter)
    grades: Counter[tuple[str, Grade]] = field(default_factory=Counter)
    losses: Counter[tuple[str, str]] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    tools: set[str] = field(default_factory=set)
    ids: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def raw_lines(path: Path) -> list[bytes]:
    """Return a file's records without our reader."""
    return gzip.decompress(path.read_bytes()).splitlines()


@pytest.fixture(scope="module")
def tally(corpus: Path) -> Tally:
    """One pass over every file; each run is checked where it is read."""
    found = Tally()
    for group in RUNS:
        for path in sorted((corpus / group).glob("*.jsonl.gz")):
            lines = raw_lines(path)
            runs = list(read_source(path))
            if [run.raw for run in runs] != lines:
                found.problems.append(f"{path.name}: raw bytes differ")
            for run, line in zip(runs, lines, strict=True):
                count(found, group, run)
                found.problems.extend(
                    f"{path.name} {run.run_id}: {problem}"
                    for problem in (*problems_of(run), *differences(group, run, json.loads(line)))
                )
    return found


def count(found: Tally, group: str, run: Imported) -> None:
    """Add one run to the tally."""
    trace = run.trace
    assert trace is not None, run.parse_error
    found.runs[group] += 1
    found.ids.append(run.run_id)
    found.statuses[group, trace.status] += 1
    found.grades[group, run.losses.grade] += 1
    found.losses.update({(group, loss.kind): loss.count for loss in run.losses.items})
    labels = trace.labels
    found.labels["utility false"] += labels.get("utility") is False
    found.labels["attacked"] += labels.get("attack") is not None
    found.labels["security true"] += labels.get("security") is True
    reward = labels.get("reward")
    found.labels[f"{group} reward below 1"] += isinstance(reward, float | int) and reward < 1
    for event in trace.events:
        match event:
            case ToolCall():
                found.calls[group] += 1
                found.tools.add(event.tool)
                found.user_calls[group] += event.requestor is Requestor.USER
            case ToolResult():
                found.results[group] += 1
                found.marked[group] += event.error is not None
            case _:
                pass


def problems_of(run: Imported) -> list[str]:
    """Return what is wrong with a run as a value of the model."""
    trace = run.trace
    assert trace is not None
    text = json.dumps(trace_document(trace), ensure_ascii=False)
    again = parse_trace(json.loads(text), place=Place(name="again"))
    pieces = [
        run.raw[start:end]
        for start, end in zip(run.cuts, (*run.cuts[1:], len(run.raw)), strict=True)
    ]
    checks = {
        "does not survive trace/1": again != trace,
        "cuts do not make up its bytes": b"".join(pieces) != run.raw or not all(pieces),
        "first cut": run.cuts[0] != 0,
        "one row an event": len(run.row_of_event) != len(trace.events),
        "rows in order": list(run.row_of_event) != sorted(run.row_of_event),
        "rows of messages": len(run.cuts) < 2,
        "last row": bool(run.row_of_event) and run.row_of_event[-1] >= len(run.cuts),
        "a text of a reply without its claim": not claims_follow(trace.events),
        "written arguments": any(loss.kind == "args_not_exact" for loss in run.losses.items),
    }
    return [name for name, wrong in checks.items() if wrong]


def claims_follow(events: tuple[object, ...]) -> bool:
    """Whether each reply text is a claim right after its reply, and only the last is final."""
    claims = [event for event in events if isinstance(event, Claim)]
    for at, event in enumerate(events):
        if isinstance(event, ModelReply) and event.text.strip():
            after = events[at + 1] if at + 1 < len(events) else None
            if not isinstance(after, Claim) or after.text != event.text:
                return False
    return [claim.final for claim in claims] == [claim is claims[-1] for claim in claims]


def differences(group: str, run: Imported, record: JsonMap) -> list[str]:
    """Compare a trace with its raw record, read in another way."""
    trace = run.trace
    assert trace is not None
    data = record.get("data", record)
    assert isinstance(data, dict)
    messages = data.get("traj" if group == "tau-bench" else "messages")
    assert isinstance(messages, list)
    asked = [call for message in messages for call in calls_in(message)]
    calls = [event for event in trace.events if isinstance(event, ToolCall)]
    answers = [m for m in messages if isinstance(m, dict) and m["role"] == "tool"]
    results = [event for event in trace.events if isinstance(event, ToolResult)]
    replies = [event for event in trace.events if isinstance(event, ModelReply)]
    said = [m for m in messages if isinstance(m, dict) and m["role"] == "assistant"]
    checks = {
        "names of calls": [name for name, _ in asked] != [call.tool for call in calls],
        "arguments of calls": [args for _, args in asked] != [call.args for call in calls],
        "number of results": len(answers) != len(results),
        "number of replies": len(replies) != len(said),
        "texts of results": any(
            isinstance(answer["content"], str) and answer["content"] != result.result_raw
            for answer, result in zip(answers, results, strict=True)
        ),
        "arguments in the raw bytes": any(
            call.args_raw is None or not written(call.args_raw, run.raw.decode()) for call in calls
        ),
    }
    return [name for name, wrong in checks.items() if wrong]


def written(arguments: str, raw: str) -> bool:
    """Whether arguments stand in the record byte for byte: as they are, or as a JSON string."""
    escaped = (json.dumps(arguments), json.dumps(arguments, ensure_ascii=False))
    return arguments in raw or any(text in raw for text in escaped)


def calls_in(message: Json) -> list[tuple[Json, Json]]:
    """Return name and arguments of a message's calls, in each of the three groups' forms."""
    found: list[tuple[Json, Json]] = []
    assert isinstance(message, dict)
    for call in message.get("tool_calls") or []:  # type: ignore[union-attr]
        assert isinstance(call, dict)
        function = call.get("function")
        if isinstance(function, dict):
            found.append((function["name"], json.loads(str(function["arguments"]))))
        elif isinstance(function, str):
            found.append((function, call["args"]))
        else:
            found.append((call["name"], call["arguments"]))
    return found


def test_every_trace_is_read_and_says_what_its_record_says(tally: Tally) -> None:
    """No crash, no lost byte, no call or result that the record does not have."""
    assert tally.problems == []
    assert dict(tally.runs) == RUNS
    assert dict(tally.calls) == CALLS
    assert len(set(tally.ids)) == sum(RUNS.values())


def test_failures_agree_with_the_manifest(tally: Tally) -> None:
    """The labels are what makes the corpus useful; one wrong rule would spoil every figure."""
    assert tally.labels["utility false"] == 802
    assert tally.labels["attacked"] == 885
    assert tally.labels["security true"] == 148
    assert tally.labels["tau-bench reward below 1"] == 87
    assert tally.labels["tau2-bench reward below 1"] == 123


def test_status_follows_the_label_rule(tally: Tally) -> None:
    """`runs --failed` lists what others said went wrong."""
    assert tally.statuses["tau-bench", RunStatus.FAILED] == 87
    assert tally.statuses["tau-bench", RunStatus.OK] == 65
    assert tally.statuses["tau2-bench", RunStatus.FAILED] == 123
    assert tally.statuses["tau2-bench", RunStatus.OK] == 226
    assert tally.statuses["agentdojo", RunStatus.FAILED] == 888
    assert tally.statuses["agentdojo", RunStatus.OK] == 813


def test_calls_of_the_user_simulator_are_not_the_agents(tally: Tally) -> None:
    """They stand in the same list and must never count against the agent."""
    assert dict(tally.user_calls) == {"agentdojo": 0, "tau-bench": 0, "tau2-bench": 641}


def test_missing_results_and_ids_are_reported(tally: Tally) -> None:
    """12 AgentDojo runs end on calls that nobody answered; many calls have no id."""
    assert tally.losses["agentdojo", "results_missing"] == 14
    assert tally.calls["agentdojo"] - tally.results["agentdojo"] == 14
    assert tally.losses["agentdojo", "call_ids_synthesised"] == 1794
    assert tally.losses["tau2-bench", "task_missing"] == 56
    assert not any(kind == "results_orphaned" for _, kind in tally.losses)


def test_only_marked_errors_are_errors(tally: Tally) -> None:
    """A tau-bench result that starts with "Error" has no mark: it stays a result."""
    assert tally.marked["tau-bench"] == 0
    assert tally.marked["agentdojo"] == 343


def test_grades(tally: Tally) -> None:
    """What is whole is replayable; the two skipped AgentDojo tasks have no reply at all."""
    assert tally.grades["agentdojo", Grade.SKELETON] == 2
    assert tally.grades["agentdojo", Grade.NEEDS_FIXTURES] == 12
    assert tally.grades["tau2-bench", Grade.NEEDS_FIXTURES] == 56
    assert tally.grades["tau-bench", Grade.REPLAYABLE] == 152


def test_every_tool_of_the_corpus_has_a_declared_effect(
    tally: Tally, corpus_tools: tuple[Tool, ...]
) -> None:
    """An effect that nobody declared counts as a write; here a person looked at each."""
    names = [tool.name for tool in corpus_tools]

    assert set(names) == tally.tools
    assert names == sorted(names)


def test_declared_effects_reach_the_trace(corpus: Path, corpus_tools: tuple[Tool, ...]) -> None:
    """What the file declares is what the judge sees."""
    run = next(read_source(corpus / "tau-bench/gpt-4o-airline.jsonl.gz", tools=corpus_tools))

    assert run.trace is not None
    assert run.trace.tools == corpus_tools
    assert "tools_not_listed" not in {loss.kind for loss in run.losses.items}


def test_a_reused_id_is_kept_once(corpus: Path) -> None:
    """Several recorders use an id twice; the second call gets one of ours and its own result."""
    reused = 0
    for run in read_source(corpus / "tau-bench/gpt-4o-airline.jsonl.gz"):
        assert run.trace is not None
        calls = [event for event in run.trace.events if isinstance(event, ToolCall)]
        reused += sum(call.call_id_source is CallIdSource.SYNTHESISED for call in calls)
        assert len({call.call_id for call in calls}) == len(calls)

    assert reused == 50


def test_one_run_of_a_file_is_found_by_its_id(corpus: Path) -> None:
    """FILE#RUN_ID is how a run is named without a store."""
    path = corpus / "agentdojo/gpt-4o-2024-05-13.jsonl.gz"
    wanted = list(read_source(path))[7]

    assert load_run(f"{path}#{wanted.run_id}") == wanted


def test_files_without_a_trace_are_refused(corpus: Path) -> None:
    """Run information beside the runs is JSON, but no trace."""
    paths = sorted(corpus.glob("*/*.info.json.gz"))

    assert len(paths) == 11
    for path in paths:
        with pytest.raises(TraceFormatError, match="holds no trace"):
            list(read_source(path))
