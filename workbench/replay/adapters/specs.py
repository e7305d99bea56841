"""`--agent SPEC`: what to start."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from workbench.errors import InputError

__all__ = ["AgentKind", "AgentSpec", "parse_agent"]

_TARGET: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_FIX: Final = "write python:package.module:callable, cmd:COMMAND, worker:COMMAND or mcp:COMMAND"


class AgentKind(StrEnum):
    """How an agent is started and spoken to."""

    PYTHON = "python"
    """A callable, in a Python process of ours for each trial."""
    CMD = "cmd"
    """A process for each user turn: one line in, the last line out is the answer."""
    WORKER = "worker"
    """A process that stays: one line in and one line out for each user turn."""
    MCP = "mcp"
    """An MCP server on standard input and output that stays: one call of its tool for each turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """An agent that can be started."""

    text: str
    """As written."""
    kind: AgentKind = AgentKind.PYTHON
    target: str = ""
    """`module:callable` of a Python agent."""
    argv: tuple[str, ...] = ()
    """The command of any other."""


def parse_agent(text: str) -> AgentSpec:
    """Read an agent's spec.

    Raises:
        InputError: it names no way to start an agent, or a command that is not there.

    >>> parse_agent("python:support.agent:answer").target
    'support.agent:answer'
    """
    kind, _, rest = text.partition(":")
    if kind == "python" and _TARGET.fullmatch(rest):
        return AgentSpec(text=text, target=rest)
    if kind in set(AgentKind) - {AgentKind.PYTHON} and rest.strip():
        return AgentSpec(text=text, kind=AgentKind(kind), argv=_argv(rest))
    raise InputError(f"agent {text!r} cannot be started", fix=_FIX)


def _argv(command: str) -> tuple[str, ...]:
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise InputError(f"the command of --agent cannot be read: {error}", fix=_FIX) from error
    if not argv or shutil.which(argv[0]) is None:
        name = argv[0] if argv else ""
        raise InputError(f"no command {name!r} to start as an agent", fix="give its path")
    return argv
