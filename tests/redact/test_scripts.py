"""One person in two scripts is one person; one damaged address is one address."""

# ruff: noqa: RUF001  full-width digits are data here
from __future__ import annotations

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.model.event import UserMessage
from workbench.model.trace import calls_of
from workbench.redact import redact_trace
from workbench.redact.assign import Assignment, Value, assign
from workbench.redact.checks import is_ip
from workbench.redact.draws import Drawer
from workbench.redact.romanise import latin_of

pytestmark = pytest.mark.desk

KEYS = [bytes([n]) * 32 for n in range(8)]


def assigned(texts: dict[str, str], key: bytes) -> Assignment:
    """Draw for texts with their types."""
    return assign([Value(text=t, type=kind) for t, kind in texts.items()], Drawer(key))


@pytest.mark.parametrize("key", KEYS)
def test_a_chinese_name_and_its_pinyin_say_the_same(key: bytes) -> None:
    """A failure that hangs on a match of the two forms must find a match again, and no old syllable."""
    done = assigned(
        {
            "许燕": "PERSON",
            "Xu Yan": "PERSON",
            "YAN XU": "PERSON",
            "xuyan": "USERNAME",
            "xuyan88@corp.cn": "EMAIL_ADDRESS",
            "Xu Yann": "PERSON",
        },
        key,
    )
    new = done.pseudonyms
    family, given = latin_of(new["许燕"]) or ("", "")

    assert new["Xu Yan"] == f"{family.title()} {given.title()}"
    assert new["YAN XU"] == f"{given} {family}".upper()
    assert new["xuyan"] == family + given
    assert new["xuyan88@corp.cn"].startswith(family + given)
    assert new["Xu Yann"] == f"{family.title()} {given.title()}{given[-1]}"
    assert (family, given) != ("xu", "yan")
    assert family != "xu"
    assert given != "yan"
    names = ["许燕", "Xu Yan", "YAN XU", "xuyan", "Xu Yann"]
    assert len({done.clusters[name] for name in names}) == 1


@pytest.mark.parametrize("key", KEYS[:3])
def test_a_cyrillic_name_and_its_latin_form_say_the_same(key: bytes) -> None:
    """Letter by letter."""
    done = assigned({"Иван Петров": "PERSON", "Ivan Petrov": "PERSON"}, key)

    latin = ["".join(latin_of(w) or ()) for w in done.pseudonyms["Иван Петров"].lower().split()]

    assert done.pseudonyms["Ivan Petrov"] == " ".join(word.title() for word in latin)
    assert done.clusters["Ivan Petrov"] == done.clusters["Иван Петров"]


def test_a_latin_form_is_found_where_nothing_names_it() -> None:
    """The other form is a leak as much as the name is."""
    trace = a_trace(
        a_user("Hello, Xu Yan called twice; ouyangshuzhen did not. Made in China."),
        a_call("t", args={"姓名": "许燕", "联系人": "欧阳淑珍"}),
        a_claim("ok"),
    )

    done = redact_trace(trace, key=KEYS[0], ner="none").trace

    text = next(e.text for e in done.events if isinstance(e, UserMessage))
    args = calls_of(done)[0].args
    assert isinstance(args, dict)
    family, given = latin_of(str(args["姓名"])) or ("", "")
    assert f"{family.title()} {given.title()} called" in text
    assert "".join(latin_of(str(args["联系人"])) or ()) + " did" in text
    assert "Made in China" in text


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "damaged", ["184,15.183.114", "184.15.183.114.7", "184.15.183.1140", "1８4.15.183.114"]
)
def test_a_damaged_address_lies_with_the_whole_one(damaged: str, key: bytes) -> None:
    """And is damaged in the same way."""
    done = assigned({"184.15.183.114": "IP_ADDRESS", damaged: "IP_ADDRESS"}, key)
    new = done.pseudonyms

    assert len(set(done.clusters.values())) == 1
    assert is_ip(new["184.15.183.114"])
    assert is_ip(new[damaged]) == is_ip(damaged)
    assert new[damaged].isascii() == damaged.isascii()
    assert new[damaged] != new["184.15.183.114"]
