"""Places of a draft, said as places of the case."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.review.runs import an_incident
from workbench.model.ledger import LedgerEntry, TriggerNote
from workbench.redact.residue import Hit, Needle
from workbench.review.places import hit_places, in_case, ledger_in_case, trigger_in_case

pytestmark = pytest.mark.desk


def an_entry(*at):
    """Return a ledger entry."""
    return LedgerEntry(at=at, type="PERSON", pseudonym="Ezri", decision="rule")


def test_what_is_no_event_stays_as_it_is():
    """`tools.0.description` and `contract...` are places of both."""
    assert in_case("contract.max_calls", {}) == ("contract.max_calls",)


def test_a_field_that_is_not_carried_has_no_place():
    """Reasoning, for one, reaches no case."""
    assert in_case("#3.reasoning", {"#3.text": ("input.1.content",)}) == ()


def test_arguments_are_in_the_path_and_in_the_fixture():
    """A reader finds both; nothing is said twice."""
    trace = an_incident()

    (entry,) = ledger_in_case([an_entry("#3.args.email", "#3.args_raw.email")], trace)

    assert entry.at == ("paths.recorded.turns.0.tool_calls.0.args.email", "f1.args.email")


def test_an_entry_without_a_place_is_dropped():
    """Its value did not reach the case."""
    trace = an_incident()

    assert ledger_in_case([an_entry("#99.text"), an_entry("#1.text")], trace) == (
        an_entry("input.1.content"),
    )


def test_places_hold_for_a_trace_that_was_shrunk():
    """Numbers are those of the raw trace."""
    trace = an_incident()
    moved = replace(trace, events=tuple(replace(e, origin_seq=e.seq + 50) for e in trace.events))

    (entry,) = ledger_in_case([an_entry("#51.text")], moved)

    assert entry.at == ("input.1.content",)


def test_a_trigger_is_named_where_its_fixture_is():
    """That is where a reader looks for the value that makes it fail."""
    trace = an_incident()
    notes = [
        TriggerNote(at="#6.args.account_id", facts=("trailing_space",)),
        TriggerNote(at="#1.text"),
        TriggerNote(at="#99.text"),
    ]

    found = trigger_in_case(notes, trace)

    assert [note.at for note in found] == ["f2.args.account_id", "input.1.content"]
    assert found[0].facts == ("trailing_space",)


def test_a_hit_is_said_once_and_without_the_value():
    """Several variants of one name are found in one view."""
    needles = (Needle(text="Ada", label="PERSON"), Needle(text="Ada L", label="PERSON"))
    hits = [Hit(view="raw", needle=n, blocking=True) for n in (0, 1)]

    assert hit_places(hits, needles) == ("PERSON in view raw",)
