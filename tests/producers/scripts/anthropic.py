"""A loop on Anthropic's own client under two instrumentations, streaming and not."""

from __future__ import annotations

from functools import partial

import anthropic
from openinference.instrumentation.anthropic import AnthropicInstrumentor as OpenInference
from opentelemetry import trace
from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor as OpenLLMetry

from tests.producers.scripts.support import provider, scenario
from tests.producers.scripts.support.tracing import tracer_provider


def _loop(client, *, streaming):
    tools = [
        {
            "name": schema["name"],
            "description": schema["description"],
            "input_schema": schema["parameters"],
        }
        for schema in scenario.SCHEMAS
    ]
    asked = {"model": scenario.MODEL, "max_tokens": 200, "system": scenario.SYSTEM, "tools": tools}
    messages = [{"role": "user", "content": scenario.TASK}]
    while True:
        if streaming:
            with client.messages.stream(messages=messages, **asked) as stream:
                answer = stream.get_final_message()
        else:
            answer = client.messages.create(messages=messages, **asked)
        blocks = [block.model_dump(mode="json", exclude_none=True) for block in answer.content]
        messages.append({"role": "assistant", "content": blocks})
        calls = [block for block in blocks if block["type"] == "tool_use"]
        if not calls:
            return {"system": scenario.SYSTEM, "messages": messages}
        messages.append({"role": "user", "content": [_result(call) for call in calls]})


def _result(call):
    text, failed = scenario.run(call["name"], call["input"])
    return {
        "type": "tool_result",
        "tool_use_id": call["id"],
        "content": text,
        "is_error": failed,
    }


def _played(instrumentation, *, streaming):
    instrumentation().instrument(tracer_provider=tracer_provider())
    client = anthropic.Anthropic(base_url=provider.start(), api_key="x")
    with trace.get_tracer("app").start_as_current_span("billing-run"):
        return {"messages.json": _loop(client, streaming=streaming)}


TAKES = {
    f"{name}{'_streamed' if streaming else ''}": partial(
        _played, instrumentation, streaming=streaming
    )
    for name, instrumentation in (("openllmetry", OpenLLMetry), ("openinference", OpenInference))
    for streaming in (False, True)
}
