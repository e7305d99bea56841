"""The producers, their takes, and what each emission is expected to be read as."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.corpus.generated import Row
from tests.producers.judging import COLLECTED, NOT_PLAYED, Emission
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
    fault: str = "",
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
    return Emission(
        row=row, dialects=frozenset(dialect.split()), silent=frozenset(silent), fault=fault
    )


_PYDANTIC = (_file("messages.json", "pydantic_ai"), _spans("pydantic_ai"))
_REDACTED = {"result 2": "errors_redacted"}
"""The SDK's text for every error stands for what the tool said."""
_STATE = {"system": "system_missing", "mark 2": "errors_redacted", **_REDACTED}
_ITEMS = tuple(
    _file(
        name,
        read_as,
        "no_timestamps",
        "results_as_literal",
        lost=_STATE,
        grade=Grade.NEEDS_FIXTURES,
    )
    for name, read_as in (("items.json", "openai_responses"), ("state.json", "agents_run_state"))
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
_REFUSED = {"result 2": NOT_PLAYED, "mark": NOT_PLAYED, "result 3": NOT_PLAYED}
_APPROVALS = (
    Take(
        name="approved",
        emissions=(
            _file(
                "asking.json",
                "agents_run_state",
                "no_timestamps",
                "results_as_literal",
                lost={
                    **_NO_SYSTEM,
                    "result 2": "results_missing",
                    **dict.fromkeys(("mark", "call 3", "args 3", "result 3", "claim"), NOT_PLAYED),
                },
                grade=Grade.NEEDS_FIXTURES,
                decisions=("asked",),
            ),
            _file(
                "state.json",
                "agents_run_state",
                "no_timestamps",
                "results_as_literal",
                lost=_STATE,
                grade=Grade.NEEDS_FIXTURES,
                decisions=("asked", "granted") * 2,
            ),
        ),
    ),
    Take(
        name="denied",
        emissions=(
            _file(
                "state.json",
                "agents_run_state",
                "no_timestamps",
                "results_as_literal",
                lost={**_NO_SYSTEM, **_REFUSED},
                decisions=("asked", "denied") * 2,
            ),
        ),
    ),
)
_WAYS = ("chat", "chat_streamed", "responses", "responses_streamed")
_CLIENT = ("billing-run",)
"""Spans of the application itself."""
_UNTRACED = {"mark": "tool_spans_missing"}
"""Clients trace no tools: results come from the next request, without marks of errors."""
_LATEST = {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
}
_CALLS = ("call", "args", "result", "mark")

PRODUCERS: Final = (
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
                    _file("messages.json", "pydantic_ai"),
                    _spans("pydantic_ai", lost=_UNTRACED, runs=3),
                ),
            ),
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
            *_APPROVALS,
            Take(
                name="openinference",
                emissions=(
                    _spans(
                        "openinference",
                        "results_as_literal",
                        lost={**_NO_SYSTEM, **_REDACTED},
                        grade=Grade.NEEDS_FIXTURES,
                    ),
                ),
            ),
            Take(
                name="openllmetry",
                emissions=(
                    _spans(
                        "genai openllmetry",
                        fault="ids of calls in a request are not those of the reply, and calls of "
                        "one turn are replies of their own: calls are told more than once",
                    ),
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
                    _file(name, "langchain", "no_timestamps", lost=_NO_SYSTEM)
                    for name in ("messages_to_dict.json", "dumpd.json", "model_dump.json")
                ),
            ),
            *(
                Take(
                    name=name,
                    emissions=(_file("events.jsonl", "langchain_events", "no_timestamps"),),
                )
                for name in ("events", "events_streamed")
            ),
            *(
                Take(
                    name=name,
                    emissions=(
                        _file(
                            "messages_to_dict.json",
                            "langchain",
                            "no_timestamps",
                            lost={**_NO_SYSTEM, **played},
                        ),
                    ),
                )
                for name, played in (("approved", {}), ("rejected", _REFUSED))
            ),
            Take(name="langsmith", emissions=(_file("operations.json", "langsmith"),)),
            Take(name="langsmith_spans", emissions=(_spans("langsmith", "args_not_exact"),)),
            Take(name="openinference", emissions=(_spans("openinference"),)),
            Take(name="openllmetry", emissions=(_spans("genai openllmetry"),)),
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
            "opentelemetry-instrumentation-openai",
            "openinference-instrumentation-openai",
        ),
        takes=(
            *(
                Take(
                    name=f"{name}_{way}",
                    emissions=(_spans(dialect, lost=_UNTRACED, silent=_CLIENT),),
                )
                for name, dialect, ways in (
                    ("openllmetry", "genai", _WAYS[:2]),
                    ("openinference", "openinference", _WAYS),
                )
                for way in ways
            ),
            Take(
                name="openllmetry_responses",
                emissions=(_spans("genai", "pairing_uncertain", lost=_UNTRACED, silent=_CLIENT),),
            ),
            Take(
                name="openllmetry_responses_streamed",
                emissions=(
                    _spans(
                        "genai",
                        "pairing_uncertain",
                        lost=_UNTRACED,
                        silent=_CLIENT,
                        fault="the last text of a streamed response is missing, and no loss says so",
                    ),
                ),
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
        takes=tuple(
            Take(
                name=f"{name}{way}",
                emissions=(_spans(dialect, lost=_UNTRACED, silent=_CLIENT),),
            )
            for name, dialect in (
                ("openllmetry", "genai"),
                ("openinference", "genai openinference"),  # the client writes spans of its own
            )
            for way in ("", "_streamed")
        ),
    ),
    Producer(
        name="agent_framework",
        needs=("agent-framework-core",),
        takes=(
            Take(
                name="agent",
                emissions=(
                    _file(
                        "messages.json",
                        "agent_framework",
                        "no_timestamps",
                        lost={**_NO_SYSTEM, "task": "task_missing", **_REDACTED},
                        grade=Grade.NEEDS_FIXTURES,
                    ),
                    _spans("genai"),
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
                    _file("session.json", "google_adk", lost=_NO_SYSTEM),
                    _file("session_snake.json", "google_adk", lost=_NO_SYSTEM),
                    _spans(
                        "genai",
                        "calls_unasked",
                        lost={
                            **_NO_SYSTEM,
                            "task": "task_missing",
                            "args": "args_missing",
                            "result": "results_not_captured",
                            "claim": "content_off",
                        },
                        grade=Grade.SKELETON,
                    ),
                ),
            ),
            Take(name="latest", emissions=(_spans("genai"),), environment=_LATEST),
        ),
    ),
    Producer(
        name="crewai",
        needs=("crewai", "openinference-instrumentation-crewai"),
        takes=(
            Take(
                name="tools",
                emissions=(
                    _file("events.json", "crewai", "pairing_uncertain"),
                    _spans(
                        "openinference",
                        "call_ids_synthesised",
                        "no_model_reply",
                        lost={**_NO_SYSTEM, "order": "calls_unasked"},
                        grade=Grade.SKELETON,
                    ),
                ),
            ),
            Take(
                name="texts",
                emissions=(
                    _file(
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
                    _spans(
                        "openinference",
                        "no_model_reply",
                        lost={**_NO_SYSTEM, **dict.fromkeys(_CALLS, "calls_not_traced")},
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
            Take(name="eval", emissions=(_file("log.eval", "inspect"),)),
            Take(name="json", emissions=(_file("log.json", "inspect"),)),
        ),
    ),
)
