"""mini-SWE-agent trajectories: its messages, bare or with `info` and `trajectory_format`.

The model writes one command in a code block of its own language, or (version 2) calls `bash`.
The answer is a message of the user, or of the tool, that begins with the exit code; an exit code
other than 0 is an error mark. The command that ends the run is never executed.

Source:
    mini-swe-agent 1.x and 2.x, `.traj.json` files and `tests/test_data`; formats page 1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.content import read_content
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.times import time_of
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.usage import cost_in, usage_of
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, integer_in, map_in, map_items, text_in
from workbench.model.event import CallError
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_mini_swe_agent"]

_SHELL: Final = "bash"
_ACTION: Final = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)
_CODE: Final = re.compile(r"<returncode>(-?\d{1,9})</returncode>")
_DONE: Final = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_FENCE: Final = "```mswea_bash_command"
_GOOD_ENDS: Final = frozenset({"Submitted"})


@dataclass(slots=True)
class _Reader:
    """One trajectory on its way into a transcript."""

    origin: Origin
    script: Transcript = field(default_factory=Transcript)
    _open: bool = False
    """Whether the next message answers a command."""
    _ending: bool = False
    """Whether the next message only closes the run."""

    def add(self, ref: str, message: JsonMap) -> None:
        """Add one message."""
        key = step_key(ref, "content")
        content = read_content(message.get("content"), key=key, origin=self.origin)
        at = time_of(map_in(message, "extra").get("timestamp"), self.script.counts)
        extra = map_in(message, "extra")
        usage = usage_of(map_in(extra, "response", "usage"), cost_usd=cost_in(extra, "cost"))
        said = Said(ref=ref, text=content.text, dropped=content.dropped, at=at, usage=usage)
        match message.get("role"):
            case "system":
                self.script.system(said)
            case "assistant":
                self._add_reply(said, message)
            case "tool" | "user" if self._open:
                self._add_answer(said, message)
            case "exit" | "user" if self._ending:
                self._ending = False  # repeats the submission
            case "user":
                self.script.user(said)
            case "exit":
                pass  # how it ended is in `info`
            case role:
                raise self.origin.error(
                    step_key(ref, "role"),
                    f"is {describe(role)}; expected system, user, assistant or tool",
                )

    def _add_reply(self, said: Said, message: JsonMap) -> None:
        calls = [
            self._asked(ref, call)
            for ref, call in map_items(
                message.get("tool_calls"), key=f"{said.ref}.tool_calls", origin=self.origin
            )
        ]
        commands = _ACTION.findall(said.text or "") if not calls else []
        done = any(mark in command for command in commands for mark in _DONE)
        self._open = bool(calls) or (len(commands) == 1 and not done)
        self._ending = done
        if calls or not self._open:
            self.script.reply(said, calls)
            return
        self.script.counts["calls_written_as_text"] += 1
        asked = Asked(ref=said.ref, id=None, tool=_SHELL, value={"command": commands[0]})
        self.script.reply(said, [asked])

    def _asked(self, ref: str, call: JsonMap) -> Asked:
        function = as_map(call.get("function"), key=step_key(ref, "function"), origin=self.origin)
        name = function.get("name")
        if not isinstance(name, str) or not name:
            key = step_key(ref, "function.name")
            raise self.origin.error(key, f"is {describe(name)}; expected a tool's name")
        return Asked(
            ref=ref, id=text_in(call, "id"), tool=name, text=text_in(function, "arguments")
        )

    def _add_answer(self, said: Said, message: JsonMap) -> None:
        found = _CODE.search((said.text or "")[:200])
        stated = integer_in(map_in(message, "extra"), "returncode")
        code = stated if stated is not None else int(found[1]) if found else 0
        self.script.result(
            Answered(
                ref=said.ref,
                id=text_in(message, "tool_call_id"),
                text=said.text or "",
                dropped=said.dropped,
                at=said.at,
                error=CallError(type="exit_code", status=code) if code else None,
            )
        )
        self._open = bool(self.script.book.unanswered)


def read_mini_swe_agent(
    record: Json, *, place: Origin, tools: Sequence[Tool]
) -> tuple[Trace, Losses]:
    """Read one trajectory.

    Raises:
        TraceFormatError: a message has another form than the agent's.
    """
    reader = _Reader(origin=place)
    messages, key = _messages(record)
    for ref, message in map_items(messages, key=key, origin=place):
        reader.add(ref, message)
    info = map_in(record, "info")
    ended = text_in(info, "exit_status")
    facts = RunFacts(
        own_id=text_in(record, "instance_id"),
        model=text_in(map_in(info, "config", "model"), "model_name"),
        agent=text_in(info, "mini_version"),
        labels=labels_of(
            exit_status=ended,
            submission=info.get("submission"),
            cost_usd=cost_in(map_in(info, "model_stats"), "instance_cost"),
        ),
        status=RunStatus.UNKNOWN if ended is None or ended in _GOOD_ENDS else RunStatus.FAILED,
    )
    return finished(reader.script, facts, origin=place, tools=tools)


def _messages(record: Json) -> tuple[Json, str]:
    return (
        (record, "") if isinstance(record, list) else (map_in(record).get("messages"), "messages")
    )


def _recognises(record: Json) -> bool:
    """Whether it is a trajectory: it says so, or a reply holds a block of the agent's language."""
    if (text_in(record, "trajectory_format") or "").startswith("mini-swe-agent"):
        return isinstance(map_in(record).get("messages"), list)
    messages, _ = _messages(record)
    if not isinstance(messages, list) or "type" in map_in(record):
        return False
    return any(
        text_in(message, "role") == "assistant" and _FENCE in (text_in(message, "content") or "")
        for message in messages
    )


FORMAT: Final = Format(
    name="mini_swe_agent",
    recognises=_recognises,
    owns=_recognises,
    keys=frozenset({"messages"}),
    own_id=lambda record: text_in(record, "instance_id"),
    read=read_mini_swe_agent,
)
