"""Every field of a trace that can hold a text, and those that hold a mark: so that none is forgotten."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING

from workbench.model.event import EVENT_TYPES, CallError
from workbench.model.trace import Source, Tool, Trace, Versions

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["fields_with", "text_fields"]


def text_fields() -> set[str]:
    """Return `Class.field` of every field whose type lets a text in, keys of a mapping included."""
    kinds = (*EVENT_TYPES.values(), Trace, Tool, Versions, Source, CallError)
    return {
        f"{kind.__name__}.{field.name}"
        for kind in kinds
        for field in fields(kind)
        if re.search(r"\bstr\b|\bJson", str(field.type))
    }


def fields_with(mark: str, trace: Trace) -> set[str]:
    """Return `Class.field` of every field of a trace that holds a text with a mark (a pattern)."""
    return {name for name, value in _leaves(trace) if re.search(mark, _text(value))}


def _leaves(value: object) -> Iterator[tuple[str, object]]:
    assert is_dataclass(value)
    for field in fields(value):
        held = getattr(value, field.name)
        inner = held if isinstance(held, tuple) else (held,)
        if inner and all(is_dataclass(one) for one in inner):
            for one in inner:
                yield from _leaves(one)
        else:
            yield f"{type(value).__name__}.{field.name}", held


def _text(value: object) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)
