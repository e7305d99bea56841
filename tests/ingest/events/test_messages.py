"""Messages of every dialect in one shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from workbench.errors import TraceFormatError
from workbench.ingest.events.exchange import decoded, is_flat, read_reply, read_request
from workbench.ingest.events.messages import Role, is_turn, read_messages
from workbench.ingest.records.origin import Origin
from workbench.model.event import CallError, Usage

if TYPE_CHECKING:
    from workbench.ingest.events.messages import Message
    from workbench.model.jsonvalue import Json, JsonMap

ORIGIN = Origin(format="x", raw=b"", file="f.json")


def read(*items: Json) -> list[Message]:
    """Read a conversation."""
    return read_messages(list(items), key="m", origin=ORIGIN)


def test_parts_of_opentelemetry_are_read() -> None:
    """`response` by the convention, `result` by some producers."""
    call: JsonMap = {"type": "tool_call", "id": "c1", "name": "find", "arguments": {"n": 1}}
    found = read(
        {"role": "user", "parts": [{"type": "text", "content": "Find it."}]},
        {"role": "assistant", "parts": [{"type": "reasoning", "content": "hm"}, call]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "ok"}]},
        {"role": "user", "parts": [{"type": "tool_call_response", "id": "c2", "result": [1]}]},
    )

    assert [message.role for message in found] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL]
    assert found[0].said.text == "Find it."
    assert found[1].said.text is None
    assert (found[1].asked[0].id, found[1].asked[0].value) == ("c1", {"n": 1})
    answers = [message.answered for message in found[2:]]
    assert [one and (one.id, one.text, one.value) for one in answers] == [
        ("c1", "ok", None),
        ("c2", None, [1]),
    ]


def test_a_result_inside_a_users_message_keeps_its_place() -> None:
    """What stands before it was said before it."""
    found = read(
        {
            "role": "user",
            "content": [
                "wait",
                {
                    "type": "tool_result",
                    "tool_use_id": "t",
                    "is_error": True,
                    "content": "KeyError: x",
                },
                {"type": "text", "text": "go on"},
            ],
        }
    )

    assert [message.role for message in found] == [Role.USER, Role.TOOL, Role.USER]
    assert found[1].answered is not None
    assert found[1].answered.error == CallError(type="KeyError", message="KeyError: x")


def test_items_of_one_reply_are_one_message() -> None:
    """Two texts are two replies; lists in lists are one conversation."""
    call: JsonMap = {"type": "function_call", "call_id": "c", "name": "find", "arguments": "{}"}
    text: JsonMap = {"role": "assistant", "content": "One moment."}

    assert [len(message.asked) for message in read(text, call, call)] == [2]
    assert len(read(text, text)) == 2
    assert len(read([text], [{"role": "user", "content": "hi"}])) == 2


def test_a_tool_message_whose_parts_are_texts_is_a_result() -> None:
    """A producer that gives the result no type."""
    (found,) = read({"role": "tool", "parts": [{"type": "text", "content": "ok"}]})

    assert found.answered is not None
    assert found.answered.text == "ok"


def test_a_wrapping_of_agent_framework_is_taken_off() -> None:
    """What the tool gave stands inside."""
    text = '{"type": "function_result", "call_id": "c", "result": "ok"}'

    (found,) = read({"role": "tool", "tool_call_id": "c", "content": text})

    assert found.answered is not None
    assert found.answered.text == "ok"


def test_unknown_parts_and_items_are_counted() -> None:
    """An image or a new kind of item cannot be told."""
    found = read(
        {"role": "user", "parts": [{"inline_data": {}}, {"text": "see"}]}, {"type": "new_thing"}
    )

    assert [message.said.dropped for message in found] == [1, 1]


@pytest.mark.parametrize(
    ("items", "where"),
    [
        ([5], "m.0"),
        ([{"content": "x"}], "m.0.role"),
        ([{"role": "boss", "content": "x"}], "m.0.role"),
        ([{"role": "user", "content": 5}], "m.0.content"),
        ([{"role": "assistant", "tool_calls": [{"function": {}}]}], "m.0.tool_calls.0.name"),
        ([{"role": "assistant", "tool_calls": [5]}], "m.0.tool_calls.0"),
    ],
)
def test_what_is_no_message_is_named(items: list[Json], where: str) -> None:
    """The place leads to it."""
    with pytest.raises(TraceFormatError) as error:
        read(*items)

    assert error.value.key == where


@pytest.mark.parametrize(
    ("item", "turn"),
    [
        ({"role": "user"}, True),
        ({"type": "function_call"}, True),
        ({"type": "human", "data": {"content": "x"}}, True),
        ({"type": "AIMessageChunk", "content": "x"}, True),
        ({"type": "tool"}, False),
        ({"type": "event"}, False),
        ("x", False),
    ],
)
def test_items_of_a_conversation_are_told_from_records(item: Json, turn: bool) -> None:  # noqa: FBT001
    """A list of such items is one run; any other list is a list of runs."""
    assert is_turn(item) is turn


@pytest.mark.parametrize(
    ("sent", "texts"),
    [
        ("hi", ["hi"]),
        ('[{"role": "user", "content": "hi"}]', ["hi"]),
        ("{'prompt': 'hi', 'system': 'be brief'}", ["be brief", "hi"]),
        ({"args": ["hi", "there"], "kwargs": {}}, ["hi", "there"]),
        ({"contents": "hi"}, ["hi"]),
        ({"contents": {"parts": [{"text": "hi"}]}}, ["hi"]),
        (
            {"system_instruction": {"parts": [{"text": "be brief"}]}, "input": "hi"},
            ["be brief", "hi"],
        ),
        ({"system": [{"type": "text", "text": "be brief"}]}, ["be brief"]),
        ({"role": "user", "content": "hi"}, ["hi"]),
        ({"content": "role"}, []),
        (None, []),
        (5, []),
    ],
)
def test_a_request_is_read_in_any_form(sent: Json, texts: list[str]) -> None:
    """Exports keep what the library had at hand."""
    found = read_request(sent, ref="r", origin=ORIGIN)

    assert [message.said.text for message in found] == texts


@pytest.mark.parametrize(
    "given",
    [
        "hi",
        '{"role": "assistant", "content": "hi"}',
        {"choices": [{"message": {"content": "hi"}}]},
        {"generations": [[{"text": "hi", "generation_info": {}}]]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}}]},
        {"output": [{"type": "message", "role": "assistant", "content": "hi"}]},
        {"response": {"role": "assistant", "content": [{"type": "text", "text": "hi"}]}},
        {
            "messages": [
                {"role": "assistant", "content": "no"},
                {"role": "assistant", "content": "hi"},
            ]
        },
        [{"role": "user", "content": "no"}, {"role": "assistant", "content": "hi"}],
        {"index": 0, "message": {"role": "assistant", "content": "hi"}},
        {"type": "ai", "content": "hi"},
        {"content": "hi"},
        {"text": "hi"},
    ],
)
def test_a_reply_is_read_in_any_form(given: Json) -> None:
    """The first choice counts."""
    (found,) = read_reply(given, ref="r", origin=ORIGIN)

    assert found.said.text == "hi"


@pytest.mark.parametrize("given", [None, "", {}, [], 5, {"choices": []}, {"usage": {}}])
def test_a_reply_that_is_none_is_none(given: Json) -> None:
    """Nothing is made up."""
    assert read_reply(given, ref="r", origin=ORIGIN) == []


def test_tokens_and_reason_are_the_replys() -> None:
    """They stand beside it, in each API's own words."""
    given: JsonMap = {
        "choices": [{"message": {"content": "hi"}, "finish_reason": {"finish_reason": "stop"}}],
        "usage_metadata": {"input_tokens": 1, "output_tokens": 2},
    }

    (found,) = read_reply(given, ref="r", origin=ORIGIN)

    assert found.said.finish_reason == "stop"
    assert found.said.usage == Usage(input_tokens=1, output_tokens=2)


def test_flattened_chats_are_told_from_texts() -> None:
    """A text that begins with a role; a list of the reprs of messages."""
    assert is_flat("System: be brief\nHuman: hi")
    assert is_flat({"messages": ["role='user' content='hi'"]})
    assert is_flat({"prompts": ["Human: hi"]})
    assert not is_flat("Users: how many?")
    assert not is_flat({"messages": [{"role": "user", "content": "user: hi"}]})
    assert not is_flat(None)


def test_only_structures_are_taken_out_of_texts() -> None:
    """A number or a quoted word in a text stays the text."""
    assert decoded('{"a": 1}') == {"a": 1}
    assert decoded("5") == "5"
    assert decoded('"x"') == '"x"'
    assert decoded("[" * 200 + "]" * 200) == "[" * 200 + "]" * 200
