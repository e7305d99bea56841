"""Calls that a model asked for in a trial, and whether the agent's code carried them out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.casefile.digest import args_digest
from workbench.model.event import Decision, Outcome, Permission, Requestor, ToolCall, ToolResult
from workbench.model.jsonvalue import ABSENT, Absent, Json, parse_text, same_json
from workbench.model.trace import Effect
from workbench.replay.matching import canonical_tool
from workbench.replay.scripted import call_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.model.case import Case, ScriptedCall

__all__ = ["Asked", "AskedCalls", "ReportedResult", "reported_result", "reported_results"]

_ERROR_WORDS: Final = (
    *("error", "an error", "denied", "refused", "rejected", "invalid", "not allowed"),
    *("permission denied", "tool execution was denied", "unknown tool", "tool not found"),
)


@dataclass(slots=True, kw_only=True)
class Asked:
    """One call that a reply asked for; mutable while its trial runs."""

    call: ScriptedCall
    call_id: str
    """Unique in the trial."""
    given_id: str
    """As the agent saw it; some models number their calls anew in each reply."""
    turn: int
    after: int
    """Number of events recorded when it was asked for."""
    attempted: bool = False
    denied: bool = False
    local_result: Json | Absent = ABSENT
    """What a tool that may run for real answered."""
    unobserved: bool = False
    """A result was seen that no fixture gave."""

    def event(self) -> ToolCall:
        """Return the call as asked."""
        return ToolCall(
            call_id=self.call_id,
            tool=self.call.name,
            args_raw=self.call.args_raw,
            args=self.call.args,
            requestor=Requestor.AGENT,
            turn=self.turn,
        )

    def settled(self) -> ToolResult:
        """Return how a call ended that never reached the gateway."""
        if self.unobserved:
            return ToolResult(call_id=self.call_id, outcome=Outcome.UNKNOWN, detail="unobserved")
        if not isinstance(self.local_result, Absent):
            result = self.local_result
            return ToolResult(
                call_id=self.call_id, outcome=Outcome.OK, detail="local", result=result
            )
        detail = "denied_by_agent" if self.denied else "not_attempted"
        return ToolResult(call_id=self.call_id, outcome=Outcome.DENIED, detail=detail)


class AskedCalls:
    """All calls asked for in one trial of a case."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._items: list[Asked] = []
        self._effects = {tool.name: tool.effect for tool in case.tools}

    def add(self, asked: Asked) -> None:
        """Note a call."""
        self._items.append(asked)

    def claim(self, tool: str, args: Json | Absent, *, call_id: str | None = None) -> Asked | None:
        """Take the call that an attempt carries out.

        By its id when the attempt names one, then by equal arguments, then by tool: code that
        repairs arguments still carries out what the model asked for.
        """
        waiting = [a for a in self._items if not a.attempted and a.call.name == tool]
        named = [a for a in waiting if a.given_id == call_id]
        equal = [a for a in waiting if same_json(call_args(a.call), args)]
        for asked in (*named, *equal, *waiting):
            asked.attempted = True
            return asked
        return None

    def ahead(self, asked: Asked | None) -> int:
        """Count equal calls that the same reply asked for before this one and are still to come.

        Calls of one turn are told apart by id, not by the order in which they arrive.
        """
        if asked is None:
            return 0
        before = self._items[: self._items.index(asked)]
        return sum(
            other.turn == asked.turn
            and not other.attempted
            and not other.denied
            and other.call.name == asked.call.name
            and same_json(call_args(other.call), call_args(asked.call))
            for other in before
        )

    def given(self, given_id: Json) -> Asked | None:
        """Return the latest call that the agent was given under this id."""
        found = [asked for asked in self._items if asked.given_id == given_id]
        return found[-1] if found else None

    def deny(self, event: Permission) -> None:
        """Note that the agent denied calls of a tool, or one call by its digest."""
        if event.decision is not Decision.DENIED:
            return
        for asked in self._items:
            named = event.tool in (None, asked.call.name)
            if named and not asked.attempted and _digest_fits(event.args_digest, asked.call):
                asked.denied = True

    def waiting(self, turn: int) -> int:
        """Count calls of a turn that were not attempted yet."""
        return sum(a.turn == turn and not a.attempted and not a.denied for a in self._items)

    def unattempted(self) -> tuple[Asked, ...]:
        """Return the calls that never reached the gateway, in order."""
        return tuple(a for a in self._items if not a.attempted)

    def observe(self, result: ReportedResult) -> str | None:
        """Look at a tool result that the agent shows to the model.

        Returns:
            A sentence when no fixture gave it, and nothing that is allowed did.
        """
        name = None if result.name is None else canonical_tool(self._case, result.name)
        asked = self._by_result(result.call_id, name)
        if asked is None or asked.denied or not isinstance(asked.local_result, Absent):
            return None
        tool = asked.call.name
        if self._may_run(tool):
            asked.local_result = result.value
        elif not result.is_error:
            asked.unobserved = True
            return f"{tool} answered the agent without passing the gateway: something real may have run"
        return None

    def observe_hosted(self, name: str) -> str | None:
        """Look at a tool that a provider ran on its own side; a sentence when it may not."""
        tool = canonical_tool(self._case, name)
        if self._may_run(tool):
            return None
        known = tool if tool in self._effects else "a tool of its own"
        return f"the provider ran {known} without passing the gateway: something real may have run"

    def _may_run(self, tool: str) -> bool:
        """Whether a tool may answer without a fixture: nothing in the world changes by it."""
        return tool in self._case.local or self._effects.get(tool) is Effect.PURE

    def _by_result(self, call_id: str | None, name: str | None) -> Asked | None:
        """Find the call that a result in a request belongs to, unless it was attempted."""
        for asked in self._items:
            if asked.attempted or asked.unobserved:
                continue
            if call_id == asked.given_id or (call_id is None and name == asked.call.name):
                return asked
        return None


def _digest_fits(digest: str | None, call: ScriptedCall) -> bool:
    if digest is None:
        return True
    return not isinstance(call.args, Absent) and digest == args_digest(call.args)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedResult:
    """A tool result that an agent shows to the model."""

    call_id: str | None
    name: str | None
    value: Json
    is_error: bool


def reported_results(messages: Iterable[Json]) -> tuple[ReportedResult, ...]:
    """Return the tool results in plain chat messages, `{role: tool, tool_call_id, content}`."""
    return tuple(
        reported_result(
            message.get("content"),
            call_id=message.get("tool_call_id", message.get("id")),
            name=message.get("name"),
            failed=bool(message.get("error") or message.get("is_error")),
        )
        for message in messages
        if isinstance(message, dict) and message.get("role") == "tool"
    )


def reported_result(
    content: Json, *, call_id: Json = None, name: Json = None, failed: bool = False
) -> ReportedResult:
    """Read one tool result as an agent shows it.

    Args:
        content: a text, JSON, or a list of parts with texts.
        call_id: of the call that it answers.
        name: of the tool.
        failed: whether the agent says that it is an error; its text may say so too.
    """
    text = _joined_text(content)
    value = content if text is None else parse_text(text).value
    return ReportedResult(
        call_id=call_id if isinstance(call_id, str) else None,
        name=name if isinstance(name, str) else None,
        value=value,
        is_error=failed or _says_error(value),
    )


def _joined_text(content: Json) -> str | None:
    """Return a content as one text; None: it holds something else."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list) or not content:
        return None
    texts = [part.get("text") if isinstance(part, dict) else None for part in content]
    return "".join(map(str, texts)) if all(isinstance(text, str) for text in texts) else None


def _says_error(value: Json) -> bool:
    """Whether a result is a refusal or a failure, as agents and frameworks write them."""
    if isinstance(value, dict):
        outcome = value.get("outcome", "ok")
        return bool(value.get("error")) or (isinstance(outcome, str) and outcome != "ok")
    text = value if isinstance(value, str) else json.dumps(value)
    return text.lstrip().lower().startswith(_ERROR_WORDS)
