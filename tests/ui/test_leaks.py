"""Whatever goes wrong in a review: no error, output, log, summary or trait holds a value of the trace.

Every view hears every message it knows, and some it does not, before and after the store, the
drafts and the case are damaged.
"""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from IPython.core.interactiveshell import InteractiveShell

from tests.ui.canaries import Canaries, a_canary_store, search
from tests.ui.test_bridge import view_classes
from workbench.ui.bridge import View
from workbench.ui.desk import open_desk, open_stale_desk
from workbench.ui.views.picker import PickerView
from workbench.ui.views.redaction import RedactionView
from workbench.ui.views.shrink import ShrinkView
from workbench.ui.views.timeline import TimelineView

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    pytest.mark.desk,
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("WORKBENCH_LONG") != "1", reason="takes minutes: WORKBENCH_LONG=1"
    ),
]

TODAY = "2026-11-30"
SHOWN = ("check", "sum_up", "pick", "look", "state", "redact", "shrink", "export")
BY_DESIGN = {
    ("answers", "run_id"): "a browser that asks for a run is told which one is not there",
    ("answers", "tool name"): "a run that is no accepted path is told apart by its calls' tools",
}
"""What may hold a canary, and why; no writer saves an answer to a browser."""
FIELDS = {"owner": "billing-agents", "review_date": "2027-02-28", "severity": "S2"}
OPENS = """open_desk(store="store", run=run, cases="cases", today="2026-11-30", reviewer="Di", ner="none")"""


@pytest.fixture
def told(monkeypatch):
    """What views tell a browser, kept."""
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(View, "send", lambda _self, content, buffers=None: sent.append(content))
    return sent


@pytest.fixture
def shell():
    """A notebook's shell in its most talkative mode."""
    shell = InteractiveShell.instance()
    shell.run_line_magic("xmode", "Verbose")
    yield shell
    InteractiveShell.clear_instance()


@pytest.fixture
def review(tmp_path, monkeypatch, shell, told):
    """A review of the canary run that has come to its end, with all views that exist."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WORKBENCH_KEYS", raising=False)
    (tmp_path / "workbench.toml").write_text('[folders]\nkeys = "keys"\n', "utf-8")
    (tmp_path / "cases").mkdir()
    canaries = Canaries()
    run = a_canary_store(tmp_path / "store", canaries)
    desk = open_desk(store="store", cases="cases", today=TODAY, reviewer="Di", ner="none")
    pick, look, state, redact, shrink, export = (getattr(desk, name)() for name in SHOWN[2:])
    waiting = state.view
    hear(pick.view, "pick", run_id=run)
    hear(state.view, "state", text="max_calls: {billing.pause: 0}\n", seen=10**6)
    redact.view.review.wait()
    for row in redact.view.review.rows():
        if row["reaches"] and row["kind"] != "text":
            hear(redact.view, "accept", name=row["name"], seen=10**6)
    redact.view.review.write()
    redact.view.review.wait()
    hear(shrink.view, "start")
    shrink.view.review.wait()
    empty = dict.fromkeys(export.view.heard["check"].shapes, "")
    hear(export.view, "export", **(empty | FIELDS), seen=10**6)
    assert [*tmp_path.glob("cases/*.case.yaml")], [m for m in told if m["kind"] == "refused"]
    stale = open_stale_desk(cases="cases", store="store", today="2027-05-30", reviewer="Di")
    steps = (pick, look, state, redact, shrink, export, stale.decide())
    shell.user_ns |= {"desk": desk, "stale": stale, "run": run, "open_desk": open_desk}
    views = [waiting, *(step.view for step in steps)]
    assert {type(view).__name__ for view in views} == {kind.__name__ for kind in view_classes()}
    return views, canaries


def hear(view, kind, **fields):
    """Have a message arrive as from a browser."""
    view._handle_custom_msg({"kind": kind, **fields}, [])


def of_shape(shape, *, text, number):
    """Return a value that a message may carry."""
    if isinstance(shape, frozenset):
        return max(shape)
    if isinstance(shape, list):
        return []
    return {str: text, int: number, float: float(number), bool: True}.get(shape)


def say_everything(view, texts):
    """Send a view each kind of message it hears, with odd fields, and some it does not."""
    for kind, heard in view.heard.items():
        for text, number in zip(texts, (0, 10**9, -1, 2), strict=True):
            shapes = heard.shapes.items()
            hear(view, kind, **{k: of_shape(s, text=text, number=number) for k, s in shapes})
    hear(view, "unknown", text=texts[0])
    view._handle_custom_msg(None, [])


def nothing(_folder):
    """Leave everything as it is."""


def damage_drafts(folder):
    """Cut the drafts in the middle of a text."""
    files = [*folder.glob("store/drafts/*.json")]
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:5_000])


def damage_cases(folder):
    """Cut the case in the middle of a text, and put a folder where the drafts are."""
    (file,) = folder.glob("cases/*.case.yaml")
    file.write_bytes(file.read_bytes()[:4_000])
    for draft in folder.glob("store/drafts/*.json"):
        draft.unlink()
        draft.mkdir()


def delete_store(folder):
    """Take the store away."""
    shutil.rmtree(folder / "store")


def damage_tables(folder):
    """Cut the store's files of rows, and its logs."""
    for file in [*folder.glob("store/**/*.parquet"), *folder.glob("store/**/*.json")]:
        if file.is_file():
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


HARMS: tuple[Callable[[Path], None], ...] = (
    nothing,
    damage_drafts,
    damage_cases,
    damage_tables,
    delete_store,
)
"""One after the other, on one review."""


def test_whatever_goes_wrong_no_value_leaves(review, told, shell, capsys, caplog):
    """An error is an output, and an output is saved, sent and put into a wiki."""
    views, canaries = review
    names = [row["name"] for row in the(views, RedactionView).review.rows()]
    told.clear()
    with caplog.at_level(logging.DEBUG):
        for harm in HARMS:
            harm(Path())
            for view in views:
                say_everything(view, ("", "\ud800{[", names[0], shell.user_ns["run"]))
            for kind in (RedactionView, ShrinkView):
                the(views, kind).review.wait()
            run_cells(shell)

    said = [message for message in told if message["kind"] in ("refused", "broken")]
    out, err = capsys.readouterr()
    texts = {"output": out, "error": err, "log": caplog.text, "answers": str(said)}
    texts |= {type(view).__name__: str(view.get_state()) for view in views}
    assert said
    assert "Error" in out
    hits = hits_in(texts, canaries)
    assert [hit for hit in hits if (hit.where, hit.place) not in BY_DESIGN] == []
    assert [message for message in said if message["kind"] == "broken"] == []
    a_planted_leak_is_found(views, canaries, shell, capsys)


def the(views, kind):
    """Return the view of a kind."""
    return next(view for view in views if isinstance(view, kind))


def run_cells(shell):
    """Run what notebooks run, and show what people would like to see."""
    shell.run_cell(OPENS)
    for name in SHOWN:
        is_step = name not in ("check", "sum_up")
        shell.run_cell(f"desk.{name}(){'.show()' if is_step else ''}")
    shell.run_cell("print(stale.check(), stale.write_record()); stale.decide().show()")
    shell.run_cell("desk.session.picker.incident.run, desk.session.picker.incident, desk")


def hits_in(texts, canaries):
    """Search texts by name."""
    return [
        hit
        for name, text in texts.items()
        for hit in search(text.encode("utf-8", "replace"), canaries, where=name)
    ]


def a_planted_leak_is_found(views, canaries, shell, capsys):
    """A trait, a traceback or a value shown that tells a text is found out, so the test can fail."""
    text = the(views, TimelineView).timeline.incident.run.trace.events[1].text
    shell.user_ns["text"] = text
    the(views, PickerView).tooltip = text
    planted = str(the(views, PickerView).get_state())
    for cell in ("missing(text)", "text"):
        shell.run_cell(cell)
        assert hits_in({"output": capsys.readouterr().out}, canaries), cell
    assert hits_in({"trait": planted}, canaries)
