"""The tools that the agents of the documentation bring along, one module a framework."""

from __future__ import annotations
