"""Where suggestions stand beside the step that people blamed, on the Who&When logs.

A figure without a bar. The logs are chats: what an orchestrator asks of a helper, and what code is
given to a terminal, is read as a call; the answer that follows is its result.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.check.diagnose import diagnose
from workbench.check.outcomes import resolve_outcomes
from workbench.model.event import (
    Claim,
    Event,
    ModelReply,
    Outcome,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.trace import Trace, renumbered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import JsonMap

__all__ = ["main"]


def main(folder: Path) -> None:
    """Print how many logs get a suggestion, and where the blamed step stands."""
    logs = with_any = at_or_after = 0
    for record in _records(folder):
        logs += 1
        trace = resolve_outcomes(_trace(record))
        given = diagnose(trace)
        if not given:
            continue
        with_any += 1
        first = min(given[0].evidence)
        step = int(trace.events[first].source_ref or 0)
        at_or_after += int(str(record["mistake_step"])) >= step
    print(f"Who&When: {with_any} of {logs} logs get a suggestion; in {at_or_after} of them the")
    print("blamed step is at or after the first suggestion's first event")


def _records(folder: Path) -> Iterator[JsonMap]:
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line)["data"] for line in lines)


def _trace(record: JsonMap) -> Trace:
    """Read a log; `source_ref` of an event is the number of its entry."""
    events: list[Event] = []
    waiting: str | None = None
    history = record["history"]
    assert isinstance(history, list)  # noqa: S101  the corpus is as its manifest says
    for step, entry in enumerate(history):
        assert isinstance(entry, dict)  # noqa: S101  as above
        speaker, text = str(entry.get("name") or entry.get("role")), str(entry["content"])
        _, _, helper = speaker.partition("-> ")
        place = str(step)
        terminal = speaker == "Computer_terminal"
        if waiting is None and terminal:
            waiting = f"c{step}"
            events.append(
                ToolCall(call_id=waiting, tool="terminal", args={"n": step}, source_ref=place)
            )
        if waiting is not None and not helper and "Orchestrator" not in speaker:
            events.append(
                ToolResult(call_id=waiting, outcome=Outcome.OK, result=text, source_ref=place)
            )
            waiting = None
        elif helper:
            waiting = f"c{step}"
            events += [
                ModelReply(call_ids=(waiting,), source_ref=place),
                ToolCall(
                    call_id=waiting, tool=helper.rstrip(")"), args={"text": text}, source_ref=place
                ),
            ]
        elif step == 0:
            events.append(UserMessage(text=text, source_ref=place))
        else:
            events.append(ModelReply(text=text, source_ref=place))
    last = str(len(history) - 1)
    answer = history[-1]
    assert isinstance(answer, dict)  # noqa: S101  as above
    events.append(Claim(text=str(answer["content"]), final=True, source_ref=last))
    return Trace(run_id=str(record.get("question_ID", "")), events=renumbered(events))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
