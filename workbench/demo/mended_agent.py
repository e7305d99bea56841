"""The agent after the incident: two checks in code, whatever the model says.

* A pause with an account id that is none is refused before it is tried, and the refusal reported.
* While a pause is refused, or not read back as completed, the customer is told just that.

Run it against a case with `workbench run CASE --agent python:workbench.demo.mended_agent:agent`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workbench.replay.agent import Answer, ToolError

if TYPE_CHECKING:
    from workbench.replay.agent import Model, Task, ToolRequest, Tools

__all__ = ["agent"]

_ACCOUNT_ID: Final = re.compile(r"ACC-[0-9]{7}")
_PAUSE: Final = "billing.pause"
_READ_BACK: Final = "billing.get_operation"
_NOT_CONFIRMED: Final = (
    "I could not confirm that your plan is paused. A colleague will look at it and write to you."
)


@dataclass(slots=True)
class _Pause:
    """What is known of the pause in this conversation; mutable while it lasts."""

    refused: bool = False
    confirmed: bool = True
    """Nothing was asked for, or the last read-back says that it is done."""

    def note(self, tool: str, result: object) -> None:
        """Take in what a tool answered."""
        seen = result if isinstance(result, dict) else {}
        if tool == _PAUSE:
            self.confirmed = False
            self.refused = self.refused or seen.get("outcome") == "denied"
        elif tool == _READ_BACK:
            self.confirmed = seen.get("status") == "completed"


def agent(task: Task, tools: Tools, model: Model) -> str | Answer:
    """Answer one message of a customer."""
    messages: list[dict[str, Any]] = list(task.messages)
    pause = _Pause()
    while (reply := model.complete(messages)).tool_calls:
        if reply.text:
            tools.claim(reply.text)
        calls = [{"id": c.id, "name": c.name, "args": c.args} for c in reply.tool_calls]
        messages.append({"role": "assistant", "content": reply.text, "tool_calls": calls})
        for call in reply.tool_calls:
            content = carry_out(call, tools)
            pause.note(call.name, content)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return (
        Answer(_NOT_CONFIRMED, outcome="unresolved")
        if pause.refused or not pause.confirmed
        else reply.text
    )


def carry_out(call: ToolRequest, tools: Tools) -> Any:  # noqa: ANN401  any JSON
    """Call a tool unless its account id is damaged; return what the model shall see."""
    if call.name == _PAUSE and not is_account_id(call.args):
        tools.report(permission={"decision": "denied", "tool": _PAUSE, "actor": "code"})
        return {"error": {"type": "InvalidAccountId"}, "outcome": "denied"}
    try:
        return tools.call_with(call.name, call.args)
    except ToolError as failed:
        return {"error": failed.error, "outcome": failed.outcome, "detail": failed.detail}


def is_account_id(args: object) -> bool:
    """Whether the arguments name an account as the billing system writes it.

    >>> is_account_id({"account_id": "ACC-1234567"}), is_account_id({"account_id": "ACC-1234567 "})
    (True, False)
    """
    found = args.get("account_id") if isinstance(args, dict) else None
    return isinstance(found, str) and _ACCOUNT_ID.fullmatch(found) is not None
