"""Microsoft Agent Framework: contents by type, errors that the framework wrote over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import kinds, lost, read_as
from workbench.ingest.formats import candidates
from workbench.model.event import CallError, ToolResult

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap


def messages() -> list[Json]:
    """A call that raised, and the answer."""
    call: JsonMap = {"type": "function_call", "call_id": "c1", "name": "pause", "arguments": "{}"}
    failed: JsonMap = {
        "type": "function_result",
        "call_id": "c1",
        "exception": "FunctionInvocationError",
        "result": "Error: Function failed.",
    }
    return [
        {"role": "user", "contents": [{"type": "text", "text": "Pause AC-1."}]},
        {"role": "assistant", "contents": [{"type": "text", "text": "One moment."}, call]},
        {"role": "tool", "contents": [failed]},
        {"role": "assistant", "contents": [{"type": "text", "text": "Paused."}]},
    ]


@pytest.mark.parametrize("wrapped", ["list", "response"])
def test_messages_are_read(wrapped: str) -> None:
    """A list, or the response that holds it."""
    response: JsonMap = {"messages": messages(), "response_id": "r1", "conversation_id": "k1"}
    record: Json = messages() if wrapped == "list" else response

    trace, losses = read_as("agent_framework", record)

    assert candidates(record) == ("agent_framework",)
    assert kinds(trace) == [
        "user_message",
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    assert (trace.session, trace.run_id == "r1") == (
        ("k1", True) if wrapped == "response" else (None, False)
    )
    assert lost(losses)["errors_redacted"] == 1


def test_what_was_raised_names_the_error() -> None:
    """The text is the framework's own and says nothing."""
    trace, _ = read_as("agent_framework", messages())

    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert result.error == CallError(
        type="FunctionInvocationError", message="Error: Function failed."
    )


@pytest.mark.parametrize("record", [[], [1], {"messages": []}, [{"role": "user", "content": "x"}]])
def test_other_records_are_not_taken(record: Json) -> None:
    """Plain chat messages have `content`."""
    assert "agent_framework" not in candidates(record)
