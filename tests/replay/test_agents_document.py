"""docs/agents.md: its examples run, or name what is there."""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.replay.builders import a_call, a_case, a_fixture, asks
from workbench.model.case import Turn
from workbench.model.event import Claim
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.adapters.environment import agent_environment
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.gateway.http import serve
from workbench.replay.isolation.levels import Level

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "agents.md").read_text("utf-8")
BLOCKS = re.findall(r"```(?:python|sh)\n(.*?)```", TEXT, re.DOTALL)
SUPPORT = """
import json, urllib.request
def answer(messages, base_url):
    request = urllib.request.Request(base_url + "/model", json.dumps({"messages": messages}).encode())
    return json.load(urllib.request.urlopen(request))["text"]
"""


def block(words):
    """Return the only example that has these words."""
    (found,) = [text for text in BLOCKS if words in text]
    return found


def claimed(agent, *turns):
    """Drive an agent and return what it said."""
    case = a_case(*turns, fixtures=(a_fixture(args={"a": 1}, result=1),))
    with serve() as server:
        found = drive(
            case,
            case.recorded,
            agent=parse_agent(agent),
            server=server,
            run_id="t",
            setting=Setting(isolate=Level.AUDIT),
        )
    assert found.record.issues == ()
    return [event.text for event in found.record.trace.events if isinstance(event, Claim)]


def test_the_python_example_runs(tmp_path, monkeypatch):
    """The one that most people copy."""
    (tmp_path / "copied.py").write_text(block("model.complete"))
    monkeypatch.chdir(tmp_path)

    said = claimed(
        "python:copied:agent", asks(a_call("customer.lookup", {"a": 1})), Turn(text="Done.")
    )

    assert said == ["Done."]


def test_the_worker_example_runs(tmp_path):
    """As it stands, with an agent behind it."""
    (tmp_path / "copied.py").write_text(block("for line in sys.stdin"))
    (tmp_path / "support.py").write_text(SUPPORT)

    said = claimed(
        f"worker:{shlex.join([sys.executable, str(tmp_path / 'copied.py')])}", Turn(text="Done.")
    )

    assert said == ["Done."]


@pytest.mark.skipif(
    not all(map(shutil.which, ("sh", "curl", "jq"))), reason="needs sh, curl and jq"
)
def test_the_shell_example_runs(tmp_path):
    """With a call on the way: an agent that drops calls fails every real case."""
    path = tmp_path / "agent.sh"
    path.write_text(block("read -r task"))

    said = claimed(
        f"cmd:sh {shlex.quote(str(path))}",
        asks(a_call("customer.lookup", {"a": 1})),
        Turn(text="Done."),
    )

    assert said == ["Done."]


@pytest.mark.parametrize("name", ["autogen", "crewai", "langchain", "openai_agents", "pydantic_ai"])
def test_each_framework_has_a_short_example_with_names_that_are_there(name):
    """`make clients` runs agents like these against the real packages."""
    text = block(f"workbench.replay.adapters.{name} import replayed")

    compile(text, name, "exec")
    assert sum(bool(line) for line in text.splitlines()) <= 12
    assert callable(importlib.import_module(f"workbench.replay.adapters.{name}").replayed)


def test_every_variable_of_an_agent_is_documented():
    """And no other."""
    given = agent_environment({}, base_url="http://h/r/t", run_id="t", scratch="/s")
    ours = {name for name in given if name.startswith("REPLAY_") or name.endswith("_BASE_URL")}

    assert ours <= set(re.findall(r"`([A-Z_]+)`", TEXT))
