"""What the kernel of `benchmarks.ui` shows: long runs, many runs, many findings, a slow search."""

from __future__ import annotations

import html
import json
import time
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from tests.builders import a_call, a_claim, a_system, a_trace, a_turn, a_user, timed_trace
from tests.ui import review_builders as drafts
from tests.ui.stores import a_store
from workbench.model.event import Outcome
from workbench.model.trace import Imported, RunStatus
from workbench.redact.desk import look
from workbench.redact.policy import DEFAULT_POLICY
from workbench.review.incident import open_draft
from workbench.store.append import SourceFile
from workbench.store.handle import open_store
from workbench.ui.controllers.picker import Picker
from workbench.ui.controllers.timeline import Timeline
from workbench.ui.views.picker import PickerView
from workbench.ui.views.redaction import RedactionView
from workbench.ui.views.shrink import ShrinkView
from workbench.ui.views.timeline import TimelineView

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Trace

__all__ = [
    "a_long_run",
    "a_run_of_addresses",
    "html_table",
    "looking_s",
    "put_runs",
    "redaction",
    "runs",
    "search",
    "timeline",
]

_TOOLS = ("billing.status", "crm.lookup", "mail.send", "kb.search")
_NOTE = "The invoice of the last month was paid by card, and the plan ends in 30 days. "


def a_long_run(events: int) -> Trace:
    """Return a run of about so many events: turns of two calls at once, some of which fail."""
    turns = []
    for nth in range(events // 5):
        bad = Outcome.RETRYABLE if nth % 40 == 7 else Outcome.OK
        args: dict[str, Json] = {"id": f"A-{nth}", "note": _NOTE}
        found = {"account": f"A-{nth}", "items": [{"nth": n, "state": "open"} for n in range(4)]}
        calls = [
            a_call(_TOOLS[nth % 4], args=args, result=found),
            a_call(_TOOLS[(nth + 1) % 4], args=args, outcome=bad),
        ]
        turns.append(a_turn(*calls))
    trace = a_trace(a_system(), a_user(), *turns, a_claim("Done."), run_id=f"long-{events}")
    return timed_trace(trace, step_ms=120)


def timeline(folder: str, events: int) -> TimelineView:
    """Return the timeline of a long run."""
    trace = a_long_run(events)
    store = a_store(Path(folder) / f"long-{events}", trace)
    return TimelineView(Timeline(open_draft(trace.run_id, store=store, reviewer="Ada")))


def html_table(view: TimelineView) -> str:
    """Return the same rows as a plain HTML table, as a data frame is shown in a notebook."""
    names = ("seq", "lane", "title", "outcome", "ms")
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(row[name]))}</td>" for name in names) + "</tr>"
        for chunk in view.timeline.rows()
        for row in chunk
    )
    return f'<table class="peer"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def put_runs(folder: Path, number: int) -> None:
    """Write a store with so many small runs, a hundredth of them failed."""
    one = timed_trace(a_trace(a_user(), a_call("billing.status"), a_claim("Yes.")))
    source = SourceFile(name="runs", format="trace1", digest=sha256(b"many").hexdigest())
    with open_store(folder, clock=lambda: 1_800_000_000.0) as store:
        store.append([*_imported(one, number)], source=source)


def _imported(one: Trace, number: int) -> Iterator[Imported]:
    for nth in range(number):
        status = RunStatus.FAILED if nth % 100 == 0 else RunStatus.OK
        trace = replace(one, run_id=f"run-{nth:06}", status=status, tags=(f"team-{nth % 17}",))
        raw = json.dumps({"id": trace.run_id}).encode()
        yield Imported(
            run_id=trace.run_id, raw=raw, row_of_event=(0,) * len(trace.events), trace=trace
        )


def runs(folder: str) -> PickerView:
    """Return the list of the runs in a store."""
    return PickerView(Picker(folder, reviewer="Ada"))


def a_run_of_addresses(findings: int) -> Trace:
    """Return a run with so many addresses that differ by a digit."""
    args: dict[str, Json] = {f"n{n:03}": f"user{n:03}@fabrikam.com" for n in range(findings)}
    call = a_call("billing.pause", args=args, outcome=Outcome.UNKNOWN)
    return a_trace(a_user(), call, a_claim("Done."))


def redaction(folder: str, findings: int) -> RedactionView:
    """Return the redaction of such a run."""
    return RedactionView(drafts.a_redaction(Path(folder), a_run_of_addresses(findings)))


def looking_s(findings: int) -> float:
    """Return how long one look of the engine at such a run takes, in seconds of processor time."""
    draft = drafts.a_draft(a_run_of_addresses(findings))
    begin = time.process_time()
    look(draft.trace, contract=draft.contract, policy=DEFAULT_POLICY, key=bytes(32), ner="none")
    return time.process_time() - begin


def search(folder: str) -> ShrinkView:
    """Return a search of 400 calls, each of which is tried: it outlasts any wait for its first answer."""
    return ShrinkView(drafts.a_slow_shrink(Path(folder), calls=400))
