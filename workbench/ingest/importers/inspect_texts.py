"""The large texts that a sample of Inspect keeps once and refers to elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.ingest.records.shapes import map_in

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["Texts"]

_REFERENCES: Final = ("attachment://", "tc://")


@dataclass(slots=True)
class Texts:
    """The texts of a sample by their references."""

    known: JsonMap
    missing: int = 0
    """References to texts that the sample does not have."""

    @classmethod
    def of(cls, sample: JsonMap) -> Texts:
        """Return a sample's texts; old logs keep them in `transcript`."""
        old = map_in(sample, "transcript", "content")
        return cls(known={**old, **map_in(sample, "attachments")})

    def whole(self, value: Json) -> Json:
        """Return a value with its references replaced by the texts they stand for."""
        if isinstance(value, str):
            if not value.startswith(_REFERENCES):
                return value
            found = self.known.get(value.partition("://")[2])
            self.missing += found is None
            return value if found is None else found
        if isinstance(value, list):
            return [self.whole(item) for item in value]
        if isinstance(value, dict):
            return {key: self.whole(item) for key, item in value.items()}
        return value
