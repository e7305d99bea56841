"""Agents for tests: right ones, wrong ones, and hostile ones; run in child processes."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workbench.replay.agent import Answer, ModelError, ToolError

NOT_CALLABLE = 3


def loop(task, tools, model):
    """Do what the model asks and say what it says."""
    messages = list(task.messages)
    while (reply := model.complete(messages)).tool_calls:
        for call in reply.tool_calls:
            try:
                content = tools.call_with(call.name, call.args)
            except ToolError as error:
                content = {"error": error.error, "outcome": error.outcome}
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return reply.text


async def async_loop(task, tools, model):
    """Do the same as a coroutine."""
    return loop(task, tools, model)


class Agent:
    """Agents may be methods."""

    @staticmethod
    def answer(task, tools, model):
        """Say what was said last."""
        return Answer(
            f"{len(task.messages)}: {task.messages[-1]['content']}", "unresolved", {"n": 1}
        )


def parallel(task, tools, model):
    """Carry out the calls of one reply at the same time."""
    reply = model.complete(task.messages)
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda call: tools.call_with(call.name, call.args), reply.tool_calls))
    return model.complete(task.messages).text


def live_tool(task, tools, model):
    """Use a tool of its own instead of the case's."""
    reply = model.complete(task.messages)
    results = [
        {"role": "tool", "tool_call_id": call.id, "content": {"status": "done"}}
        for call in reply.tool_calls
    ]
    return model.complete([*task.messages, *results]).text


def denies(task, tools, model):
    """Stop every call and report it."""
    reply = model.complete(task.messages, tools=[{"name": "billing.pause"}])
    for call in reply.tool_calls:
        tools.report(permission={"decision": "denied", "tool": call.name}, state={"plan": "open"})
    tools.claim("Still open.", outcome="unresolved")
    return Answer("I could not do that.", "failure")


def wrong_report(task, tools, model):
    """Report something that is no event."""
    try:
        tools.report(permission={"decision": "perhaps"})
    except ValueError as error:
        return str(error)
    return "accepted"


def catches_model_error(task, tools, model):
    """Say which status a failed request had, then retry once."""
    try:
        return model.complete(task.messages).text
    except ModelError as error:
        return f"{error.status} {error.headers.get('retry-after')} {model.complete([]).text}"


def environment(task, tools, model):
    """Show the variables that matter."""
    names = ("OPENAI_API_KEY", "SECRET_API_KEY", "HTTPS_PROXY", "AWS_REGION", "KEPT")
    return " ".join(f"{name}={os.environ.get(name)}" for name in names)


def writes_scratch(task, tools, model):
    """Use the folder for temporary files."""
    path = Path(os.environ["TMPDIR"], "note.txt")
    path.write_text("fine")
    return path.read_text()


def crashes(task, tools, model):
    """Fail with a message that nobody may see."""
    message = "the secret of the customer"
    raise ValueError(message)


def exits(task, tools, model):
    """End the process in the middle."""
    sys.exit(3)


def returns_number(task, tools, model):
    """Answer something that is no text."""
    return 5


def bad_outcome(task, tools, model):
    """Claim an outcome that is no word."""
    return Answer("done", "great")


def asks_for_ever(task, tools, model):
    """Never stop asking, whatever is answered."""
    while True:
        try:
            model.complete(task.messages)
        except ModelError:
            continue


def hangs(task, tools, model):
    """Never answer."""
    time.sleep(600)


def ignores_signals(task, tools, model):
    """Never answer and never end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(600)


def kills_itself(task, tools, model):
    """End by a signal."""
    os.kill(os.getpid(), signal.SIGKILL)


def leaves_children(task, tools, model):
    """Leave a daemon behind, out of the session and the process group."""
    path = Path(os.environ["TMPDIR"], "..", "nowhere")
    assert not path.exists()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    return f"left by {os.getpid()}"


def floods(task, tools, model):
    """Print for ever."""
    while True:
        os.write(1, b"x" * 65_536)


def garbage(task, tools, model):
    """Print binary to both streams and close them, then answer."""
    os.write(1, bytes(range(256)) * 10)
    os.write(2, b"\xff\x00" * 10)
    for handle in (0, 1):
        os.close(handle)
    return "fine"


def breaks_the_channel(task, tools, model):
    """Write nonsense to every open socket."""
    for handle in range(3, 256):
        try:
            os.write(handle, b"}{ nonsense\n")
        except OSError:
            continue
    time.sleep(600)


def closes_half_way(task, tools, model):
    """Open connections to the gateway and drop them in the middle of a request."""
    port = int(os.environ["REPLAY_BASE_URL"].split(":")[2].split("/")[0])
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"POST /r/x/model HTTP/1.1\r\ncontent-length: 100\r\n\r\nhalf")
    return loop(task, tools, model)


# --- probes: what each level of isolation stops ----------------------------------


def _tried(attempt):
    """Say how an attempt ended; what the audit hook refuses counts as refused."""
    try:
        attempt()
    except BaseException as error:  # noqa: BLE001  what the audit hook raises is none other
        return type(error).__name__
    return "done"


def _outside():
    """Return the address of a listener that is not the agent's."""
    return "127.0.0.1", int(os.environ["PROBE_PORT"])


def _tcp():
    socket.create_connection(_outside(), timeout=0.3).close()


def _udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"reached by udp", _outside())


def _dns():
    """Ask a name server, as resolvers in C do."""
    socket.getaddrinfo("name.invalid", 80)


def _subprocess():
    subprocess.run(["/bin/true"], check=True)


def _file():
    Path(os.environ["PROBE_DIR"], "file").write_text("x")


def _remove():
    Path(os.environ["PROBE_DIR"], "old").unlink()


def _sqlite():
    with sqlite3.connect(Path(os.environ["PROBE_DIR"], "db")) as connection:
        connection.execute("create table t (x)")


def _ctypes_file():
    """Write by native code, which passes every hook of Python."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.open(os.fsencode(Path(os.environ["PROBE_DIR"], "native")), 0o101, 0o600)
    if handle < 0:
        raise OSError(ctypes.get_errno(), "open")


def _native_address():
    """Return the listener's address as the C library takes it."""
    host, port = _outside()
    family = (2).to_bytes(2, sys.byteorder)
    return family + port.to_bytes(2, "big") + socket.inet_aton(host) + bytes(8)


def _ctypes_tcp():
    """Connect by native code to a listener outside the agent's own processes."""
    libc = ctypes.CDLL(None, use_errno=True)
    host, port = "127.0.0.1", int(os.environ["PROBE_PORT"])
    address = (
        (2).to_bytes(2, "little") + port.to_bytes(2, "big") + socket.inet_aton(host) + bytes(8)
    )
    handle = libc.socket(2, 1, 0)
    if libc.connect(handle, address, 16) < 0:
        raise OSError(ctypes.get_errno(), "connect")


def _ctypes_udp():
    """Send a datagram by native code to a listener outside."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.socket(2, 2, 0)
    if libc.sendto(handle, b"reached by native code", 22, 0, _native_address(), 16) < 0:
        raise OSError(ctypes.get_errno(), "sendto")


def _http():
    urllib.request.urlopen(f"http://127.0.0.1:{_outside()[1]}/", timeout=0.3)


def _curl():
    """Let a program connect whose sockets Python never sees."""
    url = f"http://127.0.0.1:{_outside()[1]}/"
    words = ["curl", "-sS", "-m", "0.3", url]
    code = subprocess.run(words, check=False, stderr=-3).returncode
    if code == 7:  # could not connect
        raise ConnectionError


PROBES = {
    "tcp": _tcp,
    "udp": _udp,
    "dns": _dns,
    "subprocess": _subprocess,
    "file": _file,
    "remove": _remove,
    "sqlite": _sqlite,
    "ctypes_file": _ctypes_file,
    "ctypes_tcp": _ctypes_tcp,
    "ctypes_udp": _ctypes_udp,
    "http": _http,
    "curl": _curl,
}


def probe(task=None, tools=None, model=None):
    """Try every way out and say how each ended."""
    return " ".join(f"{name}={_tried(attempt)}" for name, attempt in PROBES.items())


if __name__ == "__main__":  # as a command: nothing but the kernel holds it back
    sys.stdout.write(probe())
