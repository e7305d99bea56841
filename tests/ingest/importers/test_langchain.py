"""LangChain messages in their three encodings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.exports import (
    a_call,
    an_ai_message,
    constructor,
    langchain_conversation,
)
from tests.ingest.samples import dumped, kinds, lost, read, read_as, write_file
from workbench.casefile.trace import trace_document
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import CallError, ModelReply, ToolCall, ToolResult, Usage
from workbench.model.jsonvalue import ABSENT

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap

KINDS = [
    "system_message",
    "user_message",
    "model_reply",
    "claim",
    "tool_call",
    "tool_call",
    "tool_result",
    "tool_result",
    "model_reply",
    "claim",
]


def kwargs_of(message: Json) -> JsonMap:
    """The fields of a message."""
    assert isinstance(message, dict)
    found = message["kwargs"]
    assert isinstance(found, dict)
    return found


def encoded(form: str) -> list[Json]:
    """The conversation in one of the encodings."""
    talk = langchain_conversation()
    if form == "dumpd":
        return talk
    if form == "messages_to_dict":
        return [
            {"type": kwargs_of(one).get("type", "tool"), "data": kwargs_of(one)} for one in talk
        ]
    return [{"type": "tool", **kwargs_of(one)} for one in talk]


@pytest.mark.parametrize("form", ["dumpd", "messages_to_dict", "model_dump"])
def test_each_encoding_says_the_same(form: str, tmp_path: Path) -> None:
    """A list of messages is one run, however they are written."""
    (run,) = read(write_file(tmp_path / "talk.json", dumped(encoded(form))))

    assert run.trace is not None
    assert run.trace.source is not None
    assert run.trace.source.format == "langchain"
    assert kinds(run.trace) == KINDS
    calls = [event for event in run.trace.events if isinstance(event, ToolCall)]
    assert [call.args_raw for call in calls] == ['{"account": "AC-1"}'] * 2
    assert lost(run.losses) == {"no_timestamps": 1, "tools_not_listed": 2}


def test_a_failed_tool_is_marked() -> None:
    """`status` is the only mark."""
    trace, _ = read_as("langchain", langchain_conversation())

    ok, failed = (event for event in trace.events if isinstance(event, ToolResult))
    assert ok.error is None
    assert failed.error == CallError(type="TimeoutError", message="Error: TimeoutError('504')")


def test_tokens_and_model_are_kept() -> None:
    """The model stands in the metadata of a reply."""
    reply = an_ai_message("Hi")
    kwargs_of(reply)["response_metadata"] = {"model_name": "model-x", "finish_reason": "stop"}

    trace, _ = read_as("langchain", [reply])

    (found, _) = trace.events
    assert isinstance(found, ModelReply)
    assert found.usage == Usage(input_tokens=10, output_tokens=2, cached_tokens=4)
    assert trace.versions.model == "model-x"


def test_a_call_that_langchain_could_not_parse_keeps_its_text() -> None:
    """Malformed arguments are often the bug."""
    reply = an_ai_message("", a_call("c1", "find", {}))
    kwargs_of(reply)["invalid_tool_calls"] = [
        {"name": "pause", "args": '{"account": ', "id": "c2", "type": "invalid_tool_call"}
    ]

    trace, losses = read_as("langchain", [reply])

    call = trace.events[-1]
    assert isinstance(call, ToolCall)
    assert (call.tool, call.args_raw, call.args) == ("pause", '{"account": ', ABSENT)
    assert lost(losses)["args_not_json"] == 1


def test_calls_of_older_versions_are_read_from_the_providers_form() -> None:
    """Before 0.1 they stood in `additional_kwargs` only; after it they stand in both places."""
    function: JsonMap = {"name": "find", "arguments": '{"n": 1}'}
    raw: JsonMap = {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    old = constructor("AIMessage", content="", type="ai", additional_kwargs=raw)
    new = an_ai_message("", a_call("c1", "find", {"n": 1}))
    kwargs_of(new)["additional_kwargs"] = raw

    for message in (old, new):
        trace, _ = read_as("langchain", [message])
        assert [event.kind for event in trace.events] == ["model_reply", "tool_call"]


def test_a_state_of_a_graph_is_a_conversation() -> None:
    """`graph.get_state()` and the output of `invoke` wrap the list."""
    talk = langchain_conversation()
    configurable: JsonMap = {"configurable": {"thread_id": "t-1"}}
    states: list[JsonMap] = [
        {"messages": talk, "thread_id": "t-1"},
        {"values": {"messages": talk}, "config": configurable},
    ]

    for state in states:
        assert candidates(state) == ("langchain",)
        trace, _ = read_as("langchain", state)
        assert kinds(trace) == KINDS
        assert trace.session == "t-1"


def test_blocks_of_a_reply_are_read() -> None:
    """Anthropic's and the new standard content: texts, reasoning and calls in one list."""
    content: list[Json] = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "One moment."},
        {"type": "tool_use", "id": "c1", "name": "find", "input": {"n": 1}},
    ]
    reply = an_ai_message("", a_call("c1", "find", {"n": 1}))
    kwargs_of(reply)["content"] = content

    trace, _ = read_as("langchain", [reply])

    assert kinds(trace) == ["model_reply", "claim", "tool_call"]
    assert "hm" not in str(trace_document(trace))


def test_a_wrong_part_is_named() -> None:
    """The place leads to it."""
    reply = an_ai_message("", {"id": "c1", "args": {}})

    with pytest.raises(TraceFormatError) as error:
        read_as("langchain", [reply])

    assert error.value.key == "0.kwargs.tool_calls.0.name"


@pytest.mark.parametrize(
    "record",
    [
        [],
        [1],
        {"messages": []},
        {"messages": [{"role": "user", "content": "hi"}]},
        [{"type": "human"}],
        [{"lc": 1, "type": "constructor", "id": ["x", "Tool"], "kwargs": {}}],
        None,
    ],
)
def test_other_records_are_not_taken(record: Json) -> None:
    """Messages with a role are another format's."""
    assert "langchain" not in candidates(record)
