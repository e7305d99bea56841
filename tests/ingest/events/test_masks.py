"""What counts as a mask, and what only looks like one."""

from __future__ import annotations

import json

import pytest

from workbench.ingest.events.masks import count_cuts, count_masks, count_redacted_errors


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("***", 1),
        ("token=***", 1),
        ("token: *** and key: ***", 2),
        ("card ending ****1234", 1),
        ("<EMAIL>", 1),
        ("<EMAIL_ADDRESS_2> wrote to <PERSON>", 2),
        ("[REDACTED] [REDACTED:ssn]", 2),
        ("██████", 1),
        ("user_01@mail-01.example", 1),
        ("user_01@mail-01.invalid", 1),
        ("**bold** and ***both***", 0),
        ("a\n***\nb", 0),
        ("<INFORMATION> this is </INFORMATION>", 0),
        ("<div>[1] NAME", 0),
        ("anna@mail.example", 0),
        ("", 0),
    ],
)
def test_masks_are_counted(text: str, count: int) -> None:
    """Markdown, markup and attack texts are no masks."""
    assert count_masks(json.dumps({"content": text}, ensure_ascii=False)) == count
    assert count_masks(json.dumps({"content": text})) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("rows [truncated]", 1),
        ("rows... truncated", 1),
        ("<response truncated> and (output truncated)", 2),
        ("[... 51 more lines]", 1),
        ("12 characters omitted", 1),
        ("the tree was truncated by hand", 0),
        ("a truncated cone", 0),
    ],
)
def test_marks_of_cuts_are_counted(text: str, count: int) -> None:
    """The word alone is no mark."""
    assert count_cuts(text) == count


def test_an_error_with_its_text_was_not_taken_away() -> None:
    """The framework appends the real error where its redaction is off."""
    start = "An error occurred while running the tool. Please try again."

    assert count_redacted_errors(start) == 1
    assert count_redacted_errors(f"{start} Error: 504") == 0
    assert count_redacted_errors("Error details are redacted") == 1


def test_counting_takes_linear_time() -> None:
    """Hostile text must not stop the import."""
    for text in ("*" * 200_000, "<" * 200_000, "[... " * 50_000, "a_1@mail-" * 20_000):
        assert count_masks(text) >= 0
        assert count_cuts(text) >= 0
