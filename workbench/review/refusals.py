"""Why `workbench collect` refuses a request: what it answers, and what a person can do about it.

Only the client sees an answer, and most exporters log no more than its status, so the receiver
says the first refusal of each kind where a person looks. Nothing here quotes a request.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LIMIT_BYTES", "Refusal", "has_fix", "refusals_in_words", "render_refusal", "status_of"]

LIMIT_BYTES: Final = 20 << 20
"""Of a body, as it is sent and unpacked; the limit of the OpenTelemetry collector."""


class Refusal(StrEnum):
    """Why a request was not stored."""

    FOREIGN = "foreign"
    PATH = "path"
    METHOD = "method"
    MEDIA_TYPE = "media_type"
    ENCODING = "encoding"
    NO_LENGTH = "no_length"
    TOO_LARGE = "too_large"
    SLOW = "slow"
    DAMAGED = "damaged"
    NO_OTLP = "no_otlp"
    NO_HTTP = "no_http"
    BUSY = "busy"
    STOPPING = "stopping"
    STORE_FAILED = "store_failed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    status: int
    reason: str
    """Goes on after `refused for`."""
    fix: str | None = None
    """None: it is said elsewhere, or nobody can do anything."""


_KINDS: Final = {
    Refusal.FOREIGN: _Kind(
        status=403,
        reason="coming from a web page or under another host name",
        fix="send from a program of this machine, to http://127.0.0.1 and the port; no page can",
    ),
    Refusal.PATH: _Kind(
        status=404,
        reason="another path than /v1/traces and /v1/logs",
        fix="give OTEL_EXPORTER_OTLP_ENDPOINT without a path; OTEL_METRICS_EXPORTER=none ends metrics",
    ),
    Refusal.METHOD: _Kind(
        status=405,
        reason="another method than POST",
        fix="let an OTLP exporter send; a browser finds nothing to show here",
    ),
    Refusal.MEDIA_TYPE: _Kind(
        status=415,
        reason="a Content-Type that is neither protobuf nor JSON",
        fix="set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    ),
    Refusal.ENCODING: _Kind(
        status=415,
        reason="a Content-Encoding that is not gzip",
        fix="set OTEL_EXPORTER_OTLP_COMPRESSION=gzip, or none",
    ),
    Refusal.NO_LENGTH: _Kind(
        status=411,
        reason="no Content-Length",
        fix="send the length of the body, or the body in chunks",
    ),
    Refusal.TOO_LARGE: _Kind(
        status=413,
        reason=f"a body of more than {LIMIT_BYTES >> 20} MiB",
        fix="send fewer spans at once, as OTEL_BSP_MAX_EXPORT_BATCH_SIZE=64 does",
    ),
    Refusal.SLOW: _Kind(
        status=408,
        reason="a request that was not here in time",
        fix="see what holds the sender up, a debugger or a proxy; a request has two minutes",
    ),
    Refusal.DAMAGED: _Kind(
        status=400,
        reason="a body that ended early or could not be unpacked",
        fix="see whether the sender was ended, or a proxy stands between; then send it again",
    ),
    Refusal.NO_OTLP: _Kind(
        status=400,
        reason="a body that is no OTLP of spans or log records",
        fix="send ExportTraceServiceRequest or ExportLogsServiceRequest; `workbench ingest` reads files",
    ),
    Refusal.NO_HTTP: _Kind(
        status=400,
        reason="bytes that are no HTTP/1.1",
        fix="set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and an address with http://, not gRPC or TLS",
    ),
    Refusal.BUSY: _Kind(
        status=429,
        reason="too much that waits to be stored",
        fix="wait: exporters send again; give more room with --queue if it comes often",
    ),
    Refusal.STOPPING: _Kind(status=503, reason="coming while the receiver ended"),
    Refusal.STORE_FAILED: _Kind(status=503, reason="a store that failed"),
    Refusal.FAILED: _Kind(status=500, reason="a fault of the workbench"),
}


def status_of(refusal: Refusal) -> int:
    """Return the HTTP status of the answer."""
    return _KINDS[refusal].status


def has_fix(refusal: Refusal) -> bool:
    """Whether a person can do something about it that nobody else has said."""
    return _KINDS[refusal].fix is not None


def render_refusal(refusal: Refusal) -> str:
    """Say a refusal, the first of its kind, with what to do."""
    kind = _KINDS[refusal]
    said = f"a request was refused for {kind.reason} ({kind.status}); more of them are counted"
    return said if kind.fix is None else f"{said}\n  Fix: {kind.fix}"


def refusals_in_words(refusals: Mapping[Refusal, int]) -> str:
    """Say how many requests were refused and why, the most frequent reason first.

    >>> refusals_in_words({Refusal.METHOD: 1, Refusal.NO_LENGTH: 2})
    '3 refused: 2 for no Content-Length (411), 1 for another method than POST (405)'
    """
    most = sorted(refusals.items(), key=lambda item: (-item[1], item[0]))
    reasons = (f"{n} for {_KINDS[kind].reason} ({_KINDS[kind].status})" for kind, n in most)
    return f"{sum(refusals.values())} refused: {', '.join(reasons)}"
