"""The bundled incident with a canary in every text that a recorder can fill, and a search for them.

A canary is a made-up address with a word of letters and digits in it that is nowhere else, so that
finding the word, in whatever form it was written, is finding the field.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
import zlib
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from workbench.review.intake import take_file
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


__all__ = [
    "Canaries",
    "Hit",
    "a_canary_incident",
    "a_canary_store",
    "files_of",
    "leaks_in",
    "search",
]

_DOMAIN = "fabrikam.com"
_LETTERS = "bcdfghjkmnpqrstvwz"


@dataclass(kw_only=True)
class Canaries:
    """One word a place, by place."""

    words: dict[str, str] = field(default_factory=dict)

    def word(self, place: str) -> str:
        """Return a new word for a place; the same place gets the same word."""
        nth = len(self.words)
        letters = "".join(_LETTERS[nth // size % 18] for size in (1, 18, 324))
        return self.words.setdefault(place, f"zq7{letters}{nth:03}x")

    def mail(self, place: str) -> str:
        """Return an address with the word of a place: what detectors take for personal."""
        return f"{self.word(place)}@{_DOMAIN}"


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A canary that is where it must not be."""

    place: str
    """The field that held it."""
    where: str
    """The file, or what else was searched."""
    form: str
    """How it is written there."""


# --- the search ------------------------------------------------------------------------


def _spellings(word: str) -> Iterator[tuple[str, bytes]]:
    """Yield each form of a word that a text does not have to be decoded for."""
    data = word.encode()
    yield "plain", data
    yield "reversed", data[::-1]
    yield "hex", data.hex().encode()
    yield "digits of the code points", b",".join(str(c).encode() for c in data)
    for shift in range(3):
        # whole groups of three bytes only: their neighbours are not known
        inner = data[(3 - shift) % 3 :]
        inner = inner[: len(inner) // 3 * 3]
        yield f"base64 at {shift}", base64.b64encode(inner)


_ESCAPES = re.compile(rb"\\+(?:u\{?([0-9a-fA-F]{4})\}?|x([0-9a-fA-F]{2}))")
_CODES = re.compile(rb"(?:<|\xe2\x9f\xa8|\[|\\)?U\+[0-9a-fA-F]{4,6}(?:>|\xe2\x9f\xa9|\])?")
_MARKS = re.compile(rb"<[^<>]{0,200}>")
_NO_WORD = re.compile(rb"[^a-z0-9@.]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_PACKED: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": gzip.decompress,
    b"\x78\x9c": zlib.decompress,
}


def _unescaped(data: bytes) -> bytes:
    return _ESCAPES.sub(lambda m: chr(int(m[1] or m[2], 16)).encode("utf-8", "replace"), data)


def _decoded(data: bytes, undo: Callable[[str], str]) -> bytes:
    return undo(data.decode("utf-8", "replace")).encode("utf-8", "replace")


def _joined(data: bytes) -> bytes:
    """Take out what stands between the characters of a word: visible escapes, markup, blanks."""
    data = _decoded(data, lambda text: _INVISIBLE.sub("", text))
    return _NO_WORD.sub(b"", _MARKS.sub(b"", _CODES.sub(b"", _ESCAPES.sub(b"", data))).lower())


def _views(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the data in every form in which a hidden word may be plain again."""
    yield "as it is", data
    yield "in any case", data.lower()
    yield "unescaped", _unescaped(_unescaped(data))
    yield "of HTML", _decoded(data, html.unescape)
    yield "of a URL", _decoded(data, lambda text: unquote(unquote(text)))
    yield "joined", _joined(data)
    for magic, unpack in _PACKED.items():
        if data.startswith(magic):
            yield "unpacked", unpack(data)
    for code in ("utf-16-le", "utf-16-be"):
        yield code, data.decode(code, "replace").encode("utf-8", "replace")


def search(data: bytes, canaries: Canaries, *, where: str = "") -> list[Hit]:
    """Return every canary that some data holds, in any form that a writer may use."""
    spelled = [(p, form, s) for p, word in canaries.words.items() for form, s in _spellings(word)]
    hits: dict[str, Hit] = {}
    for view, shown in _views(data):
        for place, form, text in spelled:
            if place not in hits and text in shown:
                hits[place] = Hit(place=place, where=where, form=f"{form}, {view}")
    return [*hits.values()]


def files_of(*roots: Path, but: Iterable[Path] = ()) -> list[Path]:
    """Return every file below some folders, except below those that may hold values."""
    kept = tuple(but)
    found = [file for root in roots for file in sorted(root.rglob("*")) if file.is_file()]
    return [file for file in found if not any(file.is_relative_to(folder) for folder in kept)]


def leaks_in(files: Iterable[Path], canaries: Canaries) -> list[Hit]:
    """Search files, their names included."""
    hits = []
    for file in files:
        name = "/".join(file.parts[-3:])
        hits += search(name.encode("utf-8", "surrogateescape"), canaries, where="name of a file")
        hits += search(file.read_bytes(), canaries, where=name)
    return hits


# --- the store -------------------------------------------------------------------------


def a_canary_incident(canaries: Canaries) -> dict[str, Any]:
    """Return the document of the bundled incident with canaries in all its fields."""
    with resources.as_file(resources.files("workbench.demo") / "incident.json") as file:
        document: dict[str, Any] = json.loads(file.read_text("utf-8"))
    _fill_run(document, canaries)
    _fill_events(document["events"], canaries)
    document["events"][2:2] = _strange_events(canaries)
    _fill_call_ids(document["events"], canaries)
    for seq, event in enumerate(document["events"]):
        event["seq"] = seq
        event["source_ref"] = f"of {canaries.mail('source_ref')}"
    return document


def a_canary_store(folder: Path, canaries: Canaries) -> str:
    """Write a store with the incident, canaries in all its fields; return the run's id."""
    document = a_canary_incident(canaries)
    inbox = folder.with_name(f"inbox-of-{folder.name}")
    inbox.mkdir(parents=True)
    source = inbox / f"{canaries.mail('source file')}.json"
    source.write_text(json.dumps(document), "utf-8")
    with open_store(folder) as store:
        take_file(store, source)
    source.unlink()
    inbox.rmdir()
    return str(document["run_id"])


def _fill_call_ids(events: list[dict[str, Any]], canaries: Canaries) -> None:
    """Give the first call that a reply asked for an id with a canary, wherever it is named."""
    asked = next(event for event in events if event.get("call_ids"))
    old, new = asked["call_ids"][0], f"call {canaries.mail('call id of a reply')}"
    asked["call_ids"] = [new, *asked["call_ids"][1:]]
    for event in events:
        if event.get("call_id") == old:
            event["call_id"] = new


def _fill_run(run: dict[str, Any], canaries: Canaries) -> None:
    mail = canaries.mail
    run["run_id"] = f"run {mail('run_id')}"
    run["session"] = f"chat {mail('session')}"
    run["tags"] = ["billing", mail("tag")]
    run["labels"] = {mail("label key"): mail("label value")}
    run["versions"] = {
        name: f"{name} {mail(f'version {name}')}"
        for name in ("prompt", "model", "tool_schemas", "corpus", "policy", "agent")
    }
    run["tools"].append(
        {
            "name": f"crm.{canaries.word('tool name')}",
            "description": f"Ask {mail('tool description')}",
            "effect": "read",
            "schema": {
                "type": "object",
                "title": mail("schema title"),
                "properties": {
                    mail("schema key"): {"type": "string", "description": mail("schema text")},
                    "kind": {"enum": [mail("schema enum")], "default": mail("schema default")},
                },
            },
        }
    )
    for tool in run["tools"]:
        if tool["name"] == "billing.pause":
            tool["description"] += f" Questions: {mail('description of the tool that failed')}"


def _fill_events(events: list[dict[str, Any]], canaries: Canaries) -> None:
    mail = canaries.mail
    seen: set[str] = set()
    for event in events:
        kind = event["kind"]
        event["agent"] = f"support {mail(f'agent of {kind}')}"
        if kind == "model_request":
            event["settings"] = {"temperature": 0.2, mail("settings key"): mail("settings value")}
            event["model"] = f"gpt-x {mail('model')}"
            event["prompt"] = f"support-agent {mail('prompt')}"
            event["offered_tools"] = [*event["offered_tools"], f"crm.{canaries.word('tool name')}"]
        if kind in ("system_message", "user_message") and kind not in seen:
            event["text"] += f" Write to {mail(kind)}."
        if kind == "tool_result" and isinstance(event.get("result"), dict):
            event["result"] |= {mail("parsed result key"): mail("parsed result")}
            event["result_raw"] = json.dumps(event["result"])
        if kind == "model_reply":
            event["finish_reason"] = f"stop {mail('finish_reason')}"
        if kind in ("claim", "model_reply") and event.get("text", "").startswith("Your plan is"):
            event["text"] += f" A note went to {mail('claim')}."
        if kind == "tool_result" and "operation_id" in event:
            event["error"]["message"] += f" for {mail('error message')}"
            event["error"]["headers"]["x-trace"] = mail("header value")
        seen.add(kind)


def _strange_events(canaries: Canaries) -> list[dict[str, Any]]:
    """Return what the incident has none of: a call nobody asked for, permissions, changes."""
    mail, at = canaries.mail, "2026-11-17T09:12:25.980Z"
    args = {mail("args key"): [mail("args item")], "deep": {"er": json.dumps({"a": mail("deep")})}}
    agent, tool, call_id = mail("agent"), f"crm.{canaries.word('tool name')}", mail("call_id")
    events: list[dict[str, Any]] = [
        {
            "kind": "tool_call",
            "call_id": call_id,
            "tool": tool,
            "args": args,
            "args_raw": json.dumps(args),
            "agent": agent,
            "requestor": "framework",
        },
        {
            "kind": "tool_result",
            "call_id": call_id,
            "outcome": "permanent",
            "detail": f"no {mail('detail')}",
            "result_raw": json.dumps({mail("result key"): mail("result value")}),
            "operation_id": mail("operation_id"),
            "error": {
                "type": f"Bad {mail('error type')}",
                "message": mail("other error message"),
                "headers": {mail("header name"): "1"},
                "body": {mail("body key"): mail("body value")},
            },
        },
        {"kind": "tool_call", "call_id": "raw-1", "tool": "crm.notes", "requestor": "framework"}
        | {"args_raw": f"{{not json {mail('args_raw')}"},
        {
            "kind": "tool_result",
            "call_id": "raw-1",
            "outcome": "permanent",
            "result_raw": f"no {mail('result_raw')}",
        },
        {
            "kind": "permission",
            "decision": "denied",
            "tool": tool,
            "scope": mail("scope"),
            "args_digest": mail("args_digest"),
            "actor": mail("permission actor"),
        },
        {
            "kind": "state_change",
            "name": f"plan of {mail('state name')}",
            "before": {mail("before key"): mail("before")},
            "after": [mail("after")],
        },
        {
            "kind": "context_change",
            "change": "compaction",
            "before": mail("context before"),
            "after": {"a": mail("context after")},
        },
        {"kind": "user_message", "text": "Hello?", "actor": mail("actor")}
        | {"at": f"when {mail('at')} wrote"},
    ]
    for event in events[4:]:
        event["agent"] = f"a {agent}"
    return [{"at": at} | event for event in events]
