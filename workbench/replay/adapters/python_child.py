"""The far side of a `python:` agent: loads the callable and answers one task after another.

Runs in the agent's process, so it needs the standard library and `replay.agent` only, and prints
nothing: standard output belongs to the agent.
"""

from __future__ import annotations

import codecs
import gc
import importlib
import os
import sys
import threading
from collections.abc import Awaitable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from workbench.replay.adapters.environment import MCP_COMMAND
from workbench.replay.agent import Answer, Model, Task, Tools
from workbench.replay.isolation.audit import AuditRule, install
from workbench.replay.isolation.kernel import set_child_subreaper
from workbench.replay.isolation.supervisor import children, end_descendants

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from workbench.replay.isolation.supervisor import Channel, Spec

__all__ = ["Loop", "Unloadable", "answer_document", "blame", "load", "run", "work"]

_FAILED: Final = 1
_OURS: Final = str(Path(__file__).resolve().parents[2])
_NOT_THE_AGENTS: Final = (sys.prefix, sys.base_prefix, _OURS, "<")


class Unloadable(Exception):  # noqa: N818  told to the parent as a word
    """The target names no callable."""


def run(spec: Spec, channel: Channel, *, audited: bool, forks: bool = True) -> int:
    """Serve trials until the parent closes the channel; return the exit code.

    Args:
        spec: what to load, and what it may do.
        channel: to the parent.
        audited: whether the audit hook is wanted.
        forks: whether this process may fork itself for each trial; it ends whatever child it has
            between two trials, so not in a process with a life of its own.
    """
    lock = threading.Lock()

    def send(document: dict[str, Any]) -> None:
        with lock:
            channel.send(document)

    if audited:  # pragma: no cover  the hook refuses to write what was measured
        tell = lambda event: send({"side_effect": event})  # noqa: E731  one use
        install(AuditRule(port=spec.port, writable=[spec.scratch], tell=tell, harmless=MCP_COMMAND))
    agent = _guarded(lambda: load(spec.target), send, stage="load")
    if agent is None:
        return _FAILED
    if forks and _can_be_forked():  # pragma: no cover  only a process of its own forks
        return _serve_forks(agent, channel, send)
    send({"loaded": "alone"})
    return _serve(agent, channel, send)


def _serve_forks(
    agent: Callable[..., Any], channel: Channel, send: Callable[[dict[str, Any]], None]
) -> int:  # pragma: no cover  another process
    """Answer each trial in a fork; return the exit code."""
    send({"loaded": "shared"})
    set_child_subreaper()
    codecs.lookup("idna")  # a socket looks for it, and each fork would load it anew
    gc.freeze()
    while (message := channel.receive()) is not None:
        if "trial" in message:
            send({"ended": _forked(message["trial"], lambda: _serve(agent, channel, send))})
    return 0


def _serve(
    agent: Callable[..., Any], channel: Channel, send: Callable[[dict[str, Any]], None]
) -> int:
    """Answer the tasks of one trial; return the exit code."""
    with Loop() as loop:

        def answer() -> bool:
            while (task := channel.receive()) is not None and "end" not in task:
                os.environ["REPLAY_RUN_ID"] = task["run_id"]
                send({"answer": answer_document(work(agent, task, loop))})
            return True

        return 0 if _guarded(answer, send, stage="run") else _FAILED


_Done = TypeVar("_Done")


def _guarded(
    work: Callable[[], _Done], send: Callable[[dict[str, Any]], None], *, stage: str
) -> _Done | None:
    """Do what may run the agent's code; whatever it raises is told and ends the trial."""
    try:
        return work()
    except Unloadable as error:
        send({"failed": "unloadable", "where": str(error)})
    except BaseException as error:  # noqa: BLE001  whatever an agent raises ends its trial
        send({"failed": stage, "where": blame(error)})
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    return None


def _can_be_forked() -> bool:  # pragma: no cover  another process
    """Whether a fork of this process is as good as a new one: no threads, children or shared chance.

    NumPy's global generator would say the same in every fork.
    """
    threads = (
        len(list(Path("/proc/self/task").iterdir())) if Path("/proc/self/task").is_dir() else 2
    )
    return threads == 1 and not children() and "numpy" not in sys.modules


def _forked(scratch: str, serve: Callable[[], int]) -> int:  # pragma: no cover  another process
    """Run one trial in a process of its own; return its exit code once nothing is left of it."""
    child = os.fork()
    if child == 0:
        os.environ["TMPDIR"] = scratch
        if (known := sys.modules.get("tempfile")) is not None:
            vars(known)["tempdir"] = None  # it looks only once
        code = _FAILED
        try:
            code = serve()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    end_descendants()
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def load(target: str) -> Callable[..., Any]:
    """Import `module:callable`, looking in the working folder first.

    Raises:
        Unloadable: there is no such module or callable.
    """
    module_name, _, name = target.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and (module_name + ".").startswith(error.name + "."):
            raise Unloadable(f"no module {module_name}") from error
        raise
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)  # type: ignore[assignment]
    if not callable(found):
        raise Unloadable(f"no callable {name} in {module_name}")
    return found


class Loop:
    """One event loop for all tasks of an agent; made when the first coroutine comes.

    Most agents need none, and `asyncio` takes longer to import than everything else here.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._run: Callable[[Coroutine[Any, Any, object]], object] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def wait(self, found: Awaitable[object]) -> object:
        """Wait for what a coroutine returns."""
        if self._run is None:
            import asyncio  # noqa: PLC0415  see above

            self._run = self._stack.enter_context(asyncio.Runner()).run
        return self._run(_awaited(found))


def work(agent: Callable[..., Any], task: dict[str, Any], loop: Loop) -> object:
    """Give an agent one task and wait for what it returns."""
    base_url = task["base_url"]
    found = agent(
        Task(run_id=task["run_id"], messages=task["messages"]), Tools(base_url), Model(base_url)
    )
    return loop.wait(found) if isinstance(found, Awaitable) else found


async def _awaited(found: Awaitable[object]) -> object:
    return await found


def answer_document(found: object) -> dict[str, Any]:
    """Return what an agent returned as plain JSON.

    Raises:
        TypeError: it is neither a text nor an `Answer`.
    """
    if isinstance(found, str):
        return {"text": found}
    if not isinstance(found, Answer) or not isinstance(found.text, str):
        message = f"the agent returned {type(found).__name__}; expected str or Answer"
        raise TypeError(message)
    state = None if found.state is None else dict(found.state)
    return {"text": found.text, "outcome": found.outcome, "state": state}


def blame(error: BaseException) -> str:
    """Say what was raised and where, without its message, which may hold trace text."""
    import traceback  # noqa: PLC0415  only agents that fail need it

    frames = traceback.extract_tb(error.__traceback__)
    kind = type(error).__name__
    if not frames:
        return kind
    inside = [f for f in frames if not f.filename.startswith(_NOT_THE_AGENTS)]
    last = (inside or frames)[-1]
    name = os.path.relpath(last.filename)
    return f"{kind} at {Path(name).name if name.startswith('..') else name}:{last.lineno}"
