"""Streams put together as a provider's own client would."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from workbench.errors import TraceFormatError
from workbench.ingest.files.sse import (
    assembled,
    is_stream,
    is_stream_file,
    pieces_of_stream,
    stream_events,
)

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap


def a_stream(*events: Json, end: str = "\n") -> str:
    """Events as they go over the wire."""
    blocks = [f"event: x{end}data: {json.dumps(event)}{end}{end}" for event in events]
    return "".join(blocks) + f"data: [DONE]{end}{end}"


def a_chunk(delta: JsonMap, *, reason: str | None = None, index: int = 0) -> JsonMap:
    """One chunk of a chat completion."""
    choice: JsonMap = {"index": index, "delta": delta, "finish_reason": reason}
    return {"object": "chat.completion.chunk", "id": "c", "model": "m", "choices": [choice]}


def a_tool_delta(index: int, arguments: str, **fields: Json) -> JsonMap:
    """A piece of a call."""
    function: JsonMap = {"arguments": arguments}
    if "name" in fields:
        function["name"] = fields.pop("name")
    return {"tool_calls": [{"index": index, "function": function, **fields}]}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_events_are_read_whatever_ends_a_line(end: str) -> None:
    """The standard allows both; `[DONE]` is no event."""
    assert list(stream_events(a_stream({"a": 1}, {"b": "x\ny"}, end=end))) == [
        {"a": 1},
        {"b": "x\ny"},
    ]


def test_data_of_several_lines_are_one() -> None:
    """They are joined by line breaks; what is no JSON mapping is left out."""
    text = 'data: {"a":\ndata: 1}\n\n: comment\n\ndata: 5\n\ndata: {"cut\n\ndata: {"z": 1}'

    assert list(stream_events(text)) == [{"a": 1}, {"z": 1}]


def test_only_line_breaks_end_a_line() -> None:
    """A text may hold what else Unicode calls a line break."""
    text = 'data: {"a": "x\u2028y\x0bz"}\n\n'.replace("\x0b", "\u0085")

    assert list(stream_events(text)) == [{"a": "x\u2028y\u0085z"}]


def test_chunks_grow_a_reply() -> None:
    """Texts and arguments come in pieces, calls interleaved by index, usage last."""
    events: list[JsonMap] = [
        a_chunk({"role": "assistant", "content": "One "}),
        a_chunk({"content": "moment."}),
        a_chunk({"content": "another choice"}, index=1),
        a_chunk(a_tool_delta(1, '{"b"', id="c2", type="function", name="pause")),
        a_chunk(a_tool_delta(0, "{}", id="c1", type="function", name="find")),
        a_chunk(a_tool_delta(1, ": 2}")),
        a_chunk({}, reason="tool_calls"),
        {"object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 3}},
    ]

    response, whole = assembled(events)

    assert whole
    assert response["usage"] == {"prompt_tokens": 3}
    message: JsonMap = {
        "role": "assistant",
        "content": "One moment.",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}},
            {
                "id": "c2",
                "type": "function",
                "function": {"name": "pause", "arguments": '{"b": 2}'},
            },
        ],
    }
    assert response["choices"] == [{"index": 0, "message": message, "finish_reason": "tool_calls"}]


@given(text=st.text(max_size=30), cuts=st.lists(st.integers(0, 30), max_size=6))
def test_where_arguments_are_cut_says_nothing(text: str, cuts: list[int]) -> None:
    """The pieces are put together byte for byte."""
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    parts = [text[a:b] for a, b in pairwise(places)]
    events = [a_chunk(a_tool_delta(0, part, name="find")) for part in parts]

    response, whole = assembled(events)

    assert not whole
    assert json.dumps(text) in json.dumps(response)


def test_refusals_and_the_form_of_2023_grow_too() -> None:
    """A function call without a list."""
    events = [
        a_chunk({"refusal": "I may"}),
        a_chunk({"refusal": " not."}),
        a_chunk({"function_call": {"name": "find", "arguments": "{"}}),
        a_chunk({"function_call": {"arguments": "}"}}, reason="stop"),
    ]

    response, _ = assembled(events)

    text = json.dumps(response)
    assert '"refusal": "I may not."' in text
    assert '"function_call": {"name": "find", "arguments": "{}"}' in text


def a_piece(text: str) -> JsonMap:
    """A piece of the second block's arguments."""
    delta: JsonMap = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": 1, "delta": delta}


def test_blocks_grow_a_message() -> None:
    """Anthropic's arguments come as pieces of JSON text and stay one; usage is joined."""
    events: list[JsonMap] = [
        {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 7}}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": ""},
        },
        {"type": "ping"},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "One moment."},
        },
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "tool_use", "id": "t", "name": "find", "input": {}},
        },
        a_piece(""),
        a_piece('{"n":  '),
        a_piece("1}"),
        {
            "type": "content_block_delta",
            "index": 2,
            "delta": {"type": "thinking_delta", "thinking": "hm"},
        },
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use"},
            "usage": {"output_tokens": 3},
        },
        {"type": "message_stop"},
    ]

    message, whole = assembled(events)
    cut, cut_whole = assembled(events[:-1])

    assert whole
    assert not cut_whole
    assert message == cut
    assert message == {
        "id": "m",
        "usage": {"input_tokens": 7, "output_tokens": 3},
        "stop_reason": "tool_use",
        "content": [
            {"type": "text", "text": "One moment."},
            {"type": "tool_use", "id": "t", "name": "find", "input": '{"n":  1}'},
        ],
    }


def test_a_response_is_the_one_that_completed() -> None:
    """The Responses API repeats it whole; a stream that broke off has the items that were done."""
    item: JsonMap = {"type": "message", "role": "assistant", "content": []}
    done: JsonMap = {"id": "r", "output": [item], "status": "completed"}
    events: list[JsonMap] = [
        {"type": "response.created", "response": {"id": "r", "output": []}},
        {"type": "response.output_item.done", "item": item},
        {"type": "response.completed", "response": done},
    ]

    assert assembled(events) == (done, True)
    assert assembled(events[:-1]) == ({"id": "r", "output": [item]}, False)


def test_other_streams_are_nothing() -> None:
    """Nothing is made up."""
    assert assembled([{"a": 1}]) == ({}, False)
    assert is_stream("event: x")
    assert not is_stream('{"a": 1}')


def test_a_recorded_file_is_cut_at_its_events() -> None:
    """Every byte belongs to a record, also those of pings."""
    data = b": hi\n\n" + a_stream({"a": 1}).encode() + a_stream({"b": 2}, end="\r\n").encode()

    pieces = list(pieces_of_stream(data))

    assert b"".join(piece.raw for piece in pieces) == data
    assert [piece.value for piece in pieces] == [{"a": 1}, {"b": 2}]
    assert [piece.place for piece in pieces] == ["record 1", "record 2"]
    assert is_stream_file(b"\xef\xbb\xbfdata: {}")
    assert not is_stream_file(b"{}")


@pytest.mark.parametrize(
    ("data", "reason"), [(b"data: 5\n\n", "none of them"), (b"data: \xff\n\n", "not UTF-8")]
)
def test_a_stream_without_json_is_refused(data: bytes, reason: str) -> None:
    """It says what was expected."""
    with pytest.raises(TraceFormatError, match=reason):
        list(pieces_of_stream(data))
