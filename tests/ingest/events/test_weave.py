"""Spans put together: history once, results where they came, calls to their replies."""

from __future__ import annotations

from hypothesis import given, strategies as st

from workbench.ingest.events.messages import Message, Role
from workbench.ingest.events.spans import ModelSpan, Span, ToolSpan
from workbench.ingest.events.times import Moment
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.weave import weave
from workbench.model.event import ModelRequest, ToolCall, ToolResult


def at(second: int) -> Moment:
    """A moment with a time."""
    return Moment(micros=second * 10**6, text=f"2026-01-01T00:00:{second:02}Z")


def a_message(role: Role, text: str | None, *asked: Asked) -> Message:
    """A message without a place."""
    return Message(role=role, said=Said(ref="x", text=text), asked=asked)


def a_result(given_id: str | None, text: str) -> Message:
    """A result as the next request shows it."""
    answered = Answered(ref="x", id=given_id, text=text)
    return Message(role=Role.TOOL, said=Said(ref="x"), answered=answered)


def asked(given_id: str | None, tool: str, text: str | None = "{}") -> Asked:
    """A call."""
    return Asked(ref="x", id=given_id, tool=tool, text=text)


def a_model(start: int, end: int, *history: Message, reply: Message | None = None) -> ModelSpan:
    """One request."""
    replies = () if reply is None else (reply,)
    return ModelSpan(
        start=at(start), end=at(end), request=ModelRequest(), history=history, reply=replies
    )


def a_tool(start: int, end: int, call: Asked, text: str | None = "ok") -> ToolSpan:
    """One execution."""
    answered = None if text is None else Answered(ref="x", id=call.id, text=text)
    return ToolSpan(start=at(start), end=at(end), asked=call, answered=answered)


def told(*spans: Span) -> tuple[list[str], Transcript]:
    """The kinds of the events."""
    script = Transcript()
    weave(script, spans)
    return [event.kind for event in script.events()], script


TASK = a_message(Role.USER, "Pause.")


def test_the_same_text_said_twice_is_told_twice() -> None:
    """A user who repeats himself is no repeated history."""
    again = a_model(1, 2, TASK, a_message(Role.ASSISTANT, "Hm."), TASK)

    kinds, _ = told(again, a_model(3, 4, TASK, a_message(Role.ASSISTANT, "Hm."), TASK))

    assert kinds.count("user_message") == 2
    assert kinds.count("claim") == 1


def test_a_result_that_the_next_request_shows_before_the_span_ends_is_told_once() -> None:
    """Clocks differ; the span still gives its time."""
    call = asked("c1", "pause")
    reply = a_message(Role.ASSISTANT, None, call)
    later = a_model(4, 5, TASK, reply, a_result("c1", "seen"), reply=a_message(Role.ASSISTANT, "."))

    kinds, script = told(a_model(1, 2, TASK, reply=reply), a_tool(3, 6, call, "kept"), later)

    assert kinds.count("tool_result") == 1
    (result,) = (event for event in script.events() if isinstance(event, ToolResult))
    assert (result.result_raw, result.latency_ms) == ("seen", 3000)
    assert kinds.index("tool_result") < kinds.index("model_request", 3)


def test_a_span_that_begins_after_its_result_was_shown_adds_nothing() -> None:
    """A tool that the next request knows cannot run after it."""
    call = asked("c1", "pause")
    reply = a_message(Role.ASSISTANT, None, call)

    kinds, script = told(
        a_model(1, 2, TASK, reply=reply),
        a_model(3, 4, TASK, reply, a_result("c1", "seen")),
        a_tool(5, 6, call, "late"),
    )

    assert kinds.count("tool_result") == 1
    assert script.book.unanswered == 0


def test_calls_of_the_history_are_answered_by_their_spans() -> None:
    """A conversation that began before the recording."""
    call = asked("c1", "pause")
    before = a_message(Role.ASSISTANT, "Sure.", call)

    kinds, _ = told(a_model(1, 2, TASK, before), a_tool(3, 4, call))

    assert kinds == [
        "user_message",
        "model_reply",
        "claim",
        "tool_call",
        "model_request",
        "tool_result",
    ]


def test_a_paused_run_goes_on_with_what_came_before() -> None:
    """An approved call runs before the model is asked again; its call is no other one."""
    first, second = asked("c1", "look"), asked("c2", "pay")
    history = (
        a_message(Role.USER, "pay it"),
        a_message(Role.ASSISTANT, None, first, second),
        a_result("c1", "open"),
        a_result("c2", "paid"),
    )

    kinds, script = told(a_tool(0, 1, second, "paid"), a_model(2, 3, *history))

    assert kinds[:5] == ["user_message", "model_reply", "tool_call", "tool_call", "tool_result"]
    assert kinds[5:] == ["tool_result", "model_request"]
    results = [event.result_raw for event in script.events() if isinstance(event, ToolResult)]
    assert results == ["open", "paid"]
    assert script.counts["calls_unasked"] == 0


def test_a_span_without_arguments_is_paired_by_its_tool() -> None:
    """Capture of arguments may be off in one of the two."""
    reply = a_message(Role.ASSISTANT, None, asked("c1", "pause", '{"n": 1}'))

    kinds, script = told(a_model(1, 2, TASK, reply=reply), a_tool(3, 4, asked(None, "pause", None)))

    assert kinds.count("tool_call") == 1
    assert script.counts["calls_unasked"] == 0


def test_a_span_with_other_arguments_is_another_call() -> None:
    """An importer never guesses: the hidden retry of a tool shows as a call that nobody asked."""
    reply = a_message(Role.ASSISTANT, None, asked("c1", "pause", '{"n": 1}'))

    kinds, script = told(
        a_model(1, 2, TASK, reply=reply),
        a_tool(3, 4, asked(None, "pause", '{"n": 1}')),
        a_tool(4, 5, asked(None, "pause", '{"n": 1}')),
        a_tool(5, 6, asked("c9", "pause", '{"n": 2}')),
    )

    assert kinds.count("tool_call") == 3
    assert script.counts["calls_unasked"] == 2


def test_a_tool_that_never_ended_is_answered_by_the_history() -> None:
    """The exporter was stopped before the span ended."""
    call = asked("c1", "pause")
    reply = a_message(Role.ASSISTANT, None, call)
    stopped = ToolSpan(start=at(3), end=None, asked=call)

    kinds, script = told(
        a_model(1, 2, TASK, reply=reply), stopped, a_model(4, 5, TASK, reply, a_result("c1", "ok"))
    )

    assert kinds.count("tool_result") == 1
    (result,) = (event for event in script.events() if isinstance(event, ToolResult))
    assert result.latency_ms is None


def test_a_reply_that_only_the_history_shows_is_not_missing() -> None:
    """The next request repeats it."""
    reply = a_message(Role.ASSISTANT, "Sure.")

    _, script = told(a_model(1, 2, TASK), a_model(3, 4, TASK, reply, TASK))

    assert script.counts["replies_missing"] == 1


def test_times_without_zone_are_counted_and_spans_without_times_keep_their_place() -> None:
    """What has no time stands behind what the source has before it."""
    naive = Moment(micros=1, text="2026-01-01T00:00:00Z", naive=True)
    first = ModelSpan(start=naive, end=None, request=ModelRequest(), history=[TASK])
    second = ModelSpan(start=None, end=None, request=ModelRequest(), history=[TASK])

    kinds, script = told(first, second)

    assert kinds == ["user_message", "model_request", "model_request"]
    assert script.counts["timestamps_without_zone"] == 1


@given(
    st.lists(
        st.tuples(st.integers(0, 50), st.integers(0, 50), st.sampled_from(["c1", "c2", None])),
        max_size=8,
    )
)
def test_each_call_is_told_once_and_each_result_after_its_call(
    spans: list[tuple[int, int, str | None]],
) -> None:
    """Whatever the times say."""
    calls = (asked("c1", "find", '{"n": 1}'), asked("c2", "pause", '{"n": 2}'))
    reply = a_message(Role.ASSISTANT, None, *calls)
    tools = [
        a_tool(start, end, asked(given_id, "find" if given_id == "c1" else "pause", '{"n": 3}'))
        for start, end, given_id in spans
    ]

    _, script = told(a_model(10, 20, TASK, reply=reply), *tools)

    events = script.events()
    seen: set[str] = set()
    for event in events:
        if isinstance(event, ToolCall):
            assert event.call_id not in seen
            seen.add(event.call_id)
        elif isinstance(event, ToolResult):
            assert event.call_id in seen
