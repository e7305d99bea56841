"""Every trap comes out of redaction with its trigger, and without its values."""

from __future__ import annotations

import json

import pytest

from tests.redact.traps import TRAPS, Trap
from workbench.casefile.trace import trace_document
from workbench.redact import redact_trace, require_safe

pytestmark = pytest.mark.desk

KEY = bytes(range(32))


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_a_trap_is_clean_and_still_a_trap(trap: Trap) -> None:
    """A redacted trace that no longer fails protects nothing."""
    assert trap.holds(trap.trace)

    done = redact_trace(trap.trace, key=KEY, ner="none")

    text = json.dumps(trace_document(done.trace), ensure_ascii=False)
    assert trap.holds(done.trace)
    assert [value for value in trap.gone if value in text] == []
    assert done.trigger_facts_lost == ()
    assert done.trigger != ()
    require_safe(done)
