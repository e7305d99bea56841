"""The loss report: kinds, grades, and that notes hold no text of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import a_tau2_run, an_openai_call, kinds, lost, read_as
from workbench.ingest.events.losses import marked_losses
from workbench.ingest.events.masks import marks_of
from workbench.model.trace import Grade, Trace

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json


def test_results_that_nobody_asked_for_are_in_raw_only() -> None:
    """There is no call that they could follow; a person must look."""
    record: Json = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "hm"},
        {"role": "tool", "tool_call_id": "zz", "content": "1"},
    ]

    trace, losses = read_as("openai_chat", record)

    assert "tool_result" not in kinds(trace)
    assert lost(losses)["results_orphaned"] == 1
    assert losses.grade is Grade.NEEDS_FIXTURES


def test_a_second_result_is_reported() -> None:
    """The first counts."""
    answer: Json = {"role": "tool", "tool_call_id": "c1", "content": "1"}
    record: Json = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [an_openai_call("c1", "a", "{}")]},
        answer,
        answer,
    ]

    _, losses = read_as("openai_chat", record)

    assert lost(losses)["results_reused"] == 1
    assert losses.grade is Grade.REPLAYABLE


def test_uncertain_pairing_is_reported_even_where_every_call_has_an_id() -> None:
    """A result without id was given to the only call that was open."""
    record: Json = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [an_openai_call("c1", "a", "{}")]},
        {"role": "tool", "content": "1"},
    ]

    _, losses = read_as("openai_chat", record)

    (loss,) = [loss for loss in losses.items if loss.kind == "pairing_uncertain"]
    assert (loss.count, loss.note) == (1, "results paired: 1 by position")


def test_replies_beside_running_calls_are_named_before_anybody_makes_a_case() -> None:
    """A case ends the calls of a reply before the next one begins; agents side by side do not."""
    record: Json = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [an_openai_call("c1", "a", "{}")]},
        {"role": "assistant", "content": "meanwhile"},
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
        {"role": "assistant", "tool_calls": [an_openai_call("c2", "a", "{}")]},
        {"role": "assistant", "content": "it never answered"},
    ]

    _, losses = read_as("openai_chat", record)

    (loss,) = [loss for loss in losses.items if loss.kind == "replies_overlap"]
    assert loss.count == 1
    assert "each agent as a run of its own" in loss.fix
    assert losses.grade is Grade.NEEDS_FIXTURES


def test_a_run_that_the_model_never_answered_is_a_skeleton() -> None:
    """There is no behaviour to replay."""
    record: Json = [{"role": "system", "content": "s"}, {"role": "user", "content": "go"}]

    _, losses = read_as("openai_chat", record)

    assert lost(losses)["no_model_reply"] == 1
    assert losses.grade is Grade.SKELETON


def test_marks_of_cut_texts_are_counted() -> None:
    """A truncated value is kept and never shortened further."""
    (loss,) = marked_losses(marks_of(b'{"content": "rows ... [truncated]"}'), Trace(run_id="r-1"))

    assert (loss.kind, loss.count, loss.caps) == ("truncated", 1, Grade.REPLAYABLE)


def test_notes_never_hold_text_of_a_trace() -> None:
    """A report is shown, logged and sent around."""
    record = a_tau2_run(messages=[{"role": "assistant", "content": "Needle-42 ***"}])

    _, losses = read_as("tau2_bench", record)

    assert "Needle-42" not in repr(losses)
    assert all(loss.note for loss in losses.items)


@pytest.mark.parametrize(
    ("args", "used"),
    [
        ('{"email": "user_01@mail-01.example"}', 1),
        ('{"card": "9999990000000018"}', 1),
        ('{"token": "***"}', 1),
        ('{"to": "<EMAIL_ADDRESS>"}', 1),
        ('{"email": "ada@example.com", "n": 999999}', 0),
        ('{"note": "**bold**"}', 0),
        ("", 0),
    ],
)
def test_a_mask_that_a_tool_was_called_with_is_reported(args: str, used: int) -> None:
    """The tool got no real value: that may be the incident, or the recorder's doing."""
    record: Json = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "tool_calls": [an_openai_call("c1", "a", args)]},
        {"role": "tool", "tool_call_id": "c1", "content": "1"},
    ]

    _, losses = read_as("openai_chat", record)

    assert lost(losses).get("masked_value_used", 0) == used
