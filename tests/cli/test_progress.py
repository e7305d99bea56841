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

    assert stream.getvalue() == (
        "\ra.json: 0 %\ra.json: 50 %\ra.json: 100 %\r\x1b[2K"
    )  # fmt: skip


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
