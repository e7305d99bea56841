"""A stand-in for a provider of models, on loopback: three dialects, streaming and not.

It keeps no state: how far a conversation is stands in the request.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.producers.scripts.support.scenario import CLAIM, MODEL, TURNS

__all__ = ["start"]


def start() -> str:
    """Serve until the process ends; returns the address, without `/v1`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


class _Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        ends = {"/chat/completions": _chat, "/responses": _responses, "/messages": _messages}
        answer = next(
            (f for end, f in ends.items() if self.path.partition("?")[0].endswith(end)), None
        )
        status = 200 if answer else 404
        found = answer(body) if answer else {"error": {"message": "no such address"}}
        if isinstance(found, list):
            kind, data = "text/event-stream", "".join(map(_event, found)).encode()
        else:
            kind, data = "application/json", json.dumps(found).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _event(event: dict | str) -> str:
    if isinstance(event, str):
        return f"data: {event}\n\n"
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


def _turn(answered: set[str | None]) -> int:
    """Return how many turns have their answers."""
    return sum(all(call[0] in answered for call in turn) for turn in TURNS)


def _usage(turn: int, read: str, written: str) -> dict:
    return {read: 100 + 40 * turn, written: 20}


# --- chat completions ---------------------------------------------------------------------


def _chat(body: dict) -> dict | list:
    turn = _turn({message.get("tool_call_id") for message in body["messages"]})
    calls = [
        {"id": i, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for i, name, args in (TURNS[turn] if turn < len(TURNS) else ())
    ]
    message = {"role": "assistant", "content": None if calls else CLAIM}
    if calls:
        message["tool_calls"] = calls
    end = "tool_calls" if calls else "stop"
    usage = _usage(turn, "prompt_tokens", "completion_tokens")
    usage["total_tokens"] = sum(usage.values())
    head = {"id": f"chatcmpl-{turn}", "created": 1790000000 + turn, "model": MODEL}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": end}
        return {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
    head["object"] = "chat.completion.chunk"
    chunks = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in _deltas(message)
    ]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]})
    return [*chunks, {**head, "choices": [], "usage": usage}, "[DONE]"]


def _deltas(message: dict) -> list[dict]:
    found = [{"role": "assistant", "content": ""}]
    for at, call in enumerate(message.get("tool_calls", ())):
        text = call["function"]["arguments"]
        start = {**call, "index": at, "function": {**call["function"], "arguments": ""}}
        found.append({"tool_calls": [start]})
        found += [
            {"tool_calls": [{"index": at, "function": {"arguments": text[n : n + 7]}}]}
            for n in range(0, len(text), 7)
        ]
    text = message["content"] or ""
    return found + [{"content": text[n : n + 9]} for n in range(0, len(text), 9)]


# --- responses ------------------------------------------------------------------------------


def _responses(body: dict) -> dict | list:
    items = body["input"] if isinstance(body["input"], list) else []
    turn = _turn(
        {item.get("call_id") for item in items if item.get("type") == "function_call_output"}
    )
    output = [
        {
            "type": "function_call",
            "id": f"fc_{i}",
            "call_id": i,
            "name": name,
            "arguments": json.dumps(args),
            "status": "completed",
        }
        for i, name, args in (TURNS[turn] if turn < len(TURNS) else ())
    ]
    if not output:
        text = {"type": "output_text", "text": CLAIM, "annotations": []}
        message = {"type": "message", "id": f"msg_{turn}", "role": "assistant"}
        output = [{**message, "status": "completed", "content": [text]}]
    usage = _usage(turn, "input_tokens", "output_tokens")
    usage["total_tokens"] = sum(usage.values())
    usage |= {"input_tokens_details": {"cached_tokens": 0}}
    usage |= {"output_tokens_details": {"reasoning_tokens": 0}}
    whole = {
        "id": f"resp_{turn}",
        "object": "response",
        "created_at": 1790000000 + turn,
        "model": MODEL,
        "status": "completed",
        "output": output,
        "usage": usage,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": body.get("tools", []),
    }
    if not body.get("stream"):
        return whole
    events = [{"type": "response.created", "response": {**whole, "output": [], "usage": None}}]
    for at, item in enumerate(output):
        events.append({"type": "response.output_item.added", "output_index": at, "item": item})
        events.append({"type": "response.output_item.done", "output_index": at, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return [{**event, "sequence_number": n} for n, event in enumerate(events)]


# --- messages -------------------------------------------------------------------------------


def _messages(body: dict) -> dict | list:
    turn = _turn(
        {
            part.get("tool_use_id")
            for message in body["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
        }
    )
    content = [
        {"type": "tool_use", "id": i, "name": name, "input": args}
        for i, name, args in (TURNS[turn] if turn < len(TURNS) else ())
    ] or [{"type": "text", "text": CLAIM}]
    end = "tool_use" if turn < len(TURNS) else "end_turn"
    head = {"id": f"msg_{turn}", "type": "message", "role": "assistant", "model": MODEL}
    usage = _usage(turn, "input_tokens", "output_tokens")
    if not body.get("stream"):
        ended = {"stop_reason": end, "stop_sequence": None, "usage": usage}
        return {**head, "content": content, **ended}
    begun = {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    events = [{"type": "message_start", "message": begun}]
    for at, block in enumerate(content):
        events += _block(at, block)
    delta = {"stop_reason": end, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}})
    return [*events, {"type": "message_stop"}]


def _block(at: int, block: dict) -> list[dict]:
    if block["type"] == "text":
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        text = json.dumps(block["input"])
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": text}
    return [
        {"type": "content_block_start", "index": at, "content_block": empty},
        {"type": "content_block_delta", "index": at, "delta": delta},
        {"type": "content_block_stop", "index": at},
    ]
