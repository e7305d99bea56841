"""AutoGen: the stream of a team, its state, its log of events, and its spans."""

from __future__ import annotations

import asyncio
import json
import logging

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import EVENT_LOGGER_NAME
from autogen_ext.models.openai import OpenAIChatCompletionClient

from tests.producers.scripts.support import provider, scenario
from tests.producers.scripts.support.tracing import tracer_provider

_MODEL = {
    "function_calling": True,
    "vision": False,
    "json_output": False,
    "family": "unknown",
    "structured_output": False,
}


class _Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.events = []

    def emit(self, record):
        text = str(record.msg)
        try:
            self.events.append(json.loads(text))
        except ValueError:
            self.events.append({"raw": text})


async def _team(*, streaming=False):
    tracer_provider()
    kept, logger = _Kept(), logging.getLogger(EVENT_LOGGER_NAME)
    logger.setLevel(logging.INFO)
    logger.addHandler(kept)
    client = OpenAIChatCompletionClient(
        model=scenario.MODEL,
        base_url=f"{provider.start()}/v1",
        api_key="x",
        model_info=_MODEL,
        include_name_in_message=False,
    )
    agent = AssistantAgent(
        "billing",
        client,
        tools=[scenario.lookup_account, scenario.get_operation],
        system_message=scenario.SYSTEM,
        max_tool_iterations=5,
        model_client_stream=streaming,
    )
    ends = TextMentionTermination("completed") | MaxMessageTermination(12)
    team = RoundRobinGroupChat([agent], termination_condition=ends)
    items = [item async for item in team.run_stream(task=scenario.TASK)]
    return {
        "run_stream.jsonl": "".join(
            json.dumps({"type": type(item).__name__, **item.model_dump(mode="json")}) + "\n"
            for item in items
        ),
        "result.json": items[-1].model_dump_json(),
        "team_state.json": json.dumps(await team.save_state(), default=str),
        "event_log.json": kept.events,
    }


TAKES = {
    "team": lambda: asyncio.run(_team()),
    "team_streamed": lambda: asyncio.run(_team(streaming=True)),
}
