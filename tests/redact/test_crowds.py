"""Many values of one frame: each gets its own pseudonym, and the work grows with their number only."""

from __future__ import annotations

import string
import time
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from rapidfuzz.distance import OSA

from workbench.redact.assign import Assignment, Value, assign
from workbench.redact.checks import luhn_digit, zh_check
from workbench.redact.draws import Drawer
from workbench.redact.nearest import Anchors
from workbench.redact.variants import CROWD, Member, cluster

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.desk

KEY = bytes(range(32))


def _assigned(texts: list[str], kind: str) -> Assignment:
    return assign([Value(text=text, type=kind) for text in texts], Drawer(KEY))


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("EMAIL_ADDRESS", [f"user{n:03d}@corp.example" for n in range(1, 251)]),
        ("EMAIL_ADDRESS", [f"user{n}@corp.example" for n in range(1, 120)]),
        ("PHONE_NUMBER", [f"+1 415 555 {n}" for n in range(1000, 1200)]),
        ("CREDIT_CARD", [b + luhn_digit(b) for b in (f"411111111111{n:03d}" for n in range(90))]),
        ("USERNAME", [f"svc{n:04d}" for n in range(200)]),
        ("IP_ADDRESS", [f"181.102.{100 + n // 100}.{100 + n % 100}" for n in range(300)]),
        ("ACCOUNT_ID", [f"ACC-{n:06d}" for n in range(1, 401)]),
        ("ACCOUNT_ID", [f"ACC-{n:04d}" for n in range(1, 10)]),
        ("ACCOUNT_ID", [f"ACC-{n}" for n in range(1, 10)]),
        ("ACCOUNT_ID", [f"A-{n}" for n in range(1, 120)]),
        ("ACCOUNT_ID", [str(n) for n in range(30000, 30200)]),
        ("ACCOUNT_ID", [str(n) for n in range(4_000_030_000, 4_000_030_100)]),
    ],
)
def test_a_crowd_loses_nothing(kind: str, texts: list[str]) -> None:
    """Ids and addresses are numbered in the world, so most near ones are nobody's slip."""
    done = _assigned(texts, kind)

    assert done.lost == {}
    assert len(set(done.pseudonyms.values())) == len(texts)
    assert set(done.pseudonyms.values()).isdisjoint(texts)
    assert _assigned(texts[::-1], kind).pseudonyms == done.pseudonyms


def test_ten_times_the_values_are_about_ten_times_the_work() -> None:
    """Draws that met were all drawn again together: 500 addresses took more than a minute."""

    def seconds(size: int) -> float:
        start = time.process_time()
        _assigned([f"user{n:04d}@corp.example" for n in range(size)], "EMAIL_ADDRESS")
        return time.process_time() - start

    seconds(20)

    assert seconds(800) < 40 * seconds(80)


def test_wrong_check_digits_are_drawn_about_twice() -> None:
    """Their first digits read as a day of the year 4111, and hardly any draw is one."""
    bodies = [f"411111111111{n:03d}" for n in range(100)]
    texts = [body + str((int(luhn_digit(body)) + 1) % 10) for body in bodies]

    done = _assigned(texts, "CREDIT_CARD")

    assert done.lost == {}
    assert sum(count for text in texts for _, count in done.draws[text]) <= 2 * len(texts)


def test_ids_that_read_as_days_are_drawn_about_twice() -> None:
    """Hardly one draw of eight digits is a day of the calendar too: each took some ninety."""
    texts = [
        f"{year}{month:02d}{day:02d}"
        for year in (1990, 2024)
        for month in range(1, 6)
        for day in range(1, 13)
    ]

    done = _assigned(texts, "ACCOUNT_ID")

    assert done.lost == {}
    assert sum(dict(chain.from_iterable(done.draws.values())).values()) <= 2 * len(texts)


@pytest.mark.parametrize(
    ("kind", "head", "check"),
    [("CREDIT_CARD", "411111111111", luhn_digit), ("ZH_ID", "11010119900307", zh_check)],
)
def test_valid_ones_near_one_another_are_values_of_their_own(
    kind: str, head: str, check: Callable[[str], str]
) -> None:
    """No edit script keeps a check digit: nine of them lost it after a thousand draws."""
    bodies = [f"{head}{n:03d}" for n in range(0, 60, 7)]
    texts = [body + check(body) for body in bodies]

    done = _assigned(texts, kind)

    assert done.lost == {}
    assert len(set(done.clusters.values())) == len(texts)
    assert sum(dict(chain.from_iterable(done.draws.values())).values()) <= 10 * len(texts)


def test_two_valid_ones_near_each_other_stay_near() -> None:
    """An agent that mistook one card for another is seen to have done so still."""
    texts = ["4111111111111111", "4111111111111129"]

    done = _assigned(texts, "CREDIT_CARD")

    assert done.lost == {}
    assert len(set(done.clusters.values())) == 1


def test_many_damaged_ones_around_one_are_no_variants_of_it() -> None:
    """One of these happens to be valid: the others were drawn again with it, thousands of times."""
    texts = [f"GB29NWBK6016133192{n:04d}" for n in range(100, 220)]

    done = _assigned(texts, "IBAN_CODE")

    assert done.lost == {}
    assert sum(count for text in texts for _, count in done.draws[text]) <= len(texts)


def test_a_series_keeps_distances_and_heads() -> None:
    """An id mistyped in one digit, or cut short, is still told from its neighbour so."""
    done = _assigned([*(f"ACC-{n:06d}" for n in range(100)), "ACC-00004"], "ACCOUNT_ID").pseudonyms

    one, other = done["ACC-000041"], done["ACC-000043"]
    assert sum(a != b for a, b in zip(one, other, strict=True)) == 1
    assert one.startswith(done["ACC-00004"])


def test_a_damaged_copy_in_a_crowd_stays_with_its_own() -> None:
    """The doubled dot is damage, whatever stands around it."""
    texts = [f"user{n:03d}@corp.example" for n in range(100)]
    done = _assigned([*texts, "user017@corp..example"], "EMAIL_ADDRESS").pseudonyms

    assert done["user017@corp..example"] == done["user017@corp.example"].replace(".", "..")


def test_a_value_that_a_series_cannot_keep_is_drawn_alone() -> None:
    """Every tenth of these numbers passes a check of cards by chance, and must go on to do so."""
    texts = [str(n) for n in range(4_000_000_000_030_000, 4_000_000_000_030_060)]
    done = _assigned(texts, "ACCOUNT_ID")

    assert done.lost == {}
    assert len(set(done.pseudonyms.values())) == len(texts)


def test_what_is_not_drawn_again_stays_in_its_series() -> None:
    """A pin is a pseudonym with the draws that it came from: they must belong together."""
    texts = [str(n) for n in range(4_000_000_000_030_000, 4_000_000_000_030_060)]
    values = [Value(text=text, type="ACCOUNT_ID") for text in texts]

    done = assign(values, Drawer(KEY), tries=0)

    assert done.lost  # what no draw was left for
    assert {label for text in texts for label, _ in done.draws[text]} == {"series:ACCOUNT_ID:"}


@pytest.mark.parametrize(
    ("kind", "first", "other", "crowd"),
    [
        ("ACCOUNT_ID", "ACC-000017", "acc 000017", [f"ACC-{n:06d}" for n in range(20, 60)]),
        ("USERNAME", "user 4711", "USER-4711", [f"user {n}" for n in range(5000, 5040)]),
        ("USERNAME", "user 4711", "boss 4711", [f"user {n}" for n in range(5000, 5040)]),
    ],
)
def test_what_a_pin_drew_alone_stays_alone_in_a_crowd(
    kind: str, first: str, other: str, crowd: list[str]
) -> None:
    """The next text of a draft brings the crowd; other forms of a known value still agree with it."""
    before = _assigned([first], kind)
    pin = before.pin(first)
    known = Value(text=first, type=kind, pin=pin)
    more = [Value(text=text, type=kind) for text in (other, *crowd)]

    small, large = (assign([known, *rest], Drawer(KEY)) for rest in (more[:1], more))

    assert large.pseudonyms[first] == pin.pseudonym
    assert large.pseudonyms[other] == small.pseudonyms[other]
    assert len(set(large.pseudonyms.values())) == len(large.pseudonyms)
    assert not large.lost


def test_what_has_no_room_gets_more_digits_and_says_so() -> None:
    """All numbers of one to three digits are taken; a length class may change, no value may meet."""
    texts = [f"ACC-{n}" for n in range(1, 130)]
    done = _assigned(texts, "ACCOUNT_ID")

    assert len(set(done.pseudonyms.values())) == len(texts)
    assert set(done.pseudonyms.values()).isdisjoint(texts)
    assert {fact for facts in done.lost.values() for fact in facts} == {"length:<=8"}


def test_only_as_well_formed_ones_leave_a_crowd() -> None:
    """A damaged one is a variant of the nearest, not a value of its own."""
    near = [
        Member(key=f"usernumber{n:03d}", group="g", valid=True, count=1) for n in range(CROWD + 1)
    ]
    damaged = Member(key="usernumber0077", group="g", valid=False, count=1)

    found = cluster([*near, damaged])

    assert found.anchors["g", "usernumber0077"] == "usernumber007"
    assert found.crowded == {("g", m.key) for m in near}
    assert cluster(near[:-1]).crowded == frozenset()


_keys = st.text("ab01" + string.digits[:3] + "é", min_size=1, max_size=9)


def _nearest_by_reading_all(key: str, anchors: list[str]) -> str | None:
    limit = next((n for n, end in enumerate((5, 8, 14)) if len(key) < end), 3)
    best: tuple[float, int] | None = None
    for place, anchor in enumerate(anchors):
        head = anchor.startswith(key) and (
            (len(key) >= 2 and not key.isascii())
            or (len(key) >= 4 and len(key) * 5 >= len(anchor) * 2)
        )
        tail = len(key) >= 4 and anchor.endswith(key) and key.isdigit()
        distance = 0 if head or tail else OSA.distance(key, anchor)
        if distance <= limit and (best is None or distance < best[0]):
            best = (distance, place)
    return None if best is None else anchors[best[1]]


@given(_keys, st.lists(_keys, max_size=12, unique=True))
def test_the_nearest_anchor_is_that_of_a_search_through_all(key: str, anchors: list[str]) -> None:
    """An index is faster, never otherwise."""
    known = Anchors()
    rest = [anchor for anchor in anchors if anchor != key]
    for anchor in rest:
        known.add(anchor)

    assert known.nearest(key) == _nearest_by_reading_all(key, rest)
