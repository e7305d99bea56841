"""The real OpenTelemetry SDK and its OTLP/HTTP exporter send to `workbench collect`."""

from __future__ import annotations

import json
import logging
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from tests.ingest.samples import kinds
from tests.review.test_receiver import collecting, stored
from workbench.model.event import ToolResult, UserMessage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.desk

ASKED = [{"role": "user", "parts": [{"type": "text", "content": "Has the refund gone through?"}]}]
CALL = {"type": "tool_call", "id": "c1", "name": "get_operation", "arguments": {"id": "op_1"}}
ANSWER = {"type": "tool_call_response", "id": "c1", "response": "pending"}
DONE = {"role": "assistant", "parts": [{"type": "text", "content": "It has completed."}]}


@contextmanager
def tracing(port: int, compression: Compression) -> Iterator[Any]:
    """A tracer whose spans go to the receiver; the end flushes them."""
    exporter = OTLPSpanExporter(
        endpoint=f"http://127.0.0.1:{port}/v1/traces", compression=compression, timeout=10
    )
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=50))
    try:
        yield provider.get_tracer("demo")
    finally:
        provider.shutdown()


def chat(tracer: Any, history: list[Any], reply: Any) -> None:  # noqa: ANN401
    """One request to a model, as an instrumentation records it."""
    with tracer.start_as_current_span("chat demo-model") as span:
        span.set_attribute("gen_ai.operation.name", "chat")
        span.set_attribute("gen_ai.request.model", "demo-model")
        span.set_attribute("gen_ai.input.messages", json.dumps(history))
        span.set_attribute("gen_ai.output.messages", json.dumps([reply]))


def a_run(tracer: Any) -> str:  # noqa: ANN401
    """Record a run with one tool call; return its trace id."""
    asked = {"role": "assistant", "parts": [CALL]}
    with tracer.start_as_current_span("invoke_agent billing") as root:
        chat(tracer, ASKED, asked)
        with tracer.start_as_current_span("execute_tool get_operation") as span:
            span.set_attribute("gen_ai.operation.name", "execute_tool")
            span.set_attribute("gen_ai.tool.name", "get_operation")
            span.set_attribute("gen_ai.tool.call.id", "c1")
        chat(tracer, [*ASKED, asked, {"role": "tool", "parts": [ANSWER]}], DONE)
    return f"{root.get_span_context().trace_id:032x}"


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip])
def test_what_the_sdk_exports_is_a_run(tmp_path: Path, compression: Compression) -> None:
    """From the agent's process into the store, with nothing between."""
    with (
        collecting(tmp_path, limit_bytes=64 << 20) as client,
        tracing(client.port, compression) as tracer,
    ):
        trace_id = a_run(tracer)

    trace = stored(tmp_path)[trace_id]
    (result,) = [event for event in trace.events if isinstance(event, ToolResult)]
    (task,) = [event for event in trace.events if isinstance(event, UserMessage)]
    assert kinds(trace)[-1] == "claim"
    assert result.result_raw == "pending"
    assert result.latency_ms is not None
    assert task.text == "Has the refund gone through?"


def test_an_exporter_that_is_told_to_wait_sends_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Back-pressure costs time and no span."""
    caplog.set_level(logging.CRITICAL, logger="opentelemetry")
    with (
        collecting(tmp_path, limit_bytes=1000) as client,
        tracing(client.port, Compression.NoCompression) as tracer,
    ):
        assert client.collector.reserve(999, held=0) is None
        trace_id = a_run(tracer)
        deadline = time.monotonic() + 10
        while not client.collector.tally.refused and time.monotonic() < deadline:
            time.sleep(0.01)
        client.collector.release(999)

    assert trace_id in stored(tmp_path)
    assert client.collector.tally.refused >= 1
