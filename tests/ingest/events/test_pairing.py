"""Which call a result answers."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings, strategies as st

from workbench.ingest.events.pairing import CallBook, Method
from workbench.model.event import CallIdSource
from workbench.model.jsonvalue import ABSENT


def test_a_reused_id_is_given_once_and_answered_in_turn() -> None:
    """The second use gets an id of ours; its result still finds it."""
    book = CallBook()
    book.new_turn()
    first = book.ask("x", "a", {})
    assert book.answer("x", None, ABSENT) == first.call_id == "x"
    book.new_turn()
    second = book.ask("x", "a", {})

    assert second.source is CallIdSource.SYNTHESISED
    assert book.answer("x", None, ABSENT) == second.call_id != "x"
    assert (book.reused_ids, book.missing_ids, book.synthesised) == (1, 0, 1)


def test_an_id_in_two_open_turns_means_the_later_call() -> None:
    """The earlier one was never answered; its result would have come before."""
    book = CallBook()
    book.new_turn()
    book.ask("x", "a", {})
    book.new_turn()
    last = book.ask("x", "a", {})

    assert book.answer("x", None, ABSENT) == last.call_id
    assert book.unanswered == 1


def test_a_second_result_for_one_call_is_counted_and_left_out() -> None:
    """It must not answer somebody else's call by position."""
    book = CallBook()
    book.new_turn()
    book.ask("x", "a", {})
    book.ask("y", "b", {})
    book.answer("x", None, ABSENT)

    assert book.answer("x", None, ABSENT) is None
    assert (book.reused_results, book.orphans, book.unanswered) == (1, 0, 1)


def test_without_ids_the_same_tool_and_arguments_are_first_come_first_served() -> None:
    """Two equal calls cannot be told apart in any other way."""
    book = CallBook()
    book.new_turn()
    a, b, c = (book.ask(None, "t", {"n": n}) for n in (1, 2, 1))

    assert book.answer(None, "t", {"n": 1}) == a.call_id
    assert book.answer(None, "t", {"n": 1}) == c.call_id
    assert book.answer("", "t", {"n": 2}) == b.call_id
    assert book.methods == {Method.ARGUMENTS: 3}


def test_position_is_the_last_resort_and_respects_the_tool() -> None:
    """A result that names a tool is never given to another one."""
    book = CallBook()
    book.new_turn()
    first = book.ask(None, "a", {})
    book.ask(None, "b", {})

    assert book.answer(None, "c", ABSENT) is None
    assert book.orphans == 1
    assert book.answer(None, None, ABSENT) == first.call_id
    assert book.answer(None, "b", {"other": 1}) is not None
    assert book.methods == {Method.POSITION: 2}


def test_only_calls_of_the_last_turn_are_paired_without_an_id() -> None:
    """An unanswered call of an earlier turn stays unanswered."""
    book = CallBook()
    book.new_turn()
    book.ask(None, "a", {})
    book.new_turn()
    later = book.ask(None, "a", {})

    assert book.answer(None, "a", {}) == later.call_id
    assert book.answer(None, "a", {}) is None


def test_our_ids_avoid_those_that_were_given() -> None:
    """Two calls must never share one."""
    book = CallBook()
    book.new_turn()
    ids = [book.ask(given, "a", {}).call_id for given in ("call-2", None, None, "call-3")]

    assert len(set(ids)) == 4
    assert ids[0] == "call-2"


IDS = st.sampled_from([None, "", "x", "y", "call-1", "call-2"])
TOOLS = st.sampled_from(["a", "b"])
ARGS = st.sampled_from([ABSENT, {}, {"n": 1}])


@settings(max_examples=100)
@given(
    st.lists(
        st.one_of(
            st.just(("turn",)),
            st.tuples(st.just("ask"), IDS, TOOLS, ARGS),
            st.tuples(st.just("answer"), IDS, st.one_of(st.none(), TOOLS), ARGS),
        ),
        max_size=25,
    )
)
def test_ids_are_unique_and_no_call_is_answered_twice(steps: list[tuple[Any, ...]]) -> None:
    """Whatever a recorder does, the trace keeps its invariants and every result is counted."""
    book = CallBook()
    asked: list[str] = []
    answered: list[str] = []
    results = 0
    for kind, *rest in steps:
        if kind == "turn":
            book.new_turn()
        elif kind == "ask":
            asked.append(book.ask(*rest).call_id)
        else:
            results += 1
            found = book.answer(*rest)
            answered += [] if found is None else [found]

    assert len(set(asked)) == len(asked)
    assert len(set(answered)) == len(answered)
    assert set(answered) <= set(asked)
    assert len(asked) - len(answered) == book.unanswered
    assert results == len(answered) + book.orphans + book.reused_results
    assert len(answered) == sum(book.methods.values())
