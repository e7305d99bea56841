"""A Python process that loads an agent once and forks a fresh one for each trial.

What a trial changes in memory is gone with its process, so trials share nothing but what loading
left behind; isolation is set up before loading and holds for every fork. An agent that cannot be
forked as it is (it started threads or processes while it loaded) gets a process of its own for
each trial.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final, Self

from workbench.errors import InputError
from workbench.replay.adapters.child import Closed
from workbench.replay.adapters.process import Failed, await_word
from workbench.replay.issues import IssueKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.adapters.child import Child
    from workbench.replay.adapters.process import Host
    from workbench.replay.isolation.levels import Reached
    from workbench.replay.trial import Trial

__all__ = ["Nursery"]

_END_S: Final = 5
_LOADED: Final = "loaded"


class Nursery:
    """Keeps one process at a time.

    Args:
        host: what it is started with.
    """

    def __init__(self, host: Host) -> None:
        self.reached: Reached | None = None
        """The isolation of the latest process."""
        self._host = host
        self._child: Child | None = None
        self._shared = False
        self._loading: list[str] = []
        self._stack = ExitStack()
        self._trial_stack = ExitStack()
        self._busy = threading.Lock()
        self._name = f"python-{id(self):x}"
        self._scratch = ""
        self._begun = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process and everything that it started."""
        self._child = None
        self._begun = False
        self._stack.close()

    @contextmanager
    def serving(self, trial: Trial) -> Iterator[None]:
        """Work on one trial and no other as long as the block runs."""
        with self._busy, ExitStack() as self._trial_stack:
            self._host.server.gateway.open(trial, name=self._name)
            try:
                yield
            finally:
                self._finish(trial)

    def ask(self, trial: Trial, messages: Sequence[JsonMap]) -> JsonMap:
        """Give the agent the conversation so far and return its answer.

        Raises:
            Failed: it did not answer.
            InputError: there is no such agent.
        """
        if not self._begun:
            self._begin(trial)
        child = self._alive()
        child.send(self._host.task(trial, messages))
        message = self._word(trial, "answer", "ended")
        if "ended" in message:
            self._begun = False
            raise Failed(f"its process ended with code {message['ended']} before it answered")
        answer = message["answer"]
        if not isinstance(answer, dict):
            raise Failed("it answered something that is no text")
        return answer

    def _alive(self) -> Child:
        assert self._child is not None  # noqa: S101  begun
        return self._child

    def _begin(self, trial: Trial) -> None:
        """Start a trial: in a fork of the process that is there, or in a new process."""
        if self._child is None:
            self._start(trial)
        child = self._alive()
        child.forgive()
        for event in self._loading:
            _note(trial, event)
        self._begun = True
        if self._shared:
            place = self._trial_stack.enter_context(self._host.folder(below=self._scratch))
            child.send({"trial": place})

    def _start(self, trial: Trial) -> None:
        self._scratch = self._host.scratch(self._stack)
        self._loading = []
        try:
            child = self._host.start(
                trial, self._stack, name=self._name, scratch=self._scratch, stdin=b""
            )
            self._child = child
            self.reached = child.reached
            self._shared = self._word(trial, _LOADED)[_LOADED] == "shared"
        except BaseException:
            self.end()
            raise

    def _word(self, trial: Trial, *words: str) -> dict[str, Any]:
        """Return the next message with one of these words; a process to be stopped is ended.

        An agent can reach the channel, so other messages mean nothing.
        """
        child = self._alive()
        while True:
            try:
                message = await_word(trial, child, child.receive)
            except Failed:
                self.end()
                raise
            if message is None:
                code = child.end()
                self.end()
                raise Failed(f"its process ended with code {code} before it answered")
            if "side_effect" in message:
                event = str(message["side_effect"])[:60]
                if _LOADED in words:
                    self._loading.append(event)
                _note(trial, event)
            elif any(word in _taken(message) for word in words):
                return message

    def _finish(self, trial: Trial) -> None:
        """End the trial's own process; a process that was not forked ends as a whole."""
        child, begun = self._child, self._begun
        if child is None or not begun:
            return
        self._begun = False
        if not self._shared:
            self.end()
            return
        child.send({"end": True})
        while (message := _last_word(child)) is not None and "ended" not in message:
            if "side_effect" in message:
                _note(trial, str(message["side_effect"])[:60])
        if message is None:
            self.end()


def _last_word(child: Child) -> dict[str, Any] | None:
    try:
        return child.receive(_END_S)
    except Closed:
        return None


def _taken(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message unless it says that the agent failed."""
    if message.get("failed") == "unloadable":
        fix = "write python:package.module:callable, found from the working folder"
        raise InputError(f"the agent cannot be loaded: {message.get('where')}", fix=fix)
    if "failed" in message:
        raise Failed(f"it failed with {message.get('where')}")
    return message


def _note(trial: Trial, event: str) -> None:
    trial.issue(IssueKind.SIDE_EFFECT_BLOCKED, f"the agent tried {event}; refused")
