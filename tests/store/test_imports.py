"""Using the store loads no pandas: it costs half a second, and several calls load it unasked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPT = """
import sys
from tests.store.runs import a_run, a_source
from workbench.store import TrialResult, open_store, plain_rows
store = open_store(sys.argv[1])
store.append([a_run("a", at="2026-05-31T08:00:00Z"), a_run("b", raw=b"\\xff")], source=a_source())
store.append([a_run("a", raw=b"later")], source=a_source("two"))
store.fetch("a")
store.imported("b")
store.losses("a")
store.runs(failed=True, since="2026-01-01", tag="x", search="raw")
plain_rows(store.runs())
store.search("x")
store.decide("d", at="2026-05-31", actor="ann", kind="retain")
store.decisions("d")
store.record([TrialResult(case_id="c", case_digest="d", verdict="pass", duration_ms=1.0)])
store.results("c")
assert store.verify(deep=True, head=store.head()).ok
print(sorted({"pandas", "pyarrow.dataset", "pyarrow.json", "IPython"} & set(sys.modules)))
"""


@pytest.mark.slow
def test_no_call_of_the_store_loads_pandas(tmp_path: Path) -> None:
    """Nor the parts of pyarrow that are slow to load or crash on deep JSON."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _SCRIPT, str(tmp_path / "store")],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )

    assert done.stderr == ""
    assert done.stdout == "[]\n"
