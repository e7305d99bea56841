"""Small agents on the real `openai` and `anthropic` clients, one for each way to use them.

Each does what the model asks and says what the model says. They serve as `python:` agents by
name, as a `cmd:` by the name as argument, and all together as one `worker:`, which takes the name
from the run id, so that one process imports the clients once for all tests.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any, NamedTuple

from workbench.replay.agent import ToolError, Tools

NAMES = ("crm_lookup", "billing_pause", "billing_get_operation")
ANY = {"type": "object", "properties": {}}


class Called(NamedTuple):
    """A tool call, as any of the clients gives it."""

    id: str
    name: str
    args: Any


def carried_out(tools, calls):
    """Carry calls out and return what the model shall see of each."""
    shown = []
    for call in calls:
        try:
            shown.append(json.dumps(tools.call_with(call.name, call.args)))
        except ToolError as error:
            shown.append(json.dumps({"outcome": error.outcome, "error": error.error}))
    return shown


# --- OpenAI chat completions --------------------------------------------------------

CHAT_TOOLS: Any = [
    {"type": "function", "function": {"name": name, "parameters": ANY}} for name in NAMES
]


def chat_turn(message, messages, tools):
    """Take one reply in; a text ends the conversation."""
    calls = [
        Called(c.id, c.function.name, json.loads(c.function.arguments))
        for c in message.tool_calls or ()
    ]
    if not calls:
        return message.content
    asked = [c.model_dump(include={"id", "type", "function"}) for c in message.tool_calls]
    messages.append({"role": "assistant", "content": message.content, "tool_calls": asked})
    messages += [
        {"role": "tool", "tool_call_id": call.id, "content": content}
        for call, content in zip(calls, carried_out(tools, calls), strict=True)
    ]
    return None


def chat(task, tools, model=None, *, base_url=None):
    """Chat completions, each reply in one document."""
    import openai

    messages = list(task.messages)
    with openai.OpenAI(base_url=base_url) as client:
        while True:
            reply = client.chat.completions.create(
                model="gpt-x", messages=messages, tools=CHAT_TOOLS
            )
            text = chat_turn(reply.choices[0].message, messages, tools)
            if text is not None:
                return text


def chat_stream(task, tools, model=None, *, base_url=None):
    """Chat completions, piece by piece."""
    import openai

    messages = list(task.messages)
    with openai.OpenAI(base_url=base_url) as client:
        while True:
            with client.chat.completions.stream(
                model="gpt-x",
                messages=messages,
                tools=CHAT_TOOLS,
                stream_options={"include_usage": True},
            ) as stream:
                reply = stream.get_final_completion()
            assert reply.usage is not None
            text = chat_turn(reply.choices[0].message, messages, tools)
            if text is not None:
                return text


async def chat_async(task, tools, model=None, *, base_url=None):
    """Chat completions, each reply in one document, from a coroutine."""
    import openai

    messages = list(task.messages)
    async with openai.AsyncOpenAI(base_url=base_url) as client:
        while True:
            reply = await client.chat.completions.create(
                model="gpt-x", messages=messages, tools=CHAT_TOOLS
            )
            text = chat_turn(reply.choices[0].message, messages, tools)
            if text is not None:
                return text


async def chat_async_stream(task, tools, model=None, *, base_url=None):
    """Chat completions, piece by piece, from a coroutine."""
    import openai

    messages = list(task.messages)
    async with openai.AsyncOpenAI(base_url=base_url) as client:
        while True:
            async with client.chat.completions.stream(
                model="gpt-x", messages=messages, tools=CHAT_TOOLS
            ) as stream:
                reply = await stream.get_final_completion()
            text = chat_turn(reply.choices[0].message, messages, tools)
            if text is not None:
                return text


# --- OpenAI responses ----------------------------------------------------------------

RESPONSES_TOOLS: Any = [{"type": "function", "name": name, "parameters": ANY} for name in NAMES]


def responses_turn(reply, items, tools):
    """Take one reply in; a text ends the conversation."""
    calls = [
        Called(item.call_id, item.name, json.loads(item.arguments))
        for item in reply.output
        if item.type == "function_call"
    ]
    if not calls:
        return reply.output_text
    items += [
        item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in reply.output
    ]
    items += [
        {"type": "function_call_output", "call_id": call.id, "output": content}
        for call, content in zip(calls, carried_out(tools, calls), strict=True)
    ]
    return None


def responses(task, tools, model=None, *, base_url=None):
    """Responses, each in one document."""
    import openai

    items = list(task.messages)
    with openai.OpenAI(base_url=base_url) as client:
        while True:
            reply = client.responses.create(model="gpt-x", input=items, tools=RESPONSES_TOOLS)
            assert reply.usage is not None
            text = responses_turn(reply, items, tools)
            if text is not None:
                return text


def responses_stream(task, tools, model=None, *, base_url=None):
    """Responses, piece by piece."""
    import openai

    items = list(task.messages)
    with openai.OpenAI(base_url=base_url) as client:
        while True:
            with client.responses.stream(
                model="gpt-x", input=items, tools=RESPONSES_TOOLS
            ) as stream:
                reply = stream.get_final_response()
            text = responses_turn(reply, items, tools)
            if text is not None:
                return text


async def responses_async(task, tools, model=None, *, base_url=None):
    """Responses, each in one document, from a coroutine."""
    import openai

    items = list(task.messages)
    async with openai.AsyncOpenAI(base_url=base_url) as client:
        while True:
            reply = await client.responses.create(model="gpt-x", input=items, tools=RESPONSES_TOOLS)
            text = responses_turn(reply, items, tools)
            if text is not None:
                return text


async def responses_async_stream(task, tools, model=None, *, base_url=None):
    """Responses, piece by piece, from a coroutine."""
    import openai

    items = list(task.messages)
    async with openai.AsyncOpenAI(base_url=base_url) as client:
        while True:
            async with client.responses.stream(
                model="gpt-x", input=items, tools=RESPONSES_TOOLS
            ) as stream:
                reply = await stream.get_final_response()
            text = responses_turn(reply, items, tools)
            if text is not None:
                return text


# --- Anthropic messages ----------------------------------------------------------------

MESSAGES_TOOLS: Any = [{"name": name, "input_schema": ANY} for name in NAMES]


def asked(messages):
    """Return the arguments of a request; the system prompt stands beside the messages."""
    return {
        "model": "claude-x",
        "max_tokens": 1000,
        "system": "\n".join(m["content"] for m in messages if m["role"] == "system"),
        "messages": [m for m in messages if m["role"] != "system"],
        "tools": MESSAGES_TOOLS,
    }


def messages_turn(reply, messages, tools):
    """Take one reply in; a text ends the conversation."""
    calls = [Called(b.id, b.name, b.input) for b in reply.content if b.type == "tool_use"]
    if not calls:
        return "".join(block.text for block in reply.content)
    said = [block.model_dump(exclude_none=True) for block in reply.content]
    results = [
        {"type": "tool_result", "tool_use_id": call.id, "content": content}
        for call, content in zip(calls, carried_out(tools, calls), strict=True)
    ]
    messages += [{"role": "assistant", "content": said}, {"role": "user", "content": results}]
    return None


def messages(task, tools, model=None, *, base_url=None):
    """Messages, each reply in one document."""
    import anthropic

    said = list(task.messages)
    with anthropic.Anthropic(base_url=base_url) as client:
        while True:
            text = messages_turn(client.messages.create(**asked(said)), said, tools)
            if text is not None:
                return text


def messages_stream(task, tools, model=None, *, base_url=None):
    """Messages, piece by piece."""
    import anthropic

    said = list(task.messages)
    with anthropic.Anthropic(base_url=base_url) as client:
        while True:
            with client.messages.stream(**asked(said)) as stream:
                reply = stream.get_final_message()
            text = messages_turn(reply, said, tools)
            if text is not None:
                return text


async def messages_async(task, tools, model=None, *, base_url=None):
    """Messages, each reply in one document, from a coroutine."""
    import anthropic

    said = list(task.messages)
    async with anthropic.AsyncAnthropic(base_url=base_url) as client:
        while True:
            text = messages_turn(await client.messages.create(**asked(said)), said, tools)
            if text is not None:
                return text


async def messages_async_stream(task, tools, model=None, *, base_url=None):
    """Messages, piece by piece, from a coroutine."""
    import anthropic

    said = list(task.messages)
    async with anthropic.AsyncAnthropic(base_url=base_url) as client:
        while True:
            async with client.messages.stream(**asked(said)) as stream:
                reply = await stream.get_final_message()
            text = messages_turn(reply, said, tools)
            if text is not None:
                return text


# --- an agent with a tool of its own -----------------------------------------------------


class OwnTools:
    """Tools that answer by themselves: something real may run."""

    def call_with(self, name, args):
        """Say that it is done, whatever it is."""
        return {"status": "completed", "account_id": "ACC-1"}


AGENTS = {
    found.__name__: found
    for found in (
        *(chat, chat_stream, chat_async, chat_async_stream),
        *(responses, responses_stream, responses_async, responses_async_stream),
        *(messages, messages_stream, messages_async, messages_async_stream),
    )
}
ROOTS = {"chat": "/v1", "responses": "/v1", "messages": "/anthropic"}


class Work(NamedTuple):
    """A task as an agent is given it."""

    messages: list[dict[str, Any]]


def work(name, document):
    """Do one task of a `cmd:` or `worker:` agent and return the text."""
    url = document["base_url"]
    own = name.startswith("own_")
    name = name.removeprefix("own_")
    tools = OwnTools() if own else Tools(url)
    base_url = url + ROOTS[name.split("_")[0]]
    try:
        found = AGENTS[name](Work(document["messages"]), tools, base_url=base_url)
        return asyncio.run(found) if asyncio.iscoroutine(found) else found
    except Exception as error:  # noqa: BLE001  said, so that the process stays
        return f"failed with {type(error).__name__}"


def main(name):
    """Answer tasks; without a name the run id says which agent is meant."""
    for line in sys.stdin:
        document = json.loads(line)
        text = work(name or document["run_id"].split(".")[0], document)
        sys.stdout.write(json.dumps({"run_id": document["run_id"], "text": text}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
