"""What YAML readers disagree about is refused."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from workbench.casefile import strict_yaml
from workbench.casefile.strict_yaml import MAX_BYTES, MAX_DEPTH, load_yaml, plain_number
from workbench.errors import CaseFormatError, InputError

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

TYPED: list[tuple[str, Json]] = [
    ("true", True),
    ("false", False),
    ("null", None),
    ("0", 0),
    ("-7", -7),
    ("9007199254740992", 2**53),
    ("1.5", 1.5),
    ("-0.25", -0.25),
    ("0.0000001", 1e-7),
]

TEXTS = [
    "no", "Yes", "on", "~", "True", "NULL", "0123", "0x1F", "0o17", "1_000", "12:30:45",
    "2027-02-28", "2027-02-28T10:00:00Z", ".inf", ".nan", "=", "+1", "1.2.3", "1e", "e3",
]  # fmt: skip

REFUSED = [
    ("a: &x 1\nb: *x", 1, "has an anchor"),
    ("a: [*x]", 1, "has an alias"),
    ("- &x [y]", 1, "has an anchor"),
    ("a: !!python/name:os.system x", 1, "has a tag"),
    ("a: !x [1]", 1, "has a tag"),
    ("b: 1\n<<: {a: 1}", 2, "merge key"),
    ("a: 1\nb: 2\na: 3", 3, "same key twice"),
    ('a: 1\n"a": 2', 2, "same key twice"),
    ("a: 1\n---\nb: 2", 2, "second document"),
    ("1: x", 1, "key that is no string"),
    ("null: x", 1, "key that is no string"),
    ("? [x]\n: 1", 1, "key that is no string"),
    ("? {x: y}\n: 1", 1, "key that is no string"),
    ("v: 1.10", 1, "number that readers change"),
    ("v: 1e3", 1, "number that readers change"),
    ("v: 00012e5", 1, "number that readers change"),
    ("v: .5", 1, "number that readers change"),
    ("v: 1.", 1, "number that readers change"),
    ("v: +1.5", 1, "number that readers change"),
    ("v: 01.5", 1, "number that readers change"),
    ("v: 0.1000000000000000055", 1, "number that readers change"),
    ("v: 9007199254740993", 1, "integer that not every reader keeps"),
    ("v: -12345678901234567890123", 1, "integer that not every reader keeps"),
    ("v: -0", 1, "integer that not every reader keeps"),
    ("v:", 1, "value that is missing"),
    ("a: 'x' \"y\"", 1, "is not YAML"),
    ("a: [1", 2, "is not YAML"),
    ("\ta: 1", 1, "is not YAML"),
]


@pytest.mark.parametrize(("text", "value"), TYPED)
def test_few_words_are_typed(text: str, value: Json) -> None:
    """Only what every reader types alike."""
    found, _ = load_yaml(f"v: {text}", name="f")

    assert repr(found) == repr({"v": value})


@pytest.mark.parametrize("text", TEXTS)
def test_what_only_some_readers_type_is_a_text(text: str) -> None:
    """An id `0123` or the country `no` keeps its shape."""
    assert load_yaml(f"v: {text}", name="f")[0] == {"v": text}


@pytest.mark.parametrize("text", [*TEXTS, "1.10", "1e3", "true", "<<"])
def test_quotes_make_anything_a_text(text: str) -> None:
    """The way out that every refusal names."""
    assert load_yaml(f'{{"{text}": "{text}"}}', name="f")[0] == {text: text}


@pytest.mark.parametrize(("text", "line", "words"), REFUSED)
def test_what_readers_disagree_about_is_refused_with_its_line(
    text: str, line: int, words: str
) -> None:
    """The same file must mean the same in every tool."""
    with pytest.raises(CaseFormatError, match=words) as caught:
        load_yaml(text, name="f.yaml")

    assert caught.value.place == f"f.yaml:{line}"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        ("# only a comment\n", "is empty"),
        (b"\xff\xfea\x00", "not UTF-8"),
        ("a: \ud800", "not UTF-8"),
        ("a: \x07", "characters that YAML does not allow"),
        ("a: " + "x" * MAX_BYTES, "expected at most"),
        ("[" * 100_000, "nest"),
        ("{a: " * (MAX_DEPTH + 1) + "1", "deeper than 64"),
    ],
)
def test_hostile_bytes_end_in_one_error_in_time(data: bytes | str, words: str) -> None:
    """A file of a stranger must not stop the machine."""
    started = time.process_time()

    with pytest.raises(CaseFormatError, match=words):
        load_yaml(data, name="f.yaml")

    assert time.process_time() - started < 20


def test_a_file_of_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """8 MiB of dashes are 4 million values."""
    monkeypatch.setattr(strict_yaml, "MAX_NODES", 100)

    load_yaml("- 1\n" * 99, name="f")
    with pytest.raises(CaseFormatError, match=r"^f:100: has more than 100 values"):
        load_yaml("- 1\n" * 100, name="f")


def test_an_alias_bomb_ends_at_its_first_anchor() -> None:
    """Nine lines that other loaders turn into a billion nodes."""
    lines = ['a0: &a0 ["x"]'] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 30)]

    with pytest.raises(CaseFormatError, match=r"^f:1: has an anchor"):
        load_yaml("\n".join(lines), name="f")


def test_the_depth_limit_is_the_last_that_loads() -> None:
    """What `save_case` allows must load."""
    load_yaml("[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH, name="f")


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    """Some editors write one."""
    assert load_yaml(b"\xef\xbb\xbfa: 1", name="f")[0] == {"a": 1}


def test_every_value_has_its_line() -> None:
    """CI annotates the clause, not the file."""
    text = 'a:\n  - x\n  -\n    "b.c": [1,\n      2]\n'

    _, place = load_yaml(text, name="f")

    assert dict(place.lines) == {
        "": 1, "a": 1, "a.0": 2, "a.1": 4, 'a.1."b.c"': 4, 'a.1."b.c".0': 4, 'a.1."b.c".1': 5,
    }  # fmt: skip
    assert place.at('a.1."b.c".7.x') == "f:4"
    assert len(place.lines) == 7


def test_a_python_without_libyaml_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pure parser has other limits, so there is no falling back to it."""
    monkeypatch.setattr(yaml, "__with_libyaml__", False)

    with pytest.raises(InputError, match="libyaml is missing"):
        strict_yaml.load_yaml("a: 1", name="f")


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_has_a_plain_form_that_loads_as_itself(number: float) -> None:
    """A temperature of 1e-7 must survive a file format without exponents."""
    text = plain_number(number)

    found, _ = load_yaml(f"v: {text}", name="f")

    assert "e" not in text
    assert repr(found) == repr({"v": number})
