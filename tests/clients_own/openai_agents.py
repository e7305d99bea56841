"""OpenAI Agents SDK: responses and chat completions, streaming and not, own tools and MCP."""

from __future__ import annotations

import os

import agents
from agents.mcp import MCPServerStreamableHttp

from tests.clients_own.support.openai_agents_tools import TOOLS
from workbench.replay.adapters.openai_agents import replayed

agents.set_tracing_disabled(disabled=True)


def _of(api, *, streaming):
    async def agent(task, tools, model):
        agents.set_default_openai_api(api)
        helper = agents.Agent(name="support", model="gpt-x", tools=replayed(TOOLS, tools))
        if not streaming:
            return (await agents.Runner.run(helper, task.messages)).final_output
        run = agents.Runner.run_streamed(helper, task.messages)
        async for _ in run.stream_events():
            pass
        return run.final_output

    return agent


responses = _of("responses", streaming=False)
responses_streaming = _of("responses", streaming=True)
chat = _of("chat_completions", streaming=False)
chat_streaming = _of("chat_completions", streaming=True)


async def mcp(task, tools, model):
    """Take the case's tools by MCP."""
    agents.set_default_openai_api("responses")
    async with MCPServerStreamableHttp({"url": os.environ["REPLAY_MCP_URL"]}) as server:
        helper = agents.Agent(name="support", model="gpt-x", mcp_servers=[server])
        return (await agents.Runner.run(helper, task.messages)).final_output
