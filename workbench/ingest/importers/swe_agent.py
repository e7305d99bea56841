"""SWE-agent trajectories (`.traj`): `{"history": [...], "trajectory": [...], "info": {...}}`.

The history is what the model saw; demonstrations in it are examples, not acts of this run. The
trajectory has one step an act, with what the environment answered and how long that took, also
for the last steps, which the history may not have. Versions without function calling let the
model write a command in its text: that is a call of `bash`, in whose shell SWE-agent's own
commands are installed. No exit code is recorded anywhere.

Source:
    SWE-agent 1.0 and 0.7, `.traj` files; formats page 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.content import read_content
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.usage import cost_in
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, map_items, text_in
from workbench.model.trace import Loss, RunStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_swe_agent"]

_SHELL: Final = "bash"
_TYPES: Final = frozenset({"system_prompt", "observation", "action", "thought", "demonstration"})


@dataclass(slots=True)
class _Reader:
    """One trajectory on its way into a transcript."""

    origin: Origin
    steps: Sequence[tuple[str, JsonMap]]
    """The acts of the trajectory."""
    script: Transcript = field(default_factory=Transcript)
    acts: int = 0
    """Acts of the history so far."""
    demonstrations: int = 0
    _open: bool = False
    """Whether the next message answers an act that was written as text."""
    _latency: dict[str, float] = field(default_factory=dict)
    """Id of a call -> milliseconds."""

    def add(self, ref: str, message: JsonMap) -> None:
        """Add one message of the history."""
        if message.get("is_demo") is True or message.get("message_type") == "demonstration":
            self.demonstrations += 1
            return
        key = step_key(ref, "content")
        content = read_content(message.get("content"), key=key, origin=self.origin)
        said = Said(
            ref=ref,
            text=content.text,
            dropped=content.dropped,
            agent=text_in(message, "agent"),
        )
        match message.get("role"):
            case "system":
                self.script.system(said)
            case "assistant":
                self._add_act(said, message)
            case "tool":
                self._add_answer(said, message)
            case "user" if self._open:
                self._add_answer(said, message)
            case "user":
                self.script.user(replace(said, agent=None))
            case role:
                raise self.origin.error(
                    step_key(ref, "role"),
                    f"is {describe(role)}; expected system, user, assistant or tool",
                )

    def _add_act(self, said: Said, message: JsonMap) -> None:
        calls = [
            self._asked(ref, call)
            for ref, call in map_items(
                message.get("tool_calls"), key=f"{said.ref}.tool_calls", origin=self.origin
            )
        ]
        action = text_in(message, "action")
        step = self.steps[self.acts][1] if self.acts < len(self.steps) else {}
        self.acts += 1
        latency = _latency(step) if text_in(step, "action") == action else None
        if calls:
            self._open = False
            if latency is not None and len(calls) == 1:
                self._latency[calls[0].id or ""] = latency
            self.script.reply(said, calls)
        elif action is None or not action.strip():
            self._open = False
            self.script.reply(said)
        else:
            self._add_text_act(said, action, text_in(message, "thought"), latency)

    def _add_text_act(
        self, said: Said, action: str, thought: str | None, latency: float | None
    ) -> None:
        """Add a call that the model wrote as text; what stands beside it is its claim."""
        self._open = True
        self.script.counts["calls_written_as_text"] += 1
        self._latency = {} if latency is None else {"": latency}
        asked = Asked(ref=said.ref, id=None, tool=_SHELL, value={"command": action})
        self.script.reply(replace(said, claimed=thought or ""), [asked])

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
        ids = message.get("tool_call_ids")
        given = [one for one in ids if isinstance(one, str)] if isinstance(ids, list) else []
        for one in (*given,) or (None,):
            self.script.result(
                Answered(
                    ref=said.ref,
                    id=one,
                    text=said.text or "",
                    dropped=said.dropped,
                    agent=said.agent,
                    latency_ms=self._latency.get(one or ""),
                )
            )
        self._open = False

    def add_rest(self) -> None:
        """Add what only the trajectory has: the last answer, and steps behind the history."""
        if self.script.book.unanswered and 0 < self.acts <= len(self.steps):
            ref, step = self.steps[self.acts - 1]
            self._add_observation(ref, step)
        for ref, step in self.steps[self.acts :]:
            action = text_in(step, "action")
            said = Said(ref=ref, text=text_in(step, "response"))
            if action and action.strip():
                self._add_text_act(said, action, text_in(step, "thought"), _latency(step))
                self._add_observation(ref, step)
            else:
                self.script.reply(said)

    def _add_observation(self, ref: str, step: JsonMap) -> None:
        text = text_in(step, "observation")
        if text is not None:
            self.script.result(
                Answered(ref=f"{ref}.observation", id=None, text=text, latency_ms=_latency(step))
            )


def read_swe_agent(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one trajectory.

    Raises:
        TraceFormatError: a message or a step has another form than SWE-agent's.
    """
    run = as_map(record, key="", origin=place)
    steps = list(map_items(run.get("trajectory"), key="trajectory", origin=place))
    reader = _Reader(origin=place, steps=steps)
    for ref, message in map_items(run.get("history"), key="history", origin=place):
        reader.add(ref, message)
    reader.add_rest()
    info = map_in(run, "info")
    ended = text_in(info, "exit_status")
    facts = RunFacts(
        agent=text_in(info, "swe_agent_version"),
        labels=labels_of(
            exit_status=ended,
            environment=run.get("environment"),
            submission=info.get("submission"),
            cost_usd=cost_in(map_in(info, "model_stats"), "instance_cost", "total_cost"),
        ),
        status=_status(ended),
        losses=_losses(reader.demonstrations),
    )
    return finished(reader.script, facts, origin=place, tools=tools)


def _losses(demonstrations: int) -> tuple[Loss, ...]:
    if not demonstrations:
        return ()
    note = "messages of demonstrations, which are no acts of this run; they are in raw only"
    return (Loss(kind="demonstrations_left_out", count=demonstrations, note=note),)


def _latency(step: JsonMap) -> float | None:
    seconds = step.get("execution_time")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds < 0:
        return None
    return round(seconds * 1000, 3)


def _status(ended: str | None) -> RunStatus:
    """Return what the end says: a submission may still be wrong, so it is not yet good."""
    if ended is None or ended == "submitted":
        return RunStatus.UNKNOWN
    return RunStatus.FAILED


def _recognises(record: Json) -> bool:
    run = map_in(record)
    history, steps = run.get("history"), run.get("trajectory")
    if isinstance(steps, list) and steps and isinstance(history, list):
        return all("action" in map_in(step) and "observation" in map_in(step) for step in steps)
    return isinstance(history, list) and any(
        text_in(message, "message_type") in _TYPES and "role" in map_in(message)
        for message in history
    )


FORMAT: Final = Format(
    name="swe_agent",
    recognises=_recognises,
    owns=_recognises,
    keys=frozenset({"history"}),
    read=read_swe_agent,
)
