"""The README's table of commands."""

from __future__ import annotations

import pytest

from tools import command_table
from workbench.cli.main import COMMANDS


def test_the_readme_shows_the_flags_that_there_are():
    """Written once and forgotten, it would lie soon. Fix: python -m tools.command_table."""
    text = command_table.README.read_text("utf-8")

    assert command_table.with_table(text) == text


def test_the_table_names_every_command_with_its_flags():
    """One row each; a bar inside a cell is escaped."""
    rows = command_table.render().splitlines()[2:]

    assert [row.split()[2].strip("`") for row in rows] == list(COMMANDS)
    assert all(row.replace("\\|", "").count("|") == 3 for row in rows)


def test_a_readme_without_a_place_for_it_is_an_error():
    """Silence would leave the old table standing."""
    with pytest.raises(ValueError, match="no place"):
        command_table.with_table("# A title\n")
