"""Raw traces, append-only, in a Delta Lake table: the only door to deltalake, pyarrow and DuckDB."""

from __future__ import annotations

from workbench.store.append import Commit, SourceFile
from workbench.store.errors import (
    ChainBroken,
    CommitContention,
    RunNotFound,
    RunsChanged,
    SchemaTooNew,
    StoreCorrupt,
    StoreFull,
    StoreReadOnly,
)
from workbench.store.handle import Store, open_store
from workbench.store.log import Head
from workbench.store.read import plain_rows
from workbench.store.records import Decision, TrialResult
from workbench.store.search import Hit
from workbench.store.verify import Damage, DamageKind, Verification

__all__ = [
    "ChainBroken",
    "Commit",
    "CommitContention",
    "Damage",
    "DamageKind",
    "Decision",
    "Head",
    "Hit",
    "RunNotFound",
    "RunsChanged",
    "SchemaTooNew",
    "SourceFile",
    "Store",
    "StoreCorrupt",
    "StoreFull",
    "StoreReadOnly",
    "TrialResult",
    "Verification",
    "open_store",
    "plain_rows",
]
