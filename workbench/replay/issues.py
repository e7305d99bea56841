"""What can be wrong with a trial beside its contract.

A *breach* is a hard violation: something real may have happened. A *doubt* makes the trial
inconclusive: the question could not be answered.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

__all__ = ["BREACHES", "Issue", "IssueKind"]


class IssueKind(StrEnum):
    """The closed list."""

    UNOBSERVED_TOOL = "unobserved_tool"
    SIDE_EFFECT_BLOCKED = "side_effect_blocked"
    TOOL_NOT_OFFERED = "tool_not_offered"
    SCRIPT_EXHAUSTED = "script_exhausted"
    BLOCKED_WRITE = "blocked_write"
    MISSING_FIXTURE = "missing_fixture"
    UNUSED_FIXTURE = "unused_fixture"
    AGENT_ERROR = "agent_error"
    PROVIDER_ERROR = "provider_error"
    MODEL_CALL_LIMIT = "model_call_limit"
    TOOL_CALL_LIMIT = "tool_call_limit"
    TIME_LIMIT = "time_limit"
    WEAK_ISOLATION = "weak_isolation"


BREACHES: Final = frozenset({IssueKind.UNOBSERVED_TOOL, IssueKind.SIDE_EFFECT_BLOCKED})
"""Kinds that are red however good the rest is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One breach or doubt."""

    kind: IssueKind
    sentence: str
    """Tool names, counts and places; no trace text."""
    seq: int
    """Place in the trial's trace: number of events before it."""

    @property
    def is_breach(self) -> bool:
        """Whether it is a hard violation."""
        return self.kind in BREACHES
