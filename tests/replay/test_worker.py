"""Processes that stay: a line in and a line out for each task, and a new one after a failure."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.replay.builders import a_call, a_case, a_fixture, asks
from workbench.model.case import Turn
from workbench.model.event import Claim, ClaimOutcome
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.adapters.specs import AgentKind, parse_agent
from workbench.replay.adapters.streams import Lines
from workbench.replay.gateway.http import serve
from workbench.replay.isolation.levels import Level
from workbench.replay.issues import IssueKind
from workbench.replay.trial import Limits

LOOKUP = asks(a_call("customer.lookup", {"a": 1}))
DONE = Turn(text="All done.", outcome=ClaimOutcome.SUCCESS)
FIXTURE = a_fixture(args={"a": 1}, result={"id": 7}, times=0)
QUICK = Setting(limits=Limits(seconds=20), isolate=Level.AUDIT)
SHORT = Setting(limits=Limits(seconds=1), isolate=Level.AUDIT)

WORKER = """
import json, os, sys, urllib.request
def post(base, path, body):
    request = urllib.request.Request(base + path, json.dumps(body).encode())
    return json.load(urllib.request.urlopen(request))
def work(base, messages):
    while (reply := post(base, "/model", {"messages": messages}))["tool_calls"]:
        for call in reply["tool_calls"]:
            post(base, "/tools/" + call["name"], call["args"])
    return reply["text"]
print("a library says hello")
for n, line in enumerate(sys.stdin):
    task = json.loads(line)
    text = work(URL, task["messages"])
    answer = {"run_id": task["run_id"], "text": text, "state": {"n": n, "pid": os.getpid()}}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def server():
    """A gateway; its workers end with it."""
    with serve() as running:
        yield running


def spec(tmp_path, program):
    """Return a Python program as a worker."""
    path = tmp_path / "worker.py"
    path.write_text(program)
    return parse_agent(f"worker:{shlex.join([sys.executable, str(path)])}")


def driven(server, agent, *turns, run="t", setting=QUICK):
    """Drive a worker through a path."""
    case = a_case(*turns, fixtures=(FIXTURE,))
    return drive(case, case.recorded, agent=agent, server=server, run_id=run, setting=setting)


def claims(found):
    """Return the texts shown."""
    return [event.text for event in found.record.trace.events if isinstance(event, Claim)]


def issues(found):
    """Return kinds and sentences."""
    return [(issue.kind, issue.sentence) for issue in found.record.issues]


def state(found, name):
    """Return what the agent reported last of `name`."""
    return [e.after for e in found.record.trace.events if getattr(e, "name", "") == name][-1]


@pytest.mark.parametrize("url", ['task["base_url"]', 'os.environ["REPLAY_BASE_URL"]'])
def test_one_process_serves_many_trials(server, tmp_path, url):
    """Both the task's own URL and that of the environment lead to the trial that runs now."""
    agent = spec(tmp_path, WORKER.replace("URL", url))

    first = driven(server, agent, LOOKUP, DONE, Turn(user="again"), DONE, run="t1")
    second = driven(server, agent, LOOKUP, DONE, run="t2")

    assert (claims(first), claims(second)) == (["All done."] * 2, ["All done."])
    assert (issues(first), issues(second)) == ([], [])
    assert (first.record.answered, second.record.answered) == (1, 1)
    assert state(first, "pid") == state(second, "pid")
    assert state(second, "n") == 2
    assert second.reached == first.reached


def test_a_worker_ends_with_the_server(tmp_path):
    """Nothing is left of it, its folder included."""
    program = WORKER.replace("URL", 'task["base_url"]').replace(
        "os.getpid()", '[os.getpid(), os.environ["TMPDIR"]]'
    )
    with serve() as server:
        found = driven(server, spec(tmp_path, program), DONE)
        process, folder = state(found, "pid")
        assert Path(f"/proc/{process}").exists()
        assert Path(folder).exists()

    assert not Path(f"/proc/{process}").exists()
    assert not Path(folder).exists()
    assert Path(f"/proc/self/task/{os.getpid()}/children").read_text() == ""


FAILING = """
import json, os, signal, sys, time
for line in sys.stdin:
    task = json.loads(line)
    say = lambda **more: print(json.dumps({"run_id": task["run_id"], **more}), flush=True)
    if task["run_id"] == "t2":
        say(text="fine")
    FAIL
"""


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        ("raise SystemExit(3)", "ended with code 3 before it answered"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "ended with code 137"),
        ("while task['run_id'] == 't1': print('x' * 60_000)", "printed without end"),
        ("while task['run_id'] == 't1': os.write(2, b'x' * 60_000)", "printed without end"),
        ('print(\'{"text": "no id"}\', flush=True)', "has no `run_id`"),
        ("say(text=5)", "something that is no text"),
        ("say(text='a', outcome='great')", "no word of the closed list"),
    ],
)
def test_a_worker_that_fails_is_inconclusive_and_the_next_trial_has_a_new_one(
    server, tmp_path, failure, expected
):
    """Never green, never a hang, and one bad case does not spoil the others."""
    agent = spec(tmp_path, FAILING.replace("FAIL", failure))

    first = driven(server, agent, run="t1")
    second = driven(server, agent, run="t2")

    ((kind, sentence),) = issues(first)
    assert kind is IssueKind.AGENT_ERROR
    assert expected in sentence
    assert (claims(second), issues(second)) == (["fine"], [])


@pytest.mark.parametrize(
    "program",
    [
        "import time; time.sleep(600)",
        "import sys, time\nsys.stdin.readline()\nprint('hm', [1], flush=True)\ntime.sleep(600)",
        'import sys, time\nsys.stdin.readline()\nprint(\'{"run_id": "other", "text": "late"}\', flush=True)\ntime.sleep(600)',
        "import os, time\nfor h in (0, 2): os.close(h)\ntime.sleep(600)",
    ],
)
def test_a_worker_that_does_not_answer_is_stopped_in_time(server, tmp_path, program):
    """Noise, and answers to other runs, are no answer."""
    found = driven(server, spec(tmp_path, program), setting=SHORT)

    assert [kind for kind, _ in issues(found)] == [IssueKind.TIME_LIMIT]
    assert claims(found) == []


def test_a_worker_may_say_as_much_in_every_trial(server, tmp_path):
    """A flood is one within a trial; the sum of a thousand trials is none."""
    program = FAILING.replace("FAIL", "print('x' * 40_000_000); say(text='fine')")
    agent = spec(tmp_path, program.replace("== 't2'", "== ''"))

    found = [driven(server, agent, run=f"t{n}") for n in (1, 3)]

    assert [issues(f) for f in found] == [[], []]


def test_a_process_that_does_not_start_is_inconclusive(server, tmp_path, monkeypatch):
    """A machine that is full, say."""
    agent = spec(tmp_path, "")
    monkeypatch.setattr(sys, "executable", "/bin/true")

    found = driven(server, agent)

    assert issues(found) == [(IssueKind.AGENT_ERROR, "its process did not start")]
    assert found.reached.note == "the agent did not start"


def test_lines_that_nobody_asked_for_are_dropped():
    """A second answer to the first turn must not answer the second turn."""
    lines = Lines()
    lines.take(b"right\ntwi")
    lines.take(b"ce\n")

    assert lines.next(0) == b"right"
    lines.drop()
    lines.take(b"last")
    lines.end()
    assert lines.next(0) == b"last"
    lines.drop()
    assert lines.next(0) is None


def test_a_worker_that_closes_its_output_is_not_waited_for(server, tmp_path):
    """No answer can come any more."""
    program = "import os, sys, time\nsys.stdin.readline()\nos.close(1)\ntime.sleep(600)"

    found = driven(server, spec(tmp_path, program))

    ((kind, sentence),) = issues(found)
    assert (kind, sentence) == (
        IssueKind.AGENT_ERROR, "its process closed its output before it answered",
    )  # fmt: skip


def test_the_kinds_of_a_spec():
    """One word each."""
    assert parse_agent("worker:sh -c x").kind is AgentKind.WORKER
    assert parse_agent("mcp:sh").kind is AgentKind.MCP
    assert parse_agent("cmd:sh").kind is AgentKind.CMD
    assert parse_agent("python:a:b").kind is AgentKind.PYTHON
