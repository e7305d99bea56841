"""Turn a command's flags into what `review.source` needs; desk half."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.cli.options import settings_of, store_of
from workbench.review.source import Lookup

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["lookup_of"]


def lookup_of(options: Namespace) -> Lookup:
    """Return store, settings and declared tools of a command with RUN."""
    settings = settings_of()
    return Lookup(store=store_of(options, settings), settings=settings, tools_file=options.tools)
