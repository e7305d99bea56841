"""Environment variables: those of an agent in a replay, and ours that name the live model."""

from __future__ import annotations

import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import workbench
from workbench.errors import InputError
from workbench.replay.live import Family, Provider, Upstream

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MCP_COMMAND", "agent_environment"]

_PROXIES: Final = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY"})
_LIVE: Final = "WORKBENCH_LIVE_"
_MODEL: Final = f"{_LIVE}MODEL"
_TIMEOUT: Final = f"{_LIVE}TIMEOUT_S"
_TIMEOUT_S: Final = 120.0
_USUAL: Final = {
    Family.OPENAI: "https://api.openai.com/v1",
    Family.ANTHROPIC: "https://api.anthropic.com",
}
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
    return name.endswith("_API_KEY") or name.startswith(("AWS_", _LIVE)) or name in _PROXIES


def upstream_from(environ: Mapping[str, str]) -> Upstream:
    """Return the real models that the live layer may use.

    They are named by `WORKBENCH_LIVE_OPENAI_BASE_URL`, `WORKBENCH_LIVE_OPENAI_API_KEY`, the same
    for `ANTHROPIC`, `WORKBENCH_LIVE_MODEL` and `WORKBENCH_LIVE_TIMEOUT_S`; without them by the
    variables of the providers' own clients.

    Args:
        environ: our own environment.

    Raises:
        InputError: it names no provider, or one that cannot be used.
    """
    providers = tuple(
        provider for family in Family if (provider := _provider(environ, family)) is not None
    )
    if not providers:
        raise InputError(
            "the live layer has no model provider",
            fix=f"set OPENAI_API_KEY or ANTHROPIC_API_KEY, or {_LIVE}OPENAI_BASE_URL "
            f"and {_LIVE}OPENAI_API_KEY for another provider that speaks its protocol",
        )
    return Upstream(
        providers=providers,
        model=environ.get(_MODEL) or None,
        timeout_s=_timeout(environ.get(_TIMEOUT) or None),
    )


def _provider(environ: Mapping[str, str], family: Family) -> Provider | None:
    """Return the provider of a family; None: there is no key for one."""
    usual = family.value.upper()
    keys = (f"{_LIVE}{usual}_API_KEY", f"{usual}_API_KEY")
    urls = (f"{_LIVE}{usual}_BASE_URL", f"{usual}_BASE_URL")
    key_env = next((name for name in keys if environ.get(name)), None)
    url_env = next((name for name in urls if environ.get(name)), None)
    if key_env is None:
        if url_env is not None and url_env.startswith(_LIVE):
            raise InputError(f"{url_env} is set, but no key", fix=f"set {keys[0]}")
        return None
    base_url = _USUAL[family] if url_env is None else environ[url_env]
    _check_url(base_url, url_env or "")
    return Provider(family=family, base_url=base_url, key_env=key_env)


def _check_url(text: str, name: str) -> None:
    """Refuse what is no address; the text is not shown, for it may hold a password."""
    fix = f"set {name} to an address such as {_USUAL[Family.OPENAI]}"
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise InputError(f"{name} is no http or https address", fix=fix) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{name} is no http or https address", fix=fix)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InputError(f"{name} holds more than an address", fix=fix)


def _timeout(text: str | None) -> float:
    if text is None:
        return _TIMEOUT_S
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise InputError(f"{_TIMEOUT} is no number of seconds above 0", fix=f"set {_TIMEOUT}=120")
    return seconds
