"""What exports of observability tools, SDKs and message dumps say of the one scenario."""

from __future__ import annotations

from tests.corpus.generated import Row
from workbench.model.trace import Grade

__all__ = ["EXPORTS"]

_REDACTED = {"result 2": "errors_redacted"}

EXPORTS = (
    Row(
        file="agent-framework.messages.json",
        format="agent_framework",
        grade=Grade.NEEDS_FIXTURES,
        lost={"system": "system_missing", "task": "task_missing", "result 2": "errors_redacted"},
        also=frozenset({"no_timestamps"}),
    ),
    Row(file="langsmith.runs.json", format="langsmith"),
    Row(file="langsmith.client-ops.json", format="langsmith"),
    Row(
        file="langchain.messages_to_dict.json",
        format="langchain",
        lost={"system": "system_missing"},
        also=frozenset({"no_timestamps"}),
    ),
    Row(
        file="langchain.dumpd.json",
        format="langchain",
        lost={"system": "system_missing"},
        also=frozenset({"no_timestamps"}),
    ),
    Row(
        file="langchain.astream_events_v2.jsonl",
        format="langchain_events",
        also=frozenset({"no_timestamps"}),
    ),
    Row(
        file="openai-agents.chat.json",
        format="agents_spans",
        grade=Grade.NEEDS_FIXTURES,
        lost=_REDACTED,
    ),
    Row(
        file="openai-agents.responses.json",
        format="agents_spans",
        grade=Grade.NEEDS_FIXTURES,
        lost={"system": "system_missing", **_REDACTED},
    ),
)
"""One row a file."""
