"""What the package bundles of the demo, as files in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

__all__ = ["DemoFiles", "bundled_files"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoFiles:
    """The bundled files where a person would have them."""

    folder: Path
    incident: Path
    """Native trace, one JSON document."""
    contract: Path
    policy: Path
    """`redaction.yaml`: what a reviewer decided."""


def bundled_files(folder: str | os.PathLike[str]) -> DemoFiles:
    """Copy the bundled files into a folder, made if needed, and say where they are."""
    there = Path(folder)
    there.mkdir(parents=True, exist_ok=True)
    bundled = resources.files("workbench.demo")
    for name in ("incident.json", "contract.yaml", "redaction.yaml"):
        (there / name).write_bytes(bundled.joinpath(name).read_bytes())
    return DemoFiles(
        folder=there,
        incident=there / "incident.json",
        contract=there / "contract.yaml",
        policy=there / "redaction.yaml",
    )
