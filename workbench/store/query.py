"""Asking DuckDB about part files.

Its own messages may quote cells, so they end here: a file that cannot be read is a
`StoreCorrupt` that names the file, and only errors in our own queries come through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

import duckdb
from duckdb import DuckDBPyConnection, DuckDBPyRelation

from workbench.store.errors import StoreCorrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from workbench.store.delta import DeltaFolder

__all__ = ["ask", "connect", "glob_safe", "rows"]

Answer = TypeVar("Answer")

_NOT_THE_FILE: Final = (
    duckdb.CatalogException,
    duckdb.InterruptException,
    duckdb.OutOfMemoryException,
    duckdb.ParserException,
)


def connect() -> DuckDBPyConnection:
    """Return a connection that loads nothing, spills nothing and shows nothing."""
    connection = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": "",
        }
    )
    connection.execute("set enable_progress_bar = false")  # as cursors have it without being told
    for setting in ("parquet_metadata_cache = true", "TimeZone = 'UTC'"):
        connection.execute(f"set global {setting}")
    return connection


def glob_safe(path: str) -> str:
    """Return a path as DuckDB takes it literally.

    >>> glob_safe("a[1]/b*.parquet")
    'a[[]1]/b[*].parquet'
    """
    return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in path)


def rows(
    connection: DuckDBPyConnection,
    table: DeltaFolder,
    files: Sequence[str],
    query: str,
    values: Mapping[str, Any] | None = None,
) -> list[Any]:
    """Return the rows that a query finds in part files, at least one; see `ask`."""
    return ask(connection, table, files, query, values or {}, DuckDBPyRelation.fetchall)


def ask(
    connection: DuckDBPyConnection,
    table: DeltaFolder,
    files: Sequence[str],
    query: str,
    values: Mapping[str, Any],
    fetch: Callable[[DuckDBPyRelation], Answer],
) -> Answer:
    """Ask about the rows of part files; several threads may ask at once.

    Args:
        connection: to ask; each question has a cursor of its own, as one takes one at a time.
        table: whose files they are.
        files: paths relative to it, at least one.
        query: SQL in which `{parts}` stands for them.
        values: parameters by name.
        fetch: how to take the answer.

    Raises:
        StoreCorrupt: a file is gone or cannot be read.
    """
    paths = [glob_safe(str(table.path / path)) for path in files]
    text = query.replace("{parts}", "read_parquet($parts, hive_partitioning=false)")
    try:
        with connection.cursor() as own:
            return fetch(own.sql(text, params={"parts": paths, **values}))
    except _NOT_THE_FILE:
        raise
    except duckdb.Error:
        raise _unreadable(table, files) from None


def _unreadable(table: DeltaFolder, files: Sequence[str]) -> StoreCorrupt:
    """Return the error of the first file that is gone, else of the first one that was read."""
    gone = [path for path in files if not (table.path / path).is_file()]
    if gone:
        got = "nothing: it is gone"
    elif len(files) == 1:
        got = "a file that cannot be read"
    else:
        got = f"a file that cannot be read, or one of {len(files) - 1} beside it does"
    return StoreCorrupt(
        f"{table.table.name}/{(gone or list(files))[0]}", want="a Parquet file", got=got
    )
