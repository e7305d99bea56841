"""The kinds of agents: each is asked for one answer after another, in one trial."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, Protocol

from workbench.errors import InputError
from workbench.replay.adapters.mcp_agent import McpTongue
from workbench.replay.adapters.process import Failed, await_word
from workbench.replay.adapters.specs import AgentKind
from workbench.replay.adapters.worker import LineTongue, Worker
from workbench.replay.isolation.levels import Level, Reached
from workbench.replay.issues import IssueKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.adapters.child import Child
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
    match host.agent.kind:
        case AgentKind.PYTHON:
            return _Python(trial, host, stack)
        case AgentKind.CMD:
            return _Command(trial, host, stack)
        case AgentKind.WORKER | AgentKind.MCP:
            tongue = LineTongue if host.agent.kind is AgentKind.WORKER else McpTongue
            key = (host.agent, host.isolate)
            worker = host.server.keep(key, lambda: Worker(host, tongue=tongue))
            return _Staying(trial, worker, stack)


class _Python:
    """A callable in a Python process that lives for the trial."""

    def __init__(self, trial: Trial, host: Host, stack: ExitStack) -> None:
        self.reached = _NOT_STARTED
        self._trial = trial
        self._host = host
        self._stack = stack
        self._child: Child | None = None

    def ask(self, messages: Sequence[JsonMap]) -> JsonMap:
        if self._child is None:
            self._child = self._started()
        self._child.send(self._host.task(self._trial, messages))
        while True:
            message = await_word(self._trial, self._child, self._child.receive)
            if message is None:
                code = self._child.end()
                raise Failed(f"its process ended with code {code} before it answered")
            if "answer" in message:
                answer: JsonMap = message["answer"]
                return answer
            self._complain(message)

    def _started(self) -> Child:
        scratch = self._host.scratch(self._stack)
        child = self._host.start(
            self._trial, self._stack, name=self._trial.run_id, scratch=scratch, stdin=b""
        )
        self.reached = child.reached
        return child

    def _complain(self, message: dict[str, Any]) -> None:
        """Act on what the process says beside answers."""
        if "side_effect" in message:
            event = str(message["side_effect"])[:60]
            self._trial.issue(IssueKind.SIDE_EFFECT_BLOCKED, f"the agent tried {event}; refused")
        elif message.get("failed") == "unloadable":
            fix = "write python:package.module:callable, found from the working folder"
            raise InputError(f"the agent cannot be loaded: {message.get('where')}", fix=fix)
        elif "failed" in message:
            raise Failed(f"it failed with {message.get('where')}")


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
            while await_word(self._trial, child, child.receive) is not None:
                pass
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

    def __init__(self, trial: Trial, worker: Worker, stack: ExitStack) -> None:
        self.reached = _NOT_STARTED
        self._trial = trial
        self._worker = worker
        stack.enter_context(worker.serving(trial))

    def ask(self, messages: Sequence[JsonMap]) -> JsonMap:
        try:
            return self._worker.ask(self._trial, messages)
        finally:
            self.reached = self._worker.reached or self.reached
