"""Records in their smallest forms, and what the table of formats answers when all are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.ingest.samples import an_openai_chat
from workbench.ingest.formats import AUTO, known_formats

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["SMALLEST", "answers_of_all"]

_ASKED: Json = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
_CALLED: Json = [{"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}]
_SAID: Json = [{"type": "human", "content": "Hi"}]
_SPAN: JsonMap = {"traceId": "a", "spanId": "b"}
_LOGGED: Json = [{"action": "run", "args": {}}]
_FENCED: Json = [{"role": "assistant", "content": "```mswea_bash_command\nls\n```"}]
_DOJO: JsonMap = {"messages": _ASKED, "suite_name": "bank", "user_task_id": "t"}
_WHO: JsonMap = {"history": [], "mistake_step": "1", "mistake_agent": "a", "question": "q"}
_CHATS: tuple[JsonMap, ...] = (
    {"messages": _ASKED},
    {"input": {"messages": _ASKED}, "output": {"choices": []}},
    {"request": {"messages": _ASKED}},
    {"body": {"messages": _ASKED}},
    {"request": {"body": {"messages": _ASKED}}, "response": {"body": {"choices": []}}},
    {"messages": an_openai_chat()},
)

SMALLEST: dict[str, tuple[JsonMap, ...]] = {
    "trace1": ({"schema": "trace/1"},),
    "results": ({"schema": "results/1"},),
    "openai_chat": _CHATS,
    "anthropic_messages": _CHATS[:5],
    "tau_bench": ({"traj": [], "reward": 1},),
    "tau2_bench": (
        {"task_id": 1, "messages": [], "reward_info": None},
        {"task_id": 1, "messages": [], "termination_reason": "user_stop"},
    ),
    "agentdojo": (_DOJO, {"data": _DOJO}),
    "otlp": (
        {"resourceSpans": [{"scopeSpans": [{"spans": [_SPAN]}]}]},
        {"resourceSpans": [{"instrumentationLibrarySpans": [{"spans": [_SPAN]}]}]},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [_SPAN]}]}]},
        {"resource_spans": [{"scope_spans": [{"spans": [_SPAN]}]}]},
        {"resource_logs": [{"scope_logs": [{"log_records": [_SPAN]}]}]},
        {"context": {"trace_id": "a", "span_id": "b"}, "start_time": "", "attributes": {}},
        {"trace_id": "a", "span_id": "b", "event_name": "x", "body": None},
    ),
    "langsmith": (
        {"dotted_order": "a.b", "trace_id": "a"},
        {"run_type": "llm", "trace_id": "a"},
        {"post": [{"run_type": "llm", "trace_id": "a"}]},
        {"patch": [{"dotted_order": "a.b", "trace_id": "a"}]},
    ),
    "langfuse": (
        {"id": "t", "observations": []},
        {"trace": {"id": "t"}, "observations": [{"startTime": "", "type": "SPAN"}]},
    ),
    "langchain": (
        {"messages": _SAID},
        {"values": {"messages": _SAID}},
        {"output": {"messages": _SAID}},
    ),
    "langchain_events": ({"event": "on_tool_start", "run_id": "r", "data": {}},),
    "openai_responses": (
        {"input": _CALLED},
        {"output": _CALLED},
        {"request": {"input": _CALLED}},
        {"body": {"input": _CALLED}},
        {"response": {"object": "response", "output": []}},
    ),
    "agents_run_state": ({"$schemaVersion": "1.0", "current_agent": {}},),
    "agents_spans": (
        {"object": "trace", "id": "t", "workflow_name": "w"},
        {"object": "trace.span", "trace_id": "t"},
        {"spans": [{"object": "trace.span", "trace_id": "t"}], "to_input_list": []},
    ),
    "managed_agents": (
        {"type": "session", "agent": {}},
        {"type": "agent.message", "id": "e", "processed_at": None},
    ),
    "http_cassette": ({"interactions": [{"request": {"uri": "/"}, "response": {}}]},),
    "agent_framework": ({"messages": [{"role": "user", "contents": []}]},),
    "autogen_stream": (
        {"type": "TextMessage", "source": "user"},
        {"messages": [{"type": "TextMessage", "source": "user"}], "stop_reason": None},
    ),
    "autogen_state": (
        {"type": "TeamState", "agent_states": {}},
        {"type": "AssistantAgentState", "llm_context": {"messages": []}},
    ),
    "autogen_log": (
        {"type": "ToolCall", "tool_name": "look", "agent_id": None},
        {"type": "Message", "payload": "", "kind": "MessageKind.DIRECT"},
        {"type": "LLMCall", "agent_id": None},
        {"raw": "a line"},
    ),
    "crewai": (
        {"type": "crew_kickoff_started", "timestamp": "", "emission_sequence": 1},
        {"type": "tool_usage_error", "timestamp": "", "source_fingerprint": None},
    ),
    "pydantic_ai": ({"kind": "request", "parts": []},),
    "swe_agent": (
        {"history": [], "trajectory": [{"action": "", "observation": ""}]},
        {"history": [{"role": "user", "message_type": "observation"}]},
    ),
    "mini_swe_agent": (
        {"messages": _FENCED},
        {"trajectory_format": "mini-swe-agent-1", "messages": []},
    ),
    "openhands": ({"history": _LOGGED}, {"history": [_LOGGED]}),
    "openhands_events": (
        {"id": 1, "source": "agent", "action": "run"},
        {"id": 2, "source": "agent", "observation": "run"},
    ),
    "claude_code": (
        {"type": "user", "message": {"role": "user"}, "timestamp": ""},
        {"type": "summary", "leafUuid": "u"},
        {"type": "file-history-snapshot", "snapshot": {}},
        {"type": "progress", "sessionId": "s"},
        {"type": "progress", "sessionId": None, "uuid": "u"},
    ),
    "inspect": (
        {"epoch": 1, "input": "", "messages": [], "target": ""},
        {"epoch": 1, "input": "", "messages": [], "scores": {}},
    ),
    "google_adk": (
        {"id": "s", "events": [], "state": {}, "appName": "a"},
        {"id": "s", "events": [{"author": "user", "invocationId": "i"}]},
    ),
    "google_adk_case": (
        {"conversation": [], "eval_id": "e"},
        {"conversation": [{"userContent": {}}], "evalId": "e"},
    ),
    "whowhen": (_WHO, {"data": _WHO}),
}
"""Format -> mappings that it recognises, one for each way to be recognised."""


def answers_of_all(record: Json) -> dict[str, tuple[str, ...]]:
    """Return what `candidates` has to answer for each `wanted`, from every format's own words."""
    formats = known_formats().values()
    owners = [one for one in formats if one.owns(record)]
    might = [one for one in formats if one.recognises(record)]
    special = [one for one in owners if not one.general]
    found = {
        one.name: (one.name,) if one in might and not (one.general and special) else ()
        for one in formats
    }
    return {**found, AUTO: tuple(one.name for one in special or owners or might)}
