"""A run with markup and hidden marks in every text that a recorder can fill."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import a_call, a_claim, a_system, a_trace, a_turn, a_user, timed_trace
from workbench.model.event import (
    CallError,
    Change,
    ContextChange,
    Decision,
    ModelRequest,
    Outcome,
    Permission,
    StateChange,
)
from workbench.model.trace import RunStatus, Versions

__all__ = ["CANARY", "HIDDEN", "MAIL", "a_hostile_run", "payload", "short_payload"]

CANARY = "Zq7canary"
MAIL = "rachel.rivera@fabrikam.com"
HIDDEN = "a\u202eb\u200bc\x1b[0m\u00add"


def payload(name):
    """Return markup that says in the page that it ran, with a mark for the place it came from."""
    ran = f"(window.pwned=window.pwned||[]).push('{name}')"
    return (
        f'<img src=x onerror="{ran}"><script>{ran}</script><svg onload="{ran}"></svg>'
        f'"\' onmouseover="{ran}" <a href="javascript:{ran}">x</a> {CANARY}-{name} {HIDDEN}'
    )


def short_payload(name):
    """Return markup that a case file takes: one line, printable, and not long."""
    return f"<img src=x onerror=\"(window.pwned=window.pwned||[]).push('{name}')\">{CANARY}-{name}"


def a_hostile_run(run_id, *, status=RunStatus.FAILED):
    """Return a run with a payload in every text that a recorder can fill."""
    error = CallError(
        type=payload("type"),
        message=payload("message"),
        headers={payload("header"): payload("value")},
        body={payload("body"): payload("inner")},
    )
    trace = a_trace(
        a_system(payload("system")),
        a_user(f"{payload('user')} {MAIL}"),
        ModelRequest(model=payload("model"), prompt=payload("prompt")),
        a_turn(
            a_call(
                payload("tool"),
                args={payload("key"): [payload("item")], "email": MAIL},
                agent=payload("agent"),
            ),
            a_call("crm.notes", args_raw=payload("raw")),
            text=payload("reply"),
        ),
        a_call("billing.pause", outcome=Outcome.RETRYABLE, detail=payload("detail"), error=error),
        Permission(decision=Decision.DENIED, tool=payload("permit"), actor=payload("actor")),
        StateChange(name=payload("state"), before=payload("before"), after=payload("after")),
        ContextChange(change=Change.COMPACTION, before=payload("context")),
        a_claim(payload("claim")),
        run_id=run_id,
    )
    events = tuple(replace(e, source_ref=payload("origin")) for e in trace.events)
    return timed_trace(
        replace(
            trace,
            events=events,
            status=status,
            tags=(payload("tag"),),
            session=payload("session"),
            versions=Versions(prompt=payload("version"), model="m"),
        )
    )
