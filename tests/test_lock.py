"""The lock files agree with pyproject.toml, carry hashes, and name no place."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


LOCKS = sorted(str(path.relative_to(ROOT / "lock")) for path in (ROOT / "lock").rglob("*.txt"))


def locked(name):
    """Return the versions of each package in one lock file."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / "lock" / name).read_text("utf-8").splitlines():
        if line and not line.startswith((" ", "#")):
            pinned = Requirement(line.removesuffix("\\"))
            versions = {spec.version for spec in pinned.specifier if spec.operator == "=="}
            found.setdefault(canonicalize_name(pinned.name), set()).update(versions)
    return found


def stated():
    """Return every requirement that pyproject.toml states."""
    groups = PROJECT["dependency-groups"].values()
    extras = PROJECT["project"]["optional-dependencies"].values()
    parts = (PROJECT["project"]["dependencies"], *extras, *groups)
    return [text for part in parts for text in part if isinstance(text, str)]


@pytest.mark.parametrize("text", stated())
def test_every_stated_requirement_is_locked(text):
    """A requirement without a lock would not be installed. Fix: make lock."""
    wanted = Requirement(text)

    versions = locked("dev.txt")[canonicalize_name(wanted.name)]

    assert versions
    assert all(wanted.specifier.contains(version, prereleases=True) for version in versions)


def test_the_runner_lock_is_part_of_the_whole_lock():
    """One version of each package everywhere."""
    runner, whole = locked("runner.txt"), locked("dev.txt")

    wanted = {canonicalize_name(Requirement(t).name) for t in PROJECT["project"]["dependencies"]}
    assert set(runner) == wanted
    assert all(whole[name] == versions for name, versions in runner.items())


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_hashes_and_names_no_place(name):
    """A lock says what, never from where."""
    text = (ROOT / "lock" / name).read_text("utf-8")

    place = re.compile(r"://|^-|@ |\b[\w-]+\.(org|com|io|net|dev)\b", re.MULTILINE)
    assert place.search(text) is None
    assert all("--hash=sha256:" in block for block in re.split(r"\n(?=\S)", text.strip()))
