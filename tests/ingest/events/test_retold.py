"""Replies and what later requests tell again of them."""

from __future__ import annotations

from msgspec.structs import replace

from tests.ingest.events.test_weave import TASK, a_message, a_model, a_result, asked
from workbench.ingest.events.messages import Message, Role
from workbench.ingest.events.retold import agreed, unseen_replies
from workbench.ingest.events.spans import ModelSpan, Span
from workbench.ingest.events.transcript import Asked, Said
from workbench.model.event import Usage

BLANK = Message(
    role=Role.ASSISTANT,
    said=Said(ref="own", usage=Usage(input_tokens=1), finish_reason="stop"),
)


def unseen(start: int, *history: Message) -> ModelSpan:
    """A request whose reply has no content."""
    return replace(a_model(start, start + 1, *history, reply=BLANK), unseen=True)


def ids(span: Span) -> list[str | None]:
    """What the history of a request calls its calls."""
    assert isinstance(span, ModelSpan)
    return [one.id for message in span.history for one in message.asked]


def calling(*calls: Asked) -> Message:
    """A reply that asks for calls."""
    return a_message(Role.ASSISTANT, None, *calls)


# --- calls under two ids ----------------------------------------------------------------------


def test_equal_calls_under_two_ids_are_matched_in_their_order() -> None:
    """The item has one id, the call another; results have the call's."""
    reply = calling(asked("c9", "pause"), asked("c1", "pause"))
    again = calling(asked("i1", "pause"), asked("i2", "pause"))
    first = a_model(1, 2, TASK, reply=reply)
    second = a_model(3, 4, TASK, again, a_result("c1", "x"), a_result("c9", "y"))

    spans = agreed([first, second])

    assert ids(spans[1]) == ["c9", "c1"]


def test_a_call_that_differs_keeps_its_id() -> None:
    """Another tool, other arguments, arguments that are no JSON: another call."""
    reply = calling(
        asked("c1", "pause", '{"a": 1}'), asked("c2", "stop"), asked("c3", "stop", "{x")
    )
    again = calling(
        asked("i1", "pause", '{"a": 2}'),
        asked("i2", "pause", "{}"),
        asked("i3", "stop", "{x"),
        asked(None, "stop"),
    )

    spans = agreed([a_model(1, 2, TASK, reply=reply), a_model(3, 4, TASK, again)])

    assert ids(spans[1]) == ["i1", "i2", "c3", None]


def test_a_call_from_before_the_run_is_none_of_its_replies() -> None:
    """A history that was handed over shows calls that nobody of this run made."""
    old = calling(asked("i1", "pause"))
    first = a_model(1, 2, old, TASK, reply=calling(asked("c1", "pause")))

    assert ids(agreed([first])[0]) == ["i1"]


def test_a_call_that_has_its_answer_keeps_its_id() -> None:
    """Its id is the one that counts, whatever a reply calls another."""
    again = calling(asked("i1", "pause"))
    first = a_model(1, 2, TASK, reply=calling(asked("c1", "pause")))
    second = a_model(3, 4, TASK, again, a_result("i1", "x"))

    assert ids(agreed([first, second])[1]) == ["i1"]


# --- replies without content ------------------------------------------------------------------


def test_a_reply_without_content_is_taken_from_the_next_request() -> None:
    """With the usage and the reason that its own span has."""
    reply = calling(asked("c1", "pause"))

    spans = agreed([unseen(1, TASK), a_model(3, 4, TASK, reply, a_result("c1", "x"))])

    (found,) = spans[:1]
    assert isinstance(found, ModelSpan)
    assert [one.asked for one in found.reply] == [reply.asked]
    assert found.reply[0].said.usage == Usage(input_tokens=1)
    assert found.reply[0].said.finish_reason == "stop"
    assert unseen_replies(spans) == 0


def test_a_reply_of_another_conversation_is_not_taken() -> None:
    """Agents that take turns have histories of their own."""
    other = a_message(Role.USER, "Stop.")
    spans = agreed([unseen(1, TASK), a_model(3, 4, other, a_message(Role.ASSISTANT, "Done."))])

    assert unseen_replies(spans) == 1


def test_a_recorder_that_keeps_no_contents_misses_no_single_reply() -> None:
    """That is a loss of its own kind."""
    assert unseen_replies([unseen(1), unseen(3)]) == 0
    assert unseen_replies([unseen(1), a_model(3, 4, reply=a_message(Role.ASSISTANT, "x"))]) == 1
