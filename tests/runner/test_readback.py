"""Calls that a mended path makes are found in the recording, or declared so that they prove nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.replay.builders import a_fixture
from tests.runner.cases import a_pause_case
from workbench.casefile.grammar import parse_predicate, parse_selector
from workbench.model.case import CaseTool
from workbench.model.contract import Evidence
from workbench.model.trace import Effect
from workbench.replay.scripted import replay_path
from workbench.runner.readback import declared_call, evidence_call

CASE = a_pause_case()
TRACE = replay_path(CASE, CASE.recorded)
END = len(TRACE.events) - 1


def selecting(text, *, where=(), result=()):
    """Return a selector with predicates."""
    return replace(
        parse_selector(text),
        where=tuple(map(parse_predicate, where)),
        result=tuple(map(parse_predicate, result)),
    )


def the_evidence(pred, *, tool=None):
    """Return evidence in its short form, or with its tool."""
    return Evidence(text="evidence", tool=tool, predicate=parse_predicate(pred))


def with_tools(*names):
    """Return the incident with these tools in its list, before its own."""
    more = tuple(CaseTool(name=name, effect=Effect.READ) for name in names)
    return replace(CASE, tools=(*more, *CASE.tools))


def test_a_read_back_of_the_operation_shows_an_open_end():
    """Nobody knows how it ended; a declared answer must not say that it went well."""
    fixture = declared_call(CASE, parse_selector("billing.get_operation"), TRACE, END)

    assert fixture is not None
    assert (fixture.args, fixture.result) == ({"operation_id": "op_1"}, {"status": "pending"})
    assert fixture.operation_id == "op_1"


def test_the_next_tool_of_a_glob_is_taken_when_the_first_cannot_fit():
    """What must hold of the arguments may be out of reach for one of them."""
    never = selecting("billing.*", where=['account_id matches "^x+y$"'])

    assert declared_call(CASE, never, TRACE, END) is None


def test_a_recorded_answer_to_other_arguments_is_no_answer():
    """The selector says which call is meant."""
    known = a_fixture("billing.get_operation", id="f9", args={"operation_id": "op_7"}, result={})
    case = replace(CASE, fixtures=(*CASE.fixtures, known))
    meant = selecting("billing.get_operation", where=['operation_id == "op_8"'])

    fixture = declared_call(case, meant, TRACE, END)

    assert fixture is not None
    assert fixture.args == {"operation_id": "op_8"}


def test_a_recorded_answer_that_shows_something_else_is_no_answer():
    """The selector also says what has to come back."""
    known = a_fixture(
        "billing.get_operation", id="f9", args={"operation_id": "op_1"}, result={"status": "open"}
    )
    case = replace(CASE, fixtures=(*CASE.fixtures, known))
    meant = selecting("billing.get_operation", result=["status == completed"])

    fixture = declared_call(case, meant, TRACE, END)

    assert fixture is not None
    assert fixture.result == {"status": "completed"}


@pytest.mark.parametrize(
    ("evidence", "tool"),
    [
        (the_evidence("billing.get_operation.status == completed"), "billing.get_operation"),
        (the_evidence("status == completed", tool="billing.get_*"), "billing.get_operation"),
        (the_evidence("nobody.knows.status == completed"), None),
        (the_evidence("status == completed", tool="no.such.*"), None),
    ],
)
def test_evidence_names_its_tool_by_the_longest_prefix_that_is_one(evidence, tool):
    """Dots stand in names of tools and in paths of results."""
    fixture = evidence_call(CASE, evidence, TRACE, END)

    assert (None if fixture is None else fixture.tool) == tool


def test_an_answer_that_no_value_can_be_found_for_is_left_to_a_person():
    """A pattern cannot be read backwards."""
    evidence = the_evidence('status matches "^x+y$"', tool="billing.get_*")

    assert evidence_call(with_tools("billing.get_more"), evidence, TRACE, END) is None


@pytest.mark.parametrize(
    "success",
    ["billing.get_operation.status != completed", "billing.get_operation.status == pending"],
)
def test_an_open_end_is_not_what_counts_as_success(success):
    """A word that would prove success is not taken; the answer stays empty then."""
    case = a_pause_case(
        texts={
            "success_requires: billing.get_operation.status == completed": f"success_requires: {success}"
        }
    )

    fixture = declared_call(case, parse_selector("billing.get_operation"), TRACE, END)

    assert fixture is not None
    assert fixture.result == {}
