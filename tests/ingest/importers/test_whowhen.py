"""Who&When: programs that answer are tools, labels say where it went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import kinds, lost, read_as
from workbench.errors import TraceFormatError
from workbench.ingest.formats import FORMATS, candidates
from workbench.model.event import CallError, SystemMessage, ToolCall, ToolResult
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap


def a_chat(*steps: Json, **changes: Json) -> JsonMap:
    """A bundled chat of a planner, a browser and a terminal."""
    history = list(steps) or [
        {"role": "human", "content": "How tall is it?"},
        {"role": "Orchestrator (thought)", "content": "I need the height."},
        {"role": "Orchestrator (-> WebSurfer)", "content": "Look it up."},
        {"role": "Orchestrator (thought)", "content": "Next speaker WebSurfer"},
        {"role": "WebSurfer", "content": "It says 12 m."},
        {"role": "Orchestrator (termination condition)", "content": "12 m"},
    ]
    data: JsonMap = {
        "question": "How tall is it?",
        "question_ID": "q1",
        "history": history,
        "ground_truth": "13 m",
        "mistake_agent": "WebSurfer",
        "mistake_step": "4",
        "mistake_reason": "read the wrong line",
        "is_corrected": False,
    }
    return {"source_path": "Hand-Crafted/1.json", "data": {**data, **changes}}


def test_a_program_that_answers_is_a_tool() -> None:
    """What names it as the next speaker starts its work: nothing is said while it runs."""
    trace, losses = read_as("whowhen", a_chat())

    assert kinds(trace) == [
        "user_message",
        "model_reply",
        "model_reply",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    (call,) = (event for event in trace.events if isinstance(event, ToolCall))
    assert (call.tool, call.agent, call.args) == (
        "WebSurfer",
        "Orchestrator",
        {"text": "Look it up."},
    )
    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert (result.call_id, result.result_raw) == (call.call_id, "It says 12 m.")
    assert lost(losses)["calls_written_as_text"] == 1
    assert "replies_overlap" not in lost(losses)
    assert trace.run_id == "Hand-Crafted/1.json"


def test_the_labels_of_people_are_kept() -> None:
    """The step is a text in the source, and the verdict has two spellings."""
    trace, _ = read_as("whowhen", a_chat())
    other, _ = read_as("whowhen", a_chat(is_corrected=None, is_correct=True))
    neither, _ = read_as("whowhen", a_chat(is_corrected=None, mistake_step=4))

    assert trace.labels == {
        "is_correct": False,
        "mistake_agent": "WebSurfer",
        "mistake_step": 4,
        "mistake_reason": "read the wrong line",
        "question_id": "q1",
        "ground_truth": "13 m",
    }
    assert (trace.status, other.status) == (RunStatus.FAILED, RunStatus.OK)
    assert (neither.status, neither.labels["mistake_step"]) == (RunStatus.UNKNOWN, 4)


def test_a_terminal_writes_its_exit_code() -> None:
    """It is the only error mark of these chats; names stand beside roles in the other half."""
    chat = a_chat(
        {"role": "assistant", "name": "Coder", "content": "```python\n1/0\n```"},
        {
            "role": "user",
            "name": "Computer_terminal",
            "content": "exitcode: 1 (execution failed)\nCode output: ZeroDivisionError",
        },
        {"role": "user", "name": "Computer_terminal", "content": "There is no code to run."},
        {"role": "assistant", "name": "Coder", "content": "It works."},
        system_prompt={"Coder": "You write code.", "Terminal": None},
    )

    trace, _ = read_as("whowhen", chat)

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
        "model_reply",
        "claim",
    ]
    (system,) = (event for event in trace.events if isinstance(event, SystemMessage))
    assert (system.agent, system.text) == ("Coder", "You write code.")
    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert result.error == CallError(type="exit_code", status=1)


def test_what_was_said_to_a_program_is_a_call_without_an_answer_too() -> None:
    """Chats are cut at a limit of steps; the last call was made all the same."""
    chat = a_chat(
        {"role": "human", "content": "How tall is it?"},
        {"role": "Orchestrator (-> WebSurfer)", "content": "Look it up."},
        {"role": "Orchestrator (-> Assistant)", "content": "What do you think?"},
    )

    trace, losses = read_as("whowhen", chat)

    assert kinds(trace) == ["user_message", "model_reply", "tool_call", "model_reply", "claim"]
    assert lost(losses)["results_missing"] == 1


def test_a_bare_chat_is_named_by_its_question() -> None:
    """Bundles add a path; the collection's own files have only the question's id."""
    trace, _ = read_as("whowhen", a_chat()["data"])

    assert trace.run_id == "q1"
    assert candidates(a_chat()["data"]) == ("whowhen",)
    assert FORMATS["whowhen"].own_id(a_chat()) == "Hand-Crafted/1.json"


def test_a_chat_may_be_empty() -> None:
    """The question alone is the task."""
    record = a_chat()
    record["data"]["history"] = []  # type: ignore[index,call-overload]

    trace, losses = read_as("whowhen", record)

    assert kinds(trace) == ["user_message"]
    assert lost(losses)["no_model_reply"] == 1


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"content": "x"}, r"data\.history\.0\.role is null; expected a speaker"),
        ({"role": " ", "content": "x"}, r"data\.history\.0\.role is .*; expected a speaker"),
        ({"role": "A", "content": 5}, r"data\.history\.0\.content is .*; expected a text"),
        ("x", r"data\.history\.0 is .*; expected a mapping"),
    ],
)
def test_a_broken_step_is_named(step: Json, message: str) -> None:
    """The error says where, and no text of the chat."""
    with pytest.raises(TraceFormatError, match=message):
        read_as("whowhen", a_chat(step))
