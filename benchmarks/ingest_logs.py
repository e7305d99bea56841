"""Invented logs of agents that read much: one long document a run, most of it texts of tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from benchmarks.ingest_texts import listing, plain, prose, source_code, web_page

if TYPE_CHECKING:
    from random import Random

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["inspect", "openhands", "swe_agent", "whowhen"]


def swe_agent(chance: Random, nth: int) -> Json:
    """Eleven acts, each with what the shell printed, and all of it again as the model saw it."""
    history: list[Json] = [
        {"role": "system", "content": prose(chance, 700), "agent": "primary"},
        {"role": "user", "content": prose(chance, 500), "agent": "primary"},
    ]
    trajectory: list[Json] = []
    for _ in range(11):
        act = f"open src/part_{chance.randint(1, 99)}.py {chance.randint(1, 900)}"
        thought, printed = prose(chance, 37), listing(chance, 21)
        response = f"{thought}\n\n```\n{act}\n```"
        told: JsonMap = {"action": act, "thought": thought}
        history += [
            {"role": "assistant", "content": response, "agent": "primary", **told},
            {"role": "user", "content": f"{printed}\nbash-$ ", "agent": "primary"},
        ]
        state = json.dumps({"open_file": act.split()[1], "working_dir": "/repo"})
        trajectory.append({"observation": printed, "response": response, "state": state, **told})
    info: JsonMap = {"exit_status": "submitted", "submission": prose(chance, 60)}
    return {"environment": f"swe-{nth}", "trajectory": trajectory, "history": history, "info": info}


# --- OpenHands ---------------------------------------------------------------


def openhands(chance: Random, nth: int) -> Json:
    """Thirty-five acts and what came of each, with the model's reply, its tokens and costs beside."""
    task = plain(chance, 600)
    history: list[Json] = [
        _opening(0, "system", {"content": plain(chance, 700), "tools": _offered(chance)}),
        _opening(1, "message", {"content": task}),
    ]
    for turn in range(35):
        history += _acted(chance, 2 * turn + 2)
    metadata: JsonMap = {"agent_class": "CodeActAgent", "llm_config": {"model": "scripted"}}
    return {
        "instance_id": f"repository__{nth}",
        "instruction": task,
        "metadata": metadata,
        "history": history,
        "error": None,
    }


def _opening(number: int, action: str, args: JsonMap) -> Json:
    source = "agent" if action == "system" else "user"
    at = f"2025-04-30T16:32:{number:02}.707474"
    return {"id": number, "timestamp": at, "source": source, "action": action, "args": args}


def _acted(chance: Random, number: int) -> list[Json]:
    command = f"grep -n {plain(chance, 2)!r} /workspace/src/part_{chance.randint(1, 99)}.c"
    thought = plain(chance, 35)
    call_id, minute = f"toolu_{number}", number % 60
    function: JsonMap = {"name": "execute_bash", "arguments": json.dumps({"command": command})}
    call: JsonMap = {"index": 1, "function": function, "id": call_id, "type": "function"}
    message: JsonMap = {"content": thought, "role": "assistant", "tool_calls": [call]}
    response: JsonMap = {
        "id": f"gen-1746001978-{number}",
        "created": 1746001978,
        "model": "scripted",
        "object": "chat.completion",
        "choices": [{"finish_reason": "stop", "index": 0, "message": message}],
        "usage": {"completion_tokens": 81, "prompt_tokens": 6736, "total_tokens": 6817},
    }
    metadata: JsonMap = {
        "function_name": "execute_bash",
        "tool_call_id": call_id,
        "model_response": response,
        "total_calls_in_response": 1,
    }
    spent: JsonMap = {"prompt_tokens": 12656, "completion_tokens": 209, "cache_read_tokens": 0}
    action: JsonMap = {
        "id": number,
        "timestamp": f"2025-04-30T16:{minute:02}:00.652409",
        "source": "agent",
        "message": f"Running command: {command}",
        "action": "run",
        "tool_call_metadata": metadata,
        "llm_metrics": {"accumulated_cost": 0.01 * number, "accumulated_token_usage": spent},
        "args": {"command": command, "thought": thought, "confirmation_state": "confirmed"},
    }
    seen: JsonMap = {
        "id": number + 1,
        "timestamp": f"2025-04-30T16:{minute:02}:01.266908",
        "source": "agent",
        "message": f"Command `{command}` executed with exit code 0.",
        "cause": number,
        "observation": "run",
        "tool_call_metadata": metadata,
        "content": source_code(chance, 22),
        "extras": {"command": command, "metadata": {"exit_code": 0, "working_dir": "/workspace"}},
        "success": True,
    }
    return [action, seen]


def _offered(chance: Random) -> list[Json]:
    parameters: JsonMap = {"type": "object", "properties": {"command": {"type": "string"}}}
    told: JsonMap = {"description": plain(chance, 250), "parameters": parameters}
    names = ("execute_bash", "str_replace_editor", "think", "finish")
    return [{"type": "function", "function": {"name": name, **told}} for name in names]


# --- Who&When ----------------------------------------------------------------


def whowhen(chance: Random, nth: int) -> Json:
    """Sixty steps of a chat of agents: thoughts, orders, and what a browser and a shell showed."""
    history: list[Json] = [{"role": "human", "content": plain(chance, 60)}]
    for turn in range(14):
        program = "WebSurfer" if turn % 5 else "ComputerTerminal"
        history += [
            {"role": "Orchestrator (thought)", "content": _ledger(chance)},
            {"role": "Orchestrator (thought)", "content": f"Next speaker {program}"},
            {"role": f"Orchestrator (-> {program})", "content": plain(chance, 50)},
            {"role": program, "content": web_page(chance, 60)},
        ]
    data: JsonMap = {
        "history": history,
        "question": plain(chance, 20),
        "ground_truth": plain(chance, 3),
        "is_corrected": False,
        "question_ID": f"{nth:064x}",
        "mistake_agent": "WebSurfer",
        "mistake_step": "12",
        "mistake_reason": plain(chance, 25),
    }
    return {"source_path": f"Hand-Crafted/{nth}.json", "data": data}


def _ledger(chance: Random) -> str:
    """Return what such an orchestrator writes of the state of things."""
    asked = ("is_request_satisfied", "is_in_loop", "is_progress_being_made")
    told = {name: {"reason": plain(chance, 12), "answer": False} for name in asked}
    return f"Updated Ledger:\n{json.dumps(told, indent=2)}"


# --- Inspect -----------------------------------------------------------------


def inspect(chance: Random, nth: int) -> Json:
    """A log of one sample: five requests, four pages that a browser fetched, and how it did so."""
    tools = [
        {"name": f"web_browser_{name}", "description": plain(chance, 90), "parameters": _URL}
        for name in ("go", "click", "type", "scroll", "back", "forward", "refresh", "submit")
    ]
    given: list[Json] = [{"id": f"m{nth}-0", "content": plain(chance, 40), "role": "user"}]
    events: list[Json] = []
    for turn in range(5):
        reply = _reply(chance, nth, turn)
        events.append(_request(turn, given, tools, reply))
        if turn == 4:
            break
        page = web_page(chance, 60)
        events += [_tool(nth, turn, page), *_fetches(chance, turn)]
        answer: JsonMap = {"id": f"t{nth}-{turn}", "content": page, "role": "tool"}
        given = [*given, reply, answer | {"tool_call_id": f"call_{nth}_{turn}"}]
    sample: JsonMap = {
        "id": nth,
        "epoch": 1,
        "input": plain(chance, 40),
        "target": "yes",
        "messages": [*given, reply],
        "scores": {"includes": {"value": "C", "answer": "yes"}},
        "events": events,
        "attachments": {},
        "uuid": f"sample-{nth}",
    }
    told: JsonMap = {"task": "browser", "model": "scripted", "created": "2025-05-12T20:27:36Z"}
    return {"version": 2, "status": "success", "eval": told, "plan": {}, "samples": [sample]}


_URL: JsonMap = {"type": "object", "properties": {"url": {"type": "string"}}}


def _reply(chance: Random, nth: int, turn: int) -> JsonMap:
    call: JsonMap = {
        "id": f"call_{nth}_{turn}",
        "function": "web_browser_go",
        "arguments": {"url": f"https://example.com/{turn}"},
        "type": "function",
    }
    asked: JsonMap = {} if turn == 4 else {"tool_calls": [call]}
    text = plain(chance, 30)
    return {"id": f"r{nth}-{turn}", "content": text, "role": "assistant", **asked}


def _request(turn: int, given: list[Json], tools: Json, reply: Json) -> Json:
    output: JsonMap = {
        "model": "scripted",
        "choices": [{"message": reply, "stop_reason": "stop" if turn == 4 else "tool_calls"}],
        "usage": {"input_tokens": 900, "output_tokens": 20, "total_tokens": 920},
    }
    told: JsonMap = {"model": "scripted", "input": given, "tools": tools, "output": output}
    return {**_timed("model", turn), **told, "config": {"temperature": 0.0}}


def _tool(nth: int, turn: int, page: str) -> Json:
    return {
        **_timed("tool", turn),
        "type": "function",
        "id": f"call_{nth}_{turn}",
        "function": "web_browser_go",
        "arguments": {"url": f"https://example.com/{turn}"},
        "result": page,
    }


def _fetches(chance: Random, turn: int) -> list[Json]:
    """Return what the sandbox was asked, which is most of such a log."""
    found: list[Json] = []
    for _ in range(2):
        fetched: JsonMap = {"action": "exec", "cmd": "fetch", "result": 0}
        found.append(
            _timed("sandbox", turn) | fetched | {"output": web_page(chance, 180, words=26)}
        )
    return found


def _timed(event: str, turn: int) -> JsonMap:
    at = f"2025-05-12T20:27:{turn:02}.462180-04:00"
    return {"span_id": "solver", "timestamp": at, "working_start": 0.5 * turn, "event": event}
