"""Model values to JSON and back, by their type hints."""

from __future__ import annotations

import pytest

from workbench.casefile.codec import decode, encode
from workbench.casefile.place import Place, describe, nearest, step_key
from workbench.errors import CaseFormatError
from workbench.model.case import Fixture, Minimal, ScriptedCall, ShrinkNote
from workbench.model.event import ClaimOutcome, Outcome, ToolCall, UserMessage
from workbench.model.jsonvalue import ABSENT, Json
from workbench.model.trace import Source, Tool, Trace
from workbench.model.verdict import First, Signature

PLACE = Place(name="f")


def test_defaults_are_not_written_and_a_recorded_null_is() -> None:
    """Absent fields are absent, not null."""
    assert encode(Tool(name="t")) == {"name": "t"}
    assert encode(ScriptedCall(id="c", name="t", args=None)) == {
        "id": "c",
        "name": "t",
        "args": None,
    }


def test_a_null_reads_as_absent_where_null_means_nothing() -> None:
    """A hand-written `corpus: null` is no error."""
    assert decode(Tool, {"name": "t", "effect": None}, place=PLACE) == Tool(name="t")
    call = decode(ScriptedCall, {"id": "c", "name": "t", "args": None}, place=PLACE)
    assert call.args is None
    assert decode(ScriptedCall, {"id": "c", "name": "t"}, place=PLACE).args is ABSENT


def test_all_shapes_survive_a_round_trip() -> None:
    """Enums, pairs, sets, mappings with enum keys, renamed fields, nested values."""
    note = ShrinkNote(
        events=(9, 3),
        minimal=Minimal(behaviour=True),
        also_seen=(
            Signature(
                clauses=frozenset({"b", "a"}), first=First(clause="a", kind="end", tool=None)
            ),
            Signature(),
        ),
    )
    fixture = Fixture(id="f1", tool="t", outcome=Outcome.DENIED, file="x", match={"a": "any"})

    assert decode(ShrinkNote, encode(note), place=PLACE) == note
    assert decode(Fixture, encode(fixture), place=PLACE) == fixture
    assert encode(fixture)["$file"] == "x"  # type: ignore[index,call-overload]
    assert encode({ClaimOutcome.SUCCESS: ("a", 1)}) == {"success": ["a", 1]}
    table = decode(dict[ClaimOutcome, tuple[str, ...]], {"success": ["a"]}, place=PLACE)
    assert table == {ClaimOutcome.SUCCESS: ("a",)}


def test_events_are_read_by_their_kind() -> None:
    """The union has one class a kind."""
    trace = Trace(
        run_id="r", events=(UserMessage(text="u"), ToolCall(seq=1, call_id="c", tool="t"))
    )

    assert decode(Trace, encode(trace), place=PLACE) == trace


@pytest.mark.parametrize(
    ("hint", "value", "key", "words"),
    [
        (Tool, [], "k", "is a list of 0; expected a mapping"),
        (Tool, {"nam": "t"}, "k.nam", "write name"),
        (Tool, {"zzz": 1}, "k.zzz", "remove it"),
        (Tool, {}, "k.name", "is missing; it is required"),
        (Tool, {"name": 5}, "k.name", "is a number; expected a string"),
        (Tool, {"name": True}, "k.name", "is true; expected a string"),
        (Tool, {"name": "t", "effect": "wite"}, "k.effect", "write write"),
        (Tool, {"name": "t", "effect": 5}, "k.effect", "expected one of pure, read, write"),
        (Tool, {"name": "t", "schema": []}, "k.schema", "expected a mapping"),
        (Source, {"file": False}, "k.file", "is false; expected a string"),
        (
            ShrinkNote,
            {"events": [1], "minimal": {"behaviour": True}},
            "k.events",
            "expected a list of 2",
        ),
        (
            ShrinkNote,
            {"events": "x", "minimal": {"behaviour": True}},
            "k.events",
            "expected a list",
        ),
        (Minimal, {"behaviour": "yes"}, "k.behaviour", "expected true or false"),
        (Fixture, {"id": "f", "tool": "t", "delay_ms": "1"}, "k.delay_ms", "expected a number"),
        (Fixture, {"id": "f", "tool": "t", "times": 1.5}, "k.times", "expected an integer"),
        (Signature, [], "k", "expected a mapping of `clauses` and `first`"),
        (Signature, {"clauses": [5], "first": None}, "k.clauses.0", "expected a string"),
        (Signature, {"clauses": [], "first": ["a"]}, "k.first", "clause, kind, tool and outcome"),
        (Signature, {"clauses": [], "first": ["a", "b", 5, None]}, "k.first.2", "a string"),
        (Trace, {"run_id": "r", "events": [{}]}, "k.events.0.kind", "is null; expected one of"),
        (Trace, {"run_id": "r", "events": [{"kind": "x"}]}, "k.events.0.kind", "expected one of"),
        (int | str, 1.5, "k", "expected an integer or a string"),
        (dict[str, int], [], "k", "expected a mapping"),
        (dict[str, int], {"a b": "x"}, 'k."a b"', "expected an integer"),
    ],
)
def test_a_wrong_value_says_where_what_and_what_was_expected(
    hint: type, value: Json, key: str, words: str
) -> None:
    """And shows no text of it."""
    with pytest.raises(CaseFormatError) as caught:
        decode(hint, value, place=PLACE, key="k")

    assert caught.value.key == key
    assert words in str(caught.value)


def test_a_union_of_scalars_takes_each() -> None:
    """A place in a list or a key."""
    hint: type = int | str  # type: ignore[assignment]

    assert [decode(hint, value, place=PLACE) for value in (1, "a")] == [1, "a"]


def test_an_integer_is_a_number_and_stays_one() -> None:
    """`delay_ms: 5` must not become 5.0 in a diff."""
    fixture = decode(Fixture, {"id": "f", "tool": "t", "delay_ms": 5}, place=PLACE)

    assert repr(fixture.delay_ms) == "5"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (5, "a number"),
        ("abc", "a string of 3 characters"),
        ([1], "a list of 1"),
        ({}, "a mapping of 0"),
        (ABSENT, "a Absent"),
    ],
)
def test_a_value_is_described_and_not_shown(value: object, text: str) -> None:
    """It may be personal."""
    assert describe(value) == text


def test_paths_quote_what_is_no_word() -> None:
    """As the grammar of predicates reads them."""
    assert step_key("", "a b") == '"a b"'
    assert step_key("a", 0) == "a.0"


def test_a_place_falls_back_to_the_nearest_line_above() -> None:
    """A missing key has no line; its mapping does."""
    place = Place(name="f", lines={"": 1, "a": 3, 'a."b.c"': 4})

    assert place.at('a."b.c".x') == "f:4"
    assert place.at("a.z.z") == "f:3"
    assert place.at("q") == "f:1"
    assert Place(name="f").at("a") == "f"


def test_the_nearest_name_is_near() -> None:
    """A far one would mislead."""
    assert nearest("ownr", ["owner", "id"]) == "owner"
    assert nearest("zzz", ["owner", "id"]) is None


@pytest.mark.parametrize("hint", [tuple[str, ...], tuple[int, int], frozenset[str]])
def test_what_is_no_list_is_refused_with_its_place(hint):
    """A text is a sequence to Python, and would come apart into letters."""
    with pytest.raises(CaseFormatError, match="expected a list") as caught:
        decode(hint, "ab", place=Place(name="f"), key="paths.0.only")

    assert caught.value.key == "paths.0.only"
