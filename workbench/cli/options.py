"""Options that several commands share, and how a command speaks.

Results go to stdout, complaints and progress to stderr; `--json` prints one document on stdout
and nothing else.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.casefile import settings as files
from workbench.runner.reports.harmless import harmless

if TYPE_CHECKING:
    from argparse import Namespace

    from workbench.model.jsonvalue import JsonMap
    from workbench.model.settings import Settings

__all__ = [
    "complain",
    "keys_folder",
    "print_json",
    "relative",
    "settings_of",
    "store_of",
]


def settings_of() -> Settings:
    """Read the `workbench.toml` that governs the current folder."""
    return files.load_settings(files.find_settings(Path.cwd()))


def store_of(options: Namespace, settings: Settings) -> str:
    """Return where the store is: the flag, else the settings, from the settings file's folder."""
    if options.store:
        return str(options.store)
    return str(_home() / settings.folders.store)


def keys_folder(settings: Settings) -> Path | None:
    """Return the folder of drafts' keys; None: the user's data folder."""
    return files.keys_folder(settings, _home())


def _home() -> Path:
    found = files.find_settings(Path.cwd())
    return Path() if found is None else found.parent


def print_json(document: JsonMap) -> None:
    """Print one document; characters that a terminal could obey are escaped."""
    print(json.dumps(document, ensure_ascii=True, indent=2))


def complain(text: str) -> None:
    """Say something that is no result; names in it may come from a hostile file."""
    print("\n".join(map(harmless, text.split("\n"))), file=sys.stderr)


def relative(path: Path) -> str:
    """Return a path as a person would type it from here, fit for a terminal."""
    try:
        shown = path.absolute().relative_to(Path.cwd())  # links stay as they are typed
    except ValueError:
        shown = path
    return harmless(str(shown))
