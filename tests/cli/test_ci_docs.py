"""`docs/ci.md` and the GitHub action: what they tell people to type is typed here."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.long import sample
from workbench.cli.flags.run import add_arguments
from workbench.cli.main import main
from workbench.cli.parser import parser_of

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "ci.md").read_text("utf-8")
ACTION = yaml.safe_load((ROOT / ".ci" / "action" / "action.yml").read_text("utf-8"))
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)
EXIT = re.compile(r"\s+# exit (\d)$")
BASH = shutil.which("bash") or "bash"
AGENT = "python:workbench.demo.mended_agent:agent"


def blocks(language):
    """Return the blocks of a language in the page."""
    return [text for found, text in BLOCK.findall(TEXT) if found == language]


def commands(text):
    """Return the commands of a block, each with the exit code that it says."""
    lines = text.replace("\\\n", " ").splitlines()
    found = [(EXIT.sub("", line), EXIT.search(line)) for line in lines]
    return [(line, 0 if code is None else int(code[1])) for line, code in found]


def environment(**more):
    """Return an environment in which `workbench` and `pytest` are ours."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if "COV" not in name and not name.startswith(("GITHUB_", "PYTEST"))
    }
    path = os.pathsep.join((str(Path(sys.executable).parent), plain["PATH"]))
    return {**plain, "PATH": path, "PYTHONPATH": str(ROOT), **more}


@pytest.fixture
def active(demo):
    """The demo's folder with its case in force."""
    (case,) = Path("cases").glob("*.case.yaml")
    text = case.read_text("utf-8")
    name = text.partition("\nid: ")[2].partition("\n")[0]
    case.write_text(text.replace(f"\nid: {name}\n", "\nid: pause-with-unknown-outcome\n"))
    assert main(["accept", str(case), "--repair"]) == 0
    assert main(["activate", str(case), "--by", "ada"]) == 0
    billing = Path("cases/billing")
    billing.mkdir()
    case.rename(billing / case.name)
    return demo


@pytest.mark.slow
@pytest.mark.desk
@pytest.mark.parametrize("text", sample(blocks("sh"), 2, seed=4))
def test_every_command_of_the_page_does_what_the_page_says(active, text):
    """In the order of a block: what one writes, a later one reads."""
    assert commands(text)
    for line, code in commands(text):
        done = subprocess.run(
            [BASH, "-c", line],
            cwd=active,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, (line, done.stdout, done.stderr)


def scripts(value):
    """Yield the shell texts of a CI file."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("run", "script"):
                yield from [item] if isinstance(item, str) else item
            else:
                yield from scripts(item)
    elif isinstance(value, list):
        for item in value:
            yield from scripts(item)


def test_every_yaml_of_the_page_is_yaml_and_its_commands_parse():
    """A wrong flag in a nightly job is found at night."""
    parser = parser_of("run", "run", add_arguments)
    files = [yaml.safe_load(text) for text in blocks("yaml")]
    lines = [line for file in files for text in scripts(file) for line in text.splitlines()]
    runs = [shlex.split(line) for line in lines if line.startswith("workbench run ")]

    assert len(files) == 4
    assert len(runs) == 3
    for words in runs:
        assert parser.parse_args(words[2:]).cases == [Path("cases")]


def test_the_action_is_used_as_it_is():
    """Inputs that it does not have are ignored by GitHub in silence."""
    files = [yaml.safe_load(text) for text in blocks("yaml")]
    (workflow,) = [file for file in files if isinstance(file, dict) and "jobs" in file]
    steps = workflow["jobs"]["replay"]["steps"]
    (job,) = [step for step in steps if ".ci/action@" in step.get("uses", "")]

    assert len(blocks("sh")) == 5
    assert set(job["with"]) <= set(ACTION["inputs"])
    required = {name for name, entry in ACTION["inputs"].items() if entry.get("required")}
    assert required <= set(job["with"])


def test_no_input_of_the_action_is_pasted_into_a_script():
    """A branch name or a title in an input would be run as shell."""
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert ("run" in step) is (step.get("shell") == "bash")
    used = set(re.findall(r"inputs\.(\w+)", str(ACTION)))
    assert used == set(ACTION["inputs"])


@pytest.mark.slow
@pytest.mark.desk
@pytest.mark.parametrize(
    ("agent", "flags", "code"),
    [
        (AGENT, "", 0),
        ("python:workbench.demo.broken_agent:agent", "--gate-proposed\n", 1),
        (AGENT, "--select\nseverity<=S1 and tag:x; touch owned\n", 4),
    ],
)
def test_the_action_runs_the_cases_and_writes_the_summary(active, agent, flags, code):
    """Its script, as GitHub's shell runs it."""
    (script,) = [s["run"] for s in ACTION["runs"]["steps"] if s["name"] == "Replay"]
    summary = active / "step.md"

    done = subprocess.run(
        [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=active,
        env=environment(
            AGENT=agent,
            CASES="cases\n",
            FLAGS=flags,
            REPORTS="reports",
            GITHUB_STEP_SUMMARY=str(summary),
            GITHUB_ACTIONS="true",
            GITHUB_WORKSPACE=str(active),
        ),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == code, done.stderr
    assert not (active / "owned").exists()
    if code != 4:
        assert summary.read_text().count("## Replayed cases") == 1
        assert (active / "reports/junit.xml").exists()
        assert any((active / "reports/traces").iterdir())
    assert done.stderr.startswith("::error file=cases/billing/") is (code == 1)
