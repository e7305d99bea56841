"""Real clients of model APIs against the gateway."""

from __future__ import annotations
