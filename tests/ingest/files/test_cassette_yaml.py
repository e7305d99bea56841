"""YAML of cassettes: data only, no aliases, no objects, no surprises."""

from __future__ import annotations

import base64
import gzip
import json
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from workbench.errors import TraceFormatError
from workbench.ingest.files.cassette_yaml import is_cassette_yaml, pieces_of_cassette

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json


def value_of(text: str) -> Json:
    """The value of a cassette's only record."""
    (piece,) = pieces_of_cassette(text.encode())
    assert piece.text is not None
    assert json.loads(piece.text) == piece.value
    return piece.value


def body_of(scalar: str) -> Json:
    """How one scalar is read."""
    value = value_of(f"interactions:\n- {scalar}\n")
    assert isinstance(value, dict)
    items = value["interactions"]
    assert isinstance(items, list)
    return items[0]


@pytest.mark.parametrize(
    "head",
    [
        b"interactions:\n",
        b"---\ninteractions:\n",
        b"# recorded\r\nversion: 1\r\ninteractions: []",
        b"\xef\xbb\xbfinteractions:",
    ],
)
def test_a_cassette_is_known_by_its_first_key(head: bytes) -> None:
    """Whatever its name."""
    assert is_cassette_yaml(head)


@pytest.mark.parametrize("head", [b"", b"{}", b'{"interactions": []}', b"a: 1\ninteractions:"])
def test_other_data_are_no_cassette(head: bytes) -> None:
    """JSON has a reader of its own."""
    assert not is_cassette_yaml(head)


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("true", True),
        ("null", None),
        ("~", None),
        ("12", 12),
        ("-1.50", -1.5),
        ("1e3", 1000.0),
        ("'12'", "12"),
        ("no", "no"),
        ("0123", "0123"),
        ("2026-01-01", "2026-01-01"),
        (".inf", ".inf"),
        ("!!str 12", "12"),
        ("!!python/object:os.system x", "x"),
    ],
)
def test_only_json_has_types(scalar: str, value: Json) -> None:
    """What YAML readers disagree about stays a text, and no tag makes an object."""
    found = body_of(scalar)

    assert found == value
    assert type(found) is type(value)


def binary(data: bytes) -> str:
    """Data as YAML writes them."""
    return f"!!binary {base64.b64encode(data).decode()}"


def test_binary_is_text_where_it_is_one() -> None:
    """Packed or not; what is no text is not there."""
    text = "ä text".encode()

    assert body_of(binary(text)) == "ä text"
    assert body_of(binary(gzip.compress(text))) == "ä text"
    assert body_of(binary(b"\x1f\x8bx")) is None
    assert body_of(binary(b"\xff")) is None
    assert body_of("!!binary x") is None


def test_a_packed_bomb_is_not_unpacked() -> None:
    """A body of gigabytes in a few bytes is no body that we keep."""
    bomb = gzip.compress(b"0" * (65 << 20), compresslevel=1)

    assert body_of(binary(bomb)) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("interactions:\n- &a [x]\n- *a\n", "aliases"),
        ("interactions:\n- [\n", "is not YAML at line"),
        ("interactions: []\n---\ninteractions: []\n", "several YAML documents"),
        ("interactions:\n- ? [x]\n  : y\n", "key that is no text"),
        ("interactions: " + "[" * 101 + "]" * 101, "nests deeper"),
    ],
)
def test_what_no_recorder_writes_is_refused(text: str, reason: str) -> None:
    """An alias bomb is refused at its first alias."""
    with pytest.raises(TraceFormatError, match=reason):
        value_of(text)


def test_bytes_that_are_no_text_are_refused() -> None:
    """It says where they stand."""
    with pytest.raises(TraceFormatError, match="byte 14"):
        list(pieces_of_cassette(b"interactions: \xff"))


@settings(max_examples=50)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**17), 10**17) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
        max_leaves=12,
    )
)
def test_what_a_recorder_writes_comes_back(value: Json) -> None:
    """Written by PyYAML, as VCR does; surrogates and controls are not in any cassette."""
    text = yaml.safe_dump({"interactions": [value]}, allow_unicode=False)
    if "&id" in text or "!!" in text:
        return

    assert value_of(text) == {"interactions": [value]}
