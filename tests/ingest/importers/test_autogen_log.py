"""AutoGen's event log: payloads show the calls that the log itself leaves out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.ingest.importers.test_autogen import a_message, a_stream
from tests.ingest.samples import an_openai_chat, kinds, lost, read, read_as, write_lines
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import Requestor, ToolCall
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap

A_CALL: JsonMap = {
    "type": "ToolCall",
    "tool_name": "pause",
    "arguments": {"id": 1},
    "result": "paused",
    "agent_id": "billing/1",
}


def sent(payload: Json) -> JsonMap:
    """A record of a message that an agent sent."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return {"type": "Message", "payload": text, "kind": "MessageKind.PUBLISH", "sender": "a"}


def a_log() -> list[Json]:
    """Every message twice, one that could not be written, and no record of the failed call."""
    task, _, asked, answered, said, _ = a_stream()
    return [
        sent({"messages": [task]}),
        sent({"messages": [task]}),
        sent("Message could not be serialized"),
        sent({"message": asked}),
        {"raw": "Token count has been done only on string content"},
        sent({"message": answered}),
        sent({"response": {"chat_message": said, "inner_messages": [asked, answered]}}),
    ]


def test_the_payloads_are_the_run(tmp_path: Path) -> None:
    """They show the failed call, of which the log has no record: that is named."""
    (run,) = read(write_lines(tmp_path / "log.jsonl", *a_log()))
    stream, _ = read_as("autogen_stream", a_stream())

    assert run.trace is not None
    assert kinds(run.trace) == kinds(stream)
    assert lost(run.losses)["failed_calls_not_logged"] == 1
    assert lost(run.losses)["messages_not_serialized"] == 1
    assert run.losses.grade is Grade.REPLAYABLE


def test_a_call_that_was_logged_is_not_missed() -> None:
    """Then every call has its record."""
    _, losses = read_as("autogen_log", [*a_log(), A_CALL])

    assert "failed_calls_not_logged" not in lost(losses)


def test_without_payloads_the_last_request_is_read() -> None:
    """It repeats all before it; a failed call may still be missing, so the grade falls."""
    chat = an_openai_chat()
    earlier: JsonMap = {"type": "LLMCall", "agent_id": "b/1", "messages": chat[:2]}
    reply: JsonMap = {"choices": [{"message": chat[-1]}]}
    last: JsonMap = {
        "type": "LLMCall",
        "agent_id": "b/1",
        "messages": chat[:-1],
        "response": reply,
    }

    trace, losses = read_as("autogen_log", [earlier, A_CALL, last])

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    assert lost(losses)["failed_calls_not_logged"] == 1
    assert losses.grade is Grade.NEEDS_FIXTURES


def test_calls_alone_are_the_frameworks() -> None:
    """No reply asked for them, as far as the log says."""
    trace, losses = read_as("autogen_log", [A_CALL, {**A_CALL, "arguments": None}])

    calls = [event for event in trace.events if isinstance(event, ToolCall)]
    assert [call.requestor for call in calls] == [Requestor.FRAMEWORK] * 2
    assert lost(losses)["args_missing"] == 1
    assert losses.grade is Grade.SKELETON


def test_a_request_without_a_reply_is_read() -> None:
    """The call to the model may have failed."""
    record: JsonMap = {"type": "LLMCall", "agent_id": None, "messages": an_openai_chat()[:2]}

    trace, _ = read_as("autogen_log", [record])

    assert kinds(trace) == ["system_message", "user_message"]


def test_a_payload_may_be_a_structure_or_deep() -> None:
    """Some handlers parse it; hostile ones nest it."""
    payload: JsonMap = {"message": a_message("TextMessage", "Hi.", source="user")}
    parsed: JsonMap = {**sent({}), "payload": payload}
    deep: JsonMap = {**sent({}), "payload": "[" * 100_000}

    trace, losses = read_as("autogen_log", [parsed, deep])

    assert kinds(trace) == ["user_message"]
    assert lost(losses)["messages_not_serialized"] == 1


def test_texts_alone_are_no_run() -> None:
    """A log of other texts has the same form."""
    with pytest.raises(TraceFormatError, match="holds no event of an agent"):
        read_as("autogen_log", [{"raw": "something"}])


@pytest.mark.parametrize(
    "record", [{"type": "ToolCall"}, {"type": "Message"}, {"type": "LLMCall"}, {"type": "Other"}, 5]
)
def test_other_records_are_no_events(record: Json) -> None:
    """The types are common words."""
    assert "autogen_log" not in candidates(record)
