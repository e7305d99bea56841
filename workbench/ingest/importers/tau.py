"""Runs of tau-bench and tau2-bench.

tau-bench keeps chat messages; an error is only a text that starts with "Error", which is no mark
and stays a result. tau2-bench interleaves the calls of a user simulator, which never count
against the agent, and marks errors. In both a reward below 1 means that the run failed.

Source:
    formats page 1 and 2.3, rows "tau / tau2".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.content import read_content, read_result
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.times import time_of
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.usage import cost_in, usage_of
from workbench.ingest.importers.openai_chat import add_messages
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, map_items, text_in
from workbench.model.event import CallError, Usage
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["TAU2_BENCH", "TAU_BENCH", "read_tau2_bench", "read_tau_bench"]

_BROKEN_ENDS: Final = frozenset({"agent_error", "user_error", "too_many_errors", "max_steps"})


def read_tau_bench(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one run of tau-bench.

    Raises:
        TraceFormatError: a message has another form than the recorder's.
    """
    run = as_map(record, key="", origin=place)
    info = map_in(run, "info")
    script = Transcript()
    add_messages(script, map_items(run.get("traj"), key="traj", origin=place), origin=place)
    reward = _number(run.get("reward"))
    facts = RunFacts(
        model=text_in(info, "model") or text_in(run, "model"),
        labels=labels_of(task_id=run.get("task_id"), trial=run.get("trial"), reward=reward),
        status=_by_reward(reward),
        listed=listed_tools(info.get("tools")),
    )
    return finished(script, facts, origin=place, tools=tools)


def read_tau2_bench(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one simulation of tau2-bench; its file's `info` may be among the keys.

    Raises:
        TraceFormatError: a message has another form than the recorder's.
    """
    run = as_map(record, key="", origin=place)
    script = Transcript()
    for ref, message in map_items(run.get("messages"), key="messages", origin=place):
        _add_tau2(script, ref, message, place)
    reward = _number(map_in(run, "reward_info").get("reward"))
    ended = text_in(run, "termination_reason")
    environment = map_in(run, "info", "environment_info")
    facts = RunFacts(
        own_id=run.get("id"),
        model=text_in(map_in(run, "info", "agent_info"), "llm"),
        agent=text_in(map_in(run, "info"), "git_commit"),
        labels=labels_of(
            task_id=run.get("task_id"),
            trial=run.get("trial"),
            reward=reward,
            termination_reason=ended,
            domain=environment.get("domain_name"),
        ),
        status=RunStatus.FAILED if ended in _BROKEN_ENDS else _by_reward(reward),
        listed=listed_tools(environment.get("tool_defs")),
    )
    return finished(script, facts, origin=place, tools=tools)


def _number(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


def _by_reward(reward: float | None) -> RunStatus:
    if reward is None:
        return RunStatus.UNKNOWN
    return RunStatus.OK if reward >= 1 else RunStatus.FAILED


def _add_tau2(script: Transcript, ref: str, message: JsonMap, origin: Origin) -> None:
    role = message.get("role")
    if role == "tool":
        _add_result(script, ref, message, origin)
        return
    content = read_content(message.get("content"), key=step_key(ref, "content"), origin=origin)
    raw = map_in(message, "raw_data")
    said = Said(
        ref=ref,
        text=content.text,
        dropped=content.dropped,
        at=time_of(text_in(message, "timestamp"), script.counts),
        finish_reason=text_in(raw, "finish_reason"),
        usage=_usage(message),
    )
    calls = _asked(ref, message, origin)
    match role:
        case "system":
            script.system(said)
        case "user":
            script.user(said, calls)
        case "assistant":
            script.reply(said, calls)
        case _:
            raise origin.error(
                step_key(ref, "role"),
                f"is {describe(role)}; expected system, user, assistant or tool",
            )


def _asked(ref: str, message: JsonMap, origin: Origin) -> list[Asked]:
    """Return a message's calls, with the exact text of their arguments where it was kept."""
    exact = _provider_calls(ref, message)
    key = step_key(ref, "tool_calls")
    return [
        _one_call(place, call, exact, origin)
        for place, call in map_items(message.get("tool_calls"), key=key, origin=origin)
    ]


def _one_call(ref: str, call: JsonMap, exact: dict[str, tuple[str, str]], origin: Origin) -> Asked:
    name = call.get("name")
    if not isinstance(name, str) or not name:
        raise origin.error(step_key(ref, "name"), f"is {describe(name)}; expected a tool's name")
    given = text_in(call, "id")
    value = call.get("arguments")
    place, text = exact.get(given or "", (ref, None))
    if text is None and isinstance(value, str):
        text = value
    return Asked(
        ref=place, id=given, tool=name, text=text, value=ABSENT if value is None else value
    )


def _provider_calls(ref: str, message: JsonMap) -> dict[str, tuple[str, str]]:
    """Return id -> place and text of the arguments, as the provider's reply has them."""
    calls = map_in(message, "raw_data", "message").get("tool_calls")
    found: dict[str, tuple[str, str]] = {}
    for at, call in enumerate(calls if isinstance(calls, list) else []):
        given = text_in(call, "id")
        text = text_in(map_in(call, "function"), "arguments")
        if given and text is not None:
            found.setdefault(given, (f"{ref}.raw_data.message.tool_calls.{at}", text))
    return found


def _add_result(script: Transcript, ref: str, message: JsonMap, origin: Origin) -> None:
    content = read_result(message.get("content"), key=step_key(ref, "content"), origin=origin)
    failed = message.get("error") is True
    script.result(
        Answered(
            ref=ref,
            id=text_in(message, "id"),
            text=content.text,
            value=content.value,
            dropped=content.dropped,
            error=CallError(message=content.text) if failed else None,
            at=time_of(text_in(message, "timestamp"), script.counts),
        )
    )


def _usage(message: JsonMap) -> Usage | None:
    return usage_of(message.get("usage"), cost_usd=cost_in(message, "cost"))


def _is_tau(record: Json) -> bool:
    return isinstance(record, dict) and isinstance(record.get("traj"), list) and "reward" in record


def _is_tau2(record: Json) -> bool:
    return (
        isinstance(record, dict)
        and isinstance(record.get("messages"), list)
        and "task_id" in record
        and ("reward_info" in record or "termination_reason" in record)
    )


TAU_BENCH: Final = Format(
    name="tau_bench",
    recognises=_is_tau,
    owns=_is_tau,
    keys=frozenset({"traj"}),
    read=read_tau_bench,
)

TAU2_BENCH: Final = Format(
    name="tau2_bench",
    recognises=_is_tau2,
    owns=_is_tau2,
    keys=frozenset({"task_id"}),
    own_id=lambda record: text_in(record, "id"),
    read=read_tau2_bench,
)
