"""Every notebook runs from top to bottom, and its outputs hold no personal data."""

from __future__ import annotations

import json
import os
from pathlib import Path

import papermill
import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
PERSONAL = ("Helen Carter", "helen.carter", "4471902", "415 555 0132", "58213")
"""What the bundled incident says of its made-up customer."""


@pytest.fixture
def executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The executed quickstart, as the text of its file."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(NOTEBOOKS.parent)]))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    done = tmp_path / "done.ipynb"
    papermill.execute_notebook(
        NOTEBOOKS / "00_quickstart.ipynb",
        done,
        parameters={"workdir": str(tmp_path / "work")},
        kernel_name="python3",
        progress_bar=False,
    )
    return done.read_text("utf-8")


def outputs(notebook: str) -> str:
    """Return all that the cells printed."""
    cells = json.loads(notebook)["cells"]
    return "".join(
        "".join(output.get("text", ()))
        for cell in cells
        if cell["cell_type"] == "code"
        for output in cell["outputs"]
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_quickstart_does_the_whole_job(executed: str, tmp_path: Path):
    """A newcomer who runs all cells ends with a case that tells two agents apart."""
    said = outputs(executed)

    assert "verdict: fail" in said
    assert "134 -> " in said
    assert "[active]" in said
    assert "exit code 1" in said
    assert "exit code 0" in said
    assert len(list((tmp_path / "work" / "cases").rglob("*.case.yaml"))) == 1
    assert [value for value in PERSONAL if value in executed] == []
