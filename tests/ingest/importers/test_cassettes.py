"""HTTP cassettes: YAML and JSON, plain and streamed bodies, several providers in one run."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.ingest.samples import (
    an_openai_call,
    dumped,
    kinds,
    lost,
    read,
    read_as,
    write_file,
)
from workbench.casefile.trace import trace_document
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import ModelReply, ModelRequest, ToolCall, ToolResult, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap

CHAT = "https://api.openai.com/v1/chat/completions"
MESSAGES = "https://api.anthropic.com/v1/messages?beta=true"
SYSTEM: JsonMap = {"role": "system", "content": "You are a billing agent."}
TASK: JsonMap = {"role": "user", "content": "Pause AC-1."}
CALL = an_openai_call("c1", "pause", '{"account":  "AC-1"}')
ASKED: JsonMap = {"role": "assistant", "content": None, "tool_calls": [CALL]}
DONE: JsonMap = {"role": "tool", "tool_call_id": "c1", "content": "paused"}
ANSWER: JsonMap = {"role": "assistant", "content": "Paused."}


def an_exchange(sent: Json, given: Json, *, uri: str = CHAT, status: int = 200) -> JsonMap:
    """One request with its response, as VCR records them."""
    date: list[Json] = ["Mon, 12 May 2025 22:19:55 GMT"]
    return {
        "request": {"method": "POST", "uri": uri, "body": text_of(sent), "headers": {}},
        "response": {
            "body": {"string": text_of(given)},
            "headers": {"Date": date},
            "status": {"code": status, "message": "x"},
        },
    }


def text_of(value: Json) -> str:
    """A body as it went over the wire."""
    return value if isinstance(value, str) else json.dumps(value)


def a_chat(*messages: Json) -> JsonMap:
    """A request of the chat API."""
    function: JsonMap = {"name": "pause", "parameters": {"type": "object"}}
    tools: list[Json] = [{"type": "function", "function": function}]
    return {"model": "model-x", "messages": list(messages), "tools": tools, "temperature": 0}


def a_completion(message: JsonMap) -> JsonMap:
    """A response of the chat API."""
    return {
        "model": "model-x-2026",
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
    }


def a_run() -> JsonMap:
    """A call, its result in the next request, and the answer."""
    return {
        "interactions": [
            an_exchange(a_chat(SYSTEM, TASK), a_completion(ASKED)),
            an_exchange(a_chat(SYSTEM, TASK, ASKED, DONE), a_completion(ANSWER)),
        ],
        "version": 1,
    }


KINDS = [
    "system_message",
    "user_message",
    "model_request",
    "model_reply",
    "tool_call",
    "tool_result",
    "model_request",
    "model_reply",
    "claim",
]


def test_requests_of_a_cassette_are_one_run() -> None:
    """History is told once; the result of a tool stands in the next request."""
    trace, losses = read_as("http_cassette", a_run())

    assert kinds(trace) == KINDS
    call, result = trace.events[4:6]
    assert isinstance(call, ToolCall)
    assert call.args_raw == '{"account":  "AC-1"}'
    assert isinstance(result, ToolResult)
    assert (result.result_raw, result.at) == ("paused", None)
    request, reply = trace.events[2:4]
    assert isinstance(request, ModelRequest)
    assert (request.model, request.settings) == ("model-x", {"temperature": 0})
    assert request.offered_tools == ("pause",)
    assert isinstance(reply, ModelReply)
    assert reply.at == "2025-05-12T22:19:55+00:00"
    assert reply.usage == Usage(input_tokens=10, output_tokens=2)
    assert trace.versions.model == "model-x-2026"
    assert trace.tools[0].schema == {"type": "object"}
    assert lost(losses) == {}


@pytest.mark.parametrize("packed", [False, True])
def test_a_cassette_in_yaml_is_the_same_run(packed: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """As VCR writes it; the store keeps its bytes."""
    data = yaml.safe_dump(a_run()).encode()

    (run,) = read(write_file(tmp_path / "cassette.yaml", data, packed=packed))

    assert run.trace is not None
    assert kinds(run.trace) == KINDS
    assert run.raw == data
    assert run.trace.source is not None
    assert run.trace.source.format == "http_cassette"


def test_a_cassette_in_json_is_the_same_run(tmp_path: Path) -> None:
    """VCR's other serializer."""
    (run,) = read(write_file(tmp_path / "cassette.json", dumped(a_run())))

    assert run.trace is not None
    assert kinds(run.trace) == KINDS


def test_a_packed_body_is_unpacked(tmp_path: Path) -> None:
    """Bodies in gzip are binary in YAML."""
    body = gzip.compress(json.dumps(a_completion(ASKED)).encode())
    later = a_run()["interactions"]
    assert isinstance(later, list)
    first = an_exchange(a_chat(SYSTEM, TASK), "")
    packed = {**first, "response": {"body": {"string": body}, "headers": {}}}
    record = {"interactions": [packed, *later[1:]]}

    (run,) = read(write_file(tmp_path / "c.yaml", yaml.safe_dump(record).encode()))

    assert run.trace is not None
    assert kinds(run.trace) == KINDS
    assert b"!!binary" in run.raw


def test_a_stream_is_put_together() -> None:
    """A streamed reply is a reply; one that broke off is a loss."""
    chunk: JsonMap = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": "Paused."}, "finish_reason": None}],
    }
    end: JsonMap = {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
    }
    whole = f"data: {json.dumps(chunk)}\n\ndata: {json.dumps(end)}\n\ndata: [DONE]\n\n"
    cut = f"data: {json.dumps(chunk)}\n\n"

    for text, losses_expected in ((whole, None), (cut, 1)):
        record: JsonMap = {"interactions": [an_exchange(a_chat(TASK), text)]}
        trace, losses = read_as("http_cassette", record)
        assert kinds(trace)[-1] == "claim"
        assert lost(losses).get("replies_cut_off") == losses_expected


def test_providers_own_tools_answer_inside_a_reply() -> None:
    """A text behind such an answer is a reply of its own, so that order is kept."""
    given: JsonMap = {
        "role": "assistant",
        "model": "claude-x",
        "content": [
            {"type": "text", "text": "Let me look."},
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
            {
                "type": "web_search_tool_result",
                "tool_use_id": "s1",
                "content": [{"type": "web_search_result", "title": "t", "url": "u"}],
            },
            {"type": "text", "text": "Found."},
        ],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 5, "output_tokens": 6},
    }
    sent: JsonMap = {"model": "claude-x", "system": "Be brief.", "messages": [TASK]}
    record: JsonMap = {"interactions": [an_exchange(sent, given, uri=MESSAGES)]}

    trace, losses = read_as("http_cassette", record)

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_request",
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert result.result == [{"type": "web_search_result", "title": "t", "url": "u"}]
    assert "parts_dropped" not in lost(losses)


def test_gemini_and_bedrock_are_read() -> None:
    """Their parts name the type by the key."""
    gemini: JsonMap = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "Pause AC-1."}]}],
        "generationConfig": {"temperature": 0.5},
    }
    called: JsonMap = {"functionCall": {"name": "pause", "args": {"account": "AC-1"}}}
    thought: JsonMap = {"text": "hm", "thought": True}
    candidate: JsonMap = {
        "content": {"role": "model", "parts": [thought, called]},
        "finishReason": "STOP",
    }
    bedrock: JsonMap = {
        "system": [{"text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [{"text": "Find it."}]},
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "b1", "name": "find", "input": {}}}],
            },
            {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": "b1", "content": [{"text": "found"}]}}],
            },
        ],
        "inferenceConfig": {"temperature": 0.5},
    }
    said: JsonMap = {
        "output": {"message": {"role": "assistant", "content": [{"text": "Found."}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 3, "outputTokens": 4},
    }
    google = "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent"
    amazon = "https://bedrock-runtime.us-east-1.amazonaws.com/model/c/converse"

    trace, losses = read_as(
        "http_cassette",
        {"interactions": [an_exchange(gemini, {"candidates": [candidate]}, uri=google)]},
    )
    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_request",
        "model_reply",
        "tool_call",
    ]
    assert "hm" not in str(trace_document(trace))
    assert lost(losses)["call_ids_synthesised"] == 1
    trace, losses = read_as(
        "http_cassette", {"interactions": [an_exchange(bedrock, said, uri=amazon)]}
    )
    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_request",
        "model_reply",
        "claim",
    ]
    assert "call_ids_synthesised" not in lost(losses)
    reply = trace.events[-2]
    assert isinstance(reply, ModelReply)
    assert (reply.finish_reason, reply.usage) == (
        "end_turn",
        Usage(input_tokens=3, output_tokens=4),
    )


def test_other_requests_are_counted_and_failed_ones_too() -> None:
    """A retry after a 429 shows as a failed request, not as a missing reply."""
    interactions: list[Json] = [
        an_exchange({}, {}, uri="https://api.openai.com/v1/traces/ingest"),
        an_exchange(a_chat(TASK), {"error": {"message": "slow down"}}, status=429),
        an_exchange(a_chat(TASK), a_completion(ANSWER)),
    ]

    trace, losses = read_as("http_cassette", {"interactions": interactions})

    assert kinds(trace) == [
        "user_message",
        "model_request",
        "model_request",
        "model_reply",
        "claim",
    ]
    assert lost(losses)["requests_skipped"] == 1
    assert lost(losses)["requests_failed"] == 1
    assert "replies_missing" not in lost(losses)


def test_parsed_bodies_are_read() -> None:
    """pydantic-ai records structures."""
    item = an_exchange("", "")
    item["request"] = {"method": "POST", "uri": CHAT, "parsed_body": a_chat(TASK)}
    item["response"] = {"status": {"code": 200}, "parsed_body": a_completion(ANSWER)}

    trace, losses = read_as("http_cassette", {"interactions": [item]})

    assert kinds(trace)[-1] == "claim"
    assert "no_timestamps" in lost(losses)


def test_a_body_that_cannot_be_read_is_a_loss() -> None:
    """Binary in an encoding that we do not know, or HTML from a proxy; and a broken date."""
    item = an_exchange(a_chat(TASK), "<html>")
    response = item["response"]
    assert isinstance(response, dict)
    response["headers"] = {"date": "tomorrow"}

    trace, losses = read_as("http_cassette", {"interactions": [item]})

    assert kinds(trace) == ["user_message", "model_request"]
    assert lost(losses)["replies_cut_off"] == 1
    assert lost(losses)["replies_missing"] == 1


@pytest.mark.parametrize(
    ("interactions", "where"),
    [
        ([an_exchange({}, {}, uri="https://api.cohere.com/v1/chat")], "interactions"),
        ([an_exchange("not json", {})], "interactions.0.request.body"),
        ([an_exchange(a_chat({"secret": "AC-1"}), {})], "interactions.0.request.messages.0.role"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(
    interactions: list[Json], where: str
) -> None:
    """The reason counts, and no text of the cassette."""
    with pytest.raises(TraceFormatError) as error:
        read_as("http_cassette", {"interactions": interactions})

    assert error.value.key == where
    assert "AC-1" not in str(error.value)


@pytest.mark.parametrize(
    "record", [{"interactions": []}, {"interactions": [{}]}, {"interactions": 5}, [], None]
)
def test_other_records_are_not_taken(record: Json) -> None:
    """An interaction has a URI and a response."""
    assert "http_cassette" not in candidates(record)
