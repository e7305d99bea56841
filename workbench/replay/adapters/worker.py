"""A process of an agent that stays for many trials.

Its environment leads to the trial that it works on now, under a name that stays; the `base_url` of
a task names that trial alone. One that crashes, floods or overruns a limit is ended, and the next
trial starts a new one.
"""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack, contextmanager
from queue import Empty
from typing import TYPE_CHECKING, Final, Protocol, Self

from workbench.replay.adapters.child import Closed
from workbench.replay.adapters.process import Failed, await_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.adapters.child import Child
    from workbench.replay.adapters.process import Host
    from workbench.replay.isolation.levels import Reached
    from workbench.replay.trial import Trial

__all__ = ["LineTongue", "Link", "Tongue", "Worker", "read_object"]


_WAIT_S: Final = 2


class Link:
    """The lines to and from a process, within the limits of one trial."""

    def __init__(self, child: Child, trial: Trial) -> None:
        self._child = child
        self._trial = trial

    def send(self, document: JsonMap) -> None:
        """Send one line."""
        self._child.feed.put(json.dumps(document).encode() + b"\n")

    def receive(self) -> bytes:
        """Return the next line.

        Raises:
            Failed: none will come, or not in time.
        """
        line = await_word(self._trial, self._child, self._line)
        if line is None:
            code = self._child.wait(_WAIT_S)
            how = "closed its output" if code is None else f"ended with code {code}"
            raise Failed(f"its process {how} before it answered")
        return line

    def _line(self, timeout_s: float) -> bytes | None:
        try:
            line = self._child.lines.next(timeout_s)
        except Empty:
            return None
        if line is None:
            raise Closed
        return line


class Tongue(Protocol):
    """How a process that stays is spoken to; one for each process."""

    def ask(self, link: Link, task: JsonMap) -> JsonMap:
        """Give a task and return the answer, `{text, outcome?, state?}`.

        Raises:
            Failed: it did not answer.
        """


class LineTongue:
    """A line in and a line out for each task, told apart by `run_id`.

    Lines that are no JSON object with the task's `run_id` are noise: a library's banner, or a late
    answer to a trial that is over.
    """

    def ask(self, link: Link, task: JsonMap) -> JsonMap:
        """Give a task and return the answer."""
        link.send(task)
        while True:
            found = read_object(link.receive())
            if found is None:
                continue
            if "text" in found and "run_id" not in found:
                raise Failed("its line has no `run_id`")
            if found.get("run_id") == task["run_id"]:
                return found


def read_object(line: bytes) -> JsonMap | None:
    """Return the JSON object that a line is, if it is one."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


class Worker:
    """Keeps one process at a time.

    Args:
        host: what it is started with.
        tongue: how it is spoken to.
    """

    def __init__(self, host: Host, *, tongue: Callable[[], Tongue]) -> None:
        self.reached: Reached | None = None
        """The isolation of the latest process."""
        self._host = host
        self._new_tongue = tongue
        self._tongue = tongue()
        self._child: Child | None = None
        self._stack = ExitStack()
        self._busy = threading.Lock()
        self._name = f"worker-{id(self):x}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @contextmanager
    def serving(self, trial: Trial) -> Iterator[None]:
        """Work on one trial and no other as long as the block runs."""
        with self._busy:
            self._host.server.gateway.open(trial, name=self._name)
            yield

    def ask(self, trial: Trial, messages: Sequence[JsonMap]) -> JsonMap:
        """Give the process a task, starting one when there is none.

        Raises:
            Failed: it did not answer, and was ended.
        """
        try:
            child = self._child or self._started(trial)
            child.lines.drop()
            child.forgive()
            return self._tongue.ask(Link(child, trial), self._host.task(trial, messages))
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """End the process and everything that it started."""
        self._child = None
        self._stack.close()

    def _started(self, trial: Trial) -> Child:
        scratch = self._host.scratch(self._stack)
        child = self._host.start(trial, self._stack, name=self._name, scratch=scratch, stdin=None)
        self.reached = child.reached
        self._tongue = self._new_tongue()
        self._child = child
        return child
