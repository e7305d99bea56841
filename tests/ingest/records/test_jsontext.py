"""Exact text of a part of a record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from tests.strategies import json_values
from workbench.errors import TraceFormatError
from workbench.ingest.records.jsontext import (
    Step,
    TextMap,
    depth_within,
    path_of,
    read_mapped,
    read_value,
    without_lone_surrogates,
)

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json


def parts(value: Json, path: tuple[Step, ...] = ()) -> list[tuple[tuple[Step, ...], Json]]:
    """Return every part of a value with its path."""
    found: list[tuple[tuple[Step, ...], Json]] = [(path, value)]
    if isinstance(value, dict):
        for key, item in value.items():
            found += parts(item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            found += parts(item, (*path, at))
    return found


@settings(max_examples=60)
@given(json_values(max_leaves=12), st.sampled_from([None, 1, "\t"]))
def test_every_part_is_found_where_it_stands(value: Json, indent: int | str | None) -> None:
    """Parsing the cut text gives the part, and the text has no white space around it."""
    text = f" \n{json.dumps(value, indent=indent)}\r\n"
    spans = TextMap(text)

    for path, part in parts(value):
        span = spans.span(path)
        assert span is not None
        cut = text[span[0] : span[1]]
        assert json.loads(cut) == part
        assert cut == cut.strip()


def test_a_part_that_is_not_there_has_no_place() -> None:
    """Neither in a list, nor in a mapping, nor below a text."""
    spans = TextMap('{"a": [1], "b": "x", "a": [2, 3]}')

    assert spans.span(("a", 1)) is not None  # the later of two equal keys counts
    assert spans.span(("a", 5)) is None
    assert spans.span(("c",)) is None
    assert spans.span(("b", "x")) is None
    assert spans.span(("c", "d")) is None


@settings(max_examples=60)
@given(json_values(max_leaves=12), st.sampled_from([None, 1, "\t"]))
def test_parts_seen_while_parsing_are_those_found_later(
    value: Json, indent: int | str | None
) -> None:
    """A long text is walked as it is parsed: the same value, the same places."""
    rest: list[Json] = ["x" * 2048, {"key": [{"more": value}, value]}]
    text = f" {json.dumps({'a': value, 'b': [{'c': value}], 'd': rest}, indent=indent)}\n"

    read, spans = read_mapped(text)

    assert read == json.loads(text)
    assert list(map(str, parts(read))) == list(map(str, parts(json.loads(text))))
    later = TextMap(text)
    for path, _ in parts(read):
        assert spans.span(path) == later.span(path)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1 "b": 2}',
        '{"a": 1,}',
        '{,"a": 1}',
        '{"a" 1}',
        '{"a": 1{"b": 2}',
        "{1: 2}",
        '{"a": [{"b": 1} {"c": 2}]}',
        '{"a": [{"b": 1},]}',
        '{"a": [{"b": 1}',
        '{"a": {"b": NaN}}',
        '{"a": 1e999}',
        '{"a": 1} x',
        '{"a\tb": 1}',
        '{"a\\u12": 1}',
        '{"a": ' + "[" * 100_000,
    ],
)
def test_a_long_text_that_is_no_json_is_refused_like_a_short_one(text: str) -> None:
    """The walk accepts nothing that the parser refuses, and the reason is the parser's."""
    long = text.replace("{", '{"long": "' + "x" * 2048 + '", ', 1)

    with pytest.raises(TraceFormatError) as refused:
        read_value(long)
    with pytest.raises(TraceFormatError) as walked:
        read_mapped(long)

    assert str(walked.value) == str(refused.value)


def test_of_a_key_that_occurs_twice_nothing_of_the_first_is_kept() -> None:
    """Places noted in the first value would be wrong for the second."""
    text = json.dumps({"long": "x" * 2048, "a": {"b": [{"c": 1}]}})[:-1] + ', "a": {"b": [7, 8]}}'

    value, spans = read_mapped(text)

    assert value == json.loads(text)
    found = spans.span(("a", "b", 1))
    assert found is not None
    assert text[slice(*found)] == "8"
    assert spans.span(("a", "b", 0, "c")) is None


def test_of_a_key_that_occurs_twice_the_later_places_count_below_too() -> None:
    """A list of mappings is noted with the mapping around it; so may the earlier one be."""
    text = '{"m": [{"a": [{"b": 1}, {"c": 2}], "a": [{"d": 33}]}]}'
    spans = TextMap(text)

    found = spans.span(("m", 0, "a", 0, "d"))

    assert found is not None
    assert text[slice(*found)] == "33"
    assert spans.span(("m", 0, "a", 1)) is None


def test_a_key_with_escapes_is_found_like_others() -> None:
    """Its text is not its name."""
    text = json.dumps({"long": "x" * 2048, 'a "b"\n': [{"c": 1}], "é\\": 2})

    value, spans = read_mapped(text)

    assert value == json.loads(text)
    for path in (('a "b"\n', 0, "c"), ("é\\",)):
        found = spans.span(path)
        assert found is not None
        assert text[slice(*found)] in ("1", "2")


def test_a_long_text_may_not_nest_too_deeply() -> None:
    """The limit holds however the text is read."""
    deep = "[" * 200 + "]" * 200

    with pytest.raises(TraceFormatError, match="nested too deeply"):
        read_mapped(f'{{"long": "{"x" * 2048}", "a": {deep}}}')
    assert read_mapped(deep, depth=None)[0] is not None


def test_depth_counts_containers() -> None:
    """A scalar has none."""
    assert depth_within(1, 0)
    assert not depth_within([[]], 0)
    assert depth_within([[]], 1)
    assert depth_within({"a": [{}]}, 2)
    assert not depth_within({"a": [{}]}, 1)


@pytest.mark.parametrize(
    "text", ["", " ", "{", "[1,", '"abc', "{'a': 1}", "01", "[1] 2", "\ufeff1"]
)
def test_what_is_no_json_is_refused_without_its_text(text: str) -> None:
    """The reason says where, never what."""
    with pytest.raises(TraceFormatError, match=r"^is not (JSON|whole)") as error:
        read_value(text)

    assert "abc" not in str(error.value)


def test_paths_are_read_back() -> None:
    """A number is a position in a list."""
    assert path_of("a.0.b") == ("a", 0, "b")


def test_halves_in_keys_are_replaced_too() -> None:
    """A key is a text like any other."""
    assert without_lone_surrogates({"\ud800": ["\udfff", 1, "ok"]}) == (
        {"\ufffd": ["\ufffd", 1, "ok"]},
        2,
    )
