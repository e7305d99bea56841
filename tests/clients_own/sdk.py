"""The providers' own clients and MCP's: the loop is the agent's, the wire is theirs."""

from __future__ import annotations

import asyncio
import json
import os

import anthropic
import openai
from mcp import Client

from tests.clients_own.support.schemas import SCHEMAS

_CHAT = [{"type": "function", "function": schema} for schema in SCHEMAS]
_RESPONSES = [{"type": "function", **schema} for schema in SCHEMAS]
_MESSAGES = [
    {"name": s["name"], "description": s["description"], "input_schema": s["parameters"]}
    for s in SCHEMAS
]


def _chat(*, streaming, call=None):
    def agent(task, tools, model):
        client, messages = openai.OpenAI(), list(task.messages)
        run = call or tools.call_for_model
        while True:
            asked = {"model": "gpt-x", "messages": messages, "tools": _CHAT}
            if streaming:
                with client.chat.completions.stream(**asked) as stream:
                    reply = stream.get_final_completion().choices[0].message
            else:
                reply = client.chat.completions.create(**asked).choices[0].message
            if not reply.tool_calls:
                return reply.content
            messages.append(reply.model_dump(exclude_none=True, exclude={"parsed"}))
            messages += [
                {
                    "role": "tool",
                    "tool_call_id": c.id,
                    "content": run(c.function.name, c.function.arguments),
                }
                for c in reply.tool_calls
            ]

    return agent


def _responses(*, streaming):
    def agent(task, tools, model):
        client, said = openai.OpenAI(), list(task.messages)
        while True:
            asked = {"model": "gpt-x", "input": said, "tools": _RESPONSES}
            if streaming:
                with client.responses.stream(**asked) as stream:
                    reply = stream.get_final_response()
            else:
                reply = client.responses.create(**asked)
            calls = [item for item in reply.output if item.type == "function_call"]
            if not calls:
                return reply.output_text
            said += [item.model_dump(exclude={"parsed_arguments"}) for item in reply.output]
            said += [
                {
                    "type": "function_call_output",
                    "call_id": c.call_id,
                    "output": tools.call_for_model(c.name, c.arguments),
                }
                for c in calls
            ]

    return agent


def _messages(*, streaming):
    def agent(task, tools, model):
        client = anthropic.Anthropic()
        system = " ".join(m["content"] for m in task.messages if m["role"] == "system")
        said = [m for m in task.messages if m["role"] != "system"]
        while True:
            asked = {"model": "claude-x", "max_tokens": 500, "messages": said, "tools": _MESSAGES}
            if streaming:
                with client.messages.stream(system=system, **asked) as stream:
                    reply = stream.get_final_message()
            else:
                reply = client.messages.create(system=system, **asked)
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                return "".join(b.text for b in reply.content if b.type == "text")
            said.append({"role": "assistant", "content": reply.content})
            results = [
                {
                    "type": "tool_result",
                    "tool_use_id": c.id,
                    "content": tools.call_for_model(c.name, c.input),
                }
                for c in calls
            ]
            said.append({"role": "user", "content": results})

    return agent


def _by_mcp(mode):
    def run(name, arguments):
        async def called():
            async with Client(os.environ["REPLAY_MCP_URL"], mode=mode) as client:
                found = await client.call_tool(name, json.loads(arguments))
                return found.content[0].text

        return asyncio.run(called())

    return _chat(streaming=False, call=run)


chat, chat_streaming = _chat(streaming=False), _chat(streaming=True)
responses, responses_streaming = _responses(streaming=False), _responses(streaming=True)
messages, messages_streaming = _messages(streaming=False), _messages(streaming=True)
mcp_handshake, mcp_stateless = _by_mcp("legacy"), _by_mcp("2026-07-28")
