"""Where the input of a case ends and the agent's run begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.model.event import (
    Claim,
    ClaimBasis,
    ModelReply,
    ModelRequest,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)

if TYPE_CHECKING:
    from workbench.model.trace import Trace

__all__ = ["input_end"]


def input_end(trace: Trace) -> int:
    """Return the position after the last message of the input.

    The input is what is said up to the first user message, and what people say right after it;
    without a user message, the system messages that open the trace.
    """
    asked = 0
    instructed = 0
    moved = False
    for at, event in enumerate(trace.events):
        match event:
            case UserMessage():
                asked = at + 1
            case SystemMessage():
                instructed = at + 1
                asked = at + 1 if asked else 0
            case ModelReply() if asked or moved or not _is_greeting(trace, at):
                break
            case Claim() if not at or not isinstance(trace.events[at - 1], ModelReply):
                break
            case ModelReply() | Claim() | ModelRequest():
                pass
            case _ if asked and isinstance(event, ToolCall | ToolResult):
                break
            case _:
                moved = True
    return asked or instructed


def _is_greeting(trace: Trace, at: int) -> bool:
    """Whether a reply is nothing but a text shown to a person, whose outcome nobody stated."""
    reply, following = trace.events[at], trace.events[at + 1 : at + 2]
    if not isinstance(reply, ModelReply) or reply.call_ids:
        return False
    claim = following[0] if following else None
    return (
        isinstance(claim, Claim)
        and claim.text == reply.text != ""
        and claim.basis in (ClaimBasis.UNKNOWN, ClaimBasis.PATTERN)
    )
