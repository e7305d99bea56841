"""The tutorial's pictures are there, small, and each is used; its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "tutorial.md").read_text("utf-8")
MAX_BYTES = 150_000
"""A clone carries every version of every picture."""


def test_every_picture_is_used_and_small():
    """`WORKBENCH_PICTURES=1 pytest tests/browser/test_review_demo.py` makes them anew."""
    used = set(re.findall(r"\]\((images/[^)]+\.png)\)", TEXT))
    there = {f"images/{path.name}": path.read_bytes() for path in (DOCS / "images").iterdir()}

    assert used == set(there)
    assert all(data.startswith(b"\x89PNG") for data in there.values())
    assert [name for name, data in there.items() if len(data) > MAX_BYTES] == []


def test_every_link_leads_to_a_page():
    """A page that was renamed takes its readers along."""
    pages = re.findall(r"\]\(([a-z-]+\.md)\)", TEXT)

    assert len(pages) >= 4
    assert [page for page in pages if not (DOCS / page).is_file()] == []


def test_every_picture_says_what_it_shows():
    """Somebody may not see it."""
    assert all(len(said) > 30 for said in re.findall(r"!\[([^\]]*)\]", TEXT))
