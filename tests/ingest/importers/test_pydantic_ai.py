"""pydantic-ai: parts of requests and responses, output tools, retries, denials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import (
    dumped,
    events_of,
    kinds,
    lost,
    read,
    read_as,
    write_file,
    write_lines,
)
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import (
    CallError,
    Claim,
    ContextChange,
    Decision,
    ModelReply,
    Outcome,
    Permission,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Trace


def a_request(*parts: Json, **more: Json) -> JsonMap:
    """What the model was given."""
    return {"kind": "request", "parts": list(parts), "run_id": "run-1", **more}


def a_response(*parts: Json, **more: Json) -> JsonMap:
    """What it answered."""
    return {"kind": "response", "parts": list(parts), "model_name": "m-1", **more}


def a_prompt(content: Json = "Pause it.") -> JsonMap:
    """A prompt of the user."""
    return {"part_kind": "user-prompt", "content": content, "timestamp": "2026-01-01T00:00:00Z"}


def a_call(given: str = "c1", *, tool: str = "pause", args: Json = None) -> JsonMap:
    """A call of a tool."""
    return {"part_kind": "tool-call", "tool_name": tool, "tool_call_id": given, "args": args}


def a_return(given: str = "c1", **more: Json) -> JsonMap:
    """Its answer."""
    return {
        "part_kind": "tool-return",
        "tool_name": "pause",
        "tool_call_id": given,
        "content": "done",
        **more,
    }


def a_text(content: str = "Paused.") -> JsonMap:
    """A text of the model."""
    return {"part_kind": "text", "content": content}


def read_history(*messages: Json) -> tuple[Trace, Losses]:
    """Read a history."""
    return read_as("pydantic_ai", list(messages))


def results_of(trace: Trace) -> list[ToolResult]:
    """Return the results."""
    return [event for event in trace.events if isinstance(event, ToolResult)]


def test_a_history_is_a_run() -> None:
    """Instructions are the system text, and stand once though every request repeats them."""
    trace, losses = read_history(
        a_request(a_prompt(), instructions="You pause things."),
        a_response(
            {"part_kind": "thinking", "content": "hm"},
            a_text("One moment."),
            a_call(args='{"id":  1}'),
            usage={"input_tokens": 9, "output_tokens": 2, "cache_read_tokens": 1},
            finish_reason="tool_call",
        ),
        a_request(a_return(), instructions="You pause things."),
        a_response(a_text()),
    )

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    reply = events_of(trace, "model_reply")[0]
    assert isinstance(reply, ModelReply)
    assert reply.usage == Usage(input_tokens=9, output_tokens=2, cached_tokens=1)
    (call,) = (event for event in trace.events if isinstance(event, ToolCall))
    assert (call.args_raw, call.args) == ('{"id":  1}', {"id": 1})
    assert (trace.run_id, trace.versions.model) == ("run-1", "m-1")
    assert lost(losses) == {"tools_not_listed": 1}


def test_a_file_may_be_a_list_or_lines(tmp_path: Path) -> None:
    """Both hold the same run, with its bytes."""
    messages: list[Json] = [
        a_request(a_prompt()),
        a_response(a_call(args={"id": 1})),
        a_request(a_return()),
    ]
    as_list = read(write_file(tmp_path / "a.json", dumped(messages)))
    as_lines = read(write_lines(tmp_path / "b.jsonl", *messages))

    assert [run.run_id for run in (*as_list, *as_lines)] == ["run-1", "run-1"]
    assert as_list[0].trace is not None
    assert as_lines[0].trace is not None
    assert as_list[0].trace.events == as_lines[0].trace.events
    (call,) = (event for event in as_list[0].trace.events if isinstance(event, ToolCall))
    assert call.args_raw == '{"id": 1}'


@pytest.mark.parametrize(
    ("part", "outcome", "error"),
    [
        (a_return(outcome="success"), None, None),
        (a_return(outcome="failed"), None, CallError(message="done")),
        (
            a_return(outcome="retried", retry={"cause": "model_retry"}),
            None,
            CallError(type="model_retry", message="done"),
        ),
        (a_return(part_kind="retry-prompt"), None, CallError(message="done")),
        (
            a_return(part_kind="retry-prompt", content=[{"type": "missing"}]),
            None,
            CallError(message='[{"type":"missing"}]'),
        ),
        (a_return(outcome="denied"), Outcome.DENIED, None),
    ],
)
def test_how_a_call_ended(part: JsonMap, outcome: Outcome | None, error: CallError | None) -> None:
    """The library says it in a word, older versions in the kind of the part."""
    trace, _ = read_history(a_request(a_prompt()), a_response(a_call()), a_request(part))

    (result,) = results_of(trace)
    assert (result.outcome, result.error) == (outcome, error)
    refused = [event for event in trace.events if isinstance(event, Permission)]
    assert [event.decision for event in refused] == (
        [Decision.DENIED] if outcome is Outcome.DENIED else []
    )


def test_an_interrupted_call_has_no_result() -> None:
    """Its return is a placeholder of the library; the tool may have run or not."""
    trace, losses = read_history(
        a_request(a_prompt()), a_response(a_call()), a_request(a_return(outcome="interrupted"))
    )

    assert results_of(trace) == []
    assert lost(losses)["results_missing"] == 1


def test_a_structured_answer_is_a_claim() -> None:
    """An output tool is no tool: its arguments are the answer."""
    trace, _ = read_history(
        a_request(a_prompt()),
        a_response(a_call("f", tool="final_result", args={"ok": True})),
        a_request(a_return("f", content="Final result processed.")),
    )

    (claim,) = (event for event in trace.events if isinstance(event, Claim))
    assert (claim.text, claim.final) == ('{"ok":true}', True)
    assert kinds(trace) == ["user_message", "model_reply", "claim"]


def test_feedback_of_the_framework_is_no_users() -> None:
    """A response that could not be used is answered by the framework."""
    feedback: JsonMap = {"part_kind": "retry-feedback", "content": "Write JSON."}
    older: JsonMap = {"part_kind": "retry-prompt", "content": None, "tool_name": None}
    trace, _ = read_history(a_request(a_prompt()), a_response(a_text()), a_request(feedback, older))

    users = [event for event in trace.events if isinstance(event, UserMessage)]
    assert [(event.actor, event.text) for event in users] == [
        (None, "Pause it."),
        ("framework", "Write JSON."),
    ]


def test_prompts_may_hold_more_than_texts() -> None:
    """What is no text is counted."""
    trace, losses = read_history(
        a_request(
            {"part_kind": "system-prompt", "content": "Be brief."},
            a_prompt(
                ["Look:", {"kind": "image-url", "url": "x"}, {"kind": "text", "content": "!"}]
            ),
            {"part_kind": "speech", "transcript": "and hear"},
            {"part_kind": "something-new"},
            {"part_kind": "instruction-digest"},
        ),
        a_response({"part_kind": "file"}, {"part_kind": "speech", "transcript": "Heard."}),
    )

    users = [event.text for event in trace.events if isinstance(event, UserMessage)]
    assert users == ["Look:\n!", "and hear"]
    assert lost(losses)["parts_dropped"] == 3


def test_tools_of_the_provider_answer_inside_the_response() -> None:
    """A text behind such an answer is a reply of its own, so that order is kept."""
    trace, _ = read_history(
        a_request(a_prompt()),
        a_response(
            {**a_call("b", tool="web"), "part_kind": "builtin-tool-call"},
            {**a_return("b", tool_name="web"), "part_kind": "builtin-tool-return"},
            a_text(),
        ),
    )

    assert kinds(trace) == [
        "user_message",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]


def test_a_compaction_is_a_change_of_the_context() -> None:
    """The summary stands for what was cut."""
    part: JsonMap = {"part_kind": "compaction", "content": "They want a pause."}
    trace, _ = read_history(
        a_request(part, a_prompt()), a_response({"part_kind": "compaction"}, a_text())
    )

    first, second = (event for event in trace.events if isinstance(event, ContextChange))
    assert first.after == "They want a pause."
    assert second.after is not None


def test_a_conversation_of_several_runs_is_one_trace(tmp_path: Path) -> None:
    """The history repeats earlier runs; the conversation's id names it."""
    path = write_lines(
        tmp_path / "a.jsonl",
        a_request(a_prompt(), conversation_id="talk"),
        a_response(a_text(), run_id="run-1", conversation_id="talk"),
        a_request(a_prompt("Again."), run_id="run-2", conversation_id="talk"),
    )

    (run,) = read(path)

    assert run.trace is not None
    assert (run.run_id, run.trace.session) == ("talk", "talk")
    assert run.trace.labels == {"agent_runs": 2}


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (a_request({"part_kind": 7}), r"0\.parts\.0\.part_kind is .*; expected a kind of part"),
        (a_request(7), r"0\.parts\.0 is .*; expected a mapping"),
        (a_response(a_call(tool="")), r"0\.parts\.0\.tool_name is .*; expected a tool's name"),
        ({"kind": "request", "parts": "x"}, r"0\.parts is .*; expected a list"),
    ],
)
def test_a_broken_part_is_named(message: Json, error: str) -> None:
    """The error says where."""
    with pytest.raises(TraceFormatError, match=error):
        read_history(message)


@pytest.mark.parametrize(
    "record",
    [{"kind": "request"}, {"kind": "other", "parts": []}, {"kind": "request", "parts": [1]}, []],
)
def test_other_records_are_no_messages(record: Json) -> None:
    """A kind is a common key."""
    assert "pydantic_ai" not in candidates(record)


def test_a_kind_may_be_anything() -> None:
    """A list or a mapping is no word; the part is then one that nobody knows."""
    odd: Json = [{"kind": [], "parts": []}, {"kind": {}, "parts": []}]
    trace, losses = read_history(
        a_request(a_prompt()), a_response({"part_kind": []}, {**a_call(), "tool_call_id": []})
    )

    assert [candidates(record) for record in odd] == [(), ()]  # type: ignore[union-attr]
    assert kinds(trace) == ["user_message", "model_reply", "tool_call"]
    assert lost(losses)["parts_dropped"] == 1
