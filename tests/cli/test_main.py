"""The command line: dispatch, and the one place where every error ends."""

from __future__ import annotations

import importlib
import io
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.probe import PRIVATE_TEXT
from workbench.cli.main import COMMANDS, main


@pytest.fixture(autouse=True)
def probe(monkeypatch):
    """A command for these tests only."""
    monkeypatch.setitem(COMMANDS, "probe", ("tests.cli.probe", "end as asked"))


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_of_the_table_exists(command):
    """The table holds names as text, so nothing else would notice a missing module."""
    module = importlib.import_module(COMMANDS[command][0])

    assert callable(module.add_arguments)
    assert callable(importlib.import_module(module.WORK).execute)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_says_what_its_flags_are(command, capsys):
    """A reader finds each command's flags without the documentation."""
    status = main([command, "--help"])

    assert status == 0
    assert f"usage: workbench {command}" in capsys.readouterr().out


def test_the_overview_names_every_command_and_exit_code(capsys):
    """`workbench --help` is the page that people read first."""
    status = main(["--help"])

    shown = capsys.readouterr().out
    assert status == 0
    assert all(
        f"  {name} " in shown and summary in shown for name, (_, summary) in COMMANDS.items()
    )
    assert "6 inconclusive" in shown


def test_no_command_is_a_usage_error(capsys):
    """A script that lost its argument must not look green."""
    status = main([])

    shown = capsys.readouterr()
    assert (status, shown.out) == (4, "")
    assert "usage: workbench" in shown.err


def test_the_version_is_that_of_the_distribution(capsys):
    """A bug report needs it."""
    status = main(["--version"])

    assert status == 0
    assert capsys.readouterr().out == "workbench 0.1.0\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["jugde"], "workbench: there is no command 'jugde'\n  Fix: workbench judge\n"),
        (["xyzzy"], "workbench: there is no command 'xyzzy'\n  Fix: workbench --help\n"),
        (["--jsno"], "workbench: --jsno is no flag here; expected a command, --help or --version"),
        (["--help", "run"], "workbench: --help is no flag here"),
        (["probe", "ok", "--jsno"], "unrecognized arguments: --jsno\n  Fix: write --json\n"),
        (["probe", "ok", "--js"], "unrecognized arguments: --js\n  Fix: write --json\n"),
        (["probe"], "arguments are required: ending\n  Fix: workbench probe --help\n"),
    ],
)
def test_a_mistyped_word_ends_with_4_and_the_nearest(words, message, capsys):
    """2, argparse's own code, means "interrupted" here; abbreviations are not accepted."""
    status = main(words)

    shown = capsys.readouterr()
    assert (status, shown.out) == (4, "")
    assert message in shown.err


@pytest.mark.parametrize(
    ("ending", "status", "message"),
    [
        ("fine", 5, ""),
        ("input", 4, "workbench: a.json: is a number; expected a list\n  Fix: write a list\n"),
        ("refused", 1, "workbench: the draft holds residue\n"),
        ("inconclusive", 6, "workbench: no answer was recorded\n"),
        ("interrupt", 2, "workbench: interrupted\n"),
        ("steering", 4, "workbench: key \\x1b[2J\\u202e is unknown\n"),
        (
            "no_package",
            4,
            'workbench: a_package_that_is_not_there is needed for workbench probe and is not installed\n  Fix: pip install "incident-workbench[desk]"\n',
        ),
    ],
)
def test_each_ending_has_its_code_and_its_message(ending, status, message, capsys):
    """CI reads the code, a person the message."""
    found = main(["probe", ending])

    assert (found, capsys.readouterr().err) == (status, message)


def test_a_bug_shows_type_and_place_but_no_text(capsys, monkeypatch):
    """The text of an exception of ours may be text of a customer's trace."""
    monkeypatch.delenv("WORKBENCH_DEBUG", raising=False)

    status = main(["probe", "bug"])

    shown = capsys.readouterr().err
    assert status == 3
    assert shown.startswith(
        "workbench: internal error: AttributeError at workbench.casefile.codec:"
    )
    assert PRIVATE_TEXT not in shown


def test_what_the_system_refuses_is_no_bug_of_ours(capsys):
    """A name that is too long, a full disk: the reader can mend it, and a report helps nobody."""
    status = main(["probe", "system"])

    assert status == 4
    shown = capsys.readouterr().err
    assert re.fullmatch(r"workbench: x: file name too long\n  Fix: .*\n", shown)


def test_what_a_library_says_without_the_system_may_hold_text(capsys):
    """Only the words of the system itself are known to hold nothing of a trace."""
    status = main(["probe", "library"])

    assert status == 3
    assert PRIVATE_TEXT not in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk_behind_the_output_is_one_line(tmp_path):
    """`> FILE` on a full disk: said once, and not again by the interpreter at exit."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "workbench", "fmt", str(tmp_path)],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )

    assert done.returncode == 4
    assert done.stderr.startswith("workbench: no space left on device\n  Fix: ")
    assert done.stderr.count("\n") == 2


@pytest.mark.parametrize(
    "words", [["fmt", ""], ["judge", "run", "--contract", ""], ["run", ".", "--results", ""]]
)
def test_an_empty_path_is_not_the_current_folder(words, capsys):
    """`fmt "$CASES"` with the variable unset must not rewrite what lies here."""
    assert main(words) == 4

    assert re.search(r"is empty; expected a path\n  Fix: ", capsys.readouterr().err)


def test_a_missing_module_of_ours_is_a_bug(capsys):
    """No `pip install` brings it back."""
    status = main(["probe", "no_module"])

    assert status == 3
    assert "ModuleNotFoundError at workbench.cli.main:" in capsys.readouterr().err


def test_the_traceback_is_shown_on_request_only(capsys, monkeypatch):
    """Whoever debugs asks for it and has been told what it may hold."""
    silent = main(["probe", "foreign"])
    without = capsys.readouterr().err
    monkeypatch.setenv("WORKBENCH_DEBUG", "1")

    status = main(["probe", "foreign"])

    assert (silent, status) == (3, 3)
    assert PRIVATE_TEXT not in without
    assert PRIVATE_TEXT in capsys.readouterr().err


def test_a_lone_surrogate_does_not_end_a_report(capfd):
    """Traces hold halves of emoji; a strict stdout would raise in the middle of a table."""
    status = main(["probe", "surrogate"])

    assert status == 5
    assert capfd.readouterr().out == "\\udcff"


def run_python(*words, **options):
    """Run a fresh interpreter without the measuring of coverage."""
    env = {name: value for name, value in os.environ.items() if "COV" not in name}
    return subprocess.run([sys.executable, *words], env=env, check=False, text=True, **options)


def test_a_reader_that_goes_away_ends_the_command_quietly():
    """`workbench runs | head` must not print a traceback; what was not delivered is not a 0."""
    code = (
        "from workbench.cli.main import COMMANDS, main\n"
        "COMMANDS['probe'] = ('tests.cli.probe', 'end')\n"
        "raise SystemExit(main(['probe', 'many_lines']))"
    )
    reading, writing = os.pipe()
    os.close(reading)

    done = run_python("-c", code, stdout=writing, stderr=subprocess.PIPE)

    os.close(writing)
    assert (done.returncode, done.stderr) == (2, "")


def test_what_is_written_after_the_reader_went_goes_nowhere(monkeypatch, tmp_path):
    """The interpreter flushes once more at exit; that must not fail again."""
    with (tmp_path / "out").open("w") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)

        status = main(["probe", "pipe"])

        stdout.write("late")
        stdout.flush()
    assert status == 2
    assert (tmp_path / "out").read_text() == ""


def test_a_stream_that_cannot_be_set_up_is_used_as_it_is(monkeypatch):
    """A notebook's stdout is no text file."""
    stdout = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stdout)

    status = main(["--version"])

    assert (status, stdout.getvalue()) == (0, "workbench 0.1.0\n")


def test_the_module_and_the_command_are_the_same():
    """`python -m workbench` works where the script is not on the path."""
    done = run_python("-m", "workbench", "--version", capture_output=True)

    assert (done.returncode, done.stdout) == (0, "workbench 0.1.0\n")


def test_help_starts_within_three_bare_interpreters():
    """A tool that is run on every commit must not be felt; work counts, not what else runs here."""

    def seconds(*words):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = run_python(*words, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode == 0
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    pairs = [(seconds("-c", "pass"), seconds("-m", "workbench", "--help")) for _ in range(15)]

    bare, helped = (min(column) for column in zip(*pairs, strict=True))
    assert helped <= 3 * bare
