"""The agent of the incident: it does whatever the model asks and says whatever the model says.

Run it against a case with `workbench run CASE --agent python:workbench.demo.broken_agent:agent`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.replay.agent import ToolError

if TYPE_CHECKING:
    from workbench.replay.agent import Model, Task, ToolRequest, Tools

__all__ = ["agent"]


def agent(task: Task, tools: Tools, model: Model) -> str:
    """Answer one message of a customer."""
    messages: list[dict[str, Any]] = list(task.messages)
    while (reply := model.complete(messages)).tool_calls:
        if reply.text:
            tools.claim(reply.text)
        calls = [{"id": c.id, "name": c.name, "args": c.args} for c in reply.tool_calls]
        messages.append({"role": "assistant", "content": reply.text, "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": carry_out(call, tools)}
            for call in reply.tool_calls
        ]
    return reply.text


def carry_out(call: ToolRequest, tools: Tools) -> Any:  # noqa: ANN401  any JSON
    """Call a tool as asked and return what the model shall see."""
    try:
        return tools.call_with(call.name, call.args)
    except ToolError as failed:
        return {"error": failed.error, "outcome": failed.outcome, "detail": failed.detail}
