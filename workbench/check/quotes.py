"""Figures and quoted texts in an answer that nothing in the run gave.

A figure is a number of two digits or more; a quote is a text of four characters or more in
quotation marks. What a person, an instruction or a tool result said before is known.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from workbench.check.outcomes import value_of
from workbench.model.event import Claim, SystemMessage, ToolResult, UserMessage
from workbench.model.jsonvalue import ABSENT

if TYPE_CHECKING:
    from workbench.model.trace import Trace

__all__ = ["unfounded_quotes"]

_FIGURE: Final = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")
_QUOTE: Final = re.compile(r'"([^"\n]{4,200})"|“([^”\n]{4,200})”|「([^」\n]{4,200})」')
_LIST_NUMBER: Final = re.compile(r"(?m)^\s*\d+[.)]\s")


def unfounded_quotes(claim: Claim, trace: Trace) -> tuple[str, ...]:
    """Return the figures and quotes of a claim that occur in nothing said before it."""
    text = _LIST_NUMBER.sub(" ", claim.text)
    figures = [found for found in _FIGURE.findall(text) if _digits(found) >= 2]
    quotes = [next(filter(None, groups)) for groups in _QUOTE.findall(text)]
    if not figures and not quotes:
        return ()
    known = _known_text(trace, before=claim.seq)
    plain = known.replace(",", "")
    numbers = {_number(found) for found in _FIGURE.findall(known)}
    missing = [
        figure
        for figure in figures
        if _number(figure) not in numbers and figure.replace(",", "") not in plain
    ]
    missing += [quote for quote in quotes if quote.strip(" .,!?") not in known]
    return tuple(dict.fromkeys(missing))


def _digits(text: str) -> int:
    return sum(sign.isdigit() for sign in text)


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _known_text(trace: Trace, *, before: int) -> str:
    parts: list[str] = []
    for event in trace.events[:before]:
        match event:
            case SystemMessage() | UserMessage():
                parts.append(event.text)
            case ToolResult():
                value = value_of(event)
                if isinstance(value, str):
                    parts.append(value)
                elif value is not ABSENT:
                    parts.append(json.dumps(value, ensure_ascii=False))
                if event.error is not None:
                    body = event.error.body
                    parts += [event.error.message or "", str(event.error.status or "")]
                    parts.append("" if body is ABSENT else json.dumps(body, ensure_ascii=False))
            case _:
                pass
    return "\n".join(parts)
