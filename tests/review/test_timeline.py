"""Every kind of event as a line, masked or not, and harmless always."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import a_call, a_claim, a_system, a_trace, a_turn, a_user
from tests.review.runs import a_loaded
from workbench.model.event import (
    CallError,
    Change,
    ContextChange,
    Decision,
    ModelRequest,
    Outcome,
    Permission,
    Requestor,
    StateChange,
)
from workbench.model.trace import Grade, Loss, Losses, Source
from workbench.review.timeline import event_lines, headline, timeline, word_or_mask
from workbench.runner.reports import text

pytestmark = pytest.mark.desk


def lines_of(*parts, reveal=False):
    """Return the lines of a small trace."""
    return event_lines(a_loaded(a_trace(*parts)), reveal=reveal)


@pytest.mark.parametrize(
    ("part", "masked", "revealed"),
    [
        (a_user("hi\x1b"), "text(3)", "hi\\x1b"),
        (a_system("Be kind."), "text(8)", "Be kind."),
        (ModelRequest(model="m\u202e"), "m\\u202e", "m\\u202e"),
        (ModelRequest(offered_tools=("a", "b")), "  2 tools offered", "  2 tools offered"),
        (Permission(decision=Decision.GRANTED, tool="a.b"), "granted a.b", "granted a.b"),
        (Permission(decision=Decision.DENIED), "denied any tool", "denied any tool"),
        (
            StateChange(name="plan", before="on", after={"a": 1}),
            "plan: text(2) -> {a: number}",
            'plan: on -> {"a": 1}',
        ),
        (ContextChange(change=Change.COMPACTION), "compaction", "compaction"),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_an_event_in_both_ways(part, masked, revealed):
    """Masked for a chat, revealed for the person who works on it."""
    assert lines_of(part) == (masked,)
    assert lines_of(part, reveal=True) == (revealed,)


def test_replies_claims_and_calls():
    """What was asked for, what came back, and what was said as the judge reads it."""
    parts = (
        a_turn(a_call("a.b", args={"n": 1}), text="One moment."),
        a_call("c.d", args_raw="{broken", by=Requestor.USER, outcome=Outcome.OK, result="fine"),
        a_claim("Done."),
    )

    assert lines_of(*parts) == (
        "text(11)  asks for 1 call",
        "claims unknown  text(11)",
        "a.b {n: number}",
        "a.b -> ok  {}",
        "c.d text(7)  by user",
        "c.d -> ok  text(4)",
        "text(5)",
        "final, claims success  text(5)",
    )
    assert lines_of(*parts, reveal=True)[2] == 'a.b {"n": 1}'


def test_a_result_without_a_value_shows_its_error():
    """A detail is shown only where it is a word."""
    error = CallError(type="Timeout", message="late for Ada", status=504)
    word = a_call("a.b", outcome=Outcome.UNKNOWN, error=error, detail="http_504")
    sentence = a_call("a.b", outcome=Outcome.UNKNOWN, detail="late for Ada")

    masked, hidden = lines_of(word)[2], lines_of(sentence)[2]

    assert masked.startswith("a.b -> unknown http_504  {type: text(7), message: text(12)")
    assert hidden.startswith("a.b -> unknown text(12)  ")
    assert "late for Ada" in lines_of(sentence, reveal=True)[2]


@pytest.mark.parametrize("detail", ["http_504", "GatewayTimeout", "openai.APIError"])
def test_a_word_is_shown(detail):
    """It says what happened and nothing of anybody."""
    assert word_or_mask(detail) == detail


def test_a_long_text_is_cut():
    """One line an event."""
    (line,) = lines_of(a_user("x" * 500), reveal=True)

    assert len(line) == 96
    assert line.endswith("…")


def test_the_headline_says_what_was_lost_and_assumed():
    """Whoever reads the run must know what is not in it."""
    trace = replace(a_trace(a_call("a.\x1bset")), source=Source(format="openai_chat"))
    losses = Losses(
        items=(
            Loss(kind="times_missing", count=3, note="no times", fix="record times"),
            Loss(kind="texts_missing", caps=Grade.SKELETON),
        )
    )

    shown = headline(replace(a_loaded(trace, losses=losses), assumed_tools=("a.\x1bset",)))

    assert shown == (
        "run-1  unknown  skeleton\n"
        "3 events from openai_chat\n"
        "lost: times_missing x3: no times\n"
        "  Fix: record times\n"
        "lost: texts_missing x1  [at best skeleton]\n"
        "  no setting of the recorder brings it back\n"
        "effect not declared, taken as write: a.\\x1bset (write?)"
    )
    assert "from unknown format" in headline(a_loaded(a_trace(a_user())))


def test_a_failed_result_stands_out_on_a_terminal(monkeypatch):
    """By colour as well as by word."""
    monkeypatch.setattr(text, "wants_colour", lambda _stream: True)

    shown = timeline(a_loaded(a_trace(a_call("a.b"), a_call("c.d", outcome=Outcome.DENIED)))
                     , reveal=False).split("\n")  # fmt: skip

    assert [number for number, line in enumerate(shown) if line.startswith("\x1b[31m")] == [6]


def test_an_empty_run_has_a_head_only():
    """Nothing happened, and that is shown."""
    assert timeline(a_loaded(a_trace()), reveal=False).split() == ["seq", "kind", "agent"]


def test_a_masked_line_names_agents_models_and_states_but_no_sentence_or_address():
    """Recorders put mail addresses and titles of chats there."""
    events = (
        ModelRequest(model="gpt-4.1-mini", agent="support.eu"),
        ModelRequest(model="tuned for ada@example.com", agent="desk of Ada"),
        StateChange(name="plan of ada@example.com"),
    )
    run = a_loaded(a_trace(*events))

    shown, raw = timeline(run, reveal=False), timeline(run, reveal=True)

    assert [word in shown for word in ("gpt-4.1-mini", "support.eu")] == [True, True]
    assert [word in shown for word in ("ada@", "desk of")] == [False, False]
    assert [raw.count("ada@example.com"), "desk of Ada" in raw] == [2, True]
