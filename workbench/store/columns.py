"""Plain Python values to Arrow columns.

`pyarrow.array` on a list imports pandas, which costs every command half a second and the runner
half its promise, so columns are built from buffers. `None` is null in every column.
"""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["column", "safe_text", "table_of"]

_CODES: Final = {
    pa.int32(): "i",
    pa.int64(): "q",
    pa.float64(): "d",
    pa.timestamp("us", tz="UTC"): "q",
}


def safe_text(text: str) -> str:
    r"""Return `text` as UTF-8 can hold it: a lone surrogate becomes its escape.

    >>> safe_text("a\ud800b")
    'a\\ud800b'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace").decode()
    return text


def column(values: Sequence[Any], kind: pa.DataType) -> pa.Array[Any]:
    """Return a column of texts, bytes, numbers, times (microseconds) or lists of texts."""
    if kind in _CODES:
        return _numbers(values, kind)
    if pa.types.is_list(kind):
        return _lists(values)
    encoded: Sequence[Any] = values
    if kind == pa.string():
        encoded = [None if text is None else safe_text(text).encode() for text in values]
    return _bytes(encoded, kind)


def table_of(rows: Sequence[Sequence[Any]], schema: pa.Schema) -> pa.Table:
    """Return rows, at least one, as a table; cells are in the order of the schema."""
    columns = [
        column(cells, entry.type)
        for cells, entry in zip(zip(*rows, strict=True), schema, strict=True)
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _numbers(values: Sequence[Any], kind: pa.DataType) -> pa.Array[Any]:
    filled = array(_CODES[kind], [0 if value is None else value for value in values])
    buffers = [_validity(values), pa.py_buffer(filled)]
    return pa.Array.from_buffers(kind, len(values), buffers)


def _bytes(values: Sequence[Any], kind: pa.DataType) -> pa.Array[Any]:
    filled = [b"" if value is None else value for value in values]
    buffers = [_validity(values), _offsets(filled), pa.py_buffer(b"".join(filled))]
    return pa.Array.from_buffers(kind, len(values), buffers)


def _lists(values: Sequence[Any]) -> pa.Array[Any]:
    filled = [() if value is None else value for value in values]
    items = column([item for value in filled for item in value], pa.string())
    return pa.Array.from_buffers(
        pa.list_(pa.string()), len(values), [_validity(values), _offsets(filled)], children=[items]
    )


def _offsets(values: Sequence[Any]) -> pa.Buffer:
    return pa.py_buffer(array("i", accumulate(map(len, values), initial=0)))


def _validity(values: Sequence[Any]) -> pa.Buffer | None:
    absent = [at for at, value in enumerate(values) if value is None]
    if not absent:
        return None
    bits = bytearray(b"\xff" * ((len(values) + 7) // 8))
    for at in absent:
        bits[at >> 3] &= ~(1 << (at & 7)) & 0xFF
    return pa.py_buffer(bytes(bits))
