"""Agents on real clients and frameworks, each run by `make clients` in an environment of its own."""

from __future__ import annotations
