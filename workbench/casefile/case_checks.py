"""What must hold between the fields of a case, beyond the type of each.

Every check takes `(case, place)` and raises `CaseFormatError` at the first value that breaks a
rule of the page. What only a replay shows (a path that is not red, a dead clause) is not here.

Source:
    design page 04, "Rules".
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import decode
from workbench.casefile.gate_checks import check_gate
from workbench.casefile.place import describe, nearest, step_key
from workbench.casefile.tool_names import check_tool_names, listed_tools
from workbench.model.case import CaseState, Expectation, PathBasis, SourceKind
from workbench.model.event import (
    EVENT_TYPES,
    ContextChange,
    Event,
    Permission,
    Requestor,
    StateChange,
)
from workbench.model.trace import Effect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.casefile.place import Place
    from workbench.model.case import Case, Path, Turn
    from workbench.model.jsonvalue import JsonMap

__all__ = ["check_case", "check_date", "check_name", "check_slug", "is_date"]

_SLUG: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_SLUG_WORDS: Final = "letters, digits, `-` and `_`, at most 100, a letter or digit first"
_CALL_ID: Final = re.compile(r"[A-Za-z0-9_.:~-]{1,200}")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NAME_LENGTH: Final = 200
_ROLES: Final = ("system", "user", "assistant")
_LEVELS: Final = ("kernel", "netns", "landlock", "audit")


def check_case(case: Case, place: Place) -> None:
    """Refuse a case whose values do not fit one another.

    Raises:
        CaseFormatError: at the first one.
        ContractError: a gate that can never be reached, or a clause about no tool of the case.
    """
    for check in (
        _check_texts,
        _check_dates,
        _check_source,
        _check_input,
        _check_tools,
        _check_paths,
        _check_turns,
        _check_fixtures,
        _check_signature,
        _check_state,
    ):
        check(case, place)
    known = listed_tools(case.tools, _named_tools(case))
    check_tool_names(case.contract, known, place=place, key="contract", whole="the case")
    check_gate(case, place)


def _named_tools(case: Case) -> set[str]:
    """Return the tools that calls and fixtures of a case name."""
    calls = {call.name for path in case.paths for turn in path.turns for call in turn.tool_calls}
    return calls | {fixture.tool for fixture in case.fixtures}


def _check_texts(case: Case, place: Place) -> None:
    check_slug(case.id, place, "id")
    if not case.title.strip():
        raise place.error("title", "is empty; it is required", fix="fill in title")
    for key, name in _names_of_people(case):
        check_name(name, place, key)
    if case.require_isolation is not None and case.require_isolation not in _LEVELS:
        raise place.error(
            "require_isolation",
            f"is {describe(case.require_isolation)}; expected one of {', '.join(_LEVELS)}",
        )


def _names_of_people(case: Case) -> Iterator[tuple[str, str]]:
    """Yield who owns the case and who did what to it."""
    yield "owner", case.owner
    for at, entry in enumerate(case.history):
        yield f"history.{at}.by", entry.by
    for at, path in enumerate(case.paths):
        if path.by is not None:
            yield f"paths.{at}.by", path.by
    if case.mute is not None:
        yield "mute.by", case.mute.by
    if case.withdrawn is not None:
        yield "withdrawn.by", case.withdrawn.by


def check_name(name: str, place: Place, key: str) -> None:
    """Refuse what is no name of a person or a team.

    Raises:
        CaseFormatError: it is empty, too long or not printable.
    """
    if not name.strip():
        raise place.error(
            key, "is empty; it is required", fix=f"fill in {key.rpartition('.')[2] or place.name}"
        )
    if len(name) > _NAME_LENGTH or not name.isprintable():
        raise place.error(
            key, f"is {describe(name)}; expected one line of at most {_NAME_LENGTH}, all printable"
        )


def check_slug(text: str, place: Place, key: str) -> None:
    """Refuse what cannot be the id of a case.

    Raises:
        CaseFormatError: it is none.
    """
    if not _SLUG.fullmatch(text):
        raise place.error(key, f"is {describe(text)}; expected {_SLUG_WORDS}")


def _check_dates(case: Case, place: Place) -> None:
    dates = [("review_date", case.review_date)]
    dates += [(f"history.{at}.date", entry.date) for at, entry in enumerate(case.history)]
    if case.mute is not None:
        dates.append(("mute.until", case.mute.until))
    if case.withdrawn is not None:
        dates.append(("withdrawn.date", case.withdrawn.date))
    for key, text in dates:
        check_date(text, place, key)


def check_date(text: str, place: Place, key: str) -> None:
    """Refuse what is no day.

    Raises:
        CaseFormatError: it is none.
    """
    if not is_date(text):
        raise place.error(
            key,
            f"is {describe(text)}; expected a date of the calendar, YYYY-MM-DD",
            fix="write a day that there is, as 2027-02-28; in a file in double quotes",
        )


def is_date(text: str) -> bool:
    """Whether a text is a day of the calendar, `YYYY-MM-DD`."""
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _check_source(case: Case, place: Place) -> None:
    needs_run = case.source.kind in (SourceKind.INCIDENT, SourceKind.GOOD_RUN)
    if needs_run and not case.source.run_id:
        raise place.error(
            "source.run_id",
            f"is missing; a case of kind {case.source.kind} names its run",
            fix="add run_id",
        )


def _check_input(case: Case, place: Place) -> None:
    if not case.input.messages:
        raise place.error(
            "input.messages", "is empty; a case has a task", fix="add the user's message"
        )
    for at, message in enumerate(case.input.messages):
        key = f"input.messages.{at}"
        for name in message:
            if name not in ("role", "content"):
                raise place.error(
                    step_key(key, name), "is not a key here; expected role and content"
                )
        role = message.get("role")
        if role not in _ROLES:
            raise place.error(
                f"{key}.role", f"is {describe(role)}; expected one of {', '.join(_ROLES)}"
            )
        if not isinstance(message.get("content"), str):
            raise place.error(
                f"{key}.content", f"is {describe(message.get('content'))}; expected a string"
            )


def _check_distinct(names: Iterable[str], place: Place, key: str, field: str) -> None:
    seen: set[str] = set()
    for at, name in enumerate(names):
        if name in seen:
            raise place.error(
                f"{key}.{at}.{field}",
                "is used by an earlier one of the list",
                fix=f"give each its own {field}",
            )
        seen.add(name)


def _check_tools(case: Case, place: Place) -> None:
    _check_distinct((tool.name for tool in case.tools), place, "tools", "name")
    _check_distinct((tool.wire or tool.name for tool in case.tools), place, "tools", "wire")
    effects = {tool.name: tool.effect for tool in case.tools}
    for at, name in enumerate(case.local):
        if effects.get(name) is not Effect.PURE:
            raise place.error(
                f"local.{at}",
                "names no tool of the case with effect pure; others may not run for real",
                fix="declare the tool as pure, or give it fixtures",
            )


def _check_paths(case: Case, place: Place) -> None:
    for at, path in enumerate(case.paths):
        check_slug(path.name, place, f"paths.{at}.name")
        if not path.turns:
            raise place.error(
                f"paths.{at}.turns", "is empty; a path of no event says nothing", fix="add a turn"
            )
    _check_distinct((path.name for path in case.paths), place, "paths", "name")
    failing = [at for at, path in enumerate(case.paths) if path.expect is Expectation.FAIL]
    if len(failing) != 1:
        raise place.error(
            "paths",
            f"has {len(failing)} paths with expect: fail; expected one",
            fix="keep the incident's own path, named recorded, with expect: fail",
        )
    red = case.paths[failing[0]]
    incident = case.source.kind is SourceKind.INCIDENT
    if incident and red.name != "recorded":
        raise place.error(
            f"paths.{failing[0]}.name",
            "is the failing path of an incident; expected recorded",
            fix="name it recorded",
        )
    if incident and red.basis is not PathBasis.RECORDED:
        raise place.error(
            f"paths.{failing[0]}.basis",
            f"is {red.basis}; the failing path of an incident is recorded",
            fix="remove it",
        )


def _check_turns(case: Case, place: Place) -> None:
    tools = [tool.name for tool in case.tools]
    for at, path in enumerate(case.paths):
        _check_calls(path, place, f"paths.{at}.turns")
        for n, turn in enumerate(path.turns):
            _check_turn(turn, place, f"paths.{at}.turns.{n}", tools)


def _check_calls(path: Path, place: Place, key: str) -> None:
    seen: set[str] = set()
    for n, turn in enumerate(path.turns):
        for m, call in enumerate(turn.tool_calls):
            at = f"{key}.{n}.tool_calls.{m}"
            if not _CALL_ID.fullmatch(call.id):
                raise place.error(f"{at}.id", f"is {describe(call.id)}; expected a short id")
            if call.id in seen:
                raise place.error(
                    f"{at}.id", "is used by an earlier call of the path", fix="choose another id"
                )
            seen.add(call.id)
            if not call.name:
                raise place.error(f"{at}.name", "is empty; expected the name of a tool")


def _check_turn(turn: Turn, place: Place, key: str, tools: list[str]) -> None:
    if turn.outcome is not None and not turn.text:
        raise place.error(
            f"{key}.outcome", "is the outcome of no text", fix="add text, or remove outcome"
        )
    if turn.by is not None and (turn.text is not None or not turn.tool_calls):
        raise place.error(
            f"{key}.by", "says who made tool_calls that no reply asked for; expected those alone"
        )
    if turn.user is not None and turn.by is not Requestor.USER and _speaks(turn):
        raise place.error(
            f"{key}.user", "stands beside what the model said", fix="make it a turn of its own"
        )
    for at, name in enumerate(turn.offered or ()):
        if name not in tools:
            near = nearest(name, tools)
            raise place.error(
                f"{key}.offered.{at}",
                "names no tool of the case",
                fix="remove it" if near is None else f"write {near}",
            )
    _check_entries(turn, place, key)


def _speaks(turn: Turn) -> bool:
    return bool(turn.tool_calls) or turn.text is not None or turn.error is not None


def _check_entries(turn: Turn, place: Place, key: str) -> None:
    entries: tuple[tuple[str, type[Event], JsonMap | None], ...] = (
        ("permission", Permission, turn.permission),
        ("state_change", StateChange, turn.state_change),
        ("context_change", ContextChange, turn.context_change),
    )
    for name, kind, document in entries:
        if document is not None:
            decode(kind, document, place=place, key=f"{key}.{name}")


def _check_fixtures(case: Case, place: Place) -> None:
    _check_distinct((fixture.id for fixture in case.fixtures), place, "fixtures", "id")
    names = [path.name for path in case.paths]
    for at, fixture in enumerate(case.fixtures):
        key = f"fixtures.{at}"
        check_slug(fixture.id, place, f"{key}.id")
        if fixture.delay_ms is not None and fixture.delay_ms < 0:
            raise place.error(f"{key}.delay_ms", "is negative; expected milliseconds")
        for n, name in enumerate(fixture.only):
            if name not in names:
                raise place.error(
                    f"{key}.only.{n}",
                    "names no path of the case",
                    fix=f"write one of {', '.join(names)}",
                )


def _check_signature(case: Case, place: Place) -> None:
    ids = [clause.id for clause in case.contract.clauses]
    first = case.signature.first
    if first is None or not case.signature.clauses:
        raise place.error(
            "expect.signature",
            "violates nothing; a case fails in a known way",
            fix="write the signature that `workbench judge` prints",
        )
    for name in sorted(case.signature.clauses):
        if name not in ids:
            raise place.error(
                "expect.signature.clauses",
                f"has {describe(name)} that is no clause of the contract",
                fix=f"write one of {', '.join(ids)}",
            )
    if first.clause not in case.signature.clauses:
        raise place.error("expect.signature.first.0", "is none of the clauses of the signature")
    if first.kind not in (*EVENT_TYPES, "end"):
        raise place.error(
            "expect.signature.first.1",
            f"is {describe(first.kind)}; expected a kind of event, or end",
        )


def _check_state(case: Case, place: Place) -> None:
    if case.state is CaseState.MUTED and case.mute is None:
        raise place.error(
            "mute", "is missing; a muted case says who, why and until when", fix="add mute"
        )
    if case.state is not CaseState.ACTIVE:
        return
    if not case.accepted:
        raise place.error(
            "state",
            "is active and no path has expect: pass",
            fix="add one with `workbench accept`, or write state: proposed",
        )
    if case.redaction is not None and case.redaction.unreviewed:
        raise place.error(
            "redaction.unreviewed",
            f"is {case.redaction.unreviewed}; an active case has no unseen text",
            fix="review the texts, or write state: proposed",
        )
