"""`workbench diagnose RUN`: clauses that the run broke, proposed with their evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.codec import encode
from workbench.check.diagnose import diagnose
from workbench.cli.lookup import lookup_of
from workbench.cli.options import add_json, add_run, print_json
from workbench.review.source import find_run
from workbench.review.summary import render_suggestion

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


__all__ = ["add_arguments", "execute"]


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    add_run(parser)
    add_json(parser)


def execute(options: Namespace) -> int:
    """Print the suggestions, the surest first; their contracts may quote the trace."""
    suggestions = diagnose(find_run(options.run, lookup_of(options)).trace)
    if options.json:
        print_json({"suggestions": encode(tuple(suggestions))})
        return 0
    if not suggestions:
        print("no detector has anything to suggest; state the contract by hand")
    for suggestion in suggestions:
        print(render_suggestion(suggestion))
    return 0
