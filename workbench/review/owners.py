"""Who can own a case: names that CODEOWNERS, `owners.yaml` or `workbench.toml` know.

A repository that has none of the three says nothing about owners, and then no owner is unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.casefile.files import read_bytes, shown_path
from workbench.casefile.place import describe
from workbench.casefile.strict_yaml import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from workbench.model.jsonvalue import Json

__all__ = ["Owners", "find_owners", "no_owners"]

_CODEOWNERS: Final = ("CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS")
_OWNERS: Final = "owners.yaml"
_MAX_BYTES: Final = 1 << 20
_SECTION: Final = re.compile(r"\^?\[[^\]]*\](\[\d+\])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Owners:
    """Known owners and where they are from."""

    names: frozenset[str]
    """In lower case, with and without the organisation."""
    sources: tuple[str, ...]
    """Files that name them; empty: nobody says who may own a case."""

    def knows(self, owner: str) -> bool:
        """Whether an owner is known, or nobody says who is.

        >>> owners = Owners(names=frozenset({"acme/billing", "billing"}), sources=("CODEOWNERS",))
        >>> owners.knows("@Acme/billing"), owners.knows("billing"), owners.knows("ada")
        (True, True, False)
        """
        return not self.sources or owner.strip().lower().removeprefix("@") in self.names


def no_owners() -> Owners:
    """Return the owners of a repository that names none."""
    return Owners(names=frozenset(), sources=())


def find_owners(start: Path, *, listed: Iterable[str] = ()) -> Owners:
    """Return the owners that a repository knows.

    Args:
        start: a folder in it; the folders above are searched up to the one that holds `.git`.
        listed: `[review] owners` of `workbench.toml`.

    Raises:
        InputError: a file of owners cannot be read, or is none.
    """
    names = {form for owner in listed for form in _forms(owner)}
    sources = ["workbench.toml"] if names else []
    for folder in _folders(start):
        for file in (*(folder / name for name in _CODEOWNERS), folder / _OWNERS):
            if file.is_file():
                read = _in_yaml if file.name == _OWNERS else _in_codeowners
                names.update(form for owner in read(file) for form in _forms(owner))
                sources.append(shown_path(file))
    return Owners(names=frozenset(names), sources=tuple(sources))


def _folders(start: Path) -> Iterator[Path]:
    """Yield the folders from `start` to the repository's root; outside of one, `start` alone."""
    folders = [start.resolve(), *start.resolve().parents]
    root = next((at for at, folder in enumerate(folders) if (folder / ".git").exists()), 0)
    yield from folders[: root + 1]


def _forms(owner: str) -> Iterator[str]:
    """Yield the ways in which a case may write an owner: `@acme/billing` is `billing` too."""
    name = owner.strip().lower().removeprefix("@")
    if name:
        yield name
        yield name.rpartition("/")[2]


def _in_codeowners(file: Path) -> Iterator[str]:
    """Yield the owners of each rule: what follows its pattern."""
    for line in read_bytes(file, limit=_MAX_BYTES).decode("utf-8", "replace").splitlines():
        rule = line.partition("#")[0].replace("\\ ", "_")
        section = _SECTION.match(rule)
        yield from rule[section.end() :].split() if section else rule.split()[1:]


def _in_yaml(file: Path) -> Iterator[str]:
    """Yield the names of a list, or of a mapping's keys; `owners:` may hold either."""
    value, place = load_yaml(read_bytes(file, limit=_MAX_BYTES), name=shown_path(file))
    key = ""
    if isinstance(value, dict) and set(value) == {"owners"}:
        key, value = "owners", value["owners"]
    names: list[Json] = list(value) if isinstance(value, dict | list) else [value]
    if isinstance(value, dict | list) and all(isinstance(name, str) for name in names):
        yield from map(str, names)
        return
    wrong = next(name for name in names if not isinstance(name, str) or name is value)
    raise place.error(
        key, f"holds {describe(wrong)}; expected names", fix="write a list of names, or a mapping"
    )
