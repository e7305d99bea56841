"""After a whole review nothing that is saved holds a value of the trace but what has to.

The store has a canary in every field. One review, through all notebooks, feeds all checks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.browser.desks import Hand
from tests.browser.drive import CASE, REDACTION, by_keys, is_written, opened
from tests.browser.jupyter import ROOT
from tests.ui.canaries import Canaries, a_canary_store, files_of, leaks_in, search
from workbench.casefile.draft import load_draft
from workbench.store.handle import open_store

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("WORKBENCH_LONG") != "1", reason="takes minutes: WORKBENCH_LONG=1"
    ),
]

BY_DESIGN = {
    "tool name": "protocol: a call of another tool would be another failure",
    "schema key": "protocol: a call with another property would be another failure",
}
"""What a case, and a page of a redacted draft, may hold, and why."""
REST = f"""
review = {REDACTION}
with review.lock:  # no other list comes meanwhile
    for row in review.rows():
        if row["reaches"] and row["status"] == "open":
            (review.see if row["kind"] == "text" else review.accept)(row["name"])
"""
REVEALED = (
    f"[e.actor for e in desk.session.store.decisions({REDACTION}.subject)"
    " if e.kind == 'redaction.reveal']"
)
LOCAL = "() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"


def saves_widget_state(server, *, on):
    """Set the front end's setting, which people change in a menu."""
    settings = server.log.parent / "settings/@jupyter-widgets/jupyterlab-manager"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "plugin.jupyterlab-settings").write_text(json.dumps({"saveState": on}))


def redacted(lab, folder, run, *, reviewer):
    """Pick, look, state, reveal a value, decide: two by mouse, the rest as a script does."""
    hand = opened(lab, folder, "01_incident_review", reviewer=reviewer, ner="none")
    page = lab.page
    hand.click(page.get_by_role("listbox", name="Runs").get_by_role("option", name=run))
    hand.click(page.get_by_role("button", name="Pick this run"))
    page.get_by_role("tree", name="Events of the run").wait_for()
    hand.click(page.get_by_role("button", name="Next failure"))
    page.locator(".wb-timeline .wb-event").first.wait_for()
    hand.click(page.get_by_role("button", name="Take").first)
    hand.click(page.get_by_role("button", name="State this contract"))
    page.locator(".wb-redaction .wb-hunk").first.wait_for(timeout=120_000)
    reveal_and_accept(lab, hand)
    lab.exec(REST)
    lab.eventually(f"{REDACTION}.is_checking", wanted=False, timeout_s=60)
    hand.click(page.get_by_role("button", name="Write redacted draft"))
    is_written(lab)
    return lab.save()


def reveal_and_accept(lab, hand):
    """Look at the first value that reaches the case, or at those like it; have them replaced."""
    lab.page.get_by_role("listbox", name="Findings").focus()
    alike = lab.page.locator(".wb-member").count()
    hand.press("h")
    lab.eventually(REVEALED, ["Di"] * (alike or 1))
    by_keys(hand)("group" if alike else "value")
    lab.eventually(f"len({REDACTION}.entries)", alike or 1)
    lab.eventually(f"{REDACTION}.is_checking", wanted=False, timeout_s=60)


def exported(lab, folder, *, reviewer):
    """Shrink, export, accept the repaired path, activate."""
    then = opened(lab, folder, "02_shrink_and_export", reviewer=reviewer, ner="none")
    page = lab.page
    then.click(page.get_by_role("button", name="Search"))
    page.get_by_text("✓ Smallest", exact=True).wait_for()
    then.fill(page.get_by_label("Owner"), "billing-agents")
    then.fill(page.get_by_label("Next review"), "2027-02-28")
    then.click(page.get_by_role("button", name="Export"))
    then.click(page.get_by_role("button", name="Accept the repaired path"))
    then.click(page.get_by_role("button", name="Activate"))
    lab.eventually(f"({CASE}.proof() or {{}}).get('state')", "active", timeout_s=30)
    return lab.save()


def decided(lab, folder, *, reviewer):
    """Keep the case in the table of stale ones, half a year later."""
    hand = opened(lab, folder, "03_stale_case_review", reviewer=reviewer, today="2027-05-30")
    lab.exec(
        "row = desk.table.rows()[0]\n"
        "desk.table.decide(row['place'], action='keep', reason='still true', until='2027-08-30')"
    )
    assert isinstance(hand, Hand)
    lab.run_all()
    return lab.save()


def command(folder, *args):
    """Run a command beside the notebooks; return what it said."""
    done = subprocess.run(
        [sys.executable, "-m", *args],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder / "ipython")},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout + done.stderr


@pytest.fixture
def reviewed(lab, server):
    """A review that has come to its end, with what the browser and the commands were told."""
    canaries = Canaries()
    folder = server.folder / "leaks"
    (folder / "cases").mkdir(parents=True)
    (folder / "workbench.toml").write_text('[folders]\nkeys = "keys"\n', "utf-8")
    run = a_canary_store(folder / "store", canaries)
    saves_widget_state(server, on=True)
    with_state = redacted(lab, folder, run, reviewer="Di")
    saves_widget_state(server, on=False)
    without_state = exported(lab, folder, reviewer="Di")
    decided(lab, folder, reviewer="Di")
    assert json.loads(with_state)["metadata"]["widgets"], "the state was not saved"
    assert "widgets" not in json.loads(without_state)["metadata"]
    return folder, canaries, run


def as_pages(folder, run):
    """Write pages of the notebooks and the draft, and have one executed by papermill."""
    notebooks = sorted(file.name for file in folder.glob("*.ipynb"))
    small = next(folder.glob("store/drafts/*.small.json"))
    whole = next(folder.glob("store/drafts/*.redacted.json"))
    given = {"store": "store", "cases": "cases", "run": run, "today": "2026-11-30"}
    flags = [part for key, value in given.items() for part in ("-p", key, value)]
    names = ["01_incident_review"]
    if os.environ.get("WORKBENCH_LONG") == "1":
        names += ["02_shrink_and_export", "03_stale_case_review"]
    said = command(folder, "jupyter", "nbconvert", "--to", "html", *notebooks)
    for draft in (small, whole):
        said += command(folder, "workbench", "report", str(draft), "-o", f"{draft.stem}.html")
    for name in names:
        source = str(ROOT / "notebooks" / f"{name}.ipynb")
        command(folder, "papermill", source, f"done-{name}.ipynb", "-k", "python3", *flags)
    assert len([*folder.glob("*.html")]) == 2 + len(notebooks)
    return said


def test_nothing_that_is_saved_holds_a_value_of_the_trace(reviewed, lab, server):
    """Notebooks, checkpoints, widget state, pages, logs, histories, temporary files."""
    folder, canaries, run = reviewed
    store = folder / "store"
    keeps = [store, folder / "keys", server.log.parent / "keys"]
    said = as_pages(folder, run)
    case = next(folder.glob("cases/*.case.yaml"))
    drafts = files_of(store / "drafts")

    files = files_of(folder, server.log.parent, but=[*keeps, *folder.glob("done-*")])
    leaks = leaks_in(files, canaries)
    leaks += search(lab.page.evaluate(LOCAL).encode(), canaries, where="storage of the browser")
    leaks += search(said, canaries, where="output of the commands")

    assert len(files) > 20
    assert {file.suffix for file in files} >= {".ipynb", ".html", ".yaml", ".log", ".sqlite"}
    assert [*folder.glob(".ipynb_checkpoints/*")]
    redacted_files = {case.name, *(page.name for page in folder.glob("r-*.html"))}
    others = [hit for hit in leaks if hit.where.rpartition("/")[2] not in redacted_files]
    assert others == []
    assert [hit for hit in leaks if hit.place not in BY_DESIGN] == []
    done = [hit.place for hit in leaks_in(folder.glob("done-*"), canaries)]
    assert set(done) <= {"run_id"}, "papermill writes its parameters down, and nothing else"
    assert {hit.place for hit in leaks_in(drafts, canaries)} <= {*BY_DESIGN}
    (small,) = [path for path in drafts if path.name.endswith(".small.json")]
    audited(store, load_draft(small).draft, canaries)


def audited(store, draft, canaries):
    """Who looked at a value, when and at which is in the store; the value is not."""
    with open_store(store, create=False) as opened_store:
        entries = opened_store.decisions(draft)
    (entry,) = [entry for entry in entries if entry.kind == "redaction.reveal"]
    assert (entry.actor, entry.at[:2], [*entry.payload]) == ("Di", "20", ["at"])
    assert search(repr(entry).encode(), canaries) == []
