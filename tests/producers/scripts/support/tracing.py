"""Spans and log records through OpenTelemetry's own exporter, to where the environment says."""

from __future__ import annotations

import atexit

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

__all__ = ["logger_provider", "tracer_provider"]


def tracer_provider() -> TracerProvider:
    """Return the process's provider, made anew; what is left is exported at the end."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    atexit.register(provider.shutdown)
    return provider


def logger_provider() -> LoggerProvider:
    """Return a provider of log records, which keep messages where spans do not."""
    provider = LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    atexit.register(provider.shutdown)
    return provider
