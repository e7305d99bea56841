"""What a text shown to a person claims: success, failure, unresolved, or nothing we can tell.

An outcome that the agent reported, a person labelled or a script states wins. Then the
contract's own patterns are searched in the whole text; two outcomes found give `unknown`. Where
none of them matches, the shipped defaults answer for the outcomes the contract has no patterns for.

The defaults read a text one sentence at a time and are careful with what only looks like
success: what is denied ("has not been paused"), doubted ("could not confirm that it is paused"),
promised ("I will pause it"), asked or conditional ("once it is paused"), or somebody else's words in
quotation marks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from workbench.check import claim_patterns
from workbench.check.predicates import compile_pattern, found_in, searchable
from workbench.model.event import Claim, ClaimBasis, ClaimOutcome
from workbench.model.jsonvalue import parse_text

if TYPE_CHECKING:
    from workbench.model.contract import ClaimRules

__all__ = ["DEFAULT_CLAIMS", "DefaultClaims", "claim_outcome", "text_outcome"]

_TEXT_LIMIT_CHARS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultClaims:
    """The shipped patterns, all RE2, each searched in one sentence."""

    version: str
    success: str
    failure: str
    unresolved: str
    """Doubt and work that is still under way."""
    open: str
    """Promises, questions, conditions, requests: no statement that anything was done."""
    breaks: str
    """Where one sentence ends."""
    quoted: str
    """Words of somebody else, which are left out."""


DEFAULT_CLAIMS: Final = DefaultClaims(
    version="claims@2",
    success=claim_patterns.SUCCESS,
    failure=claim_patterns.FAILURE,
    unresolved=claim_patterns.UNRESOLVED,
    open=claim_patterns.OPEN,
    breaks=claim_patterns.BREAKS,
    quoted=claim_patterns.QUOTED,
)


def claim_outcome(claim: Claim, rules: ClaimRules) -> ClaimOutcome:
    """Return what a claim says.

    Raises:
        ContractError: a pattern of the rules that RE2 does not take.
    """
    stated = claim.outcome is not ClaimOutcome.UNKNOWN and claim.basis is not ClaimBasis.PATTERN
    return claim.outcome if stated else text_outcome(claim.text, rules)


def text_outcome(text: str, rules: ClaimRules) -> ClaimOutcome:
    """Return what a text says by the patterns alone."""
    matched = {
        outcome
        for outcome, patterns in rules.patterns.items()
        if any(found_in(pattern, text) for pattern in patterns)
    }
    if matched:
        return matched.pop() if len(matched) == 1 else ClaimOutcome.UNKNOWN
    default = _default_outcome(_unwrapped(text)[:_TEXT_LIMIT_CHARS])
    return ClaimOutcome.UNKNOWN if default in rules.patterns else default


_SPOKEN: Final = ("message", "text", "answer", "reply", "response", "content")


def _unwrapped(text: str) -> str:
    """Return what is said inside a JSON object, as some agents answer."""
    if not text.lstrip().startswith("{"):
        return text
    value = parse_text(text).value
    said = [value.get(key) for key in _SPOKEN] if isinstance(value, dict) else []
    return next((item for item in said if isinstance(item, str)), text)


@lru_cache(maxsize=8192)
def _default_outcome(text: str) -> ClaimOutcome:
    readings = {
        reading for sentence in _sentences(searchable(text)) for reading in _read_sentence(sentence)
    }
    stated = readings - {_OPEN}
    if len(stated) == 1:
        return ClaimOutcome(stated.pop())
    return ClaimOutcome.UNRESOLVED if readings == {_OPEN} else ClaimOutcome.UNKNOWN


def _sentences(text: str) -> list[str]:
    """Cut a text into sentences; a question keeps its mark."""
    marked = compile_pattern(DEFAULT_CLAIMS.quoted).sub('""', text)
    for mark in claim_patterns.QUESTION_MARKS:
        marked = marked.replace(mark, f"{mark}\n")
    return [part for part in compile_pattern(DEFAULT_CLAIMS.breaks).split(marked) if part]


_OPEN: Final = "open"


def _read_sentence(sentence: str) -> set[str]:
    """Return what one sentence states; what comes first governs what follows it."""
    if sentence.rstrip().endswith(claim_patterns.QUESTION_MARKS):
        return {_OPEN}
    starts = {
        reading: found.start()
        for reading, pattern in (
            ("success", DEFAULT_CLAIMS.success),
            ("failure", DEFAULT_CLAIMS.failure),
            ("unresolved", DEFAULT_CLAIMS.unresolved),
            (_OPEN, DEFAULT_CLAIMS.open),
        )
        if (found := compile_pattern(pattern).search(sentence)) is not None
    }
    doubt = min((at for reading, at in starts.items() if reading != "success"), default=None)
    if "success" in starts and doubt is not None and doubt <= starts["success"]:
        del starts["success"]
    if "unresolved" in starts and "failure" in starts:
        del starts["failure"]  # "could not confirm": doubt, not failure
    if starts.get(_OPEN, -1) >= 0 and len(starts) > 1:
        first = min(starts, key=lambda reading: starts[reading])
        return {first} if first == _OPEN else set(starts) - {_OPEN}
    return set(starts)
