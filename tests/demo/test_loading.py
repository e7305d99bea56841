"""The demo incident goes into an empty store once, and into nobody else's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ui.review_builders import TRACE
from tests.ui.stores import a_store
from workbench.demo.__main__ import main
from workbench.demo.steps import RUN_ID
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk


def test_the_incident_is_loaded_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`make lab` is typed every day."""
    store = tmp_path / "store"

    codes = [main(["--load", str(store)]), main(["--load", str(store)])]

    assert codes == [0, 0]
    assert open_store(store).runs().column("run_id").to_pylist() == [RUN_ID]
    assert capsys.readouterr().out.splitlines() == [
        "store has the bundled incident now",
        "store has 1 run already; nothing is added",
    ]


def test_a_store_with_runs_is_left_as_it_is(tmp_path: Path) -> None:
    """A run cannot be taken back out of a store."""
    a_store(tmp_path / "store", TRACE).close()

    assert main(["--load", str(tmp_path / "store")]) == 0

    assert open_store(tmp_path / "store").runs().column("run_id").to_pylist() == [TRACE.run_id]


def test_a_folder_that_is_no_store_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files of somebody's own are never mixed with a store's."""
    (tmp_path / "note.txt").write_text("mine", "utf-8")

    assert main(["--load", str(tmp_path)]) == 4

    assert "Fix:" in capsys.readouterr().err
