"""Clauses on how a run ends: that it does, and what its final answer says.

The final answer is the last text shown to a person. Every function takes `(clause, facts)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.check.call_clauses import accepts
from workbench.check.facts import Facts, failed, inconclusive, passed
from workbench.check.predicates import found_in
from workbench.check.quotes import unfounded_quotes
from workbench.model.event import Claim, ModelReply, Outcome
from workbench.model.jsonvalue import Json, TextForm, parse_text

if TYPE_CHECKING:
    from workbench.model.contract import AnswerRule, Finishes
    from workbench.model.verdict import ClauseVerdict

__all__ = ["check_answer", "check_finishes"]


def check_finishes(clause: Finishes, facts: Facts) -> ClauseVerdict:
    """Ask that the run ends in a claim and leaves no call of the agent unanswered."""
    gap = facts.gap_after(-1)
    if gap is not None:
        sentence = f"{gap.tool} at {gap.start} had no recorded answer, so how it ends stays open"
        return inconclusive(clause.id, sentence, facts.pair(gap))
    lost = [call for call in facts.own_calls if call.outcome is Outcome.MISSING]
    broken = [
        facts.violation(clause.id, call.start, f"{call.tool} was never answered", (call.start,))
        for call in lost
    ]
    claim = facts.final_claim
    last = max((e.seq for e in facts.events if isinstance(e, ModelReply)), default=-1)
    acted = max((max(call.start, facts.ended(call)) for call in facts.own_calls), default=-1)
    if claim is None or claim.seq < max(last, min(acted, facts.end - 1)):
        sentence = "the run does not end in a text to a person"
        broken.append(facts.violation(clause.id, facts.end, sentence, facts.duty))
    if broken:
        return failed(clause.id, broken)
    return passed(clause.id, "the run ends in a text to a person", facts.duty)


def check_answer(clause: AnswerRule, facts: Facts) -> ClauseVerdict:
    """Judge the final answer by one rule.

    Raises:
        ContractError: a pattern or schema that cannot be used.
    """
    answer = facts.answer
    text = "" if answer is None else answer.text
    problem = _RULES[clause.rule](clause.value, text, facts)
    evidence = facts.duty if answer is None else (answer.seq,)
    if problem is None:
        return passed(clause.id, "the final answer says what it must", evidence)
    gap = facts.gap_after(-1)
    if gap is not None and clause.rule in _NEEDS:
        sentence = f"{gap.tool} at {gap.start} had no recorded answer, so the text stays open"
        return inconclusive(clause.id, sentence, facts.pair(gap))
    place = facts.end if answer is None else answer.seq
    if clause.rule == "quotes_results":
        evidence = (*evidence, *(seq for call in facts.own_calls for seq in facts.pair(call)))
    return failed(clause.id, [facts.violation(clause.id, place, problem, evidence)])


Rule: TypeAlias = Callable[[Json, str, Facts], str | None]
"""`(value of the rule, final answer, facts)` -> what is wrong, or None."""


def _texts(value: Json) -> list[str]:
    return [
        item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)
    ]


def _contains(value: Json, text: str, _: Facts) -> str | None:
    missing = [at for at, item in enumerate(_texts(value), start=1) if item not in text]
    return f"the final answer lacks required text {missing[0]}" if missing else None


def _not_contains(value: Json, text: str, _: Facts) -> str | None:
    found = [at for at, item in enumerate(_texts(value), start=1) if item in text]
    return f"the final answer holds forbidden text {found[0]}" if found else None


def _matches(value: Json, text: str, _: Facts) -> str | None:
    missing = [at for at, item in enumerate(_texts(value), start=1) if not found_in(item, text)]
    return f"the final answer does not match pattern {missing[0]}" if missing else None


def _not_matches(value: Json, text: str, _: Facts) -> str | None:
    found = [at for at, item in enumerate(_texts(value), start=1) if found_in(item, text)]
    return f"the final answer matches forbidden pattern {found[0]}" if found else None


def _json_schema(value: Json, text: str, _: Facts) -> str | None:
    parsed = parse_text(text)
    if parsed.form is not TextForm.JSON:
        return "the final answer is not JSON"
    return None if accepts(value, parsed.value) else "the final answer does not fit the schema"


def _quotes_results(value: Json, text: str, facts: Facts) -> str | None:
    if value is False:
        return None
    answer = facts.answer
    before = facts.end if answer is None else answer.seq
    count = len(unfounded_quotes(Claim(seq=before, text=text), facts.trace))
    return f"{count} figures or quotes in the final answer occur in no result" if count else None


_RULES: Final[dict[str, Rule]] = {
    "contains": _contains,
    "not_contains": _not_contains,
    "matches": _matches,
    "not_matches": _not_matches,
    "json_schema": _json_schema,
    "quotes_results": _quotes_results,
}
_NEEDS: Final = frozenset({"contains", "matches", "json_schema"})
