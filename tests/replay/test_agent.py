"""What a Python agent is given, against a real gateway."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading

import pytest

from tests.replay.builders import a_call, a_case, a_fixture, asks
from workbench.model.case import ANY_TIMES, Turn
from workbench.model.event import CallError, Claim, Outcome, Permission, StateChange
from workbench.replay.adapters.python_child import run
from workbench.replay.agent import Model, ModelError, ToolError, ToolRequest, Tools
from workbench.replay.gateway.http import serve
from workbench.replay.isolation.supervisor import Channel, Spec
from workbench.replay.trial import Trial

FIXTURES = (
    a_fixture(args={"a": 1}, result={"id": 7}),
    a_fixture("billing.pause", id="f2", args="{oops", outcome=Outcome.UNKNOWN, detail="timeout",
              error=CallError(status=504)),
    a_fixture("calc", id="f3", result="4", times=ANY_TIMES),
)  # fmt: skip


@pytest.fixture
def trial():
    """A trial behind a running gateway, and its base URL."""
    with serve() as server:
        turns = (
            asks(a_call("customer.lookup", {"a": 1}), text="Wait."),
            Turn(error=CallError(status=503)),
        )
        case = a_case(*turns, fixtures=FIXTURES)
        found = Trial(case, case.recorded, run_id="t")
        server.gateway.open(found)
        yield found, server.base_url("t")


def test_a_model_answers_texts_and_calls(trial):
    """The n-th request, with errors as recorded and the end of the script as an error."""
    model = Model(trial[1])

    reply = model.complete([{"role": "user", "content": "x"}], tools=["customer.lookup"])
    with pytest.raises(ModelError) as failed:
        model.complete([])
    with pytest.raises(ModelError) as ended:
        model.complete([])

    assert reply.text == "Wait."
    assert reply.tool_calls == (ToolRequest(id="c1", name="customer.lookup", args={"a": 1}),)
    assert (failed.value.status, ended.value.status) == (503, 424)
    assert isinstance(ended.value.body, dict)
    assert ended.value.body["error"]["type"] == "script_exhausted"


def test_a_tool_returns_its_result_or_raises(trial):
    """Other outcomes are exceptions, so that none is taken for a result."""
    tools = Tools(trial[1])

    result = tools.call("customer.lookup", a=1)
    with pytest.raises(ToolError) as late:
        tools.call_with("billing_pause", "{oops")
    with pytest.raises(ToolError) as refused:
        tools.call("billing.pause")

    assert result == {"id": 7}
    assert (late.value.outcome, late.value.detail, late.value.error) == (
        "unknown", "timeout", {"status": 504},
    )  # fmt: skip
    assert refused.value.outcome == "blocked"
    assert refused.value.error["nearest"] == "f2"


def test_a_model_is_shown_results_and_failures_as_text(trial):
    """Frameworks pass the model's own text on, and want a text back for it."""
    tools = Tools(trial[1])

    shown = [
        tools.call_for_model("customer.lookup", '{"a": 1}'),
        tools.call_for_model("customer_lookup", {"a": 1}),
        tools.call_for_model("billing.pause", "{oops"),
        tools.call_for_model("billing.get_operation", ""),
        tools.call_for_model("calc", {}),
    ]

    assert shown[0] == '{"id": 7}'
    assert [json.loads(text).get("outcome") for text in shown[1:4]] == [
        "missing_fixture",
        "unknown",
        "missing_fixture",
    ]
    assert shown[4] == "4"


def test_an_idle_connection_is_not_used_again(trial, monkeypatch):
    """The gateway may have closed it, and a request is never sent twice."""
    monkeypatch.setattr("workbench.replay.agent._REUSE_S", 0)
    tools = Tools(trial[1])

    assert tools.call("calc") == "4"
    assert tools.call("calc") == "4"


def test_an_answer_of_another_server_is_an_error(trial):
    """A run that is not served any more has no tools."""
    with pytest.raises(ToolError, match="permanent: http_404"):
        Tools(f"{trial[1]}x").call("customer.lookup")


def test_reports_reach_the_trace(trial):
    """Decisions, the state, and texts on the way."""
    tools = Tools(trial[1])

    tools.report(permission={"decision": "denied", "tool": "billing.pause"}, state={"plan": 1})
    tools.report(state={})
    tools.claim("Half done.")
    tools.claim("Done.", outcome="success")

    events = trial[0].finish().trace.events
    assert [type(e) for e in events[1:]] == [Permission, StateChange, Claim, Claim]


def test_a_report_that_is_refused_raises(trial):
    """With the reason, or the status when another server answers."""
    with pytest.raises(ValueError, match="granted, denied, asked"):
        Tools(trial[1]).report(permission={"decision": "perhaps"})
    with pytest.raises(ValueError, match="no run of that id"):
        Tools(f"{trial[1]}x").claim("a")


def test_a_server_that_breaks_off_is_a_connection_error():
    """Half an answer is none."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as request:
                # All of it: closing with a part unread would reset the connection instead.
                length = next(
                    int(line.partition(b":")[2])
                    for line in request
                    if line.lower().startswith(b"content-length:")
                )
                while request.readline().strip():
                    pass
                request.read(length)
                connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(ConnectionError, match="IncompleteRead"):
            Tools(f"http://127.0.0.1:{server.getsockname()[1]}/r/t").call("a")
        thread.join()


# --- the child's loop, in this process --------------------------------------------------


ALONE = """
import socket, sys
from workbench.replay.adapters.python_child import run
from workbench.replay.isolation.supervisor import Channel, Spec
spec = Spec(level="none", port=1, scratch=".", channel=-1, life=-1, argv=[], target=sys.argv[2])
sys.exit(run(spec, Channel(socket.socket(fileno=int(sys.argv[1]))), audited=False))
"""


def forked(target, *messages):
    """Run the child's loop in a process that may fork itself; return what it said."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        parent = Channel(ours)
        for message in messages:
            parent.send(message)
        ours.shutdown(socket.SHUT_WR)
        ended = subprocess.run(
            [sys.executable, "-c", ALONE, str(theirs.fileno()), target],
            pass_fds=[theirs.fileno()], timeout=60, check=False,
        )  # fmt: skip
        theirs.close()
        said = []
        while (message := parent.receive()) is not None:
            said.append(message)
    return ended.returncode, said


def test_the_child_forks_itself_for_each_trial():
    """A word begins a trial and a word ends it; in between come its tasks."""
    trial = [{"trial": "."}, a_task("a"), a_task("b"), {"end": True}]

    code, said = forked("tests.replay.agents:Agent.answer", {"noise": 1}, *trial, *trial)

    assert (code, said[0]) == (0, {"loaded": "shared"})
    texts = [m["answer"]["text"] if "answer" in m else m["ended"] for m in said[1:]]
    assert texts == ["1: a", "1: b", 0] * 2


def test_the_child_tells_how_a_forked_trial_ended():
    """With its exit code; 128 and more for a signal."""
    code, said = forked("tests.replay.agents:kills_itself", {"trial": "."}, a_task())

    assert (code, said) == (0, [{"loaded": "shared"}, {"ended": 137}])


def served(target, *tasks):
    """Run the child's loop on some tasks; return its exit code and what it said."""
    ours, theirs = socket.socketpair()
    spec = Spec(level="none", port=1, scratch=".", channel=-1, life=-1, argv=[], target=target)
    with ours, theirs:
        parent, child = Channel(ours), Channel(theirs)
        for number in range(len(tasks)):
            parent.send_with(tasks[number], None)
        ours.shutdown(socket.SHUT_WR)
        code = run(spec, child, audited=False, forks=False)
        theirs.shutdown(socket.SHUT_WR)
        said = []
        while (message := parent.receive()) is not None:
            said.append(message)
    return code, said


def a_task(content="x"):
    """Return a task as the parent sends it."""
    return {
        "run_id": "t",
        "base_url": "http://127.0.0.1:1/r/t",
        "messages": [{"role": "user", "content": content}],
    }


def test_the_child_answers_task_after_task():
    """Until the parent has no more."""
    code, said = served("tests.replay.agents:Agent.answer", a_task("a"), a_task("b"))

    assert code == 0
    assert said[0] == {"loaded": "alone"}
    assert [message["answer"]["text"] for message in said[1:]] == ["1: a", "1: b"]


@pytest.mark.parametrize(
    ("target", "failed", "where"),
    [
        ("tests.replay.agents:nobody", "unloadable", "no callable nobody in tests.replay.agents"),
        ("tests.replay.agents:crashes", "run", "ValueError at tests/replay/agents.py:"),
        ("tests.replay.agents:returns_number", "run", "TypeError"),
    ],
)
def test_the_child_says_how_an_agent_failed(target, failed, where):
    """Then it ends."""
    code, (*before, message) = served(target, a_task())

    assert before == ([] if failed == "unloadable" else [{"loaded": "alone"}])
    assert (code, message["failed"]) == (1, failed)
    assert message["where"].startswith(where)


def test_a_listening_socket_travels_with_a_message():
    """The gateway serves the agent's empty network by it."""
    ours, theirs = socket.socketpair()
    with ours, theirs, socket.socket() as listener:
        Channel(theirs).send_with({"level": "netns"}, listener.fileno())
        raw, handles, _, _ = socket.recv_fds(ours, 100, 2)

    assert raw == b'{"level": "netns"}\n'
    with socket.socket(fileno=handles[0]) as received:
        assert received.fileno() >= 0
