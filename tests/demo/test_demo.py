"""The demo itself: it runs the whole line, says so truthfully, and touches nothing else."""

from __future__ import annotations

import pytest

from workbench.casefile.case import load_case
from workbench.demo.__main__ import main, play
from workbench.demo.files import bundled_files
from workbench.demo.steps import CASE, Step
from workbench.errors import InputError
from workbench.model.case import CaseState

RAW_VALUES = (
    "Helen",
    "Carter",
    "helen.carter",
    "415 555 0132",
    "4471902",
    "cus_58213",
)
"""Personal data of the incident that is near what survives."""


@pytest.mark.slow
@pytest.mark.desk
def test_the_demo_ends_with_an_active_case_that_tells_the_two_agents_apart(tmp_path, capsys):
    """This is what the product promises, in one command."""
    folder = tmp_path / "a demo"

    status = main([str(folder)])

    shown = capsys.readouterr().out
    case = load_case(folder / CASE)
    text = (folder / CASE).read_text("utf-8")
    assert status == 0, shown
    assert case.state is CaseState.ACTIVE
    assert case.shrink is not None
    assert case.shrink.events[0] == 134
    assert case.shrink.events[1] <= 20
    assert case.shrink.minimal.behaviour
    assert case.redaction is not None
    assert (case.redaction.unreviewed, case.redaction.residue.hits) == (0, 0)
    assert not [value for value in RAW_VALUES if value in text]
    assert "trailing_space" in {fact for note in case.trigger for fact in note.facts}
    assert "134 -> " in shown
    assert "trailing_space" in shown[shown.index("What happened") :]


def test_a_folder_that_holds_other_files_is_left_alone(tmp_path, capsys):
    """The demo removes its folder when it starts; it must not be somebody's."""
    (tmp_path / "thesis.txt").write_text("years of work")

    status = main([str(tmp_path)])

    assert status == 4
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
    assert "Fix: name another folder" in capsys.readouterr().err


def test_the_quickstart_and_the_demo_share_a_folder(tmp_path):
    """The notebook works in `demo-out/quickstart`; that must not stop `make demo`."""
    first = bundled_files(tmp_path / "demo-out" / "quickstart")
    (first.folder / "store").mkdir()

    again = bundled_files(first.folder)
    whole = bundled_files(tmp_path / "demo-out")

    assert again == first
    assert not first.folder.exists()
    assert sorted(path.name for path in whole.folder.iterdir()) == [
        "contract.yaml",
        "incident.json",
        "made-by-workbench-demo",
        "redaction.yaml",
        "workbench.toml",
    ]


def test_a_link_to_a_folder_is_left_alone(tmp_path):
    """Removing what it points at would be a surprise."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    with pytest.raises(InputError, match="did not make"):
        bundled_files(tmp_path / "link")


def test_a_file_in_place_of_the_folder_is_left_alone(tmp_path):
    """A mistyped argument costs nothing."""
    (tmp_path / "notes").write_text("mine")

    assert main([str(tmp_path / "notes")]) == 4
    assert (tmp_path / "notes").read_text() == "mine"


def test_a_step_that_returns_another_code_ends_the_demo(tmp_path, capsys):
    """A demo that goes on after a failure would show a lie."""
    todo = (
        Step(title="One", why="It is a usage error.", words=("no-such-command",), expected=4),
        Step(title="Two", why="It is one too.", words=("no-such-command",), expected=0),
        Step(title="Three", why="It is never reached.", words=("--version",)),
    )

    assert not play(todo, tmp_path)

    shown = capsys.readouterr().out
    assert "$ workbench no-such-command" in shown
    assert "The command returned 4; expected 0. The demo ends." in shown
    assert "Three" not in shown


def test_long_output_is_cut_in_the_middle_and_says_so(tmp_path, capsys):
    """A reader sees how it starts and how it ends."""
    todo = (Step(title="One", why="Look.", words=("--help",), head=2, tail=1),)

    assert play(todo, tmp_path)

    assert "lines more ..." in capsys.readouterr().out
