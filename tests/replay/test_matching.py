"""The first fixture that matches and has uses left answers; nothing else ever does."""

from __future__ import annotations

from tests.replay.builders import TOOLS, a_case, a_fixture
from workbench.model.case import ANY_TIMES
from workbench.model.event import Outcome
from workbench.model.jsonvalue import ABSENT
from workbench.replay.matching import Answered, FixtureTable, Miss, canonical_tool, result_value


def a_table(*fixtures, path="recorded"):
    """Return the table of a case with these fixtures."""
    return FixtureTable(a_case(fixtures=fixtures), path)


def ids(table, tool, args, times):
    """Return which fixtures answer the same call again and again; None: a miss."""
    answers = [table.answer(tool, args) for _ in range(times)]
    return [a.fixture.id if isinstance(a, Answered) else None for a in answers]


def test_three_identical_calls_replay_in_recorded_order():
    """Time-out, time-out, ok: a retry sees what the incident's retry saw."""
    table = a_table(
        a_fixture(id="f1", outcome=Outcome.RETRYABLE),
        a_fixture(id="f2", outcome=Outcome.RETRYABLE),
        a_fixture(id="f3"),
    )

    assert ids(table, "customer.lookup", {}, 4) == ["f1", "f2", "f3", None]


def test_times_and_any_bound_the_uses():
    """`times` 1 unless stated; no sticky last."""
    table = a_table(a_fixture(id="f1", times=2), a_fixture(id="f2", times=ANY_TIMES))

    assert ids(table, "customer.lookup", {}, 5) == ["f1", "f1", "f2", "f2", "f2"]


def test_fixtures_of_one_path_answer_there_first_and_nowhere_else():
    """`only` keeps what an accepted path needs out of the incident."""
    fixtures = (a_fixture(id="f1"), a_fixture(id="f2", only=("mended",)))

    assert ids(a_table(*fixtures, path="mended"), "customer.lookup", {}, 2) == ["f2", "f1"]
    assert ids(a_table(*fixtures), "customer.lookup", {}, 2) == ["f1", None]


def test_a_ref_needs_what_the_fixture_returned_in_this_trial():
    """An operation id from nowhere is not the recorded one."""
    fixtures = (
        a_fixture(id="f1", result='{"op": 7}'),
        a_fixture("calc", id="f2", args={"op": 0}, match={"op": {"ref": "f1.result.op"}}),
        a_fixture("calc", id="f3", args={"op": 0}, match={"op": {"ref": "f1.result"}}),
    )
    table = a_table(*fixtures)

    assert ids(table, "calc", {"op": 7}, 1) == [None]
    assert ids(table, "customer.lookup", {}, 1) == ["f1"]
    assert ids(table, "calc", {"op": 7}, 1) == ["f2"]
    assert ids(table, "calc", {"op": {"op": 7}}, 1) == ["f3"]


def test_another_account_is_a_miss_that_names_the_path():
    """The reader must see where the call differs, and no value of it."""
    table = a_table(a_fixture("billing.pause", id="f7", args={"account": "secret-1", "n": 1}))

    miss = table.answer("billing.pause", {"account": "secret-2", "n": 1})

    assert isinstance(miss, Miss)
    assert miss.outcome is Outcome.BLOCKED
    assert (miss.nearest, miss.differs_at) == ("f7", ("args.account",))
    assert "nearest is f7, which differs at args.account" in miss.explanation
    assert "secret" not in miss.explanation


def test_at_most_five_paths_are_named():
    """A miss is a sentence, not a dump."""
    table = a_table(a_fixture(args={str(n): n for n in range(9)}))

    miss = table.answer("customer.lookup", {})

    assert miss.outcome is Outcome.MISSING_FIXTURE
    assert len(miss.differs_at) == 5


def test_consumed_fixtures_are_told_from_differing_ones():
    """One call too many is another bug than a wrong argument."""
    table = a_table(a_fixture(id="f1"))
    table.answer("customer.lookup", {})

    miss = table.answer("customer.lookup", {})

    assert miss.explanation == (
        "all matching fixtures consumed for customer.lookup; the last is f1"
    )
    assert miss.differs_at == ()


def test_a_tool_without_fixtures_and_an_unknown_tool_say_so():
    """A tool that is not the case's may write, so it is blocked; its name is not echoed."""
    table = a_table()

    known = table.answer("calc", {})
    unknown = table.answer("billing.pauze", {})
    stranger = table.answer("zzz", {})

    assert known.explanation == "no fixture for any call of calc in this path"
    assert known.outcome is Outcome.MISSING_FIXTURE
    assert unknown.outcome is Outcome.BLOCKED
    assert unknown.explanation.endswith("13 characters; nearest is billing.pause")
    assert stranger.explanation == "the case has no tool of this name of 3 characters"


def test_a_miss_changes_nothing():
    """Refused calls must not use fixtures up."""
    table = a_table(a_fixture(id="f1", args={"a": 1}))

    table.answer("customer.lookup", {"a": 2})

    assert ids(table, "customer.lookup", {"a": 1}, 1) == ["f1"]


def test_used_and_unused_fixtures_are_listed():
    """What nobody asked for is reported after a trial."""
    table = a_table(a_fixture(id="f1"), a_fixture(id="f2", args={"a": 1}))
    table.answer("customer.lookup", {"a": 1})

    assert [f.id for f in table.unused()] == ["f1"]
    assert [f.id for f in table.used()] == ["f2"]


def test_tools_are_known_by_their_wire_name_too():
    """Model APIs take no dots."""
    case = a_case(tools=TOOLS)

    assert canonical_tool(case, "billing_pause") == "billing.pause"
    assert canonical_tool(case, "billing.pause") == "billing.pause"
    assert canonical_tool(case, "other") == "other"


def test_a_text_result_is_read_as_the_importer_read_it():
    """A string stands for the exact text that came back."""
    assert result_value(a_fixture(result='{"a": 1}')) == {"a": 1}
    assert result_value(a_fixture(result="plain")) == "plain"
    assert result_value(a_fixture()) is ABSENT
