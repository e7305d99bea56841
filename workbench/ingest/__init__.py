"""Importers: other people's records to traces, with a report of what was lost."""

from __future__ import annotations

from workbench.ingest.reader import ingest_traces

__all__ = ["ingest_traces"]
