"""OpenLLMetry as it writes in 2026: names of the convention, and what it does differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.ingest.otlp.spans import (
    a_chat,
    a_message,
    a_span,
    answer,
    call,
    calls,
    results,
    run_of,
    text,
    trace_of,
)
from tests.ingest.samples import kinds, lost
from workbench.model.event import ModelReply
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap

TASK = a_message("user", text("Pause."))
ANSWERS: list[Json] = [
    a_message("tool", answer("c1", "done")),
    a_message("tool", answer("c2", "failed")),
]


def replies(prefix: str) -> list[Json]:
    """Two calls of one turn, each a message of its own, ids with a prefix."""
    return [
        a_message("assistant", call(f"{prefix}c1", "pause", {"n": 1})),
        a_message("assistant", call(f"{prefix}c2", "pause", {"n": 2})),
    ]


def an_execution(number: int, start_ms: int, n: int, result: str) -> JsonMap:
    """A tool of the Agents SDK: no id of the call, contents under the convention's names."""
    found: JsonMap = {
        "traceloop.span.kind": "tool",
        "gen_ai.tool.name": "pause",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.call.arguments": f'{{"n": {n}}}',
        "gen_ai.tool.call.result": result,
    }
    return a_span(number, found, parent=1, start_ms=start_ms)


def test_a_tool_may_keep_its_contents_under_the_names_of_the_convention(tmp_path: Path) -> None:
    """The instrumentation of the Agents SDK writes no `traceloop.entity.*`."""
    trace = trace_of(run_of(tmp_path, an_execution(2, 0, 1, '{"ok": true}')))

    assert [(tool, args) for _, tool, args in calls(trace)] == [("pause", '{"n": 1}')]
    assert list(results(trace).values()) == ['{"ok": true}']


def test_calls_whose_ids_differ_in_requests_are_told_once(tmp_path: Path) -> None:
    """Requests name the item's id, replies and results the call's."""
    spans = (
        a_chat(2, [TASK], replies(""), end_ms=5),
        an_execution(3, 10, 1, "done"),
        an_execution(4, 11, 2, "failed"),
        a_chat(
            5,
            [TASK, *replies("fc_"), *ANSWERS],
            [a_message("assistant", text("Paused."))],
            start_ms=20,
        ),
    )

    run = run_of(tmp_path, *spans)

    trace = trace_of(run)
    assert [given for given, _, _ in calls(trace)] == ["c1", "c2"]
    assert results(trace) == {"c1": "done", "c2": "failed"}
    assert kinds(trace).count("model_reply") == 2
    assert "results_missing" not in lost(run.losses)


def test_a_streamed_reply_is_the_one_that_the_next_request_shows(tmp_path: Path) -> None:
    """The spans of streamed Responses have an empty list in its place."""
    spans = (
        a_chat(2, [TASK], [], end_ms=5),
        a_chat(5, [TASK, *replies(""), *ANSWERS], [], start_ms=20),
    )

    run = run_of(tmp_path, *spans)

    trace = trace_of(run)
    first, last = (event for event in trace.events if isinstance(event, ModelReply))
    assert first.at is not None
    assert first.usage is not None
    assert first.usage.output_tokens == 2
    assert kinds(trace).index("model_reply") + 1 == kinds(trace).index("tool_call")
    assert not last.text
    assert results(trace) == {"c1": "done", "c2": "failed"}


def test_a_last_reply_that_nobody_kept_is_a_loss(tmp_path: Path) -> None:
    """Without it nothing says that the run has no final answer."""
    run = run_of(tmp_path, a_chat(2, [TASK], []))

    assert lost(run.losses)["replies_missing"] == 1
    assert run.losses.grade is Grade.NEEDS_FIXTURES


def test_a_reply_that_is_empty_is_no_loss(tmp_path: Path) -> None:
    """The model may well say nothing."""
    run = run_of(tmp_path, a_chat(2, [TASK], [a_message("assistant")]))

    assert "replies_missing" not in lost(run.losses)
