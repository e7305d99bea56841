"""What a live run missed, and the answers that a person gave."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.replay.builders import a_fixture
from tests.runner.cases import a_pause_case, written
from tests.runner.provider import call, say
from tests.runner.test_accept import a_good_run
from tests.runner.test_live import GOOD, LOOK, STRAY, a_live_case, key, run
from workbench.casefile.stubs import STUBS_SCHEMA, parse_stubs
from workbench.errors import CaseFormatError, RefusedError
from workbench.model.case import ANY_TIMES, Fixture, PathBasis
from workbench.model.event import Outcome
from workbench.runner.accept import accept_trace
from workbench.runner.stubs import missed_calls, with_stubs

__all__ = ["key"]  # the fixture of the live tests

HEAD = f"schema: {STUBS_SCHEMA}\ncase: pause-with-unknown-outcome\nstubs:\n"
OTHER = "  - {tool: customer.lookup, args: {email: c@b.example}, outcome: ok, result: {account_id: A-2}}\n"


def added(case, *lines, by="ann"):
    """Return the case with these stubs, and the ids of the new fixtures."""
    return with_stubs(case, parse_stubs(HEAD + "".join(lines), name="a.missing.yaml"), by=by)


def test_missed_calls_are_counted_once_each():
    """A call that every trial misses is one question to a person."""
    huge = call("customer.lookup", email=2**60)
    hopeless = (LOOK, huge, say("I could not confirm it."))

    report = run(a_live_case({"trials": 4}), STRAY, GOOD, STRAY, hopeless)

    (stub,) = missed_calls(report.cases[0])
    assert (stub.tool, stub.args, stub.seen) == ("customer.lookup", {"email": "c@b.example"}, 2)
    assert (stub.nearest, stub.differs_at, stub.answer) == ("f1", ("args.email",), None)


def test_reviewed_answers_become_declared_fixtures():
    """By name, at the end, so that what was recorded goes first."""
    case, ids = added(a_pause_case(), OTHER, "  - {tool: billing.get_operation, args: {}, outcome: retryable, by: bob}\n")  # fmt: skip

    assert ids == ("f3", "f4")
    first, second = case.fixtures[2:]
    assert (first.basis, first.by, first.result) == (
        PathBasis.DECLARED, "ann", {"account_id": "A-2"},
    )  # fmt: skip
    assert (second.by, second.outcome) == ("bob", Outcome.RETRYABLE)
    assert written(case).fixtures == case.fixtures


def test_the_same_call_may_have_another_answer_next_time():
    """Pending first, completed then: a queue, not a duplicate."""
    look = "  - {tool: billing.get_operation, args: {operation_id: op_1}, outcome: ok, result: {status: %s}}\n"

    case, _ = added(a_pause_case(), look % "pending", look % "completed")

    assert [fixture.result for fixture in case.fixtures[2:]] == [
        {"status": "pending"},
        {"status": "completed"},
    ]


@pytest.mark.parametrize(
    ("lines", "at", "words"),
    [
        (["  - {tool: customer.lookup, args: {}, outcome: null}\n"], "stubs.0.outcome", "is not filled in"),
        ([OTHER, "  - {tool: billing.pauze, outcome: ok}\n"], "stubs.1.tool", "write billing.pause"),
        (["  - {tool: zzz, outcome: ok}\n"], "stubs.0.tool", "list it under tools"),
        ([OTHER, OTHER], "stubs.1", "is fixture f3 again"),
        (["  - {tool: customer.lookup, args: {email: a@b.example}, outcome: ok}\n"], "stubs.0",
         "is answered by fixture f1 already"),
    ],
)  # fmt: skip
def test_what_cannot_be_added_is_refused_at_its_place(lines, at, words):
    """All or nothing: a file that is half added would be added twice."""
    with pytest.raises(CaseFormatError, match=words) as error:
        added(a_pause_case(), *lines)

    assert error.value.key == at


def test_stubs_of_another_case_and_none_at_all_are_refused():
    """Two files beside one another are mixed up easily."""
    other = parse_stubs(HEAD.replace("pause-with", "resume-with") + OTHER, name="x")
    none = parse_stubs(HEAD.replace("stubs:\n", "stubs: []\n"), name="x")

    with pytest.raises(CaseFormatError, match="give the stubs of pause-with-unknown-outcome"):
        with_stubs(a_pause_case(), other, by="ann")
    with pytest.raises(CaseFormatError, match="nothing is added"):
        with_stubs(a_pause_case(), none, by="ann")


def test_a_fixture_of_one_path_alone_is_no_duplicate():
    """It does not answer elsewhere."""
    only = Fixture(
        id="f9", tool="customer.lookup", args={"email": "c@b.example"}, times=ANY_TIMES,
        only=("recorded",),
    )  # fmt: skip
    case = a_pause_case()

    grown, ids = added(replace(case, fixtures=(*case.fixtures, only)), OTHER)

    assert ids == ("f4",)
    assert grown.fixtures[-1].only == ()


def test_answers_that_would_change_a_path_are_refused():
    """A path that missed a call keeps missing it, or the incident is another one."""
    case = a_pause_case()
    blind = replace(case, fixtures=case.fixtures[:1])
    pause = (
        '  - {tool: billing.pause, args: {account_id: "ACC-4471902 ", idempotency_key: k1},'
        " outcome: unknown}\n"
    )

    with pytest.raises(RefusedError, match="would change the paths") as error:
        added(blind, pause)

    assert error.value.reasons == ("path recorded would not fail as the incident did",)


def test_answers_that_break_an_accepted_path_are_refused():
    """One for that path alone would go before the evidence that it rests on."""
    case = accept_trace(a_pause_case(), a_good_run(), name="verified", by="ann")
    pending = (
        "  - {tool: billing.get_operation, args: {operation_id: op_1}, outcome: ok,"
        " result: {status: pending}, operation_id: op_1, only: [verified]}\n"
    )

    with pytest.raises(RefusedError) as error:
        added(case, pending)

    assert error.value.reasons[0].startswith("path verified: success_requires/1: ")


def test_an_accepted_path_that_was_not_green_is_no_reason_to_refuse():
    """`check` names it; answers of a live run neither mend it nor break it."""
    green = accept_trace(a_pause_case(), a_good_run(), name="verified", by="ann")
    (path,) = green.accepted
    red = replace(path, turns=path.turns[:-2] + path.turns[-1:])
    case = replace(green, paths=(green.recorded, red))

    _, ids = added(case, OTHER)

    assert ids == ("f4",)


def test_only_an_equal_answer_is_a_duplicate():
    """Matchers of a fixture that is there may take the call, once."""
    loose = a_fixture(
        "customer.lookup", id="f8", args={"email": "x"}, match={"email": "any"}, by="bob"
    )
    case = a_pause_case()

    _, ids = added(replace(case, fixtures=(*case.fixtures, loose)), OTHER)

    assert ids == ("f4",)
