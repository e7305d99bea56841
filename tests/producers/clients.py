"""Loops on providers' own clients, under instrumentations."""

from __future__ import annotations

from typing import Final

from tests.producers.expected import LATEST, UNTRACED, Producer, Take, spans
from workbench.model.trace import Grade

__all__ = ["CLIENTS"]

_WAYS = ("chat", "chat_streamed", "responses", "responses_streamed")
_CLIENT = ("billing-run",)
"""Spans of the application itself."""

CLIENTS: Final = (
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
                    emissions=(spans(dialect, lost=UNTRACED, silent=_CLIENT),),
                )
                for name, dialect, ways in (
                    ("openllmetry", "genai", _WAYS[:2]),
                    ("openinference", "openinference", _WAYS),
                )
                for way in ways
            ),
            Take(
                name="openllmetry_responses",
                emissions=(spans("genai", "pairing_uncertain", lost=UNTRACED, silent=_CLIENT),),
            ),
            Take(
                name="openllmetry_responses_streamed",
                emissions=(
                    spans(
                        "genai",
                        "pairing_uncertain",
                        lost={**UNTRACED, "claim": "replies_missing"},
                        grade=Grade.NEEDS_FIXTURES,
                        silent=_CLIENT,
                    ),
                ),
            ),
        ),
    ),
    Producer(
        name="openai_v2",
        script="openai",
        needs=(
            "openai",
            "opentelemetry-instrumentation-openai-v2",
            "opentelemetry-util-genai<1",  # from 1.0 on it lacks what openai-v2 2.4b0 imports
            "httpx<1",  # it imports it and does not ask for it
        ),
        takes=(
            *(
                Take(
                    name=f"opentelemetry_{way}",
                    emissions=(spans("genai", lost=UNTRACED, silent=_CLIENT),),
                    environment=LATEST,
                )
                for way in _WAYS[:2]
            ),
            Take(
                name="opentelemetry_events",
                emissions=(spans("genai", lost=UNTRACED, silent=_CLIENT),),
                environment={"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"},
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
                emissions=(spans(dialect, lost=UNTRACED, silent=_CLIENT),),
            )
            for name, dialect in (
                ("openllmetry", "genai"),
                ("openinference", "genai openinference"),  # the client writes spans of its own
            )
            for way in ("", "_streamed")
        ),
    ),
)
