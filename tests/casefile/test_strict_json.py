"""What is no JSON for everybody is refused."""

from __future__ import annotations

import pytest

from workbench.casefile.strict_json import load_json
from workbench.errors import CaseFormatError


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not JSON"),
        (b'{"a": 1', "is not JSON"),
        (b"\x1f\x8b\x08", "is not UTF-8 text: byte 1 of 3"),
        ('{"a": NaN}', "NaN and Infinity"),
        ('{"a": 1e999}', "too large for a double"),
        ('{"a": 1, "a": 2}', "same key twice"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "is not strict JSON"),
    ],
)
def test_what_is_not_json_everywhere_is_refused(data: bytes | str, words: str) -> None:
    """Two readers must not read two things."""
    with pytest.raises(CaseFormatError, match=words) as caught:
        load_json(data, name="f.json")

    assert caught.value.place.startswith("f.json")


def test_an_error_of_syntax_has_its_line() -> None:
    """Drafts are large."""
    with pytest.raises(CaseFormatError, match=r"^f:3: "):
        load_json('{\n"a": 1,\nb}', name="f")


def test_json_is_read_as_it_is() -> None:
    """Nothing is coerced, also behind a byte order mark."""
    value, place = load_json(b'\xef\xbb\xbf{"a": [1, 1.0, null, true]}', name="f")

    assert repr(value) == "{'a': [1, 1.0, None, True]}"
    assert place.at("a") == "f"
