"""The lines of the values in a TOML text, which its parser does not tell.

Every statement of TOML (a header, a key with its value) is TOML by itself, and no beginning of
one is. So the lines are parsed one by one, a value of several lines as soon as it is whole.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from workbench.casefile.place import step_key

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["lines_of"]


def lines_of(text: str) -> dict[str, int]:
    r"""Return the line, from 1, on which the statement of each value begins.

    Args:
        text: valid TOML.

    Returns:
        Dotted path (see `step_key`) -> line; a table has that of its first header or key.

    >>> lines_of('[a]\nb = 1\n[[c]]\n[[c]]\nd = ["x"]')
    {'a': 1, 'a.b': 2, 'c': 3, 'c.0': 3, 'c.1': 4, 'c.1.d': 5, 'c.1.d.0': 5}
    """
    found: dict[str, int] = {}
    lengths: dict[str, int] = {}
    table = ""
    for line, source in _statements(text):
        value = tomllib.loads(source)
        if source.lstrip().startswith("["):
            paths = list(_entered(value, lengths))
            table = paths[-1]
        else:
            paths = list(_inside(value, table))
        for path in paths:
            found.setdefault(path, line)
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield each statement with the number of its first line."""
    start, source = 1, ""
    for number, line in enumerate(text.split("\n"), start=1):
        source += f"{line}\n"
        try:
            tomllib.loads(source)
        except tomllib.TOMLDecodeError:
            continue  # its value goes on in the next line
        yield start, source
        start, source = number + 1, ""


def _entered(header: object, lengths: dict[str, int]) -> Iterator[str]:
    """Yield the tables that a header enters, the outermost first, and count those of arrays."""
    path = ""
    while isinstance(header, dict) and header:
        (name, header), *_ = header.items()
        path = step_key(path, name)
        yield path
        if isinstance(header, list):
            lengths[path] = lengths.get(path, 0) + 1
            (header,) = header
        if path in lengths:
            path = step_key(path, lengths[path] - 1)
            yield path


def _inside(value: dict[str, object] | list[object], path: str) -> Iterator[str]:
    """Yield the places in a value, each before those in it."""
    for step, item in value.items() if isinstance(value, dict) else enumerate(value):
        at = step_key(path, step)
        yield at
        if isinstance(item, dict | list):
            yield from _inside(item, at)
