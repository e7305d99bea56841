"""Small parts around an agent: its spec, its variables, what the child says of failures."""

from __future__ import annotations

import asyncio
import ctypes
import os
import shlex
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

from tests.replay import agents
from workbench.errors import InputError
from workbench.replay.adapters import child as child_module, start
from workbench.replay.adapters.child import Child, Closed
from workbench.replay.adapters.environment import MCP_COMMAND, agent_environment
from workbench.replay.adapters.python_child import (
    Loop,
    Unloadable,
    answer_document,
    blame,
    load,
    work,
)
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.agent import Answer, Model, ToolError, Tools
from workbench.replay.isolation import kernel
from workbench.replay.isolation.audit import AuditRule, SideEffectBlocked, install


def test_specs_name_a_callable_or_a_command():
    """The two ways to start an agent."""
    assert parse_agent("python:a.b:c.d").target == "a.b:c.d"
    assert parse_agent(f"cmd:{shlex.quote(sys.executable)} -c 'a b'").argv == (
        sys.executable,
        "-c",
        "a b",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b:c", "cannot be started"),
        ("python:a.b", "cannot be started"),
        ("python:a b:c", "cannot be started"),
        ("cmd:", "cannot be started"),
        ("cmd:no-such-command-here", "no command 'no-such-command-here'"),
        ("cmd:'unclosed", "cannot be read: No closing quotation"),
        ("cmd:''", "no command ''"),
    ],
)
def test_specs_that_start_nothing_are_usage_errors(text, expected):
    """Before any case runs."""
    with pytest.raises(InputError, match=expected):
        parse_agent(text)


def test_the_environment_leads_every_client_to_the_gateway():
    """Real keys, clouds and proxies are gone; the rest stays."""
    known = {"A_API_KEY": "x", "AWS_REGION": "x", "http_proxy": "x", "no_proxy": "x", "HOME": "/h"}

    found = agent_environment(known, base_url="http://h/r/t", run_id="t", scratch="/s")

    assert found["HOME"] == "/h"
    assert not {"A_API_KEY", "AWS_REGION", "http_proxy", "no_proxy"} & set(found)
    assert found["OPENAI_BASE_URL"] == "http://h/r/t/v1"
    assert found["ANTHROPIC_BASE_URL"] == "http://h/r/t/anthropic"
    assert found["REPLAY_MCP_URL"] == "http://h/r/t/mcp"
    assert (found["REPLAY_BASE_URL"], found["REPLAY_RUN_ID"]) == ("http://h/r/t", "t")
    assert (found["TMPDIR"], found["OPENAI_API_KEY"]) == ("/s", "replay")


def test_a_callable_is_found_below_its_module():
    """Also a method."""
    assert load("tests.replay.agents:Agent.answer") is agents.Agent.answer


@pytest.mark.parametrize("target", ["no_such_module:a", "tests.nowhere:a", "os:nobody", "os:sep"])
def test_a_target_that_names_nothing_is_unloadable(target):
    """Told apart from a module that fails."""
    with pytest.raises(Unloadable):
        load(target)


def test_a_module_that_imports_what_is_missing_is_not_unloadable(tmp_path, monkeypatch):
    """The module is there; it is broken."""
    (tmp_path / "broken_one.py").write_text("import no_such_library\n")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        load("broken_one:agent")


def test_sync_and_async_agents_are_worked_alike():
    """A coroutine is awaited."""

    def plain(task, tools, model):
        assert isinstance(tools, Tools)
        assert isinstance(model, Model)
        return task.run_id

    async def later(task, tools, model):
        await asyncio.sleep(0)
        return task.messages[0]["content"]

    task = {"run_id": "t", "base_url": "http://127.0.0.1:1/r/t", "messages": [{"content": "x"}]}
    with Loop() as loop:
        found = [work(plain, task, loop), work(later, task, loop)]

    assert found == ["t", "x"]


def test_answers_become_plain_json():
    """A text, or an Answer with what it claims."""
    assert answer_document("a") == {"text": "a"}
    assert answer_document(Answer("a", "failure", {"b": 1})) == {
        "text": "a", "outcome": "failure", "state": {"b": 1},
    }  # fmt: skip
    for wrong in (None, 5, Answer(5)):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="expected str or Answer"):
            answer_document(wrong)


def test_blame_names_type_and_place_only():
    """A message may hold trace text."""
    with pytest.raises(ValueError, match="secret") as error:
        agents.crashes(None, None, None)

    found = blame(error.value)

    assert found.startswith("ValueError at tests/replay/agents.py:")
    assert blame(KeyError("secret")) == "KeyError"


def test_blame_of_a_file_elsewhere_keeps_its_name_only(tmp_path, monkeypatch):
    """Absolute paths are of no use to others."""
    path = tmp_path / "elsewhere.py"
    path.write_text("def fail():\n    raise ValueError\n")
    scope: dict[str, object] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)  # noqa: S102
    with pytest.raises(ValueError) as error:  # noqa: PT011  it has no message
        scope["fail"]()  # type: ignore[operator]

    assert blame(error.value) == "ValueError at elsewhere.py:2"


def test_a_tool_error_says_outcome_and_detail():
    """What an agent's `except` prints."""
    error = ToolError("unknown", "timeout", {"status": 504})

    assert (str(error), error.error) == ("unknown: timeout", {"status": 504})
    assert str(ToolError("denied")) == "denied"


def test_a_client_without_a_gateway_fails_as_connection_error():
    """The agent sees what it would see of any dead server."""
    with pytest.raises(ConnectionError):
        Tools("http://127.0.0.1:1/r/t").call("a")


# --- the audit rule, without installing it --------------------------------------------


@pytest.fixture
def rule(tmp_path):
    """A rule that lets one port and one folder through."""
    told: list[str] = []
    found = AuditRule(port=8000, writable=[str(tmp_path)], tell=told.append)
    return found, told, tmp_path


@pytest.mark.parametrize(
    ("event", "args", "forbidden"),
    [
        ("socket.connect", (None, ("127.0.0.1", 8000)), False),
        ("socket.connect", (None, ("localhost", 8000)), False),
        ("socket.connect", (None, ("127.0.0.1", 8001)), True),
        ("socket.connect", (None, ("10.0.0.1", 8000)), True),
        ("socket.connect", (None, "/run/docker.sock"), True),
        ("socket.connect", (None, ()), True),
        ("socket.sendto", (None, None), False),
        ("socket.sendmsg", (None,), False),
        ("socket.getaddrinfo", ("example.invalid", 80, 0, 0, 0), True),
        ("socket.getaddrinfo", ("127.0.0.1", 80, 0, 0, 0), False),
        ("socket.getnameinfo", (("10.0.0.1", 80),), True),
        ("socket.gethostbyname", (), False),
        ("subprocess.Popen", ("ls", ["ls"], None, None), True),
        ("subprocess.Popen", ("uname", ["uname", "-p"], None, None), False),
        ("os.system", (b"ls",), True),
        ("open", ("/etc/passwd", "r", os.O_RDONLY), False),
        ("open", ("/etc/passwd", "w", os.O_WRONLY), True),
        ("open", (b"/etc/passwd", None, os.O_CREAT), True),
        ("open", (3, "w", os.O_WRONLY), False),
        ("open", (os.devnull, "w", os.O_WRONLY), False),
        ("open", ("x",), False),
        ("os.remove", ("/etc/passwd", -1), True),
        ("os.rename", ("/etc/a", "/etc/b", -1, -1), True),
        ("os.mkdir", (7, 0o777, -1), False),
        ("sqlite3.connect", (":memory:",), False),
        ("sqlite3.connect", ("/etc/db",), True),
        ("import", ("os",), False),
    ],
)
def test_what_the_audit_rule_forbids(rule, event, args, forbidden):
    """Only the gateway may be reached and only the scratch folder written."""
    assert rule[0].forbids(event, args) == forbidden


def test_the_mcp_server_of_the_replay_may_be_started():
    """Agents that spawn their MCP servers spawn ours, and nothing that only looks like it."""
    rule = AuditRule(port=1, writable=[], tell=print, harmless=MCP_COMMAND)

    same: list[object] = [list(MCP_COMMAND), MCP_COMMAND]
    others: list[object] = [[*MCP_COMMAND, "-c"], MCP_COMMAND[:2], " ".join(MCP_COMMAND)]
    for argv in same:
        assert not rule.forbids("subprocess.Popen", (MCP_COMMAND[0], argv, None, None))
    for argv in others:
        assert rule.forbids("subprocess.Popen", (MCP_COMMAND[0], argv, None, None))


def test_the_scratch_folder_may_be_changed(rule):
    """And no folder whose name only starts like it."""
    forbids, _, folder = rule[0].forbids, rule[1], rule[2]

    assert not forbids("open", (str(folder / "a"), "w", os.O_WRONLY))
    assert not forbids("os.rename", (folder / "a", folder / "b", -1, -1))
    assert forbids("os.rename", (folder / "a", "/etc/b", -1, -1))
    assert forbids("open", (f"{folder}-other/a", "w", os.O_WRONLY))


def test_a_refusal_is_told_and_raised(rule):
    """It derives from BaseException: `except Exception` must not swallow it."""
    check, told, _ = rule

    with pytest.raises(SideEffectBlocked):
        check("os.system", (b"ls",))
    check("import", ())

    assert told == ["os.system"]
    assert not issubclass(SideEffectBlocked, Exception)


# --- the process ------------------------------------------------------------------------


def a_child(argv, **fields):
    """Start a command under the supervisor."""
    spec = {"level": "none", "port": 1, "scratch": ".", "argv": argv, "target": ""}
    return Child(spec, environment=os.environ, **fields)


def until_closed(child):
    """Return all messages of a process."""
    found = []
    try:
        while (message := child.receive(10)) is not None:
            found.append(message)
    except Closed:
        return found
    pytest.fail("the process said nothing and did not end")


def test_a_process_says_its_level_first_and_ends_with_its_code():
    """The exit code is the agent's own."""
    child = a_child(["sh", "-c", "echo out; exit 7"])

    (greeting,) = until_closed(child)

    assert child.greeting(greeting).level == "none"
    assert child.wait(5) == 7
    assert child.end() == 7
    assert child.end() == 7  # ending twice is harmless
    assert child.output.tail() == b"out\n"


def test_no_message_in_time_is_none():
    """The caller looks at its limits and waits on."""
    child = a_child(["sleep", "60"])
    child.receive(10)

    assert child.receive(0.01) is None
    assert child.wait(0.01) is None
    assert child.end() == 128 + signal.SIGKILL


def test_a_command_that_cannot_be_executed_ends_with_127(tmp_path):
    """As a shell would say."""
    path = tmp_path / "agent"
    path.write_bytes(b"\x00not a program")
    path.chmod(0o755)
    child = a_child([str(path)])

    until_closed(child)

    assert child.wait(5) == 127
    child.end()


def test_a_killed_supervisor_takes_its_agent_along():
    """The agent's session is ended when its guard is gone."""
    child = a_child(["sleep", "60"])
    greeting = child.receive(10)
    assert greeting is not None
    child.greeting(greeting)

    os.kill(child._process.pid, signal.SIGKILL)
    child.end()

    deadline = time.monotonic() + 10
    while (alive := _is_alive(greeting["pid"])) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive


def test_a_supervisor_that_is_killed_at_once_has_no_agent_to_end():
    """It died before it could say which process the agent is."""
    child = a_child(["true"])

    os.kill(child._process.pid, signal.SIGKILL)

    assert child.end() in (0, -signal.SIGKILL)


def _is_alive(process):
    """Whether a process runs; one that only waits to be reaped by its parent does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_supervisor_that_does_not_end_is_killed(monkeypatch):
    """A stopped process must not stop us."""
    monkeypatch.setattr(child_module, "_END_S", 0.2)
    child = a_child(["sleep", "60"])
    greeting = child.receive(10)
    assert greeting is not None
    child.greeting(greeting)
    os.kill(child._process.pid, signal.SIGSTOP)

    assert child.end() == -signal.SIGKILL


def test_a_process_that_cannot_be_started_leaves_no_open_files(monkeypatch):
    """A long run must not run out of them."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")

    with pytest.raises(FileNotFoundError):
        a_child(["true"])

    assert len(list(Path("/proc/self/fd").iterdir())) <= before  # others may have closed some


@pytest.mark.parametrize("line", [b"{", b"[1]", b"[" * 100_000])
def test_a_message_that_is_none_ends_the_conversation(line):
    """A process that says such things is not ours any more."""
    with pytest.raises(Closed):
        child_module._message(line)


def test_a_reset_connection_is_the_end():
    """As a closed one."""
    child = a_child(["sleep", "60"])
    child.receive(10)
    ours, theirs = socket.socketpair()
    theirs.sendall(b"{}\n")
    ours.sendall(b"unread")
    theirs.close()  # with unread bytes: the other side is reset
    child._socket.close()
    child._socket = ours

    until_closed(child)
    child.end()


def test_two_coroutines_share_one_loop():
    """Clients of async agents live as long as the agent."""

    async def agent(task, tools, model):
        return str(id(asyncio.get_running_loop()))

    task = {"run_id": "t", "base_url": "http://127.0.0.1:1/r/t", "messages": []}
    with Loop() as loop:
        first, second = work(agent, task, loop), work(agent, task, loop)

    assert first == second


def test_files_that_come_with_a_message_are_closed_at_the_end():
    """Nobody may have taken them."""
    child = a_child(["true"])
    read, write = os.pipe()
    os.close(write)
    child.handles.append(read)

    child.end()

    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(read)


def test_install_adds_the_rule_to_the_interpreter(monkeypatch):
    """It cannot be taken away again, so nothing is really added here."""
    added: list[object] = []
    monkeypatch.setattr(sys, "addaudithook", added.append)
    rule = AuditRule(port=1, writable=[], tell=print)

    install(rule)

    assert added == [rule]


def test_a_platform_without_landlock_has_version_0(monkeypatch):
    """Not an error: the level reached says it."""

    def no_library(*_, **__):
        raise OSError

    monkeypatch.setattr(ctypes, "CDLL", no_library)

    assert kernel.landlock_abi() == 0


def test_the_text_that_starts_an_agent_names_what_is_there():
    """No checker reads a program that is a text."""
    assert f"from {start.__name__} import {start.main.__name__}; " in child_module._BOOT
