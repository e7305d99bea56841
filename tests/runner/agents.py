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


def careful_once(task, tools, model):
    """Look up for the first message only."""
    return loop(task, tools, model) if len(task.messages) == 1 else Answer("Hm.", "unresolved")


def denies_writes(task, tools, model):
    """Carry out what only reads; a policy of its own stops the rest and says so."""
    messages = list(task.messages)
    while (reply := model.complete(messages)).tool_calls:
        for call in reply.tool_calls:
            if call.name == "billing.pause":
                tools.report(permission={"decision": "denied", "tool": call.name})
                content = {"error": "denied by policy"}
            else:
                content = tools.call_with(call.name, call.args)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return Answer("I may not do that.", "failure")
