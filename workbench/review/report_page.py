"""The report as one HTML file: no script, no request, both colour schemes, fit for paper.

The page forbids by its own policy what it does not need, so that no viewer runs or fetches
anything; and all text goes through `markup`.
"""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import TYPE_CHECKING, Final

from workbench.model.event import Claim, ToolResult
from workbench.model.verdict import Result
from workbench.model.wording import counted
from workbench.review.markup import Fragment, joined, shown, tag
from workbench.review.report_lanes import MOST_MARKS, is_bad, lane_of, lanes_picture
from workbench.runner.reports.text import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.event import Event
    from workbench.model.verdict import Violation
    from workbench.review.report import Report

__all__ = ["report_page"]

_MOST_ROWS: Final = 400
_AROUND: Final = 12
_MOST_FACTS: Final = 40
_MOST_PLACES: Final = 12
"""Of the evidence of one violation."""
_PREVIEW_LINES: Final = 600
_WORDS: Final = {
    Result.FAIL: "broken",
    Result.INCONCLUSIVE: "not known",
    Result.PASS: "holds",
}


def report_page(report: Report) -> str:
    """Return the page."""
    style = resources.files("workbench.review").joinpath("report.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{shown(cut(report.title, 120))}</title><style>{style}</style>"
    )
    body = tag("main", _header(report), *_sections(report), _footer())
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _header(report: Report) -> Fragment:
    facts = [joined(tag("dt", name), tag("dd", value)) for name, value in report.facts]
    return tag(
        "header",
        tag("p", "Incident report", class_="kicker"),
        tag("h1", report.title),
        tag("p", report.name, class_="name"),
        tag("dl", *facts, class_="facts"),
        _figures(report),
    )


def _figures(report: Report) -> Fragment:
    """Return the four figures that a reader looks for first."""
    broken = len({violation.clause for violation in report.verdict.violations})
    values = sum(n for _, n, _ in report.replaced)
    events = len(report.trace.events)
    size = (
        (str(events), "events, not shrunk")
        if report.shrink is None
        else (f"{report.shrink.events[0]} → {report.shrink.events[1]}", "events, shrunk")
    )
    replaced = (str(values), "values replaced") if report.is_redacted else ("raw", "not redacted")
    kept = sum(len(note.facts) for note in report.trigger)
    cards = (
        (f"{broken} of {len(report.verdict.clauses)}", "clauses broken", "bad" if broken else ""),
        (*size, ""),
        (*replaced, "" if report.is_redacted else "bad"),
        (str(kept), "facts of the trigger kept", ""),
    )
    return tag(
        "div",
        *(
            tag(
                "div",
                tag("p", value, class_=f"value {look}".strip()),
                tag("p", words),
                class_="card",
            )
            for value, words, look in cards
        ),
        class_="cards",
    )


def _sections(report: Report) -> Iterator[Fragment]:
    if not report.is_redacted:
        yield tag(
            "p",
            tag("strong", "This trace is raw. "),
            "Values are masked here as everywhere, but names of tools and keys are as recorded.",
            class_="note",
        )
    if report.why:
        yield _section("What happened", _pairs(report.why))
    yield _section("The contract and where it broke", *_contract(report))
    yield _section("Timeline", *_timeline(report))
    yield _section("What was replaced", *_replaced(report))
    yield _section("Size", *_size(report))
    yield _section("The case file", *_preview(report))
    yield _section("How to run it", tag("pre", *_lines(report.commands)))


def _section(title: str, *children: Fragment) -> Fragment:
    return tag("section", tag("h2", title), *children)


def _pairs(pairs: Sequence[tuple[str, str]]) -> Fragment:
    return tag("dl", *(joined(tag("dt", k), tag("dd", v)) for k, v in pairs), class_="pairs")


def _contract(report: Report) -> Iterator[Fragment]:
    violations = report.verdict.violations
    if not violations:
        yield tag("p", "No clause is broken.")
    else:
        items = (
            _violation(nth, v, report) for nth, v in enumerate(violations[:MOST_MARKS], start=1)
        )
        yield tag("ol", *items, class_="violations")
        if len(violations) > MOST_MARKS:
            total = counted(len(violations), "violation")
            yield tag("p", f"{MOST_MARKS} of {total} are shown.")
    rows = [
        tag(
            "tr",
            tag("td", tag("span", _WORDS[clause.result], class_=f"pill {clause.result.value}")),
            tag("td", tag("code", clause.clause)),
            tag("td", clause.sentence),
        )
        for clause in report.verdict.clauses
    ]
    yield _table(("", "clause", "what it found"), rows, label="Clauses")


def _violation(nth: int, violation: Violation, report: Report) -> Fragment:
    evidence = [seq for seq in violation.evidence if seq < len(report.lines)]
    places = [
        tag(
            "li",
            _link(seq),
            " ",
            tag("code", report.trace.events[seq].kind),
            " ",
            tag("span", report.lines[seq], class_="line"),
        )
        for seq in evidence[:_MOST_PLACES]
    ]
    if len(evidence) > _MOST_PLACES:
        places.append(tag("li", f"{_MOST_PLACES} of {len(evidence)} places are shown."))
    return tag(
        "li",
        tag("span", str(nth), class_="number"),
        tag(
            "div",
            tag("p", violation.sentence, class_="sentence"),
            tag("p", tag("code", violation.clause), " at ", _place(violation.seq, report)),
            tag("ul", *places, class_="evidence"),
        ),
    )


def _place(seq: int, report: Report) -> Fragment:
    if seq >= len(report.lines):
        return shown("the end")
    return joined("event ", _link(seq))


def _link(seq: int) -> Fragment:
    return tag("a", f"#{seq}", href=f"#e{seq}")


def _timeline(report: Report) -> Iterator[Fragment]:
    events = report.trace.events
    yield tag("div", lanes_picture(report.trace, report.verdict), class_="picture")
    yield tag(
        "p",
        "A bar runs from a call to its result; \u00d7 marks a call that did not end ok; a numbered "
        "line is where a clause broke.",
        class_="hint",
    )
    chosen = _chosen(report)
    if len(chosen) < len(events):
        yield tag("p", f"{len(chosen)} of {len(events)} events: what is near the violations.")
    marks = {v.seq: n for n, v in reversed(list(enumerate(report.verdict.violations, start=1)))}
    rows: list[Fragment] = []
    before = -1
    for seq in chosen:
        if seq != before + 1:
            gap = tag("td", f"… {counted(seq - before - 1, 'event')} …", colspan=4)
            rows.append(tag("tr", gap, class_="gap"))
        rows.append(_event(events[seq], report.lines[seq], marks.get(seq)))
        before = seq
    yield _table(("#", "event", "agent", "what, values masked"), rows, label="Events")


def _chosen(report: Report) -> list[int]:
    total = len(report.trace.events)
    if total <= _MOST_ROWS:
        return list(range(total))
    near: dict[int, None] = {}
    for violation in report.verdict.violations:
        for seq in (violation.seq, *violation.evidence):
            near.update(dict.fromkeys(range(max(0, seq - _AROUND), seq + _AROUND + 1)))
    wanted = [*range(_AROUND), *near, *range(total - _AROUND, total)]
    return sorted({seq for seq in wanted if seq < total})[:_MOST_ROWS]


def _event(event: Event, line: str, mark: int | None) -> Fragment:
    outcome = ""
    if isinstance(event, ToolResult | Claim) and event.outcome is not None:
        outcome = event.outcome.value
    kind = joined(
        tag("span", "", class_=f"dot {lane_of(event)}"),
        shown(event.kind.replace("_", " ")),
        *([tag("span", outcome, class_="pill fail")] if is_bad(event) else []),
    )
    number = [tag("span", str(mark), class_="number")] if mark is not None else []
    return tag(
        "tr",
        tag("td", str(event.seq), *number, class_="seq"),
        tag("td", kind, class_="kind"),
        tag("td", cut(event.agent or "", 40)),
        tag("td", line, class_="line"),
        id=f"e{event.seq}",
        class_="bad" if is_bad(event) or mark is not None else "plain",
    )


def _replaced(report: Report) -> Iterator[Fragment]:
    if not report.is_redacted:
        yield tag("p", "Nothing yet: the trace is raw.")
        return
    if not report.replaced:
        yield tag("p", "No value was found that had to be replaced.")
    else:
        rows = [
            tag("tr", tag("td", tag("code", kind)), _number(values), _number(places))
            for kind, values, places in report.replaced
        ]
        yield _table(("type", "values", "places"), rows, label="Replaced values", numbers=True)
    yield tag("p", _redaction_words(report))
    facts = [
        (note.at, ", ".join(note.facts)) for note in report.trigger[:_MOST_FACTS] if note.facts
    ]
    if facts:
        yield tag("h3", "Facts that stayed true of what made it fail")
        yield _pairs(facts)
        if len(report.trigger) > _MOST_FACTS:
            yield tag("p", f"{_MOST_FACTS} of {len(report.trigger)} places are shown.")


def _redaction_words(report: Report) -> str:
    words = [
        f"{counted(report.retained, 'value')} left as recorded by a person",
        f"{counted(report.facts_lost, 'fact')} lost",
        f"{counted(report.unreviewed, 'text')} seen by nobody yet",
    ]
    same = "the same before and after" if report.same_failure else "NOT the one of the incident"
    return f"{'; '.join(words)}. The failure is {same}."


def _number(value: int) -> Fragment:
    return tag("td", str(value), class_="number-cell")


def _size(report: Report) -> Iterator[Fragment]:
    note = report.shrink
    if note is None:
        yield tag("p", f"{counted(len(report.trace.events), 'event')}; it was not shrunk yet.")
        return
    rows = [_sizes("events", *note.events)]
    if note.nodes is not None:
        rows.append(_sizes("JSON nodes", *note.nodes))
    yield tag("div", *rows, class_="sizes")
    minimal = (
        "no kept call or claim can be dropped without losing the failure"
        if note.minimal.behaviour
        else f"not proven minimal: {note.why_stopped or 'it was stopped'}"
    )
    yield tag("p", f"{counted(note.oracle_calls, 'oracle call')}; {minimal}.")


def _sizes(what: str, before: int, after: int) -> Fragment:
    part = 100 * after / max(before, 1)
    bar = tag(
        "svg",
        tag("rect", x=0, y=0, width=100, height=10, class_="before"),
        tag("rect", x=0, y=0, width=min(max(part, 0.5), 100.0), height=10, class_="after"),
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return tag(
        "div",
        tag("p", tag("strong", f"{before} → {after}"), f" {what}, {part:.0f} % is left"),
        bar,
    )


def _preview(report: Report) -> Iterator[Fragment]:
    if report.preview is None:
        yield tag("p", f"There is none yet: {report.no_preview}")
        return
    lines = report.preview.split("\n")
    yield tag("p", "Values are masked here; the file itself holds pseudonyms.", class_="hint")
    yield tag(
        "pre",
        *_lines(lines[:_PREVIEW_LINES]),
        class_="tall",
        tabindex=0,
        role="region",
        aria_label="The case file",
    )
    if len(lines) > _PREVIEW_LINES:
        yield tag("p", f"{_PREVIEW_LINES} of {len(lines)} lines are shown.")


def _lines(lines: Sequence[str]) -> Iterator[Fragment]:
    for line in lines:
        yield joined(line, Fragment("\n"))


def _table(
    head: Sequence[str], rows: Sequence[Fragment], *, label: str, numbers: bool = False
) -> Fragment:
    cells = (
        tag("th", name, scope="col", class_="number-cell" if numbers and at else "cell")
        for at, name in enumerate(head)
    )
    return tag(
        "div",
        tag(
            "table",
            tag("caption", label),
            tag("thead", tag("tr", *cells)),
            tag("tbody", *rows),
        ),
        class_="scroll",
    )


def _footer() -> Fragment:
    return tag(
        "footer",
        tag(
            "p",
            "Recorded receipts prove how the agent treats a result, not that the real system is "
            "right. A scripted model proves the orchestration, only live trials prove the model.",
        ),
    )
