"""Makes a failing trace smaller without changing how it fails."""

from __future__ import annotations

from workbench.shrink.court import Budget
from workbench.shrink.flaky import Flaky
from workbench.shrink.nodes import count_nodes
from workbench.shrink.places import moved_places
from workbench.shrink.projection import is_projection
from workbench.shrink.rate import Rate
from workbench.shrink.search import Step, Texts
from workbench.shrink.shrinking import Shrunk, shrink_note, shrink_trace
from workbench.shrink.trials import Once

__all__ = [
    "Budget",
    "Flaky",
    "Once",
    "Rate",
    "Shrunk",
    "Step",
    "Texts",
    "count_nodes",
    "is_projection",
    "moved_places",
    "shrink_note",
    "shrink_trace",
]
