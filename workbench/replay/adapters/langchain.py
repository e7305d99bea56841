"""LangChain and LangGraph: your tools, answered by the replay."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from langchain_core.tools import BaseTool

    from workbench.replay.agent import Tools

__all__ = ["replayed"]


def replayed(own: Sequence[BaseTool], tools: Tools) -> list[BaseTool]:  # pragma: no cover  clients
    """Return tools that look like yours to the model and run nothing of them."""
    from langchain_core.tools import StructuredTool  # noqa: PLC0415  optional package

    def answered(tool: BaseTool) -> BaseTool:
        schema = tool.tool_call_schema
        shape = schema if isinstance(schema, dict) else schema.model_json_schema()
        ask = lambda **args: tools.call_for_model(tool.name, args)  # noqa: E731  one use
        return StructuredTool(
            name=tool.name, description=tool.description, args_schema=shape, func=ask
        )

    return [answered(tool) for tool in own]
