"""Globs over places."""

from __future__ import annotations

import pytest

from workbench.errors import CaseFormatError
from workbench.redact.places import Survivors, like_places, parse_glob, place_text

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


@pytest.mark.parametrize(
    ("at", "like"),
    [
        ("#1.text", "user:text"),
        ("#2.result", "shop.find:result"),
        ('#2.result.items.12."a b".0', 'shop.find:result.items.*."a b".*'),
        ("#3.args", "retried:args"),
        ("#9.text", "#9.text"),
        ("tools.find.description", "tools.find.description"),
        ("contract.forbid_call.0.where.1", "contract.forbid_call.*.where.*"),
        ("#2.result.**.**.**", "shop.find:result.**.**.**"),
    ],
)
def test_like_places_are_those_of_such_events(at: str, like: str) -> None:
    """Whatever keys a tool answered with, a place has a sort, and its glob covers it."""
    kinds = {
        "#1": ("user_message", None),
        "#2": ("tool_result", "shop.find"),
        "#3": ("retried", None),
    }

    glob = like_places(at, kinds)

    assert glob.text == like
    if at.count("**") == 0:
        place = parse_glob(at).steps
        kind, tool = kinds.get(place[0], (None, None))
        assert glob.matches(place, kind=kind, tool=tool)
