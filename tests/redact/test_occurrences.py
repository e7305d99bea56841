"""Known values found again where no detector looks."""

from __future__ import annotations

import pytest

from workbench.redact.leaves import Leaf
from workbench.redact.occurrences import Occurrences

pytestmark = pytest.mark.desk


def known() -> Occurrences:
    """Values of several types."""
    found = Occurrences(protected=frozenset({"status"}))
    found.learn(
        [
            ("Rachel Rivera", "PERSON"),
            ("Will Rose", "PERSON"),
            ("Status", "ORGANIZATION"),
            ("Wrocław", "LOCATION"),
            ("rachel.rivera@fabrikam.com", "EMAIL_ADDRESS"),
            ("ACC-4471902", "ACCOUNT_ID"),
            ("4459845551439728", "CREDIT_CARD"),
            ("欧阳淑珍", "PERSON"),
        ]
    )
    return found


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("for RACHEL RIVERA only", {"RACHEL RIVERA"}),
        ("ask Rivera", {"Rivera"}),
        ("ask rivera", set()),
        ("/users/rivera", {"rivera"}),
        ("rivera", {"rivera"}),
        ("Riverra called", {"Riverra"}),
        ("Will you rose to it", set()),
        ("status Status", set()),
        ("w wrocław lub Wroclaw", {"Wroclaw"}),
        ("login rachel.rivera now", {"rachel.rivera"}),
        ("at www.fabrikam.com today", {"fabrikam.com"}),
        ("at fabrikan.com today", {"fabrikan.com"}),
        ("rachel%2Erivera%40fabrikam.com", {"rachel%2Erivera%40fabrikam.com"}),
        ("ref 4471902 and acc 447 1902", {"4471902", "acc 447 1902"}),
        ("ref 447190 and acc-4471903", {"447190", "acc-4471903"}),
        ("ref 44719", {"44719"}),
        ("ref 99999", set()),
        ("x4471902y", set()),
        ("card ending in 9728, not 9729", {"9728"}),
        ("尾号9728", {"9728"}),
        ("欧阳淑珍女士", {"欧阳淑珍"}),
    ],
)
def test_a_known_value_is_found_again(text: str, values: set[str]) -> None:
    """In other case, width, encoding, grouping, cut off or damaged; plain words stay."""
    spans = [(f.start, f.end) for f in known().find(Leaf(text=text, path=("a",)))]

    whole = {
        text[s:e]
        for s, e in spans
        if not any(a <= s and e <= b and (a, b) != (s, e) for a, b in spans)
    }
    assert whole == values


def test_numbers_and_tails_under_a_key() -> None:
    """A JSON number, and the last four digits."""
    number = Leaf(text="4471902", path=("n",), is_number=True)
    other = Leaf(text="4471903", path=("n",), is_number=True)
    tail = Leaf(text="9728", path=("card", "last4"))

    assert [f.type for f in known().find(number)] == ["ACCOUNT_ID"]
    assert list(known().find(other)) == []
    assert "CREDIT_CARD" in {f.type for f in known().find(tail)}


def test_nothing_known_finds_nothing() -> None:
    """Most texts of most traces."""
    empty = Occurrences(protected=frozenset())
    empty.learn([])

    assert list(empty.find(Leaf(text="Rachel 4471902 a@b.com", path=()))) == []


def test_a_name_that_is_a_whole_value_somewhere_counts_in_lower_case_too() -> None:
    """An agent searched for `rivera`, as the person wrote it: both say the same, or both leak."""
    found = Occurrences(protected=frozenset())
    found.learn([("Rachel Rivera", "PERSON"), ("Will Rose", "PERSON")], alone=["rivera", "will"])

    def of(text: str) -> list[str]:
        return [text[f.start : f.end] for f in found.find(Leaf(text=text, path=("a",)))]

    assert of("look up rivera, please") == ["rivera"]
    assert of("look up rose, if you will") == []
