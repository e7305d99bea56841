"""Keys and values in plain text."""

from __future__ import annotations

import pytest

from workbench.redact.pairs import find_pairs
from workbench.redact.shapes import find_shapes

pytestmark = pytest.mark.desk


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("password=hunter2-x", ["hunter2-x"]),
        ("password: Hunter2.", ["Hunter2"]),
        ("password: reset it", []),
        ("reset your password: https://shop.example/reset", []),
        (r"password:\n\nsee below", []),
        (r"token=ab12cd34\nnext line", ["ab12cd34"]),
        ("email=a@b.example; name=x", ["a@b.example"]),
        ("Authorization: Bearer", []),
        ("Passenger name: Rachel Rivera, seat 4", ["Rachel Rivera"]),
        ("cookie=abc", []),
        ("nothing here", []),
    ],
)
def test_a_key_beside_a_value_names_it(text: str, values: list[str]) -> None:
    """Prose, links and written-out line ends are no secrets."""
    assert [text[f.start : f.end] for f in find_pairs(text)] == values


def test_digits_of_a_request_id_are_no_card() -> None:
    """An id that joins a call and its result must not look damaged."""
    ids = ("36463229-5156-4525-bb3f-f837187a734f", "4459-8455 5143-9728")

    found = {text: [f.type for f in find_shapes(f"id {text} of card")] for text in ids}

    assert found[ids[0]] == []
    assert found[ids[1]] == ["CREDIT_CARD"]
