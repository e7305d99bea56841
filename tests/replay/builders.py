"""Cases and parts of cases that name only what matters."""

from __future__ import annotations

from workbench.model.case import (
    Case,
    CaseInput,
    CaseSource,
    CaseState,
    CaseTool,
    Expectation,
    Fixture,
    Path,
    ScriptedCall,
    Severity,
    SourceKind,
    Turn,
)
from workbench.model.contract import Contract, FixPlace
from workbench.model.trace import Effect
from workbench.model.verdict import Signature

TOOLS = (
    CaseTool(name="customer.lookup", wire="customer_lookup", effect=Effect.READ),
    CaseTool(name="billing.pause", wire="billing_pause", effect=Effect.WRITE),
    CaseTool(name="billing.get_operation", wire="billing_get_operation", effect=Effect.READ),
    CaseTool(name="calc", effect=Effect.PURE),
)


def a_fixture(tool="customer.lookup", **fields):
    """Return a fixture of a tool; without arguments unless given."""
    return Fixture(**{"id": "f1", "tool": tool, "args": {}, **fields})


def a_call(name, args=None, *, call_id="c1", raw=None):
    """Return a scripted call."""
    if raw is not None:
        return ScriptedCall(id=call_id, name=name, args_raw=raw)
    return ScriptedCall(id=call_id, name=name, args={} if args is None else args)


def asks(*wanted, **fields):
    """Return a turn that asks for calls."""
    return Turn(tool_calls=wanted, **fields)


def a_path(*turns, name="recorded", expect=Expectation.FAIL):
    """Return a path, the recorded one unless named otherwise."""
    return Path(name=name, expect=expect, turns=turns)


def a_case(*turns, **fields):
    """Return a case whose recorded path has these turns."""
    plain = {
        "id": "a-case",
        "title": "A case",
        "state": CaseState.PROPOSED,
        "owner": "owners",
        "severity": Severity.S1,
        "review_date": "2027-02-28",
        "fix": FixPlace.MODEL,
        "source": CaseSource(kind=SourceKind.INCIDENT, run_id="run-1"),
        "input": CaseInput(messages=({"role": "user", "content": "Pause my plan"},)),
        "tools": TOOLS,
        "paths": (a_path(*turns),),
        "contract": Contract(clauses=()),
        "signature": Signature(),
    }
    return Case(**{**plain, **fields})
