"""Propose clauses that a trace breaks.

Every detector is a function from facts to hints, in one table. A hint becomes a suggestion only
when judging the trace by its clause finds it broken, so a suggestion never turns out green.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.check.argument_detectors import malformed_or_changed_argument
from workbench.check.ending_detectors import hand_off_loop, truncated_total
from workbench.check.facts import Facts
from workbench.check.grant_detectors import lookup_before_authorisation, write_outside_grant
from workbench.check.hints import Hint
from workbench.check.judge import judge
from workbench.check.origin_detectors import (
    ask_then_act,
    claim_without_call,
    tool_not_offered,
    unfounded_quote,
    write_from_result_only,
)
from workbench.check.outcomes import resolve_outcomes
from workbench.check.parallel_detectors import crossed_or_lost_results
from workbench.check.write_detectors import (
    fresh_idempotency_key,
    identical_failing_calls,
    repeated_write_after_unknown,
    success_without_read_back,
)
from workbench.model.contract import Contract
from workbench.model.verdict import Result, Suggestion

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace

__all__ = ["DETECTORS", "diagnose"]

Detector: TypeAlias = Callable[[Facts], Iterator[Hint]]

DETECTORS: Final[dict[str, Detector]] = {
    "repeated_write_after_unknown": repeated_write_after_unknown,
    "fresh_idempotency_key": fresh_idempotency_key,
    "success_without_read_back": success_without_read_back,
    "write_outside_grant": write_outside_grant,
    "lookup_before_authorisation": lookup_before_authorisation,
    "claim_without_call": claim_without_call,
    "crossed_or_lost_results": crossed_or_lost_results,
    "malformed_or_changed_argument": malformed_or_changed_argument,
    "hand_off_loop": hand_off_loop,
    "truncated_total": truncated_total,
    "identical_failing_calls": identical_failing_calls,
    "tool_not_offered": tool_not_offered,
    "ask_then_act": ask_then_act,
    "unfounded_quote": unfounded_quote,
    "write_from_result_only": write_from_result_only,
}
"""Name of a detector -> the detector."""

_MOST_PER_DETECTOR: Final = 5
_CONFIDENCE: Final = ("high", "medium", "low")


def diagnose(trace: Trace) -> list[Suggestion]:
    """Return suggestions, the most certain first; an honest trace gives none."""
    resolved = resolve_outcomes(trace)
    facts = Facts(resolved, Contract(clauses=()))
    found = [
        suggestion
        for name, detector in DETECTORS.items()
        for suggestion in islice(_broken(name, detector, facts), _MOST_PER_DETECTOR)
    ]
    return sorted(found, key=lambda suggestion: _CONFIDENCE.index(suggestion.confidence))


def _broken(name: str, detector: Detector, facts: Facts) -> Iterator[Suggestion]:
    """Yield the detector's hints that the trace does break, each clause once."""
    seen: list[JsonMap] = []
    for hint in detector(facts):
        document = hint.proposal.document
        if document in seen:
            continue
        seen.append(document)
        contract = Contract(clauses=(hint.proposal.clause,), document=document)
        if judge(facts.trace, contract).result is Result.FAIL:
            yield Suggestion(
                detector=name,
                confidence=hint.confidence,
                clause=hint.proposal.kind,
                contract=document,
                evidence=tuple(sorted(set(hint.evidence))),
                sentence=hint.sentence,
            )
