"""What the shrink's view hears and tells while a search is under way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.ui.review_builders import MAIL, a_shrink
from workbench.ui.bridge import SYNCED
from workbench.ui.views.shrink import ShrinkView

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk


def opened(folder: Path) -> tuple[ShrinkView, list[dict[str, Any]]]:
    """Return a view, and what it tells."""
    view = ShrinkView(a_shrink(folder))
    told: list[dict[str, Any]] = []
    view.send = told.append
    return view, told


def say(view: ShrinkView, kind: str, **fields: object) -> None:
    """Say something as a browser does that is up to date."""
    if kind in view.heard and "seen" in view.heard[kind].shapes:
        fields["seen"] = view.review.seen
    view._receive(view, {"kind": kind, **fields}, [])
    view.review.wait()


def test_the_whole_curve_arrives_whatever_is_left_out_on_the_way(tmp_path: Path) -> None:
    """Messages are spaced in time; what they carry adds up."""
    view, told = opened(tmp_path)
    say(view, "ready")
    say(view, "start")

    steps: list[object] = []
    for message in told:
        if message["kind"] == "progress":
            steps = [*steps[: message["since"]], *message["steps"]]
    assert steps == view.review.curve()
    assert told[0]["kind"] == "events"
    assert told[-1]["state"]["phase"] == "done"


def test_locks_are_set_and_taken_back(tmp_path: Path) -> None:
    """With the name of whoever is named."""
    view, told = opened(tmp_path)
    say(view, "reviewer", by="Bo")
    say(view, "keep", seq=2)
    assert told[-1]["state"]["by"] == {"#2": "Bo"}

    say(view, "free", seq=2)
    say(view, "sync")
    say(view, "stop")

    assert told[-1]["state"]["locks"] == []
    assert view.ignored == 0


def test_a_search_begun_anew_replaces_the_curve(tmp_path: Path) -> None:
    """The old one had other locks."""
    view, told = opened(tmp_path)
    say(view, "start")
    say(view, "keep", seq=2)
    told.clear()

    say(view, "start")

    assert told[0]["since"] == 0
    assert told[-1]["state"]["phase"] == "done"


def test_nothing_of_the_trace_is_synced_or_printed(tmp_path: Path) -> None:
    """What is synced or printed is written to notebook files."""
    view, told = opened(tmp_path)
    say(view, "ready")

    assert set(view.keys) <= SYNCED
    assert MAIL not in json.dumps(view.get_state(), default=str) + json.dumps(told)
    assert repr(view) == "ShrinkView"
    assert "shrink of d-" in view.summary()


def test_a_place_that_is_none_is_refused(tmp_path: Path) -> None:
    """The browser hears why."""
    view, told = opened(tmp_path)

    say(view, "keep", seq=12_345)
    say(view, "keep", seq=True)

    assert "is no event of the trace" in told[-1]["message"]
    assert view.ignored == 1
