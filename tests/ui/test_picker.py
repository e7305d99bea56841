"""Which run is reviewed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import timed_trace
from tests.review.runs import an_incident
from tests.ui.stores import a_store
from workbench.errors import InputError
from workbench.model.trace import Grade, Loss, Losses, RunStatus
from workbench.store.listing import Query
from workbench.ui.controllers.picker import PAGE, Picker
from workbench.ui.views.picker import PickerView


@pytest.fixture
def store(tmp_path):
    """Sixty runs, one of which failed."""
    traces = [replace(an_incident(f"run-{nth:03}"), status=RunStatus.OK) for nth in range(59)]
    failed = replace(timed_trace(an_incident("bad-1")), status=RunStatus.FAILED, tags=("vip",))
    return a_store(tmp_path / "store", *traces, failed)


@pytest.fixture
def picker(store):
    """A list of them."""
    return Picker(store, reviewer="Ada", clock=lambda: 1_800_000_000.0)


def ids(picker):
    """Return the ids on the page."""
    return [row["run_id"] for row in picker.page()["rows"]]


def test_a_page_says_which_part_of_how_many_it_is(picker):
    """`N of M`, always."""
    page = picker.page()

    assert len(page["rows"]) == PAGE
    assert (page["offset"], page["found"], page["total"]) == (0, 60, 60)
    assert page["rows"][0]["run_id"] == "bad-1"
    assert page["rows"][0]["tags"] == ["vip"]
    assert page["rows"][0]["n_events"] == 16


def test_pages_turn_and_stop_at_the_ends(picker):
    """Any offset means the page that holds it."""
    picker.turn_to(PAGE + 3)
    assert (picker.offset, len(ids(picker))) == (PAGE, 10)
    picker.turn_to(10_000)
    assert picker.offset == PAGE
    picker.turn_to(-5)
    assert picker.offset == 0


def test_a_filter_begins_at_its_first_page(picker):
    """A page of the list before would be empty."""
    picker.turn_to(PAGE)

    picker.find(Query(status="failed"))

    assert (picker.offset, ids(picker)) == (0, ["bad-1"])
    picker.find(Query(), inside="raw of run-007")
    assert ids(picker) == ["run-007"]
    picker.find(Query(text="nobody"))
    picker.turn_to(0)
    assert picker.page()["found"] == 0


def test_a_pick_is_there_for_the_next_kernel_and_for_its_reviewer_alone(store, picker):
    """A restarted kernel shows the run that was under review."""
    assert "No run is picked yet; 60 runs" in picker.summary()

    picker.pick("run-007")

    again = Picker(store, reviewer="Ada")
    assert again.incident is not None
    assert again.incident.run.trace.run_id == "run-007"
    assert again.page()["picked"] == "run-007"
    assert Picker(store, reviewer="Grace").incident is None
    assert Picker(store, reviewer="Grace", run="bad-1").page()["picked"] == "bad-1"


def test_the_summary_holds_no_value_of_the_trace(picker):
    """It is an output, so it is saved."""
    picker.pick("bad-1")

    assert "bad-1" not in picker.summary()
    assert picker.summary().endswith("failed, 16 events, replayable; 1 of 60 runs.")


def test_what_can_never_become_a_case_is_said_at_the_pick(tmp_path):
    """Nobody should redact for an hour a run that `export` refuses."""
    lost = Losses(
        items=(
            Loss(kind="results_lost", caps=Grade.SKELETON, count=3, fix="record tool results"),
            Loss(kind="ids_made_up", caps=Grade.REPLAYABLE),
        )
    )
    store = a_store(tmp_path / "store", an_incident("bare"), losses=lost)
    picker = Picker(store, reviewer="Ada")
    assert picker.lost() is None

    picker.pick("bare")

    said = picker.lost()
    assert said is not None
    assert (said["grade"], said["can_be_exported"]) == ("skeleton", False)
    assert "never exported" in str(said["means"])
    assert said["losses"] == [
        ["results_lost x3  [at best skeleton]", "Fix: record tool results"],
    ]
    assert "skeleton and can never be exported; 1 of 1 run." in picker.summary()


def test_what_needs_a_hand_is_said_and_what_needs_none_is_not(tmp_path, picker):
    """Gaps are filled by a person; a run without losses has nothing to say."""
    lost = Losses(items=(Loss(kind="result_missing", caps=Grade.NEEDS_FIXTURES),))
    gappy = Picker(a_store(tmp_path / "gaps", an_incident("gappy"), losses=lost), reviewer="Ada")
    gappy.pick("gappy")
    picker.pick("bad-1")

    said = gappy.lost()
    assert said is not None
    assert said["can_be_exported"]
    assert "needs_fixtures; 1 of 1 run." in gappy.summary()
    assert picker.lost() is None


def test_whoever_watches_is_given_the_run_now_and_later(picker):
    """The timeline follows the pick."""
    early, late = [], []
    picker.watch(lambda incident: early.append(incident.run.trace.run_id))
    picker.pick("run-001")
    picker.watch(lambda incident: late.append(incident.run.trace.run_id))
    picker.pick("run-002")

    assert early == ["run-001", "run-002"]
    assert late == ["run-001", "run-002"]


def test_a_run_that_is_not_there_cannot_be_picked(picker):
    """And the pick before stays."""
    picker.pick("run-001")

    with pytest.raises(InputError):
        picker.pick("nobody")
    assert picker.page()["picked"] == "run-001"


def test_new_runs_are_seen_after_a_reload(store, picker, tmp_path):
    """Ingest goes on while people talk."""
    a_store(tmp_path / "store", an_incident("fresh"))

    picker.reload()

    assert picker.page()["total"] == 61


def test_the_view_hears_and_tells(picker):
    """The whole conversation, without a browser."""
    view, said = PickerView(picker), []
    view.send = lambda content, buffers=None: said.append(content)
    view._handle_custom_msg({"kind": "ready"}, [])
    query = {"text": "", "status": "failed", "grade": "", "inside": "", "sort": "start"}
    view._handle_custom_msg({"kind": "find", "descending": True, **query}, [])
    view._handle_custom_msg({"kind": "find", "descending": True, **query, "sort": "raw"}, [])
    view._handle_custom_msg({"kind": "turn", "offset": 3}, [])
    view._handle_custom_msg({"kind": "pick", "run_id": "bad-1"}, [])
    view._handle_custom_msg({"kind": "pick", "run_id": "nobody"}, [])
    view._handle_custom_msg({"kind": "reload"}, [])

    kinds = [message["kind"] for message in said]
    assert kinds == [
        *("choices", "page", "lost", "page", "page"),
        *("picked", "lost", "refused", "choices", "page", "lost"),
    ]
    assert said[0]["status"] == {"failed": 1, "ok": 59}
    assert view.ignored == 1


def test_a_pick_is_kept_before_anything_shows_it(store, picker):
    """A step that cannot be drawn must not cost the decision."""

    def fail(_incident):
        message = "a view"
        raise ValueError(message)

    picker.watch(fail)

    with pytest.raises(ValueError, match="a view"):
        picker.pick("run-007")

    assert Picker(store, reviewer="Ada").incident is not None
