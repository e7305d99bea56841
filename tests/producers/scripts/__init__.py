"""One module a producer; each function is a take: it plays the scenario and keeps what comes out."""

from __future__ import annotations
