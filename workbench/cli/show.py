"""`workbench show RUN`: the timeline of one run.

Values are masked unless `--reveal` is given: this output ends up in chats and tickets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.codec import encode
from workbench.casefile.trace import trace_document
from workbench.cli.lookup import lookup_of
from workbench.cli.options import print_json
from workbench.review.source import find_run
from workbench.review.timeline import event_lines, headline, timeline

if TYPE_CHECKING:
    from argparse import Namespace

    from workbench.model.jsonvalue import JsonMap
    from workbench.review.source import LoadedRun

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Print the timeline."""
    run = find_run(options.run, lookup_of(options))
    if options.json:
        print_json(_document(run, reveal=options.reveal))
        return 0
    print(headline(run))
    print()
    print(timeline(run, reveal=options.reveal))
    return 0


def _document(run: LoadedRun, *, reveal: bool) -> JsonMap:
    trace = run.trace
    return {
        "run_id": trace.run_id,
        "status": trace.status.value,
        "grade": run.losses.grade.value,
        "losses": encode(run.losses.items),
        "assumed_tools": list(run.assumed_tools),
        "trace": trace_document(trace) if reveal else None,
        "events": [
            {"seq": event.seq, "kind": event.kind, "text": line}
            for event, line in zip(trace.events, event_lines(run, reveal=reveal), strict=True)
        ],
    }
