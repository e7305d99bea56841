"""Globs of names."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings, strategies as st

from workbench.check.globs import glob_matches


@pytest.mark.parametrize(
    ("pattern", "name", "want"),
    [
        ("*", "", True),
        ("*", "a.b.c", True),
        ("billing.*", "billing.account.pause", True),
        ("billing.*", "billing", False),
        ("*.pause", "billing.pause", True),
        ("a*a", "a", False),
        ("a*b*c", "a.x.b.y.c", True),
        ("a*b*c", "acb", False),
        ("a[b]?", "a[b]?", True),
        ("a[b]?", "abx", False),
    ],
)
def test_only_the_star_has_a_meaning(pattern, name, want):
    """A tool named with brackets is found by its own name; `*` also matches dots."""
    assert glob_matches(pattern, name) is want


@settings(max_examples=100, deadline=None)
@given(st.text("ab*", max_size=8), st.text("ab", max_size=10))
def test_a_glob_means_what_its_expression_means(pattern, name):
    """The linear matcher agrees with the plain definition."""
    expression = ".*".join(re.escape(part) for part in pattern.split("*"))

    assert glob_matches(pattern, name) == (re.fullmatch(expression, name) is not None)
