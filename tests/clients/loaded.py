"""An agent whose client is imported with it, so that one import serves all trials."""

from __future__ import annotations

import openai  # noqa: F401  what the agent imports by itself is then there

from tests.clients.sdk_agents import chat_async

agent = chat_async
