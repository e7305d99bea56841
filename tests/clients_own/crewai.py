"""CrewAI: chat completions, streaming and not."""

from __future__ import annotations

import os

os.environ["HOME"] = os.environ["TMPDIR"]  # it makes folders there while it loads

from crewai import LLM, Agent, Crew, Task

from tests.clients_own.support.crewai_tools import TOOLS
from workbench.replay.adapters.crewai import replayed


def _of(*, streaming):
    def agent(task, tools, model):
        helper = Agent(
            role="support",
            goal="help the customer",
            backstory="a tea shop",
            llm=LLM(model="openai/gpt-4o", stream=streaming),
            tools=replayed(TOOLS, tools),
        )
        said = "\n".join(message["content"] for message in task.messages)
        work = Task(description=said, expected_output="an answer", agent=helper)
        return Crew(agents=[helper], tasks=[work]).kickoff().raw

    return agent


chat, chat_streaming = _of(streaming=False), _of(streaming=True)
