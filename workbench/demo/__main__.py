"""Run the whole line on the bundled incident: `make demo`, or `python -m workbench.demo [FOLDER]`.

Everything is written below one folder, `demo-out` unless another is named, and everything is done
by `workbench` commands that a person could type there. `--load STORE` only puts the incident into a
store that has not got it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.demo.files import bundled_files
from workbench.demo.loading import load_demo
from workbench.demo.steps import CASE, steps
from workbench.demo.summary import summary
from workbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.demo.steps import Step

__all__ = ["main", "play"]

_WIDTH: Final = 96
_LONG_LINE: Final = 130
_DAYS_TO_REVIEW: Final = 90


def main(argv: Sequence[str] | None = None) -> int:
    """Run every step, or only load; 0 if each returned the exit code that it should."""
    parser = argparse.ArgumentParser(prog="python -m workbench.demo", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("demo-out"))
    parser.add_argument("--load", metavar="STORE", type=Path, help="only load the incident")
    options = parser.parse_args(argv)
    try:
        if options.load is not None:
            print(load_demo(options.load))
            return 0
        bundled_files(options.folder)
    except InputError as error:
        print(f"workbench: {error}", file=sys.stderr)
        return error.exit_code
    return _tour(options.folder)


def _tour(folder: Path) -> int:
    """Run every step in a folder that has the bundled files."""
    started = time.monotonic()
    if not play(steps(review_date=_date_in(_DAYS_TO_REVIEW)), folder):
        return 1
    print(_bold("\nWhat happened\n"))
    print(summary(folder / CASE))
    print(
        f"\nDone in {time.monotonic() - started:.0f} s. Every command above can be repeated: "
        f"cd {shlex.quote(str(folder))}"
    )
    return 0


def play(todo: Sequence[Step], folder: Path) -> bool:
    """Run steps in a folder until one returns another exit code than it should."""
    for number, step in enumerate(todo, start=1):
        _announce(step, f"{number:2}/{len(todo)}")
        code = _run(step, folder)
        if code != step.expected:
            print(_bold(f"\nThe command returned {code}; expected {step.expected}. The demo ends."))
            return False
    return True


def _announce(step: Step, place: str) -> None:
    print(f"\n{_bold(f'{place}  {step.title}')}")
    print(textwrap.fill(step.why, _WIDTH, initial_indent="       ", subsequent_indent="       "))
    print(f"     $ {_command(step)}", flush=True)


def _command(step: Step) -> str:
    """Return the command as a person would type it, folded between words only."""
    lines = ["workbench"]
    for word in map(shlex.quote, step.words):
        if len(lines[-1]) + len(word) < _WIDTH - 9:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return " \\\n         ".join(lines)


def _run(step: Step, folder: Path) -> int:
    """Run one command in the demo's folder, show what it says, and return its exit code."""
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "-m", "workbench", *step.words],
        cwd=folder,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    lines = done.stdout.rstrip().splitlines()
    left_out = len(lines) - step.head - step.tail
    if left_out > 1:
        note = f"... {left_out} lines more ..."
        lines = [*lines[: step.head], note, *lines[-step.tail :]]
    for line in lines:
        for part in _folded(line):
            print(f"     | {part}".rstrip())
    print(_dim(f"     exit code {done.returncode}"), flush=True)
    return done.returncode


def _environment() -> dict[str, str]:
    """Return our environment, with this package found from any folder and its own keys used."""
    above = str(Path(str(resources.files("workbench"))).parent)
    paths = [above, *filter(None, [os.environ.get("PYTHONPATH")])]
    ours = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1", "COLUMNS": str(_WIDTH)}
    return {name: value for name, value in os.environ.items() if name != "WORKBENCH_KEYS"} | ours


def _date_in(days: int) -> str:
    return datetime.fromtimestamp(time.time() + days * 86_400, tz=UTC).date().isoformat()


def _folded(line: str) -> list[str]:
    """Fold a long line at blanks, so that nothing of it is lost."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    wrapped = textwrap.wrap(line, _LONG_LINE, subsequent_indent=indent, break_on_hyphens=False)
    return wrapped or [""]


def _bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m" if _wants_colour() else text


def _dim(text: str) -> str:
    return f"\x1b[2m{text}\x1b[0m" if _wants_colour() else text


def _wants_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


if __name__ == "__main__":
    raise SystemExit(main())
