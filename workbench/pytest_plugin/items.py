"""One case file, one test.

A broken clause is a failure whose text is our report. What proves nothing (inconclusive, no
valid case, an agent that cannot be started) is an error of the set-up, so that nobody takes it
for a verdict. A case that does not gate never fails: it is skipped or fails as expected.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from workbench.casefile.case import load_case
from workbench.casefile.case_lines import find_lines
from workbench.errors import InputError
from workbench.replay.adapters.environment import upstream_from
from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.case_lines import (
    LIVE,
    case_lines,
    case_title,
    is_invalid,
    other_invalid,
)
from workbench.runner.reports.harmless import harmless
from workbench.runner.strength import strength_line
from workbench.runner.trials import run_cases

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.runner.outcome import CaseResult, RunReport

__all__ = ["CaseFile", "CaseItem", "Setting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the flags say."""

    agent: str
    layer: str
    isolate: str
    gate_proposed: bool


class CaseFile(pytest.File):
    """One case file."""

    def __init__(self, *, setting: Setting, **given: Any) -> None:  # noqa: ANN401  pytest's own
        super().__init__(**given)
        self.setting = setting

    def collect(self) -> Iterator[CaseItem]:
        """Yield the one case; a file that is none is a test that errs, so that others run."""
        try:
            case: Case | None = load_case(self.path)
        except InputError:
            case = None
        name = self.path.name if case is None else case.id
        item: CaseItem = CaseItem.from_parent(self, name=name)
        if case is not None:
            words = (case.state.value, case.severity.value, case.owner, *case.tags)
            item.extra_keyword_matches.update(words)
        if self.setting.layer == LIVE:
            item.add_marker(LIVE)
        yield item


class CaseItem(pytest.Item):
    """One case, run against the agent."""

    parent: CaseFile
    _broken: str | None = None
    """The report of a case with a broken clause."""

    def setup(self) -> None:
        """Run the case; whatever is no verdict on the agent ends here."""
        report = self._report()
        if not report.cases:
            raise _failure("\n".join(map(_lines, other_invalid(report))))
        (case,) = report.cases
        text = "\n".join((case_title(case), harmless(case.title), *case_lines(case, report)))
        self.user_properties.extend(_facts(case))
        if is_invalid(case):
            raise _failure(text)
        if case.verdict is CaseVerdict.NOT_RUN:
            pytest.skip(harmless(case.reason or "not run"))
        if case.verdict is not CaseVerdict.PASS and not case.gates:
            pytest.xfail(f"{case.verdict}, but {case.state} cases do not gate\n{text}")
        if case.verdict is CaseVerdict.INCONCLUSIVE:
            raise _failure(text)
        self._broken = text if case.verdict is CaseVerdict.FAIL else None

    def runtest(self) -> None:
        """Fail where a clause was broken."""
        if self._broken is not None:
            raise _failure(self._broken)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file, the line of the case's id from 0, and the name."""
        try:
            line = find_lines(self.path).of_key("id") - 1
        except InputError:
            line = 0
        return self.path, line, self.name

    def _report(self) -> RunReport:
        setting = self.parent.setting
        try:
            return run_cases(
                [os.path.relpath(self.path)],
                agent=setting.agent,
                layer=setting.layer,
                isolate=setting.isolate,
                gate_proposed=setting.gate_proposed,
                upstream=upstream_from(os.environ) if setting.layer == LIVE else None,
            )
        except InputError as error:
            raise _failure(_lines(str(error))) from None


def _failure(text: str) -> BaseException:
    """Return what ends a phase with our text alone; a traceback through pytest helps nobody."""
    return pytest.fail.Exception(text, pytrace=False)


def _lines(text: str) -> str:
    return "\n".join(map(harmless, text.splitlines()))


def _facts(case: CaseResult) -> Iterator[tuple[str, object]]:
    """Yield what pytest's own JUnit file shows as properties."""
    yield "verdict", case.verdict.value
    if case.strength is not None:
        yield "strength", harmless(strength_line(case.strength))
    if case.coverage is not None:
        yield "coverage", f"{case.coverage[0]}/{case.coverage[1]}"
    for level in dict.fromkeys(f"{t.isolation} ({t.isolation_note})" for t in case.trials):
        yield "isolation", harmless(level)
