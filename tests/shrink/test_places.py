"""Places of a draft are read strictly, and follow the trace when it gets smaller."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.shrink.rules import a_judge, forbidden
from workbench.errors import InputError
from workbench.model.event import ToolCall
from workbench.model.ledger import TriggerNote
from workbench.shrink import moved_places, shrink_trace
from workbench.shrink.places import Lock, locks_of

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace

ARGS: JsonMap = {"to": "a", "list": [5, {"name": "x"}], "odd key": {"0": 1}}


def a_run() -> Trace:
    """Return a run whose call is event 4."""
    return a_trace(a_user(), a_claim("hello"), a_call("pay", args=ARGS), a_claim("bye"))


@pytest.mark.parametrize(
    ("text", "lock"),
    [
        ("#0", Lock(position=0)),
        ("#0.text", Lock(position=0, path=("text",))),
        ("#4.args.list.1.name", Lock(position=4, path=("args", "list", 1, "name"))),
        ('#4.args."odd key".0', Lock(position=4, path=("args", "odd key", "0"))),
        ("#4.args_raw.to", Lock(position=4, path=("args", "to"))),
        ("#4.args.to.inside.text", Lock(position=4, path=("args", "to"))),
    ],
)
def test_a_place_names_a_value(text, lock):
    """A number is a place in a list or a key, as the value there has it."""
    assert locks_of(a_run(), [text]) == (lock,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("args.to", "is no place in a trace"),
        ("#x", "is no place in a trace"),
        ("#99.text", "is no event of the trace"),
        ("#4.args.", "is no path"),
        ("#4.args.nobody", "names a value that the trace does not have"),
        ("#4.args.list.7", "names a value that the trace does not have"),
    ],
)
def test_a_place_that_is_not_there_is_refused(text, message):
    """A lock that silently held nothing would be worse than none."""
    with pytest.raises(InputError, match=message) as caught:
        locks_of(a_run(), [text])

    assert caught.value.fix
    assert text in str(caught.value)


def test_a_long_wrong_place_is_not_repeated_in_full():
    """It may be a pasted text of the trace."""
    with pytest.raises(InputError) as caught:
        locks_of(a_run(), ["y" * 500])

    assert len(str(caught.value)) < 300


def test_places_follow_the_events_and_items_that_stay():
    """The ledger and the trigger of a draft name places; shrinking moves them."""
    trace = a_trace(a_user(), a_call("look"), a_claim("hm"), a_call("pay", args=ARGS))
    call = next(e.seq for e in trace.events if isinstance(e, ToolCall) and e.tool == "pay")
    oracle = a_judge(partial(forbidden, tool="pay"))

    small = shrink_trace(trace, oracle, lock=[f"#{call}.args.list.1.name"]).trace

    after = next(e for e in small.events if isinstance(e, ToolCall) and e.tool == "pay")
    assert after.args == {"list": [{"name": "x"}]}
    assert moved_places(
        [
            f"#{call}.args.list.1.name",
            f"#{call}.args.list.1.name.inner",
            f"#{call}.args.list.0",
            f"#{call}.args.to",
            "#4",
            "#0.text",
            "tools.0.name",
        ],
        before=trace,
        after=small,
    ) == {
        f"#{call}.args.list.1.name": f"#{call}.args.list.0.name",
        f"#{call}.args.list.1.name.inner": f"#{call}.args.list.0.name.inner",
        f"#{call}.args.list.0": None,
        f"#{call}.args.to": None,
        "#4": None,
        "#0.text": "#0.text",
        "tools.0.name": "tools.0.name",
    }


def test_places_count_in_the_raw_trace():
    """So they hold for a trace that was shrunk already."""
    trace = a_trace(a_user(), a_call("look"), a_claim("hm"), a_call("pay", args=ARGS))
    oracle = a_judge(partial(forbidden, tool="pay"))
    small = shrink_trace(trace, oracle).trace
    call = next(e for e in small.events if isinstance(e, ToolCall) and e.tool == "pay")

    assert locks_of(small, [f"#{call.origin_seq}"]) == (Lock(position=call.seq),)
    with pytest.raises(InputError, match="is no event of the trace"):
        moved_places(["#4.text"], before=small, after=small)


def test_a_trigger_that_is_partly_gone_locks_what_is_left_above_it():
    """It was found by us; a person's own lock is read strictly."""
    assert locks_of(a_run(), [TriggerNote(at="#4.args.gone.deep")]) == (
        Lock(position=4, path=("args",)),
    )


def test_args_and_result_also_stand_for_their_exact_texts():
    """Redaction names one place for both."""
    trace = a_trace(
        a_user(), a_call("pay", args_raw="{broken", result="plain"), a_call("get", result={"a": 1})
    )

    assert locks_of(trace, ["#2.args", "#3.result_raw", "#6.result_raw.a"]) == (
        Lock(position=2, path=("args_raw",)),
        Lock(position=3, path=("result",)),
        Lock(position=6, path=("result", "a")),
    )
    assert moved_places(["#2.args.x"], before=trace, after=trace) == {"#2.args.x": "#2.args.x"}
