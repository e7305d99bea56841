"""An agent that is itself an MCP server on standard input and output: its tool takes the task.

Source:
    Model Context Protocol, revision 2025-06-18: lifecycle, tools, stdio transport.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from workbench.replay.adapters.process import Failed
from workbench.replay.adapters.worker import read_object

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.replay.adapters.worker import Link

__all__ = ["McpTongue"]

_VERSION: Final = "2025-06-18"
_PREFERRED: Final = "agent"
_NO_SUCH_METHOD: Final = -32601


class McpTongue:
    """Calls the agent's only tool, or the one named `agent`, once for each task.

    The tool is given those of `run_id`, `base_url` and `messages` that its schema names; another
    text that it requires is the person's last message. What it returns is the answer: the text of
    its content, or structured content with `text`, `outcome` and `state`.
    """

    def __init__(self) -> None:
        self._ids = count(1)
        self._tool: JsonMap | None = None

    def ask(self, link: Link, task: JsonMap) -> JsonMap:
        """Give a task and return the answer."""
        if self._tool is None:
            self._tool = self._greet(link)
        params: JsonMap = {"name": self._tool["name"], "arguments": _arguments(self._tool, task)}
        result = self._request(link, "tools/call", params)
        if result.get("isError"):
            raise Failed("its tool answered with an error")
        return _answer(result)

    def _greet(self, link: Link) -> JsonMap:
        hello: JsonMap = {
            "protocolVersion": _VERSION,
            "capabilities": {},
            "clientInfo": {"name": "incident-workbench", "version": "1"},
        }
        self._request(link, "initialize", hello)
        link.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools = self._request(link, "tools/list", {}).get("tools")
        found = [t for t in tools if isinstance(t, dict)] if isinstance(tools, list) else []
        chosen = found if len(found) == 1 else [t for t in found if t.get("name") == _PREFERRED]
        if not chosen:
            raise Failed(f"it offers {len(found)} tools; expected one, or one named {_PREFERRED}")
        if not isinstance(chosen[0].get("name"), str):
            raise Failed("it offers a tool without a name")
        return chosen[0]

    def _request(self, link: Link, method: str, params: JsonMap) -> JsonMap:
        request_id = next(self._ids)
        link.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        while True:
            found = read_object(link.receive())
            if found is None:
                continue
            if "method" in found:
                _refuse(link, found)
            elif found.get("id") == request_id:
                result = found.get("result")
                if not isinstance(result, dict):
                    raise Failed(f"it refused {method}")
                return result


def _refuse(link: Link, message: JsonMap) -> None:
    """Answer what the agent asks of us: it may know that we live, and nothing more."""
    if "id" not in message:
        return
    reply: JsonMap = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "ping":
        reply["result"] = {}
    else:
        reply["error"] = {"code": _NO_SUCH_METHOD, "message": "not offered in a replay"}
    link.send(reply)


def _arguments(tool: JsonMap, task: JsonMap) -> JsonMap:
    schema = tool.get("inputSchema")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    required = schema.get("required") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return task
    given: JsonMap = {name: value for name, value in task.items() if name in properties}
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in given and _is_text(properties.get(name)):
            given[name] = _last_words(task)
    return given


def _is_text(schema: Json) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string"


def _last_words(task: JsonMap) -> Json:
    messages = task["messages"]
    last = messages[-1] if isinstance(messages, list) and messages else None
    return last.get("content") if isinstance(last, dict) else None


def _answer(result: JsonMap) -> JsonMap:
    structured = result.get("structuredContent")
    if isinstance(structured, dict) and "text" in structured:
        return structured
    content = result.get("content")
    texts = [
        part["text"]
        for part in (content if isinstance(content, list) else ())
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]
    text = "\n".join(map(str, texts))
    found = read_object(text.encode("utf-8", "surrogatepass"))
    return found if found is not None and "text" in found else {"text": text}
