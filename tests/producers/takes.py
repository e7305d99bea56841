"""The producers, and what is locked with each of them."""

from __future__ import annotations

from typing import Final

from tests.producers.agents_sdk import AGENTS_SDK
from tests.producers.clients import CLIENTS
from tests.producers.frameworks import FRAMEWORKS

__all__ = ["EXPORTER", "PRODUCERS"]

EXPORTER: Final = ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http")
"""What carries spans to us; locked with every producer."""

PRODUCERS: Final = (*FRAMEWORKS, *AGENTS_SDK, *CLIENTS)
