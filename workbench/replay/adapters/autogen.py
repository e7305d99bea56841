"""AutoGen: your tools, answered by the replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autogen_core.tools import BaseTool

    from workbench.replay.agent import Tools

__all__ = ["replayed"]


def replayed(
    own: Sequence[BaseTool[Any, Any]], tools: Tools
) -> list[BaseTool[Any, Any]]:  # pragma: no cover  clients
    """Return tools that look like yours to the model and run nothing of them."""
    import asyncio  # noqa: PLC0415  only agents with a loop need it

    from autogen_core.tools import BaseTool  # noqa: PLC0415  optional package

    class Replayed(BaseTool):  # type: ignore[misc]  # its own types are not here
        async def run(self, args: Any, _: object) -> str:  # noqa: ANN401  a model of the tool's
            given = args.model_dump(mode="json", exclude_unset=True)
            return await asyncio.to_thread(tools.call_for_model, self.name, given)

    return [Replayed(t.args_type(), str, t.name, t.description) for t in own]
