"""Comments survive every change of a case file, and a file is changed whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from tests.casefile.samples import FULL_CASE
from workbench.casefile.case import load_case, parse_case, save_case
from workbench.casefile.layout import SCHEMA_COMMENT, format_case
from workbench.errors import CaseFormatError
from workbench.model.contract import FixPlace
from workbench.review.edit import comments_of, formatted, rewrite_case, with_comments

LINES = (
    FULL_CASE.replace('"told too early"', '"told # too early"')
    .replace("reads the operation back", "reads #2 back")
    .replace("owner: billing-agents", "owner: billing#agents")
    .replace("run_id: run-7f3a", "run_id: 'run # 7f3a'")
    .splitlines()
)
"""A case in which `#` stands inside double quotes, single quotes and a plain text."""


def text_with(comments):
    """Return the sample with comments (line, where, text); every place of it allows one."""
    above: dict[int, list[str]] = {}
    beside: dict[int, list[str]] = {}
    for line, where, text in comments:
        (beside if where == "beside" else above).setdefault(line, []).append(text)
    done: list[str] = []
    for number, line in enumerate(LINES):
        done += [f"  # {text}" for text in above.get(number, [])]
        done.append("  # ".join([line, *beside.get(number, [])]))
    done += [f"# {text}" for text in above.get(len(LINES), [])]
    return "\n".join(done) + "\n"


def a_file(folder, text=FULL_CASE, name="a.case.yaml"):
    """Write a case file."""
    path = Path(folder) / name
    path.write_text(text, "utf-8")
    return path


WORDS = st.text("abcé #:'\"{[,-é日", min_size=1, max_size=12).map(lambda t: f"x{t}".strip())
PLACES = st.tuples(
    st.integers(0, len(LINES) - 1), st.sampled_from(["above", "beside"]), WORDS
) | st.tuples(st.just(len(LINES)), st.just("above"), WORDS)


@given(st.lists(PLACES, max_size=8))
@settings(max_examples=30, deadline=None)
def test_every_comment_survives_wherever_it_stood(comments):
    """A reviewer's remark that a tool deletes is a remark that nobody writes twice."""
    text = text_with(comments)
    case = parse_case(text, name="a.case.yaml")

    done = with_comments(format_case(case), comments_of(text, name="a"))

    kept = "\n".join(comment.text for comment in comments_of(done, name="a"))
    assert all(f"# {words}" in kept for _, _, words in comments)
    assert parse_case(done, name="a.case.yaml") == case


@given(st.lists(PLACES, max_size=8))
@settings(max_examples=30, deadline=None)
def test_formatting_twice_is_formatting_once(comments):
    """Else a pull request would show a change that nobody made."""
    text = text_with(comments)
    case = parse_case(text, name="a.case.yaml")

    once = with_comments(format_case(case), comments_of(text, name="a"))
    twice = with_comments(format_case(case), comments_of(once, name="a"))

    assert twice == once


@pytest.mark.parametrize(
    ("text", "comments"),
    [
        ("a: 'b # c'  # d\n", [("a", True, "# d")]),
        ('a: "b # c" # d\n', [("a", True, "# d")]),
        ("a: b#c # d\n", [("a", True, "# d")]),
        ("# d\na: b\n", [("a", False, "# d")]),
        ("a: b\n# d\n", [(None, False, "# d")]),
        ("a: | # d\n  b # c\n  e\n# f\n", [("a", True, "# d"), (None, False, "# f")]),
        ("a: |", []),
        ("a: >-\n  b # c\n\n# d\nb: 1\n", [("b", False, "# d")]),
        ("a:\n  # d\n  b: 1 # e\n", [("a.b", False, "# d"), ("a.b", True, "# e")]),
        ("a: [1, # d\n  2] # e\n", [("a", True, "# d"), ("a.1", True, "# e")]),
        ("a: [1]#d\n", [("a", True, "#d")]),
        ("a: b\r\n# d\r\nc: e # f\r\n", [("c", False, "# d"), ("c", True, "# f")]),
        ("{ # d\na: 1}\n", [(None, True, "# d")]),
        ("# d\n# e # f\n\n# g\na: 1\n", [("a", False, f"# {t}") for t in ("d", "e # f", "g")]),
        ("a: é # d\n", [("a", True, "# d")]),
        ("# d \na: 1\n", [("a", False, "# d")]),
    ],
)
def test_a_comment_belongs_to_the_value_beside_or_below_it(text, comments):
    """A `#` inside a text is no comment; libyaml decides where a text ends."""
    found = comments_of(text, name="a")

    assert [(c.key, c.beside, c.text) for c in found] == comments


def test_a_comment_moves_with_its_value():
    """Where the layout changes, the remark stays with what it speaks of."""
    text = FULL_CASE.replace("severity: S1", "# paged twice\nseverity: S1 # by hand")

    done = with_comments(format_case(parse_case(text, name="a")), comments_of(text, name="a"))

    assert "\n# paged twice\nseverity: S1  # by hand\n" in done


def test_a_comment_whose_value_is_gone_goes_to_what_held_it():
    """The remark is still worth reading; the last resort is the end of the file."""
    text = FULL_CASE.replace(
        "  - {id: f3, tool: billing.get_operation, args: {operation_id: op_1}, outcome: ok, result: {status: pending}, basis: declared, by: billing-agents, only: [verified]}\n",
        "",
    )
    comments = comments_of(
        FULL_CASE.replace("  - {id: f3", "  # declared by us\n  - {id: f3").replace(
            "trigger:", "# why it fails\ntrigger:"
        ),
        name="a",
    )
    case = replace(parse_case(text, name="a"), trigger=())

    done = with_comments(format_case(case), comments)

    assert "\n# declared by us\nfixtures:" in done
    assert done.endswith("\n# why it fails\n")


def test_the_note_for_the_editor_is_not_doubled(tmp_path):
    """The canonical layout starts with it; a formatted file has it already."""
    path = a_file(tmp_path, f"{SCHEMA_COMMENT}\n{FULL_CASE}")

    assert formatted(path).count(SCHEMA_COMMENT) == 1


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_are_those_of_the_layout(tmp_path, newline, mark):
    """An editor on another system must not change where comments go, nor the case."""
    path = tmp_path / "a.case.yaml"
    text = FULL_CASE.replace("severity: S1", "# é paged\nseverity: S1 # twice")
    path.write_bytes((mark + text.replace("\n", newline)).encode())

    rewrite_case(path, load_case(path), was=load_case(path))

    written = path.read_bytes().decode()
    assert "\n# é paged\nseverity: S1  # twice\n" in written
    assert "\r" not in written
    assert written == formatted(path)


def test_what_is_no_utf_8_is_an_error_of_the_file(tmp_path):
    """A saved-as mistake is not our bug."""
    path = tmp_path / "a.case.yaml"
    path.write_bytes(b"title: caf\xe9\n")

    with pytest.raises(CaseFormatError, match=r"not UTF-8 text\n  Fix: "):
        formatted(path)


def test_large_results_stay_in_their_files(tmp_path):
    """A case with a `$file` can be accepted and activated as any other."""
    case = parse_case(FULL_CASE, name="a")
    large = replace(case.fixtures[0], result={"text": "x" * 40_000})
    path = tmp_path / "a.case.yaml"
    save_case(replace(case, fixtures=(large, *case.fixtures[1:])), path)
    loaded = load_case(path)

    rewrite_case(path, replace(loaded, owner="somebody-else"), was=loaded)

    again = load_case(path)
    assert (again.owner, again.fixtures) == ("somebody-else", loaded.fixtures)
    assert path.stat().st_size < 10_000
    assert len([*(tmp_path / f"{case.id}.files").iterdir()]) == 1


def test_a_new_large_result_moves_out_of_the_case(tmp_path):
    """An accepted path may bring a result that does not belong into a reviewed file."""
    path = a_file(tmp_path)
    case = load_case(path)
    large = replace(case.fixtures[0], result={"text": "x" * 40_000})

    rewrite_case(path, replace(case, fixtures=(large, *case.fixtures[1:])), was=case)

    assert path.stat().st_size < 10_000
    assert load_case(path).fixtures[0].result == large.result


def test_the_mode_of_the_file_stays(tmp_path):
    """A case that a team may read must not become private by formatting."""
    path = a_file(tmp_path)
    path.chmod(0o640)

    rewrite_case(path, load_case(path), was=load_case(path))

    assert path.stat().st_mode & 0o777 == 0o640


def test_a_case_that_would_not_read_back_is_not_written(tmp_path):
    """The old file is worth more than a new one that says something else."""
    path = a_file(tmp_path)
    case = load_case(path)
    large = replace(case.fixtures[0], result={"text": "x" * 40_000})
    shown = replace(
        case,
        contract=replace(case.contract, fix=FixPlace.CODE),
        fixtures=(large, *case.fixtures[1:]),
    )

    with pytest.raises(CaseFormatError, match="reads back the same"):
        rewrite_case(path, shown, was=case)

    assert path.read_text("utf-8") == FULL_CASE
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.case.yaml"]


def test_a_folder_that_takes_no_file_is_an_error(tmp_path, monkeypatch):
    """A full disk ends in one line, and nothing is left lying about."""
    path = a_file(tmp_path)
    case = load_case(path)

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CaseFormatError, match="No space left on device"):
        rewrite_case(path, case, was=case)

    assert [entry.name for entry in tmp_path.iterdir()] == ["a.case.yaml"]
    assert path.read_text("utf-8") == FULL_CASE


KILLED = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from workbench.casefile.case import load_case
from workbench.review.edit import rewrite_case

path = Path(sys.argv[1])
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
was = load_case(path)
rewrite_case(path, replace(was, owner="somebody-else"), was=was)
"""


def test_killed_midway_leaves_the_old_file_whole(tmp_path):
    """A case is reviewed text; half of it is worth nothing."""
    path = a_file(tmp_path)

    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)

    assert done.returncode == -signal.SIGKILL
    assert path.read_text("utf-8") == FULL_CASE
    assert load_case(path).owner == "billing-agents"


def test_interrupted_midway_leaves_nothing_behind(tmp_path, monkeypatch):
    """Ctrl-C is no reason for a stray file in a repository."""
    path = a_file(tmp_path)
    case = load_case(path)

    def interrupted(_handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rewrite_case(path, case, was=case)

    assert [entry.name for entry in tmp_path.iterdir()] == ["a.case.yaml"]


def test_a_change_that_somebody_else_made_meanwhile_is_not_lost(tmp_path):
    """Two reviewers accept at once: the second is told, instead of undoing the first in silence."""
    path = a_file(tmp_path)
    was = load_case(path)
    rewrite_case(path, replace(was, owner="the-first"), was=was)

    with pytest.raises(CaseFormatError, match=r"changed by another command(.|\n)*Fix: "):
        rewrite_case(path, replace(was, owner="the-second"), was=was)

    assert load_case(path).owner == "the-first"


ADDS_ITS_TAG = """
import sys, time
from dataclasses import replace
from pathlib import Path
from workbench.casefile.case import load_case
from workbench.errors import CaseFormatError
from workbench.review.edit import rewrite_case

path = Path(sys.argv[1])
for attempt in range(200):
    was = load_case(path)
    try:
        rewrite_case(path, replace(was, tags=(*was.tags, sys.argv[2])), was=was)
        break
    except CaseFormatError as error:
        assert "another command" in str(error), error
"""


def test_commands_that_change_one_case_at_once_lose_nothing(tmp_path):
    """Each either wrote on top of the other's change or was refused and came again."""
    path = a_file(tmp_path)
    names = [f"tag-{n}" for n in range(4)]
    running = [
        subprocess.Popen([sys.executable, "-c", ADDS_ITS_TAG, str(path), name]) for name in names
    ]

    assert [process.wait(60) for process in running] == [0] * len(names)

    assert set(names) <= set(load_case(path).tags)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.case.yaml"]


def test_a_link_to_a_case_stays_a_link(tmp_path):
    """Replacing the link would leave the case that it names as it was."""
    path = a_file(tmp_path)
    link = tmp_path / "b.case.yaml"
    link.symlink_to(path.name)
    was = load_case(link)

    rewrite_case(link, replace(was, owner="somebody-else"), was=was)

    assert link.is_symlink()
    assert load_case(path).owner == "somebody-else"
