"""What can be wrong with a case beside its verdicts; one function a question.

Every function takes a case and yields problems in the order of the file. Sentences name places,
tools and counts, never a value of the case.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import shown_key
from workbench.check.claims import claim_outcome
from workbench.check.globs import glob_matches
from workbench.errors import CaseFormatError
from workbench.model.case import ANY_TIMES, CaseState
from workbench.model.contract import Before
from workbench.model.event import Claim
from workbench.model.jsonvalue import same_json
from workbench.model.wording import counted
from workbench.replay.compare import parse_matchers
from workbench.replay.scripted import call_args

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workbench.model.case import Case, Fixture, Path, ScriptedCall, Turn
    from workbench.model.jsonvalue import Json
    from workbench.model.ledger import RedactionNote
    from workbench.replay.compare import Matcher

__all__ = ["Level", "Problem", "lint_case", "unseen_texts"]

_SHOWN: Final = 12
"""Places that are named; the case has them all."""


class Level(StrEnum):
    """What a problem means."""

    INVALID = "invalid"
    """The case cannot be run as written."""
    WRONG = "wrong"
    """The case does not do what it says."""
    NOTE = "note"
    """Worth a look; nothing is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that `check` found. No field has a default: all are written."""

    level: Level
    at: str
    """Dotted place in the case."""
    sentence: str


def lint_case(case: Case) -> tuple[Problem, ...]:
    """Return what is wrong with a case, without replaying it."""
    return tuple(problem for rule in _RULES for problem in rule(case))


def _matchers(case: Case) -> Iterator[Problem]:
    for at, fixture in enumerate(case.fixtures):
        try:
            parse_matchers(fixture.match)
        except CaseFormatError as error:
            sentence = f"{fixture.id}: {error}"
            yield Problem(level=Level.INVALID, at=f"fixtures.{at}", sentence=sentence)


def _refs(case: Case) -> Iterator[Problem]:
    """A `ref` to a fixture that is not there, or a range that nothing is in, never matches."""
    names = {fixture.id for fixture in case.fixtures}
    for at, fixture in enumerate(case.fixtures):
        for rule in _rules_of(fixture):
            place = str(rule.parameter).partition(".result")[0]
            if rule.word == "ref" and place not in names:
                sentence = f"{fixture.id}: `ref` names no fixture of the case, so it never matches"
                yield Problem(level=Level.WRONG, at=f"fixtures.{at}.match", sentence=sentence)
            if rule.word == "range" and _is_empty(rule.parameter):
                sentence = f"{fixture.id}: no number is in its `range`, so it never matches"
                yield Problem(level=Level.WRONG, at=f"fixtures.{at}.match", sentence=sentence)


def _rules_of(fixture: Fixture) -> Iterator[Matcher]:
    try:
        rules = parse_matchers(fixture.match)
    except CaseFormatError:  # said by another rule
        return
    for rule in rules.values():
        inner: Matcher | None = rule
        while inner is not None:
            yield inner
            inner = inner.inner


def _is_empty(bounds: Json) -> bool:
    low, high = bounds if isinstance(bounds, list) else (0, 0)
    return isinstance(low, int | float) and isinstance(high, int | float) and low > high


def _shadowed(case: Case) -> Iterator[Problem]:
    """A fixture behind one that answers the same call any number of times is never reached."""
    for at, fixture in enumerate(case.fixtures):
        for earlier in case.fixtures[:at]:
            if (
                earlier.times == ANY_TIMES
                and (earlier.tool, earlier.only) == (fixture.tool, fixture.only)
                and not (earlier.match or fixture.match)
                and same_json(earlier.args, fixture.args)
            ):
                sentence = f"{fixture.id} is never reached: {earlier.id} answers its call always"
                yield Problem(level=Level.NOTE, at=f"fixtures.{at}", sentence=sentence)
                break


def _ids(case: Case) -> Iterator[Problem]:
    for what, names in (
        ("fixtures", [fixture.id for fixture in case.fixtures]),
        ("paths", [path.name for path in case.paths]),
        ("tools", [tool.name for tool in case.tools]),
    ):
        for at, name in enumerate(names):
            if name in names[:at]:
                sentence = f"{name} is there twice"
                yield Problem(level=Level.INVALID, at=f"{what}.{at}", sentence=sentence)


def _scripted_gate(case: Case) -> Iterator[Problem]:
    if case.gate is not None and "scripted" in case.gate:
        yield Problem(
            level=Level.INVALID,
            at="gate.scripted",
            sentence="the same script run again is not another sample; only `live` takes a gate",
        )


def _claims(case: Case) -> Iterator[Problem]:
    """Patterns must find the outcome that a turn states, or no agent's text would be judged so."""
    for place, turn in _turns(case):
        if turn.text is None or turn.outcome is None or turn.structured:
            continue
        found = claim_outcome(Claim(text=turn.text), case.contract.claims)
        if found is not turn.outcome:
            yield Problem(
                level=Level.WRONG,
                at=place,
                sentence=f"its text is scripted as {turn.outcome} and the claims patterns read "
                f"{found}; add a pattern to contract.claims or set `structured: true`",
            )


def _twins(case: Case) -> Iterator[Problem]:
    """Equal calls of one turn with different results are told apart by arrival only."""
    for path in case.paths:
        for at, turn in enumerate(path.turns):
            for one, other in combinations(turn.tool_calls, 2):
                if _equal(one, other) and _answers_differ(case, path, one):
                    yield Problem(
                        level=Level.NOTE,
                        at=f"paths.{path.name}.turns.{at}",
                        sentence=f"{one.id} and {other.id} call {one.name} with equal arguments "
                        "and have different results; only their order tells them apart",
                    )


def _equal(one: ScriptedCall, other: ScriptedCall) -> bool:
    return one.name == other.name and same_json(call_args(one), call_args(other))


def _answers_differ(case: Case, path: Path, call: ScriptedCall) -> bool:
    found = [
        fixture
        for fixture in case.fixtures
        if fixture.tool == call.name
        and same_json(fixture.args, call_args(call))
        and (not fixture.only or path.name in fixture.only)
    ]
    return any(not _same_answer(found[0], other) for other in found[1:])


def _same_answer(one: Fixture, other: Fixture) -> bool:
    return (one.outcome, one.detail, one.error) == (
        other.outcome,
        other.detail,
        other.error,
    ) and same_json(one.result, other.result)


def _before(case: Case) -> Iterator[Problem]:
    """An authorisation that said no is a completed call too."""
    for clause in case.contract.clauses:
        if not isinstance(clause, Before) or clause.first.result:
            continue
        found = [f for f in case.fixtures if glob_matches(clause.first.tool, f.tool)]
        if any(not same_json(found[0].result, other.result) for other in found[1:]):
            yield Problem(
                level=Level.NOTE,
                at=f"contract.{clause.id}",
                sentence=f"results of {clause.first.tool} differ and the clause asks for none of "
                "them; add a `result` predicate, or a refusal counts as well",
            )


def _unknown_tools(case: Case) -> Iterator[Problem]:
    known = {tool.name for tool in case.tools}
    for place, turn in _turns(case):
        for call in turn.tool_calls:
            if call.name not in known:
                sentence = f"{call.id} calls a tool that `tools` does not list"
                yield Problem(level=Level.NOTE, at=place, sentence=sentence)


def _paths_of_fixtures(case: Case) -> Iterator[Problem]:
    names = {path.name for path in case.paths}
    for at, fixture in enumerate(case.fixtures):
        for name in fixture.only:
            if name not in names:
                sentence = f"{fixture.id} answers only in a path that is not there"
                yield Problem(level=Level.INVALID, at=f"fixtures.{at}.only", sentence=sentence)


def _unreviewed(case: Case) -> Iterator[Problem]:
    if sentence := unseen_texts(case.redaction):
        active = case.state in (CaseState.ACTIVE, CaseState.MUTED)
        yield Problem(
            level=Level.WRONG if active else Level.NOTE,
            at="redaction.unreviewed",
            sentence=sentence,
        )


def unseen_texts(note: RedactionNote | None) -> str:
    """Say how many texts nobody has seen, and where they were in the raw run; empty: none.

    >>> from dataclasses import replace
    >>> from workbench.model.ledger import RedactionNote, Residue
    >>> note = RedactionNote(policy="p", residue=Residue(views=1, hits=0), unreviewed=1)
    >>> unseen_texts(replace(note, unseen=("#4.text",)))
    '1 text seen by nobody yet; in the raw run: #4.text'
    """
    if note is None or not note.unreviewed:
        return ""
    places = ", ".join(map(shown_key, note.unseen[:_SHOWN]))
    more = len(note.unseen) - _SHOWN
    rest = f" and {more} more, all in redaction.unseen" if more > 0 else ""
    where = f"; in the raw run: {places}{rest}" if places else ""
    return f"{counted(note.unreviewed, 'text')} seen by nobody yet{where}"


def _turns(case: Case) -> Iterator[tuple[str, Turn]]:
    for path in case.paths:
        for at, turn in enumerate(path.turns):
            yield f"paths.{path.name}.turns.{at}", turn


_RULES: Final[tuple[Callable[[Case], Iterator[Problem]], ...]] = (
    _ids,
    _matchers,
    _refs,
    _shadowed,
    _paths_of_fixtures,
    _scripted_gate,
    _claims,
    _twins,
    _before,
    _unknown_tools,
    _unreviewed,
)
