"""On which lines of a case file its clauses and keys stand, for those who mark them there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.casefile.contract import clause_key
from workbench.casefile.files import read_bytes, shown_path
from workbench.casefile.strict_yaml import MAX_BYTES, load_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.casefile.place import Place
    from workbench.model.jsonvalue import JsonMap

__all__ = ["CaseLines", "find_lines"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLines:
    """A case file that was read for its lines."""

    place: Place
    contract: JsonMap
    """As it stands in the file."""

    def of_key(self, key: str) -> int:
        """Return the line of a key, or of the nearest one above it; 1 for one that is nowhere."""
        return self.place.line(key) or 1

    def of_clause(self, clause: str) -> int:
        """Return the line of a clause by its id or its name; of the contract, if it is neither."""
        names = self.contract.get("names")
        ids = {name: found for found, name in names.items()} if isinstance(names, dict) else {}
        found = ids.get(clause, clause)
        kind = found.partition("/")[0].partition(".")[0]
        if kind not in self.contract or "/" not in found:
            return self.of_key("contract")
        return self.of_key(clause_key(found, self.contract))


def find_lines(path: Path) -> CaseLines:
    """Read a case file for the lines of what is in it.

    Raises:
        CaseFormatError: it cannot be read, or is outside the strict subset of YAML.
    """
    document, place = load_yaml(read_bytes(path, limit=MAX_BYTES), name=shown_path(path))
    contract = document.get("contract") if isinstance(document, dict) else None
    return CaseLines(place=place, contract=contract if isinstance(contract, dict) else {})
