"""AutoGen's runtime writes a trace for each message; one team's traces are one run."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from tests.ingest.otlp.spans import a_span, imported, results, run_of, trace_of
from tests.ingest.samples import kinds, lost
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap

TEAM = "c7681340-5143-48b2-9807-9b204f293e75"
SCOPE = "autogen SingleThreadedAgentRuntime"


def a_processed(number: int, envelope: Json, *, team: str = TEAM) -> JsonMap:
    """A span of the manager that took a message, in a trace of its own."""
    found: JsonMap = {
        "recipient_agent_type": f"RoundRobinGroupChatManager_{team}",
        "message": json.dumps(envelope),
    }
    return {**a_span(number, found, start_ms=number), "traceId": f"{number + 1:032x}"}


def a_said(kind: str, source: str, content: Json) -> JsonMap:
    """One message of the chat."""
    return {"id": f"{kind}-{content}", "type": kind, "source": source, "content": content}


def a_team_run() -> list[JsonMap]:
    """A question, a call, its result, and the answer, which repeats what was before."""
    call: JsonMap = {"id": "c1", "name": "pause", "arguments": "{}"}
    answer: JsonMap = {"call_id": "c1", "name": "pause", "content": "done", "is_error": False}
    said = [
        a_said("TextMessage", "user", "Pause my plan."),
        a_said("ToolCallRequestEvent", "billing", [call]),
        a_said("ToolCallExecutionEvent", "billing", [answer]),
        a_said("TextMessage", "billing", "Paused."),
    ]
    tool: JsonMap = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pause"}
    return [
        a_processed(1, {"messages": [said[0]]}),
        a_processed(2, {"message": said[1]}),
        {**a_span(9, tool, start_ms=2), "traceId": f"{3:032x}"},  # no name of the team on it
        a_processed(3, {"message": said[2]}),
        a_processed(4, {"response": {"chat_message": said[3], "inner_messages": [*said[1:3]]}}),
    ]


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_the_traces_of_a_team_are_one_run(tmp_path: Path, seed: int | None) -> None:
    """In whatever order they come, and with the spans that only share a trace with them."""
    spans = a_team_run()
    if seed is not None:
        random.Random(seed).shuffle(spans)  # noqa: S311  only an order

    run = run_of(tmp_path, *spans, scope=SCOPE)

    trace = trace_of(run)
    assert run.run_id == TEAM
    assert kinds(trace) == [
        "user_message",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    assert results(trace) == {"c1": "done"}
    assert lost(run.losses)["traces_joined"] == 4
    assert run.losses.grade is Grade.REPLAYABLE


def test_teams_stay_apart(tmp_path: Path) -> None:
    """Each has a run of its own, also where their spans alternate."""
    other = f"{TEAM[:-1]}6"
    said: JsonMap = {"message": a_said("TextMessage", "user", "Pause my plan.")}
    spans = [a_processed(n, said, team=(TEAM, other)[n % 2]) for n in range(1, 5)]

    runs = imported(tmp_path, *spans, scope=SCOPE)

    assert {run.run_id for run in runs} == {TEAM, other}


def test_the_same_attributes_of_another_library_join_nothing(tmp_path: Path) -> None:
    """Only AutoGen's own spans are taken together."""
    runs = imported(tmp_path, *a_team_run(), scope="another")

    assert len(runs) == 4
