"""Frameworks: what each saves itself, and its spans."""

from __future__ import annotations

from typing import Final

from tests.producers.expected import (
    LATEST,
    NO_SYSTEM,
    REDACTED,
    REFUSED,
    UNTRACED,
    Producer,
    Take,
    file,
    spans,
)
from tests.producers.judging import NOT_PLAYED
from workbench.model.trace import Grade

__all__ = ["FRAMEWORKS"]

_PYDANTIC = (file("messages.json", "pydantic_ai"), spans("pydantic_ai"))
_AUTOGEN = (
    file("run_stream.jsonl", "autogen_stream", "results_as_literal", lost=NO_SYSTEM),
    file("result.json", "autogen_stream", "results_as_literal", lost=NO_SYSTEM),
    file("team_state.json", "autogen_state", "results_as_literal", lost=NO_SYSTEM),
    file(
        "event_log.json",
        "autogen_log",
        "failed_calls_not_logged",
        "messages_not_serialized",
        "results_as_literal",
        lost=NO_SYSTEM,
    ),
    spans(
        "genai",
        "results_as_literal",
        "traces_joined",
        lost=NO_SYSTEM,
        silent=("autogen",),
        runs=2,
    ),
)
"""14 traces: 13 of one team, joined, and one that only makes an agent."""
_CALLS = ("call", "args", "result", "mark")


FRAMEWORKS: Final = (
    Producer(
        name="pydantic_ai",
        needs=("pydantic-ai-slim[openai]",),
        takes=(
            *(
                Take(name=name, emissions=_PYDANTIC)
                for name in ("spans_2", "spans_3", "spans_4", "spans_5", "streamed")
            ),
            Take(
                name="approved",
                emissions=(
                    file("messages.json", "pydantic_ai"),
                    spans("pydantic_ai", lost=UNTRACED, runs=3),
                ),
            ),
            Take(
                name="denied",
                emissions=(
                    file(
                        "messages.json",
                        "pydantic_ai",
                        lost=REFUSED,
                        decisions=("denied", "denied"),
                    ),
                    spans("pydantic_ai", lost={**REFUSED, "mark": "tool_spans_missing"}, runs=3),
                ),
            ),
        ),
    ),
    Producer(
        name="langgraph",
        needs=(
            "langchain",
            "langgraph",
            "langchain-openai",
            "langsmith",
            "openinference-instrumentation-langchain",
            "opentelemetry-instrumentation-langchain",
        ),
        takes=(
            Take(
                name="messages",
                emissions=tuple(
                    file(name, "langchain", "no_timestamps", lost=NO_SYSTEM)
                    for name in ("messages_to_dict.json", "dumpd.json", "model_dump.json")
                ),
            ),
            *(
                Take(
                    name=name,
                    emissions=(file("events.jsonl", "langchain_events", "no_timestamps"),),
                )
                for name in ("events", "events_streamed")
            ),
            *(
                Take(
                    name=name,
                    emissions=(
                        file(
                            "messages_to_dict.json",
                            "langchain",
                            "no_timestamps",
                            lost={**NO_SYSTEM, **played},
                        ),
                    ),
                )
                for name, played in (("approved", {}), ("rejected", REFUSED))
            ),
            Take(name="langsmith", emissions=(file("operations.json", "langsmith"),)),
            Take(name="langsmith_spans", emissions=(spans("langsmith", "args_not_exact"),)),
            Take(name="openinference", emissions=(spans("openinference"),)),
            Take(name="openllmetry", emissions=(spans("genai openllmetry"),)),
        ),
    ),
    Producer(
        name="autogen",
        needs=("autogen-agentchat", "autogen-ext[openai]"),
        takes=(
            Take(name="team", emissions=_AUTOGEN),
            Take(name="team_streamed", emissions=_AUTOGEN),
        ),
    ),
    Producer(
        name="agent_framework",
        needs=("agent-framework-core",),
        takes=(
            Take(
                name="agent",
                emissions=(
                    file(
                        "messages.json",
                        "agent_framework",
                        "no_timestamps",
                        lost={**NO_SYSTEM, "task": "task_missing", **REDACTED},
                        grade=Grade.NEEDS_FIXTURES,
                    ),
                    spans("genai"),
                ),
            ),
        ),
    ),
    Producer(
        name="google_adk",
        needs=("google-adk",),
        takes=(
            Take(
                name="session",
                emissions=(
                    file("session.json", "google_adk", lost=NO_SYSTEM),
                    file("session_snake.json", "google_adk", lost=NO_SYSTEM),
                    spans(
                        "genai",
                        "calls_unasked",
                        lost={
                            **NO_SYSTEM,
                            "task": "task_missing",
                            "args": "args_missing",
                            "result": "results_not_captured",
                            "claim": "content_off",
                        },
                        grade=Grade.SKELETON,
                    ),
                ),
            ),
            Take(name="latest", emissions=(spans("genai"),), environment=LATEST),
        ),
    ),
    Producer(
        name="crewai",
        needs=("crewai", "openinference-instrumentation-crewai"),
        takes=(
            Take(
                name="tools",
                emissions=(
                    file("events.json", "crewai", "pairing_uncertain"),
                    spans(
                        "openinference",
                        "call_ids_synthesised",
                        "no_model_reply",
                        lost={**NO_SYSTEM, "order": "calls_unasked"},
                        grade=Grade.SKELETON,
                    ),
                ),
            ),
            Take(
                name="texts",
                emissions=(
                    file(
                        "events.json",
                        "crewai",
                        "call_ids_synthesised",
                        lost={
                            "order": "calls_written_as_text",
                            "result 2": NOT_PLAYED,  # the third call stands in its place
                            "mark 2": "hidden_retry_possible",
                            "args 3": NOT_PLAYED,
                        },
                        grade=Grade.NEEDS_FIXTURES,
                    ),
                    spans(
                        "openinference",
                        "no_model_reply",
                        lost={**NO_SYSTEM, **dict.fromkeys(_CALLS, "calls_not_traced")},
                        grade=Grade.SKELETON,
                    ),
                ),
            ),
        ),
    ),
    Producer(
        name="inspect",
        needs=("inspect-ai",),
        takes=(
            Take(name="eval", emissions=(file("log.eval", "inspect"),)),
            Take(name="json", emissions=(file("log.json", "inspect"),)),
        ),
    ),
)
