"""Agents that are MCP servers: their tool takes the task; however they fail, it is inconclusive."""

from __future__ import annotations

import json
import shlex
import sys
import textwrap

import pytest

from tests.long import is_long
from tests.replay.test_worker import DONE, LOOKUP, QUICK, claims, driven, issues, server
from workbench.model.case import Turn
from workbench.model.event import Claim, ClaimOutcome
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.issues import IssueKind

__all__ = ["server"]

REAL = """
import json, os, urllib.request
from mcp.server import MCPServer
from pydantic import BaseModel

class Answer(BaseModel):
    text: str
    outcome: str

def post(path, body):
    request = urllib.request.Request(os.environ["REPLAY_BASE_URL"] + path, json.dumps(body).encode())
    return json.load(urllib.request.urlopen(request))

app = MCPServer("support")

@app.tool()
def answer(messages: list[dict], run_id: str) -> Answer:
    "Answer a customer."
    while (reply := post("/model", {"messages": messages}))["tool_calls"]:
        for call in reply["tool_calls"]:
            post("/tools/" + call["name"], call["args"])
    return Answer(text=f"{reply['text']} {run_id} {len(messages)}", outcome="failure")

app.run("stdio")
"""


def spec(tmp_path, program):
    """Return a Python program as an MCP agent."""
    path = tmp_path / "served.py"
    path.write_text(program)
    return parse_agent(f"mcp:{shlex.join([sys.executable, str(path)])}")


@pytest.mark.skipif(not is_long(), reason="the server of the real package takes seconds to load")
def test_a_real_server_is_driven_through_all_turns(server, tmp_path):
    """The same process answers each turn, and the next trial."""
    agent = spec(tmp_path, REAL)

    first = driven(server, agent, LOOKUP, DONE, Turn(user="again"), DONE, run="t1")
    second = driven(server, agent, LOOKUP, DONE, run="t2")

    assert claims(first) == ["All done. t1 1", "All done. t1 3"]
    assert claims(second) == ["All done. t2 1"]
    assert issues(first) == issues(second) == []
    outcomes = {e.outcome for e in first.record.trace.events if isinstance(e, Claim)}
    assert outcomes == {ClaimOutcome.FAILURE}


RAW = """
import json, sys
def say(**message):
    print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)
TOOLS = {tools}
print("a banner")
for line in sys.stdin:
    message = json.loads(line)
    method, at = message.get("method"), message.get("id")
    if method == "initialize":
        say(id="theirs", method="ping")
        say(id="roots", method="roots/list")
        say(method="notifications/message", params={{}})
        say(id=at, result={{"protocolVersion": "2025-06-18", "capabilities": {{}}}})
    elif method == "tools/list":
        say(id=at, result={{"tools": TOOLS}})
    elif method == "tools/call":
        say(id=999, result={{"content": []}})
        {call}
    elif method is None:
        print(json.dumps(message), file=sys.stderr)
"""
ONE = [
    {
        "name": "ask",
        "inputSchema": {
            "properties": {"prompt": {"type": "string"}},
            "required": ["prompt", 5, "n"],
        },
    }
]


def raw(tmp_path, call, tools=ONE):
    """Return a server that speaks by hand."""
    body = textwrap.indent(textwrap.dedent(call), " " * 8).strip()
    return spec(tmp_path, RAW.format(tools=json.dumps(tools), call=body))


@pytest.mark.parametrize(
    ("tools", "seen"),
    [
        (ONE, {"prompt": "Pause my plan"}),
        ([{"name": "x"}, {"name": "agent", "inputSchema": {"properties": {"run_id": {}}}}], {"run_id": "t"}),
        ([5, {"name": "x", "inputSchema": {"properties": {"prompt": {"type": "string"}}}}], {}),
    ],
)  # fmt: skip
def test_the_tool_gets_what_its_schema_names(server, tmp_path, tools, seen):
    """A tool with one required text gets the person's last message."""
    call = """say(id=at, result={"content": [{"type": "text", "text": json.dumps({"text": json.dumps(message["params"]["arguments"], sort_keys=True)})}, 5]})"""

    found = driven(server, raw(tmp_path, call, tools))

    assert [json.loads(text) for text in claims(found)] == [seen]
    assert issues(found) == []


def test_a_server_is_greeted_once_for_all_turns(server, tmp_path):
    """The tool is asked again with what was said since."""
    call = """say(id=at, result={"content": [{"type": "text", "text": str(len(message["params"]["arguments"]["messages"]))}]})"""

    found = driven(server, raw(tmp_path, call, [{"name": "x"}]), DONE, Turn(user="again"), DONE)

    assert claims(found) == ["1", "3"]
    assert issues(found) == []


def test_a_tool_without_a_schema_gets_the_whole_task(server, tmp_path):
    """And what it says in plain text is the answer."""
    call = """say(id=at, result={"content": [{"type": "text", "text": " ".join(sorted(message["params"]["arguments"]))}]})"""

    found = driven(server, raw(tmp_path, call, [{"name": "x"}]))

    assert claims(found) == ["base_url messages run_id"]


@pytest.mark.parametrize(
    ("call", "tools", "expected"),
    [
        ("say(id=at, result={'isError': True, 'content': []})", ONE, "answered with an error"),
        ("say(id=at, error={'code': 1, 'message': 'secret'})", ONE, "it refused tools/call"),
        ("say(id=at, result=[])", ONE, "it refused tools/call"),
        ("say(id=at, result={'structuredContent': {'text': 5}})", ONE, "something that is no text"),
        ("raise SystemExit(4)", ONE, "ended with code 4 before it answered"),
        ("print('x' * 70_000_000)", ONE, "printed without end"),
        ("pass", [], "it offers 0 tools"),
        ("pass", "none", "it offers 0 tools"),
        ("pass", [{"name": "a"}, {"name": "b"}], "it offers 2 tools; expected one, or one named agent"),
        ("pass", [{"inputSchema": {}}], "a tool without a name"),
    ],
)  # fmt: skip
def test_a_server_that_fails_is_inconclusive(server, tmp_path, call, tools, expected):
    """Its words are not repeated: they may hold trace text."""
    found = driven(server, raw(tmp_path, call, tools), setting=QUICK)

    ((kind, sentence),) = issues(found)
    assert kind is IssueKind.AGENT_ERROR
    assert expected in sentence
    assert "secret" not in sentence
