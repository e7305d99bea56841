"""Columns from buffers are what pyarrow makes of lists."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from workbench.store.columns import column, safe_text, table_of

_VALUES = {
    pa.string(): st.text(st.characters(exclude_categories=["Cs"])),
    pa.binary(): st.binary(),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float64(): st.floats(allow_nan=False),
    pa.list_(pa.string()): st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=3),
}


@pytest.mark.parametrize("kind", _VALUES, ids=str)
@given(data=st.data())
@settings(max_examples=30)
def test_a_column_is_what_pyarrow_would_have_made(kind: pa.DataType, data: st.DataObject) -> None:
    """Our own builder exists only because pyarrow's imports pandas."""
    values = data.draw(st.lists(st.none() | _VALUES[kind], max_size=20))

    built = column(values, kind)

    built.validate(full=True)
    assert built.equals(pa.array(values, kind))


def test_a_lone_surrogate_is_written_as_its_escape() -> None:
    """JSON can say one and UTF-8 cannot; a row must not be refused for it."""
    built = column(["a\ud800", None], pa.string())

    assert built.to_pylist() == ["a\\ud800", None]
    assert safe_text("plain") == "plain"


def test_rows_become_a_table_of_the_schema() -> None:
    """Cells are taken in the order of the schema."""
    fields: list[tuple[str, pa.DataType]] = [
        ("name", pa.string()),
        ("at", pa.timestamp("us", tz="UTC")),
    ]
    schema = pa.schema(fields)

    table = table_of([("a", 1), (None, None)], schema)

    assert table.schema == schema
    assert table.column("at").cast(pa.int64()).to_pylist() == [1, None]
