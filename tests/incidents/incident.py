"""What an incident of the table is: a trace that went wrong, a right one, and the contract between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace

__all__ = ["Incident"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One kind of failure that really happened, told anew: all names and texts are ours."""

    number: int
    """In the shared list of incidents."""
    name: str
    contract: JsonMap
    wrong: Trace
    right: Trace
    caught_by: str
    """Kind of the clause that a detector is expected to propose."""
