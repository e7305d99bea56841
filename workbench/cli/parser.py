"""The parser of one command: no abbreviations, a usage error ends with 4 and names the nearest."""

from __future__ import annotations

import argparse
import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["nearest", "parser_of"]

_USAGE: Final = 4
_FLAG: Final = re.compile(r"--[\w-]+")


class _Parser(argparse.ArgumentParser):
    """Ends a usage error with 4 instead of argparse's 2, which means "interrupted" here."""

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:  # noqa: ANN401  theirs
        """State a flag; a path must not be empty, since `Path("")` is the current folder."""
        if settings.get("type") is Path:
            settings["type"] = _path
        return super().add_argument(*names, **settings)

    def error(self, message: str) -> NoReturn:
        flags = _FLAG.findall(self.format_help())
        unknown = (word for word in _FLAG.findall(message) if word not in flags)
        near = [found for word in unknown if (found := nearest(word, flags))]
        fix = f"write {near[0]}" if near else f"{self.prog} --help"
        self.exit(_USAGE, f"{self.prog}: {message}\n  Fix: {fix}\n")


def _path(text: str) -> Path:
    if not text:
        message = "is empty; expected a path"
        raise argparse.ArgumentTypeError(message)
    return Path(text)


def parser_of(
    command: str, summary: str, add_arguments: Callable[[argparse.ArgumentParser], None]
) -> argparse.ArgumentParser:
    """Return the parser of one command, with the flags that its module states."""
    parser = _Parser(
        prog=f"workbench {command}",
        description=f"{summary[0].upper()}{summary[1:]}.",
        allow_abbrev=False,
    )
    add_arguments(parser)
    return parser


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that looks most like `word`, if any does.

    >>> nearest("rnu", ["run", "show"])
    'run'
    """
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else None
