"""Globs over places."""

from __future__ import annotations

import pytest

from workbench.errors import CaseFormatError
from workbench.redact.places import Survivors, parse_glob, place_text

PLACE = ("#17", "args", "customer", "e.mail", 0)


@pytest.mark.parametrize(
    ("glob", "matches"),
    [
        ("#17.args.customer", True),
        ("#17", True),
        ("#16", False),
        ('**."e.mail"', True),
        ("**.phone", False),
        ("*.args.**.0", True),
        ("billing.pause:args.customer", True),
        ("billing.*:args", True),
        ("other:args", False),
        ("tool_call:args", True),
        ("user:text", False),
        ("#17.args.customer.*.0.more", False),
    ],
)
def test_a_glob_covers_a_place(glob: str, *, matches: bool) -> None:
    """A glob covers its place and everything below it."""
    assert parse_glob(glob).matches(PLACE, kind="tool_call", tool="billing.pause") is matches


def test_words_for_kinds() -> None:
    """People write `user:text`, not the name of the event."""
    assert parse_glob("user:text").matches(("#1", "text"), kind="user_message")
    assert not parse_glob("user:text").matches(("run_id",))


def test_a_place_without_steps_is_refused() -> None:
    """An empty glob would cover everything."""
    with pytest.raises(CaseFormatError, match="expected steps"):
        parse_glob("")


def test_survivors_are_exact_places_or_globs() -> None:
    """Raw text and what was read from it are one place."""
    survivors = Survivors(["#3.args_raw", "#4.text", "user:text"])

    assert survivors.cover(("#3", "args", "x"))
    assert survivors.cover(("#4", "text"))
    assert survivors.cover(("#9", "text"), kind="user_message")
    assert not survivors.cover(("#5", "text"), kind="claim")


def test_odd_steps_are_written_as_json() -> None:
    """The text can be read back."""
    assert place_text(PLACE) == '#17.args.customer."e.mail".0'
