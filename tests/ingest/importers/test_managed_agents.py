"""Managed agents: permissions that policy gave and a person refused, told in the stream's order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.ingest.exports import a_managed_session, at_second, streamed, texts
from tests.ingest.samples import (
    dumped,
    kinds,
    lost,
    read,
    read_as,
    write_file,
    write_lines,
)
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.canonical import args_digest
from workbench.model.event import (
    Change,
    ContextChange,
    Decision,
    ModelReply,
    ModelRequest,
    Outcome,
    Permission,
    ToolResult,
    Usage,
)
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Trace

KINDS = [
    "system_message",
    "user_message",
    "model_request",
    "model_reply",
    "claim",
    "tool_call",
    "tool_call",
    "permission",
    "permission",
    "tool_result",
    "permission",
    "tool_result",
    "model_request",
    "model_reply",
    "claim",
]


def permissions(trace: Trace) -> list[Permission]:
    """The permissions in order."""
    return [event for event in trace.events if isinstance(event, Permission)]


def results(trace: Trace) -> list[ToolResult]:
    """The results in order."""
    return [event for event in trace.events if isinstance(event, ToolResult)]


def test_a_session_is_told_once() -> None:
    """What was sent comes back in the stream; a reply ends with its request."""
    trace, losses = read_as("managed_agents", a_managed_session())

    assert kinds(trace) == KINDS
    assert (trace.run_id, trace.session) == ("sesn_1", "sesn_1")
    assert (trace.versions.model, trace.versions.agent) == ("model-x", "agent_1@3")
    assert trace.labels == {"title": "Billing"}
    assert [tool.name for tool in trace.tools] == ["pause", "find"]
    assert lost(losses) == {"args_not_exact": 2}
    request, reply = trace.events[2:4]
    assert isinstance(request, ModelRequest)
    assert (request.model, request.at, request.agent) == ("model-x", at_second(3), "Biller")
    assert isinstance(reply, ModelReply)
    assert reply.usage == Usage(input_tokens=10, output_tokens=2, cached_tokens=4)


def test_permissions_say_who_decided_what() -> None:
    """Policy granted one call and asked for the other; a person refused that."""
    trace, _ = read_as("managed_agents", a_managed_session())

    found = [(one.decision, one.actor, one.tool, one.scope) for one in permissions(trace)]
    assert found == [
        (Decision.GRANTED, "policy", "find", "u1"),
        (Decision.ASKED, "policy", "pause", "u2"),
        (Decision.DENIED, "user", "pause", "u2"),
    ]
    assert permissions(trace)[0].args_digest == args_digest({"a": 1})


def test_a_refused_call_is_denied_and_keeps_the_words() -> None:
    """`deny_message` reaches the agent as the text of the result; nothing was executed."""
    trace, _ = read_as("managed_agents", a_managed_session())

    ok, refused = results(trace)
    assert (ok.outcome, ok.latency_ms, ok.result_raw) == (None, 3000, "found")
    assert (refused.outcome, refused.detail) == (Outcome.DENIED, "refused")
    assert refused.latency_ms is None
    assert refused.error is not None
    assert refused.result_raw == "Permission rejected: Not today."


def allowed(record: list[Json]) -> list[Json]:
    """The session in which the person agreed."""
    text = json.dumps(record).replace('"deny"', '"allow"')
    found: list[Json] = json.loads(text)
    return found


def test_the_time_of_a_call_counts_from_the_permission() -> None:
    """Waiting for a person is no latency of the tool."""
    trace, _ = read_as("managed_agents", allowed(a_managed_session()))

    assert results(trace)[1].latency_ms == 1000
    assert permissions(trace)[2].decision is Decision.GRANTED
    assert results(trace)[1].outcome is None


def test_what_was_sent_counts_where_the_stream_lacks_it() -> None:
    """A recorder that broke off has the confirmation only as it was sent."""
    lines = [line for line in a_managed_session() if not is_echo(line)]

    trace, _ = read_as("managed_agents", lines)

    assert kinds(trace) == KINDS
    assert trace.events[1].at is None


def is_echo(line: Json) -> bool:
    """Whether the stream repeats what was sent."""
    assert isinstance(line, list)
    event = line[1]
    return isinstance(event, dict) and str(event.get("type")).startswith("user.")


def test_events_alone_are_a_run(tmp_path: Path) -> None:
    """As the API lists them: without the session, so model and system text are not there."""
    events = streamed_events()

    (run,) = read(write_lines(tmp_path / "events.jsonl", *events))

    assert run.trace is not None
    assert kinds(run.trace) == [kind for kind in KINDS if kind != "system_message"]
    assert "system_missing" in lost(run.losses)
    assert "args_not_exact" not in lost(run.losses)


def streamed_events() -> list[Json]:
    """The events of the stream alone."""
    lines = [line for line in a_managed_session() if isinstance(line, list)]
    return [line[1] for line in lines if str(line[0]).endswith("stream")]


def test_a_recorded_stream_is_a_run(tmp_path: Path) -> None:
    """Server-sent events as they came over the wire, with pings between them."""
    events = streamed_events()
    text = b": ping\n\n".join(b"event: x\ndata: " + dumped(event) + b"\n\n" for event in events)

    (run,) = read(write_file(tmp_path / "events.sse", text))

    assert run.trace is not None
    assert kinds(run.trace) == [kind for kind in KINDS if kind != "system_message"]
    assert run.raw == text


def test_custom_tools_are_answered_by_the_user() -> None:
    """The client runs them; nobody evaluates a permission."""
    use = streamed(1, "agent.custom_tool_use", name="pause", input={})
    event = use[1]
    assert isinstance(event, dict)
    event["id"] = "u9"
    answer = streamed(2, "user.custom_tool_result", custom_tool_use_id="u9", content=texts("ok"))

    trace, _ = read_as("managed_agents", [use, answer])

    assert kinds(trace) == ["model_reply", "tool_call", "tool_result"]
    assert trace.events[0].at == at_second(1)


def test_a_document_in_a_result_is_its_text() -> None:
    """Fetched pages come as documents of plain text."""
    document: JsonMap = {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "the page"},
    }
    use, answer = (
        streamed(1, "agent.tool_use", name="fetch", input={}),
        streamed(2, "agent.tool_result", tool_use_id="sevt_1", content=[document]),
    )

    trace, losses = read_as("managed_agents", [use, answer])

    assert results(trace)[0].result_raw == "the page"
    assert "parts_dropped" not in lost(losses)


def test_a_policy_that_denies_refuses_the_call() -> None:
    """Nobody was asked."""
    use = streamed(1, "agent.tool_use", name="rm", input={}, evaluated_permission="deny")
    answer = streamed(2, "agent.tool_result", tool_use_id="sevt_1", is_error=True, content=None)

    trace, _ = read_as("managed_agents", [use, answer])

    assert permissions(trace)[0].decision is Decision.DENIED
    assert results(trace)[0].outcome is Outcome.DENIED


def test_an_unknown_confirmation_says_nothing() -> None:
    """An answer that is neither yes nor no; and one to a call that nobody saw."""
    record: list[Json] = [
        streamed(1, "user.tool_confirmation", tool_use_id="x", result="maybe"),
        streamed(2, "user.tool_confirmation", tool_use_id="x", result="allow"),
    ]

    trace, _ = read_as("managed_agents", record)

    (granted,) = permissions(trace)
    assert (granted.tool, granted.scope, granted.args_digest) == (None, "x", None)


def test_compaction_and_failure_are_told() -> None:
    """A compacted context explains a forgotten instruction; an error ends the session."""
    record: list[Json] = [
        streamed(1, "agent.thread_context_compacted"),
        streamed(2, "session.error", error={"type": "x"}),
    ]

    trace, _ = read_as("managed_agents", record)

    (change,) = trace.events
    assert isinstance(change, ContextChange)
    assert change.change is Change.COMPACTION
    assert trace.status is RunStatus.FAILED


def test_a_wrong_part_is_named() -> None:
    """The place leads to it."""
    with pytest.raises(TraceFormatError) as error:
        read_as("managed_agents", [streamed(1, "agent.tool_use", input={})])

    assert error.value.key == "0.1.name"


@pytest.mark.parametrize(
    "record",
    [
        ["client.chat.create", {}],
        ["client.beta.sessions.create"],
        {"type": "user.message"},
        {"type": "user.message", "id": "x"},
        {"type": "session", "id": "s"},
        [],
        None,
    ],
)
def test_other_records_are_not_taken(record: Json) -> None:
    """An event has an id and a time of processing."""
    assert "managed_agents" not in candidates(record)
