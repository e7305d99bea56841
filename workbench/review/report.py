"""What a post-mortem says of an incident, as one value: read off a draft or a case.

Values of the trace are masked: a report leaves the room. What a person typed (title, reasons,
names) and the contract are shown, and so are names of tools and clauses.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypedDict

from workbench.casefile.case_document import case_document
from workbench.casefile.layout import format_mapping
from workbench.check.judge import judge
from workbench.errors import InputError, RefusedError
from workbench.model.trace import Losses
from workbench.replay.scripted import replay_path
from workbench.review.export import CaseDetails, case_of, with_claims
from workbench.review.masking import masked_case
from workbench.review.source import LoadedRun
from workbench.review.timeline import event_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.model.case import Case, ShrinkNote
    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.ledger import LedgerEntry, RedactionNote, TriggerNote
    from workbench.model.trace import Trace
    from workbench.model.verdict import Verdict

__all__ = ["Report", "report_of_case", "report_of_draft"]


class _Redacted(TypedDict):
    is_redacted: bool
    replaced: tuple[tuple[str, int, int], ...]
    retained: int
    unreviewed: int
    facts_lost: int


_LATER: Final = "named-at-export"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that the page shows."""

    name: str
    """Id of the draft or case."""
    title: str
    facts: tuple[tuple[str, str], ...]
    """Owner, state and so on, with what they are; typed by people or ours."""
    why: tuple[tuple[str, str], ...]
    trace: Trace
    lines: tuple[str, ...]
    """One an event, masked."""
    verdict: Verdict
    same_failure: bool
    """Whether the trace fails as the raw one did."""
    is_redacted: bool
    replaced: tuple[tuple[str, int, int], ...]
    """Type, values, places; the most frequent first."""
    retained: int
    """Values that a person left as they are."""
    unreviewed: int
    """Texts that nobody has seen yet."""
    trigger: tuple[TriggerNote, ...]
    facts_lost: int
    shrink: ShrinkNote | None
    preview: str | None
    """The case file, values masked; None: there is none yet."""
    no_preview: str | None
    """Why there is none."""
    commands: tuple[str, ...]
    """What to type next."""


def report_of_draft(draft: Draft, *, file: str, date: str) -> Report:
    """Return what is known of a draft; of a raw one that is less.

    Args:
        draft: at any step.
        file: its name, for the commands.
        date: of today.
    """
    preview, reason = _draft_preview(draft, date)
    trace = with_claims(draft.trace, draft.contract)
    verdict = judge(trace, draft.contract)
    source = draft.source
    facts = [("state", "draft"), ("grade of the trace", source.grade.value)]
    if source.imported_from is not None:
        facts.append(("imported from", source.imported_from))
    if source.incident is not None:
        facts.append(("incident", source.incident))
    facts.append(("fix", draft.contract.fix.value))
    first = verdict.violations[0].sentence if verdict.violations else "nothing is violated"
    return Report(
        name=draft.draft,
        title=first,
        facts=tuple(facts),
        why=(),
        trace=trace,
        lines=_lines(trace),
        verdict=verdict,
        same_failure=verdict.signature == draft.raw_signature,
        **_redaction(draft.redaction),
        trigger=draft.trigger,
        shrink=draft.shrink,
        preview=preview,
        no_preview=reason,
        commands=_draft_commands(draft, file),
    )


def report_of_case(case: Case, *, file: str) -> Report:
    """Return what a case says of its incident.

    Args:
        case: as loaded.
        file: its name, for the commands.

    Raises:
        InputError: its recorded path cannot be replayed.
    """
    trace = replay_path(case, case.recorded)
    verdict = judge(trace, case.contract)
    facts = [
        *(("owner", case.owner), ("state", case.state.value), ("severity", case.severity.value)),
        *(("next review", case.review_date), ("fix", case.fix.value)),
    ]
    if case.source.incident is not None:
        facts.append(("incident", case.source.incident))
    facts.append(("accepted paths", ", ".join(path.name for path in case.accepted) or "none yet"))
    why = case.why or {}
    return Report(
        name=case.id,
        title=case.title,
        facts=tuple(facts),
        why=tuple((key, text) for key, text in why.items() if isinstance(text, str)),
        trace=trace,
        lines=_lines(trace),
        verdict=verdict,
        same_failure=verdict.signature == case.signature,
        **_redaction(case.redaction),
        trigger=case.trigger,
        shrink=case.shrink,
        preview=format_mapping(masked_case(case_document(case))),
        no_preview=None,
        commands=(
            f"workbench check {file}",
            f"workbench run {file} --agent python:your_package.your_module:agent",
        ),
    )


def _lines(trace: Trace) -> tuple[str, ...]:
    run = LoadedRun(trace=trace, losses=Losses(), assumed_tools=())
    return event_lines(run, reveal=False)


def _redaction(note: RedactionNote | None) -> _Redacted:
    ledger = () if note is None else note.ledger
    return {
        "is_redacted": note is not None,
        "replaced": _by_type(entry for entry in ledger if entry.pseudonym is not None),
        "retained": sum(entry.pseudonym is None for entry in ledger),
        "unreviewed": 0 if note is None else note.unreviewed,
        "facts_lost": sum(len(entry.facts_lost) for entry in ledger),
    }


def _by_type(entries: Iterable[LedgerEntry]) -> tuple[tuple[str, int, int], ...]:
    values: Counter[str] = Counter()
    places: Counter[str] = Counter()
    for entry in entries:
        values[entry.type] += 1
        places[entry.type] += len(entry.at)
    return tuple((kind, n, places[kind]) for kind, n in values.most_common())


def _draft_preview(draft: Draft, date: str) -> tuple[str | None, str | None]:
    """Return the case that an export would write, or why there is none."""
    if draft.redaction is None:
        return None, "the draft is raw: a case is made of it once it is redacted"
    try:
        case = case_of(draft, CaseDetails(owner=_LATER, review_date=date), date=date)
    except (InputError, RefusedError) as error:
        return None, str(error)
    document: JsonMap = {**masked_case(case_document(case)), "review_date": _LATER}
    document.pop("history", None)
    return format_mapping(document), None


def _draft_commands(draft: Draft, file: str) -> tuple[str, ...]:
    if draft.redaction is None:
        return (f"workbench redact {file} --contract CONTRACT -o {file}",)
    details = "--owner OWNER --review-date DATE"
    steps = [] if draft.shrink is not None else [f"workbench shrink {file} -o {file}"]
    return (
        *steps,
        f"workbench export {file} {details} -o cases/",
        "workbench check cases/",
        "workbench run cases/ --agent python:your_package.your_module:agent",
    )
