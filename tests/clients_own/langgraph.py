"""LangChain on LangGraph: chat completions, responses and Anthropic, streaming and not."""

from __future__ import annotations

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI

from tests.clients_own.support.langchain_tools import TOOLS
from workbench.replay.adapters.langchain import replayed


def _model(dialect):
    if dialect == "messages":
        return ChatAnthropic(model_name="claude-x")
    return ChatOpenAI(model="gpt-x", use_responses_api=dialect == "responses")


def _text(message):
    return message.text if isinstance(message.text, str) else message.text()


def _plain(dialect):
    def agent(task, tools, model):
        graph = create_agent(_model(dialect), replayed(TOOLS, tools))
        return _text(graph.invoke({"messages": task.messages})["messages"][-1])

    return agent


def _streaming(dialect):
    def agent(task, tools, model):
        graph = create_agent(_model(dialect), replayed(TOOLS, tools))
        text = ""
        for chunk, _ in graph.stream({"messages": task.messages}, stream_mode="messages"):
            if chunk.type == "tool":
                text = ""
            elif chunk.type == "AIMessageChunk":
                text += _text(chunk)
        return text

    return agent


chat, responses, messages = _plain("chat"), _plain("responses"), _plain("messages")
chat_streaming = _streaming("chat")
responses_streaming = _streaming("responses")
messages_streaming = _streaming("messages")
