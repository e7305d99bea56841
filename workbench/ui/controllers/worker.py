"""One thread beside the kernel's, so that a cell returns at once and Stop is always heard."""

from __future__ import annotations

import logging
from concurrent.futures import wait
from functools import partial
from threading import Event, Thread
from typing import TYPE_CHECKING, Final, TypeVar

from workbench.errors import WorkbenchError
from workbench.ui.edge import place_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from threading import RLock

__all__ = ["Stopped", "Worker", "leaving", "said_of"]

_LOG: Final = logging.getLogger(__name__)
_BEAT_S: Final = 0.05
"""Between two looks whether Stop was pressed."""
_Asked = TypeVar("_Asked")
_Answer = TypeVar("_Answer")


class Stopped(KeyboardInterrupt):
    """A person pressed Stop: the work ends with what it reached."""


def leaving(
    work: Callable[[_Asked], _Answer],
    stop: Event,
    pool: Executor,
    *,
    heeded: Event | None = None,
) -> Callable[[_Asked], _Answer]:
    """Return work that is left, not waited for, once Stop is pressed.

    What was left goes on in the pool until it ends; nobody hears of its answer.

    Args:
        work: may take long.
        stop: is set when the work is not wanted any more.
        pool: does the work.
        heeded: is set once the work looks at `stop` itself and ends well; None: it never does.
    """

    def done(asked: _Asked) -> _Answer:
        if stop.is_set():
            raise Stopped
        answer = pool.submit(work, asked)
        while not wait([answer], timeout=_BEAT_S).done:
            if stop.is_set() and not (heeded is not None and heeded.is_set()):
                raise Stopped
        return answer.result()

    return done


class Worker:
    """Does what it is asked for, one after the other; asking again before it began asks once."""

    def __init__(
        self,
        lock: RLock,
        *,
        on_failure: Callable[[Exception], None],
        on_rest: Callable[[], None],
    ) -> None:
        """Get ready.

        Args:
            lock: of the controller; held for the bookkeeping, never during work.
            on_failure: hears of what a piece of work raised.
            on_rest: called when nothing more is to be done.
        """
        self._lock = lock
        self._on_failure, self._on_rest = on_failure, on_rest
        self._asked: dict[str, tuple[Callable[[Event], None], Event]] = {}
        self._thread: Thread | None = None
        self._under_way: Event | None = None
        """Asks what is being done to end early."""
        self.is_working = False

    def ask(self, name: str, work: Callable[[Event], None]) -> None:
        """Have a piece of work done; it takes the event that asks it to end early."""
        with self._lock:
            self._asked[name] = work, Event()
            if not self.is_working:
                self.is_working = True
                self._thread = Thread(target=self._run, name="workbench-worker", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Ask what is under way, or waits, to end early; what is asked for later is done."""
        with self._lock:
            for _, stop in self._asked.values():
                stop.set()
            if self._under_way is not None:
                self._under_way.set()

    def wait(self, timeout_s: float) -> bool:
        """Wait until nothing is to be done; say whether that came."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return not self.is_working

    def _run(self) -> None:
        while True:
            with self._lock:
                self._under_way = None
                if not self._asked:
                    self.is_working = False
                    break
                work, stop = self._asked.pop(next(iter(self._asked)))
                self._under_way = stop
            try:
                work(stop)
            except Stopped:  # it has told what it reached
                continue
            except Exception as error:  # noqa: BLE001  its text may be of the trace; told by type
                self._tell(partial(self._on_failure, error))
        self._tell(self._on_rest)

    def _tell(self, act: Callable[[], None]) -> None:
        """Tell those who show it; what a thread raises is printed below a cell, with its text."""
        try:
            act()
        except Exception as error:  # noqa: BLE001  its text may be of the trace
            _LOG.error("a view was not told: %s at %s", type(error).__name__, place_of(error))


def said_of(error: Exception) -> str:
    """Return what may be shown of an error: our own texts hold no trace text, others may.

    >>> said_of(KeyError("helen@example.com"))
    'an unexpected KeyError; nothing decided is lost'
    """
    if isinstance(error, WorkbenchError):
        return str(error)
    return f"an unexpected {type(error).__name__}; nothing decided is lost"
