"""OpenAI Agents SDK: your function tools, answered by the replay."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agents import FunctionTool

    from workbench.replay.agent import Tools

__all__ = ["replayed"]


def replayed(
    own: Sequence[FunctionTool], tools: Tools
) -> list[FunctionTool]:  # pragma: no cover  clients
    """Return tools that look like yours to the model and run nothing of them."""
    import asyncio  # noqa: PLC0415  takes long, and only agents with a loop need it

    def answered(tool: FunctionTool) -> FunctionTool:
        async def ask(_: object, args: str) -> str:
            return await asyncio.to_thread(tools.call_for_model, tool.name, args)

        return dataclasses.replace(tool, on_invoke_tool=ask)

    return [answered(tool) for tool in own]
