"""AutoGen: chat completions, streaming and not."""

from __future__ import annotations

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_ext.models.openai import OpenAIChatCompletionClient

from tests.clients_own.support.autogen_tools import TOOLS
from workbench.replay.adapters.autogen import replayed


def _of(*, streaming):
    async def agent(task, tools, model):
        helper = AssistantAgent(
            "support",
            model_client=OpenAIChatCompletionClient(model="gpt-4o"),
            tools=replayed(TOOLS, tools),
            max_tool_iterations=9,
            model_client_stream=streaming,
        )
        said = [TextMessage(content=m["content"], source=m["role"]) for m in task.messages]
        return (await helper.run(task=said)).messages[-1].content

    return agent


chat, chat_streaming = _of(streaming=False), _of(streaming=True)
