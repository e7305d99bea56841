"""pydantic-ai: each version of its spans, its messages, streaming, and a call that was approved."""

from __future__ import annotations

import asyncio
from functools import partial

from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelRetry,
    Tool,
    ToolApproved,
    ToolDenied,
)
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from tests.producers.scripts.support import provider, scenario
from tests.producers.scripts.support.tracing import tracer_provider


def get_operation(operation_id: str) -> dict:
    """Read how far an operation is."""
    try:
        return scenario.get_operation(operation_id)
    except TimeoutError as error:
        raise ModelRetry(str(error)) from error


def _agent(version=None, *, asks=False):
    model = OpenAIChatModel(
        scenario.MODEL, provider=OpenAIProvider(base_url=f"{provider.start()}/v1", api_key="x")
    )
    if version is not None:
        settings = InstrumentationSettings(tracer_provider=tracer_provider(), version=version)
        Agent.instrument_all(settings)
    return Agent(
        model,
        name="billing",
        instructions=scenario.SYSTEM,
        tools=[scenario.lookup_account, Tool(get_operation, requires_approval=asks)],
        output_type=[str, DeferredToolRequests] if asks else str,
    )


def _spans(version):
    return {"messages.json": _agent(version).run_sync(scenario.TASK).all_messages_json()}


async def _streamed():
    async with _agent(5).run_stream(scenario.TASK) as run:
        await run.get_output()
        return {"messages.json": run.all_messages_json()}


def _decided(decision):
    agent = _agent(5, asks=True)
    run = agent.run_sync(scenario.TASK)
    while isinstance(run.output, DeferredToolRequests):
        given = {call.tool_call_id: decision for call in run.output.approvals}
        run = agent.run_sync(
            message_history=run.all_messages(),
            deferred_tool_results=DeferredToolResults(approvals=given),
        )
    return {"messages.json": run.all_messages_json()}


TAKES = {
    **{f"spans_{version}": partial(_spans, version) for version in (2, 3, 4, 5)},
    "streamed": lambda: asyncio.run(_streamed()),
    "approved": partial(_decided, ToolApproved()),
    "denied": partial(_decided, ToolDenied("ask a person first")),
}
