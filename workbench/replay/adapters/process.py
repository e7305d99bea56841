"""Starts an agent's process and waits for what it says, within the limits of a trial."""

from __future__ import annotations

import os
import socket
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from workbench.replay.adapters.child import Child, Closed
from workbench.replay.adapters.environment import agent_environment
from workbench.replay.isolation.levels import AUTO, Level
from workbench.replay.issues import IssueKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import ExitStack

    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.adapters.specs import AgentSpec
    from workbench.replay.gateway.http import GatewayServer
    from workbench.replay.trial import Trial

__all__ = ["Failed", "Host", "await_word"]

_POLL_S: Final = 0.25

_Word = TypeVar("_Word")


class Failed(Exception):  # noqa: N818  a refusal of the trial, not an error of ours
    """The agent did not answer; the sentence says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What an agent's processes are started with."""

    agent: AgentSpec
    server: GatewayServer
    isolate: Level | None

    def task(self, trial: Trial, messages: Sequence[JsonMap]) -> JsonMap:
        """Return one task as every kind of agent is given it."""
        base_url = self.server.base_url(trial.run_id)
        return {"run_id": trial.run_id, "base_url": base_url, "messages": list(messages)}

    def scratch(self, stack: ExitStack) -> str:
        """Make the folder that an agent may write; it goes with the stack."""
        return stack.enter_context(
            tempfile.TemporaryDirectory(prefix="replay-", ignore_cleanup_errors=True)
        )

    @contextmanager
    def folder(self, *, below: str) -> Iterator[str]:
        """Make a folder for one trial below what may be written."""
        with tempfile.TemporaryDirectory(dir=below, ignore_cleanup_errors=True) as name:
            yield name

    def start(
        self, trial: Trial, stack: ExitStack, *, name: str, scratch: str, stdin: bytes | None
    ) -> Child:
        """Start a process; it ends with the stack.

        Args:
            trial: bounds the start.
            stack: ends what was started.
            name: under which the gateway serves the process.
            scratch: the only folder that may be written.
            stdin: as of `Child`.

        Raises:
            Failed: it did not start.
        """
        spec = {
            "level": AUTO if self.isolate is None else self.isolate.value,
            "port": self.server.port,
            "scratch": scratch,
            "argv": list(self.agent.argv),
            "target": self.agent.target,
        }
        base_url = self.server.base_url(name)
        environment = agent_environment(os.environ, base_url=base_url, run_id=name, scratch=scratch)
        child = Child(spec, environment=environment, stdin=stdin)
        stack.callback(child.end)
        first = await_word(trial, child, child.receive)
        if first is None or "level" not in first:
            raise Failed("its process did not start")
        child.greeting(first)
        for handle in child.handles:
            stack.enter_context(self.server.adopt(socket.socket(fileno=handle)))
        child.handles.clear()
        return child


def await_word(
    trial: Trial, child: Child, receive: Callable[[float], _Word | None]
) -> _Word | None:
    """Return what `receive` gives, as soon as it gives something; None: the process has ended.

    Args:
        trial: its limits end the waiting.
        child: a flood ends the waiting.
        receive: takes seconds, returns None when nothing came in them, raises `Closed` at the end.

    Raises:
        Failed: the agent has to be stopped.
    """
    while True:
        try:
            word = receive(_POLL_S)
        except Closed:
            return None
        if word is not None:
            return word
        if child.flooded:
            raise Failed("it printed without end and was stopped")
        if trial.seconds_left <= 0:
            trial.issue(IssueKind.TIME_LIMIT, "the agent was stopped at the time limit")
            trial.stopped.set()
        if trial.stopped.is_set():
            raise Failed("it was stopped")
