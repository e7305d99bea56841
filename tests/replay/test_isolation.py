"""What each level of isolation stops, tried by an agent that tries everything."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.replay.builders import a_case
from workbench.errors import InputError
from workbench.model.event import Claim
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.gateway.http import serve
from workbench.replay.isolation import supervisor
from workbench.replay.isolation.kernel import landlock_abi
from workbench.replay.isolation.levels import Level, parse_level
from workbench.replay.issues import IssueKind
from workbench.replay.trial import Limits

REFUSED = "SideEffectBlocked"
ALL, WALLS = (Level.AUDIT, Level.LANDLOCK, Level.NETNS), (Level.LANDLOCK, Level.NETNS)
UNHOOKED = {"ctypes_file", "ctypes_tcp", "ctypes_udp"}
TABLE = {
    # probe: what it tries, what stops a Python agent, what stops any other command
    "tcp": ("connect by TCP", ALL, WALLS),
    "udp": ("send a datagram (UDP)", ALL, (Level.NETNS,)),
    "dns": ("ask a name server (DNS)", ALL, (Level.NETNS,)),
    "http": ("fetch a page (urllib)", ALL, WALLS),
    "curl": ("fetch a page (curl, a subprocess)", ALL, WALLS),
    "subprocess": ("start a subprocess", ALL, ()),
    "file": ("write a file", ALL, WALLS),
    "remove": ("remove a file", ALL, WALLS),
    "sqlite": ("write an SQLite database", ALL, WALLS),
    "ctypes_file": ("write a file by native code (ctypes)", WALLS, WALLS),
    "ctypes_tcp": ("connect by native code (ctypes; gRPC in `make clients`)", WALLS, WALLS),
    "ctypes_udp": ("send a datagram by native code (ctypes)", (Level.NETNS,), (Level.NETNS,)),
}
"""A probe that a level does not stop gets through it; docs/agents.md shows this very table."""

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "agents.md"


def stopped_by(name, level, *, command=False):
    """Whether the table says that a level stops a probe."""
    return level in TABLE[name][2 if command else 1]


def as_markdown():
    """Return the table as the documentation shows it."""
    levels = [f"`{level}`" for level in (*ALL, *WALLS)]
    lines = [
        f"| what an agent tries | Python: {' | '.join(levels[:3])} | any command: {' | '.join(levels[3:])} |",
        "|---" * 6 + "|",
    ]
    for what, python, command in TABLE.values():
        marks = [level in python for level in ALL] + [level in command for level in WALLS]
        lines.append(f"| {what} | {' | '.join('stopped' if m else '-' for m in marks)} |")
    return "\n".join(lines)


def test_the_documented_table_is_the_one_that_is_tried_out():
    """A promise that is not tested is not documented, and the other way round."""
    shown = DOCUMENT.read_text("utf-8").split("<!-- isolation: begin -->")[1]

    assert shown.split("<!-- isolation: end -->")[0].strip() == as_markdown()


@contextmanager
def a_world(tmp_path, monkeypatch):
    """Offer a folder and listeners that a replay must not touch; yield the UDP one."""
    (tmp_path / "old").write_text("x")
    with (
        socket.create_server(("127.0.0.1", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        udp.settimeout(0.3)
        monkeypatch.setenv("PROBE_PORT", str(port))
        monkeypatch.setenv("PROBE_DIR", str(tmp_path))
        yield udp


def probed(level, agent="python:tests.replay.agents:probe"):
    """Return how each probe ended, and the trial."""
    case = a_case()
    setting = Setting(limits=Limits(seconds=30), isolate=level)
    with serve() as server:
        found = drive(
            case,
            case.recorded,
            agent=parse_agent(agent),
            server=server,
            run_id="t",
            setting=setting,
        )
    (text,) = [e.text for e in found.record.trace.events if isinstance(e, Claim)]
    return dict(word.split("=") for word in text.split()), found


def check_world(tmp_path, ended, datagrams, *, level, command):
    """Compare what got through with the table, by what arrived and not by what was said."""
    through = {name for name, word in ended.items() if word == "done"}
    expected = {name for name in TABLE if not stopped_by(name, level, command=command)}
    unsure = {"dns", "http"}  # no name server and no web server is there
    sent = {"udp", "ctypes_udp"}  # what was sent need not arrive
    assert through - unsure - sent == expected - unsure - sent
    assert bool(datagrams) == bool(expected & sent)
    written = {path.name for path in tmp_path.iterdir()}
    assert ("native" in written) == ("ctypes_file" in expected)
    assert ("file" in written) == ("file" in expected)
    assert ("old" in written) == ("remove" not in expected)


def received(udp):
    """Return a datagram that arrived, if one did."""
    try:
        return udp.recv(100)
    except TimeoutError:
        return b""


needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")


@needs_curl
@pytest.mark.parametrize("level", list(Level))
def test_what_each_level_stops(level, tmp_path, monkeypatch):
    """The table of the documentation, tried out; a machine that forbids a level says so."""
    with a_world(tmp_path, monkeypatch) as udp:
        ended, found = probed(level)
        datagrams = received(udp)

    reached = found.reached.level
    if reached is not level:
        pytest.skip(f"this machine reaches {reached} only: {found.reached.note}")
    check_world(tmp_path, ended, datagrams, level=level, command=False)


@needs_curl
@pytest.mark.parametrize("level", [Level.NONE, *WALLS])
def test_what_each_level_stops_of_a_command(level, tmp_path, monkeypatch):
    """No hook of ours is in a command; the kernel is the only wall, and children inherit it."""
    with a_world(tmp_path, monkeypatch) as udp:
        ended, found = probed(
            level, agent=f"cmd:{shlex.join([sys.executable, '-m', 'tests.replay.agents'])}"
        )
        datagrams = received(udp)

    reached = found.reached.level
    if reached is not level:
        pytest.skip(f"this machine reaches {reached} only: {found.reached.note}")
    check_world(tmp_path, ended, datagrams, level=level, command=True)


@pytest.mark.parametrize("level", [Level.AUDIT, Level.LANDLOCK, Level.NETNS])
def test_what_python_tries_is_refused_and_named(level, tmp_path, monkeypatch):
    """The audit hook diagnoses: each refused event is a hard violation."""
    with a_world(tmp_path, monkeypatch):
        ended, found = probed(level)

    named = {name for name, word in ended.items() if word == REFUSED}
    assert named == set(TABLE) - UNHOOKED
    kinds = {issue.kind for issue in found.record.issues}
    assert kinds == {IssueKind.SIDE_EFFECT_BLOCKED}


def test_nothing_is_named_without_isolation(tmp_path, monkeypatch):
    """The report says that nothing held the agent back."""
    with a_world(tmp_path, monkeypatch):
        _, found = probed(Level.NONE)

    assert found.record.issues == ()
    assert found.reached.note == "nothing holds the agent back"


def test_commands_are_held_by_the_kernel_only(tmp_path):
    """A shell script knows no audit hook; the wall is the same."""
    target = tmp_path / "file"
    agent = f"cmd:sh -c 'echo x > {target}; echo a=b'"

    _, found = probed(None, agent=agent)
    if landlock_abi():
        assert found.reached.level.reaches(Level.LANDLOCK)
        assert not target.exists()
    _, weak = probed(Level.AUDIT, agent=agent)

    assert weak.reached.level is Level.NONE
    assert target.exists()  # by the second only


def test_levels_are_ordered_and_read():
    """`auto` takes the strongest there is."""
    assert parse_level("auto") is None
    assert parse_level("landlock") is Level.LANDLOCK
    assert Level.NETNS.reaches(Level.AUDIT)
    assert not Level.AUDIT.reaches(Level.LANDLOCK)


def test_an_unknown_level_is_a_usage_error():
    """With the words that are known."""
    with pytest.raises(InputError, match="expected one of auto, netns, landlock, audit, none"):
        parse_level("docker")


def a_spec(level, argv=()):
    """Return what the supervisor is told."""
    return supervisor.Spec(
        level=level, port=1, scratch="scratch", channel=-1, life=-1, argv=list(argv), target=""
    )


def reach(monkeypatch, level, *, network, abi, argv=(), fails=False):
    """Set up isolation on a machine that allows what is said; nothing real happens."""
    entered = []

    def restrict(**_):
        if fails:
            raise OSError
        return abi

    monkeypatch.setattr(supervisor, "_network_can_be_left", lambda: network)
    monkeypatch.setattr(supervisor, "enter_empty_network", lambda: entered.append(1))
    monkeypatch.setattr(socket, "create_server", lambda *_, **__: socket.socket(socket.AF_INET))
    monkeypatch.setattr(supervisor, "landlock_abi", lambda: abi)
    monkeypatch.setattr(supervisor, "restrict", restrict)
    told = []
    level = supervisor.reach(a_spec(level, argv), lambda *message: told.append(message))
    ((document, handle),) = told
    if handle is not None:
        os.close(handle)
    assert document["level"] == level
    return level, document["note"], bool(entered)


@pytest.mark.parametrize(
    ("wanted", "machine", "expected"),
    [
        ("auto", {"network": True, "abi": 7}, ("netns", "empty network, Landlock ABI 7, audit hook", True)),
        ("auto", {"network": False, "abi": 3}, ("landlock", "Landlock ABI 3, audit hook", False)),
        ("auto", {"network": False, "abi": 0}, ("audit", "audit hook", False)),
        ("auto", {"network": True, "abi": 0}, ("netns", "empty network, audit hook", True)),
        ("auto", {"network": False, "abi": 7, "fails": True}, ("audit", "audit hook", False)),
        ("netns", {"network": False, "abi": 7}, ("landlock", "Landlock ABI 7, audit hook", False)),
        ("landlock", {"network": True, "abi": 7}, ("landlock", "Landlock ABI 7, audit hook", False)),
        ("audit", {"network": True, "abi": 7}, ("audit", "audit hook", False)),
        ("none", {"network": True, "abi": 7}, ("none", "nothing holds the agent back", False)),
        ("auto", {"network": False, "abi": 0, "argv": ["sh"]}, ("none", "nothing holds the agent back", False)),
        ("auto", {"network": False, "abi": 7, "argv": ["sh"]}, ("landlock", "Landlock ABI 7", False)),
    ],
)  # fmt: skip
def test_machines_that_forbid_a_level_fall_back_and_say_so(monkeypatch, wanted, machine, expected):
    """Containers forbid one or both; the level reached is always reported."""
    assert reach(monkeypatch, wanted, **machine) == expected


KILLED_RUN = """
import sys
sys.path.insert(0, ".")
from tests.replay.builders import a_case
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.gateway.http import serve
from workbench.replay.isolation.levels import Level
case = a_case()
with serve() as server:
    drive(
        case,
        case.recorded,
        agent=parse_agent("cmd:sh " + sys.argv[1]),
        server=server,
        run_id="t",
        setting=Setting(isolate=Level.NONE),
    )
"""


def test_a_killed_run_leaves_no_agent(tmp_path):
    """The supervisor ends the agent as soon as its pipe closes, so also when we are killed.

    Then nobody but the supervisor can remove the agent's folder.
    """
    marker, agent = tmp_path / "pid", tmp_path / "agent.sh"
    agent.write_text(f"echo $$ > {marker}.part; mv {marker}.part {marker}; sleep 600")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    run = subprocess.Popen([sys.executable, "-c", KILLED_RUN, str(agent)], env=environment)
    deadline = time.monotonic() + 30
    while not marker.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process = Path("/proc", marker.read_text().strip())
    assert process.exists()
    assert list(scratch.iterdir())

    run.kill()
    run.wait()

    while (process.exists() or list(scratch.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not process.exists()
    assert list(scratch.iterdir()) == []
