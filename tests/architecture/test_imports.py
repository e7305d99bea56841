"""What may be loaded, checked in a fresh interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import workbench
from tests.architecture.tree import MODULES, PACKAGE, ROOT

ALLOWED = {"jsonschema_rs", "re2", "_re2", "yaml", "_yaml"}
"""Top-level names of what a bare CI machine installs."""

PROBE = """
import importlib, json, sys
before = set(sys.modules)
{body}
tops = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(json.dumps(sorted(tops - set(sys.stdlib_module_names) - {{"workbench"}})), file=sys.stderr)
"""

RUNNER_PACKAGES = ("errors.py", "model", "check", "casefile", "replay", "runner")
RUNNER_COMMANDS = ("main", "parser", "run", "check")


def loaded_by(body: str) -> set[str]:
    """Return the top-level names outside the standard library that `body` loads."""
    env = {name: value for name, value in os.environ.items() if "COV" not in name}
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(body=body)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    names = json.loads(done.stderr.splitlines()[-1])
    return {name for name in names if "cython" not in name}  # PyYAML's own run time


def runner_modules() -> list[str]:
    """Return every module of the runner half by its dotted name."""
    return [
        ".".join(("workbench", *path.relative_to(PACKAGE).with_suffix("").parts))
        for path in MODULES
        if path.relative_to(PACKAGE).parts[0] in RUNNER_PACKAGES
        or (path.parent.name == "cli" and path.stem in RUNNER_COMMANDS)
        or path.parent.name == "flags"
    ]


def test_no_module_of_the_runner_half_loads_more_than_a_ci_machine_has():
    """A CI machine runs cases without the desk extra; an import that slips in breaks it."""
    names = runner_modules()

    loaded = loaded_by(f"for name in {names!r}: importlib.import_module(name)")

    assert len(names) > 30
    assert loaded - ALLOWED == set()


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_command_of_the_runner_half_starts_without_the_desk(command):
    """`workbench run --help` is what a bare CI machine tries first."""
    loaded = loaded_by(
        f"from workbench.cli.main import main\nassert main([{command!r}, '--help']) == 0"
    )

    assert loaded - ALLOWED == set()


@pytest.mark.parametrize("words", [["--help"], ["--no-such-flag"]])
def test_help_and_a_typing_error_are_answered_without_any_package(words):
    """They took two seconds, as long as the work; nothing that a store or a model needs is loaded."""
    loaded = loaded_by(
        "from workbench.cli.main import COMMANDS, main\n"
        f"assert {{main([name, *{words!r}]) for name in COMMANDS}} <= {{0, 4}}"
    )

    assert loaded == set()


def test_importing_the_package_loads_nothing_else():
    """Public names load on first use."""
    loaded = loaded_by("import workbench\nassert not hasattr(workbench, 'store')")

    assert loaded == set()


def test_public_names_are_the_documented_ones():
    """`workbench.__all__` is sorted and every name in it exists."""
    assert sorted(workbench.__all__) == workbench.__all__
    assert all(hasattr(workbench, name) for name in workbench.__all__)
    assert set(workbench.__all__) <= set(dir(workbench))


def test_no_public_name_is_also_a_package():
    """`workbench.check` must not be a function or a package, depending on what ran before."""
    packages = {path.name for path in PACKAGE.iterdir() if path.is_dir()}

    assert packages.isdisjoint(workbench.__all__)


def test_an_unknown_public_name_is_an_attribute_error():
    """A misspelt name fails like any other attribute."""
    with pytest.raises(AttributeError, match="no attribute 'juge'"):
        getattr(workbench, "juge")  # noqa: B009  a type checker would refuse the plain form
