"""What the self-test says of an exported case, clause by clause, and what the last step changed."""

from __future__ import annotations

import shlex
from difflib import unified_diff
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import encode
from workbench.casefile.files import shown_path
from workbench.check.judge import judge
from workbench.errors import InputError
from workbench.model.contract import FixPlace
from workbench.model.verdict import Result
from workbench.replay.scripted import replay_path
from workbench.runner.selftest import check_case

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.case import Case, Path as CasePath
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.runner.selftest import CaseReport

__all__ = ["proof_of"]

_SHOWN: Final = 200_000
"""Characters of a file that a browser is told."""
_WORST: Final = (Result.FAIL, Result.INCONCLUSIVE, Result.PASS)


def proof_of(case: Case, path: Path, *, was: str | None) -> JsonMap:
    """Return what is proven of a case and what is missing, with its file.

    Args:
        case: as it was loaded.
        path: of its file.
        was: text of the file before the last step; None: there was none.
    """
    report = check_case(case, path=shown_path(path))
    text = path.read_text("utf-8")
    return {
        "path": report.path,
        "state": report.state,
        "recorded_red": report.recorded_red,
        "accepted_green": report.accepted_green,
        "sound": report.sound,
        "dead_clauses": [*report.dead_clauses],
        "clauses": _clauses(case, report),
        "problems": [encode(problem) for problem in report.problems],
        "unreviewed": 0 if case.redaction is None else case.redaction.unreviewed,
        "text": text[:_SHOWN],
        "hidden": max(0, len(text) - _SHOWN),
        "diff": _diff(was, text, path.name),
        "commands": _commands(shlex.quote(shown_path(path)), case.fix),
    }


def _clauses(case: Case, report: CaseReport) -> list[Json]:
    """Return each clause with its verdict on the recorded path and on the accepted ones."""
    try:
        recorded = _results(case, case.recorded)
        accepted = [_results(case, one) for one in case.accepted]
    except InputError:  # it cannot be replayed, which the report says
        return []
    return [
        {
            "clause": clause,
            "recorded": result.value,
            "accepted": _worst([results[clause] for results in accepted]),
            "can_turn_red": _can_turn_red(clause, result, report),
        }
        for clause, result in recorded.items()
    ]


def _results(case: Case, path: CasePath) -> dict[str, Result]:
    verdict = judge(replay_path(case, path), case.contract)
    return {one.clause: one.result for one in verdict.clauses}


def _worst(results: list[Result]) -> str | None:
    return min(results, key=_WORST.index).value if results else None


def _can_turn_red(clause: str, recorded: Result, report: CaseReport) -> bool | None:
    """Whether something breaks a clause; None: without an accepted path nobody knows."""
    if recorded is Result.FAIL:
        return True
    return clause not in report.dead_clauses if report.accepted_green else None


def _diff(was: str | None, text: str, name: str) -> list[Json]:
    """Return the changed lines with some around them: `+`, `-`, `@` or blank, and the line."""
    if max(len(was or ""), len(text)) > _SHOWN:
        return []
    old = [] if was is None else was.splitlines()
    found = list(unified_diff(old, text.splitlines(), name, name, n=2, lineterm=""))[2:]
    return [[line[0], line if line[0] == "@" else line[1:]] for line in found]


def _commands(path: str, fix: FixPlace) -> list[Json]:
    """Return what to type next; a mistake of the model's is not tried by a scripted one."""
    run = f"workbench run {path} --agent SPEC"
    runs: list[Json] = [["Run your agent against it", run]]
    if fix is FixPlace.MODEL:
        runs = [
            ["Run your agent on the accepted paths", run],
            ["Try the recorded mistake, which a script does not", f"{run} --layer live"],
        ]
    return [
        ["Prove it without an agent", f"workbench check {path}"],
        *runs,
        ["Put it into the pull request", f"git add {path}"],
    ]
