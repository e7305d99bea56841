"""Failed runs by how they failed: one fault is one group, two faults are two."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.model.event import Outcome
from workbench.review.groups import Way, group_runs, way_of

pytestmark = pytest.mark.desk


def a_way(*path, signature=("x",)):
    """Return how a run failed."""
    return Way(signature=signature, path=path)


def test_a_way_names_tools_and_outcomes_and_no_values():
    """It is shown in listings; arguments and results are personal."""
    trace = a_trace(
        a_user("Needle-42"),
        a_call("billing.pause", args={"account": "Needle-42"}, outcome=Outcome.UNKNOWN),
        a_call("billing.status"),
        a_claim("Needle-42"),
    )

    way = way_of(trace)

    assert way.path == ("billing.pause#unknown", "billing.status#ok")
    assert "billing.pause#unknown" in way.signature
    assert "Needle-42" not in repr(way)


def test_equal_ways_are_one_group_and_other_signatures_are_not():
    """The same calls may fail for two reasons."""
    groups = group_runs(
        {
            "r1": a_way("a#ok", "b#unknown"),
            "r2": a_way("a#ok", "b#unknown", signature=("y",)),
            "r3": a_way("a#ok", "b#unknown"),
        }
    )

    assert [group.run_ids for group in groups] == [("r1", "r3"), ("r2",)]


def test_nearly_the_same_way_is_one_group():
    """One look-up more is not another fault; wholly other calls are."""
    long = ("a#ok", "b#ok", "c#ok", "d#unknown", "e#ok")
    groups = group_runs(
        {
            "r1": a_way(*long),
            "r2": a_way(*long, "e#ok"),
            "r3": a_way("x#ok", "y#ok", "d#unknown"),
            "r4": a_way(*long),
        }
    )

    assert [group.run_ids for group in groups] == [("r1", "r2", "r4"), ("r3",)]
    assert groups[0].way.path == long


def test_representatives_show_each_way_and_are_at_most_ten():
    """A thousand tickets are looked at in minutes."""
    ways = {f"r{number}": a_way("a#ok", "b#ok", "c#unknown") for number in range(1000)}
    ways["rare"] = a_way("a#ok", "b#ok", "c#unknown", "c#unknown")

    (group,) = group_runs(ways)

    assert group.size == 1001
    assert group.representatives[:2] == ("r0", "rare")
    assert len(group.representatives) == 10


def test_no_runs_are_no_groups():
    """An empty store is no error."""
    assert group_runs({}) == ()


@given(
    st.dictionaries(st.text(max_size=4), st.lists(st.sampled_from("abc"), max_size=5), max_size=12)
)
def test_every_run_is_in_one_group(paths):
    """Nothing is lost and nothing counts twice; the order of the runs stays."""
    ways = {run_id: a_way(*path) for run_id, path in paths.items()}

    groups = group_runs(ways)

    assert sorted(run_id for group in groups for run_id in group.run_ids) == sorted(ways)
    assert [group.size for group in groups] == sorted((g.size for g in groups), reverse=True)
    for group in groups:
        assert set(group.representatives) <= set(group.run_ids)
