"""Keys of drafts: private files, loaded, forgotten for good."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from workbench.errors import InputError
from workbench.redact.keys import (
    KEY_BYTES,
    forget_key,
    key_folder,
    load_key,
    new_key,
    read_key_file,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_a_key_is_private_and_comes_back(tmp_path: Path) -> None:
    """Only its owner may read it."""
    key = new_key("d-5b1e07", folder=tmp_path / "keys")

    assert load_key("d-5b1e07", folder=tmp_path / "keys") == key
    assert len(key) == KEY_BYTES
    assert stat.S_IMODE((tmp_path / "keys" / "d-5b1e07").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_a_draft_has_one_key(tmp_path: Path) -> None:
    """A second key would give other pseudonyms."""
    new_key("d-1", folder=tmp_path)

    with pytest.raises(InputError, match="has a key already"):
        new_key("d-1", folder=tmp_path)


def test_a_forgotten_key_is_gone(tmp_path: Path) -> None:
    """Nothing can be computed back afterwards."""
    new_key("d-1", folder=tmp_path)

    forget_key("d-1", folder=tmp_path)

    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="has no key in "):
        load_key("d-1", folder=tmp_path)
    with pytest.raises(InputError, match="has no key in "):
        forget_key("d-1", folder=tmp_path)


@pytest.mark.parametrize("draft", ["", "../x", "a/b", ".hidden", "x" * 81])
def test_an_id_is_no_path(draft: str, tmp_path: Path) -> None:
    """An id from a file must not reach other files."""
    with pytest.raises(InputError, match="no draft id"):
        load_key(draft, folder=tmp_path)


def test_the_folder_is_the_environment_s(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It lies outside the repository and the store."""
    monkeypatch.setenv("WORKBENCH_KEYS", str(tmp_path))
    assert key_folder() == tmp_path

    monkeypatch.delenv("WORKBENCH_KEYS")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert key_folder() == tmp_path / ".local/share/incident-workbench/keys"


def test_a_key_file_is_bytes_or_hex(tmp_path: Path) -> None:
    """Files without a store bring their own key."""
    key = bytes(range(32))
    (tmp_path / "raw").write_bytes(key)
    (tmp_path / "hex").write_text(key.hex() + "\n")
    (tmp_path / "short").write_bytes(b"x")
    (tmp_path / "odd").write_text("z" * 64)

    assert read_key_file(tmp_path / "raw") == key
    assert read_key_file(tmp_path / "hex") == key
    for name in ("short", "odd"):
        with pytest.raises(InputError, match="expected 32"):
            read_key_file(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        read_key_file(tmp_path / "none")


def test_folders_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    """A file where the folder should be."""
    (tmp_path / "file").write_text("")

    with pytest.raises(InputError, match="cannot be written"):
        new_key("d-1", folder=tmp_path / "file")
    with pytest.raises(InputError, match="cannot be read"):
        load_key("d-1", folder=tmp_path / "file")
    with pytest.raises(InputError, match="cannot be deleted"):
        forget_key("d-1", folder=tmp_path / "file")
