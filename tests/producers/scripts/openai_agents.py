"""OpenAI Agents SDK: spans of its own, items, the state of a run, and two instrumentations."""

from __future__ import annotations

import asyncio
import json

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    function_tool,
    set_trace_processors,
)
from agents.tracing import TracingProcessor
from openai import AsyncOpenAI
from openinference.instrumentation.openai_agents import (
    OpenAIAgentsInstrumentor as OpenInference,
)
from opentelemetry.instrumentation.openai_agents import (
    OpenAIAgentsInstrumentor as OpenLLMetry,
)

from tests.producers.scripts.support import provider, scenario
from tests.producers.scripts.support.tracing import tracer_provider

_RUN = RunConfig(workflow_name="billing", group_id="conversation-1")


class _Kept(TracingProcessor):
    """Keeps what an exporter would send."""

    def __init__(self):
        self.items = []

    def on_trace_start(self, trace):
        self.items.append(trace.export())

    def on_trace_end(self, trace):
        pass

    def on_span_start(self, span):
        pass

    def on_span_end(self, span):
        self.items.append(span.export())

    def shutdown(self):
        pass

    def force_flush(self):
        pass


def _agent(model=OpenAIResponsesModel, **options):
    client = AsyncOpenAI(base_url=f"{provider.start()}/v1", api_key="x")
    return Agent(
        name="billing",
        instructions=scenario.SYSTEM,
        model=model(scenario.MODEL, client),
        tools=[
            function_tool(scenario.lookup_account),
            function_tool(scenario.get_operation, **options),
        ],
    )


async def _own(model, *, streaming=False):
    kept = _Kept()
    set_trace_processors([kept])
    if streaming:
        run = Runner.run_streamed(_agent(model), scenario.TASK, run_config=_RUN)
        async for _ in run.stream_events():
            pass
    else:
        run = await Runner.run(_agent(model), scenario.TASK, run_config=_RUN)
    return {
        "spans.jsonl": "".join(json.dumps(item) + "\n" for item in kept.items),
        "batch.json": {"data": kept.items},
        "items.json": run.to_input_list(),
        "state.json": run.to_state().to_json(),
    }


async def _decided(*, approve):
    set_trace_processors([])
    agent = _agent(needs_approval=True)
    run = await Runner.run(agent, scenario.TASK, run_config=_RUN)
    found = {"asking.json": run.to_state().to_json()}
    while run.interruptions:
        state = run.to_state()
        for asked in run.interruptions:
            if approve:
                state.approve(asked)
            else:
                state.reject(asked)
        run = await Runner.run(agent, state, run_config=_RUN)
    return found | {"state.json": run.to_state().to_json()}


async def _instrumented(instrumentor):
    instrumentor().instrument(tracer_provider=tracer_provider())
    await Runner.run(_agent(), scenario.TASK, run_config=_RUN)


def _sync(play, *args, **options):
    return lambda: asyncio.run(play(*args, **options))


TAKES = {
    "responses": _sync(_own, OpenAIResponsesModel),
    "responses_streamed": _sync(_own, OpenAIResponsesModel, streaming=True),
    "chat": _sync(_own, OpenAIChatCompletionsModel),
    "approved": _sync(_decided, approve=True),
    "denied": _sync(_decided, approve=False),
    "openinference": _sync(_instrumented, OpenInference),
    "openllmetry": _sync(_instrumented, OpenLLMetry),
}
