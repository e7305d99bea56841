"""Real producers, each in an environment of its own, and what we read of what they emit."""

from __future__ import annotations
