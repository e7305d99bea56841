"""Three tools as plain functions; their bodies must never run in a replay."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

__all__ = ["FUNCTIONS", "billing_get_operation", "billing_pause", "crm_lookup"]


def _really(tool: str) -> NoReturn:
    """Leave a trace of what happened, in the name of a real system."""
    Path(f"really-{tool}").touch()
    message = f"{tool} was really called"
    raise AssertionError(message)


def crm_lookup(email: str) -> str:
    """Find the subscription that an e-mail address belongs to."""
    _really("crm_lookup")


def billing_pause(account_id: str, months: int, idempotency_key: str) -> str:
    """Pause a subscription; answers with an operation that may still be pending."""
    _really("billing_pause")


def billing_get_operation(operation_id: str) -> str:
    """Read an operation back: pending, completed or failed."""
    _really("billing_get_operation")


FUNCTIONS = (crm_lookup, billing_pause, billing_get_operation)
