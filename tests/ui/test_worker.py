"""Work beside the kernel: in order, once, stoppable, and never silent when it fails."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event, RLock

import pytest

from workbench.errors import InputError
from workbench.ui.controllers.worker import Stopped, Worker, leaving, said_of


def a_worker(failures: list[Exception], rests: list[str]) -> Worker:
    """Return a worker whose ends are noted."""
    return Worker(RLock(), on_failure=failures.append, on_rest=lambda: rests.append("rest"))


def test_what_is_asked_for_twice_before_it_began_is_done_once() -> None:
    """Ten quick decisions need one look, not ten."""
    done: list[str] = []
    gate = Event()
    rests: list[str] = []
    worker = a_worker([], rests)

    worker.ask("first", lambda _: done.append("first") if gate.wait(5) else None)
    worker.ask("look", lambda _: done.append("old"))
    worker.ask("look", lambda _: done.append("new"))
    gate.set()

    assert worker.wait(5)
    assert done == ["first", "new"]
    assert rests == ["rest"]


def test_a_failure_is_told_and_the_rest_is_done() -> None:
    """A thread that dies in silence would leave the view at `checking` for ever."""
    done: list[str] = []
    gate = Event()

    def broken(_: Event) -> None:
        gate.wait(5)
        raise KeyError("helen@example.com")

    failures: list[Exception] = []
    worker = a_worker(failures, [])
    worker.ask("broken", broken)
    worker.ask("next", lambda _: done.append("next"))
    gate.set()

    assert worker.wait(5)
    assert done == ["next"]
    assert [type(error) for error in failures] == [KeyError]


def test_stop_is_heard_by_the_work_under_way() -> None:
    """The event is the work's own."""
    heard: list[bool] = []
    worker = a_worker([], [])

    worker.ask("long", lambda stop: heard.append(stop.wait(5)))
    worker.stop()

    assert worker.wait(5)
    assert heard == [True]


def test_a_new_piece_of_work_is_not_stopped_by_an_old_stop() -> None:
    """Stop is about what was under way when it was pressed."""
    heard: list[bool] = []
    worker = a_worker([], [])
    worker.stop()

    worker.ask("next", lambda stop: heard.append(stop.is_set()))

    assert worker.wait(5)
    assert heard == [False]


def test_our_errors_speak_and_others_only_have_a_type() -> None:
    """An exception of a library may quote the trace."""
    assert said_of(InputError("is empty", key="name")) == "name is empty"
    assert "helen" not in said_of(ValueError("helen@example.com"))


def test_what_is_asked_for_after_stop_is_done_and_what_waited_is_not() -> None:
    """A search that is started while the old one still ends must not end before it begins."""
    heard: list[tuple[str, bool]] = []
    begun, gate = Event(), Event()
    worker = a_worker([], [])

    def long(stop: Event) -> None:
        begun.set()
        gate.wait(5)
        heard.append(("long", stop.is_set()))

    worker.ask("long", long)
    assert begun.wait(5)
    worker.ask("waits", lambda stop: heard.append(("waits", stop.is_set())))
    worker.stop()
    worker.ask("later", lambda stop: heard.append(("later", stop.is_set())))
    gate.set()

    assert worker.wait(5)
    assert heard == [("long", True), ("waits", True), ("later", False)]


def test_work_is_left_at_once_when_stop_is_pressed_and_done_otherwise() -> None:
    """A question that takes a minute must not keep a person waiting for a minute."""
    gate, stop = Event(), Event()
    with ThreadPoolExecutor(1) as pool:
        slow = leaving(lambda _: gate.wait(10), stop, pool)
        quick = leaving(str, stop, pool)
        assert quick(1) == "1"
        stop.set()
        with pytest.raises(Stopped):  # it would answer, were it waited for
            slow(1)
        gate.set()


def test_what_stops_leaves_the_worker_ready_for_more() -> None:
    """Stop is no failure, and not the end of the thread's story."""
    failures: list[Exception] = []
    rests: list[str] = []
    worker = a_worker(failures, rests)

    def stopped(_: Event) -> None:
        raise Stopped

    worker.ask("stopped", stopped)
    assert worker.wait(5)

    assert (failures, rests, worker.is_working) == ([], ["rest"], False)
