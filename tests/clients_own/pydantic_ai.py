"""Pydantic AI: three dialects, streaming and not, own tools and MCP."""

from __future__ import annotations

import os

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

from tests.clients_own.support.pydantic_ai_tools import TOOLSET
from workbench.replay.adapters.pydantic_ai import replayed

_PARTS = {"system": SystemPromptPart, "user": UserPromptPart}


def _history(messages):
    return [ModelRequest(parts=[_PARTS[m["role"]](content=m["content"])]) for m in messages]


def _of(model_name, *, streaming=False, by_mcp=False):
    async def agent(task, tools, model):
        toolset = MCPToolset(os.environ["REPLAY_MCP_URL"]) if by_mcp else replayed(TOOLSET, tools)
        helper = Agent(model_name, toolsets=[toolset])
        *earlier, last = task.messages
        asked = {"message_history": _history(earlier)}
        if not streaming:
            return (await helper.run(last["content"], **asked)).output
        async with helper.run_stream(last["content"], **asked) as run:
            return await run.get_output()

    return agent


chat, chat_streaming = _of("openai-chat:gpt-x"), _of("openai-chat:gpt-x", streaming=True)
responses = _of("openai-responses:gpt-x")
responses_streaming = _of("openai-responses:gpt-x", streaming=True)
messages = _of("anthropic:claude-x")
messages_streaming = _of("anthropic:claude-x", streaming=True)
mcp = _of("openai-chat:gpt-x", by_mcp=True)
