"""A loop on OpenAI's own client under three instrumentations: two APIs, streaming and not."""

from __future__ import annotations

import importlib
import json
from functools import partial

import openai
from opentelemetry import trace

from tests.producers.scripts.support import provider, scenario
from tests.producers.scripts.support.tracing import logger_provider, tracer_provider


def _chat(client):
    tools = [{"type": "function", "function": schema} for schema in scenario.SCHEMAS]
    messages = [
        {"role": "system", "content": scenario.SYSTEM},
        {"role": "user", "content": scenario.TASK},
    ]
    while True:
        answer = client.chat.completions.create(
            model=scenario.MODEL, messages=messages, tools=tools, temperature=0
        )
        message = answer.choices[0].message.model_dump(exclude_none=True)
        messages.append(message)
        if not message.get("tool_calls"):
            return messages
        messages += _results(message["tool_calls"])


def _chat_streamed(client):
    tools = [{"type": "function", "function": schema} for schema in scenario.SCHEMAS]
    messages = [
        {"role": "system", "content": scenario.SYSTEM},
        {"role": "user", "content": scenario.TASK},
    ]
    while True:
        chunks = client.chat.completions.create(
            model=scenario.MODEL,
            messages=messages,
            tools=tools,
            stream=True,
            stream_options={"include_usage": True},
        )
        message = _joined(chunks)
        messages.append(message)
        if not message.get("tool_calls"):
            return messages
        messages += _results(message["tool_calls"])


def _joined(chunks):
    text, calls = "", {}
    for chunk in chunks:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for part in choice.delta.tool_calls or ():
                call = calls.setdefault(part.index, part.model_dump(exclude_none=True))
                if call["id"] != part.id:
                    call["function"]["arguments"] += part.function.arguments or ""
    for call in calls.values():
        call.pop("index")
    return {"role": "assistant", "content": text or None} | (
        {"tool_calls": list(calls.values())} if calls else {}
    )


def _results(calls):
    for call in calls:
        function = call["function"]
        text, _ = scenario.run(function["name"], json.loads(function["arguments"]))
        yield {"role": "tool", "tool_call_id": call["id"], "content": text}


def _responses(client, *, streaming=False):
    tools = [{"type": "function", **schema} for schema in scenario.SCHEMAS]
    items = [{"role": "user", "content": scenario.TASK}]
    asked = {"model": scenario.MODEL, "instructions": scenario.SYSTEM, "tools": tools}
    while True:
        answer = client.responses.create(input=items, stream=streaming, **asked)
        if streaming:
            answer = next(one.response for one in answer if one.type == "response.completed")
        output = [item.model_dump(exclude_none=True) for item in answer.output]
        items += output
        calls = [item for item in output if item["type"] == "function_call"]
        if not calls:
            return items
        for call in calls:
            text, _ = scenario.run(call["name"], json.loads(call["arguments"]))
            items.append(
                {"type": "function_call_output", "call_id": call["call_id"], "output": text}
            )


_LOOPS = {
    "chat": _chat,
    "chat_streamed": _chat_streamed,
    "responses": _responses,
    "responses_streamed": partial(_responses, streaming=True),
    "events": _chat,
}
_INSTRUMENTATIONS = {
    "openllmetry": "opentelemetry.instrumentation.openai",
    "openinference": "openinference.instrumentation.openai",
    "opentelemetry": "opentelemetry.instrumentation.openai_v2",
}


def _played(loop, instrumentation):
    instrumentor = importlib.import_module(instrumentation).OpenAIInstrumentor
    instrumentor().instrument(tracer_provider=tracer_provider(), logger_provider=logger_provider())
    client = openai.OpenAI(base_url=f"{provider.start()}/v1", api_key="x")
    with trace.get_tracer("app").start_as_current_span("billing-run"):
        return {"messages.json": loop(client)}


TAKES = {
    f"{name}_{way}": partial(_played, loop, instrumentation)
    for name, instrumentation in _INSTRUMENTATIONS.items()
    for way, loop in _LOOPS.items()
}
