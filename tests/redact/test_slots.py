"""Which parts of a trace are texts that redaction may replace."""

from __future__ import annotations

import pytest

from workbench.redact.slots import Slot, filled


@pytest.mark.parametrize(
    ("at", "is_text"),
    [
        ("2026-11-17T09:12:25.980Z", False),
        ("2026-11-17", False),
        (None, False),
        ("helen@example.com", True),
        ("Tue by Helen", True),
        ("", True),
    ],
)
def test_a_time_is_structure_and_anything_else_in_its_place_is_a_text(at, is_text):
    """A recorder may write anything there, and what no detector sees would stay in the draft."""
    seen = []

    def mark(slot: Slot) -> str:
        seen.append(slot.text)
        return "x"

    filled({"events": [{"seq": 0, "kind": "claim", "at": at, "text": "y"}]}, mark)

    assert seen == [*([at] if is_text else []), "y"]
