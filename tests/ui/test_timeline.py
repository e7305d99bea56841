"""The timeline's rules, without a browser."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.review.runs import an_incident
from tests.ui.stores import a_store
from workbench.errors import InputError
from workbench.model.event import Outcome
from workbench.model.ledger import LedgerEntry
from workbench.model.trace import Trace, Versions
from workbench.review import open_draft
from workbench.ui.controllers.picker import Picker
from workbench.ui.controllers.timeline import CHUNK, FIRST, Timeline
from workbench.ui.views.timeline import TimelineView

EMAIL = "ada.lovelace@mail.example.org"


@pytest.fixture
def store(tmp_path):
    """The incident, the same run as it went well with another prompt, and a twin."""
    bad = replace(an_incident("bad"), versions=Versions(prompt="v43"))
    good = a_trace(
        a_user("I am Ada Lovelace. Pause my plan, please."),
        a_call("crm.lookup", args={"email": EMAIL}, result={"account_id": "ACC-4471902 "}),
        a_call("billing.get", args={"id": "op_1"}, result={"status": "pending"}),
        a_claim("Not yet."),
        run_id="good",
    )
    return a_store(
        tmp_path / "store", bad, replace(good, versions=Versions(prompt="v42")), an_incident("twin")
    )


@pytest.fixture
def timeline(store):
    """The timeline of the incident."""
    return Timeline(open_draft("bad", store=store, reviewer="Ada"))


def rows(timeline, side="this"):
    """Return all rows."""
    return [row for chunk in timeline.rows(side) for row in chunk]


def test_the_head_and_the_rows_agree(timeline):
    """The browser knows from the head when all rows are there."""
    head = timeline.head()

    assert head["rows"] == len(rows(timeline))
    assert (head["run_id"], head["events"], head["timed"]) == ("bad", 16, False)
    assert [row["seq"] for row in rows(timeline) if row["bad"]] == [6, 9]


def test_long_traces_come_in_chunks(store):
    """The first chunk is drawn while the others are on their way."""
    trace = a_trace(*[a_user(f"message {nth}") for nth in range(FIRST + CHUNK + 1)], run_id="long")
    incident = open_draft("twin", store=store, reviewer="Ada")
    incident.run = replace(incident.run, trace=trace)

    assert [len(chunk) for chunk in Timeline(incident).rows()] == [FIRST, CHUNK, 1]
    incident.run = replace(incident.run, trace=Trace(run_id="empty"))
    assert list(Timeline(incident).rows()) == [[]]


def test_a_row_is_selected_with_all_its_events(timeline):
    """Both ways: the kernel knows what a person looks at."""
    detail = timeline.select(6)

    assert [event["kind"] for event in detail["events"]] == ["tool_call", "tool_result"]
    assert timeline.selected == timeline.head()["selected"] == 6
    with pytest.raises(InputError, match="no row starts at event 7"):
        timeline.select(7)
    with pytest.raises(InputError, match="no row"):
        timeline.select(0, "other")


def test_a_trigger_is_marked_and_kept(timeline, store):
    """The next kernel sees the mark, in the row and in the detail."""
    timeline.mark_trigger(6)
    timeline.mark_trigger(1)

    again = Timeline(open_draft("bad", store=store, reviewer="Grace"))
    assert again.incident is not None
    assert again.incident.trigger == ("#6.args", "#1.text")
    assert [row["seq"] for row in rows(again) if row["trigger"]] == [1, 6]
    assert again.select(6)["is_trigger"] is True
    timeline.mark_trigger(6)
    assert timeline.select(6)["is_trigger"] is False


def test_masks_take_every_value_off_the_screen_but_not_the_structure(timeline):
    """A meeting may be shared with people who must not see personal data."""
    assert EMAIL in str(rows(timeline))
    timeline.masks = True

    said = str([*rows(timeline), timeline.select(6), timeline.search_long("ada")])

    assert EMAIL not in said
    assert "Lovelace" not in said
    assert "ACC-4471902" not in said
    assert "billing.pause" in said
    assert "text(0)" not in said, "a reply without words has nothing to hide"


def test_a_text_beyond_what_the_browser_has_is_found_here(store):
    """A match at character 9,000 of a result is still a match."""
    trace = a_trace(a_user(), a_call("a", result={"page": "x" * 9_000 + "Needle"}), run_id="t")
    incident = open_draft("twin", store=store, reviewer="Ada")
    incident.run = replace(incident.run, trace=trace)
    timeline = Timeline(incident)

    assert [row["seq"] for row in rows(timeline) if row["long"]] == [2]
    assert timeline.search_long("needle") == [2]
    assert timeline.search_long("") == []


def test_values_that_redaction_replaces_are_marked(timeline):
    """In the row, in its details and in the summary; what stays is no replacement."""
    told = []
    timeline.watch(lambda: told.append(len(timeline.ledger)))
    entries = (
        LedgerEntry(
            at=("#6.args.email", "#7.result.to", "versions.prompt"),
            type="EMAIL",
            pseudonym="a@mail-01.example",
            decision="rule",
        ),
        LedgerEntry(at=("#1.text",), type="PERSON", decision="retained"),
    )
    timeline.mark_replaced(entries)
    timeline.mark_replaced(entries)

    said = str(timeline.select(6))

    assert told == [2]
    assert "{'type': 'EMAIL', 'decision': 'rule', 'by': ''}" in said
    assert {row["seq"]: row["replaced"] for row in rows(timeline) if row["replaced"]} == {6: 2}
    assert "3 places replaced" in timeline.summary()
    timeline.show(timeline.incident)
    assert timeline.ledger == ()


def test_marks_that_come_late_reach_an_open_view(timeline):
    """Redaction is decided below the timeline, while somebody looks at a row of it."""
    view = TimelineView(timeline)
    told: list[dict[str, Any]] = []
    view.send = told.append
    timeline.select(6)
    entry = LedgerEntry(at=("#6.args",), type="EMAIL", pseudonym="x", decision="rule")

    timeline.mark_replaced((entry,))

    assert [message["kind"] for message in told] == ["head", "rows", "detail"]
    assert [row["replaced"] for row in told[1]["rows"] if row["seq"] == 6] == [1]


def test_two_runs_part_at_one_event_with_what_follows_marked(timeline):
    """`prompt v42 -> v43: ...`, not two walls of text."""
    assert timeline.divergence() is None

    timeline.compare_with("good")

    found = timeline.divergence()
    assert found["parts"] is True
    assert found["versions"] == [{"what": "prompt", "first": "v42", "second": "v43"}]
    assert found["sentence"].startswith("prompt v42 -> v43: first ")
    assert set(found["after_second"]) == set(range(found["second"] + 1, 16))
    assert timeline.head("other")["run_id"] == "good"
    assert f"they part at event {found['second']}" in timeline.summary()
    assert timeline.select(0, "other")["side"] == "other"
    assert timeline.selected is None


def test_runs_that_do_the_same_do_not_part(timeline, store):
    """And a run that ended before is said to go on."""
    timeline.compare_with("twin")
    assert timeline.divergence() == {"parts": False, "other": "twin"}
    assert "they do not part" in timeline.summary()

    shorter = open_draft("twin", store=store, reviewer="Ada")
    events = shorter.run.trace.events[:5]
    shorter.run = replace(shorter.run, trace=replace(shorter.run.trace, events=events))
    ended = Timeline(shorter)
    ended.compare_with("bad")
    assert "this run ends where the other goes on" in ended.summary()


def test_the_summary_holds_no_value_of_the_trace(timeline):
    """It is an output, so it is saved."""
    assert Timeline().summary() == "No run is shown yet: pick one above."
    said = timeline.summary()

    assert "16 events in 12 rows; 2 of 4 calls did not end ok; no calls ran at once" in said
    assert "no times recorded" in said
    assert "bad" not in said


def test_without_a_run_nothing_is_done():
    """The cell runs before anything is picked."""
    for act in (lambda t: t.mark_trigger(1), lambda t: t.compare_with("x")):
        with pytest.raises(InputError, match=r"no r(un|ow)"):
            act(Timeline())


def test_the_view_follows_the_pick_and_answers(store):
    """The whole conversation, without a browser."""
    picker = Picker(store, reviewer="Ada")
    view, said = TimelineView(Timeline().follow(picker)), []
    view.send = lambda content, buffers=None: said.append(content)

    for message in (
        {"kind": "ready"},
        {"kind": "select", "seq": 6, "side": "this"},
    ):
        view._handle_custom_msg(message, [])
    assert [message["kind"] for message in said] == ["nothing", "refused"]
    picker.pick("bad")
    for message in (
        {"kind": "select", "seq": 6, "side": "this"},
        {"kind": "search", "text": "lovelace"},
        {"kind": "mask", "on": True},
        {"kind": "trigger", "seq": 6},
        {"kind": "compare", "run_id": "good"},
        {"kind": "compare", "run_id": "nobody"},
        {"kind": "select", "seq": 6, "side": "neither"},
    ):
        view._handle_custom_msg(message, [])
    view.go(3)

    assert [message["kind"] for message in said[2:]] == [
        *("head", "rows", "detail", "found", "head", "rows", "detail"),
        *("head", "rows", "detail"),
        *("head", "rows", "head", "rows", "detail", "refused", "go"),
    ]
    assert view.ignored == 1
    assert Outcome.UNKNOWN.value in str(said)
