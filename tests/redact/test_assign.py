"""Laws of pseudonyms, over random values and random damage."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings, strategies as st

from workbench.redact.assign import Assignment, Value, assign
from workbench.redact.checks import VALIDITY, luhn_digit
from workbench.redact.draws import Drawer
from workbench.redact.special import Dates
from workbench.redact.variants import script

pytestmark = pytest.mark.desk

KEY = bytes(range(32))
CHECKS = {
    "EMAIL_ADDRESS": "email",
    "PHONE_NUMBER": "phone",
    "CREDIT_CARD": "luhn",
    "IBAN_CODE": "iban",
    "US_SSN": "ssn",
}

_names = st.text(string.ascii_lowercase, min_size=4, max_size=9)
_digits = st.text(string.digits, min_size=7, max_size=7)
_WIDE = {ord(digit): 0xFF10 + int(digit) for digit in string.digits}


@st.composite
def values(draw: st.DrawFn) -> Value:
    """A well-formed value of any type."""
    kind = draw(st.sampled_from([*CHECKS, "ACCOUNT_ID", "PERSON", "SECRET"]))
    number = draw(_digits)
    match kind:
        case "EMAIL_ADDRESS":
            text = f"{draw(_names)}.{draw(_names)}@{draw(_names)}.com"
        case "PHONE_NUMBER":
            text = f"{draw(st.sampled_from(['212', '415', '303']))}-{number[:3]}-{number[3:]}"
        case "CREDIT_CARD":
            body = "4" + number + number
            text = body + luhn_digit(body)
        case "IBAN_CODE":
            text = f"GB29NWBK{number}{number}"
        case "US_SSN":
            text = f"{number[:3]}-{number[3:5]}-{number[:4]}"
        case "ACCOUNT_ID":
            text = f"ACC-{number}"
        case "PERSON":
            text = f"{draw(_names).title()} {draw(_names).title()}"
        case _:
            text = f"sk-live-{draw(st.text('0123456789abcdef', min_size=24, max_size=24))}"
    return Value(text=text, type=kind)


@st.composite
def edits(draw: st.DrawFn, text: str) -> str:
    """A text with one damage."""
    at = draw(st.integers(0, len(text) - 2))
    done = {
        "drop": text[:at] + text[at + 1 :],
        "double": text[: at + 1] + text[at:],
        "swap": text[:at] + text[at + 1] + text[at] + text[at + 2 :],
        "truncate": text[: max(len(text) - 2, 4)],
        "case": text.swapcase(),
        "blank": text + " ",
        "zero_width": text[:at] + "\u200b" + text[at:],
        "full_width": "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in text),
        "separator": text.replace("-", "_").replace(".", ","),
        "digit": "".join(
            str((int(c) + 1) % 10) if n == at and c.isdigit() else c for n, c in enumerate(text)
        ),
    }
    return done[draw(st.sampled_from(sorted(done)))]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Value, Value]:
    """A value and a damaged copy."""
    value = draw(values())
    return value, Value(text=draw(edits(value.text)), type=value.type)


def _assigned(*given_values: Value, key: bytes = KEY) -> Assignment:
    return assign({v.text: v for v in given_values}.values(), Drawer(key))


@settings(max_examples=50)
@given(pairs())
def test_a_damaged_copy_stays_linked_and_as_valid_as_it_was(pair: tuple[Value, Value]) -> None:
    """Incidents hang on damaged values: the damage must be the same, and so the verdict on it."""
    value, copy = pair

    done = _assigned(value, copy)

    assert done.clusters[value.text] == done.clusters[copy.text]
    check = CHECKS.get(value.type)
    if check is not None:
        for text in {value.text, copy.text}:
            assert VALIDITY[check](text) == VALIDITY[check](done.pseudonyms[text])


@settings(max_examples=50)
@given(pairs())
def test_distinct_stays_distinct_and_nothing_raw_is_left(pair: tuple[Value, Value]) -> None:
    """Two accounts that become one hide the bug; a value that survives is a leak."""
    done = _assigned(*pair)

    assert len(set(done.pseudonyms.values())) == len(done.pseudonyms)
    for text, pseudonym in done.pseudonyms.items():
        assert text not in done.pseudonyms.values()
        assert len(text) - len(text.strip()) == len(pseudonym) - len(pseudonym.strip())


@settings(max_examples=25)
@given(st.lists(values(), min_size=2, max_size=8, unique_by=lambda v: v.text))
def test_one_key_gives_one_result(found: list[Value]) -> None:
    """A later path is accepted under the same pseudonyms; another case must not show the link."""
    first, again = _assigned(*found), _assigned(*reversed(found))
    other = _assigned(*found, key=bytes(32))

    assert first.pseudonyms == again.pseudonyms
    assert first.pseudonyms != other.pseudonyms


@given(st.text("abcd", min_size=1, max_size=8), st.text("abcd", min_size=1, max_size=8))
@settings(max_examples=50)
def test_a_script_has_one_step_a_character(anchor: str, variant: str) -> None:
    """Replay writes exactly one unit for each character of the variant."""
    assert len(script(anchor, variant)) == len(variant)


def _of(text: str, kind: str) -> str:
    return _assigned(Value(text=text, type=kind)).pseudonyms[text]


@pytest.mark.parametrize(
    ("text", "kind", "prefix"),
    [
        ("ACC-4471902", "ACCOUNT_ID", "ACC-"),
        ("cus_9f8a7b6c5d", "ACCOUNT_ID", "cus_"),
        ("sk-live-23c38c12b2cff5c18ccce0742fc63e6c", "SECRET", "sk-live-"),
        ("GB95AALJ30422129642132", "IBAN_CODE", "GB"),
        ("+44 20 7946 0958", "PHONE_NUMBER", "+44 "),
        ("10.1.2.3", "IP_ADDRESS", "10."),
        ("192.168.7.9", "IP_ADDRESS", "192.168."),
        ("2a02:8109:9ec0::1f", "IP_ADDRESS", "2001:db8:"),
        ("17084847513", "PHONE_NUMBER", "1"),
    ],
)
def test_a_prefix_that_is_schema_stays(text: str, kind: str, prefix: str) -> None:
    """What tells the kind of an id is no personal data, and code branches on it."""
    pseudonym = _of(text, kind)

    assert pseudonym.startswith(prefix)
    assert pseudonym != text


@pytest.mark.parametrize(
    ("text", "kind", "check"),
    [
        ("184.15.183.114", "IP_ADDRESS", "ip"),
        ("2a02:8109::1", "IP_ADDRESS", "ip"),
        ("2a02::1", "IP_ADDRESS", "ip"),
        ("371723195301315632", "ZH_ID", "zh_id"),
        ("350481195006060008", "ZH_ID", "zh_id"),
        ("1985-02-13", "DATE_OF_BIRTH", "date"),
        ("9b2f7c1e-6a51-4d0e-9a0b-5c1d2e3f4a5b", "ACCOUNT_ID", "uuid"),
        ("999.202.170.233", "IP_ADDRESS", "ip"),
        ("1985-02-30", "DATE_OF_BIRTH", "date"),
    ],
)
def test_the_verdict_of_a_validator_stays(text: str, kind: str, check: str) -> None:
    """The malformed stays malformed, the valid stays valid."""
    pseudonym = _of(text, kind)

    assert pseudonym != text
    assert VALIDITY[check](pseudonym) == VALIDITY[check](text)


def test_a_person_is_one_person_everywhere() -> None:
    """A name, its parts, its initials and its address are about one person."""
    texts = {
        "Alex Smith": "PERSON",
        "alex": "PERSON",
        "A. Smith": "PERSON",
        "SMITH": "PERSON",
        "alex.smith@fabrikam.com": "EMAIL_ADDRESS",
        "asmith": "USERNAME",
    }

    done = _assigned(*(Value(text=t, type=k) for t, k in texts.items())).pseudonyms

    first, last = done["Alex Smith"].split(" ")
    assert done["alex"] == first.lower()
    assert done["A. Smith"] == f"{first[0]}. {last}"
    assert done["SMITH"] == last.upper()
    assert done["alex.smith@fabrikam.com"].startswith(f"{first}.{last}@".lower())
    assert done["asmith"] == f"{first[0]}{last}".lower()


@pytest.mark.parametrize("mode", list(Dates))
def test_dates_move_as_declared(mode: Dates) -> None:
    """Weekdays and distances stay under weeks, day and month under 28 years."""
    texts = ("1985-02-13", "1985-02-20", "13/02/1985", "born in 1985")
    found = [Value(text=t, type="DATE_OF_BIRTH") for t in texts]

    done = assign(found, Drawer(KEY), dates=mode).pseudonyms

    if mode is Dates.RETAIN:
        assert all(done[t] == t for t in texts)
    else:
        assert not set(done.values()) & set(texts)
        assert done["born in 1985"] == "born in 1957"
    if mode is Dates.SHIFT_28_YEARS:
        assert done["1985-02-13"] == "1957-02-13"


def test_a_day_in_wide_digits_stays_wide() -> None:
    """Else it would become the same text as the day in plain digits."""
    texts = ("1990-01-02", "1985-02-30")
    wide = tuple(text.translate(_WIDE) for text in texts)

    done = _assigned(*(Value(text=t, type="DATE_OF_BIRTH") for t in (*texts, *wide)))

    assert done.lost == {}
    plain = [done.pseudonyms[text].translate(_WIDE) for text in texts]
    assert [done.pseudonyms[text] for text in wide] == plain


def test_nothing_of_the_values_shows_in_text_forms() -> None:
    """A value in a log is a leak."""
    done = _assigned(Value(text="Alex Smith", type="PERSON"))

    assert "Alex" not in repr(done)
    assert repr(Drawer(KEY)) == "Drawer()"
