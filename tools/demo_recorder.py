"""Records the bundled incident while it is told: its tools, and one method a kind of step."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from workbench.model.event import (
    CallError,
    Claim,
    Event,
    ModelReply,
    ModelRequest,
    SystemMessage,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT, Json, JsonMap
from workbench.model.trace import Effect, RunStatus, Tool, Trace, Versions, renumbered

__all__ = ["TOOLS", "Story"]

SEED = 2041
START = datetime(2026, 11, 17, 9, 12, 3, tzinfo=UTC)


def _tool(name: str, description: str, effect: Effect, **properties: JsonMap) -> Tool:
    schema: JsonMap = {
        "type": "object",
        "properties": {**properties},
        "required": [*properties],
        "additionalProperties": False,
    }
    return Tool(name=name, description=description, effect=effect, schema=schema)


TEXT: JsonMap = {"type": "string"}
CUSTOMER: JsonMap = {"type": "string", "pattern": "^cus_[0-9]{5}$"}
TOOLS = (
    _tool("crm.contact", "Contact data of a customer", Effect.READ, customer_id=CUSTOMER),
    _tool("crm.notes", "Notes of colleagues on a customer", Effect.READ, customer_id=CUSTOMER),
    _tool(
        "crm.lookup",
        "Find the subscription that an e-mail address belongs to",
        Effect.READ,
        email={"type": "string", "format": "email"},
    ),
    _tool("crm.add_note", "Leave a note", Effect.WRITE, customer_id=CUSTOMER, text=TEXT),
    _tool("billing.plan", "Current plan of a customer", Effect.READ, customer_id=CUSTOMER),
    _tool(
        "billing.invoices",
        "Invoices of a year",
        Effect.READ,
        customer_id=CUSTOMER,
        year={"type": "integer", "minimum": 2020},
    ),
    _tool("billing.invoice", "One invoice with its lines", Effect.READ, invoice=TEXT),
    _tool(
        "billing.pause",
        "Pause a subscription; answers with an operation that may still be pending",
        Effect.WRITE,
        account_id={"type": "string", "pattern": "^ACC-[0-9]{7}$"},
        months={"type": "integer", "minimum": 1, "maximum": 3},
        idempotency_key=TEXT,
    ),
    _tool(
        "billing.get_operation",
        "Read an operation back: pending, completed or failed",
        Effect.READ,
        operation_id=TEXT,
    ),
    _tool("shipping.track", "Where a parcel is", Effect.READ, parcel=TEXT),
    _tool("help.search", "Search the help centre", Effect.READ, query=TEXT),
    _tool("help.read", "Read a help article", Effect.READ, url={"type": "string", "format": "uri"}),
    _tool("portal.fetch", "Read a page of the customer portal", Effect.READ, url=TEXT),
    _tool("mail.send", "Send an e-mail", Effect.WRITE, to=TEXT, subject=TEXT, body=TEXT),
)


class Story:
    """The trace while it is told; one method a kind of step."""

    def __init__(self) -> None:
        self._chance = random.Random(SEED)  # noqa: S311  reproducible, no secret
        self._time = START
        self._events: list[Event] = []
        self._turn = self._call = 0
        self._open: list[str] = []

    def system(self, text: str) -> None:
        """Instruct the model."""
        self._add(SystemMessage(text=text))

    def user(self, text: str) -> None:
        """Let the customer speak."""
        self._pass(20_000, 90_000)
        self._add(UserMessage(text=text, actor="customer"))

    def model(self, text: str = "", *calls: tuple[str, JsonMap]) -> None:
        """Let the model speak, or ask for calls, or both."""
        self._turn += 1
        self._add(
            ModelRequest(
                model="gpt-x-2026-09",
                settings={"temperature": 0.2},
                offered_tools=tuple(tool.name for tool in TOOLS),
                prompt="support-agent@v43",
                n_messages=sum(not isinstance(event, ModelRequest) for event in self._events),
            )
        )
        self._pass(400, 1_900)
        ids = []
        for _ in calls:
            self._call += 1
            ids.append(f"call_{self._call:02d}")
        self._add(
            ModelReply(
                text=text,
                call_ids=tuple(ids),
                usage=Usage(
                    input_tokens=600 + 60 * len(self._events),
                    output_tokens=12 + len(text) // 4 + 30 * len(calls),
                ),
            )
        )
        if text:
            self._add(Claim(text=text))
        for call_id, (tool, args) in zip(ids, calls, strict=True):
            raw = json.dumps(args, ensure_ascii=False)
            self._add(
                ToolCall(call_id=call_id, tool=tool, args_raw=raw, args=args, turn=self._turn)
            )
        self._open = ids

    def result(self, value: Json, *, of: int = 0) -> None:
        """Answer the call at place `of` among those still open."""
        raw = json.dumps(value, ensure_ascii=False)
        self._answer(of, result_raw=raw, result=value)

    def failure(self, error: CallError, *, latency_ms: float, operation_id: str = "") -> None:
        """Let the open call fail."""
        self._answer(0, error=error, operation_id=operation_id or None, latency_ms=latency_ms)

    def trace(self) -> Trace:
        """Return the whole run; the last text shown is the final one."""
        last = max(at for at, event in enumerate(self._events) if isinstance(event, Claim))
        events = [
            replace(event, final=at == last) if isinstance(event, Claim) else event
            for at, event in enumerate(self._events)
        ]
        return Trace(
            run_id="run-leafbox-2041",
            versions=Versions(
                prompt="support-agent@v43",
                model="gpt-x-2026-09",
                policy="pause-policy@7",
                agent="support 3.2",
            ),
            session="chat-88213",
            tags=("billing", "timeout"),
            labels={"complaint": True},
            status=RunStatus.FAILED,
            tools=TOOLS,
            events=renumbered(events),
        )

    def _answer(
        self,
        of: int,
        *,
        result_raw: str | None = None,
        result: Json = None,
        error: CallError | None = None,
        operation_id: str | None = None,
        latency_ms: float | None = None,
    ) -> None:
        latency = self._pass(latency_ms or 40, latency_ms or 700)
        self._add(
            ToolResult(
                call_id=self._open.pop(of),
                result_raw=result_raw,
                result=ABSENT if error is not None else result,
                error=error,
                operation_id=operation_id,
                latency_ms=latency,
            )
        )

    def _pass(self, least_ms: float, most_ms: float) -> float:
        passed = round(self._chance.uniform(least_ms, most_ms))
        self._time += timedelta(milliseconds=passed)
        return passed

    def _add(self, event: Event) -> None:
        at = self._time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        spoken = isinstance(event, SystemMessage | UserMessage)
        self._events.append(replace(event, at=at, agent=None if spoken else "support"))
