"""Agents in child processes: what they answer, how they fail, and that nothing is left."""

from __future__ import annotations

import os
import shlex
import socket
import sys
import time
from pathlib import Path

import pytest

from tests.replay.builders import a_call, a_case, a_fixture, asks
from workbench.errors import InputError
from workbench.model.case import CaseInput, Turn
from workbench.model.event import CallError, Claim, ClaimOutcome, Outcome, ToolCall, ToolResult
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.gateway.http import serve
from workbench.replay.isolation.levels import Level
from workbench.replay.issues import IssueKind
from workbench.replay.trial import Limits

LOOKUP = asks(a_call("customer.lookup", {"a": 1}))
DONE = Turn(text="All done.", outcome=ClaimOutcome.SUCCESS)
FIXTURE = a_fixture(args={"a": 1}, result={"id": 7})
QUICK = Setting(limits=Limits(model_calls=20, seconds=20), isolate=Level.AUDIT)
SHORT = Setting(limits=Limits(seconds=1), isolate=Level.NONE)


@pytest.fixture(scope="module")
def server():
    """One gateway for all trials, as in a run."""
    with serve() as running:
        yield running


def driven(server, agent, *turns, setting=QUICK, **fields):
    """Drive an agent of `tests.replay.agents` through a path."""
    case = a_case(*turns, **{"fixtures": (FIXTURE,), **fields})
    spec = parse_agent(agent if ":" in agent else f"python:tests.replay.agents:{agent}")
    return drive(case, case.recorded, agent=spec, server=server, run_id="t 1", setting=setting)


def claims(found):
    """Return the texts and outcomes shown."""
    return [(e.text, e.outcome) for e in found.record.trace.events if isinstance(e, Claim)]


def issues(found):
    """Return kinds and sentences."""
    return [(issue.kind, issue.sentence) for issue in found.record.issues]


def script(tmp_path, text):
    """Return the spec of a Python program as a command."""
    path = tmp_path / "agent.py"
    path.write_text(text)
    return f"cmd:{shlex.join([sys.executable, str(path)])}"


@pytest.mark.parametrize("agent", ["loop", "async_loop"])
def test_an_agent_carries_the_script(server, agent):
    """Sync or async, through the gateway, with fixtures as the only answers."""
    found = driven(server, agent, LOOKUP, DONE)

    assert claims(found) == [("All done.", ClaimOutcome.SUCCESS)]
    assert issues(found) == []
    assert found.record.answered == 1


def test_an_agent_is_called_again_with_the_history(server):
    """Every user turn of the case, also the calls that led there stay its own business."""
    found = driven(server, "Agent.answer", DONE, Turn(user="and now?"), DONE)

    assert claims(found) == [
        ("1: Pause my plan", ClaimOutcome.UNRESOLVED),
        ("3: and now?", ClaimOutcome.UNRESOLVED),
    ]


def test_last_words_that_nobody_answered_are_not_put_to_the_agent(server):
    """Real conversations end with a person's thanks; the script has no reply to it."""
    found = driven(server, "loop", DONE, Turn(user="Thanks!"))

    assert issues(found) == []
    assert found.record.trace.events[-1].kind == "user_message"


def test_calls_in_threads_overlap(server):
    """The trace must show that the code did not wait."""
    turn = asks(a_call("customer.lookup", {"a": 1}), a_call("calc", call_id="c2"))

    found = driven(server, "parallel", turn, DONE, fixtures=(FIXTURE, a_fixture("calc", id="f2")))

    kinds = [type(e) for e in found.record.trace.events if isinstance(e, ToolCall | ToolResult)]
    assert kinds == [ToolCall, ToolCall, ToolResult, ToolResult]


def test_a_live_tool_of_its_own_is_caught(server):
    """Something real may have run."""
    found = driven(server, "live_tool", LOOKUP, DONE)

    assert [kind for kind, _ in issues(found)] == [IssueKind.UNOBSERVED_TOOL]


def test_code_that_stops_a_call_raises_nothing(server):
    """The cure of a `fix: code` case."""
    found = driven(server, "denies", asks(a_call("billing.pause")), DONE)

    assert issues(found) == []
    assert claims(found) == [
        ("Still open.", ClaimOutcome.UNRESOLVED),
        ("I could not do that.", ClaimOutcome.FAILURE),
    ]
    (result,) = [e for e in found.record.trace.events if isinstance(e, ToolResult)]
    assert (result.outcome, result.detail) == (Outcome.DENIED, "denied_by_agent")


def test_a_wrong_report_says_what_was_expected(server):
    """A slip in an agent's own code has to be found by its author."""
    found = driven(server, "wrong_report")

    ((text, _),) = claims(found)
    assert "expected one of granted, denied, asked" in text


def test_recorded_model_errors_reach_the_agent(server):
    """Status, headers and body as recorded; the retry gets the next reply."""
    error = CallError(status=503, headers={"retry-after": "2", "content-length": "99"}, message="x")

    found = driven(server, "catches_model_error", Turn(error=error), Turn(text="again"))

    assert claims(found)[0][0] == "503 2 again"


def test_keys_and_proxies_are_removed(server, monkeypatch):
    """A replay must not be able to pay for anything."""
    for name in ("OPENAI_API_KEY", "SECRET_API_KEY", "HTTPS_PROXY", "AWS_REGION", "KEPT"):
        monkeypatch.setenv(name, "real")

    found = driven(server, "environment")

    assert claims(found)[0][0] == (
        "OPENAI_API_KEY=replay SECRET_API_KEY=None HTTPS_PROXY=None AWS_REGION=None KEPT=real"
    )


def test_the_folder_for_temporary_files_may_be_written(server):
    """Libraries need one; it goes with the trial."""
    found = driven(server, "writes_scratch")

    assert (claims(found)[0][0], issues(found)) == ("fine", [])


def test_a_crash_is_inconclusive_and_its_message_stays_secret(server):
    """Type and place help the author; a message may hold trace text."""
    found = driven(server, "crashes")

    ((kind, sentence),) = issues(found)
    assert kind is IssueKind.AGENT_ERROR
    assert "ValueError at tests/replay/agents.py:" in sentence
    assert "secret" not in sentence


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("exits", "it failed with SystemExit"),
        ("returns_number", "it failed with TypeError"),
        ("bad_outcome", "no word of the closed list"),
        ("kills_itself", "ended with code 137 before it answered"),
        ("floods", "printed without end"),
        ("breaks_the_channel", "before it answered"),
    ],
)
def test_an_agent_that_fails_is_inconclusive(server, agent, expected):
    """However it fails: never green, never a hang."""
    found = driven(server, agent, LOOKUP, DONE)

    ((kind, sentence),) = issues(found)
    assert kind is IssueKind.AGENT_ERROR
    assert expected in sentence


def test_garbage_on_its_streams_does_no_harm(server):
    """Standard output of a Python agent belongs to it."""
    found = driven(server, "garbage")

    assert (claims(found)[0][0], issues(found)) == ("fine", [])


def test_connections_dropped_half_way_do_no_harm(server):
    """The gateway serves on."""
    found = driven(server, "closes_half_way", LOOKUP, DONE)

    assert claims(found) == [("All done.", ClaimOutcome.SUCCESS)]


def test_an_agent_that_asks_for_ever_is_stopped(server):
    """The limit lives in the gateway, whatever the client does."""
    found = driven(server, "asks_for_ever", DONE)

    kinds = [kind for kind, _ in issues(found)]
    assert kinds == [IssueKind.SCRIPT_EXHAUSTED, IssueKind.MODEL_CALL_LIMIT]


@pytest.mark.parametrize("agent", ["hangs", "ignores_signals"])
def test_an_agent_that_never_answers_is_stopped_in_time(server, agent):
    """A trial ends at its limit."""
    started = time.monotonic()

    found = driven(server, agent, setting=SHORT)

    assert [kind for kind, _ in issues(found)] == [IssueKind.TIME_LIMIT]
    assert time.monotonic() - started < 30


def test_nothing_is_left_behind():
    """A daemon that left session and group is found and ended with its trial."""
    others = set(_descendants(os.getpid()))
    with serve() as server:
        found = driven(server, "leaves_children", setting=Setting(isolate=Level.NONE))
        agent = int(claims(found)[0][0].rpartition(" ")[2])
        (supervisor,) = set(_descendants(os.getpid())) - others
        (loaded,) = _descendants(supervisor)  # it waits for the next trial
        left = _descendants(loaded)

    assert not Path(f"/proc/{agent}").exists()
    assert left == []
    assert set(_descendants(os.getpid())) <= others


def _descendants(process):
    """Return the processes below one."""
    text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(word) for word in text.split()]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("tests.replay.nowhere:agent", "no module tests.replay.nowhere"),
        ("tests.replay.agents:nobody", "no callable nobody in tests.replay.agents"),
        ("tests.replay.agents:NOT_CALLABLE", "no callable NOT_CALLABLE"),
    ],
)
def test_an_agent_that_is_not_there_is_a_usage_error(server, target, expected):
    """A slip in `--agent` must not look like a case that cannot be decided."""
    with pytest.raises(InputError, match=expected):
        driven(server, f"python:{target}")


def test_a_module_that_fails_to_import_is_the_agents_error(server, tmp_path, monkeypatch):
    """It is there, and it is broken."""
    (tmp_path / "broken_module.py").write_text("import no_such_library\n")
    monkeypatch.chdir(tmp_path)

    found = driven(server, "python:broken_module:agent")

    assert "it failed with ModuleNotFoundError at broken_module.py:1" in issues(found)[0][1]


COMMAND = """
import json, os, sys, urllib.request
task = json.loads(sys.stdin.readline())
assert sys.stdin.read() == ""
def post(path, body):
    request = urllib.request.Request(os.environ["REPLAY_BASE_URL"] + path, json.dumps(body).encode())
    return json.load(urllib.request.urlopen(request))
messages = task["messages"]
while True:
    reply = post("/model", {"messages": messages, "tools": ["customer_lookup"]})
    if not reply["tool_calls"]:
        break
    for call in reply["tool_calls"]:
        assert call["name"] == "customer_lookup", call
        post("/tools/" + call["name"], call["args"])
print("noise")
print(json.dumps({"text": reply["text"], "outcome": "failure"}))
"""


def test_a_command_answers_with_its_last_line(server, tmp_path):
    """Any language: a JSON line in, plain HTTP on the way, the last line out."""
    agent = script(tmp_path, COMMAND)

    found = driven(server, agent, LOOKUP, DONE, Turn(user="again"), LOOKUP, DONE,
                   fixtures=(a_fixture(args={"a": 1}, times=0),))  # fmt: skip

    assert claims(found) == [("All done.", ClaimOutcome.FAILURE)] * 2
    assert issues(found) == []


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("print('  plain text  ')", "plain text"),
        ("print('[1]')", "[1]"),
        ("print('{\"a\": 1}')", '{"a": 1}'),
        ("print('a'); print(); print()", "a"),
        ("print('[' * 100_000)", "[" * 100_000),
    ],
)
def test_a_last_line_that_is_no_answer_document_is_the_text(server, tmp_path, program, expected):
    """Shell scripts just print."""
    found = driven(server, script(tmp_path, program))

    assert claims(found)[0][0] == expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("", "it printed no answer"),
        ("print('x'); raise SystemExit(3)", "it ended with exit code 3"),
        ("import os; os.abort()", "it ended with exit code 134"),
        ("import sys; sys.stdout.buffer.write(b'\\xff\\xfe')", "not UTF-8"),
        ("print('{\"text\": 5}')", "something that is no text"),
        ('print(\'{"text": "a", "state": 5}\')', "something that is no text"),
        ("while True: print('x' * 60000)", "printed without end"),
    ],
)
def test_a_command_that_fails_is_inconclusive(server, tmp_path, program, expected):
    """Exit codes, silence and binary are no answers."""
    found = driven(server, script(tmp_path, program))

    ((kind, sentence),) = issues(found)
    assert kind is IssueKind.AGENT_ERROR
    assert expected in sentence


def test_a_command_that_never_reads_its_input_does_not_block_us(server, tmp_path):
    """A task larger than a pipe must not hang the trial."""
    message = {"role": "user", "content": "x" * 300_000}
    task = CaseInput(messages=(message,))  # type: ignore[arg-type]

    found = driven(server, script(tmp_path, "print('a')"), input=task)

    assert claims(found)[0][0] == "a"


def test_a_command_that_closes_its_streams_and_hangs_is_stopped(server, tmp_path):
    """The end of its output is not the end of the agent."""
    program = "import os, time\nfor h in (0, 1, 2): os.close(h)\ntime.sleep(600)"

    found = driven(server, script(tmp_path, program), setting=SHORT)

    assert [kind for kind, _ in issues(found)] == [IssueKind.TIME_LIMIT]


def test_the_port_is_free_again_after_a_run():
    """No listener stays behind."""
    with serve() as running:
        port = running.port

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=2)
