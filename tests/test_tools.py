"""The set-up tools: what is made again, and what is left alone."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def tool(name, folder=ROOT):
    """Load a module of tools/, which is no package, as if it lay in `folder`."""
    spec = importlib.util.spec_from_file_location(name, folder / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copy(tmp_path):
    """What set-up reads, in a folder with a space in its name."""
    folder = tmp_path / "a clone"
    for name in ("tools/bootstrap.py", "lock/uv.txt", "lock/dev.txt", "pyproject.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def test_an_environment_is_current_until_something_it_is_made_from_changes(copy):
    """`make test` costs nothing when nothing changed, and never uses a stale environment."""
    bootstrap = tool("bootstrap", copy)
    before = bootstrap.state()

    assert bootstrap.state() == before
    for name in ("tools/bootstrap.py", "lock/uv.txt", "lock/dev.txt"):
        (copy / name).write_text(f"{(copy / name).read_text()}\n# changed\n")
        after = bootstrap.state()
        assert after != before
        before = after


def test_settings_of_the_checks_do_not_make_a_new_environment(copy):
    """Only what is installed counts, not how ruff is configured."""
    bootstrap = tool("bootstrap", copy)
    before = bootstrap.state()

    project = copy / "pyproject.toml"
    project.write_text(project.read_text().replace("line-length = 100", "line-length = 99"))
    checked = bootstrap.state()
    project.write_text(project.read_text().replace('version = "0.1.0"', 'version = "0.2.0"'))

    assert checked == before
    assert bootstrap.state() != before


def test_another_folder_is_another_environment(copy, tmp_path):
    """Scripts in .venv hold absolute paths, so a moved clone is set up again."""
    moved = copy.rename(tmp_path / "moved")

    assert tool("bootstrap", moved).state() != tool("bootstrap", ROOT).state()


def test_an_unfinished_environment_is_not_current(copy):
    """A set-up that was killed leaves no mark, so the next one starts again."""
    bootstrap = tool("bootstrap", copy)
    wanted = bootstrap.state()
    absent = bootstrap.is_current(wanted)
    bootstrap.ENV.mkdir()
    bootstrap.READY.write_text(wanted)

    assert not absent
    assert not bootstrap.is_current(wanted)  # no interpreter in it
    (bootstrap.ENV / "bin").mkdir()
    bootstrap.PYTHON.symlink_to(sys.executable)
    assert bootstrap.is_current(wanted)


@pytest.mark.slow
def test_a_failed_set_up_ends_with_4_and_a_fix(copy, monkeypatch, capsys):
    """Without a network there is nothing to install; the person must see what to do."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    bootstrap = tool("bootstrap", copy)

    status = bootstrap.main()

    shown = capsys.readouterr().err
    assert status == 4
    assert "workbench: the packages could not be installed. Fix:" in shown
    assert not bootstrap.READY.exists()


@pytest.mark.parametrize(("words", "code"), [(["--help"], 0), (["--hlep"], 2), (["x"], 2)])
def test_a_question_sets_nothing_up(copy, capsys, words, code):
    """Whoever asks what it does, or mistypes it, waits for no download."""
    bootstrap = tool("bootstrap", copy)

    with pytest.raises(SystemExit) as stop:
        bootstrap.main(words)

    shown = capsys.readouterr()
    assert stop.value.code == code
    assert "usage: tools/bootstrap.py" in shown.out + shown.err
    assert not bootstrap.ENV.exists()


def test_a_missing_browser_skips_loudly_or_fails_where_it_is_required(monkeypatch, capsys):
    """A green run without a browser must say so, and CI must not have one."""
    browser = tool("browser")
    monkeypatch.setattr(browser, "find", lambda: None)
    monkeypatch.setenv("BROWSER", "skip")
    monkeypatch.delenv("REQUIRE_BROWSER", raising=False)
    skipped, loud = browser.main(), capsys.readouterr().err
    monkeypatch.setenv("REQUIRE_BROWSER", "1")

    assert (skipped, browser.main()) == (3, 4)
    assert "are SKIPPED. Fix: install chromium" in loud
    assert "cannot run. Fix: install chromium" in capsys.readouterr().err


def test_the_named_browser_comes_first(monkeypatch):
    """`WORKBENCH_CHROMIUM` overrules whatever is on the path."""
    monkeypatch.setenv("WORKBENCH_CHROMIUM", "/a/chromium")

    assert next(iter(tool("browser").candidates())) == "/a/chromium"


def test_make_without_a_target_says_what_there_is():
    """A newcomer types `make`."""
    done = subprocess.run(
        ["make", "--no-print-directory"],  # noqa: S607  whichever make is on the path
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    targets = ("demo", "test", "test-all", "lab", "bench", "lock", "clean")
    assert all(f"make {name} " in done.stdout for name in targets)


def test_make_without_a_usable_python_says_which_are_needed():
    """The one thing that we cannot install for a person."""
    done = subprocess.run(
        ["make", "--no-print-directory", "setup", "PYTHON=/nowhere/python"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2  # make's own code for a recipe that failed
    assert "no Python 3.11 to 3.14 found. Fix: make PYTHON=" in done.stderr
