"""Clauses and keys are found on their own lines."""

from __future__ import annotations

import pytest

from tests.runner.cases import PAUSE
from workbench.casefile.case_lines import find_lines
from workbench.errors import CaseFormatError

NAMED = PAUSE.replace("  must_call:", "  names: {order/1: reads-back}\n  must_call:").replace(
    "[customer.lookup, billing.pause]\n", "\n    - customer.lookup\n    - billing.pause\n"
)


@pytest.fixture
def lines(tmp_path):
    """The lines of a case whose order has a name of its own."""
    path = tmp_path / "pause.case.yaml"
    path.write_text(NAMED, "utf-8")
    return find_lines(path)


def text_of(line):
    """Return the line of the file with that number."""
    return NAMED.splitlines()[line - 1].strip()


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        ("must_call/1", "- customer.lookup"),
        ("must_call/2", "- billing.pause"),
        ("max_calls/1", "max_calls: {billing.pause: 1}"),
        ("order/1", 'order: [{after: ["billing.pause#unknown", billing.get_operation]}]'),
        ("reads-back", 'order: [{after: ["billing.pause#unknown", billing.get_operation]}]'),
        ("success_requires/1", "success_requires: billing.get_operation.status == completed"),
        ("unobserved_tool", "contract:"),
        ("order/9", "order:"),
        ("answer.matches/1", "contract:"),
    ],
)
def test_a_clause_is_found_by_its_id_and_by_its_name(lines, clause, text):
    """A reviewer looks at the line that was broken, not at a file of two hundred lines."""
    assert text_of(lines.of_clause(clause)).startswith(text)


def test_a_key_is_found_and_one_that_is_nowhere_is_at_the_top(lines):
    """Every note has some line."""
    assert text_of(lines.of_key("review_date")).startswith("review_date:")
    assert lines.of_key("nothing") == 1


def test_a_file_that_is_no_case_has_no_contract(tmp_path):
    """It is read for its lines only, and judged elsewhere."""
    path = tmp_path / "list.case.yaml"
    path.write_text("- 1\n")

    assert find_lines(path).of_clause("order/1") == 1


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    """Nobody may take line 1 for an answer then."""
    with pytest.raises(CaseFormatError, match="cannot be read"):
        find_lines(tmp_path / "gone.case.yaml")
