"""OpenAI's Agents SDK: what it saves itself, and two instrumentations of it."""

from __future__ import annotations

from typing import Final

from tests.producers.expected import NO_SYSTEM, REDACTED, REFUSED, Producer, Take, file, spans
from tests.producers.judging import NOT_PLAYED
from workbench.model.trace import Grade

__all__ = ["AGENTS_SDK"]


_STATE = {"system": "system_missing", "mark 2": "errors_redacted", **REDACTED}
_ITEMS = tuple(
    file(
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
        file(
            name,
            "agents_spans",
            "call_ids_synthesised",
            "results_as_literal",
            lost={
                "system": "system_missing",
                "task": "task_missing",
                "claim": "responses_without_content",
                **REDACTED,
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
        file(name, "agents_spans", "results_as_literal", lost=REDACTED, grade=Grade.NEEDS_FIXTURES)
        for name in ("spans.jsonl", "batch.json")
    ),
    *_ITEMS,
)
_APPROVALS = (
    Take(
        name="approved",
        emissions=(
            file(
                "asking.json",
                "agents_run_state",
                "no_timestamps",
                "results_as_literal",
                lost={
                    **NO_SYSTEM,
                    "result 2": "results_missing",
                    **dict.fromkeys(("mark", "call 3", "args 3", "result 3", "claim"), NOT_PLAYED),
                },
                grade=Grade.NEEDS_FIXTURES,
                decisions=("asked",),
            ),
            file(
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
            file(
                "state.json",
                "agents_run_state",
                "no_timestamps",
                "results_as_literal",
                lost={**NO_SYSTEM, **REFUSED},
                decisions=("asked", "denied") * 2,
            ),
        ),
    ),
)

AGENTS_SDK: Final = (
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
                    spans(
                        "openinference",
                        "results_as_literal",
                        lost={**NO_SYSTEM, **REDACTED},
                        grade=Grade.NEEDS_FIXTURES,
                    ),
                ),
            ),
            Take(
                name="openllmetry",
                emissions=(
                    spans(
                        "genai openllmetry",
                        "results_as_literal",
                        lost={**NO_SYSTEM, **REDACTED},
                        grade=Grade.NEEDS_FIXTURES,
                    ),
                ),
            ),
        ),
    ),
)
