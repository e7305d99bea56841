"""Two redactions of one draft say the same for the same."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings, strategies as st
from rapidfuzz.distance import Levenshtein

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.redact.test_assign import values
from workbench.casefile.trace import trace_document
from workbench.redact import redact_trace, require_safe
from workbench.redact.assign import Pin, Value, assign
from workbench.redact.draws import Drawer
from workbench.redact.residue import scan
from workbench.redact.skeleton import letters_of
from workbench.review.vault import Vault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.desk

KEY = bytes(range(32))
FIRST = a_trace(
    a_user("This is Rachel Rivera, rachel.rivera@@fabrikam.com."),
    a_call("crm.get", args={"account_id": "ACC-447190", "full_name": "Rachel Rivera"}),
    a_claim("Done."),
)
SECOND = a_trace(
    a_user("Please go on."),
    a_call(
        "crm.get",
        args={"note": "Rivera, RACHEL; login rachel.rivera@fabrikam.com; ref acc-4471902"},
    ),
    a_claim("Rachel is told; mail goes to fabrikam.com."),
)


def test_values_of_one_path_are_replaced_in_the_next() -> None:
    """No detector would find a bare name in a note, but the incident named it."""
    first = redact_trace(FIRST, key=KEY, ner="none")

    second = redact_trace(SECOND, key=KEY, ner="none", known=first.needles)

    text = json.dumps(trace_document(second.trace))
    assert [raw for raw in ("achel", "ivera", "447190", "fabrikam") if raw in text] == []
    assert scan(text.encode(), first.needles) == ()
    require_safe(second)


def test_the_same_person_has_the_same_name_in_both() -> None:
    """Although the second path knows a better anchor for each value."""
    first = redact_trace(FIRST, key=KEY, ner="none")
    new = {n.text: n.pseudonym for n in first.needles}

    done = redact_trace(SECOND, key=KEY, ner="none", known=first.needles)

    text = json.dumps(trace_document(done.trace))
    given_name, family_name = new["Rachel Rivera"].split(" ")
    assert f"{family_name}, {given_name.upper()}" in text
    assert f"{given_name} is told" in text
    mail = new["rachel.rivera@@fabrikam.com"]
    assert mail.replace("@@", "@") in text
    assert f"goes to {mail.rpartition('@')[2]}" in text
    assert new["ACC-447190"].lower() in text


def test_a_path_without_values_of_its_own_is_told_apart() -> None:
    """Counts say what is in this path, not what is known."""
    first = redact_trace(FIRST, key=KEY, ner="none")

    done = redact_trace(a_trace(a_claim("Nothing.")), key=KEY, ner="none", known=first.needles)

    assert (done.values, done.surviving, done.clusters, done.needles) == (0, 0, 0, ())


def test_nothing_of_a_pin_shows() -> None:
    """It holds raw values in its labels."""
    first = redact_trace(FIRST, key=KEY, ner="none")

    assert "rivera" not in repr(first.needles).lower()
    assert "ab" not in repr(Pin(pseudonym="ab", draws=(("word:ab", 1),)))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(values(), min_size=1, max_size=6, unique_by=lambda v: v.text),
    st.lists(values(), min_size=1, max_size=6, unique_by=lambda v: v.text),
)
def test_pinned_values_keep_what_they_have_whatever_comes(
    old: list[Value], new: list[Value]
) -> None:
    """And new ones stay distinct from them."""
    first = assign(old, Drawer(KEY))
    pinned = {v.text: replace(v, pin=first.pin(v.text)) for v in old}

    second = assign(({v.text: v for v in new} | pinned).values(), Drawer(KEY))

    assert {t: second.pseudonyms[t] for t in pinned} == first.pseudonyms
    assert len(set(second.pseudonyms.values())) == len(second.pseudonyms)


def test_a_pin_does_not_hinge_on_being_said() -> None:
    """The draws are taken over, so the same value is drawn the same without its pseudonym."""
    old = [Value(text=f"ACC-44719{n:02}", type="ACCOUNT_ID") for n in range(20)]
    first = assign(old, Drawer(KEY))
    free = old[7]
    pinned = [replace(v, pin=first.pin(v.text)) for v in old if v is not free]
    spaced = Value(text=free.text.replace("-", " "), type="ACCOUNT_ID")

    done = assign([*pinned, free, spaced], Drawer(KEY)).pseudonyms

    assert done[free.text] == first.pseudonyms[free.text]
    assert done[spaced.text] == done[free.text].replace("-", " ")


_FRAMES = {
    "USERNAME": ("user {}", "svc{:04d}", "ann lee {}"),
    "ACCOUNT_ID": ("ACC-{:06d}", "A-{}", "cus_{:08x}"),
    "EMAIL_ADDRESS": ("user{:03d}@corp.example", "ann.lee{0}@mail-{0}.corp.com"),
    "PERSON": ("Ann Lee{}",),
    "DOMAIN_NAME": ("h{}.corp.com",),
    "CREDIT_CARD": ("411111111111{:04d}",),
}
_WIDE = str.maketrans({str(n): chr(0xFF10 + n) for n in range(10)})
_FORMS: Final[tuple[Callable[[str], str], ...]] = (
    str.upper,
    str.lower,
    lambda text: text.replace("-", " "),
    lambda text: text.replace(" ", "_"),
    lambda text: text.translate(_WIDE),
)


@st.composite
def _crowds(draw: st.DrawFn) -> list[Value]:
    """Numbered values of one frame: a few, or so many that they are a crowd."""
    kind = draw(st.sampled_from(sorted(_FRAMES)))
    frame = draw(st.sampled_from(_FRAMES[kind]))
    start, size = draw(st.sampled_from([1, 95, 4700])), draw(st.sampled_from([2, 10, 20]))
    return [Value(text=frame.format(n), type=kind) for n in range(start, start + size)]


@settings(max_examples=25, deadline=None)
@given(_crowds(), _crowds(), st.sets(st.integers(0, 39)), st.sampled_from(_FORMS))
def test_every_form_of_a_pinned_value_has_the_form_of_its_pin(
    some: list[Value], others: list[Value], places: set[int], form: Callable[[str], str]
) -> None:
    """Whatever else the next text brings: crowds around known values, or more of a crowd."""
    every = list({v.text: v for v in [*some, *others]}.values())
    old = [v for at, v in enumerate(every) if at in places]
    first = assign(old, Drawer(KEY))
    pinned = {v.text: replace(v, pin=first.pin(v.text)) for v in old}
    formed = {form(v.text): Value(text=form(v.text), type=v.type) for v in old}

    done = assign(({v.text: v for v in every} | formed | pinned).values(), Drawer(KEY)).pseudonyms

    assert {v.text: done[v.text] for v in old} == first.pseudonyms
    assert {form(v.text): done[form(v.text)] for v in old} == {
        form(text): form(pseudonym) for text, pseudonym in first.pseudonyms.items()
    }


@settings(max_examples=12, deadline=None)
@given(
    _crowds(),
    _crowds(),
    st.sets(st.integers(0, 39)),
    st.sampled_from(_FORMS),
    st.sampled_from(_FORMS),
)
def test_values_that_differ_stay_two_whatever_is_pinned_of_them(
    some: list[Value],
    others: list[Value],
    places: set[int],
    form: Callable[[str], str],
    other: Callable[[str], str],
) -> None:
    """A draw that pins rest on is never taken again, so a new value that falls on it must give way."""
    every = list({v.text: v for v in [*some, *others]}.values())
    old = [v for at, v in enumerate(every) if at in places]
    first = assign(old, Drawer(KEY))
    pinned = {v.text: replace(v, pin=first.pin(v.text)) for v in old}
    formed = {f(v.text): replace(v, text=f(v.text)) for v in every for f in (form, other)}

    done = assign(({v.text: v for v in every} | formed | pinned).values(), Drawer(KEY))

    assert {text for text, facts in done.lost.items() if "distinct" in facts} == set()
    assert {v.text: done.pseudonyms[v.text] for v in old} == first.pseudonyms
    raw_by_new: dict[str, set[str]] = {}
    for text, pseudonym in done.pseudonyms.items():
        raw_by_new.setdefault(letters_of(pseudonym), set()).add(letters_of(text))
    assert [raw for raw in raw_by_new.values() if len(raw) > 1] == []


@pytest.mark.parametrize(
    ("kind", "known", "new"),
    [
        ("USERNAME", [f"svc{n}" for n in (4701, 4707)], "svc4700"),
        ("ACCOUNT_ID", [f"ACC-{n:06d}" for n in (1, 3, 4, 6)], "ACC-000002"),
        ("DOMAIN_NAME", [f"h{n}.corp.com" for n in (96, 97, 99)], "h98.corp.com"),
        ("PHONE_NUMBER", [f"415-555-{n}" for n in (4700, 4703)], "415-555-4701"),
    ],
)
def test_a_near_miss_of_a_known_value_stays_one(kind: str, known: list[str], new: str) -> None:
    """It gives way in the character that tells it apart, and in nothing else."""
    first = assign([Value(text=text, type=kind) for text in known], Drawer(KEY))
    pinned = [Value(text=text, type=kind, pin=first.pin(text)) for text in known]

    done = assign([*pinned, Value(text=new, type=kind)], Drawer(KEY))

    assert done.lost == {}
    distances = {Levenshtein.distance(done.pseudonyms[new], done.pseudonyms[t]) for t in known}
    assert min(distances) == 1


def test_a_value_that_gives_way_keeps_its_check() -> None:
    """Once it has a draw of its own, that is taken again like any other."""
    known = [Value(text=f"411111111111{n:04d}", type="CREDIT_CARD") for n in range(97, 112)]
    first = assign(known, Drawer(KEY))
    pinned = [replace(v, pin=first.pin(v.text)) for v in known]
    new = [Value(text=f"411111111111{n:04d}", type="CREDIT_CARD") for n in range(90, 97)]

    done = assign([*pinned, *new], Drawer(KEY))

    assert len(set(done.pseudonyms.values())) == len(done.pseudonyms)
    assert done.lost == {}


def test_a_form_alone_makes_no_other_value() -> None:
    """`Ekk Poi7` and `ekk poi 7` are one to a reader, so they may not stand for two."""
    known = [
        *(Value(text=f"Ann Lee{n}", type="PERSON") for n in range(1, 21)),
        *(Value(text=f"ann lee {n}", type="USERNAME") for n in range(1, 11)),
    ]

    done = assign(known, Drawer(KEY)).pseudonyms

    folded = {letters_of(text): letters_of(pseudonym) for text, pseudonym in done.items()}
    assert len(set(folded.values())) == len(folded) == 20


def test_where_no_number_is_left_a_new_value_is_longer() -> None:
    """All of one digit are taken or known: another length is less than another's number."""
    known = [Value(text=f"A-{n}", type="ACCOUNT_ID") for n in (1, 5, 8)]
    first = assign(known, Drawer(KEY))
    pinned = [replace(v, pin=first.pin(v.text)) for v in known]
    new = [Value(text=f"A-{n}", type="ACCOUNT_ID") for n in range(10)]

    done = assign([*pinned, *(v for v in new if v not in known)], Drawer(KEY))

    assert len(set(done.pseudonyms.values())) == 10
    assert {fact for facts in done.lost.values() for fact in facts} <= {"length:<=8"}


def test_the_vault_pins_every_form_too(tmp_path: Path) -> None:
    """What is kept between two commands is all that the next one needs."""
    first = redact_trace(
        a_trace(
            a_user("Please help."),
            *(a_call("crm.get", args={"username": f"user {n}"}) for n in range(4700, 4710)),
            a_claim("Done."),
        ),
        key=KEY,
        ner="none",
    )
    vault = Vault(tmp_path)
    vault.keep("d-1", first.needles)
    names = ["USER_4705", *(f"user {n}" for n in range(4710, 4716))]
    second = redact_trace(
        a_trace(*(a_call("crm.get", args={"username": name}) for name in names), a_claim("Done.")),
        key=KEY,
        ner="none",
        known=vault.needles("d-1"),
    )

    new = {n.text: n.pseudonym for n in first.needles}

    assert {n.text: n.pseudonym for n in second.needles}["USER_4705"] == (
        new["user 4705"].upper().replace(" ", "_")
    )
