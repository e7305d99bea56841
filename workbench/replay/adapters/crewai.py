"""CrewAI: your tools, answered by the replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewai.tools import BaseTool

    from workbench.replay.agent import Tools

__all__ = ["replayed"]


def replayed(own: Sequence[BaseTool], tools: Tools) -> list[BaseTool]:  # pragma: no cover  clients
    """Return tools that look like yours to the model and run nothing of them.

    Results are not kept for a second call, as CrewAI does: it would never reach the replay.
    """
    from crewai.tools import BaseTool  # noqa: PLC0415  optional package

    class Replayed(BaseTool):  # type: ignore[misc]  # its own types are not here
        def _run(self, **args: Any) -> str:  # noqa: ANN401  any JSON
            return tools.call_for_model(self.name, args)

    def answered(tool: BaseTool) -> BaseTool:
        about = {"description": tool.description, "args_schema": tool.args_schema}
        replaced: BaseTool = Replayed(name=tool.name, cache_function=lambda *_: False, **about)
        return replaced

    return [answered(tool) for tool in own]
