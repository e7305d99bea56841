"""What the redaction's view hears and tells; raw values only when somebody holds the key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.ui.review_builders import BOOKING, MAIL, TRACE, a_redaction
from workbench.ui.bridge import SYNCED
from workbench.ui.views.redaction import RedactionView

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.trace import Trace

pytestmark = pytest.mark.desk


def opened(folder: Path, trace: Trace = TRACE) -> tuple[RedactionView, list[dict[str, Any]]]:
    """Return a view that has looked, and what it tells from now on."""
    review = a_redaction(folder, trace)
    review.wait()
    view = RedactionView(review)
    told: list[dict[str, Any]] = []
    view.send = told.append
    return view, told


def say(view: RedactionView, kind: str, **fields: object) -> None:
    """Say something as a browser does that is up to date."""
    if kind in view.heard and "seen" in view.heard[kind].shapes:
        fields["seen"] = view.review.seen
    view._receive(view, {"kind": kind, **fields}, [])
    view.review.wait()


def name_of(told: list[dict[str, Any]], kind: str) -> str:
    """Return the name of a finding in the last list that was told."""
    rows = [message["rows"] for message in told if message["kind"] == "list"][-1]
    return str(next(r["name"] for r in rows if kind in (r["type"], r["kind"])))


def test_every_decision_has_its_message(tmp_path: Path) -> None:
    """One click, one message, one entry in the store."""
    view, told = opened(tmp_path)
    say(view, "ready")
    mail, phone, text = (name_of(told, k) for k in ("EMAIL_ADDRESS", "PHONE_NUMBER", "text"))

    say(view, "accept", name=mail)
    say(view, "draw", name=mail, strategy="next_draw")
    say(view, "reject", name=name_of(told, "PERSON"))
    say(view, "retain", name=phone, reason="a public number")
    say(view, "see", name=text)
    say(view, "reviewer", by="Bo")
    say(view, "accept", name=name_of(told, "ACCOUNT_ID"))
    say(view, "undo")
    say(view, "write")
    say(view, "sync")

    words = [entry.payload["decision"] for entry in view.review.entries]
    assert words == ["accepted", "accepted", "rejected", "retained", "seen"]
    assert [m["kind"] for m in told if m["kind"] in ("refused", "broken")] == []
    assert next(m for m in told if m["kind"] == "undone")["name"] == name_of(told, "ACCOUNT_ID")
    assert told[-1]["state"]["written"] is True
    assert view.ignored == 0


def test_a_raw_value_is_told_only_when_it_is_asked_for(tmp_path: Path) -> None:
    """Masked until held."""
    view, told = opened(tmp_path)
    say(view, "ready")
    mail = name_of(told, "EMAIL_ADDRESS")
    say(view, "open", name=mail, start=0)
    assert MAIL not in json.dumps(told)

    say(view, "reveal", name=mail)

    assert told[-1] == {"kind": "raw", "name": mail, "values": [MAIL]}


def test_a_group_has_its_messages(tmp_path: Path) -> None:
    """It is opened, held, decided on and taken back, as a single finding is."""
    view, told = opened(tmp_path, BOOKING)
    say(view, "ready")
    group = next(g for g in told[-1]["groups"] if g["type"] == "PERSON")

    say(view, "group", name=group["name"])
    assert [one["name"] for one in told[-1]["detail"]["shown"]] == group["members"]
    assert "Rachel" not in json.dumps(told)
    say(view, "reveal_group", name=group["name"])
    assert "Rachel" in json.dumps(told[-1])
    say(view, "together", name=group["name"], members=group["members"])
    assert len(view.review.entries) == len(group["members"])
    say(view, "undo_one")
    assert next(m for m in told if m["kind"] == "undone")["name"] == group["members"][-1]
    say(view, "undo")

    assert view.review.entries == ()
    assert [m["name"] for m in told if m["kind"] == "undone"][-1] == group["name"]
    lists = [m["groups"] for m in told if m["kind"] == "list"]
    assert group in lists[-1]
    assert [m["kind"] for m in told if m["kind"] in ("refused", "broken")] == []
    assert view.ignored == 0


def test_nothing_of_the_trace_is_synced_printed_or_summed_up(tmp_path: Path) -> None:
    """What is synced, printed or raised is written to notebook files."""
    view, _ = opened(tmp_path)

    assert set(view.keys) <= SYNCED
    state = json.dumps(view.get_state(), default=str)
    assert MAIL not in state
    assert "Rachel" not in state
    assert repr(view) == "RedactionView"
    assert MAIL not in view.summary()


@pytest.mark.parametrize(
    "message",
    [
        {"kind": "accept"},
        {"kind": "accept", "name": 3},
        {"kind": "draw", "name": "v1", "strategy": "hash"},
        {"kind": "open", "name": "v1", "start": "0"},
        {"kind": "reveal", "name": "v1", "all": True},
        {"kind": "together", "name": "gv1", "members": "v1", "seen": 0},
        {"kind": "together", "name": "gv1", "members": ["v1"]},
        {"kind": "eval", "code": "1"},
        "accept",
    ],
)
def test_what_is_not_understood_is_ignored(tmp_path: Path, message: object) -> None:
    """Messages of a browser are input."""
    view, told = opened(tmp_path)

    view._receive(view, message, [])

    assert view.ignored == 1
    assert told == []
    assert view.review.entries == ()


def test_a_refusal_is_told_with_the_list_as_it_is(tmp_path: Path) -> None:
    """The person sees what somebody else decided."""
    view, told = opened(tmp_path)
    other = a_redaction(tmp_path, reviewer="Bo")
    other.wait()
    say(view, "ready")
    mail = name_of(told, "EMAIL_ADDRESS")
    other.reject(mail)

    say(view, "accept", name=mail)

    assert "Bo decided on this meanwhile" in next(
        m["message"] for m in told if m["kind"] == "refused"
    )
    lists = [m["rows"] for m in told if m["kind"] == "list"]
    assert next(r for r in lists[-1] if r["name"] == mail)["status"] == "rejected"
