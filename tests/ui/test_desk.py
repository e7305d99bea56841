"""What the notebooks call: every step as a cell shows it, at the edge of names, clocks and folders."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

import pytest
from IPython.core.interactiveshell import InteractiveShell

from tests.review.stale_cases import PROVEN, put
from tests.ui.review_builders import TRACE
from tests.ui.stores import a_store
from workbench.errors import InputError
from workbench.ui.desk import StaleDesk, open_desk, open_stale_desk
from workbench.ui.views.contract import ContractView
from workbench.ui.views.export import CaseView
from workbench.ui.views.redaction import RedactionView
from workbench.ui.views.shrink import ShrinkView
from workbench.ui.views.waiting import WaitingView

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.desk

TODAY = "2026-11-30"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings and a store, as the notebook's own folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WORKBENCH_KEYS", raising=False)
    (tmp_path / "workbench.toml").write_text('[folders]\nkeys = "keys"\n', "utf-8")
    (tmp_path / "cases").mkdir()
    a_store(tmp_path / "store", TRACE).close()
    return tmp_path


@pytest.fixture
def shell() -> Iterator[None]:
    """A notebook's shell, which keeps what is displayed to write it again."""
    InteractiveShell.instance()
    yield
    InteractiveShell.clear_instance()


def hear(view, **content):
    """Have a message arrive as from a browser."""
    view._handle_custom_msg(content, [])


def test_a_review_goes_from_view_to_view(here: Path) -> None:
    """One Run All, then only clicks: the views take one another's place."""
    desk = open_desk(store="store", cases="cases", today=TODAY, reviewer="Ana", ner="none")
    steps = [desk.state(), desk.redact(), desk.shrink(), desk.export()]
    assert all(isinstance(step.view, WaitingView) for step in steps)

    hear(desk.pick().view, kind="pick", run_id=TRACE.run_id)
    state, redact, shrink, export = steps
    assert isinstance(state.view, ContractView)
    state.view.form.state("max_calls: {billing.pause: 0}\n")
    assert isinstance(redact.view, RedactionView)
    redact.view.review.write()
    redact.view.review.wait()
    assert isinstance(shrink.view, ShrinkView)
    shrink.view.review.start()
    shrink.view.review.wait()

    assert isinstance(export.view, CaseView)
    assert "events in" in desk.look().summary()
    assert (here / "keys").is_dir()


def test_a_waiting_step_looks_again(here: Path) -> None:
    """What another notebook did is seen at a click."""
    desk = open_desk(
        store="store", run=TRACE.run_id, cases="cases", today=TODAY, reviewer="Ana", ner="none"
    )
    redact = desk.redact()
    waiting = redact.view
    assert isinstance(waiting, WaitingView)
    sent: list[str] = []
    waiting.send = lambda content, buffers=None: sent.append(content["title"])
    hear(waiting, kind="ready")
    form = desk.state().view
    assert isinstance(form, ContractView)
    form.form.keep("max_calls: {}\n")

    hear(waiting, kind="again")

    assert sent == ["No contract is stated yet."] * 2
    assert redact.view is waiting


@pytest.mark.usefixtures("shell")
def test_lines_below_cells_say_what_was_decided(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A notebook that is opened without a kernel shows them; they are written again at each click."""
    desk = open_desk(store="store", cases="cases", today=TODAY, reviewer="Ana", ner="none")
    pick = desk.pick()
    pick.show()
    desk.sum_up()
    assert repr(pick.line) == "No run is picked yet; 1 run is in the store."

    hear(pick.view, kind="pick", run_id=TRACE.run_id)

    assert repr(pick.line).startswith("Picked: review r-")
    assert repr(desk._lines[-1]).splitlines()[2] == "contract: no contract is stated yet"
    assert TRACE.run_id not in capsys.readouterr().out


def test_the_desk_says_what_is_in_the_store(here: Path) -> None:
    """The store check of a notebook; a store that was tampered with is named as such."""
    desk = open_desk(store="store", cases="cases", today=TODAY, reviewer="Ana")
    assert desk.check() == "store store: 1 run; sound\nreviewer: Ana"

    for file in here.glob("store/traces/record=run/**/*.parquet"):
        file.write_bytes(b"")

    assert "NOT SOUND: see `workbench store verify --store store`" in desk.check()


def test_a_missing_store_is_a_clear_error(here: Path) -> None:
    """A fresh clone has none: the message says what to do."""
    with pytest.raises(InputError, match=r"absent[\s\S]*Fix:"):
        open_desk(store="absent", cases="cases", reviewer="Ana")


def test_what_is_left_open_is_the_clock_s_day_and_the_login(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two parameters that nobody wants to fill in."""
    monkeypatch.setattr(getpass, "getuser", lambda: "ana")
    desk = open_stale_desk(cases="cases", clock=lambda: 1_796_000_000.0)

    assert desk.table.reviewer == "ana"
    assert "# Stale cases, 2026-11-30" in desk.write_record()


def test_a_machine_without_a_login_name_asks_for_one(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container may run under a number."""

    def nobody() -> str:
        raise OSError

    monkeypatch.setattr(getpass, "getuser", nobody)

    with pytest.raises(InputError, match=r"reviewer is None[\s\S]*write your name"):
        open_desk(store="store", cases="cases")


def test_a_day_that_is_none_is_refused(here: Path) -> None:
    """A date is compared as text, so it has to be one."""
    with pytest.raises(InputError, match="today is no day"):
        open_stale_desk(cases="cases", today="soon", reviewer="Ana")


def test_a_missing_folder_of_cases_is_a_clear_error(here: Path) -> None:
    """A typing error must not look like a quarter without stale cases."""
    with pytest.raises(InputError, match="case files"):
        open_stale_desk(cases="casse", today=TODAY, reviewer="Ana")


def a_late_desk(here: Path) -> StaleDesk:
    """Return the desk of a meeting about one case that is late."""
    put(here / "cases", "late", PROVEN, review_date='"2026-11-01"')
    return open_stale_desk(cases="cases", store="store", today=TODAY, reviewer="Ana")


def test_tools_that_changed_since_are_shown_where_the_meeting_decides(here: Path) -> None:
    """A case about tools as they were guards nothing; `due --tools` says the same in a terminal."""
    put(here / "cases", "late", PROVEN)
    (here / "tools.json").write_text('{"tools": [{"name": "customer.lookup"}]}', "utf-8")

    desk = open_stale_desk(cases="cases", tools="tools.json", today=TODAY, reviewer="Ana")

    assert desk.check().endswith("\ncompared with 1 tool of today")
    (row,) = desk.table.rows()
    assert isinstance(row, dict)
    assert isinstance(row["signs"], list)
    kinds = {sign["kind"] for sign in row["signs"] if isinstance(sign, dict)}
    assert "tool_gone" in kinds


def test_an_absent_file_of_tools_is_a_clear_error(here: Path) -> None:
    """A typing error must not look like tools that nobody changed."""
    with pytest.raises(InputError, match=r"gone\.json[\s\S]*is not there[\s\S]*tools = None"):
        open_stale_desk(cases="cases", tools="gone.json", today=TODAY, reviewer="Ana")


def test_a_meeting_leaves_a_record_beside_the_cases(here: Path) -> None:
    """It goes into the same pull request; notes that people add below it stay."""
    desk = a_late_desk(here)
    file = here / "cases" / "reviews" / f"{TODAY}.md"
    assert desk.check().startswith("1 of 1 case to decide")
    assert "no record is written" in desk.write_record()
    assert not file.exists()
    place = str(desk.table.rows()[0]["place"])  # type: ignore[call-overload,index]
    assert desk.check() == f"{desk.decide().summary()}\ntools were not compared: none are named"
    desk.table.decide(place, action="keep", reason="guards the retry", until="2027-06-01")

    assert "Written to" in desk.write_record()
    file.write_text(f"{file.read_text('utf-8')}\nRead out by Bo.\n", "utf-8")
    desk.write_record()
    file.write_text(file.read_text("utf-8").replace("<!--", "(").replace("-->", ")"), "utf-8")
    desk.write_record()

    record = file.read_text("utf-8")
    assert "guards the retry" in record
    assert record.count("Read out by Bo.") == 1
