"""Digests, with the examples of RFC 8785."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from tests.casefile.samples import a_case
from tests.strategies import json_values
from workbench.casefile.digest import args_digest, canonical_json, case_digest

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

RFC_NUMBERS = [  # RFC 8785, appendix B: the bits of a double, and its text
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), RFC_NUMBERS)
def test_numbers_are_written_as_ecmascript_does(bits: str, text: str) -> None:
    """The examples of the RFC itself."""
    (number,) = struct.unpack(">d", bytes.fromhex(bits))

    assert canonical_json(number).decode() == text


def test_texts_and_structures_are_written_as_in_the_rfc() -> None:
    """RFC 8785, section 3.2.2: its sample object."""
    value: Json = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\nA'\u0042\u0022\u005c\\\"/",
        "literals": [None, True, False],
    }

    assert canonical_json(value).decode() == (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )


def test_keys_are_sorted_by_utf_16_code_units() -> None:
    """RFC 8785, section 3.2.3: its sample object; an emoji comes before U+FB33."""
    value: Json = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }

    order = list(json.loads(canonical_json(value)).values())

    assert order == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


@settings(max_examples=100, deadline=None)
@given(json_values())
def test_canonical_text_reads_back_as_an_equal_value(value: Json) -> None:
    """Else two different values could share a digest."""
    assert json.loads(canonical_json(value), parse_int=float) == value


def test_equal_arguments_have_one_digest_and_others_another() -> None:
    """A grant covers the same arguments, whatever their layout, and no others."""
    assert args_digest({"a": 1, "b": [2.0]}) == args_digest({"b": [2], "a": 1.0})
    assert args_digest({"a": "x "}) != args_digest({"a": "x"})
    assert args_digest({"a": 2**53}) != args_digest({"a": 2**53 + 1})
    assert args_digest({}) == (
        "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    )


def test_the_digest_of_a_case_is_of_what_it_tests() -> None:
    """A new owner leaves results comparable; a new gate does not."""
    case = a_case()

    assert case_digest(replace(case, owner="others", title="New")) == case_digest(case)
    assert case_digest(replace(case, gate=None)) != case_digest(case)
    assert case_digest(replace(case, fixtures=case.fixtures[1:])) != case_digest(case)
