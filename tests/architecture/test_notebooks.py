"""Notebooks are guided reviews: small cells that call the package, and no output."""

from __future__ import annotations

import ast
import json

import pytest

from tests.architecture.tree import ROOT

NOTEBOOKS = {
    path.name: json.loads(path.read_text("utf-8"))
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
}

every_notebook = pytest.mark.parametrize("name", list(NOTEBOOKS))


def code_cells(name):
    """Return the code cells of a notebook."""
    return [cell for cell in NOTEBOOKS[name]["cells"] if cell["cell_type"] == "code"]


def test_there_is_a_notebook_for_a_newcomer():
    """The other tests here are empty without notebooks."""
    assert "00_quickstart.ipynb" in NOTEBOOKS


@every_notebook
def test_no_output_is_committed(name):
    """An output may hold personal data of a trace; so may a saved widget."""
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in code_cells(name))
    assert "widgets" not in NOTEBOOKS[name]["metadata"]


@every_notebook
def test_a_notebook_names_its_kernel_and_nothing_of_a_machine(name):
    """Without a kernel name JupyterLab asks before it opens."""
    metadata = NOTEBOOKS[name]["metadata"]

    assert metadata["kernelspec"]["name"] == "python3"
    assert set(metadata) <= {"kernelspec", "language_info"}


@every_notebook
def test_cells_are_small_and_hold_no_logic(name):
    """Logic in a cell is tested by nobody and cannot be imported."""
    for cell in code_cells(name):
        source = "".join(cell["source"])
        logic = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.While, ast.If, ast.Try)
        assert len(source.splitlines()) <= 10
        assert not any(isinstance(node, logic) for node in ast.walk(ast.parse(source)))


@every_notebook
def test_a_notebook_starts_with_its_title_and_has_one_cell_of_parameters(name):
    """Papermill writes into the cell with that tag."""
    first = NOTEBOOKS[name]["cells"][0]
    tagged = [cell for cell in code_cells(name) if "parameters" in cell["metadata"].get("tags", [])]

    assert first["cell_type"] == "markdown"
    assert "".join(first["source"]).startswith("# ")
    assert len(tagged) == 1
