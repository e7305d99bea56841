"""Gates of a case: which clauses, how many trials, and whether the bound can be reached at all.

Source:
    design page 04, "Rules"; E. B. Wilson (1927), J. Am. Stat. Assoc. 22(158), 209-212, for the
    lower bound of a rate.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, nearest, step_key
from workbench.errors import ContractError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.casefile.place import Place
    from workbench.model.case import Case
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["check_gate", "clauses_of_gate", "trials_needed"]

_CONFIDENCE: Final = 0.95


def trials_needed(lower: float, *, confidence: float = _CONFIDENCE) -> int:
    """Return the least number of trials that, all passed, has a Wilson lower bound of `lower`.

    Args:
        lower: rate to reach, 0 < lower < 1.
        confidence: of the two-sided interval, 0 < confidence < 1.

    >>> [trials_needed(rate) for rate in (0.5, 0.8, 0.9, 0.95, 0.99)]
    [4, 16, 35, 73, 381]
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    return math.ceil(z * z * lower / (1 - lower) - 1e-9)


def clauses_of_gate(case: Case, name: str) -> tuple[str, ...]:
    """Return the ids of the clauses that a name in a gate list stands for.

    A bare kind (`order`, `answer`, `answer.contains`) stands for all its clauses; an empty
    result: it names none.
    """
    ids = [clause.id for clause in case.contract.clauses]
    if name in ids:
        return (name,)
    names = case.contract.document.get("names")
    renamed = {str(new): old for old, new in names.items()} if isinstance(names, dict) else {}
    kinds = {clause: renamed.get(clause, clause).partition("/")[0] for clause in ids}
    return tuple(clause for clause, kind in kinds.items() if name in (kind, kind.partition(".")[0]))


def check_gate(case: Case, place: Place) -> None:
    """Refuse a gate that names no clause, names one twice, or can never be reached.

    Raises:
        CaseFormatError: a key or a value of the gate breaks the format.
        ContractError: the bound needs more trials than are planned.
    """
    if case.gate is None:
        return
    _known(case.gate, ("live",), place, "gate")
    live = case.gate.get("live")
    if not isinstance(live, dict):
        raise place.error("gate.live", f"is {describe(live)}; expected a mapping")
    _known(live, ("trials", "hard", "soft"), place, "gate.live")
    trials = live.get("trials", 1)
    if not _is_count(trials):
        raise place.error("gate.live.trials", f"is {describe(trials)}; expected an integer >= 1")
    listed: dict[str, str] = {}
    _check_names(case, live.get("hard", []), place, "gate.live.hard", listed)
    soft = live.get("soft", [])
    if not isinstance(soft, list):
        raise place.error("gate.live.soft", f"is {describe(soft)}; expected a list")
    for at, rule in enumerate(soft):
        _check_soft(case, rule, int(str(trials)), place, f"gate.live.soft.{at}", listed)


def _known(given: JsonMap, names: Iterable[str], place: Place, key: str) -> None:
    known = tuple(names)
    for name in given:
        if name not in known:
            near = nearest(name, known)
            raise place.error(
                step_key(key, name),
                f"is not a key here; expected one of {', '.join(known)}"
                + ("; the scripted layer is always hard, one trial" if name == "scripted" else ""),
                fix="remove it" if near is None else f"write {near}",
            )


def _is_count(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _check_names(case: Case, value: Json, place: Place, key: str, listed: dict[str, str]) -> None:
    if not isinstance(value, list):
        raise place.error(key, f"is {describe(value)}; expected a list of clauses")
    for at, name in enumerate(value):
        where = step_key(key, at)
        clauses = clauses_of_gate(case, name) if isinstance(name, str) else ()
        if not clauses:
            ids = ", ".join(clause.id for clause in case.contract.clauses)
            raise place.error(
                where, "names no clause of the contract", fix=f"write a kind, or one of {ids}"
            )
        for clause in clauses:
            if clause in listed:
                raise place.error(
                    where, f"lists {clause}, which {listed[clause]} lists", fix="list it once"
                )
            listed[clause] = where


def _check_soft(
    case: Case, rule: Json, trials: int, place: Place, key: str, listed: dict[str, str]
) -> None:
    if not isinstance(rule, dict):
        raise place.error(key, f"is {describe(rule)}; expected a mapping")
    _known(rule, ("clauses", "min_passes", "lower", "confidence"), place, key)
    _check_names(case, rule.get("clauses", []), place, step_key(key, "clauses"), listed)
    if not rule.get("clauses"):
        raise place.error(step_key(key, "clauses"), "is empty; expected clauses of the contract")
    if ("min_passes" in rule) == ("lower" in rule):
        raise place.error(key, "has both or neither of min_passes and lower; expected one")
    if "min_passes" in rule:
        _check_passes(rule["min_passes"], trials, place, step_key(key, "min_passes"))
    else:
        _check_lower(rule, trials, place, key)


def _check_passes(value: Json, trials: int, place: Place, key: str) -> None:
    if not _is_count(value):
        raise place.error(key, f"is {describe(value)}; expected an integer >= 1")
    if int(str(value)) > trials:
        raise _unreachable(place, key, f"is {value} of {trials} trials", int(str(value)))


def _check_lower(rule: JsonMap, trials: int, place: Place, key: str) -> None:
    rates: dict[str, float] = {}
    for name in ("lower", "confidence"):
        rate = rule.get(name, _CONFIDENCE)
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate < 1:
            raise place.error(
                step_key(key, name), f"is {describe(rate)}; expected a rate between 0 and 1"
            )
        rates[name] = rate
    needed = trials_needed(rates["lower"], confidence=rates["confidence"])
    if needed > trials:
        message = f"is {rates['lower']}, out of reach with {trials} trials even if all pass"
        raise _unreachable(place, step_key(key, "lower"), message, needed)


def _unreachable(place: Place, key: str, message: str, needed: int) -> ContractError:
    return ContractError(
        message, place=place.at(key), key=key, fix=f"plan {needed} trials, or ask for less"
    )
