"""mini-SWE-agent: commands in a block of its own language, exit codes in the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import (
    an_openai_call,
    an_openai_chat,
    dumped,
    kinds,
    lost,
    read,
    read_as,
    write_file,
)
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import CallError, ToolCall, ToolResult
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap

END = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def an_act(command: str) -> JsonMap:
    """A reply with one command."""
    return {"role": "assistant", "content": f"Now:\n\n```mswea_bash_command\n{command}\n```"}


def an_answer(code: int, output: str = "out") -> JsonMap:
    """What the shell answered."""
    text = f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>"
    return {"role": "user", "content": text}


def a_run(*messages: Json) -> list[Json]:
    """System text, task and more."""
    return [
        {"role": "system", "content": "You fix code."},
        {"role": "user", "content": "Fix it."},
        *messages,
    ]


def results_of(record: Json) -> list[ToolResult]:
    """Return the results."""
    trace, _ = read_as("mini_swe_agent", record)
    return [event for event in trace.events if isinstance(event, ToolResult)]


def test_a_list_of_messages_is_a_run(tmp_path: Path) -> None:
    """It looks like any chat; the block of its own language tells it apart."""
    messages = a_run(an_act("ls"), an_answer(0), an_act(END), {"role": "user", "content": "diff"})
    (run,) = read(write_file(tmp_path / "run.traj.json", dumped(messages)))

    assert run.trace is not None
    assert kinds(run.trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    (call,) = (event for event in run.trace.events if isinstance(event, ToolCall))
    assert (call.tool, call.args) == ("bash", {"command": "ls"})
    assert lost(run.losses)["calls_written_as_text"] == 1


def test_a_chat_without_that_block_stays_a_chat() -> None:
    """Anybody may write bash in a block."""
    record = an_openai_chat()

    assert candidates(record) == ("openai_chat",)


def test_an_exit_code_is_an_error_mark() -> None:
    """0 is none."""
    good, bad = results_of(a_run(an_act("ls"), an_answer(0), an_act("x"), an_answer(127)))

    assert good.error is None
    assert bad.error == CallError(type="exit_code", status=127)


def test_what_is_no_single_command_is_refused_by_the_agent() -> None:
    """Its answer is the framework's, as a text of the user."""
    two = an_act("ls")
    two["content"] = f"{two['content']}\n{two['content']}"

    trace, _ = read_as("mini_swe_agent", a_run(two, {"role": "user", "content": "One, please."}))

    assert kinds(trace)[2:] == ["model_reply", "claim", "user_message"]


def a_document(**info: Json) -> JsonMap:
    """Version 2: calls of `bash`, and what is known of the run."""
    call = an_openai_call("c1", "bash", '{"command": "ls"}')
    answer: JsonMap = {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "out",
        "extra": {"returncode": 2, "timestamp": 1733043686.5},
    }
    return {
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "repo-1",
        "info": {"mini_version": "2.0", "config": {"model": {"model_name": "m-1"}}, **info},
        "messages": a_run(
            {"role": "assistant", "content": None, "tool_calls": [call]},
            answer,
            {"role": "exit", "content": "diff"},
        ),
    }


@pytest.mark.parametrize(
    ("ended", "status"),
    [
        ("Submitted", RunStatus.UNKNOWN),
        (None, RunStatus.UNKNOWN),
        ("LimitsExceeded", RunStatus.FAILED),
    ],
)
def test_a_document_says_how_it_ended(ended: Json, status: RunStatus) -> None:
    """And which model and version it was."""
    trace, losses = read_as("mini_swe_agent", a_document(exit_status=ended))

    assert candidates(a_document()) == ("mini_swe_agent",)
    assert (trace.run_id, trace.versions.model, trace.versions.agent) == ("repo-1", "m-1", "2.0")
    assert trace.status is status
    (result,) = results_of(a_document())
    assert result.error == CallError(type="exit_code", status=2)
    assert result.at == "2024-12-01T09:01:26.500000+00:00"
    assert "calls_written_as_text" not in lost(losses)


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ({"role": "other", "content": "x"}, r"2\.role is .*; expected system, user"),
        (
            {"role": "assistant", "content": "", "tool_calls": [{"function": {}}]},
            r"2\.tool_calls\.0\.\"?function\.name\"? is .*; expected a tool",
        ),
    ],
)
def test_a_broken_message_is_named(message: Json, error: str) -> None:
    """The error says where."""
    with pytest.raises(TraceFormatError, match=error):
        read_as("mini_swe_agent", a_run(message))


def test_an_event_of_a_log_that_quotes_a_conversation_is_none() -> None:
    """Its `messages` are another's."""
    assert "mini_swe_agent" not in candidates({"type": "x", "messages": a_run(an_act("ls"))})
    assert "mini_swe_agent" not in candidates({"trajectory_format": "mini-swe-agent-1"})
