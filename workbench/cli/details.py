"""The flags that `export` and `make` share: what a case says that no trace can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.case import CASE_SUFFIX
from workbench.casefile.case_checks import check_date, check_name, check_slug
from workbench.casefile.files import require_room
from workbench.casefile.place import Place, nearest
from workbench.cli.flags.details import WHY_KEYS
from workbench.cli.options import complain, settings_of
from workbench.errors import InputError
from workbench.model.case import Severity
from workbench.model.contract import FixPlace
from workbench.review.export import CaseDetails

if TYPE_CHECKING:
    from argparse import Namespace

    from workbench.model.jsonvalue import JsonMap

__all__ = ["details_of"]


def details_of(options: Namespace, *, today: str) -> CaseDetails:
    """Return the flags as a value, before any work is done; a review date that is past is said.

    Args:
        options: of the command line.
        today: ISO date.

    Raises:
        InputError: a `--why` has no key, or another one; the owner is none of those that
            `workbench.toml` lists; a name, a date or the id cannot stand in a case; no file can
            be written where `--out` says.
    """
    settings = settings_of()
    check_name(options.owner, Place(name="--owner"), "")
    _require_owner(options.owner, settings.review.owners)
    check_date(options.review_date, Place(name="--review-date"), "")
    if options.title and not options.title.strip():
        message = "is empty; expected a sentence, or none: the first violation's is then taken"
        raise InputError(message, place="--title", fix="leave --title out")
    if options.id is not None:
        check_slug(options.id, Place(name="--id"), "")
    require_room(options.out.parent if options.out.name.endswith(CASE_SUFFIX) else options.out)
    if options.review_date < today:
        complain(
            f"workbench: --review-date {options.review_date} is past; the case is due for review "
            "from its first day"
        )
    return CaseDetails(
        owner=options.owner,
        review_date=options.review_date,
        id=options.id,
        title=options.title,
        severity=Severity(options.severity),
        fix=None if options.fix is None else FixPlace(options.fix),
        why=_why(options.why),
        incident=options.incident,
        local=tuple(name for name, tool in settings.tools.items() if tool.local),
    )


def _require_owner(owner: str, known: tuple[str, ...]) -> None:
    """Refuse an owner whom nobody would find.

    Raises:
        InputError: `[review] owners` lists others only.
    """
    if known and owner not in known:
        near = nearest(owner, known)
        message = f"is none of the {len(known)} of [review] owners in workbench.toml"
        fix = f"write one of {', '.join(known)}" if near is None else f"write {near}"
        raise InputError(message, place="--owner", fix=fix)


def _why(texts: list[str]) -> JsonMap | None:
    found: JsonMap = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or key not in WHY_KEYS:
            message = f"has no known key; expected KEY=TEXT, KEY one of {', '.join(WHY_KEYS)}"
            raise InputError(message, place="--why", fix='e.g. --why "impact=charged twice"')
        found[key] = value
    return {key: found[key] for key in WHY_KEYS if key in found} or None
