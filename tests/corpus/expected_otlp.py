"""What the scenario's OTLP files and chats of providers are expected to lose."""

from __future__ import annotations

from typing import Final

from tests.corpus.generated import Row
from workbench.model.trace import Grade

__all__ = ["CHATS", "OTLP"]

_UNTRACED: Final = {"mark": "tool_spans_missing"}
"""Clients trace no tools: results come from the next request, without marks of errors."""

_MESSAGES: Final = ("system", "task", "args", "result", "mark", "claim")
_OFF: Final = dict.fromkeys(("call", *_MESSAGES), "content_off")
_CALLS: Final = ("call", "args", "result", "mark")

_WHOLE: Final = (
    "agent-framework.otlp.json",
    "openinference.langchain.otlp.json",
    "pydantic-ai.v2.otlp.json",
    "pydantic-ai.v3.otlp.json",
    "pydantic-ai.v4.otlp.json",
    "pydantic-ai.v5.otlp.json",
)
_CLIENTS: Final = (
    "anthropic-client.openinference.otlp.json",
    "anthropic-client.traceloop.otlp.json",
    "openai-client.openinference.on.nostream.otlp.json",
    "openai-client.openinference.on.stream.otlp.json",
    "openai-client.traceloop-0.40.on.nostream.otlp.json",
    "openai-client.traceloop-0.40.on.stream.otlp.json",
    "openai-client.traceloop.on.nostream.otlp.json",
    "openai-client.traceloop.on.stream.otlp.json",
    "openai-client.v2.latest-on.nostream.otlp.json",
    "openai-client.v2.latest-on.stream.otlp.json",
    "openai-client.v2.old-on.nostream.logs.jsonl",
)
_SILENT: Final = (
    "openai-client.traceloop.off.nostream.otlp.json",
    "openai-client.v2.latest-off.nostream.otlp.json",
    "openai-client.v2.old-off.nostream.otlp.json",
    "openai-client.v2.old-on.nostream.otlp.json",  # the messages are in its log records
)

OTLP: Final = (
    *(Row(file=file, format="otlp") for file in _WHOLE),
    *(Row(file=file, format="otlp", lost=_UNTRACED) for file in _CLIENTS),
    *(Row(file=file, format="otlp", grade=Grade.SKELETON, lost=_OFF) for file in _SILENT),
    Row(
        file="openai-client.v2.old-off.nostream.logs.jsonl",  # keeps names and ids of calls
        format="otlp",
        grade=Grade.SKELETON,
        lost=dict.fromkeys(_MESSAGES, "content_off"),
        also=frozenset({"args_missing", "results_not_captured"}),
    ),
    Row(
        file="openinference.openai-agents.otlp.json",
        format="otlp",
        grade=Grade.NEEDS_FIXTURES,
        lost={"system": "system_missing", "result 2": "errors_redacted"},
    ),
    Row(
        file="openinference.crewai.openai.otlp.json",  # traces tools, and no model
        format="otlp",
        grade=Grade.SKELETON,
        lost={"system": "system_missing", "order": "calls_unasked"},
        also=frozenset({"no_model_reply"}),
    ),
    Row(
        file="openinference.crewai.otlp.json",  # traces neither
        format="otlp",
        grade=Grade.SKELETON,
        lost={"system": "system_missing", **dict.fromkeys(_CALLS, "calls_not_traced")},
    ),
    Row(
        file="autogen.otlp.json",  # 14 traces: 13 of one team, and one that only makes an agent
        format="otlp",
        lost={"system": "system_missing"},
        also=frozenset({"traces_joined", "results_as_literal"}),
        runs=2,
    ),
)

CHATS: Final = (
    Row(file="anthropic.messages.json", format="anthropic_messages"),
    Row(
        file="openai.chat-messages.json",
        format="openai_chat",
        lost={"mark": "errors_unmarked"},
    ),
)
