"""The dialects of model APIs that the gateway speaks, and where it finds them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.replay.gateway import chat, messages, responses

if TYPE_CHECKING:
    from workbench.replay.gateway.dialect import Dialect

__all__ = ["COUNT_TOKENS", "DIALECTS", "MODELS", "place_of"]

COUNT_TOKENS: Final = "messages/count_tokens"
MODELS: Final = "models"

_BEFORE: Final = re.compile(r"(?:(?:v1|openai|anthropic|deployments/[^/]+)/)*")

DIALECTS: Final[dict[str, Dialect]] = {
    "chat/completions": chat,
    "responses": responses,
    "messages": messages,
}
"""By the end of the path. What comes before it differs between clients of one API."""


def place_of(path: str) -> str:
    """Return a path below a run without what clients put before it.

    >>> place_of("v1/chat/completions"), place_of("anthropic/v1/messages")
    ('chat/completions', 'messages')
    """
    before = _BEFORE.match(path)
    return path if before is None else path[before.end() :]
