"""An export replaces what it wrote itself, and nothing of anybody else's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.casefile.samples import a_case
from workbench.casefile.case import load_case
from workbench.casefile.case_files import MAX_INLINE_BYTES
from workbench.errors import InputError
from workbench.review.vault import Vault
from workbench.review.written import require_free, write_case

pytestmark = pytest.mark.desk


def a_case_with(result):
    """Return a case whose first fixture answers with a result."""
    case = a_case()
    return replace(case, fixtures=(replace(case.fixtures[0], result=result), *case.fixtures[1:]))


def test_a_large_result_that_was_redacted_less_goes_with_its_case(tmp_path):
    """It would stay in the repository, a file that no case names."""
    vault, path = Vault(tmp_path / "keys"), tmp_path / "cases" / "x.case.yaml"
    write_case(a_case_with(["Ada" * MAX_INLINE_BYTES]), path, "d-1", vault)
    again = a_case_with(["Eve" * MAX_INLINE_BYTES])

    write_case(again, path, "d-1", vault)

    (beside,) = path.parent.rglob("*.json")
    assert "Ada" not in beside.read_text("utf-8")
    assert load_case(path).fixtures[0].result == again.fixtures[0].result


def test_what_is_written_twice_alike_stays_whole(tmp_path):
    """Its large result has the same name both times."""
    vault, path = Vault(tmp_path / "keys"), tmp_path / "x.case.yaml"
    case = a_case_with(["Ada" * MAX_INLINE_BYTES])

    for _ in range(3):
        write_case(case, path, "d-1", vault)

    assert load_case(path).fixtures[0].result == case.fixtures[0].result


def test_a_large_result_that_somebody_changed_is_not_replaced(tmp_path):
    """The file that names it is untouched, and still it is somebody's work."""
    vault, path = Vault(tmp_path / "keys"), tmp_path / "x.case.yaml"
    case = a_case_with(["Ada" * MAX_INLINE_BYTES])
    write_case(case, path, "d-1", vault)
    (beside,) = path.parent.rglob("*.json")
    beside.write_text('["mine"]', "utf-8")

    with pytest.raises(InputError, match="it was changed"):
        write_case(case, path, "d-1", vault)

    assert beside.read_text("utf-8") == '["mine"]'


def test_what_another_draft_wrote_is_in_the_way(tmp_path):
    """Only the draft that wrote it can write it again, as long as anybody remembers."""
    vault, path = Vault(tmp_path / "keys"), tmp_path / "x.case.yaml"
    vault.key("d-1")
    write_case(a_case(), path, "d-1", vault)
    before = path.read_bytes()

    assert require_free(path, "d-1", vault) == before
    assert require_free(tmp_path / "y.case.yaml", "d-1", vault) is None
    for draft, known in (("d-2", vault), ("d-1", Vault(tmp_path / "other"))):
        with pytest.raises(InputError, match="exists already"):
            write_case(a_case(), path, draft, known)
    vault.forget("d-1")
    with pytest.raises(InputError, match="exists already"):
        write_case(a_case(), path, "d-1", vault)
    assert path.read_bytes() == before


@pytest.mark.parametrize("what", ["folder", "link", "dangling link"])
def test_what_is_no_plain_file_is_in_the_way(tmp_path, what):
    """A link leads to somebody's file, whatever it holds."""
    vault, path = Vault(tmp_path / "keys"), tmp_path / "x.case.yaml"
    write_case(a_case(), tmp_path / "there.case.yaml", "d-1", vault)
    if what == "folder":
        path.mkdir()
    else:
        path.symlink_to(tmp_path / ("there.case.yaml" if what == "link" else "nowhere"))

    with pytest.raises(InputError, match="exists already"):
        write_case(a_case(), path, "d-1", vault)

    assert path.is_dir() or path.is_symlink()


@pytest.mark.parametrize("content", ["", "{}", "[", "\xff"])
def test_a_damaged_note_is_none(tmp_path, content):
    """Then nobody knows who wrote the file."""
    vault, path = Vault(tmp_path), tmp_path / "cases" / "x.case.yaml"
    write_case(a_case(), path, "d-1", vault)
    assert vault.wrote("d-1", path.read_bytes())

    (tmp_path / "d-1.written").write_text(content, "latin-1")

    assert not vault.wrote("d-1", path.read_bytes())
