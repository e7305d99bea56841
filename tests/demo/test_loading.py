"""The demo incident goes into a store once, and changes nothing of what is there."""

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
        "store has the bundled incident, run-leafbox-2041, now",
        "store has the bundled incident, run-leafbox-2041, already; nothing is added",
    ]


def test_a_run_of_ones_own_stays_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The notebook opens on the incident, also for whoever ingested something before."""
    store = tmp_path / "store"
    a_store(store, TRACE).close()
    before = open_store(store).fetch(TRACE.run_id)

    codes = [main(["--load", str(store)]), main(["--load", str(store)])]

    assert codes == [0, 0]
    assert set(open_store(store).runs().column("run_id").to_pylist()) == {TRACE.run_id, RUN_ID}
    assert open_store(store).fetch(TRACE.run_id) == before
    said = "store has the bundled incident, run-leafbox-2041,"
    assert capsys.readouterr().out.splitlines() == [
        f"{said} now, beside 1 other run",
        f"{said} already, beside 1 other run; nothing is added",
    ]


def test_a_folder_that_is_no_store_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files of somebody's own are never mixed with a store's."""
    (tmp_path / "note.txt").write_text("mine", "utf-8")

    assert main(["--load", str(tmp_path)]) == 4

    assert "Fix:" in capsys.readouterr().err
