"""Text for terminals: columns, masks and cuts."""

from __future__ import annotations

import io

import pytest

from workbench.model.jsonvalue import ABSENT
from workbench.runner.reports.text import bold, cut, masked, red, table, wants_colour


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (ABSENT, "-"),
        (None, "null"),
        (True, "true"),
        (4.5, "number"),
        ("Ada", "text(3)"),
        ([], "[]"),
        (["Ada"], "[text(3)]"),
        ([{"a": 1}, {}], "[2 x {a: number}]"),
        ({}, "{}"),
        ({"ada@example.com": 1}, "{key(15): number}"),
        ({"a": {"b": {"c": 1}}}, "{a: {b: {1 keys}}}"),
        ([[[["deep"]]]], "[[[…]]]"),
    ],
)
def test_masks_show_shape_and_no_text(value, shown: str):
    """What is shown may be pasted into a ticket."""
    assert masked(value) == shown


def test_cut_marks_what_is_missing():
    """A reader must see that there is more."""
    assert cut("abcdef", 4) == "abc…"
    assert cut("abc", 4) == "abc"


def test_columns_are_as_wide_as_their_longest_cell():
    """And no line ends in blanks."""
    assert table([("a", "bb"), ("ccc", "")], head=("x", "y")) == "x    y\na    bb\nccc"
    assert table([]) == ""


def test_colours_only_on_a_terminal_that_wants_them(monkeypatch: pytest.MonkeyPatch):
    """`NO_COLOR` is honoured."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())

    monkeypatch.setattr("sys.stdout", Terminal())
    assert bold("a") == "\x1b[1ma\x1b[0m"
    assert red("a") == "\x1b[31ma\x1b[0m"

    monkeypatch.setenv("NO_COLOR", "1")
    assert bold("a") == red("a") == "a"
