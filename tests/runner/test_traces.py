"""A saved trace is read with its outcomes derived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.model.event import Outcome
from workbench.model.trace import Effect, calls_of
from workbench.runner.traces import load_trace

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

TIMED_OUT: JsonMap = {
    "schema": "trace/1",
    "run_id": "r1",
    "events": [
        {"seq": 0, "kind": "user_message", "text": "pause it"},
        {"seq": 1, "kind": "tool_call", "call_id": "c1", "tool": "pause", "args": {}},
        {"seq": 2, "kind": "tool_result", "call_id": "c1", "error": {"status": 504}},
    ],
}


def test_outcomes_follow_the_declared_effect():
    """A write that timed out may have happened; a read may be asked again."""
    assumed = load_trace(TIMED_OUT)
    declared = load_trace(TIMED_OUT, effects={"pause": Effect.READ})

    assert calls_of(assumed)[0].outcome is Outcome.UNKNOWN
    assert calls_of(declared)[0].outcome is Outcome.RETRYABLE
