"""Environments beside `.venv`, each made from a lock of its own and kept until the lock changes.

They hold what is tested from outside: clients, frameworks, recorders. Locks have hashes and name
no index; that is the machine's own.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.bootstrap import uv_settings

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ROOT", "Environment", "is_made"]

ROOT = Path(__file__).resolve().parent.parent
_UV = (sys.executable, "-m", "uv", "pip")


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """One environment of Python packages."""

    folder: Path
    """Where it is made; what is there is deleted when the lock changed."""
    lock: Path
    needs: tuple[str, ...]
    """What is locked, as it is asked for; the versions of these are shown."""
    beside: tuple[str, ...] = ()
    """What is locked too and not worth telling."""

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def pin(self) -> int:
        """Lock the newest versions; returns an exit code."""
        self.lock.parent.mkdir(parents=True, exist_ok=True)
        words = (
            *(*_UV, "compile", "--quiet", "--universal", "--python-version", "3.11"),
            *("--generate-hashes", "--only-binary", ":all:", "--no-header", "--no-annotate"),
            *("-", "-o", self.lock),
        )
        wanted = "\n".join((*self.needs, *self.beside)).encode()
        return subprocess.run(words, input=wanted, check=False, env=_env()).returncode

    def is_made(self) -> bool:
        """Make it, unless it is made from this very lock; False: it cannot be made here."""
        return is_made(self.folder, self.lock, install=self._install)

    def versions(self) -> dict[str, str]:
        """Return what the lock has of what was asked for."""
        names = [re.split(r"[\[=<>~!]", need)[0] for need in self.needs]
        text = self.lock.read_text("utf-8")
        found = dict(re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", text, re.MULTILINE))
        return {name: found[name] for name in names}

    def _install(self) -> bool:
        words = (sys.executable, "-m", "uv", "venv", "--quiet", "--clear", self.folder)
        made = subprocess.run((*words, "--python", sys.executable), check=False, env=_env())
        words = (
            *(*_UV, "install", "--quiet", "--compile-bytecode", "--python", self.python),
            *("--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", self.lock),
        )
        return (
            made.returncode == 0 and subprocess.run(words, check=False, env=_env()).returncode == 0
        )


def is_made(folder: Path, lock: Path, *, install: Callable[[], bool]) -> bool:
    """Empty a folder and install into it, unless that was done from this very lock.

    Scripts of an environment hold its path and its interpreter, so these count too.
    """
    digest = hashlib.sha256(f"{ROOT}\n{sys.version}\n".encode() + lock.read_bytes())
    ready, wanted = folder / ".ready", digest.hexdigest()
    if ready.exists() and ready.read_text("utf-8") == wanted:
        return True
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if not install():
        return False
    ready.write_text(wanted, "utf-8")
    return True


def _env() -> dict[str, str]:
    return {**os.environ, **uv_settings()}
