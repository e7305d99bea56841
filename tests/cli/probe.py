"""A command that ends in whatever way a test asks for."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

from workbench.errors import InconclusiveError, InputError, RefusedError

if TYPE_CHECKING:
    import argparse

__all__ = ["WORK", "add_arguments", "execute"]

WORK = "tests.cli.probe"

PRIVATE_TEXT = "ada@example.com wrote this"

ENDINGS = {
    "input": InputError("is a number; expected a list", place="a.json", fix="write a list"),
    "refused": RefusedError("the draft holds residue"),
    "inconclusive": InconclusiveError("no answer was recorded"),
    "interrupt": KeyboardInterrupt(),
    "system": OSError(36, "File name too long", "/private/ada/x"),
    "library": OSError(PRIVATE_TEXT),
    "steering": InputError("key \x1b[2J\u202e is unknown"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument("ending")
    parser.add_argument("--json", action="store_true")


def execute(options: argparse.Namespace) -> int:
    """End as asked."""
    if options.ending in ENDINGS:
        raise ENDINGS[options.ending]
    match options.ending:
        case "bug":
            importlib.import_module("workbench.casefile.codec").decode(PRIVATE_TEXT, 1, place=None)
        case "no_package":
            importlib.import_module("a_package_that_is_not_there.part")
        case "no_module":
            importlib.import_module("workbench.a_module_that_is_not_there")
        case "pipe":
            raise BrokenPipeError
        case "foreign":
            raise ValueError(PRIVATE_TEXT)
        case "many_lines":
            sys.stdout.write("line\n" * 100_000)
        case "surrogate":
            sys.stdout.write("\udcff")
        case _:
            pass
    return 5
