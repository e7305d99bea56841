"""Keys and replaced values: for their owner alone, and gone together."""

from __future__ import annotations

import pytest

from workbench.errors import InputError
from workbench.redact.residue import Needle
from workbench.review.vault import Vault

pytestmark = pytest.mark.desk

NEEDLES = (
    Needle(text="Ada Lovelace", label="PERSON"),
    Needle(text="Ada", exact_case=True, label="PERSON"),
    Needle(text="é\u2028\ud83d", label="OTHER"),
)


def mode_of(path):
    """Return who may do what with a file."""
    return path.stat().st_mode & 0o777


def test_only_the_owner_may_read_keys_and_values(tmp_path):
    """They give every original value back."""
    folder = tmp_path / "deep" / "keys"
    vault = Vault(folder)

    vault.key("d-1")
    vault.keep("d-1", NEEDLES)

    assert mode_of(folder) == 0o700
    assert {path.name: mode_of(path) for path in folder.iterdir()} == {
        "d-1": 0o600,
        "d-1.values": 0o600,
    }


def test_values_alone_make_a_private_folder(tmp_path):
    """With a key of one's own the vault holds values only."""
    vault = Vault(tmp_path / "keys")

    vault.keep("d-1", NEEDLES)

    assert mode_of(tmp_path / "keys") == 0o700


def test_a_draft_keeps_its_key(tmp_path):
    """Else the same person would get another pseudonym."""
    vault = Vault(tmp_path)

    first = vault.key("d-1")

    assert len(first) == 32
    assert vault.key("d-1") == vault.known_key("d-1") == first
    assert vault.key("d-2") != first


def test_values_come_back_as_they_were(tmp_path):
    """Also what no terminal shows."""
    vault = Vault(tmp_path)

    vault.keep("d-1", NEEDLES)

    assert vault.needles("d-1") == NEEDLES


def test_the_newest_redaction_counts(tmp_path):
    """A person who retains a value redacts again; it is searched for no more."""
    vault = Vault(tmp_path)
    vault.keep("d-1", NEEDLES)

    vault.keep("d-1", NEEDLES[:1])

    assert vault.needles("d-1") == NEEDLES[:1]


def test_key_and_values_are_forgotten_together(tmp_path):
    """A value that outlives its key is a leak that nobody looks for."""
    vault = Vault(tmp_path)
    vault.key("d-1")
    vault.keep("d-1", NEEDLES)

    vault.forget("d-1")

    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="has no key in "):
        vault.known_key("d-1")


def test_values_without_a_key_are_forgotten_all_the_same(tmp_path):
    """The key may have been deleted by hand."""
    vault = Vault(tmp_path)
    vault.keep("d-1", NEEDLES)

    with pytest.raises(InputError, match="nothing is left to forget"):
        vault.forget("d-1")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [None, "", "{}x", "[[1]]", '{"a": 1}', "\xff"])
def test_values_that_are_not_there_or_damaged_are_an_error(tmp_path, content):
    """Exporting without the search would be a silent leak."""
    if content is not None:
        (tmp_path / "d-1.values").write_text(content, "latin-1")

    with pytest.raises(
        InputError, match=r"are not in .*\n  Fix: type the command where .* WORKBENCH_KEYS"
    ):
        Vault(tmp_path).needles("d-1")


def test_a_folder_that_takes_nothing_is_an_error(tmp_path):
    """A file in its place, a full disk."""
    (tmp_path / "keys").write_text("a file")

    with pytest.raises(InputError, match=r"cannot be kept .*\n  Fix: set WORKBENCH_KEYS"):
        Vault(tmp_path / "keys").keep("d-1", NEEDLES)


@pytest.mark.parametrize("draft", ["../d-1", "", "a/b", "d-1\n", "x" * 81])
def test_a_draft_of_another_name_leads_nowhere(tmp_path, draft):
    """The id comes from a case file, and that may come from anybody."""
    vault = Vault(tmp_path / "keys")
    (tmp_path / "d-1.values").write_text("[]")

    for use in (vault.forget, vault.needles, vault.known_key, lambda d: vault.keep(d, ())):
        with pytest.raises(InputError, match="d-5b1e07"):
            use(draft)

    assert (tmp_path / "d-1.values").exists()


def test_without_a_folder_the_users_own_is_used(tmp_path, monkeypatch):
    """Outside the repository and the store."""
    monkeypatch.setenv("WORKBENCH_KEYS", str(tmp_path / "own"))

    Vault().key("d-1")

    assert (tmp_path / "own" / "d-1").exists()
