"""Write the README's table of commands from the parsers; `python -m tools.command_table`.

It stands between two comment lines of README.md and is never edited by hand.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Final

from workbench.cli.main import COMMANDS
from workbench.cli.parser import parser_of

__all__ = ["README", "main", "render", "with_table"]

README: Final = Path(__file__).resolve().parent.parent / "README.md"
OPENS: Final = "<!-- commands: written by tools/command_table.py -->"
CLOSES: Final = "<!-- end of commands -->"


def render() -> str:
    """Return the table: one row a command, in the order of the work."""
    rows = ["| command | what it does |", "|---|---|"]
    for command, (name, summary) in COMMANDS.items():
        module = importlib.import_module(name)
        usage = parser_of(command, summary, module.add_arguments).format_usage()
        words = " ".join(usage.split()).removeprefix("usage: ").replace(" [-h]", "")
        cell = words.replace("|", "\\|")
        rows.append(f"| `{cell}` | {summary} |")
    return "\n".join(rows)


def with_table(text: str) -> str:
    """Return the README with the table of today.

    Raises:
        ValueError: the two comment lines are not there.
    """
    before, _, rest = text.partition(OPENS)
    _, closes, after = rest.partition(CLOSES)
    if not closes:
        raise ValueError("README.md has no place for the table of commands")
    return f"{before}{OPENS}\n{render()}\n{CLOSES}{after}"


def main() -> int:
    """Rewrite the README in place."""
    README.write_text(with_table(README.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
