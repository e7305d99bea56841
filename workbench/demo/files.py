"""What the package bundles of the demo, as files in a folder that the demo may make anew."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.errors import InputError

if TYPE_CHECKING:
    import os

__all__ = ["DemoFiles", "bundled_files"]

_MARK: Final = "made-by-workbench-demo"
_NOTE: Final = "This folder is removed and made anew by each run of the demo.\n"
_SETTINGS: Final = """\
# Keys lie beside the store here only so that the demo leaves nothing outside its folder;
# without this line they lie in your own data folder.
[folders]
store = "store"
cases = "cases"
keys = "keys"
"""


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
    """Make a folder anew with the bundled files in it, and say where they are.

    Raises:
        InputError: there is something in the folder that the demo did not make.
    """
    there = Path(folder)
    if not _is_ours(there):
        raise InputError(
            "holds files that the demo did not make",
            place=there.name,
            fix="name another folder",
        )
    shutil.rmtree(there, ignore_errors=True)
    there.mkdir(parents=True)
    (there / _MARK).write_text(_NOTE, "utf-8")
    (there / "workbench.toml").write_text(_SETTINGS, "utf-8")
    bundled = resources.files("workbench.demo")
    for name in ("incident.json", "contract.yaml", "redaction.yaml"):
        (there / name).write_bytes(bundled.joinpath(name).read_bytes())
    return DemoFiles(
        folder=there,
        incident=there / "incident.json",
        contract=there / "contract.yaml",
        policy=there / "redaction.yaml",
    )


def _is_ours(folder: Path) -> bool:
    """Whether a folder may be removed: absent, empty, marked, or full of marked ones."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        return False
    if not folder.exists() or (folder / _MARK).is_file():
        return True
    return all((entry / _MARK).is_file() for entry in folder.iterdir())
