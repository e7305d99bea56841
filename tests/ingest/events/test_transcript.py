"""How arguments that a source keeps as a structure are written."""

from __future__ import annotations

import json

from hypothesis import given, strategies as st

from workbench.ingest.events.transcript import compact

_SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False)
_VALUES = st.dictionaries(st.text(), st.text() | _SCALARS) | st.lists(st.text() | _SCALARS)


@given(_VALUES | st.dictionaries(st.text(), st.text()))
def test_compact_text_is_that_of_the_standard_library(value):
    """The quicker writer is asked only for what both write alike, whatever the texts hold."""
    assert compact(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
