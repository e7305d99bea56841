"""A review is held in a copy of the notebook, so that nothing it shows can be committed."""

from __future__ import annotations

import pytest

from tools import working_copies
from tools.working_copies import COPIES, ORIGINALS, copy_notebooks, main


@pytest.fixture
def originals(tmp_path):
    """A folder with two notebooks."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    (folder / "01_a.ipynb").write_text("{}")
    (folder / "02_b.ipynb").write_text("{}")
    return folder


def test_a_copy_is_made_once_and_then_kept(originals, tmp_path):
    """A person's parameters and what the views said are in it."""
    copies = tmp_path / "reviews"

    first = copy_notebooks(originals, copies)
    (copies / "01_a.ipynb").write_text('{"mine": 1}')
    again = copy_notebooks(originals, copies)

    assert [path.name for path in first] == ["01_a.ipynb", "02_b.ipynb"]
    assert again == []
    assert (copies / "01_a.ipynb").read_text() == '{"mine": 1}'
    assert (originals / "01_a.ipynb").read_text() == "{}"


def test_a_notebook_that_changed_is_copied_anew_and_the_old_copy_stays(originals, tmp_path):
    """An old notebook may not run any more; what a person wrote into it is still there."""
    copies = tmp_path / "reviews"
    copy_notebooks(originals, copies)
    for version in (1, 2):
        (copies / "01_a.ipynb").write_text(f'{{"mine": {version}}}')
        (originals / "01_a.ipynb").write_text(f'{{"new": {version}}}')
        assert [path.name for path in copy_notebooks(originals, copies)] == ["01_a.ipynb"]

    assert (copies / "01_a.ipynb").read_text() == '{"new": 2}'
    assert (copies / "01_a.old-1.ipynb").read_text() == '{"mine": 1}'
    assert (copies / "01_a.old-2.ipynb").read_text() == '{"mine": 2}'


@pytest.mark.parametrize("damaged", ["", "[]", "{"])
def test_a_note_that_cannot_be_read_loses_no_copy(originals, tmp_path, damaged):
    """Then nobody knows what the copy was made of, and it is kept under another name."""
    copies = tmp_path / "reviews"
    copy_notebooks(originals, copies)
    (copies / "01_a.ipynb").write_text('{"mine": 1}')
    (copies / ".made-from.json").write_text(damaged)

    copy_notebooks(originals, copies)

    assert (copies / "01_a.ipynb").read_text() == "{}"
    assert (copies / "01_a.old-1.ipynb").read_text() == '{"mine": 1}'
    assert not (copies / "02_b.old-1.ipynb").exists()


def test_what_was_copied_is_said_once(originals, tmp_path, monkeypatch, capsys):
    """`make lab` says where the copies are; the second time there is nothing to say."""
    monkeypatch.setattr(working_copies, "ORIGINALS", originals)
    monkeypatch.setattr(working_copies, "COPIES", tmp_path / "reviews")

    main()
    first = capsys.readouterr().out
    main()

    assert first == "your copies of the notebooks are in reviews/: 01_a.ipynb, 02_b.ipynb\n"
    assert capsys.readouterr().out == ""


def test_git_ignores_the_copies_and_they_see_the_same_folders():
    """The parameters name `../parquet_store` and `../cases`: a copy has to lie as deep."""
    ignored = (ORIGINALS.parent / ".gitignore").read_text("utf-8").splitlines()

    assert f"{COPIES.name}/" in ignored
    assert COPIES.parent == ORIGINALS.parent
