"""AgentDojo runs: no ids, errors in their own field, security only under attack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import an_agentdojo_run, kinds, lost, read_as
from workbench.errors import TraceFormatError
from workbench.model.event import CallError, CallIdSource, ToolCall, ToolResult
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json


@pytest.mark.parametrize("bundled", [True, False])
def test_both_forms_are_read(bundled: bool) -> None:  # noqa: FBT001  a parameter of the test
    """A bundle adds the path of the original file, which names the run."""
    run = an_agentdojo_run()
    record: Json = {"source_path": "runs/x/banking/1.json", "data": run} if bundled else run

    trace, _ = read_as("agentdojo", record)

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
        "model_reply",
        "claim",
    ]
    assert (trace.run_id == "runs/x/banking/1.json") is bundled
    assert trace.versions.model == "model-x"
    assert trace.events[0].source_ref == ("data.messages.0" if bundled else "messages.0")


def test_results_without_id_find_their_call_by_arguments() -> None:
    """Position alone would have given each call the other's result."""
    trace, losses = read_as("agentdojo", an_agentdojo_run())

    calls = [event for event in trace.events if isinstance(event, ToolCall)]
    results = [event for event in trace.events if isinstance(event, ToolResult)]
    assert {call.call_id_source for call in calls} == {CallIdSource.SYNTHESISED}
    assert [result.call_id for result in results] == [calls[1].call_id, calls[0].call_id]
    assert lost(losses)["call_ids_synthesised"] == 2


def test_an_error_stands_beside_what_the_model_saw() -> None:
    """The content is empty; the type is the error's own first word."""
    trace, _ = read_as("agentdojo", an_agentdojo_run())

    first, second = (event for event in trace.events if isinstance(event, ToolResult))
    assert first.error is None
    assert second.error == CallError(type="ValueError", message="ValueError: no such file")
    assert second.result_raw == ""


def test_an_error_without_a_type_keeps_its_message() -> None:
    """Nothing is made up."""
    run = an_agentdojo_run()
    messages = run["messages"]
    assert isinstance(messages, list)
    answer = messages[4]
    assert isinstance(answer, dict)
    answer["error"] = "it broke"

    trace, _ = read_as("agentdojo", run)

    second = [event for event in trace.events if isinstance(event, ToolResult)][1]
    assert second.error == CallError(message="it broke")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, RunStatus.OK),
        ({"utility": False}, RunStatus.FAILED),
        ({"security": True}, RunStatus.FAILED),
        ({"security": True, "attack_type": None}, RunStatus.OK),
        ({"error": "Skipping task"}, RunStatus.FAILED),
        ({"utility": None}, RunStatus.UNKNOWN),
    ],
)
def test_status_follows_utility_and_security_under_attack(
    changes: dict[str, Json], status: RunStatus
) -> None:
    """Without an attack `security` is true by convention and says nothing."""
    trace, _ = read_as("agentdojo", an_agentdojo_run(**changes))

    assert trace.status is status


def test_labels_say_what_others_said() -> None:
    """Security is no label where there was no attack."""
    attacked, _ = read_as("agentdojo", an_agentdojo_run())
    calm, _ = read_as("agentdojo", an_agentdojo_run(attack_type=None, injection_task_id=None))

    assert attacked.labels == {
        "suite": "banking",
        "task_id": "user_task_1",
        "injection_task_id": "injection_task_2",
        "attack": "important_instructions",
        "utility": True,
        "security": False,
    }
    assert calm.labels == {"suite": "banking", "task_id": "user_task_1", "utility": True}


@pytest.mark.parametrize(
    ("message", "where"),
    [
        ({"role": "oracle"}, "messages.0.role"),
        ({"role": "assistant", "tool_calls": [{"args": {}}]}, "messages.0.tool_calls.0.function"),
    ],
)
def test_a_wrong_part_is_named(message: Json, where: str) -> None:
    """The place leads to it."""
    with pytest.raises(TraceFormatError) as error:
        read_as("agentdojo", an_agentdojo_run(messages=[message]))

    assert error.value.key == where
