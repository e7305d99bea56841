"""The accepted verdict of each case, committed: `cases/baseline.json`. Only worse fails.

Source:
    design page 09, "Gates".
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from statistics import median
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import decode, encode_fields
from workbench.casefile.files import read_bytes, shown_path, write_over
from workbench.casefile.strict_json import load_json
from workbench.model.jsonvalue import JsonMap  # noqa: TC001  read at run time by the codec
from workbench.runner.outcome import CaseVerdict
from workbench.runner.strength import Measured  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workbench.runner.outcome import CaseResult, RunReport, TrialResult

__all__ = [
    "Baseline",
    "Entry",
    "Medians",
    "baseline_diff",
    "entry_of",
    "load_baseline",
    "medians_of",
    "save_baseline",
    "updated_baseline",
]

_SCHEMA: Final = "baseline/1"
_MAX_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Medians:
    """Of the trials that concluded; of all when none did."""

    calls: float
    tokens: float
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What was accepted of one case."""

    digest: str
    layer: str
    versions: JsonMap
    """Of the agent and of the models that it asked."""
    settings: JsonMap
    """Trials and isolation."""
    verdict: CaseVerdict
    passes: int
    trials: int
    medians: Medians
    severity: str
    owner: str
    title: str
    fails: Measured | None = None
    """The last version on which it failed."""
    passing: Measured | None = None
    """The last version on which it passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """The last change of a baseline."""

    at: str | None = None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """All of a baseline."""

    updated: Update | None = None
    cases: dict[str, Entry] = field(default_factory=dict)
    """By case id."""


def load_baseline(path: Path) -> Baseline:
    """Read a baseline; a file that is not there is an empty one.

    Raises:
        CaseFormatError: it is no baseline.
    """
    if not path.exists():
        return Baseline()
    document, place = load_json(read_bytes(path, limit=_MAX_BYTES), name=shown_path(path))
    if not isinstance(document, dict) or document.get("schema") != _SCHEMA:
        raise place.error(
            "schema", f"is not {_SCHEMA}", fix="give a file that --update-baseline wrote"
        )
    rest = {name: value for name, value in document.items() if name != "schema"}
    return decode(Baseline, rest, place=place)


def save_baseline(baseline: Baseline, path: Path) -> None:
    """Write a baseline, one line a case, so that a change reviews well.

    Raises:
        CaseFormatError: it cannot be written.
    """
    head = {"schema": _SCHEMA, **encode_fields(baseline)}
    head.pop("cases", None)
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    cases = [
        f"    {json.dumps(name)}: {json.dumps(encode_fields(entry), sort_keys=True)}"
        for name, entry in sorted(baseline.cases.items())
    ]
    body = ",\n".join(cases)
    text = "\n".join(("{", *lines, '  "cases": {', *([body] if body else []), "  }", "}"))
    write_over(path, text + "\n")


# --- from a run ------------------------------------------------------------------------


def medians_of(trials: tuple[TrialResult, ...]) -> Medians | None:
    """Return the medians of trials; None: there is none."""
    counted = [t for t in trials if t.verdict is not CaseVerdict.INCONCLUSIVE] or list(trials)
    if not counted:
        return None
    return Medians(
        calls=median(trial.calls for trial in counted),
        tokens=median(trial.tokens for trial in counted),
        ms=median(trial.ms for trial in counted),
    )


def entry_of(result: CaseResult, report: RunReport) -> Entry | None:
    """Return the entry that a case's result would be; None: it did not run."""
    medians = medians_of(result.trials)
    if medians is None or result.gate is None:
        return None
    strength = result.strength
    return Entry(
        digest=result.digest,
        layer=report.layer,
        versions=report.versions,
        settings={"trials": result.gate.trials, "isolation": _isolation(result)},
        verdict=result.verdict,
        passes=result.gate.passes,
        trials=result.gate.trials,
        medians=medians,
        severity=result.severity,
        owner=result.owner,
        title=result.title,
        fails=None if strength is None else strength.fails,
        passing=None if strength is None else strength.passes,
    )


def _isolation(result: CaseResult) -> str:
    return ", ".join(sorted({trial.isolation for trial in result.trials}))


def updated_baseline(
    old: Baseline, report: RunReport, *, reason: str, at: str | None = None
) -> Baseline:
    """Return the baseline that accepts a run.

    A case that `--select` left out keeps its entry; one that is gone loses it.

    Args:
        old: the baseline so far.
        report: of a run that ended by itself.
        reason: why it is accepted.
        at: RFC 3339 time.
    """
    cases = dict(old.cases)
    for result in report.cases:
        entry = entry_of(result, report)
        if entry is not None:
            cases[result.id] = entry
        else:
            cases.pop(result.id, None)
    return Baseline(updated=Update(at=at, reason=reason), cases=cases)


def baseline_diff(old: Baseline, new: Baseline) -> tuple[str, ...]:
    """Return one line for each case whose entry changes."""
    return tuple(_changes(old, new))


def _changes(old: Baseline, new: Baseline) -> Iterator[str]:
    for name in sorted({*old.cases, *new.cases}):
        before, now = old.cases.get(name), new.cases.get(name)
        if before is None and now is not None:
            yield f"+ {name}: {_shown(now)}"
        elif now is None and before is not None:
            yield f"- {name}: {_shown(before)}"
        elif before is not None and now is not None and before != now:
            changed = [
                f.name for f in fields(Entry) if getattr(before, f.name) != getattr(now, f.name)
            ]
            if changed == ["medians"] and before.medians.calls == now.medians.calls:
                continue
            yield f"~ {name}: {_shown(before)} -> {_shown(now)} ({', '.join(changed)})"


def _shown(entry: Entry) -> str:
    return f"{entry.verdict} {entry.passes}/{entry.trials}"
