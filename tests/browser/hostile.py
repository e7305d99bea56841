"""A run with markup and hidden marks in every text that a recorder can fill."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import a_call, a_claim, a_system, a_trace, a_turn, a_user, timed_trace
from workbench.model.event import (
    CallError,
    Change,
    ContextChange,
    Decision,
    Event,
    ModelReply,
    ModelRequest,
    Outcome,
    Permission,
    StateChange,
    UserMessage,
)
from workbench.model.trace import RunStatus, Source, Tool, Versions

__all__ = ["CANARY", "HIDDEN", "MAIL", "a_hostile_run", "payload", "short_payload"]

CANARY = "Zq7canary"
MAIL = "rachel.rivera@fabrikam.com"
VERSIONS = ("prompt", "model", "tool_schemas", "corpus", "policy", "agent")
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
        ModelRequest(
            model=payload("model"),
            prompt=payload("prompt"),
            settings={payload("setting"): payload("set to")},
            offered_tools=(payload("offered"),),
        ),
        a_turn(
            a_call(
                payload("tool"),
                args={payload("key"): [payload("item")], "email": MAIL},
                agent=payload("agent"),
                call_id=payload("call id"),
                result={payload("answer"): payload("answered")},
                operation_id=payload("operation"),
            ),
            a_call("crm.notes", args_raw=payload("raw")),
            text=payload("reply"),
        ),
        a_call("billing.pause", outcome=Outcome.RETRYABLE, detail=payload("detail"), error=error),
        Permission(
            decision=Decision.DENIED,
            tool=payload("permit"),
            actor=payload("actor"),
            scope=payload("scope"),
            args_digest=payload("digest"),
        ),
        StateChange(name=payload("state"), before=payload("before"), after=payload("after")),
        ContextChange(
            change=Change.COMPACTION, before=payload("context"), after=payload("context after")
        ),
        a_claim(payload("claim")),
        run_id=run_id,
    )
    events = tuple(_hostile(event) for event in trace.events)
    timed = timed_trace(
        replace(
            trace,
            events=events,
            status=status,
            tags=(payload("tag"),),
            session=payload("session"),
            labels={payload("label"): payload("labelled")},
            versions=Versions(**{name: payload(f"version_{name}") for name in VERSIONS}),
            source=Source(file=payload("file"), place=payload("place")),
            tools=(
                Tool(
                    name=payload("offered"),
                    description=payload("described"),
                    schema={"title": payload("schema"), payload("schema key"): {}},
                ),
            ),
        )
    )
    last = timed.events[-1]
    return replace(timed, events=(*timed.events[:-1], replace(last, at=payload("at"))))


def _hostile(event: Event) -> Event:
    """Return an event with payloads in the fields that the builders leave alone."""
    event = replace(event, source_ref=payload("origin"), agent=event.agent or payload("by"))
    if isinstance(event, ModelReply):
        return replace(event, finish_reason=payload("finish"))
    if isinstance(event, UserMessage):
        return replace(event, actor=payload("asker"))
    return event
