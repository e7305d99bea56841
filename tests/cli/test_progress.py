"""Progress: on a terminal a line, once a per cent, gone at the end; in a log a line a step."""

from __future__ import annotations

import io

from workbench.cli.progress import PATIENCE_S, Progress


class Terminal(io.StringIO):
    """A stream that somebody watches."""

    def isatty(self):
        return True


def test_nobody_watches_a_file():
    """A log of CI must not fill with carriage returns."""
    stream = io.StringIO()

    with Progress("a.json", stream=stream) as progress:
        progress(1, 2)

    assert stream.getvalue() == ""


def test_each_per_cent_is_drawn_once_and_the_line_is_removed():
    """A million records must not be a million writes."""
    stream = Terminal()

    with Progress("a.json", stream=stream) as progress:
        for done in (0, 1, 500, 501, 1000, 2000):
            progress(done, 1000)

    half, full = "#" * 10 + "." * 10, "#" * 20
    assert stream.getvalue() == (
        f"\ra.json: [{'.' * 20}] 0 %\ra.json: [{half}] 50 %\ra.json: [{full}] 100 %\r\x1b[2K"
    )


def test_a_note_is_news_too():
    """How many cases failed so far is worth a redraw within one per cent."""
    stream = Terminal()

    with Progress("cases", stream=stream) as progress:
        progress(1, 1000, note="1 of 1000, 0 failed")
        progress(1, 1000, note="1 of 1000, 0 failed")
        progress(2, 1000, note="2 of 1000, 1 failed")

    bar = f"[{'.' * 20}] 0 %"
    assert stream.getvalue() == (
        f"\rcases: {bar}, 1 of 1000, 0 failed\rcases: {bar}, 2 of 1000, 1 failed\r\x1b[2K"
    )


def test_nothing_to_do_is_all_of_it():
    """An empty file divides nothing."""
    stream = Terminal()

    with Progress("a.json", stream=stream) as progress:
        progress(0, 0)

    assert "100 %" in stream.getvalue()


def test_what_never_started_leaves_the_terminal_alone():
    """An error before the first record."""
    stream = Terminal()

    with Progress("a.json", stream=stream):
        pass

    assert stream.getvalue() == ""


class Clock:
    """Seconds that a test moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_a_log_names_the_steps_of_long_work_once():
    """Whoever reads a log of CI sees where the minutes went, and no bar."""
    stream, clock = io.StringIO(), Clock()

    with Progress(stream=stream, clock=clock) as progress:
        progress.step("reading a.json")
        clock.now = PATIENCE_S - 0.1
        progress.step("redacting", 1, 1000, unit="texts")
        progress.say("")
        assert stream.getvalue() == ""
        clock.now = PATIENCE_S
        for done in range(2, 1000):
            progress.step("redacting", done, 1000, unit="texts")
        progress.step("shrinking")
        progress.say("61 calls")

    assert stream.getvalue() == "redacting ...\nshrinking ...\n"


def test_a_bar_of_its_own_stays_out_of_a_log():
    """`run` says of each case how it ended anyway."""
    stream, clock = io.StringIO(), Clock()

    with Progress("cases", stream=stream, clock=clock) as progress:
        clock.now = 60.0
        progress(1, 2)

    assert stream.getvalue() == ""


def test_steps_follow_each_other_on_one_line():
    """What a longer text left behind is wiped; texts are drawn once a per cent."""
    stream = Terminal()

    with Progress(stream=stream) as progress:
        progress.step("reading a.json")
        progress.step("reading a.json")
        for done in (0, 1, 2, 500):
            progress.step("texts", done, 1000, unit="texts")
        progress.step("bytes", 1, 2)
        progress.step("shrinking")
        progress.say("61 calls")

    none, half = "." * 20, "#" * 10 + "." * 10
    assert stream.getvalue() == (
        "\rreading a.json ..."
        f"\rtexts: [{none}] 0 %, 0 of 1,000 texts"
        f"\rtexts: [{half}] 50 %, 500 of 1,000 texts"
        f"\rbytes: [{half}] 50 %\x1b[K"
        "\rshrinking ...\x1b[K"
        "\rshrinking: 61 calls"
        "\r\x1b[2K"
    )
