"""The content of a message: a text, or a list of parts of which some are texts.

Reasoning is dropped without a trace in the events, as the model page asks; it stays in the raw
record. A part that is no text (an image, a sound, a file) is counted, since a case cannot show it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from workbench.casefile.place import describe, step_key
from workbench.ingest.records.shapes import text_in

if TYPE_CHECKING:
    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json

__all__ = ["REASONING", "Content", "read_content", "read_result"]

REASONING: Final = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_content"})
_PARTS: Final = REASONING | {
    "text",
    "input_text",
    "output_text",
    "refusal",
    "image",
    "image_url",
    "input_image",
    "document",
    "file",
    "input_file",
    "audio",
    "input_audio",
    "video",
    "resource",
}
_TEXT_KEYS: Final = ("text", "content", "refusal")


class Content(Struct, frozen=True, kw_only=True):
    """What a message says."""

    text: str | None = None
    """Its texts, joined by line breaks; None: it has none."""
    dropped: int = 0
    """Parts that are no text."""
    value: Json = None
    """The recorder's own structure, when it is neither a text nor a list of parts."""


def read_content(content: Json, *, key: str, origin: Origin) -> Content:
    """Read the content of a message.

    Raises:
        TraceFormatError: it is neither a text, nor a list of parts, nor null.
    """
    if content is None or isinstance(content, str):
        return Content(text=content)
    if not isinstance(content, list):
        raise origin.error(key, f"is {describe(content)}; expected a text, parts or null")
    texts: list[str] = []
    dropped = 0
    for at, part in enumerate(content):
        if text_in(part, "type") in REASONING:
            continue
        text = _part_text(part)
        if text is not None:
            texts.append(text)
        elif isinstance(part, dict) and isinstance(part.get("type"), str):
            dropped += 1
        else:
            found = describe(part)
            raise origin.error(step_key(key, at), f"is {found}; expected a part with `type`")
    return Content(text="\n".join(texts) if texts else None, dropped=dropped)


def read_result(content: Json, *, key: str, origin: Origin) -> Content:
    """Read what a tool answered, which some recorders keep as a structure."""
    structure = isinstance(content, dict | int | float) or (
        isinstance(content, list) and not all(map(_is_part, content))
    )
    return Content(value=content) if structure else read_content(content, key=key, origin=origin)


def _is_part(part: Json) -> bool:
    """Whether a part is one of a message, and not of a tool's own structure."""
    return isinstance(part, dict) and (text_in(part, "type") in _PARTS or part.keys() == {"text"})


def _part_text(part: Json) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return None
    source = part.get("source")
    if part.get("type") == "document" and isinstance(source, dict) and source.get("type") == "text":
        data = source.get("data")
        return data if isinstance(data, str) else None
    if part.get("type") not in (None, "text", "input_text", "output_text", "refusal"):
        return None
    found = (part.get(name) for name in _TEXT_KEYS)
    return next((text for text in found if isinstance(text, str)), None)
