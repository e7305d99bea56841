"""`--select`: a small language, and errors that say where."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from tests.runner.cases import a_pause_case
from workbench.errors import InputError
from workbench.model.case import CaseState, Severity
from workbench.runner.select import parse_selection, selects

CASE = replace(a_pause_case(), tags=("billing", "time out"), severity=Severity.S2)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("severity<=S1", False),
        ("severity<=S2", True),
        ("severity < S2", False),
        ("severity<S3", True),
        ("severity>=S2", True),
        ("severity>S2", False),
        ("severity==S2", True),
        ("severity=S1", False),
        ("severity!=S1", True),
        ("state==proposed", True),
        ("state!=proposed", False),
        ("owner==billing-agents", True),
        ("owner==billing-*", True),
        ("owner!=billing-*", False),
        ("id==pause-*", True),
        ("id=='pause-with-unknown-outcome'", True),
        ('id=="other"', False),
        ("tag:billing", True),
        ("tag:bill*", True),
        ("tag:'time out'", True),
        ("tag:time", False),
        ("not tag:billing", False),
        ("not not tag:billing", True),
        ("severity<=S2 and tag:billing", True),
        ("severity<=S1 and tag:billing", False),
        ("severity<=S1 or tag:billing", True),
        ("not (severity<=S1 or tag:billing)", False),
        ("not severity<=S1 or tag:nothing", True),
        # `and` binds before `or`: true or (true and false)
        ("tag:billing or tag:billing and tag:nothing", True),
        ("(tag:billing or tag:billing) and tag:nothing", False),
        ("(((tag:billing)))", True),
    ],
)
def test_what_an_expression_selects(expression, expected):
    """The table that the help text promises."""
    assert selects(parse_selection(expression), CASE) is expected


@pytest.mark.parametrize(
    ("expression", "place", "words"),
    [
        ("", "--select:1", ["expected severity, state, owner, id, tag:NAME", "Fix: write for"]),
        ("   ", "--select:4", ["expected severity"]),
        ("severity", "--select:9", ["expected one of == = != <= >= < >"]),
        ("severity<=", "--select:11", ["expected a word", "Fix: quote a word that has blanks"]),
        ("severity<=S4", "--select:11", ["expected one of S1, S2, S3"]),
        ("state==open", "--select:8", ["expected one of proposed, active, muted, archived"]),
        ("state<active", "--select:6", ["expected one of == = !="]),
        ("sverity==S1", "--select:1", ["expected severity, state", "Fix: write severity"]),
        ("tags:billing", "--select:1", ["Fix: write tag:"]),
        ("'severity'==S1", "--select:1", ["expected severity"]),
        ("tag:billing tag:x", "--select:13", ["expected and, or, or the end"]),
        ("tag:billing and", "--select:16", ["expected severity"]),
        ("and tag:billing", "--select:1", ["expected severity"]),
        ("(tag:billing", "--select:13", ["expected )"]),
        ("tag:billing)", "--select:12", ["expected and, or, or the end"]),
        ("owner==(x)", "--select:8", ["expected a word"]),
        ("owner=='x", "--select:8", ["expected a word or a sign", "Fix: close the quotes"]),
        ("tag:", "--select:5", ["expected a word"]),
        ("severity ! S1", "--select:9", ["expected a word or a sign"]),
        ("(" * 60 + "tag:x" + ")" * 60, "--select:52", ["nests deeper than 50", "flatten it"]),
        ("not " * 100_000 + "tag:x", "--select:205", ["nests deeper than 50"]),
    ],
)
def test_an_error_says_where_and_what_was_expected(expression, place, words):
    """A typing error in CI has to be mended without the sources."""
    with pytest.raises(InputError) as caught:
        parse_selection(expression)

    assert caught.value.place == place
    assert all(word in str(caught.value) for word in words), str(caught.value)


PARTS = st.sampled_from(
    ["severity<=S1", "severity>S1", "state==active", "tag:billing", "owner==x", "id==pause-*"]
)


def joined(children):
    """Join expressions, with brackets and without."""
    return st.one_of(
        st.tuples(children, st.sampled_from(["and", "or"]), children).map(
            lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"
        ),
        children.map(lambda part: f"not ({part})"),
    )


@given(expression=st.recursive(PARTS, joined, max_leaves=8))
def test_an_expression_means_what_python_makes_of_it(expression):
    """The words and brackets are Python's, so Python is the judge."""
    meaning = {
        "severity<=S1": "False", "severity>S1": "True", "state==active": "False",
        "tag:billing": "True", "owner==x": "False", "id==pause-*": "True",
    }  # fmt: skip
    python = expression
    for part, value in meaning.items():
        python = python.replace(part, value)

    assert selects(parse_selection(expression), CASE) is eval(python)  # noqa: S307  our own words


def test_all_states_can_be_named():
    """A state that the format grows must be selectable."""
    for state in CaseState:
        case = replace(CASE, state=state)
        assert selects(parse_selection(f"state=={state}"), case)
