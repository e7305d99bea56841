"""Agents for the tests of a run."""

from __future__ import annotations

from tests.replay.agents import crashes, hangs, live_tool, loop
from workbench.replay.agent import Answer

__all__ = ["crashes", "hangs", "live_tool", "loop"]


def careful(task, tools, model):
    """Claim nothing that was not read back."""
    text = loop(task, tools, model)
    return text if "could not" in text else Answer("I do not know yet.", "unresolved")


def reads_back(task, tools, model):
    """Read every operation back, whatever the model says."""
    text = loop(task, tools, model)
    tools.call("billing.get_operation", operation_id="op_1")
    return Answer(text, "unresolved")


def other_account(task, tools, model):
    """Write something that nobody recorded."""
    tools.call("billing.pause", account_id="ACC-1", idempotency_key="k")
    return "Your plan is paused."


def interrupts(task, tools, model):
    """Say something; the run is interrupted meanwhile."""
    return "hm"


def retries_until_green(task, tools, model):
    """Do the whole task again until the answer sounds careful."""
    text = loop(task, tools, model)
    while "could not" not in text:
        text = loop(task, tools, model)
    return text
