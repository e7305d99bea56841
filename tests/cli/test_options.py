"""Where things lie, and how a command speaks."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from workbench.cli.options import complain, keys_folder, print_json, relative, settings_of, store_of
from workbench.cli.parser import parser_of


def test_the_store_lies_beside_the_settings_unless_a_flag_says_otherwise(folder, monkeypatch):
    """A command in a subfolder means the same store."""
    (folder / "workbench.toml").write_text('[folders]\nstore = "raw"\n')
    (folder / "sub").mkdir()
    monkeypatch.chdir(folder / "sub")

    assert store_of(Namespace(store=None), settings_of()) == str(folder / "raw")
    assert store_of(Namespace(store="x"), settings_of()) == "x"


def test_without_settings_the_store_is_here(folder):
    """`workbench ingest` works in any folder."""
    assert store_of(Namespace(store=None), settings_of()) == "parquet_store"


def test_keys_lie_where_the_environment_says_then_the_settings(folder, monkeypatch):
    """Keys are outside the repository unless somebody decides otherwise."""
    (folder / "workbench.toml").write_text('[folders]\nkeys = "mine"\n')

    assert keys_folder(settings_of()) == folder.parent / "keys"
    monkeypatch.delenv("WORKBENCH_KEYS")
    assert keys_folder(settings_of()) == folder / "mine"
    (folder / "workbench.toml").unlink()
    assert keys_folder(settings_of()) is None


def test_a_broken_settings_file_ends_every_command(folder, shell):
    """A key that is not read as meant is a trap."""
    (folder / "workbench.toml").write_text("[folder]\nstore = 'raw'\n")

    said = shell("runs")

    assert said.status == 4
    assert "workbench.toml" in said.err
    assert "Fix: write folders" in said.err


def test_complaints_are_harmless_and_keep_their_lines(capsys):
    """A name in a hostile file is part of some of them."""
    complain("a\x1b[2J\nb\u202e")

    assert capsys.readouterr().err == "a\\x1b[2J\nb\\u202e\n"


def test_a_document_is_ascii(capsys):
    """No terminal obeys it, and every reader takes it."""
    print_json({"a": "\x1b\u202e\ud83d"})

    shown = capsys.readouterr().out
    assert shown.isascii()
    assert json.loads(shown) == {"a": "\x1b\u202e\ud83d"}


def test_paths_are_shown_as_a_person_would_type_them(folder):
    """Relative below here, in full elsewhere, and harmless."""
    assert relative(folder / "a" / "b") == "a/b"
    assert relative(Path("/elsewhere/x")) == "/elsewhere/x"
    assert relative(folder / "a\x1bb") == "a\\x1bb"


def test_a_known_flag_with_a_wrong_value_is_not_called_mistyped(capsys):
    """The fix would name the flag that is there already."""

    def add_arguments(parser):
        parser.add_argument("--n", type=int)

    parser = parser_of("probe", "end", add_arguments)

    with pytest.raises(SystemExit) as stop:
        parser.parse_args(["--n", "x"])

    assert stop.value.code == 4
    assert "Fix: workbench probe --help" in capsys.readouterr().err
