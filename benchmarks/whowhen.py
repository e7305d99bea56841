"""Where suggestions stand beside the step that people blamed, on the Who&When logs.

A figure without a bar. The logs are chats: what is said to a browser, a file viewer or a terminal
is read as a call of it, and what that says next is the result.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.check.diagnose import diagnose
from workbench.check.outcomes import resolve_outcomes
from workbench.ingest.reader import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.event import Event
    from workbench.model.trace import Trace

__all__ = ["main"]

_STEP: Final = re.compile(r"data\.history\.(\d+)")


def main(folder: Path) -> None:
    """Print how many logs get a suggestion, and where the blamed step stands."""
    logs = with_any = at_or_after = 0
    for raw in _traces(folder):
        logs += 1
        trace = resolve_outcomes(raw)
        given = diagnose(trace)
        if not given:
            continue
        with_any += 1
        blamed = trace.labels["mistake_step"]
        assert isinstance(blamed, int)  # noqa: S101  the corpus is as its manifest says
        at_or_after += blamed >= _step_of(trace.events[min(given[0].evidence)])
    print(f"Who&When: {with_any} of {logs} logs get a suggestion; in {at_or_after} of them the")
    print("blamed step is at or after the first suggestion's first event")


def _traces(folder: Path) -> Iterator[Trace]:
    for path in sorted(folder.glob("*.jsonl.gz")):
        for run in read_source(path):
            assert run.trace is not None, run.parse_error  # noqa: S101  as above
            yield run.trace


def _step_of(event: Event) -> int:
    """Return the number of the chat's entry that an event comes from; 0: it has none."""
    found = _STEP.match(event.source_ref or "")
    return 0 if found is None else int(found[1])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
