"""OpenAI chat messages in their forms."""

from __future__ import annotations

import pytest

from tests.ingest.samples import (
    an_openai_call,
    an_openai_chat,
    events_of,
    kinds,
    lost,
    read_as,
)
from workbench.casefile.trace import trace_document
from workbench.errors import TraceFormatError
from workbench.model.event import (
    CallIdSource,
    Claim,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolResult,
    Usage,
)
from workbench.model.jsonvalue import ABSENT, Json, JsonMap
from workbench.model.trace import Effect, Grade, Losses, RunStatus, Tool, Trace


def read_chat(*messages: Json) -> tuple[Trace, Losses]:
    """Import a list of messages."""
    return read_as("openai_chat", list(messages))


def calls_with(*calls: JsonMap) -> JsonMap:
    """An assistant message that only calls."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def test_a_conversation_becomes_events_in_order() -> None:
    """A reply comes before its claim and its calls, a result after its call."""
    trace, losses = read_as("openai_chat", an_openai_chat())

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    _, _, reply, call, result, _, claim = trace.events
    assert reply == ModelReply(seq=2, call_ids=("c1",), source_ref="2")
    assert call == ToolCall(
        seq=3,
        call_id="c1",
        tool="billing.pause",
        args_raw='{"account": "AC-1"}',
        args={"account": "AC-1"},
        turn=1,
        source_ref="2.tool_calls.0",
    )
    assert result == ToolResult(
        seq=4, call_id="c1", result_raw='{"ok": true}', result={"ok": True}, source_ref="3"
    )
    assert claim == Claim(seq=6, text="Your plan is paused.", final=True, source_ref="4")
    assert trace.status is RunStatus.UNKNOWN
    assert trace.tools == (Tool(name="billing.pause"),)
    assert lost(losses) == {"errors_unmarked": 1, "no_timestamps": 1, "tools_not_listed": 1}
    assert losses.grade is Grade.REPLAYABLE


def test_text_beside_calls_is_a_claim_too() -> None:
    """It was shown to a person in the middle of the run; only the last claim is final."""
    trace, _ = read_chat(
        {"role": "user", "content": "go"},
        {**calls_with(an_openai_call("c1", "a", "{}")), "content": "Working on it."},
        {"role": "tool", "tool_call_id": "c1", "content": ""},
        {"role": "assistant", "content": "Done."},
    )

    assert kinds(trace) == [
        "user_message",
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    assert [c.final for c in events_of(trace, "claim") if isinstance(c, Claim)] == [False, True]


@pytest.mark.parametrize(
    ("text", "args", "loss"),
    [
        ('{"a":  1}', {"a": 1}, None),
        ("{'a': True}", {"a": True}, "args_as_literal"),
        ('{"a": 1', ABSENT, "args_not_json"),
        ("", ABSENT, "args_not_json"),
        ('{"a": NaN}', ABSENT, "args_not_json"),
        ("[" * 200 + "]" * 200, ABSENT, "args_not_json"),
        ('"{\\"a\\": 1}"', '{"a": 1}', None),
    ],
)
def test_arguments_stay_byte_for_byte(text: str, args: Json, loss: str | None) -> None:
    """Malformed JSON is data, often the bug: JSON, then a Python literal, then text."""
    trace, losses = read_chat(
        {"role": "user", "content": "go"}, calls_with(an_openai_call("c1", "a", text))
    )

    (call,) = events_of(trace, "tool_call")
    assert isinstance(call, ToolCall)
    assert call.args_raw == text
    assert call.args == args
    found = {kind for kind in lost(losses) if kind.startswith("args")}
    assert found == ({loss} if loss else set())


def test_arguments_as_a_structure_are_written_as_compact_json() -> None:
    """Some recorders parse them; without the record's text that is the best there is."""
    trace, losses = read_chat(
        {"role": "user", "content": "go"}, calls_with(an_openai_call("c1", "a", {"b": "ü", "a": 1}))
    )

    (call,) = events_of(trace, "tool_call")
    assert isinstance(call, ToolCall)
    assert call.args_raw == '{"b":"ü","a":1}'
    assert lost(losses)["args_not_exact"] == 1


def test_a_call_without_arguments_lowers_the_grade() -> None:
    """Content capture was off; a person must fill in what the tool was asked."""
    trace, losses = read_chat(
        {"role": "user", "content": "go"}, calls_with(an_openai_call("c1", "a", None))
    )

    (call,) = events_of(trace, "tool_call")
    assert isinstance(call, ToolCall)
    assert call.args_raw is None
    assert lost(losses)["args_missing"] == 1
    assert losses.grade is Grade.NEEDS_FIXTURES


def test_calls_of_one_reply_stand_together_and_may_be_answered_in_any_order() -> None:
    """Order of requests and order of completions both survive."""
    trace, _ = read_chat(
        {"role": "user", "content": "go"},
        calls_with(an_openai_call("x", "a", "{}"), an_openai_call("y", "b", "{}")),
        {"role": "tool", "tool_call_id": "y", "content": "2"},
        {"role": "tool", "tool_call_id": "x", "content": "1"},
    )

    assert [e.call_id for e in trace.events if isinstance(e, ToolCall)] == ["x", "y"]
    assert [e.call_id for e in trace.events if isinstance(e, ToolResult)] == ["y", "x"]
    assert [e.call_ids for e in trace.events if isinstance(e, ModelReply)] == [("x", "y")]


def test_the_form_of_2023_is_read() -> None:
    """`function_call` has no id, and `function` messages answer by name."""
    trace, losses = read_chat(
        {"role": "user", "content": "go"},
        {"role": "assistant", "function_call": {"name": "a", "arguments": '{"n": 1}'}},
        {"role": "function", "name": "a", "content": "[1, 2]"},
    )

    call, result = trace.events[2:]
    assert isinstance(call, ToolCall)
    assert isinstance(result, ToolResult)
    assert (call.call_id, call.call_id_source) == ("call-1", CallIdSource.SYNTHESISED)
    assert result.call_id == "call-1"
    assert result.result == [1, 2]
    (note,) = [loss.note for loss in losses.items if loss.kind == "call_ids_synthesised"]
    assert note == "1 without id, 0 reused; results paired: 1 by tool and arguments"


def test_a_tool_that_takes_text_keeps_its_input() -> None:
    """Custom tools have no JSON arguments."""
    trace, _ = read_chat(
        {"role": "user", "content": "go"},
        calls_with({"id": "c1", "type": "custom", "custom": {"name": "shell", "input": "ls -l"}}),
    )

    (call,) = events_of(trace, "tool_call")
    assert isinstance(call, ToolCall)
    assert (call.tool, call.args_raw, call.args) == ("shell", "ls -l", ABSENT)


def test_parts_are_joined_reasoning_is_dropped_and_images_are_counted() -> None:
    """Reasoning is never an event; an image is something that a case cannot show."""
    trace, losses = read_chat(
        {
            "role": "user",
            "name": "ada",
            "content": [
                {"type": "text", "text": "What"},
                "is",
                {"type": "input_text", "text": "this?"},
                {"type": "image_url", "image_url": {"url": "data:"}},
            ],
        },
        {
            "role": "assistant",
            "reasoning_content": "secret thought",
            "content": [
                {"type": "reasoning", "text": "secret thought"},
                {"type": "refusal", "refusal": "I cannot say."},
            ],
        },
        {"role": "assistant", "content": None, "refusal": "No."},
    )

    user, first, _, second, _ = trace.events
    assert getattr(user, "text", None) == "What\nis\nthis?"
    assert getattr(user, "actor", None) == "ada"
    assert getattr(first, "text", None) == "I cannot say."
    assert getattr(second, "text", None) == "No."
    assert "secret" not in str(trace_document(trace))
    assert lost(losses)["parts_dropped"] == 1
    assert losses.grade is Grade.NEEDS_FIXTURES


def test_a_result_may_be_a_structure_or_parts() -> None:
    """Recorders differ; a structure has no text to be exact about."""
    trace, _ = read_chat(
        {"role": "user", "content": "go"},
        calls_with(*(an_openai_call(f"c{n}", "a", "{}") for n in range(4))),
        {"role": "tool", "tool_call_id": "c0", "content": {"ok": False}},
        {"role": "tool", "tool_call_id": "c1", "content": [1, {"a": 2}]},
        {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "{'a': 1}"}]},
        {"role": "tool", "tool_call_id": "c3", "content": None},
    )

    results = [e for e in trace.events if isinstance(e, ToolResult)]
    assert [(r.result_raw, r.result) for r in results] == [
        (None, {"ok": False}),
        (None, [1, {"a": 2}]),
        ("{'a': 1}", {"a": 1}),
        (None, ABSENT),
    ]


def test_a_result_that_nests_too_deeply_keeps_its_text() -> None:
    """Later steps walk values; the text is exact anyway."""
    deep = "[" * 300 + "]" * 300
    trace, losses = read_chat(
        {"role": "user", "content": "go"},
        calls_with(an_openai_call("c1", "a", "{}")),
        {"role": "tool", "tool_call_id": "c1", "content": deep},
    )

    last = trace.events[-1]
    assert isinstance(last, ToolResult)
    assert (last.result_raw, last.result) == (deep, ABSENT)
    assert lost(losses)["results_too_deep"] == 1


REQUEST: JsonMap = {
    "model": "gpt-x",
    "temperature": 0.5,
    "messages": an_openai_chat()[:2],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "billing.pause",
                "description": "Pauses a plan.",
                "parameters": {"type": "object"},
            },
        },
        {"type": "web_search"},
    ],
}
RESPONSE: JsonMap = {
    "id": "chatcmpl-1",
    "model": "gpt-x-2026",
    "choices": [{"message": an_openai_chat()[2], "finish_reason": "length"}],
    "usage": {
        "prompt_tokens": 20,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 8},
    },
}


@pytest.mark.parametrize(
    "record",
    [
        {"request": REQUEST, "response": RESPONSE},
        {"request": {"body": REQUEST}, "response": {"body": RESPONSE}},
        {"body": REQUEST, "response": {"status_code": 200, "body": RESPONSE}},
        {"input": REQUEST, "output": RESPONSE},
        {**REQUEST, **RESPONSE, "model": "gpt-x-2026"},
        {**REQUEST, "response": RESPONSE},
    ],
    ids=["request", "http", "batch", "input", "flat", "beside"],
)
def test_a_request_with_its_response_is_one_run(record: JsonMap) -> None:
    """The request says what was offered and how the model was set."""
    trace, losses = read_as("openai_chat", record)

    assert kinds(trace)[2:] == ["model_request", "model_reply", "tool_call"]
    request, reply = trace.events[2:4]
    assert isinstance(request, ModelRequest)
    assert isinstance(reply, ModelReply)
    assert request.offered_tools == ("billing.pause", "web_search")
    assert request.settings == {"temperature": 0.5}
    assert request.n_messages == 2
    assert reply.finish_reason == "length"
    assert reply.usage == Usage(input_tokens=20, output_tokens=5, cached_tokens=8)
    assert trace.run_id == "chatcmpl-1"
    assert trace.versions.model == "gpt-x-2026"
    assert trace.tools[0] == Tool(
        name="billing.pause", description="Pauses a plan.", schema={"type": "object"}
    )
    assert lost(losses) == {"reply_cut": 1, "results_missing": 1, "no_timestamps": 1}
    assert losses.grade is Grade.NEEDS_FIXTURES


def test_ids_and_session_are_taken_from_the_wrapper() -> None:
    """Two sessions must stay two."""
    trace, _ = read_as(
        "openai_chat", {"id": "run-1", "session_id": "s-1", "messages": an_openai_chat()}
    )

    assert (trace.run_id, trace.session) == ("run-1", "s-1")


def test_annotations_of_mcp_declare_an_effect_and_the_caller_wins() -> None:
    """Declared, else MCP annotations, else assumed."""
    offered: Json = [
        {"name": "a", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
        {"name": "b", "annotations": {"readOnlyHint": False}},
        {"name": "a"},
        7,
        {},
    ]
    trace, _ = read_as(
        "openai_chat",
        {"messages": an_openai_chat(), "tools": offered},
        tools=(Tool(name="b", effect=Effect.PURE), Tool(name="c", effect=Effect.READ)),
    )

    assert {tool.name: tool.effect for tool in trace.tools} == {
        "a": Effect.READ,
        "b": Effect.PURE,
        "c": Effect.READ,
        "billing.pause": None,
    }


@pytest.mark.parametrize(
    ("message", "where", "what"),
    [
        ({"role": "robot"}, "1.role", "is a string of 5 characters; expected one of system"),
        ({}, "1.role", "is null"),
        ({"role": "user", "content": 5}, "1.content", "is a number; expected a text, parts"),
        ({"role": "user", "content": [5]}, "1.content.0", "expected a part with `type`"),
        (calls_with({"id": "c"}), "1.tool_calls.0.function", "is null; expected a mapping"),
        (calls_with(an_openai_call("c", "", "{}")), "1.tool_calls.0.name", "a tool's name"),
        ({"role": "assistant", "tool_calls": {}}, "1.tool_calls", "expected a list"),
        ({"role": "assistant", "function_call": 1}, "1.function_call", "expected a mapping"),
        ("text", "1", "is a string of 4 characters; expected a mapping"),
    ],
)
def test_a_wrong_part_is_named_without_its_text(message: Json, where: str, what: str) -> None:
    """The place leads to it; the text may be anybody's."""
    with pytest.raises(TraceFormatError) as error:
        read_chat({"role": "user", "content": "go"}, message)

    assert str(error.value).startswith(f"runs.jsonl:4: {where} ")
    assert what in str(error.value)
    assert error.value.key == where
    assert "robot" not in str(error.value)


def test_contents_off_is_a_skeleton() -> None:
    """Names and counts only: judged and counted, never exported."""
    _, losses = read_chat(
        {"role": "user", "content": None},
        calls_with({"id": "c1", "type": "function", "function": {"name": "a"}}),
        {"role": "tool", "tool_call_id": "c1", "content": None},
    )

    assert {"content_off", "task_missing", "system_missing"} <= lost(losses).keys()
    assert losses.grade is Grade.SKELETON


def test_errors_that_the_framework_took_away_are_reported() -> None:
    """The retry-type incident cannot be replayed from "something went wrong"."""
    _, losses = read_chat(
        {"role": "user", "content": "go"},
        calls_with(an_openai_call("c1", "a", "{}")),
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": "An error occurred while running the tool. Please try again.",
        },
    )

    assert lost(losses)["errors_redacted"] == 1
    assert losses.grade is Grade.NEEDS_FIXTURES
