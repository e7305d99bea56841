"""What a person declared of tools goes with a run, from the store to draft and case."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.model.event import ToolCall
from workbench.model.trace import Tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.model.trace import Imported, Trace

__all__ = ["with_tools", "with_tools_of"]


def with_tools(trace: Trace, declared: Iterable[Tool]) -> Trace:
    """Let what a person declared of tools travel with the trace, to draft and case.

    A tool that is declared with a schema could have been called: it is taken although the run
    neither lists nor called it, because a contract may ask for the call that never came. One with
    an effect alone is a rule for many agents, and is taken where the run knows the tool. What is
    declared goes before what the record says.
    """
    by_name = {tool.name: tool for tool in declared}
    listed = {tool.name: tool for tool in trace.tools}
    called = {e.tool for e in trace.events if isinstance(e, ToolCall)}
    wanted = {n for n, tool in by_name.items() if n in called or tool.schema is not None}
    if wanted and not listed:
        wanted |= called  # a list that leaves out what was called would be wrong
    merged = {
        name: _merged(listed.get(name, Tool(name=name)), by_name.get(name))
        for name in (*listed, *sorted(wanted))
    }
    return replace(trace, tools=tuple(merged.values()))


def with_tools_of(run: Imported, declared: Sequence[Tool]) -> Imported:
    """Let declared tools travel with an imported run, see `with_tools`."""
    return run if run.trace is None else replace(run, trace=with_tools(run.trace, declared))


def _merged(tool: Tool, declared: Tool | None) -> Tool:
    if declared is None:
        return tool
    return Tool(
        name=tool.name,
        description=declared.description or tool.description,
        effect=declared.effect or tool.effect,
        schema=declared.schema or tool.schema,
    )
