"""A case with one more accepted path and the fixtures it needs; refused unless it is green."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING

from workbench.casefile.build import wire_name
from workbench.check.judge import judge
from workbench.errors import InputError, RefusedError
from workbench.model.canonical import canonical_json
from workbench.model.case import ANY_TIMES, Case, CaseTool, Fixture, Path, PathBasis
from workbench.model.event import Outcome, ToolResult
from workbench.model.jsonvalue import Absent, same_json
from workbench.model.trace import Effect, calls_of
from workbench.model.verdict import Result
from workbench.replay.scripted import replay_path
from workbench.runner.verdicts import result_without

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.model.trace import Call, Trace

__all__ = ["free_name", "not_green", "same_answer", "with_path"]


def with_path(
    case: Case,
    path: Path,
    wanted: Sequence[Fixture],
    *,
    by: str,
    tools: Sequence[CaseTool] = (),
    expected: Trace | None = None,
) -> Case:
    """Return the case with a path more, and with those of its fixtures that are not there yet.

    Args:
        case: as it is.
        path: the new path.
        wanted: what its calls have to be answered, in order of completion.
        by: who declares the fixtures that are new.
        tools: what is known of tools; one that the path calls and nobody lists may write.
        expected: a trace whose calls the path has to repeat, each ending as it did there.

    Raises:
        InputError: a path of that name is there.
        RefusedError: the path is not green.
    """
    if any(path.name == other.name for other in case.paths):
        message = f"has a path named {path.name} already"
        raise InputError(message, place=case.id, fix="choose another name with --name")
    reasons: tuple[str, ...] = ()
    case = replace(case, tools=(*case.tools, *_new_tools(case, path, tools)))
    for only in ((), (path.name,)):
        fixtures = _new_fixtures(case, wanted, path=path.name, by=by, forced=only)
        grown = replace(case, paths=(*case.paths, path), fixtures=(*case.fixtures, *fixtures))
        reasons = (*not_green(grown, path), *_unlike(grown, path, expected))
        if not reasons and not _recorded_changed(case, grown):
            return grown
    raise RefusedError(f"path {path.name} of {case.id} is not green", reasons=reasons)


def _new_tools(case: Case, path: Path, known: Sequence[CaseTool]) -> list[CaseTool]:
    """Return the tools that only the new path calls, with wire names of their own."""
    listed = {tool.name for tool in case.tools}
    effects = {tool.name: tool for tool in known}
    wires = {tool.wire or tool.name for tool in case.tools}
    called = dict.fromkeys(call.name for turn in path.turns for call in turn.tool_calls)
    added: list[CaseTool] = []
    for name in called:
        if name not in listed:
            tool = effects.get(name, CaseTool(name=name, effect=Effect.WRITE))
            wire = wire_name(name, wires)
            wires.add(wire)
            added.append(replace(tool, wire=None if wire == name else wire))
    return added


def not_green(case: Case, path: Path) -> tuple[str, ...]:
    """Say why a path does not pass; nothing: it does."""
    trace = replay_path(case, path)
    verdict = judge(trace, case.contract)
    reasons = [f"{found.clause}: {found.sentence}" for found in verdict.violations]
    reasons += _misses(trace)
    unproven = [entry.clause for entry in case.unproven]
    if not reasons and result_without(verdict, unproven) is not Result.PASS:
        reasons = [
            f"{clause.clause} is inconclusive: {clause.sentence}"
            for clause in verdict.clauses
            if clause.result is Result.INCONCLUSIVE and clause.clause not in unproven
        ]
    return tuple(reasons)


def _unlike(case: Case, path: Path, expected: Trace | None) -> tuple[str, ...]:
    """Say which calls end otherwise than in the trace that the path was taken from."""
    if expected is None:
        return ()
    pairs = zip(calls_of(replay_path(case, path)), calls_of(expected), strict=False)
    return tuple(
        f"call {nth} ({call.tool}) would be answered otherwise than in the run"
        for nth, (call, origin) in enumerate(pairs, start=1)
        if not _ended_alike(call, origin)
    )


def _ended_alike(one: Call, other: Call) -> bool:
    if one.result is None or other.result is None:
        return one.result is other.result
    return one.outcome is other.outcome and same_json(one.result.result, other.result.result)


def _misses(trace: Trace) -> list[str]:
    return [
        f"{event.outcome}: {event.error.message if event.error else 'no fixture'}"
        for event in trace.events
        if isinstance(event, ToolResult)
        and event.outcome in (Outcome.BLOCKED, Outcome.MISSING_FIXTURE)
    ]


def _recorded_changed(case: Case, grown: Case) -> bool:
    """Whether the new fixtures answer in a path that was there before."""
    return any(replay_path(case, path) != replay_path(grown, path) for path in case.paths)


def free_name(wanted: str, taken: Iterable[str]) -> str:
    """Return `wanted`, or with a number behind it."""
    names, candidate, nth = set(taken), wanted, 1
    while candidate in names:
        nth += 1
        candidate = f"{wanted}-{nth}"
    return candidate


def _key(fixture: Fixture) -> tuple[str, bytes]:
    args = fixture.args
    return fixture.tool, b"" if isinstance(args, Absent) else canonical_json(args)


def _new_fixtures(
    case: Case, wanted: Sequence[Fixture], *, path: str, by: str, forced: tuple[str, ...]
) -> list[Fixture]:
    """Return the fixtures to add: per key all that are wanted, unless what is there suffices."""
    groups: dict[tuple[str, bytes], list[Fixture]] = defaultdict(list)
    known: dict[tuple[str, bytes], list[Fixture]] = defaultdict(list)
    for fixture in wanted:
        groups[_key(fixture)].append(fixture)
    for fixture in case.fixtures:
        if not fixture.only or path in fixture.only:
            known[_key(fixture)].append(fixture)
    enough = {key for key, group in groups.items() if not forced and _suffice(known[key], group)}
    added: list[Fixture] = []
    for fixture in wanted:
        key = _key(fixture)
        if key in enough:
            continue
        only = forced or ((path,) if known[key] else ())
        added.append(
            replace(
                fixture,
                id=free_name(f"f{len(case.fixtures) + len(added) + 1}", _ids(case, added)),
                basis=PathBasis.DECLARED,
                by=by,
                only=only,
            )
        )
    return added


def _ids(case: Case, added: Sequence[Fixture]) -> set[str]:
    return {fixture.id for fixture in (*case.fixtures, *added)}


def _suffice(known: Sequence[Fixture], wanted: Sequence[Fixture]) -> bool:
    """Whether what is there answers the wanted calls, one after the other, just so."""
    answers = _uses(known)
    for want in wanted:
        found = next(answers, None)
        if found is None or not same_answer(found, want):
            return False
        if want.times == ANY_TIMES and found.times != ANY_TIMES:
            return False
    return True


def _uses(fixtures: Iterable[Fixture]) -> Iterator[Fixture]:
    for fixture in fixtures:
        yield from repeat(fixture) if fixture.times == ANY_TIMES else repeat(fixture, fixture.times)


def same_answer(one: Fixture, other: Fixture) -> bool:
    """Whether two fixtures answer alike."""
    return (one.outcome, one.detail, one.error, one.operation_id) == (
        other.outcome,
        other.detail,
        other.error,
        other.operation_id,
    ) and same_json(one.result, other.result)
