"""OTLP as protobuf says the same as its JSON, and damaged bytes are refused."""

from __future__ import annotations

import base64
import gzip
from typing import TYPE_CHECKING, Any

import pytest
from google.protobuf import json_format
from opentelemetry.proto.logs.v1 import logs_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

from tests.ingest.otlp.spans import (
    TRACE,
    a_billing_run,
    a_document,
    a_log,
    run_of,
    trace_of,
)
from tests.ingest.samples import kinds, lost, write_file
from workbench.errors import TraceFormatError
from workbench.ingest.files.otlp_protobuf import is_otlp
from workbench.ingest.files.source import pieces_in
from workbench.ingest.joined import whole_of
from workbench.ingest.reader import ingest_traces, read_source

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap

pytestmark = pytest.mark.desk
_IDS = ("traceId", "spanId", "parentSpanId")


def with_base64(node: Json) -> Any:  # noqa: ANN401  the library's own dictionaries
    """Write ids as protobuf's own JSON does."""
    match node:
        case dict():
            return {
                key: base64.b64encode(bytes.fromhex(value)).decode()
                if key in _IDS and isinstance(value, str)
                else with_base64(value)
                for key, value in node.items()
            }
        case list():
            return [with_base64(item) for item in node]
        case _:
            return node


def a_message(document: JsonMap) -> bytes:
    """Write a document of spans or of log records as protobuf."""
    kind = trace_pb2.TracesData if "resourceSpans" in document else logs_pb2.LogsData
    data: bytes = json_format.ParseDict(with_base64(document), kind()).SerializeToString()
    return data


def framed(*messages: bytes) -> bytes:
    """Put its length before each message, as the collector's file exporter does."""
    return b"".join(len(one).to_bytes(4, "big") + one for one in messages)


@pytest.mark.parametrize("form", ["plain", "framed", "gzip"])
def test_protobuf_says_what_json_says(tmp_path: Path, form: str) -> None:
    """One decoder before one reader."""
    expected = trace_of(run_of(tmp_path, *a_billing_run()))
    messages = [
        a_message(a_document(*a_billing_run()[:2])),
        a_message(a_document(*a_billing_run()[2:])),
    ]
    data = {"plain": b"".join(messages), "framed": framed(*messages)}.get(form) or gzip.compress(
        messages[0] + messages[1]
    )

    (run,) = read_source(write_file(tmp_path / "spans.bin", data))

    trace = trace_of(run)
    assert [(e.kind, e.at) for e in trace.events] == [(e.kind, e.at) for e in expected.events]
    assert trace.versions == expected.versions
    assert run.cuts == (0,)


def test_what_is_kept_of_a_run_is_protobuf_again(tmp_path: Path) -> None:
    """Messages behind each other are one message, so the run can be read from its bytes."""
    data = a_message(a_document(*a_billing_run()))
    (run,) = read_source(write_file(tmp_path / "a.bin", data))

    (again,) = read_source(write_file(tmp_path / "b.bin", run.raw))

    assert again.raw == run.raw
    assert again.run_id == TRACE
    assert kinds(trace_of(again)) == kinds(trace_of(run))


def test_log_records_are_read_too(tmp_path: Path) -> None:
    """Their outer form is that of spans; their items tell them apart."""
    log = a_log("gen_ai.choice", {"message": {"content": "Paused."}}, span=2)

    (run,) = read_source(write_file(tmp_path / "a.bin", a_message(a_document(logs=(log,)))))

    assert kinds(trace_of(run)) == ["model_request", "model_reply", "claim"]


def test_late_spans_may_come_in_the_other_encoding(tmp_path: Path) -> None:
    """The run's record is then JSON throughout; nothing of it is lost."""
    spans = a_billing_run()
    first = write_file(tmp_path / "a.bin", a_message(a_document(*spans[:2])))
    run = run_of(tmp_path, *spans[2:])
    second = tmp_path / "spans.json"

    ((trace, losses),) = ingest_traces([first, second])

    assert run.run_id == trace.run_id
    assert kinds(trace) == kinds(trace_of(run_of(tmp_path, *spans)))
    assert lost(losses)["records_joined"] == 2


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (framed(a_message(a_document(*a_billing_run())))[:-3], "ends after the file"),
        (a_message(a_document(*a_billing_run()))[:-3], "is no OTLP message"),
        (b"\x0a\x04\x0a\x02\x08\x01" + b"\xff" * 20, "is no OTLP message"),
        (framed(b"") + b"\x0a\x02\x0a\x00", "ends after the file"),
    ],
)
def test_damaged_bytes_are_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    """Half a file is never stored; one line says what it is."""
    with pytest.raises(TraceFormatError) as error:
        list(read_source(write_file(tmp_path / "a.bin", data)))

    assert str(error.value).startswith("a.bin: ")
    assert reason in str(error.value)


@pytest.mark.parametrize(
    "text", [b"\n\n\n[1]", b'\n{"a": 1}', b"", b"\n", b"\0\0\0\0", b"\n\x85", b"{}", b"\n \n\n{}"]
)
def test_text_is_not_taken_for_protobuf(text: bytes) -> None:
    """A line break is also the first byte of a message."""
    assert not is_otlp(text)


def test_spans_and_log_records_of_one_run_can_be_read_again(tmp_path: Path) -> None:
    """Behind one another in protobuf they would be one damaged message."""
    said = a_log("gen_ai.user.message", {"content": "And then?"}, span=2)
    messages = (a_message(a_document(*a_billing_run())), a_message(a_document(logs=(said,))))
    (run,) = read_source(write_file(tmp_path / "both.binpb", framed(*messages)))

    again = whole_of("otlp", run.raw)

    assert again is not None
    assert trace_of(again).events == trace_of(run).events
    assert len(list(pieces_in(run.raw))) == len(a_billing_run()) + 1
