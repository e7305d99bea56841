"""Pydantic AI: your toolset, answered by the replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_ai.toolsets import AbstractToolset

    from workbench.replay.agent import Tools

__all__ = ["replayed"]


def replayed(
    own: AbstractToolset[Any], tools: Tools
) -> AbstractToolset[Any]:  # pragma: no cover  clients
    """Return a toolset that looks like yours to the model and runs nothing of it."""
    import asyncio  # noqa: PLC0415  only agents with a loop need it

    from pydantic_ai.toolsets import WrapperToolset  # noqa: PLC0415  optional package

    class Replayed(WrapperToolset):  # type: ignore[misc]  # its own types are not here
        async def call_tool(self, name: str, tool_args: Any, *_: object) -> str:  # noqa: ANN401
            return await asyncio.to_thread(tools.call_for_model, name, tool_args)

    replaced: AbstractToolset[Any] = Replayed(own)
    return replaced
