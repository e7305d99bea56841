"""Google's Agent Development Kit: the session as it is saved, and its spans."""

from __future__ import annotations

import asyncio

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from tests.producers.scripts.support import scenario
from tests.producers.scripts.support.tracing import tracer_provider


class _Scripted(BaseLlm):
    async def generate_content_async(self, llm_request, stream=False):  # noqa: FBT002  the framework's signature
        turn = sum(
            any(part.function_call for part in content.parts or ())
            for content in llm_request.contents
        )
        calls = scenario.TURNS[turn] if turn < len(scenario.TURNS) else ()
        parts = [
            types.Part(function_call=types.FunctionCall(id=i, name=name, args=args))
            for i, name, args in calls
        ] or [types.Part(text=scenario.CLAIM)]
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=100, candidates_token_count=20, total_token_count=120
        )
        yield LlmResponse(
            content=types.Content(role="model", parts=parts),
            usage_metadata=usage,
            finish_reason=types.FinishReason.STOP,
        )


def get_operation(operation_id: str) -> dict:
    """Read how far an operation is."""
    try:
        return scenario.get_operation(operation_id)
    except TimeoutError as error:
        return {"error": str(error)}


async def _session():
    tracer_provider()
    agent = LlmAgent(
        name="billing",
        model=_Scripted(model=scenario.MODEL),
        instruction=scenario.SYSTEM,
        tools=[scenario.lookup_account, get_operation],
    )
    runner = InMemoryRunner(agent, app_name="billing")
    sessions = runner.session_service
    session = await sessions.create_session(app_name="billing", user_id="u-1")
    asked = types.Content(role="user", parts=[types.Part(text=scenario.TASK)])
    async for _ in runner.run_async(user_id="u-1", session_id=session.id, new_message=asked):
        pass
    found = await sessions.get_session(app_name="billing", user_id="u-1", session_id=session.id)
    return {
        "session.json": found.model_dump_json(by_alias=True, exclude_none=True),
        "session_snake.json": found.model_dump_json(exclude_none=True),
    }


TAKES = dict.fromkeys(("session", "captured", "latest"), lambda: asyncio.run(_session()))
"""Alike: the environment says what spans keep."""
