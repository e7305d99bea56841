"""The smallest value for which predicates hold."""

from __future__ import annotations

import pytest

from tests.builders import a_predicate
from workbench.check.predicates import holds
from workbench.model.contract import Operator, Predicate
from workbench.model.jsonvalue import ABSENT, JsonMap
from workbench.runner.satisfy import satisfying
from workbench.runner.strength import Measured, Strength, strength_line


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (a_predicate("a", "==", 1), {"a": 1}),
        (a_predicate("a.b", "==", "x"), {"a": {"b": "x"}}),
        (a_predicate("$", "==", [True]), [True]),
        (a_predicate("a.0.b", "==", 1), {"a": [{"b": 1}]}),
        (a_predicate("a.2", "==", 1), {"a": [None, None, 1]}),
        (a_predicate("a.-2", "==", 1), {"a": [1, None]}),
        (a_predicate("a", "exists"), {"a": "declared"}),
        (a_predicate("a", "absent"), {}),
        (a_predicate("a", "!=", 1), {"a": "declared"}),
        (a_predicate("a", "not in", [1]), {"a": "declared"}),
        (a_predicate("a", "in", [2, 3]), {"a": 2}),
        (a_predicate("a", "<", 5), {"a": 4}),
        (a_predicate("a", "<", "b"), {"a": ""}),
        (a_predicate("a", "<=", 5), {"a": 5}),
        (a_predicate("a", ">", 5), {"a": 6}),
        (a_predicate("a", ">", "b"), {"a": "b~"}),
        (a_predicate("a", ">=", 5), {"a": 5}),
        (a_predicate("a", "contains", "x"), {"a": "x"}),
        (a_predicate("a", "contains", 3), {"a": [3]}),
        (a_predicate("a", "matches", "x"), {"a": "x"}),
        (Predicate(text="", path=("*", "a"), operator=Operator.EQ, literal=1), [{"a": 1}]),
        (Predicate(text="", path=("\\*",), operator=Operator.EQ, literal=1), {"*": 1}),
    ],
)  # fmt: skip
def test_one_predicate(predicate, expected):
    """Every operator has its smallest value."""
    assert satisfying((predicate,)) == expected
    assert holds(predicate, expected)


def test_what_is_there_is_kept():
    """Only what does not hold yet is changed."""
    start: JsonMap = {"a": [{"b": 1, "c": 2}, 3], "d": 4}

    found = satisfying((a_predicate("a.0.b", "==", 9), a_predicate("d", "==", 4)), start=start)

    assert found == {"a": [{"b": 9, "c": 2}, 3], "d": 4}
    assert start["a"] == [{"b": 1, "c": 2}, 3]


@pytest.mark.parametrize(
    "predicates",
    [
        (a_predicate("a", "==", 1), a_predicate("a", "==", 2)),
        (a_predicate("a", "in", []),),
        (a_predicate("a.5000", "==", 1),),
        (a_predicate("a", "matches", "^x+y$"),),
        (a_predicate("a", "==", 1), a_predicate("a", "absent")),
    ],
)
def test_what_is_not_found_this_way_is_absent(predicates):
    """No half-right value."""
    assert satisfying(predicates) is ABSENT


def test_the_strength_of_a_case_is_one_line():
    """The same everywhere."""
    strength = Strength(
        red=True,
        green=True,
        killable=(6, 6),
        idle=False,
        fails=Measured(version="v43", failed=18, n=20),
        passes=Measured(version="v44", failed=0, n=20),
        coverage=(19, 20),
    )

    assert strength_line(strength) == (
        "red ok | green ok | clauses 6/6 killable | fails on v43 18/20 | passes on v44 20/20 | "
        "coverage 19/20"
    )
