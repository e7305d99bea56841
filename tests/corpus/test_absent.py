"""Without the corpus nothing is tested in silence."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.corpus.conftest import PROJECT

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
def test_an_absent_corpus_is_said_plainly(tmp_path: Path, ci: str, code: int) -> None:
    """A skip is easily overlooked: it says what is not tested, and in CI it is a failure."""
    test = "tests/corpus/test_ingest_corpus.py::test_files_without_a_trace_are_refused"

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", test],
        cwd=PROJECT,
        env={**os.environ, "WORKBENCH_CORPUS": str(tmp_path), "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == code
    assert "NOT TESTED on real traces: the corpus is absent." in done.stdout
    assert "Fix: set WORKBENCH_CORPUS to a folder" in done.stdout
