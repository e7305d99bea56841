"""Play one take: `python -m tests.producers.play MODULE TAKE FOLDER`, in the producer's environment.

What a take returns is written into the folder: a text or bytes as it is, anything else as JSON.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

__all__ = ["main"]


def main(module: str, take: str, folder: str) -> None:
    """Play a take of `tests.producers.scripts.MODULE` and keep what it returns, file by file."""
    script = importlib.import_module(f"tests.producers.scripts.{module}")
    for name, found in (script.TAKES[take]() or {}).items():
        data = found if isinstance(found, str | bytes) else json.dumps(found, indent=1)
        (Path(folder) / name).write_bytes(data.encode() if isinstance(data, str) else data)


if __name__ == "__main__":
    main(*sys.argv[1:])
