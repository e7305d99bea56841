"""MCP: the real client over HTTP and over standard input and output, and messages by hand."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shlex
import socket
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.replay.builders import TOOLS, a_case, a_fixture
from workbench.model.event import CallError, Claim, Outcome, ToolCall, ToolResult
from workbench.replay.adapters.drive import drive
from workbench.replay.adapters.environment import MCP_COMMAND, agent_environment
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.gateway.http import serve
from workbench.replay.gateway.mcp_stdio import relay
from workbench.replay.issues import IssueKind
from workbench.replay.trial import Trial

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

SCHEMA: JsonMap = {"type": "object", "properties": {"a": {"type": "integer"}}}
FIXTURES = (
    a_fixture(id="f1", args={"a": 1}, result={"id": 7}),
    a_fixture(id="f2", args={"a": 2}, result="plain text"),
    a_fixture(id="f3", args={"a": 3}, outcome=Outcome.UNKNOWN, detail="timeout",
              error=CallError(status=504, body="upstream")),
    a_fixture(id="f4", args={"a": 4}, outcome=Outcome.PERMANENT,
              error=CallError(body={"code": -32050, "message": "gone", "data": {"x": 1}})),
    a_fixture(id="f5", args={"a": 5}, outcome=Outcome.PERMANENT,
              error=CallError(body={"code": True, "message": "no code"})),
)  # fmt: skip
META = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


@pytest.fixture
def run():
    """A served trial and its MCP URL."""
    tools = (replace(TOOLS[0], schema=SCHEMA, description="Find"), *TOOLS[1:])
    case = a_case(fixtures=FIXTURES, tools=tools)
    trial = Trial(case, case.recorded, run_id="t 1")
    with serve() as server:
        server.gateway.open(trial)
        yield server, trial, f"{server.base_url('t 1')}/mcp"


def post(run, message, **headers):
    """Send one body by hand; return the status and the parsed answer."""
    server, *_ = run
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    raw = message if isinstance(message, bytes) else json.dumps(message).encode()
    response = server.gateway.handle("POST", "/r/t%201/mcp", named, raw)
    return response.status, json.loads(response.body) if response.body else None


def ask(run, method, params=None, **headers):
    """Send one request by hand."""
    message = {"jsonrpc": "2.0", "id": 7, "method": method}
    return post(run, message if params is None else {**message, "params": params}, **headers)


def called(run, args, **more):
    """Call the look-up by hand and return the result."""
    _, reply = ask(run, "tools/call", {"name": "customer_lookup", "arguments": args, **more})
    return reply["result"]


async def used(client):
    """Use the tools as a real client does."""
    async with client as session:
        tools = await session.list_tools()
        ok = await session.call_tool("customer_lookup", {"a": 1})
        text = await session.call_tool("customer.lookup", {"a": 2})
        miss = await session.call_tool("customer_lookup", {"a": 9})
        return session.protocol_version, tools.tools, ok, text, miss


def check_used(run, found, version):
    """Every way to speak leads to the same trial."""
    spoken, tools, ok, text, miss = found
    assert spoken == version
    assert [tool.name for tool in tools][:2] == ["customer_lookup", "billing_pause"]
    assert (tools[0].description, tools[0].input_schema) == ("Find", SCHEMA)
    assert (ok.is_error, ok.structured_content) == (False, {"id": 7})
    assert (text.is_error, text.content[0].text) == (False, "plain text")
    assert miss.is_error
    assert json.loads(miss.content[0].text)["outcome"] == "missing_fixture"
    record = run[1].finish()
    calls = [e for e in record.trace.events if isinstance(e, ToolCall)]
    assert [(call.tool, call.args) for call in calls] == [
        ("customer.lookup", {"a": number}) for number in (1, 2, 9)
    ]
    assert [issue.kind for issue in record.issues] == [IssueKind.MISSING_FIXTURE]


@pytest.mark.parametrize(
    ("mode", "version"),
    [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28"), ("auto", "2026-07-28")],
)
def test_the_real_client_over_http(run, mode, version):
    """With a handshake, without one, and finding out by itself."""
    found = asyncio.run(used(Client(run[2], mode=mode)))

    check_used(run, found, version)


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_the_real_client_over_standard_streams(run, mode, version):
    """For agents that spawn their servers: the command is in their environment."""
    server, trial, _ = run
    environment = agent_environment(
        os.environ, base_url=server.base_url(trial.run_id), run_id="t 1", scratch="."
    )
    command, *args = shlex.split(environment["REPLAY_MCP_COMMAND"])
    assert (command, *args) == MCP_COMMAND
    spawned = stdio_client(StdioServerParameters(command=command, args=args, env=environment))

    found = asyncio.run(used(Client(spawned, mode=mode)))

    check_used(run, found, version)


@pytest.mark.parametrize(
    ("wanted", "agreed"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        (None, "2025-11-25"),
    ],
)
def test_the_handshake_agrees_on_a_revision(run, wanted, agreed):
    """The client's when it is served, else the newest that has a handshake."""
    status, reply = ask(run, "initialize", {"protocolVersion": wanted, "capabilities": {}})

    assert status == 200
    assert reply["id"] == 7
    assert reply["result"]["protocolVersion"] == agreed
    assert reply["result"]["capabilities"] == {"tools": {"listChanged": False}}


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": 3, "result": {}},
        {"jsonrpc": "2.0", "id": 3, "error": {"code": 1, "message": "x"}},
        [{"jsonrpc": "2.0", "method": "notifications/initialized"}],
        [],
    ],
)
def test_what_needs_no_answer_gets_none(run, message):
    """202 without a body."""
    assert post(run, message) == (202, None)


def test_a_batch_is_answered_as_one(run):
    """The revision of 2025-03-26 allows it."""
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    status, replies = post(run, [ping, {"jsonrpc": "2.0", "method": "notifications/x"}, 5])

    assert status == 200
    assert replies[0] == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert (replies[1]["id"], replies[1]["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize(
    ("method", "params", "headers", "expected"),
    [
        ("resources/list", {}, {}, (200, -32601)),
        ("resources/list", META, {}, (404, -32601)),
        ("tools/call", {"name": 5}, {}, (200, -32602)),
        ("tools/call", {"name": "a", "arguments": [1]}, {}, (200, -32602)),
        ("tools/call", {"name": 5, **META}, {}, (400, -32602)),
        ("tools/call", [], {}, (200, -32602)),
        ("ping", {}, {"mcp_protocol_version": "1999-01-01"}, (400, -32022)),
        ("ping", {}, {"mcp_protocol_version": "2026-07-28"}, (400, -32022)),
        ("ping", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}}, {}, (400, -32022)),
        ("ping", META, {"mcp_protocol_version": "2025-06-18"}, (400, -32020)),
        ("ping", META, {"mcp_method": "tools/list"}, (400, -32020)),
    ],
)  # fmt: skip
def test_what_is_not_served_is_a_json_rpc_error(run, method, params, headers, expected):
    """With the code of the specification, and the status where it names one."""
    status, reply = ask(run, method, params, **headers)

    assert (status, reply["error"]["code"]) == expected
    assert reply["id"] == 7


@pytest.mark.parametrize("message", [5, "x", {"jsonrpc": "2.0", "id": 7}, {"id": 7, "method": 5}])
def test_a_message_that_is_none_is_an_invalid_request(run, message):
    """Not a crash of the gateway."""
    status, reply = post(run, message)

    assert (status, reply["error"]["code"]) == (400, -32600)


def test_the_stateless_revision_says_that_a_result_is_complete(run):
    """And how long a list may be kept: not at all."""
    headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/list"}
    _, listed = ask(run, "tools/list", META, **headers)
    _, discovered = ask(run, "server/discover", META)
    _, old = ask(run, "tools/list", {}, mcp_protocol_version="2025-06-18")

    assert (listed["result"]["resultType"], listed["result"]["ttlMs"]) == ("complete", 0)
    assert "2026-07-28" in discovered["result"]["supportedVersions"]
    assert set(old["result"]) == {"tools"}


def test_recorded_failures_are_tool_errors(run):
    """The model has to see them, so they are no protocol errors."""
    found = called(run, {"a": 3})

    assert found["isError"] is True
    assert json.loads(found["content"][0]["text"]) == {
        "outcome": "unknown", "detail": "timeout", "error": {"status": 504, "body": "upstream"},
    }  # fmt: skip
    assert called(run, {"a": 5})["isError"] is True


def test_a_recorded_json_rpc_error_comes_back_as_one(run):
    """It was no tool result in the incident either."""
    _, reply = ask(run, "tools/call", {"name": "customer_lookup", "arguments": {"a": 4}})

    assert reply["error"] == {"code": -32050, "message": "gone", "data": {"x": 1}}
    results = [e for e in run[1].finish().trace.events if isinstance(e, ToolResult)]
    assert [result.outcome for result in results] == [Outcome.PERMANENT]


def test_an_unrecorded_write_and_an_unknown_tool_are_blocked(run):
    """Default deny, whatever the way in."""
    for name in ("billing_pause", "drop_all"):
        _, reply = ask(run, "tools/call", {"name": name})
        assert reply["result"]["isError"] is True
        assert json.loads(reply["result"]["content"][0]["text"])["outcome"] == "blocked"

    kinds = {issue.kind for issue in run[1].finish().issues}
    assert kinds == {IssueKind.BLOCKED_WRITE}


def test_a_stream_of_server_messages_is_not_offered(run):
    """The server never speaks first; clients take 405 for that."""
    server, *_ = run

    assert server.gateway.handle("GET", "/r/t%201/mcp", {}, b"").status == 405


SPAWNS = """
import json, os, shlex, subprocess

def agent(task, tools, model):
    params = {"name": "customer_lookup", "arguments": {"a": 1}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    words = shlex.split(os.environ["REPLAY_MCP_COMMAND"])
    done = subprocess.run(words, input=json.dumps(asked), capture_output=True, text=True)
    return str(json.loads(done.stdout)["result"]["structuredContent"])
"""


def test_a_python_agent_may_spawn_the_server(tmp_path, monkeypatch):
    """The hook that refuses every other process knows this one."""
    (tmp_path / "spawns.py").write_text(SPAWNS)
    monkeypatch.chdir(tmp_path)
    case = a_case(fixtures=FIXTURES)
    with serve() as server:
        found = drive(
            case,
            case.recorded,
            agent=parse_agent("python:spawns:agent"),
            server=server,
            run_id="t",
        )

    assert [e.text for e in found.record.trace.events if isinstance(e, Claim)] == ["{'id': 7}"]
    assert found.record.issues == ()


# --- standard input and output, in process -----------------------------------------------------


def relayed(url, *lines):
    """Return what the relay answers, parsed, by id."""
    out = io.BytesIO()
    relay(url, io.BytesIO(b"".join(line + b"\n" for line in lines)), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_the_relay_hands_messages_on(run):
    """Notifications and blank lines get no answer; errors of the gateway come through."""
    found = relayed(
        run[2],
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b"",
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","id":2,"method":7}',
        b"{",
    )

    assert sorted((r["id"] or 0, r.get("error", {}).get("code", 0)) for r in found) == [
        (0, -32700), (1, 0), (2, -32600),
    ]  # fmt: skip


def test_the_relay_says_when_the_run_has_ended(run):
    """An answer to each request, so that no client waits for ever."""
    server, trial, url = run
    server.gateway.close(trial)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]

    for dead in (url, f"http://127.0.0.1:{port}/mcp"):
        (found,) = relayed(
            dead, b'{"jsonrpc":"2.0","id":1,"method":"ping"}', b'{"method":"x"}', b"[1]"
        )
        assert found["error"] == {"code": -32603, "message": "the run has ended"}


def test_the_relay_needs_a_run(monkeypatch, capsys):
    """Started by hand it says what is missing."""
    from workbench.replay.gateway import mcp_stdio

    monkeypatch.delenv("REPLAY_MCP_URL", raising=False)

    assert mcp_stdio.main() == 4
    assert "REPLAY_MCP_URL is not set" in capsys.readouterr().err


def test_the_command_is_a_file_of_this_interpreter():
    """The working folder and the agent's own packages do not matter to it."""
    assert MCP_COMMAND[0] == sys.executable
    assert os.path.isfile(MCP_COMMAND[2])  # noqa: PTH113
