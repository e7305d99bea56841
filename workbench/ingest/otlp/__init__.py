"""OpenTelemetry: spans and log records of agents, in OTLP (JSON, protobuf) or as the SDKs print them.

One module reads values as OTLP writes them, one puts the spans of a run in order, and each dialect of attributes
has a module of its own.
"""

from __future__ import annotations

__all__: list[str] = []
