"""Refuses and remembers whatever Python wants of another machine: the server's and its kernels' share.

The browser's requests are watched by the browser. Python imports this at its start, as `sitecustomize`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["offline"]

_SITE = """import sys

def refuse(event, given):
    if event == "socket.connect":
        host = given[1][0] if isinstance(given[1], tuple) else ""
    elif event == "socket.getaddrinfo":
        host = given[0] or ""
    else:
        return
    host = host.decode() if isinstance(host, bytes) else str(host)
    if host in ("", "localhost", "::1", "0.0.0.0") or host.startswith("127."):
        return
    with open({said!r}, "a") as said:
        said.write(event + " " + host + "\\n")
    raise OSError("offline")

sys.addaudithook(refuse)
"""


def offline(folder: Path) -> tuple[Path, Path]:
    """Write the module into a folder for `PYTHONPATH`; return the folder, and where it remembers."""
    site, said = folder / "site", folder / "outside.txt"
    site.mkdir(parents=True)
    (site / "sitecustomize.py").write_text(_SITE.format(said=str(said)), "utf-8")
    return site, said
