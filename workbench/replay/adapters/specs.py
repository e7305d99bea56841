"""`--agent SPEC`: what to start."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from typing import Final

from workbench.errors import InputError

__all__ = ["AgentSpec", "parse_agent"]

_TARGET: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_FIX: Final = "write python:package.module:callable or cmd:COMMAND"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """An agent that can be started."""

    text: str
    """As written."""
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
    if kind == "cmd" and rest.strip():
        return AgentSpec(text=text, argv=_argv(rest))
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
