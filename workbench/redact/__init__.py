"""Replaces personal data by pseudonyms that keep what made the failure happen."""

from __future__ import annotations

from workbench.redact.detect import find_values
from workbench.redact.finding import Finding
from workbench.redact.policy import Policy, load_policy
from workbench.redact.redaction import Redaction, note_of, require_safe
from workbench.redact.run import redact_trace

__all__ = [
    "Finding",
    "Policy",
    "Redaction",
    "find_values",
    "load_policy",
    "note_of",
    "redact_trace",
    "require_safe",
]
