"""The scenario, the scripted model and the exporter, with nothing but the standard library and OTel."""

from __future__ import annotations
