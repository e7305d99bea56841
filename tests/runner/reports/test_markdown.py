"""A step summary that is read by many and obeyed by none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from tests.runner.reports.samples import (
    HOSTILE,
    a_failed_case,
    a_group,
    a_hostile_report,
    a_passed_case,
    a_report,
    an_inconclusive_case,
)
from tests.runner.reports.test_terminal import assert_harmless
from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.markdown import MAX_BYTES, code_span, fenced, markdown_summary

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OURS = {"<details><summary>1 passed</summary>\n", "</details>\n"}
"""All the markup that we write ourselves."""
TOKENS = {
    *("heading_open", "heading_close", "inline", "fence", "html_block"),
    *("paragraph_open", "paragraph_close", "table_open", "table_close"),
    *("thead_open", "thead_close", "tbody_open", "tbody_close"),
    *("tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close"),
}
INLINE = {"text", "code_inline", "em_open", "em_close"}


def tokens(text):
    """Return every token of a document, those within lines too."""
    found = []
    for token in PARSER.parse(text):
        found.append(token)
        found += token.children or []
    return found


def said_outside_code(text):
    """Return what a reader may take for more than code: plain text, with its links and mentions."""
    return [token.content for token in tokens(text) if token.type == "text"]


def test_failures_come_first_with_what_broke_and_where_it_parted():
    """A reviewer reads the first screen of the summary."""
    report = a_report(
        a_passed_case(id="quiet"),
        an_inconclusive_case(id="open"),
        a_failed_case(path="a.case.yaml"),
    )

    text = markdown_summary(report)

    lines = text.splitlines()
    assert lines[0] == "## Replayed cases: a gate failed (exit 1)"
    assert lines[2:5] == [
        "| failed | inconclusive | not run | passed | gate | invalid files |",
        "|---:|---:|---:|---:|---:|---:|",
        "| 1 | 1 | 0 | 1 | 3 | 0 |",
    ]
    heads = [line for line in lines if line.startswith("###")]
    assert heads == ["### Failed: `case-1 [active]`", "### Inconclusive: `open [active]`"]
    start = lines.index(heads[0])
    assert lines[start + 2 : start + 7] == [
        "```text",
        "Pause timed out",
        "a.case.yaml",
        "path recorded: order/1 at event 7: billing.pause was not followed by a receipt",
        "path recorded: must_call/1 at event 9: billing.receipt was never called",
    ]
    assert "> 7 billing.receipt was called  | 7 success was claimed" in lines
    assert "<details><summary>1 passed</summary>" in lines
    assert lines[-1].startswith("_Recorded results show how the agent treats a result")


def test_causes_and_invalid_files_and_cases_not_run_have_their_place():
    """What many failures share is told once, before them."""
    report = a_report(
        a_failed_case(),
        a_passed_case(id="b", verdict=CaseVerdict.NOT_RUN, reason="nothing to run", trials=()),
        invalid=("x.case.yaml: is empty",),
        groups=(a_group(), a_group(cases=("case-1",))),
    )

    heads = [line for line in markdown_summary(report).splitlines() if line.startswith("###")]

    assert heads == [
        "### Failures with one cause",
        "### Invalid file",
        "### Failed: `case-1 [active]`",
        "### Not run: `b [active]`",
    ]


@pytest.mark.parametrize("name", HOSTILE)
def test_it_is_inert_whatever_a_stranger_writes(name):
    """No link, image, mention, markup, table or heading of theirs: code, or nothing."""
    text = markdown_summary(a_hostile_report(HOSTILE[name]))

    assert_harmless(text.splitlines())
    found = tokens(text)
    assert {token.type for token in found} <= TOKENS | INLINE
    assert {t.content for t in found if t.type.startswith("html")} <= OURS
    assert said_outside_code(text) == said_outside_code(markdown_summary(a_hostile_report("x")))


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=60))
def test_a_code_span_is_one_code_span(text):
    """Also of ticks, blanks and backslashes only, and in the middle of a line."""
    kinds = [token.type for token in tokens(f"a {code_span(text)} b")]

    assert kinds == ["paragraph_open", "inline", "text", "code_inline", "text", "paragraph_close"]


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=4))
def test_a_block_is_one_block(lines):
    """Nothing in it closes it."""
    assert [token.type for token in tokens(fenced(lines))] == ["fence"]


def test_a_summary_is_smaller_than_github_takes():
    """One byte more and all of it is dropped."""
    cases = [a_failed_case(id=f"case-{n}", reason="x" * 400) for n in range(300)]
    limit = 200_000

    text = markdown_summary(a_report(*cases), limit=limit)

    assert MAX_BYTES < 1 << 20
    assert limit - 10_000 < len(text.encode()) <= limit
    left_out = [line for line in text.splitlines() if "more sections did not fit" in line]
    assert len(left_out) == 1
    shown = text.count("### Failed")
    assert left_out[0].startswith(f"{300 - shown} more")


def test_signs_of_several_bytes_count_as_such():
    """A limit in characters would be passed by a summary in Chinese."""
    cases = [a_failed_case(id=f"case-{n}", reason="漢" * 400) for n in range(100)]

    text = markdown_summary(a_report(*cases), limit=20_000)

    assert len(text.encode()) <= 20_000


def test_what_there_is_to_say_of_a_case_that_passed_is_said():
    """An overdue review is no failure, and no secret."""
    due = replace(a_passed_case(), review_date="2026-01-01", owner="billing")

    assert "    its review was due on 2026-01-01: ask billing" in markdown_summary(a_report(due))
