"""LangChain and LangGraph: messages, events, LangSmith's client, and three ways to spans."""

from __future__ import annotations

import asyncio
import json
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, wrap_tool_call
from langchain_core.load import dumpd
from langchain_core.messages import HumanMessage, ToolMessage, messages_to_dict
from langchain_core.tools import tool
from langchain_core.tracers.langchain import LangChainTracer
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from langsmith import Client
from openinference.instrumentation.langchain import LangChainInstrumentor as OpenInference
from opentelemetry.instrumentation.langchain import LangchainInstrumentor as OpenLLMetry

from tests.producers.scripts.support import provider, scenario
from tests.producers.scripts.support.tracing import tracer_provider

_ASKED = {"messages": [HumanMessage(scenario.TASK)]}


def _failure(request, error):
    call = request.tool_call
    return ToolMessage(
        f"Error: {error!r}", tool_call_id=call["id"], name=call["name"], status="error"
    )


@wrap_tool_call
def _told(request, handler):
    try:
        return handler(request)
    except TimeoutError as error:
        return _failure(request, error)


@wrap_tool_call
async def _told_later(request, handler):
    try:
        return await handler(request)
    except TimeoutError as error:
        return _failure(request, error)


def _agent(*middleware, **options):
    model = ChatOpenAI(
        model=scenario.MODEL, base_url=f"{provider.start()}/v1", api_key="x", **options
    )
    return create_agent(
        model,
        [tool(scenario.lookup_account), tool(scenario.get_operation)],
        system_prompt=scenario.SYSTEM,
        middleware=middleware or (_told,),
        checkpointer=InMemorySaver() if len(middleware) > 1 else None,
    )


def _messages():
    found = _agent().invoke(_ASKED)["messages"]
    return {
        "messages_to_dict.json": messages_to_dict(found),
        "dumpd.json": dumpd(found),
        "model_dump.json": [message.model_dump(mode="json") for message in found],
    }


async def _events(version, *, streaming):
    agent = _agent(_told_later, streaming=streaming)
    lines = [
        json.dumps(event, default=lambda one: dumpd(one) if hasattr(one, "lc_id") else repr(one))
        async for event in agent.astream_events(_ASKED, version=version)
    ]
    return {"events.jsonl": "\n".join(lines)}


def _decided(decision):
    asks = HumanInTheLoopMiddleware({"get_operation": True})
    agent, thread = _agent(_told, asks), {"configurable": {"thread_id": "t-1"}}
    state = agent.invoke(_ASKED, thread)
    while state.get("__interrupt__"):
        answer = Command(resume={"decisions": [decision]})
        state = agent.invoke(answer, thread)
    return {"messages_to_dict.json": messages_to_dict(state["messages"])}


class _Platform(BaseHTTPRequestHandler):
    """Takes what the client sends, as LangSmith would."""

    sent: ClassVar[list] = []

    def log_message(self, *_args):
        pass

    def _take(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        run = json.loads(body) if body else {}
        run.setdefault("id", self.path.rpartition("/")[2])
        self.sent.append({"op": self.command, **run})
        self.send_response(202)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_POST = do_PATCH = do_GET = _take  # noqa: N815  the library's names


def _langsmith():
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Platform)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = Client(
        api_url=f"http://127.0.0.1:{server.server_address[1]}",
        api_key="x",
        auto_batch_tracing=False,
    )
    tracer = LangChainTracer(project_name="incidents", client=client)
    _agent().invoke(_ASKED, {"callbacks": [tracer], "tags": ["billing"]})
    client.flush()
    return {"operations.json": [one for one in _Platform.sent if one["op"] != "GET"]}


def _langsmith_spans():
    tracer_provider()
    client = Client(otel_enabled=True, api_key="x")
    tracer = LangChainTracer(project_name="incidents", client=client)
    _agent().invoke(_ASKED, {"callbacks": [tracer]})
    client.flush()


def _instrumented(instrumentor):
    instrumentor().instrument(tracer_provider=tracer_provider())
    _agent().invoke(_ASKED)


TAKES = {
    "messages": _messages,
    "events": lambda: asyncio.run(_events("v2", streaming=False)),
    "events_streamed": lambda: asyncio.run(_events("v2", streaming=True)),
    "approved": partial(_decided, {"type": "approve"}),
    "rejected": partial(_decided, {"type": "reject", "message": "ask a person first"}),
    "langsmith": _langsmith,
    "langsmith_spans": _langsmith_spans,
    "openinference": partial(_instrumented, OpenInference),
    "openllmetry": partial(_instrumented, OpenLLMetry),
}
