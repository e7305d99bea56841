"""`workbench check`: proves a case without any agent, and never says "passed".

The recorded path must fail as the incident did, each accepted path must pass, and every clause
must be able to turn red.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.check.judge import judge
from workbench.check.mutate import dead_clauses
from workbench.errors import InputError
from workbench.model.case import CaseState, Expectation, Path, PathBasis, Turn
from workbench.model.event import ClaimOutcome, Outcome, ToolResult
from workbench.model.verdict import Result
from workbench.replay.scripted import replay_path
from workbench.runner.lint import Level, Problem, lint_case
from workbench.runner.reports.harmless import harmless
from workbench.runner.strength import Strength, strength_line
from workbench.runner.verdicts import result_without

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.case import Case
    from workbench.model.trace import Trace
    from workbench.model.verdict import Verdict

__all__ = ["CaseReport", "check_case", "invalid_case", "render_report"]

_REFUSED: Final = (Outcome.BLOCKED, Outcome.MISSING_FIXTURE)
_IDLE: Final = Turn(text="-", outcome=ClaimOutcome.UNRESOLVED, structured=True)
"""All that an agent says that does nothing: that nothing is done."""
_IDLE_NOTE: Final = Problem(
    level=Level.NOTE,
    at="contract",
    sentence="an agent that does nothing keeps it as well; `must_call` or `finishes` says "
    "what has to be done",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """What `check` says of one case. No field has a default: all are written."""

    id: str | None
    path: str | None
    """The file, relative."""
    state: str | None
    valid: bool
    """The case can be run as written."""
    recorded_red: bool
    """The recorded path fails with `expect.signature`."""
    accepted_green: bool | None
    """Every accepted path passes; None: there is none."""
    dead_clauses: tuple[str, ...]
    """Clauses that nothing turns red."""
    strength: Strength | None
    problems: tuple[Problem, ...]

    @property
    def sound(self) -> bool:
        """Whether the case does what it says."""
        red_and_green = self.recorded_red and self.accepted_green is not False
        wrong = any(problem.level is not Level.NOTE for problem in self.problems)
        return self.valid and red_and_green and not wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replayed:
    path: Path
    trace: Trace
    verdict: Verdict
    unproven: tuple[str, ...]


def invalid_case(path: str | None, message: str) -> CaseReport:
    """Return the report of a file that is no case."""
    problem = Problem(level=Level.INVALID, at="", sentence=message)
    return CaseReport(
        id=None,
        path=path,
        state=None,
        valid=False,
        recorded_red=False,
        accepted_green=None,
        dead_clauses=(),
        strength=None,
        problems=(problem,),
    )


def check_case(case: Case, *, path: str | None = None) -> CaseReport:
    """Replay every path of a case and say what is proven and what is missing.

    Args:
        case: as loaded.
        path: of its file, for the report.
    """
    found = list(lint_case(case))
    replays: list[_Replayed] = []
    try:
        replays = [_replayed(case, entry) for entry in case.paths]
    except InputError as error:
        found.append(Problem(level=Level.INVALID, at="paths", sentence=str(error)))
    invalid = any(problem.level is Level.INVALID for problem in found)
    recorded = [r for r in replays if r.path is case.recorded]
    accepted = [r for r in replays if r.path in case.accepted]
    red = any(r.verdict.signature == case.signature for r in recorded)
    green = all(_is_green(r) for r in accepted) if accepted else None
    dead = _dead_clauses(case, accepted, recorded)
    idle = _idle_passes(case) if replays else None
    if replays:
        found += _verdict_problems(case, recorded, accepted)
    if idle:
        found.append(_IDLE_NOTE)
    found += _dead_problems(case, dead)
    killable = (
        None
        if dead is None
        else (len(case.contract.clauses) - len(dead), len(case.contract.clauses))
    )
    return CaseReport(
        id=case.id,
        path=path,
        state=case.state.value,
        valid=not invalid,
        recorded_red=red,
        accepted_green=green,
        dead_clauses=dead or (),
        strength=Strength(
            red=red,
            green=green,
            killable=killable,
            idle=idle,
            fails=None,
            passes=None,
            coverage=None,
        ),
        problems=tuple(found),
    )


def _replayed(case: Case, path: Path) -> _Replayed:
    trace = replay_path(case, path)
    return _Replayed(
        path=path,
        trace=trace,
        verdict=judge(trace, case.contract),
        unproven=tuple(entry.clause for entry in case.unproven),
    )


def _is_green(replay: _Replayed) -> bool:
    passes = result_without(replay.verdict, replay.unproven) is Result.PASS
    return passes and not any(_misses(replay.trace))


def _misses(trace: Trace) -> Iterator[str]:
    for event in trace.events:
        if isinstance(event, ToolResult) and event.outcome in _REFUSED:
            yield event.error.message or "" if event.error is not None else ""


def _dead_clauses(
    case: Case, accepted: Sequence[_Replayed], recorded: Sequence[_Replayed]
) -> tuple[str, ...] | None:
    """Return clauses that no mutation of a passing path breaks and the recorded path neither.

    None: there is no passing path, so nothing is known.
    """
    passing = [replay for replay in accepted if _is_green(replay)]
    if not passing:
        return None
    broken = {clause for replay in recorded for clause in replay.verdict.signature.clauses}
    dead = [set(dead_clauses(replay.trace, case.contract)) for replay in passing]
    alive_nowhere = set.intersection(*dead) - broken
    return tuple(sorted(alive_nowhere))


def _verdict_problems(
    case: Case, recorded: Sequence[_Replayed], accepted: Sequence[_Replayed]
) -> Iterator[Problem]:
    for replay in recorded:
        if replay.verdict.signature != case.signature:
            sentence = f"it does not fail as the incident did: {_shown(replay.verdict)}"
            yield Problem(level=Level.WRONG, at="paths.recorded", sentence=sentence)
    for replay in accepted:
        if not _is_green(replay):
            sentence = f"it is accepted and not green: {_shown(replay.verdict)}"
            at = f"paths.{replay.path.name}"
            yield Problem(level=Level.WRONG, at=at, sentence=sentence)
    for replay in (*recorded, *accepted):
        for explanation in _misses(replay.trace):
            yield Problem(level=Level.NOTE, at=f"paths.{replay.path.name}", sentence=explanation)
    if not accepted:
        active = case.state is CaseState.ACTIVE
        yield Problem(
            level=Level.WRONG if active else Level.NOTE,
            at="paths",
            sentence="no accepted path yet",
        )


def _idle_passes(case: Case) -> bool:
    """A contract that only forbids is also kept by an agent that never lifts a finger."""
    said = (turn for turn in case.recorded.turns if turn.user is not None and turn.by is None)
    turns = [_IDLE, *(entry for turn in said for entry in (turn, _IDLE))]
    idle = Path(name="idle", expect=Expectation.PASS, basis=PathBasis.MUTATED, turns=tuple(turns))
    return _is_green(_replayed(case, idle))


def _shown(verdict: Verdict) -> str:
    """Say what a path violates, or what cannot be judged."""
    if verdict.violations:
        return "; ".join(f"{v.clause}: {v.sentence}" for v in verdict.violations[:3])
    unclear = [c for c in verdict.clauses if c.result is Result.INCONCLUSIVE]
    if unclear:
        return "; ".join(f"{c.clause} is inconclusive: {c.sentence}" for c in unclear[:3])
    return "nothing is violated"


def _dead_problems(case: Case, dead: tuple[str, ...] | None) -> Iterator[Problem]:
    level = Level.WRONG if case.state is CaseState.ACTIVE else Level.NOTE
    for clause in dead or ():
        sentence = "nothing turns this clause red; it protects against nothing"
        yield Problem(level=level, at=f"contract.{clause}", sentence=sentence)


def render_report(report: CaseReport) -> str:
    """Return a report for the terminal: one line, and one more for each problem."""
    name = report.path or report.id or "case"
    strength = "invalid" if report.strength is None else strength_line(report.strength)
    state = "" if report.state is None else f" [{report.state}]"
    lines = [f"{name}{state}: {strength if report.valid else 'invalid'}"]
    lines += [f"  {p.level.value}: {_placed(p)}" for p in report.problems]
    return "\n".join(harmless(line) for text in lines for line in text.split("\n"))


def _placed(problem: Problem) -> str:
    return f"{problem.at}: {problem.sentence}" if problem.at else problem.sentence
