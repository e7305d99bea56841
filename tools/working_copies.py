"""Copies of the notebooks for one person's reviews; `python -m tools.working_copies`.

JupyterLab saves what a review shows and which run it was about. That stays on this machine: the
folder is ignored by git, and the notebooks of the project stay as they were committed.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Final

__all__ = ["COPIES", "ORIGINALS", "copy_notebooks", "main"]

_ROOT: Final = Path(__file__).resolve().parent.parent
ORIGINALS: Final = _ROOT / "notebooks"
COPIES: Final = _ROOT / "reviews"
_MADE_FROM: Final = ".made-from.json"


def copy_notebooks(originals: Path, copies: Path) -> list[Path]:
    """Copy each notebook that has no copy, or changed since its copy was made; return these copies.

    A person's copy is never lost: where a new one is due, the old one gets a free name beside it.

    Args:
        originals: folder of the notebooks.
        copies: folder of a person's own; it is made if it is absent.
    """
    copies.mkdir(exist_ok=True)
    made_from = _read_made_from(copies)
    made = []
    for original in sorted(originals.glob("*.ipynb")):
        data = original.read_bytes()
        digest = sha256(data).hexdigest()
        copy = copies / original.name
        if copy.exists():
            if made_from.get(copy.name) == digest:
                continue
            if copy.read_bytes() != data:
                copy.rename(_free_name(copy))
        copy.write_bytes(data)
        made_from[copy.name] = digest
        made.append(copy)
    (copies / _MADE_FROM).write_text(json.dumps(made_from, indent=2), "utf-8")
    return made


def _read_made_from(copies: Path) -> dict[str, str]:
    """Return of what each copy was made; nothing where that cannot be told."""
    try:
        found = json.loads((copies / _MADE_FROM).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _free_name(copy: Path) -> Path:
    number = 1
    while (free := copy.with_name(f"{copy.stem}.old-{number}{copy.suffix}")).exists():
        number += 1
    return free


def main() -> None:
    """Bring the copies up to date and say which are new."""
    made = copy_notebooks(ORIGINALS, COPIES)
    if made:
        names = ", ".join(path.name for path in made)
        print(f"your copies of the notebooks are in {COPIES.name}/: {names}")


if __name__ == "__main__":
    main()
