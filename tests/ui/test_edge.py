"""What an error of a cell, a callback or a thread may say: our own words, and places."""

from __future__ import annotations

import logging
from dataclasses import replace
from threading import RLock

import pytest
from IPython.core.interactiveshell import InteractiveShell

from tests.builders import a_call, a_trace, a_user
from workbench.errors import InputError, WorkbenchError
from workbench.model.event import CallError
from workbench.model.trace import Imported
from workbench.ui.controllers.worker import Worker
from workbench.ui.edge import at_the_edge, place_of

CANARY = "ada@example.org"


def breaks(text):
    """Fail with a text of a trace in the message, as libraries do."""
    raise ValueError(text)


def test_what_is_not_ours_becomes_ours_at_the_edge():
    """A cell's error is an output; so it says type and place, and keeps nothing of the cause."""
    with pytest.raises(
        WorkbenchError, match=r"an unexpected ValueError at test_edge\.py:\d+"
    ) as no:
        at_the_edge(breaks)(CANARY)

    assert CANARY not in str(no.value)
    assert no.value.__cause__ is None
    assert no.value.__context__ is None


def test_our_own_errors_go_over_the_edge_as_they_are():
    """They hold places, types and lengths, and are caught by their class."""

    @at_the_edge
    def refuses():
        raise InputError("is empty", key="reviewer")

    with pytest.raises(InputError, match="reviewer is empty"):
        refuses()


def test_the_place_of_an_error_that_was_never_raised():
    """There is nothing to tell."""
    assert place_of(ValueError()) == "?"


@pytest.mark.parametrize("mode", ["Context", "Verbose"])
def test_ipython_shows_an_error_of_ours_without_values_of_variables(mode, capsys):
    """Its verbose mode writes the value of every local variable, on each frame."""
    shell = InteractiveShell()
    shell.run_line_magic("xmode", mode)
    shell.user_ns |= {"act": at_the_edge(breaks), "text": CANARY}

    shell.run_cell("act(text)")
    said = "".join(capsys.readouterr())
    shell.run_cell("missing(text)")  # an error that is not ours, so the check above can fail
    other = "".join(capsys.readouterr())

    assert "an unexpected ValueError" in said
    assert CANARY not in said
    assert (CANARY in other) == (mode == "Verbose")


def test_values_of_a_trace_say_their_place_when_they_are_shown():
    """The last line of a cell is an output, and so is a local variable of a verbose traceback."""
    error = CallError(message=CANARY, status=504)
    trace = a_trace(a_user(CANARY), a_call("crm.find", args={CANARY: 1}, error=error))
    found = Imported(run_id=CANARY, raw=CANARY.encode(), trace=replace(trace, tags=(CANARY,)))

    shown = f"{found!r} {trace.events!r} {error!r}"

    assert CANARY not in shown
    assert "Trace(4 events)" in shown
    assert "UserMessage(#0)" in shown
    assert "CallError(status=504)" in shown


def test_a_thread_whose_view_breaks_logs_the_place_and_no_text(caplog):
    """What a thread raises is printed below a cell, with the text of the error."""

    def rest():
        breaks(CANARY)

    worker = Worker(RLock(), on_failure=lambda _: breaks(CANARY), on_rest=rest)
    with caplog.at_level(logging.ERROR):
        worker.ask("a", lambda _stop: breaks(CANARY))
        assert worker.wait(10)

    assert [r.getMessage().split(" at ")[0] for r in caplog.records] == [
        "a view was not told: ValueError"
    ] * 2
    assert CANARY not in caplog.text
