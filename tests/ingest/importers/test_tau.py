"""tau-bench and tau2-bench: rewards, the user simulator, times without a zone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import a_tau2_run, a_tau_run, an_openai_chat, kinds, lost, read_as
from workbench.errors import TraceFormatError
from workbench.model.event import CallError, ModelReply, Requestor, ToolCall, ToolResult, Usage
from workbench.model.trace import Grade, RunStatus, Tool

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap


@pytest.mark.parametrize(
    ("reward", "status"),
    [(1.0, RunStatus.OK), (1, RunStatus.OK), (0.0, RunStatus.FAILED), (None, RunStatus.UNKNOWN)],
)
def test_a_reward_below_one_means_failed(reward: float | None, status: RunStatus) -> None:
    """The label rule of both benchmarks."""
    trace, _ = read_as("tau_bench", a_tau_run(reward=reward))
    later, _ = read_as("tau2_bench", a_tau2_run(reward_info={"reward": reward}))

    assert (trace.status, later.status) == (status, status)
    assert trace.labels == {"task_id": 7, "trial": 1} | (
        {} if reward is None else {"reward": reward}
    )


def test_a_text_that_says_error_is_a_result() -> None:
    """tau-bench has no error mark, and a text alone is none."""
    messages = an_openai_chat()
    messages[3] = {"role": "tool", "tool_call_id": "c1", "name": "x", "content": "Error: no"}

    trace, _ = read_as("tau_bench", a_tau_run(messages=messages))

    (result,) = [event for event in trace.events if isinstance(event, ToolResult)]
    assert result.error is None
    assert result.result_raw == "Error: no"


def test_tools_and_model_may_stand_in_the_info() -> None:
    """Later versions write them."""
    record = a_tau_run()
    record["info"] = {"model": "gpt-x", "tools": [{"function": {"name": "billing.pause"}}]}

    trace, losses = read_as("tau_bench", record)

    assert trace.versions.model == "gpt-x"
    assert trace.tools == (Tool(name="billing.pause"),)
    assert "tools_not_listed" not in lost(losses)


def test_the_user_simulators_calls_are_the_users() -> None:
    """They have no turn of the agent and never count against it; the greeting is a reply."""
    trace, losses = read_as("tau2_bench", a_tau2_run())

    assert kinds(trace) == [
        "model_reply",
        "claim",
        "user_message",
        "tool_call",
        "tool_result",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    user, agent = (event for event in trace.events if isinstance(event, ToolCall))
    assert (user.requestor, user.turn) == (Requestor.USER, 0)
    assert (agent.requestor, agent.turn) == (Requestor.AGENT, 2)
    assert trace.labels == {
        "task_id": "3",
        "trial": 0,
        "reward": 1.0,
        "termination_reason": "user_stop",
    }
    assert losses.grade is Grade.REPLAYABLE


def test_the_providers_reply_has_the_exact_arguments() -> None:
    """The benchmark keeps them parsed, and beside them what the model wrote."""
    trace, _ = read_as("tau2_bench", a_tau2_run())

    agent = [event for event in trace.events if isinstance(event, ToolCall)][1]
    assert agent.args_raw == '{"n":  1}'
    assert agent.source_ref == "messages.4.raw_data.message.tool_calls.0"
    reply = [event for event in trace.events if isinstance(event, ModelReply)][1]
    assert reply.usage == Usage(input_tokens=10, output_tokens=2)
    assert reply.finish_reason == "tool_calls"


def test_an_error_mark_carries_the_text() -> None:
    """Outcomes are derived from it; the result the model saw stays beside it."""
    trace, _ = read_as("tau2_bench", a_tau2_run())

    first, second = (event for event in trace.events if isinstance(event, ToolResult))
    assert first.error is None
    assert second.error == CallError(message="Error: no line")
    assert second.result_raw == "Error: no line"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2025-08-01T16:20:44.336209", "2025-08-01T16:20:44.336209+00:00"),
        ("2025-08-01 16:20:44", "2025-08-01T16:20:44+00:00"),
        ("2025-08-01T16:20:44+02:00", "2025-08-01T16:20:44+02:00"),
        ("yesterday", None),
        (5, None),
    ],
)
def test_times_are_rfc_3339(text: Json, at: str | None) -> None:
    """A time without a zone is taken as UTC, and that is said."""
    messages: list[Json] = [{"role": "user", "content": "go", "timestamp": text}]

    trace, losses = read_as("tau2_bench", a_tau2_run(messages=messages))

    assert trace.events[0].at == at
    naive = isinstance(text, str) and at is not None and at.endswith("+00:00")
    assert ("timestamps_without_zone" in lost(losses)) is naive


@pytest.mark.parametrize("reason", ["agent_error", "too_many_errors", "max_steps", "user_error"])
def test_a_broken_end_means_failed(reason: str) -> None:
    """The recorder says so, whatever the reward."""
    trace, _ = read_as("tau2_bench", a_tau2_run(termination_reason=reason))

    assert trace.status is RunStatus.FAILED


def test_a_run_without_a_user_lacks_its_task() -> None:
    """The task stood in a system text that this format does not keep."""
    messages: list[Json] = [{"role": "assistant", "content": "Done."}]

    _, losses = read_as("tau2_bench", a_tau2_run(messages=messages))

    assert {"task_missing", "system_missing"} <= lost(losses).keys()
    assert losses.grade is Grade.NEEDS_FIXTURES


def test_arguments_may_be_a_text() -> None:
    """Nothing is parsed twice."""
    call: JsonMap = {"id": "a", "name": "t", "arguments": '{"x": 1}'}
    messages: list[Json] = [
        {"role": "system", "content": "s"},
        {"role": "assistant", "tool_calls": [call]},
    ]

    trace, _ = read_as("tau2_bench", a_tau2_run(messages=messages))

    last = trace.events[-1]
    assert isinstance(last, ToolCall)
    assert (last.args_raw, last.args) == ('{"x": 1}', {"x": 1})


@pytest.mark.parametrize(
    ("message", "where"),
    [
        ({"role": "judge"}, "messages.0.role"),
        ({"role": "assistant", "tool_calls": [{"id": "a"}]}, "messages.0.tool_calls.0.name"),
    ],
)
def test_a_wrong_part_is_named(message: Json, where: str) -> None:
    """The place leads to it."""
    with pytest.raises(TraceFormatError) as error:
        read_as("tau2_bench", a_tau2_run(messages=[message]))

    assert error.value.key == where
