"""Where the parts of a record stand, and that the fast parser reads what the careful one reads."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings, strategies as st

from tests.strategies import json_values
from workbench.errors import TraceFormatError
from workbench.ingest.records.jsontext import Step, read_carefully
from workbench.ingest.records.parts import PartMap, read_text, read_value
from workbench.model.jsonvalue import parse_text

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


@settings(max_examples=80)
@given(
    json_values(max_leaves=12),
    st.sampled_from([None, 1, "\t"]),
    st.booleans(),
    st.sampled_from(["", "\\ud800"]),
)
def test_every_part_is_found_where_it_stands(
    value: Json, indent: int | str | None, ascii_only: str, half: str
) -> None:
    """Parsing the cut bytes gives the part; also beside half a surrogate pair, read carefully."""
    text = json.dumps([value, {"a": value}], indent=indent, ensure_ascii=bool(ascii_only))
    raw = f' \n{text[:-1]}, "{half}"]\r\n'.encode()
    found = PartMap(raw)

    for path, part in parts(json.loads(raw)):
        span = found.span(path)
        assert span is not None
        cut = raw[span[0] : span[1]]
        assert json.loads(cut) == part
        assert cut == cut.strip()
        assert found.text(path) == cut.decode()


def test_a_part_that_is_not_there_has_no_place() -> None:
    """Neither in a list, nor in a mapping, nor below a text."""
    found = PartMap(b'{"a": [1], "b": "x", "a": [2, 3]}')

    assert found.text(("a", 1)) == "3"  # the later of two equal keys counts
    assert found.span(("a", 5)) is None
    assert found.span(("c",)) is None
    assert found.span(("b", "x")) is None
    assert found.text(("c", "d")) is None


@pytest.mark.parametrize("half", ["", "\\ud800"])
@pytest.mark.parametrize(
    ("text", "path", "part"),
    [
        ('{"a": {"b": [{"c": 1}]}, "a": {"b": [7, 8]}}', ("a", "b", 1), "8"),
        ('{"a": {"b": [{"c": 1}]}, "a": {"b": [7, 8]}}', ("a", "b", 0, "c"), None),
        ('{"x": {"a": [1, 22, 3]}, "a": [1, 22], "b": 0}', ("a", 1), "22"),
        ('{"x": {"a": [1, 22]}, "a": [1, 22], "b": 0}', ("a", 1), "22"),
        ('{"a": 1, "b": 1, "a": 1}', ("a",), "1"),
        ('{"a": 11, "b": 2, "a": 11 }', ("b",), "2"),
        ('{"m": [{"a": [{"b": 1}, {"c": 2}], "a": [{"d": 33}]}]}', ("m", 0, "a", 0, "d"), "33"),
        ('{"m": [{"a": [{"b": 1}, {"c": 2}], "a": [{"d": 33}]}]}', ("m", 0, "a", 1), None),
        (json.dumps({'a "b"\n': [{"c": 1}], "é\\": 2}), ('a "b"\n', 0, "c"), "1"),
        (json.dumps({'a "b"\n': [{"c": 1}], "é\\": 2}), ("é\\",), "2"),
        ('{"1": 1, "2" :\t1 , "é": "é"}', ("é",), '"é"'),
        ('{ "a" : [ ] , "b" : [ 5 ] }', ("b", 0), "5"),
        ('{"a":{},"b":[[],[6]]}', ("b", 1, 0), "6"),
    ],
)
def test_odd_texts_are_walked(
    text: str, path: tuple[Step, ...], part: str | None, half: str
) -> None:
    """Keys that occur twice or have escapes, white space anywhere, what only one parser reads."""
    raw = text.encode()
    if half:
        raw = f'{{"half": "{half}", {text[1:].lstrip()}'.encode()

    assert PartMap(raw).text(path) == part


def test_a_list_is_found_where_it_stands_and_not_where_another_begins_like_it() -> None:
    """What is cut at its elements must not be cut inside a longer one of the same name."""
    raw = b'{"x": {"a": [1, 22, 3]}, "a": [1, 22], "b": 0}'

    assert PartMap(raw).span(("a", 1)) == (raw.rindex(b"22"), raw.rindex(b"22") + 2)


HOSTILE = [
    *(
        "",
        " ",
        "{",
        "[1,",
        '"abc',
        "{'a': 1}",
        "01",
        "[1] 2",
        "\ufeff1",
        "nul",
        "-",
        "+1",
        ".5",
        "1.",
    ),
    *('{"a": 1 "b": 2}', '{"a": 1,}', '{,"a": 1}', '{"a" 1}', "{1: 2}", "[1 2]", "[1,]"),
    *(
        '{"a": NaN}',
        "Infinity",
        "1e999",
        "-1e999",
        '{"a\tb": 1}',
        '"\\u12"',
        '"\\x41"',
        '"a\n"',
        "\x0b1",
    ),
    *("1" * 5000, "[" * 100_000, "[" * 102 + "]" * 102, '{"a": ' * 600 + "1" + "}" * 600),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_the_careful_parser_refuses_is_refused_with_its_reason(text: str) -> None:
    """The fast one accepts nothing more, and says nothing of its own."""
    with pytest.raises(TraceFormatError) as careful:
        read_carefully(text)
    with pytest.raises(TraceFormatError) as fast:
        read_value(text)
    with pytest.raises(TraceFormatError) as of_bytes:
        read_value(text.encode())

    assert str(fast.value) == str(careful.value) == str(of_bytes.value)


NUMBERS = [
    *(
        "18446744073709551616",
        "-9223372036854775809",
        "9" * 40,
        "-0",
        "-0.0",
        "1.0",
        "1E5",
        "1e-400",
    ),
    *("123456789012345678901234567890.5", "2.5e-324", "9007199254740993.0", "0.1", "1e+5"),
    *(
        '"\\ud800"',
        '"\\udc00\\ud800"',
        '"\\ud83d\\ude00"',
        '"\\/"',
        '{"a":1,"a":2}',
        '"\x7f"',
        "[]",
    ),
]


@pytest.mark.parametrize("text", NUMBERS)
def test_numbers_and_texts_are_those_of_the_careful_parser(text: str) -> None:
    """Large integers stay integers; `1.0` stays a float; halves of pairs stay."""
    careful = read_carefully(text)

    assert repr(read_value(text)) == repr(careful)
    assert repr(read_value(f" {text} ".encode())) == repr(careful)


@settings(max_examples=100)
@given(st.text(alphabet='{}[]",:\\ue0123456789-+.tfnab \n', max_size=12))
@example("[1.5e300, -0.0]")
def test_both_parsers_accept_the_same_texts(text: str) -> None:
    """Of what looks like JSON, as of what is."""
    try:
        careful = repr(read_carefully(text))
    except TraceFormatError as error:
        careful = str(error)
    try:
        fast = repr(read_value(text.encode()))
    except TraceFormatError as error:
        fast = str(error)

    assert fast == careful


@settings(max_examples=100)
@given(
    st.one_of(
        st.text(alphabet="{}[]()\",:'\\ue01.TFN a\n", max_size=12),
        json_values(max_leaves=6).map(json.dumps),
        json_values(max_leaves=6).map(repr),
        st.sampled_from(["[" * 300 + "]" * 300, "[" * 600 + "]" * 600, "[1e999]", '["\\ud800"]']),
    )
)
def test_a_text_in_a_record_is_read_as_everywhere(text: str) -> None:
    """The short way for structures changes no result."""
    assert repr(read_text(text)) == repr(parse_text(text))


def test_a_value_may_not_nest_too_deeply() -> None:
    """The limit holds however the text is read."""
    deep = "[" * 200 + "]" * 200

    with pytest.raises(TraceFormatError, match="nested too deeply"):
        read_value(f'{{"a": {deep}}}')
    assert read_value(deep, depth=None) is not None


def test_bytes_that_are_no_text_are_told() -> None:
    """The caller names the byte."""
    with pytest.raises(UnicodeDecodeError):
        read_value(b'"\xff"')


def test_a_float_is_never_infinite() -> None:
    """A double cannot hold it, so it is refused and not changed."""
    assert math.isfinite(float(str(read_value("1e308"))))
