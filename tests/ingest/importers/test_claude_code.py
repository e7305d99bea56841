"""Claude Code: replies in several entries, sub-agents, branches, refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import dumped, kinds, lost, read, read_as, write_file, write_lines
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import (
    CallError,
    Claim,
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
    from workbench.model.trace import Trace


def an_entry(kind: str, given: str, parent: str | None, content: Json, **more: Json) -> JsonMap:
    """One entry of a session."""
    message = more.pop("message", {})
    assert isinstance(message, dict)
    return {
        "type": kind,
        "uuid": given,
        "parentUuid": parent,
        "sessionId": "s1",
        "timestamp": "2026-01-01T00:00:00Z",
        "version": "2.0",
        "message": {"role": kind, "content": content, **message},
        **more,
    }


def says(given: str, parent: str | None, *blocks: Json, reply: str = "", **more: Json) -> JsonMap:
    """A part of a reply."""
    message: JsonMap = {"id": reply or given, "model": "m-1"}
    return an_entry("assistant", given, parent, list(blocks), message=message, **more)


def a_text(text: str) -> JsonMap:
    """A block."""
    return {"type": "text", "text": text}


def a_call(given: str = "t1", name: str = "Bash") -> JsonMap:
    """A block."""
    return {"type": "tool_use", "id": given, "name": name, "input": {"command": "ls"}}


def an_answer(given: str = "t1", content: Json = "a.py", **more: Json) -> JsonMap:
    """A block."""
    return {"type": "tool_result", "tool_use_id": given, "content": content, **more}


def a_session() -> list[Json]:
    """Task, a reply in three entries with two calls, their results, the answer."""
    usage: JsonMap = {"input_tokens": 9, "output_tokens": 2, "cache_read_input_tokens": 1}
    last = says("a3", "a2", a_call("t2", "Read"), reply="r1")
    assert isinstance(last["message"], dict)
    last["message"].update(usage=usage, stop_reason="tool_use")
    return [
        {"type": "summary", "summary": "Fixing", "leafUuid": "x"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        an_entry("user", "u1", None, "Fix it."),
        says("a1", "u1", {"type": "thinking", "thinking": "hm"}, a_text("Look."), reply="r1"),
        says("a2", "a1", a_call(), reply="r1"),
        last,
        an_entry("user", "u2", "a2", [an_answer()], toolUseResult={"durationMs": 12}),
        an_entry("user", "u3", "a3", [an_answer("t2", "no", is_error=True)]),
        says("a4", "u3", a_text("Fixed.")),
        {"type": "last-prompt", "sessionId": "s1"},
    ]


def as_type(kind: type, trace: Trace) -> list[object]:
    """Return the events of one kind."""
    return [event for event in trace.events if isinstance(event, kind)]


def test_a_session_is_a_run(tmp_path: Path) -> None:
    """The entries of one reply are one reply, and both results belong to the conversation."""
    (run,) = read(write_lines(tmp_path / "s1.jsonl", *a_session()))

    assert run.trace is not None
    assert kinds(run.trace) == [
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
    reply = run.trace.events[1]
    assert isinstance(reply, ModelReply)
    assert (reply.call_ids, reply.finish_reason) == (("t1", "t2"), "tool_use")
    assert reply.usage == Usage(input_tokens=9, output_tokens=2, cached_tokens=1)
    calls = [event for event in run.trace.events if isinstance(event, ToolCall)]
    assert [call.args_raw for call in calls] == ['{"command": "ls"}'] * 2
    good, bad = (event for event in run.trace.events if isinstance(event, ToolResult))
    assert (good.latency_ms, good.error) == (12, None)
    assert bad.error == CallError(message="no")
    assert (run.run_id, run.trace.session) == ("s1", "s1")
    assert (run.trace.versions.model, run.trace.versions.agent) == ("m-1", "2.0")
    assert lost(run.losses) == {"system_missing": 1, "tools_not_listed": 2}


def test_an_export_has_lines_without_links(tmp_path: Path) -> None:
    """It keeps neither ids nor parents."""
    lines: list[Json] = [
        {key: entry[key] for key in ("type", "timestamp", "message")}  # type: ignore[index,call-overload]
        for entry in a_session()
        if "message" in entry  # type: ignore[operator]
    ]
    (run,) = read(write_file(tmp_path / "s.json", dumped({"loglines": lines})))
    (straight,) = read(write_lines(tmp_path / "s1.jsonl", *a_session()))

    assert run.trace is not None
    assert straight.trace is not None
    assert kinds(run.trace) == kinds(straight.trace)
    assert run.run_id.startswith("claude_code-")


def test_what_a_person_left_behind_is_no_part_of_the_conversation() -> None:
    """Going back starts a second branch; the last entry's branch counts."""
    trace, losses = read_as(
        "claude_code",
        [
            an_entry("user", "u1", None, "Fix it."),
            says("a1", "u1", a_text("How?")),
            an_entry("user", "u2", "a1", "Wrong way."),
            says("a2", "u2", a_text("Wrong."), a_call("t9")),
            an_entry("user", "u3", "a2", [an_answer("t9")]),
            an_entry("progress", "p1", "u3", ""),
            an_entry("user", "u4", "a1", "Right way."),
            says("a4", "u4", a_text("Right.")),
        ],
    )

    assert [event.text for event in trace.events if isinstance(event, UserMessage)] == [
        "Fix it.",
        "Right way.",
    ]
    assert lost(losses)["branches_left_out"] == 3
    assert as_type(ToolCall, trace) == []


def test_a_compaction_and_a_continued_session_belong_together() -> None:
    """The boundary names its parent in another way; a loop of parents ends."""
    boundary: JsonMap = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b",
        "parentUuid": None,
        "logicalParentUuid": "a1",
        "sessionId": "s1",
        "timestamp": "2026-01-01T00:00:01Z",
    }
    trace, losses = read_as(
        "claude_code",
        [
            an_entry("user", "u1", "u1", "Fix it."),
            says("a1", "u1", a_text("Ok.")),
            boundary,
            an_entry("user", "u2", "b", "So far: ...", isCompactSummary=True),
            an_entry("user", "u3", "u2", "Caveat.", isMeta=True),
            says("a2", "u3", a_text("Done.")),
        ],
    )

    assert kinds(trace) == [
        "user_message",
        "model_reply",
        "claim",
        "context_change",
        "user_message",
        "user_message",
        "model_reply",
        "claim",
    ]
    actors = [event.actor for event in trace.events if isinstance(event, UserMessage)]
    assert actors == [None, "framework", "framework"]
    assert "branches_left_out" not in lost(losses)


def test_a_sub_agent_is_prompted_by_the_agent_and_claims_nothing() -> None:
    """Only the main agent reads what it says."""
    trace, _ = read_as(
        "claude_code",
        [
            an_entry("user", "u1", None, "Fix it."),
            says("a1", "u1", a_call("t1", "Task")),
            an_entry("user", "x1", None, "Find it.", isSidechain=True, agentId="ag"),
            says("x2", "x1", a_text("Found."), isSidechain=True),
            an_entry("user", "u2", "a1", [an_answer()], toolUseResult={"totalDurationMs": 5}),
            says("a2", "u2", a_text("Fixed.")),
        ],
    )

    assert [event.actor for event in trace.events if isinstance(event, UserMessage)] == [
        None,
        "agent",
    ]
    replies = [(e.agent, e.text) for e in trace.events if isinstance(e, ModelReply)]
    assert replies == [(None, ""), ("sidechain", "Found."), (None, "Fixed.")]
    assert [event.text for event in trace.events if isinstance(event, Claim)] == ["Fixed."]


def test_a_sub_agents_own_log_has_an_id_of_its_own(tmp_path: Path) -> None:
    """It carries its session's id, which the session's log has too."""
    path = write_lines(
        tmp_path / "agent-ag.jsonl",
        an_entry("user", "x1", None, "Find it.", isSidechain=True, agentId="ag"),
        says("x2", "x1", a_text("Found."), isSidechain=True, agentId="ag"),
    )

    (run,) = read(path)

    assert run.trace is not None
    assert (run.run_id, run.trace.session) == ("s1/ag", "s1")
    assert kinds(run.trace) == ["user_message", "model_reply", "claim"]


@pytest.mark.parametrize(
    ("block", "detail", "outcome", "error"),
    [
        (an_answer(is_error=False), None, None, None),
        (an_answer(content=[a_text("a"), {"type": "image"}]), None, None, None),
        (an_answer(content=None), {"interrupted": True}, None, CallError(type="interrupted")),
        (an_answer(content={"ok": 1}), "done", None, None),
        (
            an_answer(
                content="The user doesn't want to proceed with this tool use. Stop.", is_error=True
            ),
            None,
            Outcome.DENIED,
            CallError(message="The user doesn't want to proceed with this tool use. Stop."),
        ),
    ],
)
def test_how_a_call_ended(
    block: JsonMap, detail: Json, outcome: Outcome | None, error: CallError | None
) -> None:
    """A refusal of the person stands in the text only, so the permission is inferred."""
    trace, _ = read_as(
        "claude_code",
        [
            an_entry("user", "u1", None, "Fix it."),
            says("a1", "u1", a_call()),
            an_entry("user", "u2", "a1", [block, a_text("[stopped]")], toolUseResult=detail),
        ],
    )

    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert (result.outcome, result.error) == (outcome, error)
    marks = [event for event in trace.events if isinstance(event, Permission)]
    assert [(mark.tool, mark.basis.value) for mark in marks] == (
        [("Bash", "inferred")] if outcome is Outcome.DENIED else []
    )
    assert trace.events[-1].text == "[stopped]"  # type: ignore[union-attr]


def test_what_the_program_says_is_no_reply_of_the_model() -> None:
    """An error of the API is shown in the model's place."""
    entry = says("a1", "u1", a_text("API Error: 529"), isApiErrorMessage=True)
    thought = says("a2", "a1", {"type": "thinking", "thinking": "hm"})
    plain = an_entry("assistant", "a3", "a2", "Fixed.")

    trace, _ = read_as(
        "claude_code", [an_entry("user", "u1", None, ["Fix", "it."]), entry, thought, plain]
    )

    assert kinds(trace) == ["user_message", "claim", "model_reply", "claim"]


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        (says("a", None, {"type": "tool_use"}), r"0\.message\.content\.0\.name is .*; expected a"),
        (an_entry("user", "u", None, [a_text("x"), 5]), r"0\.message\.content\.1 is .*; expected"),
        (an_entry("user", "u", None, 5), r"0\.message\.content is .*; expected a text, parts"),
        ({"type": "summary", "leafUuid": "x"}, "holds no message; expected a session"),
    ],
)
def test_a_broken_session_is_named(entry: Json, error: str) -> None:
    """The error says where."""
    with pytest.raises(TraceFormatError, match=error):
        read_as("claude_code", [entry])


def test_which_records_stand_in_a_session() -> None:
    """A chat message and an event of another log have a type or a role too."""
    assert all(candidates(entry) == ("claude_code",) for entry in a_session())
    assert "claude_code" not in candidates({"type": "user", "message": {"role": "assistant"}})
    assert "claude_code" not in candidates({"type": "summary"})
    assert "claude_code" not in candidates({"sessionId": "s"})
