"""`workbench report`: one file to attach."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CASE

pytestmark = pytest.mark.desk


def test_a_draft_and_a_case_become_pages(demo, shell):
    """What is under review, and what came of it."""
    draft = shell("report", "small.draft.json", "-o", "out/draft.html")
    case = shell("report", CASE, "-o", "out/case.html")
    again = shell("report", CASE, "-o", "out/case.html")

    assert (draft.status, case.status, again.status) == (0, 0, 0)
    assert case.out == "out/case.html: 14 events, values masked; open it in any browser\n"
    text = (demo / "out" / "case.html").read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert "134 → 18" in text
    assert "workbench export small.draft.json" in (demo / "out" / "draft.html").read_text("utf-8")


def test_what_is_neither_is_named(folder, shell):
    """And nothing is written."""
    (folder / "x.txt").write_text("hello", "utf-8")

    said = shell("report", "x.txt", "-o", "x.html")
    missing = shell("report", "no.case.yaml", "-o", "x.html")

    assert (said.status, missing.status) == (4, 4)
    assert "x.txt" in said.err
    assert not (folder / "x.html").exists()
