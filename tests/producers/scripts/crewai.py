"""CrewAI: what its event bus says, with tools of the API and tools in text, and OpenInference."""

from __future__ import annotations

import json

import crewai.events
from crewai import LLM, Agent, BaseLLM, Crew, Task
from crewai.events import BaseEventListener, crewai_event_bus
from crewai.tools import tool
from openinference.instrumentation.crewai import CrewAIInstrumentor

from tests.producers.scripts.support import provider, scenario
from tests.producers.scripts.support.tracing import tracer_provider


@tool("lookup_account")
def _lookup_account(account_id: str) -> str:
    """Find an account."""
    return json.dumps(scenario.lookup_account(account_id))


@tool("get_operation")
def _get_operation(operation_id: str) -> str:
    """Read how far an operation is."""
    return json.dumps(scenario.get_operation(operation_id))


class _Kept(BaseEventListener):
    """Keeps every event that the bus knows."""

    def __init__(self):
        self.events = []
        super().__init__()

    def setup_listeners(self, bus):
        for name in sorted(crewai.events.__all__):
            kind = getattr(crewai.events, name, None)
            if isinstance(kind, type) and name.endswith("Event") and name != "BaseEvent":
                bus.on(kind)(self._keeper(name))

    def _keeper(self, name):
        def keep(_source, event):
            told = event.to_json() if hasattr(event, "to_json") else event.model_dump(mode="json")
            self.events.append({"event_class": name, **json.loads(json.dumps(told, default=str))})

        return keep


class _Texts(BaseLLM):
    """A model without an API for tools: it writes its calls."""

    step: int = 0

    def supports_function_calling(self):
        return False

    def call(self, messages, *_args, **_options):
        calls = [call for turn in scenario.TURNS for call in turn]
        step, self.step = self.step, self.step + 1
        if step >= len(calls):
            return f"Thought: I now know the final answer\nFinal Answer: {scenario.CLAIM}"
        _, name, args = calls[step]
        blank = " " * (step == len(calls) - 1)  # the same call again is refused by the framework
        sent = json.dumps({key: value + blank for key, value in args.items()})
        return f"Thought: look\nAction: {name}\nAction Input: {sent}"


def _crew(llm):
    provider_of_spans = tracer_provider()
    CrewAIInstrumentor().instrument(tracer_provider=provider_of_spans, skip_dep_check=True)
    kept = _Kept()
    agent = Agent(
        role="billing",
        goal="answer",
        backstory=scenario.SYSTEM,
        llm=llm,
        tools=[_lookup_account, _get_operation],
        verbose=False,
    )
    task = Task(description=scenario.TASK, expected_output="what happened", agent=agent)
    Crew(agents=[agent], tasks=[task], verbose=False, memory=False).kickoff()
    crewai_event_bus.flush()
    return {"events.json": kept.events}


TAKES = {
    "tools": lambda: _crew(
        LLM(model="openai/gpt-4o", base_url=f"{provider.start()}/v1", api_key="x")
    ),
    "texts": lambda: _crew(_Texts(model=scenario.MODEL)),
}
