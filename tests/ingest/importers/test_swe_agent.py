"""SWE-agent: acts as calls or as text, demonstrations, steps that only the trajectory has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import an_openai_call, kinds, lost, read_as
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import Claim, ModelReply, ToolCall, ToolResult
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap


def a_step(action: str = "ls", observation: Json = "a.py", **more: Json) -> JsonMap:
    """One step of the trajectory."""
    return {"action": action, "observation": observation, "response": "Look.", **more}


def an_act(action: str = "ls", thought: str = "Look.") -> JsonMap:
    """An act that the model wrote as text."""
    content = f"{thought}\n```\n{action}\n```"
    return {"role": "assistant", "content": content, "thought": thought, "action": action}


def a_history(*messages: Json) -> list[Json]:
    """System text, task and more."""
    return [
        {"role": "system", "content": "You fix code.", "agent": "main"},
        {"role": "user", "content": "Fix it.", "agent": "main"},
        *messages,
    ]


def a_run(history: list[Json], *steps: Json, ended: Json = "submitted") -> JsonMap:
    """A whole trajectory."""
    return {
        "environment": "main",
        "history": history,
        "trajectory": list(steps),
        "info": {"exit_status": ended, "submission": "diff"},
    }


def calls_of(run: JsonMap) -> list[ToolCall]:
    """Return the calls."""
    trace, _ = read_as("swe_agent", run)
    return [event for event in trace.events if isinstance(event, ToolCall)]


def results_of(run: JsonMap) -> list[ToolResult]:
    """Return the results."""
    trace, _ = read_as("swe_agent", run)
    return [event for event in trace.events if isinstance(event, ToolResult)]


def test_a_command_in_a_text_is_a_call_of_the_shell() -> None:
    """What stands beside it is the claim; that the names are ours is a named loss."""
    run = a_run(
        a_history(an_act(), {"role": "user", "content": "a.py\nbash-$"}),
        a_step(execution_time=0.25),
    )

    trace, losses = read_as("swe_agent", run)

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
    ]
    (call,) = calls_of(run)
    assert (call.tool, call.args) == ("bash", {"command": "ls"})
    (result,) = results_of(run)
    assert (result.result_raw, result.latency_ms) == ("a.py\nbash-$", 250)
    (claim,) = (event for event in trace.events if isinstance(event, Claim))
    assert claim.text == "Look."
    (reply,) = (event for event in trace.events if isinstance(event, ModelReply))
    assert reply.text == "Look.\n```\nls\n```"
    assert lost(losses)["calls_written_as_text"] == 1
    assert trace.labels == {
        "exit_status": "submitted",
        "environment": "main",
        "submission": "diff",
    }


def test_function_calls_keep_their_ids_and_arguments() -> None:
    """The exact text of the arguments is the model's."""
    act: JsonMap = {
        **an_act("open a.py"),
        "tool_calls": [an_openai_call("c1", "open", '{"path":  "a.py"}')],
    }
    answer: JsonMap = {"role": "tool", "content": "[File]", "tool_call_ids": ["c1"]}
    run = a_run(a_history(act, answer), a_step("open a.py", execution_time=1))

    trace, losses = read_as("swe_agent", run)

    (call,) = calls_of(run)
    assert (call.call_id, call.tool, call.args_raw) == ("c1", "open", '{"path":  "a.py"}')
    (result,) = results_of(run)
    assert result.latency_ms == 1000
    assert "calls_written_as_text" not in lost(losses)
    assert trace.events[3].kind == "claim"


def test_what_only_the_trajectory_has_is_added() -> None:
    """The last answer is often there alone, and so may be whole steps."""
    run = a_run(
        a_history(an_act()),
        a_step(),
        a_step("submit", "diff", execution_time=True),
        a_step("", "ignored"),
        a_step("rm", None),
    )

    trace, losses = read_as("swe_agent", run)

    assert [call.args for call in calls_of(run)] == [
        {"command": "ls"},
        {"command": "submit"},
        {"command": "rm"},
    ]
    assert [result.result_raw for result in results_of(run)] == ["a.py", "diff"]
    assert lost(losses)["results_missing"] == 1
    assert kinds(trace).count("model_reply") == 4


def test_a_text_without_an_act_is_a_reply() -> None:
    """The next message of the user is then no answer of a tool."""
    thought: JsonMap = {"role": "assistant", "content": "I give up.", "action": " "}
    run = a_run(a_history(thought, {"role": "user", "content": "Go on."}), a_step())

    trace, _ = read_as("swe_agent", run)

    assert kinds(trace)[2:5] == ["model_reply", "claim", "user_message"]


def test_demonstrations_are_no_acts_of_the_run() -> None:
    """They are examples in the prompt; what is left out is counted."""
    demo: JsonMap = {"role": "user", "content": "Here is one:", "is_demo": True}
    other: JsonMap = {"role": "user", "content": "And", "message_type": "demonstration"}

    trace, losses = read_as("swe_agent", a_run([demo, other, *a_history()], a_step()))

    assert lost(losses)["demonstrations_left_out"] == 2
    assert kinds(trace)[:2] == ["system_message", "user_message"]


@pytest.mark.parametrize(
    ("ended", "status"),
    [
        ("submitted", RunStatus.UNKNOWN),
        (None, RunStatus.UNKNOWN),
        ("exit_cost", RunStatus.FAILED),
        ("submitted (exit_context)", RunStatus.FAILED),
    ],
)
def test_an_early_end_is_a_failure(ended: Json, status: RunStatus) -> None:
    """A submission may still be wrong."""
    trace, _ = read_as("swe_agent", a_run(a_history(), a_step(), ended=ended))

    assert trace.status is status


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"role": "other", "content": "x"}, r"history\.2\.role is .*; expected system, user"),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"function": {}}]},
            r'history\.2\.tool_calls\.0\."?function\.name"? is .*; expected a tool',
        ),
    ],
)
def test_a_broken_message_is_named(message: Json, error: str) -> None:
    """The error says where."""
    with pytest.raises(TraceFormatError, match=error):
        read_as("swe_agent", a_run(a_history(message), a_step()))


def test_which_records_are_trajectories() -> None:
    """A history alone is one if its messages have SWE-agent's types."""
    typed: JsonMap = {"role": "system", "content": "x", "message_type": "system_prompt"}

    assert candidates(a_run(a_history(), a_step())) == ("swe_agent",)
    assert candidates({"history": [typed]}) == ("swe_agent",)
    assert "swe_agent" not in candidates({"history": a_history()})
    assert "swe_agent" not in candidates({"history": a_history(), "trajectory": [{}]})
