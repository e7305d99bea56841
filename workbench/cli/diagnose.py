"""`workbench diagnose RUN`: clauses that the run broke, proposed with their evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import encode
from workbench.casefile.files import require_target, write_private
from workbench.check.diagnose import diagnose
from workbench.cli.lookup import lookup_of
from workbench.cli.options import print_json, relative
from workbench.errors import InputError
from workbench.review.source import find_run
from workbench.review.summary import render_suggestion

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from pathlib import Path

    from workbench.model.verdict import Suggestion

__all__ = ["execute"]

_NOTHING: Final = "no detector has anything to suggest"
_NEXT: Final = (
    "see in `workbench show RUN` how each call ended; say which answers mean a failed call under"
    " [[outcomes]] in workbench.toml (docs/settings.md), or write a contract (docs/contract.md)"
)


def execute(options: Namespace) -> int:
    """Print the suggestions, the surest first; their contracts may quote the trace.

    Raises:
        InputError: a contract is to be written, and nothing is suggested.
    """
    if options.write is not None:
        require_target(options.write)
    suggestions = diagnose(find_run(options.run, lookup_of(options)).trace)
    if options.write is not None:
        _write(suggestions, options.write)
    if options.json:
        print_json({"suggestions": encode(tuple(suggestions))})
        return 0
    if not suggestions:
        print(f"{_NOTHING}; state the contract by hand\n  Fix: {_NEXT}")
    for suggestion in suggestions:
        print(render_suggestion(suggestion))
    if options.write is not None:
        print(f"the first of them is in {relative(options.write)}; read it, then --contract")
    return 0


def _write(suggestions: Sequence[Suggestion], path: Path) -> None:
    if not suggestions:
        raise InputError(_NOTHING, place="--write", fix=f"state the contract by hand: {_NEXT}")
    write_private(path, suggestions[0].contract)
