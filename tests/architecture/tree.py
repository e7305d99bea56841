"""The files of the project, for the tests that read them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FOLDERS", "MODULES", "PACKAGE", "ROOT", "texts_under"]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "workbench"
MODULES = sorted(PACKAGE.rglob("*.py"))
FOLDERS = (
    ".ci",
    "benchmarks",
    "cases",
    "docs",
    "lock",
    "notebooks",
    "tests",
    "tools",
    "workbench",
)
"""Every folder that is committed and written by hand; `parquet_store` is data."""


def texts_under(*folders: str, suffixes: frozenset[str]) -> dict[Path, str]:
    """Return the text of each file with one of the suffixes, by its path in the project."""
    return {
        path.relative_to(ROOT): path.read_text("utf-8", errors="replace")
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*"))
        if path.is_file() and path.suffix in suffixes and "__pycache__" not in path.parts
    }
