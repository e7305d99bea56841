"""Where an agent's process begins: the supervisor, with what serves a Python agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.replay.isolation.supervisor import supervise

if TYPE_CHECKING:
    from workbench.replay.isolation.supervisor import Channel, Spec

__all__ = ["main"]


def main(argument: str) -> int:  # pragma: no cover  another process
    """Run an agent as the argument says and return its exit code."""
    return supervise(argument, python=_serve)


def _serve(spec: Spec, channel: Channel, audited: bool) -> int:  # noqa: FBT001  # pragma: no cover
    from workbench.replay.adapters.python_child import run  # noqa: PLC0415  Python agents only

    return run(spec, channel, audited=audited)
