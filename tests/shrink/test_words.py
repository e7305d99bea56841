"""Words of claims may go, on request: what is left stands as it stood, in reply and claim alike."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings, strategies as st

from tests.builders import a_call, a_claim, a_system, a_trace, a_turn, a_user
from tests.shrink.rules import a_judge, bare, claimed_without, forbidden
from tests.shrink.test_laws import assert_whole, contracts, law, traces
from tests.shrink.test_projection import with_event
from tests.shrink.test_with_judge import a_header
from workbench.casefile.build import build_case
from workbench.casefile.contract import load_contract
from workbench.check.judge import judge
from workbench.check.oracle import recorded_oracle
from workbench.model.event import Claim, ModelReply
from workbench.model.trace import Trace, renumbered
from workbench.replay.scripted import replay_path
from workbench.shrink import Texts, is_projection, shrink_trace
from workbench.shrink.words import is_text_part, without_words, words_of

if TYPE_CHECKING:
    from tests.shrink.brute import Oracle

DONE = a_judge(partial(claimed_without, tool="poll", value="paid"))
LONG = "I looked at it with care,  and all is done as you wished.\nGoodbye!"


def texts_of(trace: Trace) -> list[str]:
    """Return what was said to people."""
    return [event.text for event in trace.events if isinstance(event, Claim)]


def a_chatty_trace() -> Trace:
    """Return a run that fails by one word of a long text."""
    return a_trace(a_system(), a_user(), a_call("poll", result={"status": "open"}), a_claim(LONG))


def test_texts_stay_whole_unless_asked():
    """A shorter claim is easier to read and less like what people were shown."""
    assert texts_of(shrink_trace(a_chatty_trace(), DONE).trace) == [LONG]


@pytest.mark.parametrize("explains", [True, False])
def test_only_the_word_that_counts_is_left(explains):
    """The reply that was the claim loses the same words; no blank is made up."""
    oracle = DONE if explains else bare(DONE)

    shrunk = shrink_trace(a_chatty_trace(), oracle, texts=Texts.WORDS)

    assert texts_of(shrunk.trace) == ["done"]
    assert [e.text for e in shrunk.trace.events if isinstance(e, ModelReply)][-1] == "done"
    assert is_projection(shrunk.trace, a_chatty_trace())
    assert shrunk.minimal.behaviour
    assert shrunk.calls <= 30


def test_a_claim_with_a_value_of_a_result_stays_whole():
    """The words around the value say what became of it."""
    trace = a_trace(
        a_user(),
        a_call("poll", result={"status": "open", "ref": "ACC-100001"}),
        a_claim("It is all done, see ACC-100001 there."),
    )

    shrunk = shrink_trace(trace, DONE, texts=Texts.WORDS)

    assert texts_of(shrunk.trace) == ["It is all done, see ACC-100001 there."]


def test_a_locked_text_and_a_text_that_no_reply_says_stay_whole():
    """A lock wins; and a claim of its own has nothing that could follow it."""
    trace = a_chatty_trace()
    said = next(e.seq for e in trace.events if isinstance(e, Claim))
    lonely = replace(trace, events=renumbered([*trace.events[:-2], Claim(text=LONG)]))

    locked = shrink_trace(trace, DONE, lock=(f"#{said}.text",), texts=Texts.WORDS)
    alone = shrink_trace(lonely, DONE, texts=Texts.WORDS)

    assert texts_of(locked.trace) == texts_of(alone.trace) == [LONG]


@given(traces, contracts, st.booleans())
@settings(law, max_examples=25)
def test_the_laws_hold_with_words_cut(
    trace: Trace,
    oracle: Oracle,
    explains: bool,  # noqa: FBT001  drawn
):
    """Same failure, a projection, whole, a fixed point; no word left that could go alone."""
    assume(oracle(trace).signature)
    asked = oracle if explains else bare(oracle)

    small = shrink_trace(trace, asked, texts=Texts.WORDS).trace

    assert oracle(small).signature == oracle(trace).signature
    assert is_projection(small, trace)
    assert_whole(small)
    assert shrink_trace(small, asked, texts=Texts.WORDS).trace == small


def test_the_case_of_a_cut_text_replays_as_it_failed():
    """The scripted reply says what is left of the text."""
    contract = load_contract(
        {"success_requires": "poll.status == paid", "claims": {"success": ["done"]}}
    )
    target = judge(a_chatty_trace(), contract).signature

    small = shrink_trace(a_chatty_trace(), recorded_oracle(contract), texts=Texts.WORDS).trace

    case = build_case(small, contract, header=a_header(target))
    assert texts_of(small) == ["done"]
    assert judge(replay_path(case, case.recorded), contract).signature == target


# --- what a projection accepts ------------------------------------------------------


def with_texts(reply: str, claim: str) -> Trace:
    """Return the chatty run with another text in its reply and its claim."""
    trace = a_chatty_trace()
    last = len(trace.events) - 1
    return with_event(with_event(trace, last - 1, text=reply), last, text=claim)


@pytest.mark.parametrize(
    ("reply", "claim", "is_one"),
    [
        (LONG, LONG, True),
        ("all is done", "all is done", True),
        (" all is done", " all is done", True),
        ("all done", "all is done", False),
        (LONG, "all is done", False),
        ("all is done", LONG, False),
        ("all  is done", "all  is done", False),
        ("done is all", "done is all", False),
        ("all is done now", "all is done now", False),
        ("al is done", "al is done", False),
        ("", "", False),
        ("  ", "  ", False),
    ],
)
def test_a_projection_may_lack_words_and_nothing_else(reply, claim, is_one):
    """No word is changed, moved or added, no blank is, and reply and claim stay one text."""
    assert is_projection(with_texts(reply, claim), a_chatty_trace()) is is_one


def test_only_what_people_were_told_may_lack_words():
    """Words of a request, a result or an argument are what the agent saw or did."""
    trace = a_trace(a_user("Pay my rent."), a_call("pay", args={"note": "for the rent"}))
    asked = with_event(trace, 0, text="Pay rent.")
    called = with_event(trace, 2, args={"note": "the rent"}, args_raw=None)

    assert not is_projection(asked, trace)
    assert not is_projection(called, trace)


def test_two_replies_that_said_the_same_keep_their_own_claims():
    """A word cut from one of them is not made good by the other."""
    trace = a_trace(
        a_user(), a_turn(a_call("pay"), a_call("log"), text=LONG), a_claim(LONG), a_call("look")
    )
    oracle = a_judge(
        partial(claimed_without, tool="poll", value="paid"), partial(forbidden, tool="look")
    )

    small = shrink_trace(trace, oracle, texts=Texts.WORDS).trace

    assert texts_of(small) == ["done"]
    assert_whole(small)


@given(st.text(alphabet="ab \n", max_size=12), st.sets(st.integers(0, 6)))
def test_words_are_the_text_and_parts_are_parts(text: str, gone: set[int]):
    """Cutting never makes anything that is no part, unless nothing is left."""
    part = without_words(text, gone)

    assert "".join(words_of(text)) == text
    assert part == text or not part.strip() or is_text_part(part, text)
