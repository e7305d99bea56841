"""Attributes that stand for more than one value: numbered names, and JSON inside a text.

A limit on the length of attributes cuts JSON in the middle and leaves no mark, so what cannot be
parsed is kept and counted, never mended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.errors import TraceFormatError
from workbench.ingest.events.messages import read_messages
from workbench.ingest.records.jsontext import DEPTH_LIMIT, path_of
from workbench.ingest.records.parts import PartMap, read_value
from workbench.model.jsonvalue import ABSENT

if TYPE_CHECKING:
    from workbench.ingest.events.messages import Message
    from workbench.ingest.events.transcript import Answered, Asked
    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["is_cut_json", "json_in", "messages_in", "nested"]

_ANSWERS: Final = ("response", "result", "content", "output")


def json_in(value: Json) -> Json:
    """Return the value of a text that is JSON; a structure is itself; else None."""
    if not isinstance(value, str):
        return value
    try:
        return read_value(value)
    except TraceFormatError:
        return None


def is_cut_json(value: Json) -> bool:
    """Whether a text begins as JSON's structures do and cannot be parsed."""
    return isinstance(value, str) and value[:1] in ("{", "[") and json_in(value) is None


def nested(attributes: JsonMap, prefix: str) -> Json:
    """Return the tree that dotted names below `prefix` spell; numbers make lists, gaps close.

    >>> nested({"m.2.role": "user", "m.10.role": "tool", "m.2.c.0.x": 1}, "m.")
    [{'role': 'user', 'c': [{'x': 1}]}, {'role': 'tool'}]
    """
    tree: dict[str, Json] = {}
    for name, value in attributes.items():
        if name.startswith(prefix):
            steps = name[len(prefix) :].split(".")
            if len(steps) <= DEPTH_LIMIT:
                _put(tree, steps, value)
    return _listed(tree)


def _put(tree: dict[str, Json], steps: list[str], value: Json) -> None:
    node = tree
    for step in steps[:-1]:
        below = node.setdefault(step, {})
        if not isinstance(below, dict):
            return  # a value stands where a part of it should: the first one counts
        node = below
    node.setdefault(steps[-1], value)


def _listed(node: Json) -> Json:
    if not isinstance(node, dict):
        return node
    if node and all(key.isdecimal() for key in node):
        return [_listed(node[key]) for key in sorted(node, key=lambda key: (len(key), key))]
    return {key: _listed(item) for key, item in node.items()}


def messages_in(value: Json, ref: str, origin: Origin) -> list[Message]:
    """Read an attribute that holds messages: JSON as a text, or a structure.

    Arguments and results that stand in a text keep the exact text that they have there. What is
    no list of messages has none: the caller sees that the attribute was there.
    """
    found = json_in(value)
    if not isinstance(found, list):
        return []
    try:
        messages = read_messages(found, key="", origin=origin)
    except TraceFormatError:
        return []
    parts = PartMap(value.encode()) if isinstance(value, str) else None
    return [_placed(message, ref, parts) for message in messages]


def _placed(message: Message, ref: str, parts: PartMap | None) -> Message:
    answered = message.answered
    return replace(
        message,
        said=replace(message.said, ref=ref),
        asked=tuple(_exact_call(asked, ref, parts) for asked in message.asked),
        answered=None if answered is None else _exact_result(answered, ref, parts),
    )


def _exact_call(asked: Asked, ref: str, parts: PartMap | None) -> Asked:
    if parts is not None and asked.text is None and asked.value is not ABSENT:
        for name in ("arguments", "args", "input"):
            text = parts.text((*path_of(asked.ref), name))
            if text is not None:
                return replace(asked, ref=ref, text=text)
    return replace(asked, ref=ref)


def _exact_result(answered: Answered, ref: str, parts: PartMap | None) -> Answered:
    if parts is not None and answered.text is None and answered.value is not None:
        for name in _ANSWERS:
            text = parts.text((*path_of(answered.ref), name))
            if text is not None and text != "null":
                return replace(answered, ref=ref, text=text, value=None)
    return replace(answered, ref=ref)
