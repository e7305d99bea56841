"""Results that lie beside their case."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.casefile.samples import a_case, changed, text_of
from workbench.casefile.case import load_case, parse_case, save_case
from workbench.casefile.case_files import MAX_INLINE_BYTES, name_results, results_written
from workbench.casefile.digest import case_digest
from workbench.errors import CaseFormatError

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.model.jsonvalue import Json

LARGE: Json = {"pages": ["x" * MAX_INLINE_BYTES, "漢字 😀"]}
ID = "pause-with-unknown-outcome"


def a_large_case() -> Case:
    """Return the sample with one result of more than 32 KB."""
    case = a_case()
    return replace(case, fixtures=(replace(case.fixtures[0], result=LARGE), *case.fixtures[1:]))


def test_a_large_result_lies_beside_the_case_under_its_digest(tmp_path: Path) -> None:
    """A reviewer reads the case, not 32 KB of a web page."""
    save_case(a_large_case(), tmp_path / "a.case.yaml")

    case = load_case(tmp_path / "a.case.yaml")

    files = list((tmp_path / f"{ID}.files").iterdir())
    assert [hashlib.sha256(file.read_bytes()).hexdigest() for file in files] == [files[0].stem]
    assert case.fixtures[0].file == f"{ID}.files/{files[0].name}"
    assert case.fixtures[0].result == LARGE
    assert len((tmp_path / "a.case.yaml").read_bytes()) < MAX_INLINE_BYTES


def test_saving_a_loaded_case_elsewhere_takes_its_large_results_along(tmp_path: Path) -> None:
    """A copy of a case is whole."""
    save_case(a_large_case(), tmp_path / "a.case.yaml")
    case = load_case(tmp_path / "a.case.yaml")

    save_case(case, tmp_path / "b" / "a.case.yaml")
    save_case(case, tmp_path / "b" / "twin.case.yaml")

    assert load_case(tmp_path / "b" / "a.case.yaml") == case
    assert load_case(tmp_path / "b" / "twin.case.yaml") == case


def test_a_changed_large_result_is_refused(tmp_path: Path) -> None:
    """Its digest is its name, so a change is evident."""
    save_case(a_large_case(), tmp_path / "a.case.yaml")
    next((tmp_path / f"{ID}.files").iterdir()).write_text("{}")

    with pytest.raises(CaseFormatError, match="another digest"):
        load_case(tmp_path / "a.case.yaml")


def test_the_digest_of_a_case_covers_its_large_results(tmp_path: Path) -> None:
    """Else two cases that answer differently would count as one."""
    save_case(a_large_case(), tmp_path / "a.case.yaml")
    case = load_case(tmp_path / "a.case.yaml")
    other = replace(case.fixtures[0], file=f"{ID}.files/{'0' * 64}.json")

    assert case_digest(replace(case, fixtures=(other, *case.fixtures[1:]))) != case_digest(case)


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        f"../{ID}.files/{'0' * 64}.json",
        f"{ID}.files/../../{'0' * 64}.json",
        f"other.files/{'0' * 64}.json",
        f"{ID}.files/{'0' * 63}.json",
        f"{ID}.files/{'0' * 64}.json/..",
    ],
)
def test_a_name_that_leads_out_of_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    """A case from somebody else must not read a file of ours."""
    text = text_of(changed("fixtures.0.$file", name))

    with pytest.raises(CaseFormatError, match=r"expected pause-with-unknown-outcome\.files/"):
        parse_case(text, name="a", folder=tmp_path)


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    """A link is a way out that the name does not show."""
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    digest = hashlib.sha256(b"{}").hexdigest()
    folder = tmp_path / "cases"
    (folder / f"{ID}.files").mkdir(parents=True)
    (folder / f"{ID}.files" / f"{digest}.json").symlink_to(secret)
    document = changed("fixtures.1.$file", f"{ID}.files/{digest}.json")

    with pytest.raises(CaseFormatError, match="leads out of the case's folder"):
        parse_case(text_of(document), name="a", folder=folder)


def test_a_result_and_a_file_exclude_one_another(tmp_path: Path) -> None:
    """Nobody could tell which of the two answers."""
    text = text_of(changed("fixtures.0.$file", f"{ID}.files/{'0' * 64}.json"))

    with pytest.raises(CaseFormatError, match="stands beside a result"):
        parse_case(text, name="a", folder=tmp_path)


def test_a_text_without_folder_has_no_files() -> None:
    """`parse_case` reads nothing from a disk unless it is told where."""
    text = text_of(changed("fixtures.1.$file", f"{ID}.files/{'0' * 64}.json"))

    with pytest.raises(CaseFormatError, match="load the case from its folder"):
        parse_case(text, name="a")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Somebody forgot to commit the folder."""
    text = text_of(changed("fixtures.1.$file", f"{ID}.files/{'0' * 64}.json"))

    with pytest.raises(CaseFormatError, match="cannot be read"):
        parse_case(text, name="a", folder=tmp_path)


@pytest.mark.parametrize("id_", ["../out", "a/b", "..", "/etc/x", ""])
def test_an_unsafe_id_writes_nothing_anywhere(tmp_path: Path, id_: str) -> None:
    """An id names the folder of the results; it must not lead out of the case's own."""
    folder = tmp_path / "area" / "cases"

    with pytest.raises(CaseFormatError, match=r"(?s)id is a string.*Fix: "):
        save_case(replace(a_large_case(), id=id_), folder / "a.case.yaml")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("id_", ["../out", "/etc/x"])
def test_results_are_written_below_the_folder_of_their_case_only(tmp_path: Path, id_: str) -> None:
    """Whoever writes a case, checked or not, cannot be led elsewhere."""
    case = name_results(replace(a_large_case(), id=id_))

    with (
        pytest.raises(CaseFormatError, match=r"(?s)would be written to.*Fix: "),
        results_written(case, tmp_path / "cases"),
    ):
        pytest.fail("the case would be written now")

    assert list(tmp_path.iterdir()) == []


def test_a_case_that_cannot_be_written_leaves_no_results(tmp_path: Path) -> None:
    """Results without their case are rubbish in a repository; what was there before stays."""
    (tmp_path / "a.case.yaml").symlink_to("nowhere/else.yaml")
    case = a_large_case()

    with pytest.raises(CaseFormatError, match="exists already"):
        save_case(case, tmp_path / "a.case.yaml")

    assert [entry.name for entry in tmp_path.iterdir()] == ["a.case.yaml"]
    save_case(case, tmp_path / "b.case.yaml")
    kept = list((tmp_path / f"{ID}.files").iterdir())
    with pytest.raises(KeyboardInterrupt), results_written(name_results(case), tmp_path):
        raise KeyboardInterrupt
    assert list((tmp_path / f"{ID}.files").iterdir()) == kept


def test_an_interrupted_write_takes_its_results_back(tmp_path: Path) -> None:
    """Ctrl-C between the results and the case leaves the folder as it was."""
    seen: list[str] = []

    def interrupted() -> None:
        with results_written(name_results(a_large_case()), tmp_path):
            seen.extend(entry.name for entry in tmp_path.iterdir())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert seen == [f"{ID}.files"]
    assert list(tmp_path.iterdir()) == []


def test_a_place_for_results_that_is_taken_is_named(tmp_path: Path) -> None:
    """A file stands where their folder has to be."""
    (tmp_path / f"{ID}.files").write_text("mine")

    with pytest.raises(CaseFormatError, match="Fix:"):
        save_case(a_large_case(), tmp_path / "a.case.yaml")

    assert [file.name for file in tmp_path.iterdir()] == [f"{ID}.files"]
