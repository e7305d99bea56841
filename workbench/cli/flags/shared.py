"""Flags that several commands share."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["add_json", "add_ner", "add_run", "add_store", "add_tools", "count"]


def add_store(parser: ArgumentParser) -> None:
    """Add `--store`."""
    parser.add_argument(
        "--store", metavar="DIR", help="store of raw traces (default: parquet_store)"
    )


def add_json(parser: ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument(
        "--json", action="store_true", help="print one JSON document and nothing else"
    )


def add_tools(parser: ArgumentParser) -> None:
    """Add `--tools`."""
    parser.add_argument(
        "--tools", metavar="FILE", type=Path, help="JSON array of {name, effect, ...}"
    )


def add_run(parser: ArgumentParser) -> None:
    """Add RUN and what finding it takes."""
    parser.add_argument("run", metavar="RUN", help="run id of the store, FILE or FILE#RUN_ID")
    add_tools(parser)
    add_store(parser)


def add_ner(parser: ArgumentParser) -> None:
    """Add `--without-ner`."""
    parser.add_argument(
        "--without-ner",
        action="store_true",
        help="go on although names in prose are not detected",
    )


def count(text: str) -> int:
    """Read a number of things as the type of a flag.

    Raises:
        ArgumentTypeError: it is no integer, or less than 1.
    """
    if not text.isascii() or not text.isdecimal() or int(text[:19]) < 1:
        message = f"{text!r} is no integer >= 1"
        raise ArgumentTypeError(message)
    return int(text[:19])
