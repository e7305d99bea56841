"""The environment variables of an agent in a replay."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import workbench

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MCP_COMMAND", "agent_environment"]

_PROXIES: Final = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY"})
_DUMMY: Final = "replay"
MCP_COMMAND: Final = (
    sys.executable,
    "-I",
    str(Path(workbench.__file__).with_name("replay") / "gateway" / "mcp_stdio.py"),
)
"""The MCP server that an agent may spawn in a replay."""


def agent_environment(
    known: Mapping[str, str], *, base_url: str, run_id: str, scratch: str
) -> dict[str, str]:
    """Return what an agent sees: no key and no proxy of ours, and every client led to the gateway.

    Args:
        known: our own environment.
        base_url: of the run.
        run_id: of the trial.
        scratch: the folder for temporary files.
    """
    kept = {name: value for name, value in known.items() if not _is_removed(name.upper())}
    return {
        **kept,
        "REPLAY_BASE_URL": base_url,
        "REPLAY_RUN_ID": run_id,
        "REPLAY_MCP_URL": f"{base_url}/mcp",
        "REPLAY_MCP_COMMAND": shlex.join(MCP_COMMAND),
        "OPENAI_BASE_URL": f"{base_url}/v1",
        "ANTHROPIC_BASE_URL": f"{base_url}/anthropic",
        "OPENAI_API_KEY": _DUMMY,
        "ANTHROPIC_API_KEY": _DUMMY,
        "TMPDIR": scratch,
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _is_removed(name: str) -> bool:
    return name.endswith("_API_KEY") or name.startswith("AWS_") or name in _PROXIES
