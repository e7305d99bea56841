"""The kinds of agents: each is asked for one answer after another, in one trial."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, Protocol

from workbench.replay.adapters.mcp_agent import McpTongue
from workbench.replay.adapters.nursery import Nursery
from workbench.replay.adapters.process import Failed, await_word
from workbench.replay.adapters.specs import AgentKind
from workbench.replay.adapters.worker import LineTongue, Worker
from workbench.replay.isolation.levels import Level, Reached

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.adapters.process import Host
    from workbench.replay.trial import Trial

__all__ = ["Session", "begin"]

_WAIT_S: Final = 5
_NOT_STARTED: Final = Reached(level=Level.NONE, note="the agent did not start")


class Session(Protocol):
    """An agent in one trial."""

    reached: Reached

    def ask(self, messages: Sequence[JsonMap]) -> JsonMap:
        """Give the agent the conversation so far; return `{text, outcome?, state?}`.

        Raises:
            Failed: it did not answer.
        """


def begin(trial: Trial, host: Host, stack: ExitStack) -> Session:
    """Return the session of an agent; what it starts ends with the stack, or with the server."""
    kind = host.agent.kind
    if kind is AgentKind.CMD:
        return _Command(trial, host, stack)
    key = (host.agent, host.isolate)
    if kind is AgentKind.PYTHON:
        return _Staying(trial, host.server.keep(key, lambda: Nursery(host)), stack)
    tongue = LineTongue if kind is AgentKind.WORKER else McpTongue
    worker = host.server.keep(key, lambda: Worker(host, tongue=tongue))
    return _Staying(trial, worker, stack)


class _Command:
    """A process for each user turn."""

    def __init__(self, trial: Trial, host: Host, stack: ExitStack) -> None:
        self.reached = _NOT_STARTED
        self._trial = trial
        self._host = host
        self._scratch = host.scratch(stack)

    def ask(self, messages: Sequence[JsonMap]) -> JsonMap:
        task = json.dumps(self._host.task(self._trial, messages)).encode() + b"\n"
        with ExitStack() as stack:
            child = self._host.start(
                self._trial, stack, name=self._trial.run_id, scratch=self._scratch, stdin=task
            )
            self.reached = child.reached
            await_word(self._trial, child, child.receive)  # a command says nothing on its channel
            code = child.wait(_WAIT_S)
            if code != 0:
                raise Failed(f"it ended with exit code {code}")
            return _last_line(child.output.tail())


def _last_line(raw: bytes) -> JsonMap:
    lines = [line for line in raw.splitlines() if line.strip()]
    if not lines:
        raise Failed("it printed no answer")
    try:
        text = lines[-1].decode().strip()
    except UnicodeDecodeError:
        raise Failed("its answer is not UTF-8 text") from None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {"text": text}
    return found if isinstance(found, dict) and "text" in found else {"text": text}


class _Staying:
    """One trial of a process that stays for many."""

    def __init__(self, trial: Trial, worker: Worker | Nursery, stack: ExitStack) -> None:
        self.reached = _NOT_STARTED
        self._trial = trial
        self._worker = worker
        stack.enter_context(worker.serving(trial))

    def ask(self, messages: Sequence[JsonMap]) -> JsonMap:
        try:
            return self._worker.ask(self._trial, messages)
        finally:
            self.reached = self._worker.reached or self.reached
