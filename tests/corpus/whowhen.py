"""Reads Who&When: chats of several agents, each with the step at which it went wrong.

A record is `history: [{content, role, name}]`. A step that is answered by a program (a terminal,
a browser) is a call of that program, and the step after it is its result; any other step of an
agent is a text that it showed to the others: a reply and a claim.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.model.event import (
    Claim,
    Event,
    ModelReply,
    Outcome,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.trace import Effect, Tool, Trace, renumbered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workbench.model.jsonvalue import JsonMap

__all__ = ["Blamed", "blamed_runs"]

_PROGRAMS: Final = frozenset({"Computer_terminal", "ComputerTerminal", "WebSurfer", "FileSurfer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Blamed:
    """A run and the event at which, as people said, it went wrong."""

    trace: Trace
    step: int
    """Position of the event that holds the labelled step's text."""


def blamed_runs(folder: Path) -> Iterator[Blamed]:
    """Yield every run of both halves of the collection."""
    for path in sorted(folder.glob("whowhen/*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                yield _blamed(record["source_path"], record["data"])


def _blamed(name: str, data: JsonMap) -> Blamed:
    history = [(_speaker(step), str(step["content"])) for step in _steps(data)]
    found: list[Event] = [UserMessage(text=str(data["question"]))]
    place_of: dict[int, int] = {}
    turn, open_call = 0, ""
    for n, (speaker, text) in enumerate(history):
        following = history[n + 1][0] if n + 1 < len(history) else ""
        place_of[n] = len(found)
        if open_call:
            result = ToolResult(call_id=open_call, result_raw=text, result=text, outcome=Outcome.OK)
            found.append(result)
            open_call = ""
        elif speaker == "human":
            found.append(UserMessage(text=text))
        elif following in _PROGRAMS:
            turn, open_call = turn + 1, f"call_{n}"
            found += _call(open_call, following, speaker, text, turn)
            place_of[n] += 1
        else:
            turn += 1
            found += [ModelReply(text=text, agent=speaker), Claim(text=text, agent=speaker)]
            place_of[n] += 1
    tools = tuple(Tool(name=tool, effect=Effect.READ) for tool in sorted(_PROGRAMS))
    trace = Trace(run_id=name, tools=tools, events=renumbered(found))
    return Blamed(trace=trace, step=place_of[int(str(data["mistake_step"]))])


def _steps(data: JsonMap) -> list[JsonMap]:
    history = data["history"]
    assert isinstance(history, list)
    return [step for step in history if isinstance(step, dict)]


def _speaker(step: JsonMap) -> str:
    """Return who said it: `Orchestrator (-> WebSurfer)` is `Orchestrator`."""
    return str(step.get("name") or step["role"]).partition(" (")[0]


def _call(call_id: str, tool: str, agent: str, text: str, turn: int) -> list[Event]:
    args: JsonMap = {"text": text}
    return [
        ModelReply(call_ids=(call_id,), agent=agent),
        ToolCall(
            call_id=call_id,
            tool=tool,
            agent=agent,
            args=args,
            args_raw=json.dumps(args),
            turn=turn,
        ),
    ]
