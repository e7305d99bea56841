"""What a run cost, where its recorder says so: `limits` on costs hang on it."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from tests.ingest.exports import a_generation, a_langsmith_trace, an_observation
from tests.ingest.otlp.spans import a_chat, a_document, a_message, text
from tests.ingest.samples import a_tau2_run, an_openai_chat, read_as, write_file
from workbench.ingest.reader import read_source
from workbench.model.event import ModelReply

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Trace

pytestmark = pytest.mark.desk


def costs(trace: Trace) -> list[float | None]:
    """The cost of each reply."""
    replies = (event for event in trace.events if isinstance(event, ModelReply))
    return [None if one.usage is None else one.usage.cost_usd for one in replies]


def langsmith() -> Any:  # noqa: ANN401
    """Totals as the API gives them: text, or null without a price."""
    records: Any = a_langsmith_trace()
    models = [record for record in records if record["run_type"] == "llm"]
    models[0]["total_cost"], models[1]["total_cost"] = "0.0021", None
    return records


def langfuse(**fields: Json) -> Any:  # noqa: ANN401
    """Two requests, the first with these fields."""
    sent = json.dumps([{"role": "user", "content": "Hi"}])
    given = json.dumps({"role": "assistant", "content": "Hello", "usage": {"prompt_tokens": 1}})
    items = [
        an_observation("agent", 0, 9),
        a_generation("g1", 1, sent, given, **fields),
        a_generation("g2", 3, sent, given, costDetails={}, totalCost=0),
    ]
    return {"trace": {"id": "lf-1"}, "observations": items}


def openhands() -> Any:  # noqa: ANN401
    """Each action says what the run has cost so far."""
    found: list[Any] = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Fix it."}}
    ]
    for number, spent in enumerate((0.25, 0.25, 0.75), 1):
        found.append(
            {
                "id": number,
                "source": "agent",
                "action": "message",
                "args": {"content": f"Step {number}."},
                "llm_metrics": {"accumulated_cost": spent, "costs": []},
            }
        )
    return found


def claude_code() -> Any:  # noqa: ANN401
    """Sessions until 2025 say it of each entry."""
    about = {"sessionId": "s1", "timestamp": "2025-05-01T00:00:00Z", "version": "0.2.9"}
    message = {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": "Done."}]}
    return [
        {
            "type": "user",
            "uuid": "u1",
            "parentUuid": None,
            **about,
            "message": {"role": "user", "content": "Fix it."},
        },
        {
            "type": "assistant",
            "uuid": "a1",
            "parentUuid": "u1",
            **about,
            "message": message,
            "costUSD": 0.0123,
        },
    ]


def tau2() -> Any:  # noqa: ANN401
    """The cost stands beside the tokens."""
    run: Any = deepcopy(a_tau2_run())
    run["messages"][4]["cost"] = 0.0042
    return run


def openrouter() -> Any:  # noqa: ANN401
    """An exchange whose response says what it cost."""
    chat: Any = an_openai_chat()
    choice = {"index": 0, "message": {"role": "assistant", "content": "Ok."}}
    usage = {"prompt_tokens": 5, "completion_tokens": 1, "cost": 0.5}
    return {
        "request": {"model": "m", "messages": chat[:2]},
        "response": {"model": "m", "choices": [choice], "usage": usage},
    }


@pytest.mark.parametrize(
    ("name", "record", "wanted"),
    [
        ("langsmith", langsmith(), {0.0021, None}),
        ("langfuse", langfuse(costDetails={"input": 0.1, "total": 0.3}), {0.3, None}),
        ("langfuse", langfuse(providedCostDetails={"total": 0.3}, totalCost=0), {0.3, None}),
        ("langfuse", langfuse(calculatedTotalCost="0.3"), {0.3, None}),
        ("openhands_events", openhands(), {0.25, None, 0.5}),
        ("claude_code", claude_code(), {0.0123}),
        ("tau2_bench", tau2(), {0.0042, None}),
        ("openai_chat", openrouter(), {0.5}),
    ],
)
def test_a_stated_cost_is_kept_and_no_other_is_made_up(
    name: str, record: Json, wanted: set[float | None]
) -> None:
    """What one reply costs stands at that reply; a price that is not known is no zero."""
    trace, _ = read_as(name, record)

    assert set(costs(trace)) == wanted


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.usage.cost": 0.5},
        {"operation.cost": 0.5},
        {"gen_ai.cost.total_cost": 0.5},
    ],
)
def test_costs_of_spans_are_read(tmp_path: Path, attributes: dict[str, Json]) -> None:
    """The convention has no name for them; recorders have."""
    span = a_chat(
        2,
        [a_message("user", text("Hi"))],
        [a_message("assistant", text("Hello"))],
        more=attributes,
    )
    data = json.dumps(a_document(span)).encode()
    (run,) = read_source(write_file(tmp_path / "spans.json", data))

    assert run.trace is not None
    assert costs(run.trace) == [0.5]


def test_mini_swe_agent_says_costs_of_messages_and_of_the_run() -> None:
    """The run's total is a label: which reply cost what is then not known."""
    answer = {
        "role": "assistant",
        "content": "```bash\nls\n```",
        "extra": {"cost": 0.25, "response": {"usage": {"prompt_tokens": 3}}},
    }
    record: Json = {
        "trajectory_format": "mini-swe-agent-1.1",
        "info": {"mini_version": "2.0", "model_stats": {"instance_cost": 0.75}},
        "messages": [
            {"role": "system", "content": "You can act."},
            {"role": "user", "content": "Fix it."},
            answer,  # type: ignore[list-item]
        ],
    }

    trace, _ = read_as("mini_swe_agent", record)

    assert costs(trace) == [0.25]
    assert trace.labels["cost_usd"] == 0.75
