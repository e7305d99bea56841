"""What a person declared of tools travels with the run."""

from __future__ import annotations

import json

import pytest

from tests.builders import a_call, a_trace, a_user
from tests.review.runs import a_loaded
from workbench.casefile.settings import parse_settings
from workbench.casefile.trace import trace_document
from workbench.errors import InputError
from workbench.model.event import Outcome, ToolResult
from workbench.model.settings import Settings
from workbench.model.trace import Effect, Tool
from workbench.review.declared import with_tools
from workbench.review.source import (
    Lookup,
    declared_tools,
    find_run,
    is_file,
    outcome_rules,
)

pytestmark = pytest.mark.desk


def test_what_is_declared_goes_before_what_was_recorded():
    """A recorder guesses; a person knows. A rule about a tool that nobody has stays out."""
    trace = a_trace(a_call("b.x"), a_call("c.x"), tools={"a.x": Effect.READ, "b.x": None})
    declared = [
        Tool(name="a.x", effect=Effect.WRITE, description="Ours."),
        Tool(name="c.x", schema={"type": "object"}),
        Tool(name="d.x", effect=Effect.WRITE),
    ]

    tools = with_tools(trace, declared).tools

    assert tools == (
        Tool(name="a.x", effect=Effect.WRITE, description="Ours."),
        Tool(name="b.x"),
        Tool(name="c.x", schema={"type": "object"}),
    )


def test_the_flag_goes_before_the_settings():
    """`--tools` is about this run."""
    settings = parse_settings('[tools.a]\neffect = "read"\n[tools.b]\neffect = "read"\n')

    found = declared_tools(settings, [Tool(name="a", effect=Effect.WRITE)])

    assert {tool.name: tool.effect for tool in found} == {"a": "write", "b": "read"}


def test_outcome_rules_of_the_settings_decide(tmp_path):
    """A tool that answers 200 with an error inside."""
    settings = parse_settings(
        '[[outcomes]]\ntool = "b.*"\nwhen = ["ok == false"]\noutcome = "permanent"\n'
        'detail = "refused"\n'
    )
    trace = a_trace(a_user(), a_call("b.x", result={"ok": False}, outcome=None), run_id="r")
    (tmp_path / "a.json").write_text(json.dumps(trace_document(trace)))

    run = find_run(str(tmp_path / "a.json"), Lookup(store="nowhere", settings=settings))

    (result,) = [event for event in run.trace.events if isinstance(event, ToolResult)]
    assert len(outcome_rules(settings)) == 1
    assert (result.outcome, result.detail) == (Outcome.PERMANENT, "refused")
    assert run.store_head is None


def test_tools_of_a_file_are_read(tmp_path):
    """Then nothing is assumed."""
    trace = a_trace(a_user(), a_call("b.x"), a_call("c.get_it"), run_id="r")
    (tmp_path / "a.json").write_text(json.dumps(trace_document(trace)))
    (tmp_path / "t.json").write_text('[{"name": "b.x", "effect": "pure"}]')
    lookup = Lookup(store="", settings=Settings(), tools_file=tmp_path / "t.json")

    run = find_run(f"{tmp_path / 'a.json'}#r", lookup)

    assert run.assumed_tools == ("c.get_it",)
    assert run.proposed_effects == (("c.get_it", Effect.READ),)
    assert run.grade == run.losses.grade


def test_calls_know_their_tools():
    """A result names its call only."""
    assert a_loaded(a_trace(a_call("b.x"), a_call("c.x"))).tool_by_call == {
        "c1": "b.x",
        "c2": "c.x",
    }


def test_a_name_that_no_file_can_have_is_no_file(tmp_path):
    """The system's own limits are no error of ours."""
    assert not is_file(tmp_path / ("x" * 5000))
    assert not is_file(tmp_path)
    with pytest.raises(InputError):
        find_run("x" * 5000, Lookup(store=str(tmp_path / "none"), settings=Settings()))


def test_a_tool_that_could_have_been_called_is_kept():
    """The call that never came is what a contract is about: a read-back, most often."""
    trace = a_trace(a_call("b.x"))
    declared = [Tool(name="c.get", effect=Effect.READ, schema={"type": "object"})]

    assert [tool.name for tool in with_tools(trace, declared).tools] == ["b.x", "c.get"]


def test_declaring_one_tool_does_not_drop_the_others():
    """A record that lists no tools has those that it called, declared or not."""
    trace = a_trace(a_call("b.x"), a_call("a.y"))

    tools = with_tools(trace, [Tool(name="b.x", effect=Effect.READ)]).tools

    assert [(tool.name, tool.effect) for tool in tools] == [("a.y", None), ("b.x", Effect.READ)]
    assert with_tools(trace, [Tool(name="z", effect=Effect.READ)]).tools == ()
