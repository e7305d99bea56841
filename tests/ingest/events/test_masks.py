"""What counts as a mask, and what only looks like one."""

from __future__ import annotations

import json
import re

import pytest

from workbench.ingest.events.masks import count_masks, is_redacted_error, marks_of


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
        ("**bold** and ***both***", 0),
        ("a\n***\nb", 0),
        ("<INFORMATION> this is </INFORMATION>", 0),
        ("<div>[1] NAME", 0),
        ("make: *** [Makefile:3: all] Error 2", 0),
        ("gmake[1]: *** No rule to make target", 0),
        ("Hotel * **** by the sea", 0),
        ("100%|██████████| 5/5", 0),
        ("", 0),
    ],
)
def test_masks_are_counted(text: str, count: int) -> None:
    """Markdown, markup and attack texts are no masks."""
    assert count_masks(json.dumps({"content": text}, ensure_ascii=False)) == count
    assert count_masks(json.dumps({"content": text})) == count


MASKS = {
    "Presidio": (
        "<PERSON> <EMAIL_ADDRESS> <PHONE_NUMBER> <US_SSN> <CREDIT_CARD> <IBAN_CODE> <DATE_TIME> <NRP> "
        "<LOCATION> <IP_ADDRESS> <CRYPTO> <UK_NHS> <US_PASSPORT> <US_DRIVER_LICENSE> <MEDICAL_LICENSE>"
    ),
    "LLM Guard": "[REDACTED_PERSON_1] [REDACTED_EMAIL_ADDRESS_1] [REDACTED_CREDIT_CARD_RE_12]",
    "AWS Comprehend": "[NAME] [EMAIL] [BANK_ACCOUNT_NUMBER] [CREDIT_DEBIT_NUMBER] [SSN] [DATE_TIME]",
    "Google DLP": "[PERSON_NAME] [EMAIL_ADDRESS] [PHONE_NUMBER] [CREDIT_CARD_NUMBER]",
    "Private AI": "[NAME_1] [EMAIL_ADDRESS_2] [DOB_1]",
    "Langfuse": "[REDACTED] [REDACTED EMAIL] [REDACTED CREDIT CARD]",
    "OpenInference": "__REDACTED__",
    "Sentry": "[Filtered]",
    "Logfire": "[Scrubbed due to 'password']",
    "LangSmith and pino": "[redacted] [Redacted]",
    "Rails": "[FILTERED]",
    "by hand": "<REDACTED> <redacted> [MASKED] [HIDDEN] [REDACTED:ssn]",
    "digits": "XXXX-XXXX-XXXX-1234 XXX-XX-6789 ****1234 xxxx-xxxx-xxxx-1234",
}
"""Tool -> its marks, with spaces between."""


@pytest.mark.parametrize("tool", MASKS)
def test_masks_of_other_tools_are_known(tool: str) -> None:
    """Each mark is counted once, wherever it stands."""
    marks = re.findall(r"<[^>]*>|\[[^\]]*\]|\S+", MASKS[tool])

    assert count_masks(json.dumps({"content": f"Dear {MASKS[tool]},"})) == len(marks)
    assert count_masks(json.dumps(dict.fromkeys(map(str, range(2)), marks[0]))) == 2
    escaped = json.dumps({"content": MASKS[tool]}).replace("<", r"\u003c").replace(">", r"\u003e")
    assert count_masks(escaped) == len(marks)  # as Go writes JSON
    assert count_masks(json.dumps({"arguments": escaped})) == len(marks)


@pytest.mark.parametrize(
    "mark", ["{EMAIL}", "{US_SOCIAL_SECURITY_NUMBER}", "<URL>", "REDACTED", "XXXX-XXXX"]
)
def test_what_templates_hold_too_counts_only_as_a_whole_value(mark: str) -> None:
    """Bedrock writes `{EMAIL}`; so does every template."""
    inner = json.dumps({"to": mark})

    assert count_masks(inner) == 1
    assert count_masks(json.dumps({"arguments": inner})) == 1
    assert count_masks(json.dumps({"text": f"use {mark} here"})) == 0


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
    assert marks_of(text.encode()).cut == count


def test_an_error_with_its_text_was_not_taken_away() -> None:
    """The framework appends the real error where its redaction is off."""
    start = "An error occurred while running the tool. Please try again."

    assert is_redacted_error(start)
    assert not is_redacted_error(f"{start} Error: 504")
    assert is_redacted_error("Error details are redacted")


def test_counting_takes_linear_time() -> None:
    """Hostile text must not stop the import."""
    for text in ("*" * 200_000, "<" * 200_000, "[... " * 50_000, "a_1@mail-" * 20_000):
        assert count_masks(text) >= 0
        assert marks_of(text.encode()).cut >= 0


def test_cuts_are_counted_wherever_they_stand_in_a_long_text() -> None:
    """Only what stands near a hint is looked at; marks that stand near each other count each."""
    mark, filler = "[... 512 more lines] é <Output Truncated>", "word " * 400
    text = f"{mark}{filler}{mark}{mark}{filler}omitted{filler}7 lines omitted"

    assert marks_of(text.encode()).cut == 7
    assert marks_of(json.dumps({"text": text}).encode()).cut == 7
