"""The fields of the case form, and what a form alone can tell is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from workbench.casefile.case_checks import is_date
from workbench.model.case import Severity
from workbench.model.contract import FixPlace
from workbench.review.export import CaseDetails

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from workbench.model.jsonvalue import JsonMap
    from workbench.review.owners import Owners

__all__ = ["LIMITS", "CaseFields", "details_of", "problem", "without", "wrong_fields"]

_WORDS: Final = ("summary", "impact", "cause", "mend")
"""Fields of several lines."""
LIMITS: Final[Mapping[str, int]] = {
    "owner": 100,
    "review_date": 10,
    "severity": 10,
    "title": 200,
    "id": 100,
    "fix": 10,
    **dict.fromkeys(_WORDS, 4_000),
}
"""Characters that a field takes: what a person can mean, and a pull request can show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFields:
    """What people fill in; empty: not yet."""

    owner: str = ""
    review_date: str = ""
    severity: str = Severity.S2.value
    title: str = ""
    id: str = ""
    fix: str = ""
    """Empty: the contract's."""
    summary: str = ""
    impact: str = ""
    cause: str = ""
    mend: str = ""


def wrong_fields(fields: CaseFields, *, owners: Owners, today: str) -> Iterator[JsonMap]:
    """Yield what is wrong: field, message and fix; at most one a field, in their order."""
    for name in LIMITS:
        value: str = getattr(fields, name)
        found = _unfit(name, value)
        if found is None and name in _CHECKS:
            found = _CHECKS[name](value, owners, today)
        if found is not None:
            yield problem(name, *found)


def without(fields: CaseFields, names: set[str]) -> CaseFields:
    """Return fields that some case can have, with stand-ins for those that are wrong."""
    blank = CaseFields(owner="owner-to-be-named", review_date="9999-12-31")
    return replace(fields, **{name: getattr(blank, name) for name in names})


def details_of(fields: CaseFields) -> CaseDetails:
    """Return what the fields say of the case."""
    said = {name: getattr(fields, name).strip() for name in _WORDS}
    return CaseDetails(
        owner=fields.owner.strip(),
        review_date=fields.review_date,
        id=fields.id.strip() or None,
        title=fields.title.strip() or None,
        severity=Severity(fields.severity),
        fix=FixPlace(fields.fix) if fields.fix else None,
        why={name: text for name, text in said.items() if text} or None,
    )


def problem(field: str, message: str, fix: str | None) -> JsonMap:
    """Return a problem as it is shown at its field."""
    return {"field": field, "message": message, "fix": fix}


_Found = tuple[str, str]


def _unfit(name: str, value: str) -> _Found | None:
    """Say why no case can hold a text."""
    if len(value) > LIMITS[name]:
        message = f"is {len(value):,} characters; at most {LIMITS[name]:,} are taken"
        return message, "shorten it"
    spaces = "\n\t" if name in _WORDS else ""
    for at, char in enumerate(value, start=1):
        if not char.isprintable() and char not in spaces:
            message = f"has U+{ord(char):04X} as character {at}; expected what can be printed"
            return message, "delete that character"
    return None


def _owner(value: str, owners: Owners, _: str) -> _Found | None:
    if not value.strip():
        return "is empty; a case has an owner", "name a team"
    if not owners.knows(value.strip()):
        return f"is not in {', '.join(owners.sources)}", "name one that is"
    return None


def _review_date(value: str, _: Owners, today: str) -> _Found | None:
    if not is_date(value):
        return "is no day of the calendar; expected YYYY-MM-DD", "choose a day"
    if value <= today:
        return f"is not after today, {today}", "choose a day to come"
    return None


def _severity(value: str, _: Owners, __: str) -> _Found | None:
    return _one_of(value, [one.value for one in Severity])


def _fix(value: str, _: Owners, __: str) -> _Found | None:
    return _one_of(value, ["", *(one.value for one in FixPlace)])


def _one_of(value: str, known: list[str]) -> _Found | None:
    if value in known:
        return None
    return f"is none of {', '.join(filter(None, known))}", "choose one of them"


_CHECKS: Final[Mapping[str, Callable[[str, Owners, str], _Found | None]]] = {
    "owner": _owner,
    "review_date": _review_date,
    "severity": _severity,
    "fix": _fix,
}
