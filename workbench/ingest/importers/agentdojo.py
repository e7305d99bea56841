"""Runs of AgentDojo, bare or bundled as `{"source_path", "data"}`.

`security` true means that the attacker got his way, and is true by convention on runs without an
attack: there it says nothing and is no label. An error stands in a field of its own while the
content is empty.

Source:
    formats page 1 and 2.3, row "AgentDojo".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.content import read_content, read_result
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, map_items, text_in
from workbench.model.event import CallError
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_agentdojo"]

_ERROR_TYPE: Final = re.compile(r"([A-Za-z_][\w.]{0,80}(?:Error|Exception)): ")


def read_agentdojo(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one run.

    Raises:
        TraceFormatError: a message has another form than the recorder's.
    """
    outer = as_map(record, key="", origin=place)
    bundled = isinstance(outer.get("data"), dict)
    run = map_in(outer, "data") if bundled else outer
    key = "data.messages" if bundled else "messages"
    script = Transcript()
    for ref, message in map_items(run.get("messages"), key=key, origin=place):
        _add_message(script, ref, message, place)
    facts = RunFacts(
        own_id=outer.get("source_path"),
        model=text_in(run, "pipeline_name"),
        labels=_labels(run),
        status=_status(run),
    )
    return finished(script, facts, origin=place, tools=tools)


def _labels(run: JsonMap) -> JsonMap:
    attack = run.get("attack_type")
    return labels_of(
        suite=run.get("suite_name"),
        task_id=run.get("user_task_id"),
        injection_task_id=run.get("injection_task_id"),
        attack=attack,
        utility=run.get("utility"),
        security=None if attack is None else run.get("security"),
    )


def _status(run: JsonMap) -> RunStatus:
    attacked = run.get("attack_type") is not None
    if run.get("error") or run.get("utility") is False:
        return RunStatus.FAILED
    if attacked and run.get("security") is True:
        return RunStatus.FAILED
    return RunStatus.OK if run.get("utility") is True else RunStatus.UNKNOWN


def _add_message(script: Transcript, ref: str, message: JsonMap, origin: Origin) -> None:
    role = message.get("role")
    if role == "tool":
        _add_result(script, ref, message, origin)
        return
    content = read_content(message.get("content"), key=step_key(ref, "content"), origin=origin)
    said = Said(ref=ref, text=content.text, dropped=content.dropped)
    match role:
        case "system":
            script.system(said)
        case "user":
            script.user(said)
        case "assistant":
            key = step_key(ref, "tool_calls")
            calls = map_items(message.get("tool_calls"), key=key, origin=origin)
            script.reply(said, [_asked(place, call, origin) for place, call in calls])
        case _:
            raise origin.error(
                step_key(ref, "role"),
                f"is {describe(role)}; expected system, user, assistant or tool",
            )


def _asked(ref: str, call: JsonMap, origin: Origin) -> Asked:
    name = call.get("function")
    if not isinstance(name, str) or not name:
        raise origin.error(
            step_key(ref, "function"), f"is {describe(name)}; expected a tool's name"
        )
    value = call.get("args")
    return Asked(
        ref=ref,
        id=text_in(call, "id"),
        tool=name,
        text=value if isinstance(value, str) else None,
        value=ABSENT if value is None else value,
    )


def _add_result(script: Transcript, ref: str, message: JsonMap, origin: Origin) -> None:
    """Add a result; the recorder repeats the call in it, which pairs what has no id."""
    content = read_result(message.get("content"), key=step_key(ref, "content"), origin=origin)
    call = map_in(message, "tool_call")
    error = text_in(message, "error")
    script.result(
        Answered(
            ref=ref,
            id=text_in(message, "tool_call_id") or text_in(call, "id"),
            tool=text_in(call, "function"),
            args=call["args"] if call.get("args") is not None else ABSENT,
            text=content.text,
            value=content.value,
            dropped=content.dropped,
            error=None if not error else _error(error),
        )
    )


def _error(message: str) -> CallError:
    found = _ERROR_TYPE.match(message)
    return CallError(type=None if found is None else found[1], message=message)


def _recognises(record: Json) -> bool:
    run = map_in(record, "data") or map_in(record)
    return (
        isinstance(run.get("messages"), list)
        and "suite_name" in run
        and ("pipeline_name" in run or "user_task_id" in run)
    )


FORMAT: Final = Format(
    name="agentdojo",
    recognises=_recognises,
    owns=_recognises,
    keys=frozenset({"data", "suite_name"}),
    own_id=lambda record: text_in(record, "source_path"),
    read=read_agentdojo,
)
