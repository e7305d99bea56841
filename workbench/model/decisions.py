"""Which call a decision about a tool can be about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.model.canonical import args_digest
from workbench.model.jsonvalue import ABSENT

if TYPE_CHECKING:
    from workbench.model.event import Permission, ToolCall

__all__ = ["digest_of", "is_about"]


def digest_of(call: ToolCall) -> str | None:
    """Return the digest of a call's arguments; None: they are no JSON, so they have none."""
    if call.args is ABSENT:
        return None
    try:
        return args_digest(call.args)
    except ValueError:
        return None


def is_about(decision: Permission, call: ToolCall) -> bool:
    """Whether a decision that comes while a call waits for its result can be the one on it.

    Who asks a person does so once the model has asked for the call, so the decision comes between
    request and result.
    """
    if decision.tool != call.tool:
        return False
    return decision.args_digest is None or decision.args_digest == digest_of(call)
