"""Which results a value came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace, a_turn, a_user
from workbench.model.event import CallError, ToolCall
from workbench.shrink.flow import Flow
from workbench.shrink.units import layout_of

if TYPE_CHECKING:
    from workbench.model.trace import Trace


def sources(trace: Trace) -> list[list[str]]:
    """Return, for each unit, the tools whose results it uses."""
    layout = layout_of(trace)
    flow = Flow(trace, layout)

    def tool(unit: int) -> str:
        event = trace.events[layout.units[unit].events[0]]
        assert isinstance(event, ToolCall)
        return event.tool

    return [sorted(map(tool, flow.providers(unit))) for unit in range(len(layout.units))]


@pytest.mark.parametrize(
    ("result", "argument"),
    [
        ({"account": "ACC-4471902 "}, {"to": "ACC-4471902 "}),
        ({"deep": [{"name": "Ann Example"}]}, {"who": "Ann Example"}),
        ("mail: send it to DE89370400440532013000.", {"iban": "DE89370400440532013000"}),
        ({"amount": 123456}, {"amount": 123456.0}),
        ({"order_id": 7}, {"order_id": "7"}),
        ("- id_: '6'\n  title: Lunch", {"event_id": "6"}),
        ({"iban": "DE89370400440532013000"}, {"body": "please use DE89370400440532013000, thanks"}),
        ("iban DE89370400440532013000", {"body": "please use DE89370400440532013000, thanks"}),
        ({"city": "北京市朝阳区三里屯"}, {"city": "朝阳区三里屯街"[:6]}),
        ({"text": "see ACC-4471902"}, ["ACC-4471902"]),
    ],
)
def test_a_value_flows_from_a_result_to_an_argument(result, argument):
    """Whole words of six characters or more, or an id."""
    trace = a_trace(a_user(), a_call("find", result=result), a_call("use", args=argument))

    assert sources(trace) == [[], ["find"]]


@pytest.mark.parametrize(
    ("result", "argument"),
    [
        ({"n": 12}, {"n": 12}),
        ({"text": "9912345678"}, {"n": 12345678}),
        ({"flag": True}, {"flag": True}),
        ({"id": "7"}, {"count": "7"}),
        ({"x": "......"}, {"x": "......,"}),
        ({"x": "abcdef"}, {"x": None}),
    ],
)
def test_short_words_and_parts_of_words_do_not_flow(result, argument):
    """They are equal by chance."""
    trace = a_trace(a_user(), a_call("find", result=result), a_call("use", args=argument))

    assert sources(trace) == [[], []]


def test_values_flow_into_claims_and_out_of_errors():
    """What a person is told came from somewhere; errors carry ids, too."""
    error = CallError(
        status=504,
        message="timeout of op_000042",
        headers={"operation-id": "op_77"},
        body={"r": "R-1234567"},
    )
    trace = a_trace(
        a_user(),
        a_call("find", result={"status": "completed", "id": "W1"}),
        a_call("pay", error=error, operation_id="op_5"),
        a_claim("It is completed, W1."),
        a_claim("Look at op_77, op_5, op_000042 and R-1234567."),
        a_claim("Nothing known."),
    )

    assert sources(trace) == [[], [], ["find"], ["pay"], []]


def test_arguments_that_are_no_json_are_read_as_text():
    """A malformed call is often the incident itself."""
    trace = a_trace(
        a_user(),
        a_call("find", result={"ref": "R-1234567"}),
        a_call("use", args_raw='{"to": R-1234567'),
    )

    assert sources(trace) == [[], ["find"]]


def test_nothing_flows_between_calls_of_one_reply_or_backwards():
    """A result that was not there yet cannot have been read."""
    trace = a_trace(
        a_user(),
        a_call("use", args={"to": "R-1234567"}),
        a_turn(
            a_call("find", result={"ref": "R-1234567"}), a_call("use", args={"to": "R-1234567"})
        ),
    )

    assert sources(trace) == [[], [], []]


def test_of_vocabulary_only_the_latest_holder_counts():
    """A thousand polls are not kept for the word that they all hold."""
    polls = [a_call(f"poll{n:02}", result={"status": "pending"}) for n in range(17)]
    few, many = (a_trace(a_user(), *polls[:count], a_claim("It is pending.")) for count in (16, 17))

    assert len(sources(few)[-1]) == 16
    assert sources(many)[-1] == ["poll16"]


def test_whether_a_value_flows_does_not_depend_on_other_results():
    """Else a smaller trace would have another flow, and shrink further the second time."""
    album = a_call("album", result="all our family reunions")
    other = a_call("other", result="a reunion")
    use = a_call("use", args={"query": "family reunion"})

    assert sources(a_trace(a_user(), album, use)) == [[], []]
    assert sources(a_trace(a_user(), album, other, use)) == [[], [], []]


def test_an_answer_that_never_came_gives_nothing():
    """A call without a result holds no values."""
    trace = a_trace(a_user(), a_call("find", result=""), a_claim("R-1234567"))

    assert sources(trace) == [[], []]
