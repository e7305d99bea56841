"""Every notebook runs from top to bottom, and its outputs hold no personal data."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import papermill
import pytest

from tests.long import is_long
from tests.ui.canaries import Canaries, a_canary_incident, search
from workbench.demo.loading import load_demo
from workbench.demo.steps import RUN_ID

if TYPE_CHECKING:
    from collections.abc import Callable

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
PERSONAL = ("Helen Carter", "helen.carter", "4471902", "415 555 0132", "58213")
"""What the bundled incident says of its made-up customer."""


def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what kernels write in a folder."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(NOTEBOOKS.parent)]))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("WORKBENCH_KEYS", str(tmp_path / "keys"))


@pytest.fixture
def execute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that executes a notebook and returns the text of its file."""
    environment(tmp_path, monkeypatch)

    def executed(name: str, **parameters: str) -> str:
        done = tmp_path / f"done-{name}.ipynb"
        papermill.execute_notebook(
            NOTEBOOKS / f"{name}.ipynb",
            done,
            parameters=parameters,
            kernel_name="python3",
            progress_bar=False,
            cwd=tmp_path,
        )
        return done.read_text("utf-8")

    return executed


def outputs(notebook: str) -> str:
    """Return all that the cells printed."""
    cells = json.loads(notebook)["cells"]
    return "".join(
        "".join(output.get("text", output.get("data", {}).get("text/plain", ()))) + "\n"
        for cell in cells
        if cell["cell_type"] == "code"
        for output in cell["outputs"]
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_quickstart_does_the_whole_job(execute: Callable[..., str], tmp_path: Path):
    """A newcomer who runs all cells ends with a case that tells two agents apart."""
    executed = execute("00_quickstart", workdir=str(tmp_path / "work"))
    said = outputs(executed)

    assert "verdict: fail" in said
    assert "134 -> " in said
    assert "[active]" in said
    assert "exit code 1" in said
    assert "exit code 0" in said
    assert len(list((tmp_path / "work" / "cases").rglob("*.case.yaml"))) == 1
    assert [value for value in PERSONAL if value in executed] == []


@pytest.mark.slow
@pytest.mark.skipif(not is_long(), reason="the same again over canaries: WORKBENCH_LONG=1")
@pytest.mark.filterwarnings("ignore")
def test_the_quickstart_saves_no_value_of_any_field(tmp_path: Path, monkeypatch):
    """Papermill keeps every output; a trace of one's own has values where the demo has none."""
    canaries = Canaries()
    incident = tmp_path / "incident.json"
    document = a_canary_incident(canaries)
    incident.write_text(json.dumps(document), "utf-8")
    source = tmp_path / "quickstart.ipynb"
    text = json.loads((NOTEBOOKS / "00_quickstart.ipynb").read_text("utf-8"))
    (step,) = [c for c in text["cells"] if "files = bundled_files(workdir)\n" in c["source"]]
    at = step["source"].index("files = bundled_files(workdir)\n") + 1
    step["source"][at:at] = [f"__import__('shutil').copy({str(incident)!r}, files.incident)\n"]
    source.write_text(json.dumps(text), "utf-8")
    given = {"workdir": str(tmp_path / "work"), "run": document["run_id"]}
    environment(tmp_path, monkeypatch)

    papermill.execute_notebook(
        source,
        tmp_path / "done.ipynb",
        parameters=given,
        kernel_name="python3",
        progress_bar=False,
        cwd=tmp_path,
    )

    said = outputs((tmp_path / "done.ipynb").read_text("utf-8"))
    assert "exit code 1" in said
    assert "exit code 0" in said
    hits = search(said.encode(), canaries)
    assert {hit.place for hit in hits} <= {"tool name", "schema key"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_review_runs_before_anything_is_decided(execute: Callable[..., str], tmp_path: Path):
    """Papermill clicks nothing: summaries say what is to be done, and nothing personal is saved."""
    load_demo(tmp_path / "store")
    (tmp_path / "cases").mkdir()
    given = {"store": "store", "cases": "cases", "reviewer": "Ana", "today": "2026-11-30"}

    review = execute("01_incident_review", run=RUN_ID, **given)
    export = execute("02_shrink_and_export", **given)
    stale = execute("03_stale_case_review", **given)

    assert "134 events in 78 rows; 2 of 26 calls did not end ok" in outputs(review)
    assert "no contract is stated yet" in outputs(review)
    assert "redaction: No contract is stated yet." in outputs(review)
    assert "No run is picked yet; 1 run is in the store." in outputs(export)
    assert "case: No run is picked yet." in outputs(export)
    assert "0 of 0 cases to decide" in outputs(stale)
    assert [value for value in PERSONAL if value in review + export + stale] == []
