"""Values are frozen facts; what little they compute is here."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil

import pytest

import workbench.model
from tests.builders import a_call, a_claim, a_trace, a_turn, a_user
from tests.casefile.samples import a_case
from workbench.model.event import CallError, Outcome, UserMessage
from workbench.model.trace import Grade, Loss, Losses, calls_of, renumbered
from workbench.model.verdict import First, Signature

CLASSES = sorted(
    {
        item
        for module in pkgutil.iter_modules(workbench.model.__path__, "workbench.model.")
        for item in vars(importlib.import_module(module.name)).values()
        if isinstance(item, type) and dataclasses.is_dataclass(item)
    },
    key=lambda cls: cls.__name__,
)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_value_is_frozen_slotted_and_by_keyword(cls: type) -> None:
    """A value that somebody may change is no fact."""
    assert cls.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert all(entry.kw_only for entry in dataclasses.fields(cls))
    assert "__slots__" in vars(cls)


def test_a_call_is_the_interval_from_its_request_to_its_result() -> None:
    """Clauses about order rest on it."""
    trace = a_trace(
        a_user(),
        a_turn(a_call("a"), a_call("b", outcome=Outcome.MISSING), completes=(1, 0)),
        a_claim(),
    )

    one, two = calls_of(trace)

    assert (one.tool, one.start, one.end, one.outcome) == ("a", 2, 4, Outcome.OK)
    assert (two.tool, two.start, two.end, two.outcome) == ("b", 3, 7, Outcome.MISSING)
    assert (two.detail, two.args) == (None, {})


def test_an_outcome_that_was_not_derived_is_ok_or_permanent() -> None:
    """Only a fallback: `check.outcomes` derives it properly."""
    trace = a_trace(
        a_user(),
        a_call("a", outcome=None, result=1),
        a_call("b", outcome=None, error=CallError(status=504), detail="http_504"),
    )

    assert [(call.outcome, call.detail) for call in calls_of(trace)] == [
        (Outcome.OK, None),
        (Outcome.PERMANENT, "http_504"),
    ]


def test_renumbering_keeps_the_first_position_when_asked() -> None:
    """A place in the raw trace is found again after any number of steps."""
    events = (UserMessage(seq=4, text="a"), UserMessage(seq=9, text="b", origin_seq=20))

    kept = renumbered(events, keep_origin=True)
    again = renumbered(kept[1:], keep_origin=True)

    assert [(event.seq, event.origin_seq) for event in kept] == [(0, 4), (1, 20)]
    assert [(event.seq, event.origin_seq) for event in again] == [(0, 20)]
    assert [event.origin_seq for event in renumbered(events)] == [None, 20]


def test_the_grade_is_the_worst_of_the_losses() -> None:
    """One missing result is enough to need a fixture."""
    losses = Losses(items=(Loss(kind="a"), Loss(kind="b", caps=Grade.SKELETON), Loss(kind="c")))

    assert losses.grade is Grade.SKELETON
    assert Losses().grade is Grade.REPLAYABLE


def test_a_signature_is_true_when_something_was_violated() -> None:
    """An empty one is never a target."""
    first = First(clause="a", kind="end")

    assert not Signature()
    assert Signature(clauses=frozenset({"a"}), first=first)


def test_a_case_knows_its_failing_and_its_accepted_paths() -> None:
    """By what they must show, not by their names."""
    case = a_case()

    assert case.recorded.name == "recorded"
    assert [path.name for path in case.accepted] == ["verified"]
