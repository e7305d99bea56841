"""Invented runs in the shapes and sizes of real ones, so that the benchmark needs no corpus.

Medians measured on real files, of a run and of each of its events: AgentDojo 5.0 KB and 330 bytes,
tau-bench 17 KB and 470, tau2-bench 28 KB and 580, OpenTelemetry spans 23 KB and 1,650 (whole histories
stand in them), SWE-agent 65 KB and 1,400, OpenHands 116 KB and 1,540, Who&When 60 KB and 1,050, an
Inspect log of a browser 345 KB and 17,000. Texts here are made to that.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Final

from benchmarks.ingest_logs import inspect, openhands, swe_agent, whowhen
from benchmarks.ingest_texts import prose, tool_answer
from workbench.casefile.trace import trace_document
from workbench.model.event import Claim, ModelReply, ToolCall, ToolResult, UserMessage
from workbench.model.trace import Trace, renumbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workbench.model.event import Event
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["INVENTED", "lines_of"]

_POLICY: Final = (
    "# Policy\n\nAs an agent, you help users to book, modify or cancel.\n\n- Before any action "
    'that writes, list its details and obtain an explicit "yes".\n- Never invent information.\n'
)
_TOOLS: Final = json.dumps(
    [
        {
            "type": "function",
            "name": name,
            "description": "Looks an account up and says what it owes.",
            "parameters": {"type": "object", "properties": {"account": {"type": "string"}}},
        }
        for name in ("lookup", "cancel")
    ]
)


def lines_of(make: Callable[[Random, int], Json], count: int) -> Iterator[bytes]:
    """Yield `count` different records as JSON lines, the same ones each time.

    Letters are written as the recorders write them, as such or as escapes: a text with one that is
    no ASCII takes `json.loads` and us more time.
    """
    chance = Random(7)  # noqa: S311  no secret
    for nth in range(count):
        yield json.dumps(make(chance, nth), ensure_ascii=make in _ASCII).encode() + b"\n"


def agentdojo(chance: Random, nth: int) -> Json:
    """Eight to twelve messages; arguments as a structure, the call repeated in its result."""
    messages: list[Json] = [
        {"role": "system", "content": _POLICY},
        {"role": "user", "content": prose(chance, 30)},
    ]
    for turn in range(chance.randint(3, 5)):
        call: JsonMap = {
            "function": "get_transactions",
            "args": {"n": chance.randint(1, 100), "since": prose(chance, 2)},
            "id": f"call_{nth}_{turn}",
        }
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        content = "\n".join(f"- {prose(chance, 3)}: {prose(chance, 4)}" for _ in range(13))
        result: JsonMap = {"role": "tool", "content": content, "tool_call": call, "error": None}
        messages.append(result | {"tool_call_id": call["id"]})
    messages.append({"role": "assistant", "content": prose(chance, 40), "tool_calls": None})
    data: JsonMap = {
        "suite_name": "banking",
        "pipeline_name": "scripted",
        "user_task_id": f"user_task_{nth}",
        "injection_task_id": None,
        "attack_type": None,
        "injections": {},
        "messages": messages,
        "error": None,
        "utility": nth % 3 > 0,
        "security": True,
        "duration": 3.5,
    }
    return {"source_path": f"runs/scripted/banking/user_task_{nth}.json", "data": data}


def tau_bench(chance: Random, nth: int) -> Json:
    """A long policy, then twenty to thirty messages in the form of OpenAI chat."""
    messages: list[Json] = [{"role": "system", "content": _POLICY + prose(chance, 1000)}]
    for turn in range(chance.randint(6, 9)):
        messages.append({"role": "user", "content": prose(chance, 15)})
        function: JsonMap = {
            "name": "get_reservation_details",
            "arguments": json.dumps({"reservation_id": f"R{nth}{turn}"}),
        }
        call: JsonMap = {"id": f"call_{nth}_{turn}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        told: JsonMap = {"role": "tool", "tool_call_id": call["id"], "name": function["name"]}
        messages.append(told | {"content": tool_answer(chance, 70)})
        messages.append({"role": "assistant", "content": prose(chance, 38), "tool_calls": None})
    info: JsonMap = {"task": {"user_id": f"u{nth}", "actions": [], "instruction": "be brief"}}
    return {"task_id": nth, "reward": float(nth % 2), "info": info, "traj": messages, "trial": 0}


def tau2_bench(chance: Random, nth: int) -> Json:
    """Thirty to forty messages with times, costs, usage and the provider's own reply beside."""
    messages: list[Json] = []
    for turn in range(chance.randint(16, 20)):
        call: JsonMap = {
            "id": f"call_{nth}_{turn}",
            "name": "get_line",
            "arguments": {"line_id": f"L{turn}", "customer": prose(chance, 2)},
            "requestor": "assistant",
        }
        provided: JsonMap = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        own: JsonMap = {"id": call["id"], "type": "function", "function": provided}
        at = f"2025-08-01T16:{turn:02}:03.637547"
        usual: JsonMap = {"turn_idx": turn, "timestamp": at, "cost": 0.004, "errors": None}
        reply: JsonMap = {"role": "assistant", "content": None, "tool_calls": [own]}
        asked: JsonMap = {
            "tool_calls": [call],
            "usage": {"completion_tokens": 25, "prompt_tokens": 4122},
            "raw_data": {"message": reply},
        }
        answered: JsonMap = {"id": call["id"], "content": tool_answer(chance, 110), "error": False}
        said: JsonMap = {"content": prose(chance, 25), "tool_calls": None, "raw_data": None}
        messages += [
            {"role": "assistant", "content": None, **asked, **usual},
            {"role": "tool", "requestor": "assistant", **answered, **usual},
            {"role": "user", "usage": None, **said, **usual},
        ]
    messages.append({"role": "assistant", "content": prose(chance, 30), "tool_calls": None})
    reward: JsonMap = {"reward": 1.0, "reward_basis": ["DB"], "info": {"env": None}}
    return {
        "id": f"simulation-{nth}",
        "task_id": f"[mobile_data_issue]{nth}",
        "timestamp": "2025-08-01T16:24:03.637547",
        "termination_reason": "user_stop",
        "reward_info": reward,
        "messages": messages,
    }


def otlp(chance: Random, nth: int) -> Json:
    """One run a document: four requests, each with the history before it, three tool spans."""
    history: list[Json] = [_message("user", _text(prose(chance, 30)))]
    trace_id = f"{nth + 1:032x}"
    spans: list[Json] = [
        _span(trace_id, 1, "invoke_agent", {"gen_ai.operation.name": "invoke_agent"})
    ]
    for turn in range(4):
        done = turn == 3
        call: JsonMap = {
            "type": "tool_call",
            "id": f"call_{nth}_{turn}",
            "name": "lookup",
            "arguments": {"account": f"AC-{turn}"},
        }
        reply = _message("assistant", _text(prose(chance, 40)) if done else call)
        said: dict[str, str] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "scripted",
            "gen_ai.provider.name": "openai",
            "gen_ai.response.id": f"chatcmpl-{nth}-{turn}",
            "gen_ai.response.model": "scripted-2026-10-01",
            "gen_ai.response.finish_reasons": '["stop"]',
            "server.address": "api.example.com",
            "gen_ai.tool.definitions": _TOOLS,
            "gen_ai.input.messages": json.dumps(history),
            "gen_ai.output.messages": json.dumps([reply]),
            "gen_ai.system_instructions": json.dumps([_text(_POLICY)]),
        }
        spans.append(_span(trace_id, 10 * turn + 2, "chat scripted", said))
        if done:
            break
        answer = tool_answer(chance, 60)
        history += [reply, _message("tool", _answered(call, answer))]
        told = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "lookup",
            "gen_ai.tool.call.id": f"call_{nth}_{turn}",
            "gen_ai.tool.call.arguments": json.dumps(call["arguments"]),
            "gen_ai.tool.call.result": answer,
        }
        spans.append(_span(trace_id, 10 * turn + 3, "execute_tool lookup", told))
    told_once = {
        "service.name": "billing-agent",
        "service.version": "1.4.2",
        "telemetry.sdk.language": "python",
        "telemetry.sdk.name": "opentelemetry",
        "telemetry.sdk.version": "1.38.0",
    }
    resource: JsonMap = {"attributes": [_attribute(key, told_once[key]) for key in told_once]}
    scope: JsonMap = {"scope": {"name": "opentelemetry.util.genai.handler"}, "spans": spans}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}


def _text(text: str) -> Json:
    return {"type": "text", "content": text}


def _answered(call: JsonMap, answer: str) -> Json:
    return {"type": "tool_call_response", "id": call["id"], "response": answer}


def _message(role: str, part: Json) -> Json:
    return {"role": role, "parts": [part]}


def _span(trace_id: str, at: int, name: str, said: dict[str, str]) -> Json:
    parent: JsonMap = {} if at == 1 else {"parentSpanId": f"{1:016x}"}
    attributes: list[Json] = [_attribute(key, value) for key, value in said.items()]
    return {
        "traceId": trace_id,
        "spanId": f"{at:016x}",
        **parent,
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(1_796_042_141_000_000_000 + at * 1_000_000),
        "endTimeUnixNano": str(1_796_042_141_000_500_000 + at * 1_000_000),
        "attributes": [
            *attributes,
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "9"}},
        ],
        "events": [],
        "status": {"code": 0},
    }


def _attribute(key: str, value: str) -> Json:
    return {"key": key, "value": {"stringValue": value}}


def trace1(chance: Random, nth: int) -> Json:
    """Our own format: about thirty events, arguments and results beside their texts."""
    events: list[Event] = [UserMessage(text=prose(chance, 30))]
    for turn in range(1, 9):
        answer: JsonMap = {"account": f"A-{turn}", "note": prose(chance, 60)}
        args: JsonMap = {"id": f"A-{turn}"}
        events += [
            ModelReply(call_ids=(f"c{turn}",)),
            ToolCall(
                call_id=f"c{turn}",
                tool="billing.status",
                args_raw=json.dumps(args),
                args=args,
                turn=turn,
            ),
            ToolResult(call_id=f"c{turn}", result_raw=json.dumps(answer), result=answer),
        ]
    text = prose(chance, 40)
    events += [ModelReply(text=text), Claim(text=text, final=True)]
    return trace_document(Trace(run_id=f"run-{nth:06}", events=renumbered(events)))


_ASCII: Final = (swe_agent, otlp)
"""What writes them as escapes: no file of theirs in the corpus holds any other byte."""

INVENTED: Final[dict[str, Callable[[Random, int], Json]]] = {
    "agentdojo": agentdojo,
    "tau_bench": tau_bench,
    "tau2_bench": tau2_bench,
    "swe_agent": swe_agent,
    "openhands": openhands,
    "whowhen": whowhen,
    "inspect": inspect,
    "otlp": otlp,
    "trace1": trace1,
}
"""Format -> what makes one record of it."""
