"""Drives an agent through the user turns of one trial."""

from __future__ import annotations

import json
import os
import socket
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from workbench.errors import InputError
from workbench.replay.adapters.child import Child, Closed
from workbench.replay.adapters.environment import agent_environment
from workbench.replay.isolation.levels import AUTO, Level, Reached
from workbench.replay.issues import IssueKind
from workbench.replay.trial import Limits, Trial, TrialRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.case import Case, Path as CasePath
    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.adapters.specs import AgentSpec
    from workbench.replay.gateway.http import GatewayServer

__all__ = ["Driven", "Setting", "drive"]

_POLL_S: Final = 0.25
_START_S: Final = 30
_WAIT_S: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How trials are run."""

    limits: Limits = field(default_factory=Limits)
    isolate: Level | None = None
    """The strongest level wanted; None: whatever this machine allows."""


_PLAIN: Final = Setting()


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """A finished trial with an agent."""

    record: TrialRecord
    reached: Reached


class _Failed(Exception):  # noqa: N818  a refusal of the trial, not an error of ours
    """The agent did not answer; the sentence says why."""


class _Session(Protocol):
    """An agent in one trial."""

    def ask(self, messages: Sequence[JsonMap]) -> JsonMap:
        """Return `{text, outcome?, state?}`."""


def drive(
    case: Case,
    path: CasePath,
    *,
    agent: AgentSpec,
    server: GatewayServer,
    run_id: str,
    setting: Setting = _PLAIN,
) -> Driven:
    """Run one path of a case with an agent.

    Args:
        case: the case.
        path: the script.
        agent: what to start.
        server: the running gateway.
        run_id: of this trial; unique among the trials that run now.
        setting: bounds and isolation.

    Raises:
        InputError: the agent cannot be loaded at all.
    """
    trial = Trial(case, path, run_id=run_id, limits=setting.limits)
    with ExitStack() as stack:
        scratch = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="replay-", ignore_cleanup_errors=True)
        )
        server.gateway.open(trial)
        stack.callback(server.gateway.close, trial)
        host = _Host(agent=agent, server=server, scratch=scratch, isolate=setting.isolate)
        runner = _Runner(trial, host, stack)
        try:
            _converse(case, trial, runner)
        except _Failed as failure:
            runner.note(str(failure))
        finally:
            trial.stopped.set()
    return Driven(record=trial.finish(), reached=runner.reached)


def _converse(case: Case, trial: Trial, session: _Session) -> None:
    messages: list[JsonMap] = list(case.input.messages)
    for later in ((), *trial.script.user_turns):
        for turn in later:
            trial.user(turn)
            messages.append({"role": "user", "content": turn.user})
        answer = session.ask(messages)
        text, outcome, state = answer.get("text"), answer.get("outcome"), answer.get("state")
        if not isinstance(text, str) or not isinstance(state, dict | None):
            raise _Failed("it answered something that is no text")
        try:
            trial.answer(text, outcome=None if outcome is None else str(outcome), state=state)
        except ValueError:
            raise _Failed("it claimed an outcome that is no word of the closed list") from None
        messages.append({"role": "assistant", "content": text})
    for turn in trial.script.last_words:
        trial.user(turn)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Host:
    """What an agent's processes are started with."""

    agent: AgentSpec
    server: GatewayServer
    scratch: str
    isolate: Level | None


class _Runner:
    """Starts the agent's processes and waits for their answers."""

    def __init__(self, trial: Trial, host: _Host, stack: ExitStack) -> None:
        self.reached = Reached(level=Level.NONE, note="the agent did not start")
        self._trial = trial
        self._host = host
        self._base_url = host.server.base_url(trial.run_id)
        self._stack = stack
        self._python: Child | None = None

    def note(self, sentence: str) -> None:
        """Note a failure of the agent, unless it was stopped for a reason noted already."""
        if not self._trial.stopped.is_set():
            self._trial.issue(IssueKind.AGENT_ERROR, sentence)

    def ask(self, messages: Sequence[JsonMap]) -> JsonMap:
        """Give the agent the conversation so far and return its answer."""
        task = {
            "run_id": self._trial.run_id,
            "base_url": self._base_url,
            "messages": list(messages),
        }
        return self._ask_command(task) if self._host.agent.argv else self._ask_python(task)

    def _ask_python(self, task: dict[str, Any]) -> JsonMap:
        if self._python is None:
            self._python = self._start(b"", self._stack)
        self._python.send(task)
        while True:
            message = self._next(self._python)
            if message is None:
                code = self._python.end()
                raise _Failed(f"its process ended with code {code} before it answered")
            if "answer" in message:
                answer: JsonMap = message["answer"]
                return answer
            self._complain(message)

    def _complain(self, message: dict[str, Any]) -> None:
        """Act on what a Python agent's process says beside answers."""
        if "side_effect" in message:
            event = str(message["side_effect"])[:60]
            self._trial.issue(IssueKind.SIDE_EFFECT_BLOCKED, f"the agent tried {event}; refused")
        elif message.get("failed") == "unloadable":
            fix = "write python:package.module:callable, found from the working folder"
            raise InputError(f"the agent cannot be loaded: {message.get('where')}", fix=fix)
        elif "failed" in message:
            raise _Failed(f"it failed with {message.get('where')}")

    def _ask_command(self, task: dict[str, Any]) -> JsonMap:
        with ExitStack() as stack:
            child = self._start(json.dumps(task).encode() + b"\n", stack)
            while self._next(child) is not None:
                pass
            code = child.wait(_WAIT_S)
            if code != 0:
                raise _Failed(f"it ended with exit code {code}")
            return _last_line(child.output.tail())

    def _start(self, stdin: bytes, stack: ExitStack) -> Child:
        host = self._host
        spec = {
            "level": AUTO if host.isolate is None else host.isolate.value,
            "port": host.server.port,
            "scratch": host.scratch,
            "argv": list(host.agent.argv),
            "target": host.agent.target,
        }
        environment = agent_environment(
            os.environ, base_url=self._base_url, run_id=self._trial.run_id, scratch=host.scratch
        )
        child = Child(spec, environment=environment, stdin=stdin)
        stack.callback(child.end)
        first = self._next(child)
        if first is None or "level" not in first:
            raise _Failed("its process did not start")
        self.reached = child.greeting(first)
        for handle in child.handles:
            stack.enter_context(host.server.adopt(socket.socket(fileno=handle)))
        child.handles.clear()
        return child

    def _next(self, child: Child) -> dict[str, Any] | None:
        """Return the next message; None: the process has ended."""
        trial = self._trial
        while True:
            try:
                message = child.receive(max(0.01, min(_POLL_S, trial.seconds_left)))
            except Closed:
                return None
            if message is not None:
                return message
            if child.flooded:
                raise _Failed("it printed without end and was stopped")
            if trial.seconds_left <= 0:
                trial.issue(IssueKind.TIME_LIMIT, "the agent was stopped at the time limit")
                trial.stopped.set()
            if trial.stopped.is_set():
                raise _Failed("it was stopped")


def _last_line(raw: bytes) -> JsonMap:
    lines = [line for line in raw.splitlines() if line.strip()]
    if not lines:
        raise _Failed("it printed no answer")
    try:
        text = lines[-1].decode().strip()
    except UnicodeDecodeError:
        raise _Failed("its answer is not UTF-8 text") from None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {"text": text}
    return found if isinstance(found, dict) and "text" in found else {"text": text}
