"""How each tool call ended, from the transport's evidence and the tool's effect.

An outcome that the recorder stated stays. The order is that of the table: a user's rule, a
refusal, a failure before anything was sent, a failure that leaves a write uncertain, a plain
error, else `ok`. A call without a result stays without one; it is `missing`.

Source:
    design page 02, "Outcome of a tool call".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.check.globs import glob_matches
from workbench.check.http_status import status_in
from workbench.check.predicates import compile_pattern, holds, searchable
from workbench.model.event import CallError, Event, Outcome, ToolCall, ToolResult
from workbench.model.jsonvalue import ABSENT, Absent, Json, parse_text
from workbench.model.trace import Effect, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workbench.model.contract import Predicate

__all__ = [
    "OutcomeRule",
    "assumed_tools",
    "declared_effects",
    "resolve_outcomes",
    "value_of",
    "with_effects",
]

Ending: TypeAlias = tuple[Outcome, str | None]
_NO_EFFECTS: Final[Mapping[str, Effect]] = MappingProxyType({})
_TEXT_LIMIT_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRule:
    """A user's rule: results of these tools that satisfy all of `when` have this outcome."""

    tool: str
    """Glob."""
    when: tuple[Predicate, ...]
    """On the result, or on the error's body when there is no result."""
    outcome: Outcome
    detail: str | None = None


def resolve_outcomes(
    trace: Trace,
    *,
    effects: Mapping[str, Effect] = _NO_EFFECTS,
    rules: Sequence[OutcomeRule] = (),
) -> Trace:
    """Fill each result's outcome and detail where the recorder gave none.

    Resolving twice changes nothing, and a trace with nothing to fill is returned as it is.

    Args:
        trace: any trace.
        effects: declared by the user; they win over those of the trace.
        rules: the user's own, first match wins.
    """
    if all(e.outcome is not None for e in trace.events if isinstance(e, ToolResult)):
        return trace
    declared = declared_effects(trace, effects)
    tools = {e.call_id: e.tool for e in trace.events if isinstance(e, ToolCall)}

    def resolved(event: Event) -> Event:
        if not isinstance(event, ToolResult) or event.outcome is not None:
            return event
        tool = tools.get(event.call_id, "")
        outcome, detail = _ending(event, tool, rules, effect=declared.get(tool, Effect.WRITE))
        return replace(event, outcome=outcome, detail=event.detail or detail)

    return replace(trace, events=tuple(map(resolved, trace.events)))


def declared_effects(
    trace: Trace, effects: Mapping[str, Effect] = _NO_EFFECTS
) -> dict[str, Effect]:
    """Return the declared effect of each tool; a tool that is not in it is taken as `write`."""
    own = {tool.name: tool.effect for tool in trace.tools if tool.effect is not None}
    return own | dict(effects)


def with_effects(trace: Trace, effects: Mapping[str, Effect]) -> Trace:
    """Write a user's declared effects into the trace's tools, for every later step."""
    tools = tuple(replace(tool, effect=effects.get(tool.name, tool.effect)) for tool in trace.tools)
    return trace if tools == trace.tools else replace(trace, tools=tools)


def assumed_tools(trace: Trace, effects: Mapping[str, Effect] = _NO_EFFECTS) -> tuple[str, ...]:
    """Return the tools, called or offered, whose effect nobody declared; sorted."""
    names = {tool.name for tool in trace.tools}
    names.update(e.tool for e in trace.events if isinstance(e, ToolCall))
    return tuple(sorted(names - declared_effects(trace, effects).keys()))


def value_of(result: ToolResult | None) -> Json | Absent:
    """Return what a result says as JSON; `ABSENT` when it says nothing."""
    if result is None:
        return ABSENT
    if result.result is ABSENT and result.result_raw is not None:
        return parse_text(result.result_raw).value
    return result.result


def _ending(
    result: ToolResult, tool: str, rules: Sequence[OutcomeRule], *, effect: Effect
) -> Ending:
    said = value_of(result)
    if said is ABSENT and result.error is not None:
        said = result.error.body
    for rule in rules:
        if glob_matches(rule.tool, tool) and all(holds(p, said) for p in rule.when):
            return rule.outcome, rule.detail
    if result.error is None:
        return Outcome.OK, None
    return _failure(result.error, effect)


def _failure(error: CallError, effect: Effect) -> Ending:
    """Read an error mark; first match wins, in the order of the table.

    A status that the recorder kept goes before the error's type, that before a status in its
    text, and that before its words: each says less of the transport than the one before.
    """
    uncertain = Outcome.UNKNOWN if effect is Effect.WRITE else Outcome.RETRYABLE
    texts = _texts(error)
    if _says(_REFUSED, texts):
        return Outcome.DENIED, "refused"
    if error.status is not None and 400 <= error.status <= 599:
        return _http(error.status, uncertain)
    told = _told((error.type,) if error.type else (), uncertain)
    if told is None and (status := status_in(texts)) is not None:
        return _http(status, uncertain)
    told = told or _told(texts, uncertain)
    if told is not None:
        return told
    silent = not texts and error.body is ABSENT
    if silent and (error.status is None or error.status == 0 or 200 <= error.status < 400):
        return Outcome.OK, None  # an error object that reports none
    return Outcome.PERMANENT, "error"


def _told(texts: tuple[str, ...], uncertain: Outcome) -> Ending | None:
    """Return what the words of an error say; the name of its type is asked first, and alone."""
    for pattern, outcome, detail in _TEXTS:
        if _says(pattern, texts):
            return outcome or uncertain, detail
    return None


def _http(status: int, uncertain: Outcome) -> Ending:
    detail = "rate_limited" if status == 429 else f"http_{status}"
    if status in (429, 503):
        return Outcome.RETRYABLE, detail
    if status in (408, 499) or status >= 500:
        return uncertain, detail
    return Outcome.PERMANENT, detail


_REFUSED: Final = (
    r"(?i)\b(?:denied|rejected|refused|declined|blocked|forbidden|disallowed) by (?:the |a |an )?"
    r"(?:\w+ )?(?:user|person|human|operator|policy|policies|administrator|admin|reviewer|approver"
    r"|guardrail|permission)"
    r"|\b(?:user|human|operator|policy|reviewer|guardrail)s? (?:has |have )?"
    r"(?:denied|rejected|refused|declined|blocked|cancell?ed the (?:tool|request|call))"
    r"|\bapproval (?:was |is |has been )?(?:denied|rejected|refused|declined)"
    r"|\b(?:was|were|is) not (?:approved|authori[sz]ed by)"
    r"|doesn.t want to (?:proceed|take this action)"
    r"|^(?:ToolDenied|ToolRejected|UserRejected|ApprovalDenied|PolicyViolation|PermissionRefused"
    r"|Denied|Rejected)(?:Error|Exception)?$"
)

_TEXTS: Final[tuple[tuple[str, Outcome | None, str], ...]] = (
    (
        (
            r"(?i)connection ?refused|ECONNREFUSED|reset before sending|name or service not known"
            r"|ENOTFOUND|getaddrinfo|no route to host|EHOSTUNREACH|network is unreachable"
        ),
        Outcome.RETRYABLE,
        "connection_refused",
    ),
    (
        r"(?i)rate.?limit|too many requests|throttl",
        Outcome.RETRYABLE,
        "rate_limited",
    ),
    (r"(?i)service (?:is )?(?:temporarily )?unavailable", Outcome.RETRYABLE, "unavailable"),
    (
        r"(?i)time(?:d)?[ -]?out|timeout|ETIMEDOUT|deadline ?exceeded",
        None,
        "timeout",
    ),
    (
        (
            r"(?i)connection ?(?:was )?(?:reset|aborted|closed)|ECONNRESET|broken ?pipe|EPIPE"
            r"|server disconnected|remote ?disconnected|socket hang up|incomplete ?read"
        ),
        None,
        "connection_reset",
    ),
    (r"(?i)\bcancell?ed\b|CancelledError|\baborted\b|interrupted", None, "cancelled"),
    (r"(?i)bad gateway|gateway error", None, "bad_gateway"),
    (
        (
            r"(?i)validation|TypeError|\binvalid\b|InvalidArg|missing \d* ?required|unexpected keyword"
            r"|is a required property|malformed"
        ),
        Outcome.PERMANENT,
        "invalid_args",
    ),
)
"""Pattern, outcome and detail; None: `unknown` for a write, else `retryable`."""


def _texts(error: CallError) -> tuple[str, ...]:
    body = error.body
    inner: list[Json] = [body] if isinstance(body, str) else []
    if isinstance(body, dict):
        nested = body.get("error")
        sources = [body, nested] if isinstance(nested, dict) else [body]
        inner = [
            source[key]
            for source in sources
            for key in ("error", "type", "code", "message", "detail", "reason")
            if key in source
        ]
    found = (error.type, error.message, *inner)
    return tuple(
        searchable(text[:_TEXT_LIMIT_CHARS]) for text in found if isinstance(text, str) and text
    )


def _says(pattern: str, texts: tuple[str, ...]) -> bool:
    compiled = compile_pattern(pattern)
    return any(compiled.search(text) is not None for text in texts)
