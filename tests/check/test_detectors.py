"""Detectors of grants, order, arguments, stray results, hand-offs and cut totals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_result, a_trace, a_turn, a_user
from workbench.casefile.contract import load_contract
from workbench.check.diagnose import DETECTORS, diagnose
from workbench.check.judge import judge
from workbench.model.canonical import args_digest
from workbench.model.event import (
    CallError,
    Change,
    ClaimOutcome,
    ContextChange,
    Decision,
    ModelRequest,
    Outcome,
    Permission,
    ToolCall,
)
from workbench.model.trace import Effect, Tool
from workbench.model.verdict import Result

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

OK, UNKNOWN, PERMANENT, MISSING = (
    Outcome.OK,
    Outcome.UNKNOWN,
    Outcome.PERMANENT,
    Outcome.MISSING,
)
EFFECTS = {
    "door.open": Effect.WRITE,
    "door.look": Effect.READ,
    "door.plan": Effect.PURE,
    "caller.verify": Effect.READ,
    "handoff_to_b": Effect.WRITE,
}
ONE: JsonMap = {"door": "D-1000"}
TWO: JsonMap = {"door": "D-2000"}


def found(*parts, tools=EFFECTS, said="Let me see."):
    """Return detector, confidence and contract of each suggestion; all are red on the run."""
    trace = a_trace(*parts, *([a_claim(said)] if said else []), tools=tools)
    suggestions = diagnose(trace)
    for given in suggestions:
        assert judge(trace, load_contract(given.contract)).result is Result.FAIL
    return [(given.detector, given.confidence, given.contract) for given in suggestions]


def a_grant(*, tool="door.open", args=None, decision=Decision.GRANTED, actor="person"):
    """Return a decision, for one call when its arguments are given."""
    digest = None if args is None else args_digest(args)
    return Permission(decision=decision, tool=tool, args_digest=digest, actor=actor)


def test_all_fifteen_are_there():
    """One for each kind of the contract page."""
    assert len(DETECTORS) == 15


# --- grants ------------------------------------------------------------------------


def test_a_write_without_its_own_grant_is_found():
    """Leave for one door is none for another."""
    rule = {"permissions": [{"grant": "door.open", "covers": "same_args"}]}

    given = found(a_user(), a_grant(args=ONE), a_call("door.open", args=TWO))

    assert given == [("write_outside_grant", "high", rule)]


def test_a_grant_to_oneself_is_none():
    """The agent may not allow what it wants."""
    ((name, confidence, contract),) = found(
        a_user(), a_grant(args=ONE, actor="agent"), a_call("door.open", args=ONE)
    )

    assert (name, confidence) == ("write_outside_grant", "high")
    assert contract == {
        "permissions": [{"grant": "door.open", "covers": "same_args", "by": "other_actor"}]
    }


def test_a_recorder_without_digests_leaves_doubt():
    """It may be that nobody wrote down what the leave was for."""
    ((_, confidence, _),) = found(a_user(), a_grant(), a_call("door.open", args=ONE))

    assert confidence == "medium"


@pytest.mark.parametrize(
    "parts",
    [
        [a_call("door.open", args=ONE)],
        [a_grant(args=ONE), a_call("door.open", args=ONE)],
        [a_grant(args=ONE), a_call("door.look", args=TWO)],
        [
            a_grant(args=ONE, decision=Decision.DENIED),
            a_call("door.open", args=ONE, outcome=Outcome.DENIED),
        ],
    ],
)
def test_what_was_allowed_or_stopped_is_left_alone(parts):
    """No decisions at all, leave, a read, a refusal that held."""
    assert found(a_user(), *parts) == []


@pytest.mark.parametrize(
    "words",
    ["Read-only, please: which doors are there?", "Don't change anything.", "只查看"],
)
def test_a_write_though_only_looking_was_asked_for_is_found(words):
    """The person said so."""
    opened = a_call("door.open", args=ONE)

    assert found(a_user(words), opened, opened) == [
        ("write_outside_grant", "high", {"forbid_call": ["door.open"]})
    ]
    assert found(a_user(words), a_call("door.look")) == []
    assert found(a_user(words), a_user("Now open it."), opened) == []


# --- before authorisation -------------------------------------------------------------

CHECK = a_call("caller.verify", args=ONE, result={"verified": True})
REFUSAL = a_call("caller.verify", args=ONE, result={"verified": False})
LOOK = a_call("door.look", args=ONE)


def test_a_look_before_the_check_is_found():
    """And the check's own word for yes is taken."""
    yes = {"tool": "caller.verify", "result": ["verified == true"]}

    assert found(a_user(), LOOK, CHECK) == [
        ("lookup_before_authorisation", "high", {"order": [{"before": [yes, "door.look"]}]})
    ]


def test_a_check_that_said_no_opens_nothing():
    """A read is `medium` then, a write is certain."""
    assert [c for _, c, _ in found(a_user(), REFUSAL, LOOK)] == ["medium"]
    assert [c for _, c, _ in found(a_user(), REFUSAL, a_call("door.open", args=ONE))] == ["high"]


def test_a_check_without_an_answer_in_words_counts_when_it_completed():
    """Then only the order can be asked for."""
    plain, failed = a_call("caller.verify", args=ONE), a_call("caller.verify", outcome=PERMANENT)

    assert found(a_user(), plain, LOOK) == []
    ((_, _, contract),) = found(a_user(), failed, LOOK, plain)
    assert contract == {"order": [{"before": ["caller.verify", "door.look"]}]}


@pytest.mark.parametrize(
    "parts",
    [
        [CHECK, LOOK],
        [a_call("door.look", args=TWO), CHECK],
        [a_call("door.plan", args=ONE), CHECK],
        [a_call("door.look", args=ONE, outcome=Outcome.DENIED), CHECK],
        [LOOK],
    ],
)
def test_what_came_after_or_is_about_another_is_left_alone(parts):
    """In order, another door, thinking, a call that was stopped, no check at all."""
    assert found(a_user(), *parts) == []


# --- arguments ----------------------------------------------------------------------------

SCHEMA = (Tool(name="door.open", effect=Effect.WRITE, schema={"required": ["door", "pin"]}),)


def test_missing_arguments_are_found():
    """The tool says what it needs."""
    lacking = a_call("door.open", args=ONE, outcome=PERMANENT)
    schema = {"args": {"door.open": {"type": "object", "required": ["door", "pin"]}}}

    assert found(lacking, tools=SCHEMA) == [("malformed_or_changed_argument", "high", schema)]
    assert [c for _, c, _ in found(a_call("door.open", args=ONE), tools=SCHEMA)] == ["medium"]


def test_a_mask_is_no_value():
    """In any of its usual shapes; short or quoted stars are something else."""
    for mask in ("*****", "xxxxxxxx", "[REDACTED]", "<redacted:card>", "Hidden"):
        given = found(a_call("door.look", args={"pin": mask}, outcome=PERMANENT))
        assert [(name, c) for name, c, _ in given] == [("malformed_or_changed_argument", "high")]
    assert [c for _, c, _ in found(a_call("door.look", args={"pin": "***"}))] == ["medium"]
    assert found(a_call("door.look", args={"pin": "**", "note": "*** new ***"})) == []
    assert found(a_call("door.look", args=["*****"])) == []


OPEN_FIRST: JsonMap = {"door": "D-1000", "side": "left"}
OPEN_OTHER: JsonMap = {"door": "D-2000", "side": "left"}


def test_a_lost_write_tried_with_another_value_is_found():
    """Now two doors may be open."""
    ((name, confidence, contract),) = found(
        a_call("door.open", args=OPEN_FIRST, outcome=UNKNOWN), a_call("door.open", args=OPEN_OTHER)
    )

    assert (name, confidence) == ("malformed_or_changed_argument", "medium")
    assert contract == {
        "order": [
            {
                "at_most_after": [
                    {
                        "tool": "door.open",
                        "where": ['door == "D-1000"', 'side == "left"'],
                        "class": "unknown",
                    },
                    {"tool": "door.open", "where": ['door == "D-2000"']},
                    0,
                ]
            }
        ]
    }


def test_a_refused_write_tried_with_another_value_is_only_a_hint():
    """Correcting an argument is what errors are for."""
    refused = a_call("door.open", args=OPEN_FIRST, outcome=PERMANENT)
    other = a_call("door.open", args={**OPEN_FIRST, "door": ["D-2000"]})

    assert [c for _, c, _ in found(refused, a_call("door.open", args=OPEN_OTHER))] == ["low"]
    assert [c for _, c, _ in found(refused, other)] == ["low"]


@pytest.mark.parametrize(
    "parts",
    [
        [a_call("door.open", args=OPEN_FIRST), a_call("door.open", args=OPEN_OTHER)],
        [
            a_call("door.open", args=OPEN_FIRST, outcome=PERMANENT),
            a_call("door.look"),
            a_call("door.open", args=OPEN_OTHER),
        ],
        [a_call("door.open", args=ONE, outcome=PERMANENT), a_call("door.open", args=TWO)],
        [
            a_call("door.open", args=OPEN_FIRST, outcome=PERMANENT),
            a_call("door.open", args=OPEN_OTHER, outcome=PERMANENT),
        ],
        [
            a_call("door.open", args=OPEN_FIRST, outcome=PERMANENT),
            a_call("door.open", args={"door": "D-2000"}),
        ],
    ],
)
def test_other_second_tries_are_left_alone(parts):
    """Two deeds, a look between, another thing, failed again, other arguments altogether."""
    assert found(*parts) == []


# --- stray results ------------------------------------------------------------------------------


def test_a_lost_answer_is_found():
    """Certain when the run went on; a run that just stops may have been cut by its recorder."""
    lost, other = a_call("door.look", outcome=MISSING), a_call("door.plan")

    assert found(a_user(), other, lost) == [("crossed_or_lost_results", "high", {"finishes": True})]
    assert [c for _, c, _ in found(a_user(), other, lost, said="")] == ["low"]
    assert [c for _, c, _ in found(a_user(), lost, said="")] == ["low"]


def test_a_record_without_any_results_says_nothing_of_lost_ones():
    """An evaluation case of Google ADK holds calls and replies only; no model goes on so."""
    lost = [a_call("door.look", args={"n": n}, outcome=MISSING) for n in (1, 2)]

    assert found(a_user(), lost[0]) == []
    assert found(a_user(), lost[0], a_user(), lost[1]) == []
    assert found(a_user(), a_turn(*lost)) == []


def test_success_over_lost_parallel_results_is_found():
    """Three were asked for, two answered."""
    looks = [a_call("door.look", args={"n": n}) for n in (1, 2)]
    lost = a_call("door.look", args={"n": 3}, outcome=UNKNOWN)
    contract = {"min_calls": {"door.look#ok": 3}}

    assert found(a_user(), a_turn(*looks, lost), said="It has been completed.") == [
        ("crossed_or_lost_results", "high", contract)
    ]
    assert found(a_user(), a_turn(*looks, lost)) == []
    again = a_call("door.look", args={"n": 3})
    assert found(a_user(), a_turn(*looks, lost), again, said="It has been completed.") == []


def test_a_run_that_ends_on_results_in_another_order_is_found():
    """Providers refuse such a history."""
    turn = a_turn(a_call("door.look"), a_call("door.plan"), completes=(1, 0))

    for rest, confidence in (([ModelRequest()], "high"), ([], "medium")):
        assert found(a_user(), turn, *rest, said="") == [
            ("crossed_or_lost_results", confidence, {"finishes": True})
        ]
    assert found(a_user(), turn) == []


def test_swapped_results_are_found():
    """Each names the other's door."""
    swapped = a_turn(
        a_call("door.look", args={"door_id": "D-1"}, result={"door_id": "D-2"}),
        a_call("door.look", args={"door_id": "D-2"}, result={"door_id": "D-1"}),
    )
    ((name, confidence, contract), second) = found(a_user(), swapped)

    assert (name, confidence, second[1]) == ("crossed_or_lost_results", "high", "high")
    assert contract == {
        "forbid_call": [
            {
                "tool": "door.look",
                "where": ['door_id == "D-1"'],
                "result": ['door_id != "D-1"'],
            }
        ]
    }


@pytest.mark.parametrize(
    ("args", "result"),
    [
        ({"door_id": "D-1"}, {"door_id": "D-1"}),
        ({"door_id": "D-1"}, {"room_id": "R-1"}),
        ({"name": "front"}, {"name": "Front door"}),
        ({"door_id": 1}, {"door_id": 2}),
        ({"door_id": "D-1"}, "D-2"),
    ],
)
def test_results_about_the_thing_itself_are_left_alone(args, result):
    """The same, another key, a name that was completed, plain numbers, text."""
    assert found(a_user(), a_call("door.look", args=args, result=result)) == []


def test_an_older_version_after_a_newer_is_found():
    """The read came after the write had ended, so it should have seen it."""
    write = a_call("door.open", args=ONE, result={"version": 4})
    ((name, confidence, contract),) = found(
        a_user(), write, a_call("door.look", args=ONE, result={"version": 3})
    )

    assert (name, confidence) == ("crossed_or_lost_results", "high")
    assert list(contract) == ["order"]
    assert found(a_user(), write, a_call("door.look", args=TWO, result={"version": 3})) == []
    assert found(a_user(), write, a_call("door.look", args=ONE, result={"version": 4})) == []
    assert found(a_user(), write, a_call("door.look", args=["x"], result={"version": 3})) == []
    at_once = a_turn(
        a_call("door.open", args=ONE, result={"version": 4}),
        a_call("door.look", args=ONE, result={"version": 3}),
    )
    assert found(a_user(), at_once) == []


# --- hand-offs -------------------------------------------------------------------------------------


def test_handing_over_again_and_again_is_found():
    """With work in between it is a way of working."""
    over = a_call("handoff_to_b")

    assert found(a_user(), over, over, over) == [
        ("hand_off_loop", "high", {"max_calls": {"handoff_to_b": 2}})
    ]
    assert found(a_user(), over, LOOK, over, a_call("door.look"), over) == []


def test_hand_overs_that_are_events_are_found():
    """Some frameworks do not use a tool for it."""
    over = ContextChange(change=Change.HAND_OFF)
    rounds = [part for _ in range(6) for part in (ModelRequest(), over)]

    ((name, confidence, contract),) = found(a_user(), *rounds)

    assert (name, confidence, contract) == ("hand_off_loop", "high", {"limits": {"model_calls": 3}})
    assert found(a_user(), *rounds[:8]) == []
    busy = [part for _ in range(6) for part in (LOOK, over)]
    assert [name for name, _, _ in found(a_user(), *busy)] == []


# --- a part taken for the whole ------------------------------------------------------------------


@pytest.mark.parametrize(
    "result",
    [
        {"doors": [1, 2], "has_more": True},
        {"doors": [1, 2], "next_cursor": "p2"},
        {"doors": [1, 2], "total": 7},
        "door 1\ndoor 2\n... [output truncated]",
        {"stdout": "door 1\n5 more lines"},
    ],
)
def test_a_whole_told_from_a_part_is_found(result):
    """However the tool says that there is more."""
    look = a_call("door.look", result=result)
    ((name, confidence, contract),) = found(a_user(), look, said="There are 2 doors in total.")

    assert (name, confidence) == ("truncated_total", "high")
    assert contract["order"][0]["after"][1] == "door.look"
    assert [c for _, c, _ in found(a_user(), look, said="Those are all the doors.")] == ["medium"]
    assert found(a_user(), look, said="Here is the first page.") == []
    assert found(a_user(), look, a_call("door.look"), said="There are 2 doors in total.") == []


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        ({"doors": [1, 2], "has_more": False, "next_cursor": None, "total": 2}, OK),
        ({"total": 7}, OK),
        ({"doors": [1], "total": "7"}, OK),
        ({"has_more": True}, PERMANENT),
        ("two doors", OK),
    ],
)
def test_a_whole_is_left_alone(result, outcome):
    """Complete pages, a count of its own, a failure, plain text."""
    look = a_call("door.look", result=result, outcome=outcome)

    assert found(a_user(), look, said="There are 2 doors in total.") == []


def test_one_tool_is_named_once():
    """The first part is enough to show."""
    parts = a_turn(*[a_call("door.look", args={"n": n}, result={"has_more": True}) for n in (1, 2)])

    assert len(found(a_user(), parts, said="There are 2 doors in total.")) == 1


# --- the others, where they grew ---------------------------------------------------------------------


def test_success_after_a_result_that_says_no_is_found():
    """The transport worked, the deed did not."""
    soft = a_call("door.open", args=ONE, result={"ok": False})
    contract = {"success_requires": [{"tool": "door.open", "pred": "ok == true"}]}

    assert found(a_user(), soft, said="The door has been opened.") == [
        ("success_without_read_back", "high", contract)
    ]
    mended = a_call("door.open", args=ONE, result={"ok": True})
    assert found(a_user(), soft, mended, said="The door has been opened.") == []
    assert found(a_user(), soft) == []


def test_calls_that_never_bring_anything_are_found():
    """Nothing, five times, from an honest call."""
    empty = a_call("door.look", result="")

    assert found(a_user(), *[empty] * 5) == [
        ("identical_failing_calls", "high", {"limits": {"identical_calls": 2}})
    ]
    assert found(a_user(), *[empty] * 4) == []


def test_a_count_that_nobody_gave_is_found():
    """Of a whole; other figures may be sums of the agent's own."""
    look = a_call("door.look", result={"open": 12})

    assert [name for name, _, _ in found(a_user(), look, said="34 of 56 are open.")] == [
        "unfounded_quote"
    ]
    assert found(a_user(), look, said="12 are open, 34 are not.") == []


def test_a_sub_agent_without_means_is_found_only_if_nobody_wrote():
    """Somebody else may have done it."""
    offer = ModelRequest(agent="b", offered_tools=("door.look",))
    look = a_call("door.look", agent="b")
    claim = a_claim("The door has been opened.", agent="b")

    assert found(a_user(), offer, look, claim) == [
        ("claim_without_call", "medium", {"must_call": ["door.open"]}),
        ("claim_without_call", "medium", {"must_call": ["handoff_to_b"]}),
    ]
    assert found(a_user(), offer, look, a_claim("Hm.", agent="b")) == []
    assert [n for n, _, _ in found(a_user(), a_call("door.open"), offer, look, claim)] == []
    both = ModelRequest(agent="b", offered_tools=("door.look", "door.open"))
    assert found(a_user(), both, look, claim) == []


def test_a_site_is_known_by_its_name():
    """With and without scheme and path, and a part of a longer name is another one."""
    prose = "The news of today are long, but more of them stand at www.news.example for you."
    fetch = a_call("door.look", args={"url": "http://news.example/today"})

    assert [(n, c) for n, c, _ in found(a_user(), a_call("door.plan", result=prose), fetch)] == [
        ("write_from_result_only", "low")
    ]
    said = a_user("Look at news.example")
    assert found(said, a_call("door.plan", result=prose), fetch) == []


def test_a_short_value_is_found_as_a_word_only():
    """`7` does not stand in `17`."""
    seventeen = "Of all the doors in the house number 17 is the one that should be opened now."
    seven = seventeen.replace("17", "77 or 07")
    opened = a_call("door.open", args={"nr": "07"})

    assert found(a_user(), a_call("door.look", result=seventeen), opened) == []
    given = found(a_user(), a_call("door.look", result=seven), opened)
    assert [(n, c) for n, c, _ in given] == [("write_from_result_only", "low")]
    inside = a_call("door.look", result=seventeen.replace("17", "107"))
    assert found(a_user(), inside, opened) == []


def test_a_late_answer_is_no_lost_one():
    """It came; that another one came first is how concurrent calls are."""
    late = a_call("door.look", outcome=MISSING, call_id="late")

    assert found(a_user(), late, a_call("door.plan"), a_result("late")) == []


def test_an_error_without_words_says_nothing():
    """Quiet on what cannot be read."""
    bare = a_call("door.look", outcome=None, error=CallError(status=404))

    assert found(a_user(), bare, bare) == []


def test_calls_that_no_reply_asked_for_are_not_together():
    """A skeleton import does not know who asked."""
    trace = a_trace(a_user(), a_call("door.look"), a_call("door.plan"), tools=EFFECTS)
    bare = tuple(replace(e, turn=0) if isinstance(e, ToolCall) else e for e in trace.events)

    assert diagnose(replace(trace, events=bare)) == []


@pytest.mark.parametrize(
    ("look", "said"),
    [
        (
            a_call("billing.get", result={"operation_id": "op-1", "status": "pending"}),
            "billing.get answered that it was still under way",
        ),
        (
            a_call("billing.get", outcome=Outcome.PERMANENT),
            "billing.pause ended unknown, and billing.get did not show it either",
        ),
        (a_call("mail.list", result={}), "billing.pause ended unknown and nobody read it back"),
    ],
)
def test_a_write_that_was_looked_at_is_not_said_to_be_unread(look, said):
    """A reader who finds the read-back beside such a sentence believes nothing more."""
    trace = a_trace(
        a_user("pause it"),
        a_call("billing.pause", outcome=Outcome.UNKNOWN),
        look,
        a_claim("It is paused.", outcome=ClaimOutcome.SUCCESS),
        tools=(
            Tool(name="billing.pause", effect=Effect.WRITE),
            Tool(name="billing.get", effect=Effect.READ),
            Tool(name="mail.list", effect=Effect.READ),
        ),
    )

    found = next(one for one in diagnose(trace) if one.detector == "success_without_read_back")

    assert found.sentence == f"success was claimed after {said}"
