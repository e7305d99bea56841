"""Laws of shrinking, over random traces and contracts."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, assume, given, settings, strategies as st

from tests.builders import Part, a_call, a_claim, a_system, a_trace, a_turn, a_user
from tests.shrink.rules import (
    Rule,
    a_judge,
    after,
    at_most,
    bare,
    claimed_without,
    forbidden,
    must,
)
from workbench.model.event import (
    Claim,
    Event,
    ModelReply,
    Outcome,
    SystemMessage,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from workbench.model.trace import Trace, calls_of, renumbered
from workbench.model.verdict import Verdict
from workbench.shrink import is_projection, shrink_trace

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

Oracle = Callable[[Trace], Verdict]

TOOLS = ("find", "read", "pay", "poll")
VALUES = ("ACC-100001", "ACC-100002", "user_000001", "op_000042")
law = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

arguments: st.SearchStrategy[Json] = st.dictionaries(
    st.sampled_from(("to", "note", "limit")),
    st.one_of(st.sampled_from(VALUES), st.integers(0, 9), st.lists(st.integers(0, 3), max_size=3)),
    max_size=3,
)
results: st.SearchStrategy[Json] = st.fixed_dictionaries(
    {"status": st.sampled_from(("open", "paid"))},
    optional={"ref": st.sampled_from(VALUES)},
)
calls = st.builds(
    a_call,
    st.sampled_from(TOOLS),
    args=arguments,
    result=results,
    outcome=st.sampled_from((Outcome.OK, Outcome.OK, Outcome.OK, Outcome.UNKNOWN, Outcome.MISSING)),
)
claims = st.builds(
    a_claim,
    st.sampled_from(("all done", "please wait", "done, see ACC-100001", "which one?")),
    usage=st.sampled_from((None, Usage(input_tokens=5))),
)
turns = st.builds(
    lambda many, text: a_turn(*many, text=text),
    st.lists(calls, min_size=2, max_size=3),
    st.sampled_from(("", "I look", "done")),
)
parts: st.SearchStrategy[Part] = st.one_of(calls, calls, turns, claims, st.builds(a_user))
traces = st.builds(
    lambda many, end: a_trace(a_system(), a_user(), *many, end),
    st.lists(parts, min_size=1, max_size=12),
    st.one_of(calls, claims),
)
tools = st.sampled_from(TOOLS)
rules: st.SearchStrategy[Rule] = st.one_of(
    st.builds(lambda t: partial(forbidden, tool=t), tools),
    st.builds(
        lambda t, v: partial(forbidden, tool=t, key="to", value=v), tools, st.sampled_from(VALUES)
    ),
    st.builds(lambda t, n: partial(at_most, tool=t, bound=n), tools, st.integers(0, 2)),
    st.builds(lambda t: partial(must, tool=t), tools),
    st.builds(lambda a, b: partial(after, first=a, then=b), tools, tools),
    st.builds(lambda t: partial(claimed_without, tool=t, value="paid"), tools),
)
contracts = st.lists(rules, min_size=1, max_size=3).map(lambda many: a_judge(*many))


@given(traces, contracts, st.booleans())
@law
def test_the_result_fails_the_same_way_is_a_projection_and_a_fixed_point(
    trace: Trace,
    oracle: Oracle,
    explains: bool,  # noqa: FBT001  drawn
):
    """These are the promises that a case is exported on."""
    assume(oracle(trace).signature)
    asked = oracle if explains else bare(oracle)

    shrunk = shrink_trace(trace, asked)

    assert oracle(shrunk.trace).signature == oracle(trace).signature
    assert shrunk.minimal.behaviour, shrunk.why_stopped
    assert is_projection(shrunk.trace, trace)
    assert_whole(shrunk.trace)
    assert shrink_trace(shrunk.trace, asked).trace == shrunk.trace


@given(traces, contracts)
@law
def test_no_call_and_no_claim_can_be_dropped_alone(trace: Trace, oracle: Oracle):
    """Checked by brute force, with another idea of a candidate than the search has."""
    target = oracle(trace).signature
    assume(target)

    small = shrink_trace(trace, oracle).trace

    for events in single_drops(small):
        if len(events) < len(small.events) and not needed(small, events, oracle):
            candidate = rebuilt(small, events)
            assert not acted(candidate) or oracle(candidate).signature != target


@given(traces, contracts)
@law
def test_the_stimulus_is_closed_under_value_flow(trace: Trace, oracle: Oracle):
    """A kept value's earlier sources stay, and so do the task and the messages answered."""
    assume(oracle(trace).signature)

    small = shrink_trace(trace, oracle).trace

    kept = {event.call_id for event in small.events if isinstance(event, ToolCall)}
    for source, user in flows(trace):
        assert user not in kept_users(small) or source in kept
    assert small.events[0] == trace.events[0]
    assert any(isinstance(event, UserMessage) for event in small.events)
    assert answered(small) <= {e.origin_seq or e.seq for e in small.events}


@given(traces, contracts, st.sampled_from((1, 2, 4)))
@settings(law, max_examples=25)
def test_the_result_is_the_same_for_any_number_of_workers(
    trace: Trace, oracle: Oracle, workers: int
):
    """Speculation may only save time; even the count of calls is the same."""
    assume(oracle(trace).signature)
    alone = shrink_trace(trace, bare(oracle))

    with ThreadPoolExecutor(workers) as executor:
        together = shrink_trace(trace, bare(oracle), executor=executor, width=workers + 1)

    assert together == alone


# --- an independent idea of what hangs together ------------------------------------


def assert_whole(trace: Trace) -> None:
    """No orphan anywhere, and numbers without gaps."""
    called = [e.call_id for e in trace.events if isinstance(e, ToolCall)]
    answered_ids = [e.call_id for e in trace.events if isinstance(e, ToolResult)]
    replies = [e for e in trace.events if isinstance(e, ModelReply)]
    assert [event.seq for event in trace.events] == list(range(len(trace.events)))
    assert set(answered_ids) <= set(called)
    assert sorted(i for reply in replies for i in reply.call_ids) == sorted(called)
    for event in trace.events:
        if isinstance(event, ToolCall):
            assert event.call_id in replies[event.turn - 1].call_ids
        if isinstance(event, Claim):
            before = [reply for reply in replies if reply.seq < event.seq]
            assert before[-1].text == event.text
    spoken = [reply.text for reply in replies if reply.text]
    assert spoken == [event.text for event in trace.events if isinstance(event, Claim)]


def single_drops(trace: Trace) -> list[list[Event]]:
    """Return the events that stay when one call, or one claim, goes."""
    drops = []
    for gone in trace.events:
        if isinstance(gone, ToolCall):
            drops.append([e for e in trace.events if getattr(e, "call_id", None) != gone.call_id])
        elif isinstance(gone, Claim):
            drops.append([e for e in trace.events if e is not gone])
    return drops


def rebuilt(trace: Trace, events: list[Event]) -> Trace:
    """Number anew; drop what became of replies that lost their calls and their text."""
    ids = {event.call_id for event in events if isinstance(event, ToolCall)}
    texts = {event.text for event in events if isinstance(event, Claim)}
    found: list[Event] = []
    for event in events:
        if isinstance(event, ModelReply):
            text = event.text if event.text in texts else ""
            call_ids = tuple(i for i in event.call_ids if i in ids)
            if text or call_ids:
                found.append(replace(event, text=text, call_ids=call_ids))
        else:
            found.append(event)
    return replace(trace, events=renumbered(found))


def acted(trace: Trace) -> bool:
    """Whether the agent did anything."""
    return not all(isinstance(e, SystemMessage | UserMessage) for e in trace.events)


def needed(trace: Trace, events: list[Event], oracle: Oracle) -> bool:
    """Whether what was dropped is stimulus: a source, the last thing read, or the end."""
    left = {id(event) for event in events}
    gone = [event for event in trace.events if id(event) not in left]
    ids = {event.call_id for event in gone if isinstance(event, ToolCall)}
    if any(source in ids and user not in ids for source, user in flows(trace)):
        return True
    verdict = oracle(trace)
    first = min(verdict.violations, key=lambda v: (v.seq, v.clause))
    absent = any(v.kind == "end" for v in verdict.violations)
    claims = [e for e in trace.events if isinstance(e, Claim)]
    acts = [e for e in trace.events if isinstance(e, Claim | ToolCall)]
    end = claims[-1] if claims else acts[-1]
    offender = end if first.kind == "end" else trace.events[first.seq]
    read = [e for e in trace.events[: decided(trace, offender)] if isinstance(e, ToolResult)]
    return (absent and end in gone) or (bool(read) and read[-1] in gone)


def decided(trace: Trace, event: Event) -> int:
    """Return the position of the reply behind an event."""
    if isinstance(event, ToolResult):
        event = next(
            e for e in trace.events if isinstance(e, ToolCall) and e.call_id == event.call_id
        )
    return max(e.seq for e in trace.events if isinstance(e, ModelReply) and e.seq < event.seq)


def flows(trace: Trace) -> list[tuple[str, str]]:
    """Return (id of a source call, id of a call or text of a claim that has a value of it)."""
    found = []
    replies = [e.seq for e in trace.events if isinstance(e, ModelReply)]
    for call in calls_of(trace):
        if call.result is None:
            continue
        held = {v for v in VALUES if v in json.dumps(call.result.result, default=str)}
        for event in trace.events:
            if max([r for r in replies if r < event.seq], default=0) < call.end:
                continue
            if isinstance(event, ToolCall) and held & {
                v for v in VALUES if v in json.dumps(event.args)
            }:
                found.append((call.request.call_id, event.call_id))
            if isinstance(event, Claim) and any(v in event.text for v in held):
                found.append((call.request.call_id, f"claim {event.origin_seq or event.seq}"))
    return found


def kept_users(trace: Trace) -> set[str]:
    """Return the names that `flows` gives to what is kept."""
    return {
        e.call_id if isinstance(e, ToolCall) else f"claim {e.origin_seq or e.seq}"
        for e in trace.events
        if isinstance(e, ToolCall | Claim)
    }


def answered(trace: Trace) -> set[int]:
    """Return the origin of the first user message."""
    return {next(e.origin_seq or e.seq for e in trace.events if isinstance(e, UserMessage))}
