"""The runner half in an environment of its own: what a bare CI machine has after `pip install`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest

from tests.runner.test_trials import an_active_case
from workbench.casefile.case import save_case

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
RUNTIME = ("google-re2", "jsonschema-rs", "pyyaml")

AGENT = '''
from workbench import ToolError


def agent(task, tools, model):
    """Do what the model asks and say what it says."""
    messages = list(task.messages)
    while (reply := model.complete(messages)).tool_calls:
        for call in reply.tool_calls:
            try:
                content = tools.call(call.name, **call.args)
            except ToolError as error:
                content = {"error": error.detail, "outcome": error.outcome}
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return reply.text


def hasty(task, tools, model):
    """Promise what nobody did."""
    return "Your plan is paused."
'''


def ran(*words, cwd):
    """Run a program without anything of this environment."""
    env = {"PATH": os.environ.get("PATH", ""), "PYTHONUTF8": "1", "HOME": str(cwd)}
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )


def copy_distribution(name, target):
    """Put an installed package into another environment, as its wheel would."""
    distribution = metadata.distribution(name)
    for file in distribution.files or ():
        if ".." not in file.parts and "__pycache__" not in file.parts:
            place = target / file
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(distribution.locate_file(file)), place)


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """An environment with the runner half from its own wheel and the three packages it needs."""
    folder = tmp_path_factory.mktemp("bare")
    wheels = folder / "dist"
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    venv.create(folder / "venv", with_pip=False, symlinks=os.name != "nt")
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    asked = ran(scripts / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder)  # fmt: skip
    site = Path(asked.stdout.strip())
    for name in RUNTIME:
        copy_distribution(name, site)
    installed = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(scripts / "python"), "install", "--quiet",
         "--no-index", "--no-deps", "--no-compile", *map(str, wheels.glob("*.whl"))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert installed.returncode == 0, installed.stderr
    return scripts


@pytest.fixture
def cases(tmp_path):
    """A folder with one active case and an agent."""
    save_case(replace(an_active_case(), id="pause"), tmp_path / "cases" / "pause.case.yaml")
    (tmp_path / "my_agent.py").write_text(AGENT, "utf-8")
    return tmp_path


def test_the_three_packages_are_all_that_it_needs(bare, tmp_path):
    """What the wheel says it requires is there, and nothing else is."""
    checked = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(bare / "python"), "check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    listed = ran(bare / "python", "-c", "import importlib.metadata as m; print(sorted(d.name.lower().replace('_', '-') for d in m.distributions()))", cwd=tmp_path)  # fmt: skip

    assert checked.returncode == 0, checked.stdout
    assert listed.stdout.strip() == str(sorted(["incident-workbench", *RUNTIME]))


def test_check_and_run_work(bare, cases):
    """The two commands of a CI machine, from the installed script."""
    checked = ran(bare / "workbench", "check", "cases", "--json", cwd=cases)
    run = ran(bare / "workbench", "run", "cases/", "--agent", "python:my_agent:agent", "--json", cwd=cases)  # fmt: skip
    red = ran(bare / "workbench", "run", "cases/", "--agent", "python:my_agent:hasty", cwd=cases)

    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["cases"][0]["accepted_green"] is True
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["summary"]["passed"] == 1
    assert red.returncode == 1, red.stdout + red.stderr


def test_what_needs_the_desk_says_so(bare, cases):
    """The line to type, and no traceback."""
    ingest = ran(bare / "workbench", "ingest", "x.json", cwd=cases)

    assert ingest.returncode == 4
    assert 'pip install "incident-workbench[desk]"' in ingest.stderr
    assert "Traceback" not in ingest.stderr
