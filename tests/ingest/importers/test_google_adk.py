"""Google ADK: sessions in both spellings, questions to persons, cases of evaluation sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import dumped, kinds, lost, read, read_as, write_file
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import (
    CallError,
    ContextChange,
    Decision,
    ModelReply,
    Permission,
    StateChange,
    ToolCall,
    ToolResult,
    Usage,
)
from workbench.model.trace import Grade, RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap


def an_event(author: str, *parts: Json, **more: Json) -> JsonMap:
    """An event of a session."""
    return {
        "author": author,
        "invocation_id": "i1",
        "timestamp": 1733043686.5,
        "content": {"parts": list(parts)},
        **more,
    }


def a_session(*events: Json, **more: Json) -> JsonMap:
    """A session: task, call, result, answer."""
    found = list(events) or [
        an_event("user", {"text": "Pause it."}),
        an_event(
            "billing",
            {"text": "thinking", "thought": True},
            {"text": "One moment.", "function_call": None},
            {"function_call": {"id": "c1", "name": "pause", "args": {"id": 1}}},
            model_version="m-1",
            usage_metadata={"prompt_token_count": 9, "candidates_token_count": 2},
            finish_reason="STOP",
        ),
        an_event(
            "billing",
            {"function_response": {"id": "c1", "name": "pause", "response": {"error": "504"}}},
            actions={"state_delta": {"paused": False}, "transfer_to_agent": "refunds"},
        ),
        an_event("refunds", {"text": "It is "}, {"text": "paused."}),
    ]
    return {"id": "s1", "app_name": "billing", "state": {}, "events": found, **more}


def camel(value: Json) -> Json:
    """The same as it comes over HTTP."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key
        if key == "id"
        else key.split("_")[0] + "".join(w.capitalize() for w in key.split("_")[1:]): camel(item)
        for key, item in value.items()
    }


def test_a_session_is_a_run(tmp_path: Path) -> None:
    """Thoughts stay in raw; a result with an error key is an error."""
    (run,) = read(write_file(tmp_path / "s.json", dumped(a_session())))

    assert run.trace is not None
    assert kinds(run.trace) == [
        "user_message",
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
        "state_change",
        "context_change",
        "model_reply",
        "claim",
    ]
    reply, last = (event for event in run.trace.events if isinstance(event, ModelReply))
    assert (reply.text, reply.usage) == ("One moment.", Usage(input_tokens=9, output_tokens=2))
    assert (last.text, last.agent) == ("It is paused.", "refunds")
    (call,) = (event for event in run.trace.events if isinstance(event, ToolCall))
    assert (call.args_raw, call.agent) == ('{"id": 1}', "billing")
    (result,) = (event for event in run.trace.events if isinstance(event, ToolResult))
    assert result.error == CallError(message="504")
    (state,) = (event for event in run.trace.events if isinstance(event, StateChange))
    assert (state.name, state.after) == ("paused", False)
    (change,) = (event for event in run.trace.events if isinstance(event, ContextChange))
    assert (change.before, change.after) == ("billing", "refunds")
    assert (run.run_id, run.trace.versions.model) == ("s1", "m-1")
    assert lost(run.losses) == {"system_missing": 1, "tools_not_listed": 1}


def test_both_spellings_are_read() -> None:
    """A session that came over HTTP has its keys in camel case."""
    trace, _ = read_as("google_adk", a_session())
    other, losses = read_as("google_adk", camel(a_session()))

    assert candidates(camel(a_session())) == ("google_adk",)
    assert kinds(other) == kinds(trace)
    assert other.labels == trace.labels == {"app": "billing"}
    assert "args_missing" not in lost(losses)


def test_what_adk_asks_of_a_person_is_a_permission() -> None:
    """It is written as a call, but no tool answers it."""
    asked: JsonMap = {
        "id": "q1",
        "name": "adk_request_confirmation",
        "args": {"originalFunctionCall": {"name": "pause"}},
    }
    yes: JsonMap = {"id": "q1", "name": "adk_request_confirmation", "response": {"confirmed": True}}
    no: JsonMap = {"id": "q2", "name": "adk_request_credential", "response": {"confirmed": False}}
    trace, _ = read_as(
        "google_adk",
        a_session(
            an_event("billing", {"function_call": asked}),
            an_event("user", {"function_response": yes}, {"function_response": no}),
        ),
    )

    marks = [event for event in trace.events if isinstance(event, Permission)]
    assert [(mark.decision, mark.tool) for mark in marks] == [
        (Decision.ASKED, "pause"),
        (Decision.GRANTED, "pause"),
        (Decision.DENIED, "adk_request_credential"),
    ]
    assert kinds(trace) == ["permission"] * 3


def test_parts_that_are_no_text_are_counted() -> None:
    """Parts of a streamed event are repeated by its end, and an error fails the run."""
    trace, losses = read_as(
        "google_adk",
        a_session(
            an_event("user", {"inline_data": {"mime_type": "image/png"}}),
            an_event("billing", {"text": "It"}, partial=True),
            an_event("billing", {"executable_code": {}}, {"text": None}),
            an_event("billing", {"text": None}, error_code="500"),
            {"author": "billing", "invocation_id": "i"},
        ),
    )

    assert lost(losses)["parts_dropped"] == 2
    assert kinds(trace) == ["model_reply"]
    assert trace.status is RunStatus.FAILED


def test_old_sessions_log_their_requests() -> None:
    """The first shows system text, model and tools."""
    config: JsonMap = {
        "system_instruction": "You pause things.",
        "tools": [{"function_declarations": [{"name": "pause"}]}, {"google_search": {}}],
    }
    logs: Json = [{"model_request": {"model": "m-0", "config": config}}]
    trace, losses = read_as(
        "google_adk", a_session(an_event("user", {"text": "Hi."}), event_logs=logs)
    )

    assert kinds(trace) == ["system_message", "user_message"]
    assert [tool.name for tool in trace.tools] == ["pause"]
    assert trace.versions.model == "m-0"
    assert "tools_not_listed" not in lost(losses)


def test_a_session_without_events_is_refused(tmp_path: Path) -> None:
    """It is where a session starts; nobody did anything."""
    session: JsonMap = {"id": "s", "app_name": "x", "state": {}, "events": []}
    (run,) = read(write_file(tmp_path / "s.json", dumped(session)))

    assert run.trace is None
    assert run.parse_error == "s.json: events is empty; expected at least one event of a run"


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (an_event("b", 5), r"events\.0\.content\.parts\.0 is .*; expected a mapping"),
        (
            an_event("b", {"function_call": {"args": {}}}),
            r"events\.0\.content\.parts\.0\.function_call\.name is .*; expected a tool's name",
        ),
    ],
)
def test_a_broken_event_is_named(event: JsonMap, error: str) -> None:
    """The error says where."""
    with pytest.raises(TraceFormatError, match=error):
        read_as("google_adk", a_session(event))


@pytest.mark.parametrize(
    "record",
    [
        {"id": "s", "events": [{"author": "x"}]},
        {"id": 5, "events": []},
        {"id": "s", "events": [], "state": {}},
        {"eval_id": "x", "conversation": [{}]},
        {"conversation": [], "other": 1},
    ],
)
def test_other_records_are_no_sessions(record: Json) -> None:
    """`id` and `events` are common keys."""
    assert not {"google_adk", "google_adk_case"} & set(candidates(record))


def a_turn(*uses: Json, answers: Json = None) -> JsonMap:
    """One turn of a case."""
    return {
        "invocation_id": "i",
        "creation_timestamp": 0.0,
        "user_content": {"parts": [{"text": "Pause it."}]},
        "intermediate_data": {"tool_uses": list(uses), "tool_responses": answers},
        "final_response": {"parts": [{"text": "Paused."}]},
    }


def a_use(name: str = "pause", given: Json = None) -> JsonMap:
    """One call of a case."""
    return {"id": given, "name": name, "args": {"id": 1}}


def test_the_cases_of_a_set_are_runs(tmp_path: Path) -> None:
    """What the tools answered is mostly not kept, and which reply asked is not either."""
    cases: Json = [
        {"eval_id": "e1", "conversation": [a_turn(a_use(), a_use("look")), a_turn()]},
        {"eval_id": "e2", "conversation": [a_turn()]},
    ]
    document: JsonMap = {"eval_set_id": "set", "eval_cases": cases}

    first, second = read(write_file(tmp_path / "set.test.json", dumped(document)))

    assert (first.run_id, second.run_id) == ("e1", "e2")
    assert first.trace is not None
    assert kinds(first.trace) == [
        "user_message",
        "model_reply",
        "tool_call",
        "tool_call",
        "model_reply",
        "claim",
        "user_message",
        "model_reply",
        "claim",
    ]
    (call, _) = (event for event in first.trace.events if isinstance(event, ToolCall))
    assert call.args_raw == '{"id": 1}'
    assert lost(first.losses)["results_missing"] == 2
    assert lost(first.losses)["replies_merged"] == 1
    assert first.losses.grade is Grade.NEEDS_FIXTURES
    assert "replies_merged" not in lost(second.losses)


def test_a_case_may_keep_answers() -> None:
    """Newer ones do."""
    answer: JsonMap = {"id": "c1", "name": "pause", "response": {"ok": True}}
    case: JsonMap = {"eval_id": "e", "conversation": [a_turn(a_use(given="c1"), answers=[answer])]}

    trace, losses = read_as("google_adk_case", case)

    assert candidates(case) == ("google_adk_case",)
    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert result.result == {"ok": True}
    assert "results_missing" not in lost(losses)
