"""Flags of `workbench collect`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_store, add_tools

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.collect"

_PORT: Final = 4318

_QUEUE_MIB: Final = 64


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument(
        "--port", type=int, default=_PORT, help="of 127.0.0.1 (default: %(default)s; 0: a free one)"
    )
    parser.add_argument(
        "--queue",
        metavar="MIB",
        type=int,
        default=_QUEUE_MIB,
        help="how much may wait to be stored before exporters are told to wait (%(default)s MiB)",
    )
    add_tools(parser)
    add_store(parser)
    add_json(parser)
