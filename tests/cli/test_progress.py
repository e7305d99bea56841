"""The progress line: on a terminal only, once a per cent, and gone at the end."""

from __future__ import annotations

import io

from workbench.cli.progress import Progress


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
