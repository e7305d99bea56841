"""Agents for the tests of `workbench run`."""

from __future__ import annotations

from pathlib import Path

from tests.runner.agents import loop
from workbench.replay.agent import ToolError

__all__ = ["loop", "other_email", "other_write"]


def other_email(task, tools, model):
    """Look up somebody whom nobody recorded."""
    try:
        tools.call("customer.lookup", email="other@b.example")
    except ToolError:
        return "I do not know."
    return "Your plan is paused."


def other_write(task, tools, model):
    """Pause an account that nobody recorded; only a real tool would leave a file."""
    try:
        tools.call("billing.pause", account_id="ACC-1", idempotency_key="k")
    except ToolError:
        return "I do not know."
    Path("written.txt").write_text("paused")
    return "Your plan is paused."
