"""Microsoft's Agent Framework: messages and its spans, with a scripted client of its own kind."""

from __future__ import annotations

import asyncio
import json

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
)
from agent_framework.observability import ChatTelemetryLayer, enable_instrumentation

from tests.producers.scripts.support import scenario
from tests.producers.scripts.support.tracing import tracer_provider


class _Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, ChatTelemetryLayer, BaseChatClient):
    OTEL_PROVIDER_NAME = "scripted"

    def _inner_get_response(self, *, messages, stream, options, **_more):
        turn = sum(
            any(content.type == "function_call" for content in message.contents)
            for message in messages
        )
        calls = scenario.TURNS[turn] if turn < len(scenario.TURNS) else ()
        contents = [
            Content.from_function_call(call_id=i, name=name, arguments=json.dumps(args))
            for i, name, args in calls
        ] or [Content.from_text(scenario.CLAIM)]
        return self._answer(turn, contents, "tool_calls" if calls else "stop")

    async def _answer(self, turn, contents, end):
        return ChatResponse(
            messages=[Message("assistant", contents)],
            response_id=f"response-{turn}",
            model=scenario.MODEL,
            usage_details={"input_token_count": 100, "output_token_count": 20},
            finish_reason=end,
        )


async def _agent():
    tracer_provider()
    enable_instrumentation(enable_sensitive_data=True)
    agent = Agent(
        client=_Scripted(),
        instructions=scenario.SYSTEM,
        name="billing",
        tools=[scenario.lookup_account, scenario.get_operation],
    )
    answer = await agent.run(scenario.TASK)
    return {"messages.json": json.dumps([one.to_dict() for one in answer.messages], default=str)}


TAKES = {"agent": lambda: asyncio.run(_agent())}
