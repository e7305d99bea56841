"""What a detector finds before it is judged, and what detectors ask of a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.check.outcomes import value_of
from workbench.check.proposals import Proposal, equals
from workbench.model.event import Outcome
from workbench.model.trace import Call, Effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.check.facts import Facts
    from workbench.model.contract import Predicate
    from workbench.model.jsonvalue import Absent, Json

__all__ = [
    "Hint",
    "certainty",
    "is_idempotency",
    "is_write",
    "is_write_declared",
    "refusal_of",
    "texts_in",
    "where_of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What a detector found, before it is judged."""

    confidence: str
    proposal: Proposal
    evidence: tuple[int, ...]
    sentence: str
    """Places, tool names and counts; no other trace text."""


def is_write(facts: Facts, call: Call) -> bool:
    """Whether a call may have changed something; an undeclared tool may."""
    return facts.effects.get(call.tool, Effect.WRITE) is Effect.WRITE


def is_write_declared(facts: Facts, call: Call) -> bool:
    """Whether somebody declared that the tool writes."""
    return facts.effects.get(call.tool) is Effect.WRITE


def certainty(facts: Facts, call: Call) -> str:
    """Return `high` for a declared write; where the effect is only assumed, `medium`."""
    return "high" if is_write_declared(facts, call) else "medium"


_IDEMPOTENCY: Final = frozenset(
    {"idempotencykey", "idempotencytoken", "clienttoken", "requestid", "clientrequestid", "nonce"}
)


def is_idempotency(key: str) -> bool:
    """Whether an argument only tells one attempt from another."""
    return key.lower().replace("_", "").replace("-", "") in _IDEMPOTENCY


def where_of(call: Call) -> tuple[Predicate, ...]:
    """Return predicates on the plain arguments of a call, without idempotency keys."""
    if not isinstance(call.args, dict):
        return ()
    return tuple(
        equals(key, value)
        for key, value in call.args.items()
        if not isinstance(value, dict | list) and not is_idempotency(key)
    )


def texts_in(value: Json | Absent) -> Iterator[str]:
    """Yield every text in a value, without recursion."""
    pending: list[Json | Absent] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)


_GOOD: Final = ("ok", "success", "succeeded", "successful")


def refusal_of(call: Call) -> str | None:
    """Return the key by which a completed call's own result says that it did not work."""
    result = value_of(call.result)
    if call.outcome is not Outcome.OK or not isinstance(result, dict):
        return None
    return next((key for key in _GOOD if result.get(key) is False), None)
