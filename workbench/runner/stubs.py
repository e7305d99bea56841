"""Missed calls of live trials to stubs, and stubs that a person filled in to fixtures; pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.casefile.fixtures import key_args
from workbench.casefile.place import nearest, step_key
from workbench.casefile.storable import is_storable
from workbench.casefile.stubs import Stub
from workbench.check.judge import judge
from workbench.errors import RefusedError
from workbench.model.case import ANY_TIMES, Case, Fixture, PathBasis
from workbench.model.jsonvalue import Absent
from workbench.model.trace import calls_of
from workbench.replay.compare import differences, parse_matchers
from workbench.replay.scripted import replay_path
from workbench.runner.additions import free_name, not_green, same_answer

if TYPE_CHECKING:
    from workbench.casefile.place import Place
    from workbench.casefile.stubs import StubFile
    from workbench.model.trace import Call
    from workbench.runner.outcome import CaseResult, Missing, TrialResult

__all__ = ["missed_calls", "with_stubs"]


def missed_calls(result: CaseResult) -> tuple[Stub, ...]:
    """Return the calls of a case's trials that no fixture answered, each once, as met first.

    A call whose arguments no case file can hold is left out: no fixture could ever answer it.
    """
    seen: Counter[tuple[str, bytes]] = Counter()
    found: dict[tuple[str, bytes], Stub] = {}
    for trial in result.trials:
        for call, miss in _misses(trial):
            args = key_args(call.request)
            if not isinstance(args, Absent) and not is_storable(args):
                continue
            stub = Stub(tool=call.tool, args=args, nearest=miss.nearest, differs_at=miss.differs_at)
            seen[stub.key] += 1
            found.setdefault(stub.key, stub)
    return tuple(replace(stub, seen=seen[key]) for key, stub in found.items())


def _misses(trial: TrialResult) -> list[tuple[Call, Missing]]:
    """Pair what was missed with the calls that were told so."""
    explained = {(miss.tool, miss.explanation): miss for miss in trial.missing}
    pairs = []
    for call in calls_of(trial.trace):
        error = None if call.result is None else call.result.error
        miss = None if error is None else explained.get((call.tool, error.message or ""))
        if miss is not None:
            pairs.append((call, miss))
    return pairs


def with_stubs(case: Case, file: StubFile, *, by: str) -> tuple[Case, tuple[str, ...]]:
    """Return the case with the answers of a file of stubs as declared fixtures.

    Args:
        case: as it is.
        file: of stubs, all of them filled in.
        by: who declares them; a stub that names somebody else keeps that name.

    Returns:
        The case, and the ids of its new fixtures.

    Raises:
        CaseFormatError: the file is for another case, a stub is not filled in, calls a tool that
            the case does not have, or would never answer.
        RefusedError: with them a path would no longer end as it does.
    """
    if file.case != case.id:
        message = "names another case"
        raise file.place.error("case", message, fix=f"give the stubs of {case.id}")
    grown, added = case, list[str]()
    for at, stub in enumerate(file.stubs):
        key = step_key("stubs", at)
        answer = _answer(case, stub, file.place, key)
        name = free_name(f"f{len(grown.fixtures) + 1}", [f.id for f in grown.fixtures])
        fixture = replace(answer, id=name, basis=PathBasis.DECLARED, by=answer.by or by)
        _require_use(grown, fixture, file.place, key)
        grown = replace(grown, fixtures=(*grown.fixtures, fixture))
        added.append(name)
    if not added:
        raise file.place.error("stubs", "is empty; nothing is added", fix="fill in a stub")
    _require_same(case, grown)
    return grown, tuple(added)


def _answer(case: Case, stub: Stub, place: Place, key: str) -> Fixture:
    if stub.answer is None:
        raise place.error(
            step_key(key, "outcome"),
            "is not filled in; expected how the call ended",
            fix="write outcome, and result or error; or remove the stub",
        )
    names = [tool.name for tool in case.tools]
    if stub.tool not in names:
        near = nearest(stub.tool, names)
        raise place.error(
            step_key(key, "tool"),
            "names no tool of the case",
            fix="list it under tools of the case first" if near is None else f"write {near}",
        )
    return stub.answer


def _require_use(case: Case, fixture: Fixture, place: Place, key: str) -> None:
    """Refuse a fixture that says again what is there, or that an earlier one always precedes.

    The same call with another answer is none of the two: it answers the next call.
    """
    for other in case.fixtures:
        if other.tool != fixture.tool or other.only != fixture.only:
            continue
        rules = parse_matchers(other.match)
        if next(differences(other.args, fixture.args, rules), None) is not None:
            continue
        if other.times == ANY_TIMES:
            raise place.error(
                key,
                f"is answered by fixture {other.id} already, any number of times",
                fix="remove the stub, or give that fixture a number of times",
            )
        if other.by is not None and not rules and same_answer(other, fixture):
            raise place.error(
                key,
                f"is fixture {other.id} again; the same call has that answer already",
                fix="remove one, or write times",
            )


def _require_same(case: Case, grown: Case) -> None:
    """Refuse fixtures that change what a path shows.

    Raises:
        RefusedError: the recorded path fails in another way, or an accepted one is not green.
    """
    before = judge(replay_path(case, case.recorded), case.contract).signature
    after = judge(replay_path(grown, grown.recorded), grown.contract).signature
    reasons: list[str] = []
    if before != after:
        reasons.append(f"path {case.recorded.name} would not fail as the incident did")
    for path in case.accepted:
        if not not_green(case, path):
            reasons += [f"path {path.name}: {reason}" for reason in not_green(grown, path)]
    if reasons:
        message = f"the answers would change the paths of {case.id}"
        raise RefusedError(message, reasons=tuple(reasons), fix="restrict them with `only`")
