"""Which formats a record may have; that it is shown only to some changes no answer."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from tests.ingest.asking import SMALLEST, answers_of_all
from tests.ingest.exports import without
from tests.ingest.mutations import damaged
from tests.ingest.test_fuzz import SOURCES
from tests.long import is_long
from workbench.ingest.files.source import pieces_in
from workbench.ingest.formats import FORMATS, candidates, format_index
from workbench.ingest.records.format import Format
from workbench.ingest.records.format_index import index_of

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

pytestmark = pytest.mark.desk

EACH = 2000 if is_long() else 60
WAYS = [(name, at) for name, ways in SMALLEST.items() for at in range(len(ways))]
MEMBERS = [item for ways in SMALLEST.values() for way in ways for item in way.items()]


def answers(record: Json) -> dict[str, tuple[str, ...]]:
    """What is answered for each `wanted`."""
    return {name: candidates(record, wanted=name) for name in ("auto", *FORMATS)}


def test_every_format_is_tested() -> None:
    """A new format needs a record here, and keys: else each record of the others is shown to it."""
    assert SMALLEST.keys() == FORMATS.keys()
    assert [one.name for one in FORMATS.values() if not one.keys] == []


@pytest.mark.parametrize(("name", "way"), WAYS)
def test_a_mapping_without_the_keys_is_not_of_the_format(name: str, way: int) -> None:
    """Each way to be recognised needs one of them: nothing is lost when nobody is asked."""
    entry, record = FORMATS[name], SMALLEST[name][way]
    assert entry.keys is not None

    assert entry.recognises(record)
    assert name in answers_of_all(record)["auto"] or entry.general
    for other in FORMATS.values():
        rest = without(record, *(other.keys or ()))
        assert not other.recognises(rest), other.name
        assert not other.owns(rest), other.name


@pytest.mark.parametrize("name", FORMATS)
def test_each_key_is_needed(name: str) -> None:
    """A key that recognises nothing alone would only cost time."""
    keys = FORMATS[name].keys
    assert keys is not None

    alone = [keys & record.keys() for record in SMALLEST[name]]

    assert {key for found in alone if len(found) == 1 for key in found} == keys


@pytest.mark.parametrize(("name", "way"), WAYS)
def test_the_smallest_records_are_answered_as_if_all_were_asked(name: str, way: int) -> None:
    """With `auto`, and with each format named."""
    record = SMALLEST[name][way]

    assert answers(record) == answers_of_all(record)


@settings(max_examples=EACH, deadline=None)
@given(st.lists(st.sampled_from(MEMBERS), max_size=8))
def test_mixed_records_are_answered_as_if_all_were_asked(members: list[tuple[str, Json]]) -> None:
    """Records that look like several formats: the order and the rank of formats stay."""
    record = dict(members)

    assert answers(record) == answers_of_all(record)


def test_damaged_records_are_answered_as_if_all_were_asked() -> None:
    """Also lists, texts, numbers and nothing; the number makes the same damage again."""
    seen = 0
    for number in range(EACH):
        rng = random.Random(number)  # noqa: S311  a sample, no secret
        name = rng.choice([*SOURCES])
        for piece in pieces_in(damaged(SOURCES[name], rng)):
            seen += 1
            assert answers(piece.value) == answers_of_all(piece.value), number

    assert seen > EACH


# --- the index ----------------------------------------------------------------------


def a_format(name: str, *keys: str, anything: bool = False) -> Format:
    """A format that says yes to all it is asked about."""
    return Format(
        name=name,
        recognises=lambda _: True,
        owns=lambda _: True,
        keys=None if anything else frozenset(keys),
        read=lambda record, **_: record,
    )


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"b": 1}, "12"),
        ({"c": None, "a": [], "other": 0}, "012"),
        ({"other": 0}, "1"),
        ({}, "1"),
        ([], "0123"),
        ("a", "0123"),
        (None, "0123"),
    ],
)
def test_keys_point_to_formats_in_their_order(record: Json, found: str) -> None:
    """Another package's format may have no keys, and a list has none: then it is asked."""
    formats = (
        a_format("0", "a"),
        a_format("1", anything=True),
        a_format("2", "b", "c"),
        a_format("3", "d"),
    )

    assert "".join(one.name for one in index_of(formats)(record)) == found


def test_keys_that_no_format_has_point_nowhere() -> None:
    """However many a record has; the one that is known decides."""
    record: JsonMap = {f"key {n}": n for n in range(1000)} | {"traj": []}

    assert [one.name for one in format_index()(record)] == ["tau_bench"]
