"""The producers, their takes, and what each emission is expected to be read as."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.corpus.generated import Row
from tests.producers.judging import COLLECTED, Emission
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EXPORTER", "PRODUCERS", "Producer", "Take"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """One run of the scenario in a process of its own."""

    name: str
    """Of the take in the producer's script."""
    emissions: tuple[Emission, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Producer:
    """One environment, and the script that is played in it."""

    name: str
    """Of the environment and of its lock."""
    needs: tuple[str, ...]
    """What is locked beside the exporter; shown with versions."""
    takes: tuple[Take, ...]
    script: str = ""
    """Module of `tests.producers.scripts`; empty: the name."""


EXPORTER: Final = ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http")
"""What carries spans to us; locked with every producer."""


def _file(
    name: str,
    format: str,  # noqa: A002  as everywhere
    *also: str,
    lost: Mapping[str, str] | None = None,
    grade: Grade = Grade.REPLAYABLE,
    decisions: tuple[str, ...] = (),
) -> Emission:
    """Expect a file of this format, with these losses beside those of facets."""
    row = Row(file=name, format=format, grade=grade, lost=dict(lost or {}), also=frozenset(also))
    return Emission(row=row, decisions=decisions)


def _spans(
    dialect: str,
    *also: str,
    lost: Mapping[str, str] | None = None,
    grade: Grade = Grade.REPLAYABLE,
    silent: tuple[str, ...] = (),
    runs: int = 1,
) -> Emission:
    """Expect that spans of these dialects, separated by blanks, came to `workbench collect`."""
    row = Row(
        file=COLLECTED,
        format="otlp",
        grade=grade,
        lost=dict(lost or {}),
        also=frozenset(also),
        runs=runs,
    )
    return Emission(row=row, dialects=frozenset(dialect.split()), silent=frozenset(silent))


_PYDANTIC = (_file("messages.json", "pydantic_ai"), _spans("pydantic_ai"))
_REDACTED = {"result 2": "errors_redacted"}
"""The SDK's text for every error stands for what the tool said."""
_ITEMS = (
    _file(
        "items.json",
        "openai_responses",
        "no_timestamps",
        "results_as_literal",
        lost={"system": "system_missing", "mark 2": "errors_redacted", **_REDACTED},
        grade=Grade.NEEDS_FIXTURES,
    ),
    _file(
        "state.json",
        "agents_run_state",
        "no_timestamps",
        "results_as_literal",
        lost={"system": "system_missing", "mark 2": "errors_redacted", **_REDACTED},
        grade=Grade.NEEDS_FIXTURES,
    ),
)
_RESPONSES = (
    *(
        _file(
            name,
            "agents_spans",
            "call_ids_synthesised",
            "results_as_literal",
            lost={
                "system": "system_missing",
                "task": "task_missing",
                "claim": "responses_without_content",
                **_REDACTED,
            },
            grade=Grade.NEEDS_FIXTURES,
        )
        for name in ("spans.jsonl", "batch.json")
    ),
    *_ITEMS,
)
"""A span of a response holds its id and its usage, and nothing that was said."""
_CHAT = (
    *(
        _file(
            name, "agents_spans", "results_as_literal", lost=_REDACTED, grade=Grade.NEEDS_FIXTURES
        )
        for name in ("spans.jsonl", "batch.json")
    ),
    *_ITEMS,
)
_NO_SYSTEM = {"system": "system_missing"}
"""The system text goes to the model and nowhere else."""
_AUTOGEN = (
    _file("run_stream.jsonl", "autogen_stream", "results_as_literal", lost=_NO_SYSTEM),
    _file("result.json", "autogen_stream", "results_as_literal", lost=_NO_SYSTEM),
    _file("team_state.json", "autogen_state", "results_as_literal", lost=_NO_SYSTEM),
    _file(
        "event_log.json",
        "autogen_log",
        "failed_calls_not_logged",
        "messages_not_serialized",
        "results_as_literal",
        lost=_NO_SYSTEM,
    ),
    _spans(
        "genai",
        "results_as_literal",
        "traces_joined",
        lost=_NO_SYSTEM,
        silent=("autogen",),
        runs=2,
    ),
)
"""14 traces: 13 of one team, joined, and one that only makes an agent."""
_WAYS = ("chat", "chat_streamed", "responses", "responses_streamed")
_CLIENT = ("billing-run",)

PRODUCERS: Final = (
    Producer(
        name="pydantic_ai",
        needs=("pydantic-ai-slim[openai]",),
        takes=tuple(
            Take(name=name, emissions=_PYDANTIC)
            for name in (
                "spans_2",
                "spans_3",
                "spans_4",
                "spans_5",
                "streamed",
                "approved",
                "denied",
            )
        ),
    ),
    Producer(
        name="openai_agents",
        needs=(
            "openai-agents",
            "openinference-instrumentation-openai-agents",
            "opentelemetry-instrumentation-openai-agents",
        ),
        takes=(
            Take(name="responses", emissions=_RESPONSES),
            Take(name="responses_streamed", emissions=_RESPONSES),
            Take(name="chat", emissions=_CHAT),
            Take(
                name="approved",
                emissions=(
                    _file("asking.json", "agents_run_state"),
                    _file("state.json", "agents_run_state"),
                ),
            ),
            Take(
                name="denied",
                emissions=(_file("state.json", "agents_run_state"),),
            ),
            Take(name="openinference", emissions=(_spans("openinference"),)),
            Take(name="openllmetry", emissions=(_spans("openllmetry"),)),
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
                emissions=(
                    _file("messages_to_dict.json", "langchain"),
                    _file("dumpd.json", "langchain"),
                    _file("model_dump.json", "langchain"),
                ),
            ),
            Take(name="events", emissions=(_file("events.jsonl", "langchain_events"),)),
            Take(name="events_streamed", emissions=(_file("events.jsonl", "langchain_events"),)),
            Take(name="approved", emissions=(_file("messages_to_dict.json", "langchain"),)),
            Take(name="rejected", emissions=(_file("messages_to_dict.json", "langchain"),)),
            Take(name="langsmith", emissions=(_file("operations.json", "langsmith"),)),
            Take(name="langsmith_spans", emissions=(_spans("genai"),)),
            Take(name="openinference", emissions=(_spans("openinference"),)),
            Take(name="openllmetry", emissions=(_spans("openllmetry"),)),
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
        name="openai",
        needs=(
            "openai",
            "httpx",  # the instrumentation behind the next needs it and does not say so
            "opentelemetry-instrumentation-openai",
            "opentelemetry-instrumentation-openai-v2",
            "openinference-instrumentation-openai",
        ),
        takes=(
            *(
                Take(name=f"openllmetry_{way}", emissions=(_spans("genai", silent=_CLIENT),))
                for way in _WAYS
            ),
            *(
                Take(
                    name=f"openinference_{way}",
                    emissions=(_spans("openinference", silent=_CLIENT),),
                )
                for way in _WAYS
            ),
            *(
                Take(
                    name=f"opentelemetry_{way}",
                    emissions=(_spans("genai", silent=_CLIENT),),
                    environment={
                        "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
                        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
                    },
                )
                for way in _WAYS[:2]
            ),
            Take(
                name="opentelemetry_events",
                emissions=(_spans("genai", silent=_CLIENT),),
                environment={"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"},
            ),
            Take(
                name="opentelemetry_events_off",
                emissions=(_spans("genai", silent=_CLIENT),),
            ),
        ),
    ),
    Producer(
        name="anthropic",
        needs=(
            "anthropic",
            "opentelemetry-instrumentation-anthropic",
            "openinference-instrumentation-anthropic",
        ),
        takes=(
            *(
                Take(name=name, emissions=(_spans(dialect, silent=_CLIENT),))
                for dialect, names in (
                    ("genai", ("openllmetry", "openllmetry_streamed")),
                    ("openinference", ("openinference", "openinference_streamed")),
                )
                for name in names
            ),
        ),
    ),
    Producer(
        name="agent_framework",
        needs=("agent-framework-core",),
        takes=(
            Take(
                name="agent",
                emissions=(_file("messages.json", "agent_framework"), _spans("genai")),
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
                    _file("session.json", "google_adk"),
                    _file("session_snake.json", "google_adk"),
                    _spans("genai"),
                ),
            ),
        ),
    ),
    Producer(
        name="crewai",
        needs=("crewai", "openinference-instrumentation-crewai"),
        takes=(
            Take(
                name="tools",
                emissions=(_file("events.json", "crewai"), _spans("openinference")),
            ),
            Take(
                name="texts",
                emissions=(_file("events.json", "crewai"), _spans("openinference")),
            ),
        ),
    ),
    Producer(
        name="inspect",
        needs=("inspect-ai",),
        takes=(
            Take(name="eval", emissions=(_file("log.eval", "inspect"),)),
            Take(name="json", emissions=(_file("log.json", "inspect"),)),
        ),
    ),
)
