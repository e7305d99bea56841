"""`POST /model` in the words of a provider: what an agent that knows no API asks the live model.

The tools are the case's, with the schemas that it has, unless the agent states others. Providers
want every result to follow the reply that asked for it; where an agent left that reply out, it is
put in as it was given.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Final

from workbench.errors import InputError
from workbench.replay.gateway import chat, messages
from workbench.replay.gateway.dialect import list_of, map_of, text_of
from workbench.replay.gateway.names import api_name
from workbench.replay.gateway.scripted_model import call_arguments
from workbench.replay.live import Family
from workbench.replay.matching import canonical_tool, wire_of

if TYPE_CHECKING:
    from workbench.model.case import Case, CaseTool
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.replay.asked import Asked
    from workbench.replay.gateway.dialect import Dialect
    from workbench.replay.live import Upstream
    from workbench.replay.trial import Trial

__all__ = ["ANTHROPIC_VERSION", "compose"]

ANTHROPIC_VERSION: Final = "2023-06-01"
_MAX_TOKENS: Final = 4096
_ANY: Final[JsonMap] = {"type": "object", "additionalProperties": True}


def compose(trial: Trial, upstream: Upstream, body: JsonMap) -> tuple[Dialect, JsonMap]:
    """Return the dialect of the first provider and the request in it.

    Raises:
        InputError: nothing says which model is meant.
    """
    if upstream.model is None:
        raise InputError(
            "no model is named for agents that use POST /model",
            fix="set WORKBENCH_LIVE_MODEL",
        )
    case = trial.case
    said = _with_replies(trial, list_of(body["messages"]))
    tools = _tools(case, body.get("tools"))
    if upstream.providers[0].family is Family.OPENAI:
        return chat, _chat(case, upstream.model, said, tools)
    return messages, _messages(case, upstream.model, said, tools)


def _with_replies(trial: Trial, said: list[JsonMap]) -> list[JsonMap]:
    """Put calls before the results that no message asks for; one reply for those of one turn."""
    stated = {
        str(call.get("id")) for message in said for call in list_of(message.get("tool_calls"))
    }

    def left_out(message: JsonMap) -> Asked | None:
        call_id = _call_id(message)
        is_stated = message.get("role") != "tool" or str(call_id) in stated
        return None if is_stated else trial.asked_for(call_id)

    found: list[JsonMap] = []
    pairs = [(message, left_out(message)) for message in said]
    for turn, group in groupby(pairs, key=lambda pair: pair[1] and pair[1].turn):
        together = list(group)
        if turn is not None:
            calls: list[Json] = [_request(asked) for _, asked in together if asked is not None]
            found.append({"role": "assistant", "tool_calls": calls})
        found += [message for message, _ in together]
    return found


def _request(asked: Asked) -> JsonMap:
    return {"id": asked.given_id, "name": asked.call.name, "args": call_arguments(asked.call)}


def _tools(case: Case, offered: Json) -> list[JsonMap]:
    """Return name, description and schema of each tool that is offered; all when none is stated."""
    if not isinstance(offered, list):
        return [_tool(tool) for tool in case.tools]
    known = {tool.name: tool for tool in case.tools}
    found: list[JsonMap] = []
    for entry in offered:
        stated = map_of(entry)
        stated = map_of(stated.get("function")) or stated
        name = text_of(entry) or text_of(stated.get("name"))
        if name is None:
            continue
        tool = known.get(canonical_tool(case, name))
        own = {} if tool is None else _tool(tool)
        schema = map_of(stated.get("parameters") or stated.get("input_schema"))
        found.append(
            {
                "name": name if tool is None else own["name"],
                "description": text_of(stated.get("description")) or own.get("description"),
                "schema": schema or own.get("schema") or _ANY,
            }
        )
    return found


def _tool(tool: CaseTool) -> JsonMap:
    return {
        "name": wire_of(tool),
        "description": tool.description,
        "schema": tool.schema or _ANY,
    }


def _chat(case: Case, model: str, said: list[JsonMap], tools: list[JsonMap]) -> JsonMap:
    found: JsonMap = {"model": model, "messages": [_chat_message(case, m) for m in said]}
    if tools:
        found["tools"] = [
            {
                "type": "function",
                "function": {**_named(tool), "parameters": tool["schema"]},
            }
            for tool in tools
        ]
    return found


def _named(tool: JsonMap) -> JsonMap:
    kept = ("name", "description")
    return {name: tool[name] for name in kept if tool.get(name) is not None}


def _chat_message(case: Case, message: JsonMap) -> JsonMap:
    role, text = message.get("role"), _text(message.get("content"))
    if role == "tool":
        return {"role": "tool", "tool_call_id": _call_id(message), "content": text}
    found: JsonMap = {"role": role, "content": text}
    calls = list_of(message.get("tool_calls"))
    if calls:
        found["tool_calls"] = [
            {
                "id": call.get("id"),
                "type": "function",
                "function": {"name": _wire(case, call), "arguments": _text(call.get("args", {}))},
            }
            for call in calls
        ]
    return found


def _messages(case: Case, model: str, said: list[JsonMap], tools: list[JsonMap]) -> JsonMap:
    found: JsonMap = {"model": model, "max_tokens": _MAX_TOKENS, "messages": []}
    system = "\n\n".join(_text(m.get("content")) for m in said if m.get("role") == "system")
    if system:
        found["system"] = system
    if tools:
        found["tools"] = [{**_named(tool), "input_schema": tool["schema"]} for tool in tools]
    turns: list[Json] = []
    for message in said:
        if message.get("role") != "system":
            _join(turns, *_blocks(case, message))
    return {**found, "messages": turns}


def _join(turns: list[Json], role: str, blocks: list[Json]) -> None:
    """Add blocks; two messages of one role in a row are one turn."""
    last = map_of(turns[-1]) if turns else {}
    if last.get("role") == role and isinstance(last["content"], list):
        last["content"].extend(blocks)
    elif blocks:
        turns.append({"role": role, "content": blocks})


def _blocks(case: Case, message: JsonMap) -> tuple[str, list[Json]]:
    role, text = message.get("role"), _text(message.get("content"))
    if role == "tool":
        result: JsonMap = {"type": "tool_result", "tool_use_id": _call_id(message), "content": text}
        return "user", [result]
    blocks: list[Json] = [{"type": "text", "text": text}] if text else []
    if role != "assistant":
        return "user", blocks
    for call in list_of(message.get("tool_calls")):
        use: JsonMap = {"type": "tool_use", "id": call.get("id"), "name": _wire(case, call)}
        blocks.append({**use, "input": map_of(call.get("args"))})
    return "assistant", blocks


def _call_id(message: JsonMap) -> Json:
    return message.get("tool_call_id", message.get("id"))


def _wire(case: Case, call: JsonMap) -> str:
    return api_name(case, canonical_tool(case, str(call.get("name"))), ())


def _text(content: Json) -> str:
    if content is None:
        return ""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
