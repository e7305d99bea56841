"""Findings that are alike are decided together, and never unseen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.builders import a_call, a_trace, a_user
from tests.ui.review_builders import BOOKING, TRACE, a_draft, a_redaction, a_store, many_findings
from workbench.errors import InputError, RefusedError
from workbench.model.event import Outcome
from workbench.redact.policy import Decision, DecisionWord, Policy, Strategy
from workbench.review.decision_log import DecisionLog
from workbench.ui.controllers.groups import MAX_MEMBERS

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Trace
    from workbench.ui.controllers.redaction import RedactionReview

pytestmark = pytest.mark.desk

NAMES = ("Rachel", "Rivera", "Aarav", "Fatima", "Ito")


def opened(folder: Path, *, trace: Trace = BOOKING, reviewer: str = "Ana") -> RedactionReview:
    """Return the review when it has looked."""
    review = a_redaction(folder, trace, reviewer=reviewer)
    review.wait()
    return review


def groups(review: RedactionReview) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the groups by their type and place."""
    return {(g["type"], g["where"]): g for g in cast("list[dict[str, Any]]", review.groups())}


def people(review: RedactionReview) -> dict[str, Any]:
    """Return the group of names."""
    return groups(review)["PERSON", "flights.book:args.passengers.*"]


def decide(review: RedactionReview, group: dict[str, Any], *, seen: int | None = None) -> None:
    """Look at a group, then decide on it."""
    review.group_detail(group["name"])
    review.decide_together(group["name"], group["members"], seen=seen)
    review.wait()


def statuses(review: RedactionReview, names: list[str]) -> set[tuple[str, str | None]]:
    """Return what was decided on some findings, and by whom."""
    rows = cast("list[dict[str, Any]]", review.rows())
    return {(row["status"], row["by"]) for row in rows if row["name"] in names}


def test_values_of_one_type_in_one_part_of_what_a_tool_says_are_alike(tmp_path: Path) -> None:
    """All names of a passenger list are one question; dates of birth are another one."""
    found = groups(opened(tmp_path))

    assert {key: len(group["members"]) for key, group in found.items()} == {
        ("PERSON", "flights.book:args.passengers.*"): 6,
        ("DATE_OF_BIRTH", "flights.book:args.passengers.*"): 3,
        ("text", "user:text"): 3,
    }


def test_each_member_of_a_group_is_shown_masked(tmp_path: Path) -> None:
    """A meeting looks at the list; what a value becomes is there, what it is is not."""
    review = opened(tmp_path)
    group = people(review)

    detail = cast("dict[str, Any]", review.group_detail(group["name"]))

    assert [one["name"] for one in detail["shown"]] == group["members"]
    said = json.dumps([detail, review.groups()])
    assert [name for name in NAMES if name in said] == []
    assert all(str(one["becomes"]) in json.dumps(one["hunks"]) for one in detail["shown"])


def test_a_value_is_shown_once_at_each_sort_of_place(tmp_path: Path) -> None:
    """The same field of the same record tells nothing new; the sentence that has the name does."""
    review = opened(tmp_path)
    detail = cast("dict[str, Any]", review.group_detail(people(review)["name"]))

    aarav = next(one for one in detail["shown"] if one["places"] > 1)
    places = [hunk["at"] for hunk in aarav["hunks"]]
    assert places == ["#1.text", "#4.args.passengers.1.first_name"]
    assert aarav["more"] == 0


def test_one_decision_on_a_group_is_an_entry_for_each_member(tmp_path: Path) -> None:
    """An audit reads who accepted which value and when, as if each had been clicked."""
    review = opened(tmp_path)
    group = people(review)

    decide(review, group)

    assert statuses(review, group["members"]) == {("accepted", "Ana")}
    assert len(review.entries) == 6
    assert len({entry.at for entry in review.entries}) == 1
    assert ("PERSON", "flights.book:args.passengers.*") not in groups(review)
    again = opened(tmp_path, reviewer="Bo")
    assert statuses(again, group["members"]) == {("accepted", "Ana")}


def test_a_group_decides_as_its_members_one_by_one(tmp_path: Path) -> None:
    """Nothing else comes of it than of as many clicks."""
    together, single = opened(tmp_path / "a"), opened(tmp_path / "b")
    decide(together, people(together))
    for name in people(single)["members"]:
        single.accept(name)
    single.wait()

    assert together.policy == single.policy
    ledgers = [review.ledger or () for review in (together, single)]
    left, right = ([(e.at, e.type, e.decision) for e in ledger] for ledger in ledgers)
    assert left == right


def test_a_group_of_texts_is_seen_when_all_were_shown_whole(tmp_path: Path) -> None:
    """A text that needs eyes is sent in full, or it is in no group."""
    review = opened(tmp_path)
    group = groups(review)["text", "user:text"]
    shown = cast("dict[str, Any]", review.group_detail(group["name"]))["shown"]
    assert [one["upto"] for one in shown] == [one["total"] for one in shown]

    decide(review, group)

    assert statuses(review, group["members"]) == {("seen", "Ana")}


def test_nothing_is_decided_that_was_not_shown(tmp_path: Path) -> None:
    """A message of a browser proves nothing: what was never sent cannot have been looked at."""
    review = opened(tmp_path)
    group = people(review)

    with pytest.raises(InputError, match="was not shown yet"):
        review.decide_together(group["name"], group["members"])

    assert review.entries == ()


def test_a_group_with_other_members_than_were_shown_is_not_decided(tmp_path: Path) -> None:
    """A tab that looks at an older list decides nothing by it."""
    review = opened(tmp_path)
    group = people(review)
    review.group_detail(group["name"])
    review.accept(group["members"][0])

    with pytest.raises(RefusedError, match="other members by now; nothing was changed"):
        review.decide_together(group["name"], group["members"])

    assert len(review.entries) == 1
    decide(review, people(review))
    assert len(review.entries) == 6


def test_who_is_second_on_one_member_decides_on_none(tmp_path: Path) -> None:
    """Two tabs: a group is refused as a whole, as a single decision is."""
    left, right = opened(tmp_path), opened(tmp_path, reviewer="Bo")
    group = people(right)
    drawn = right.seen
    right.group_detail(group["name"])
    left.retain(group["members"][3], "a public person")

    with pytest.raises(RefusedError, match="Ana decided on this meanwhile; nothing was changed"):
        right.decide_together(group["name"], group["members"], seen=drawn)
    right.wait()

    assert [entry.actor for entry in right.entries] == ["Ana"]
    assert len(people(right)["members"]) == 5


def test_one_undo_takes_back_a_group(tmp_path: Path) -> None:
    """What was one click is one click to take back; earlier decisions stand."""
    review = opened(tmp_path)
    group = people(review)
    mail = next(r["name"] for r in rows(review) if r["type"] == "EMAIL_ADDRESS")
    review.accept(mail)
    decide(review, group)
    decide(review, groups(review)["DATE_OF_BIRTH", "flights.book:args.passengers.*"])
    assert review.undo() == "g" + cast("str", first_date(review))

    assert review.undo() == group["name"]
    review.wait()

    assert [entry.payload["type"] for entry in review.entries] == ["EMAIL_ADDRESS"]
    assert people(review)["members"] == group["members"]
    assert review.undo() == mail


def test_a_group_is_taken_back_one_by_one_too(tmp_path: Path) -> None:
    """One of eight may have been wrong; the rest of them is still one thing to take back."""
    review = opened(tmp_path)
    group = people(review)
    decide(review, group)

    assert review.undo_one() == group["members"][-1]
    assert statuses(review, group["members"]) == {("accepted", "Ana"), ("open", None)}
    assert review.undo() == group["name"]
    assert review.entries == ()
    with pytest.raises(InputError, match="Ana has decided nothing that stands"):
        review.undo_one()


def test_a_changed_mind_on_a_member_is_taken_back_by_itself(tmp_path: Path) -> None:
    """It was made later, alone."""
    review = opened(tmp_path)
    group = people(review)
    decide(review, group)
    review.reject(group["members"][0])

    assert review.undo() == group["members"][0]

    assert statuses(review, group["members"]) == {("accepted", "Ana")}


def test_a_group_is_taken_back_by_its_maker_only(tmp_path: Path) -> None:
    """Nobody takes back for somebody else by accident."""
    review = opened(tmp_path)
    decide(review, people(review))
    review.name_reviewer("Bo")
    decide(review, groups(review)["text", "user:text"])

    review.undo()

    assert {entry.actor for entry in review.entries} == {"Ana"}
    assert len(review.entries) == 6


def test_what_lost_facts_stands_alone(tmp_path: Path) -> None:
    """A loss is accepted by somebody who has looked at that value."""
    review = opened(tmp_path)
    first = people(review)["members"][0]
    review.accept(first, strategy=Strategy.EXACT_LENGTH)
    review.wait()
    review.undo()
    review.wait()
    lost = {r["name"] for r in rows(review) if r.get("lost")}

    members = {name for group in groups(review).values() for name in group["members"]}
    assert members.isdisjoint(lost)
    assert first in members


def test_what_the_policy_keeps_is_in_no_group(tmp_path: Path) -> None:
    """It is settled where it was written."""
    word, at = DecisionWord.REJECTED, "flights.book:args.passengers.0"
    policy = Policy(decisions=(Decision(at=at, decision=word, by="Cy"),))
    review = a_redaction(tmp_path, BOOKING, policy=policy)
    review.wait()

    assert len(people(review)["members"]) == 4


def test_a_group_is_small_enough_to_be_read(tmp_path: Path) -> None:
    """Five hundred texts are not one decision."""
    review = opened(tmp_path, trace=many_findings(40))

    found = cast("list[dict[str, Any]]", review.groups())
    sizes = [len(group["members"]) for group in found]
    assert sizes == [MAX_MEMBERS, MAX_MEMBERS, MAX_MEMBERS, 4]
    decide(review, found[1])
    left = cast("list[dict[str, Any]]", review.groups())
    assert [group["name"] for group in left] == [found[n]["name"] for n in (0, 2, 3)]


def test_long_texts_are_read_in_smaller_groups_or_alone(tmp_path: Path) -> None:
    """Two pages at most are read at once."""
    long = "We talked about the flight and the meals. " * 40
    texts = [a_user(f"{n}. {long}") for n in range(3)]
    whole = a_user(f"All of it again. {long * 3}")
    trace = a_trace(*texts, whole, a_call("billing.pause", outcome=Outcome.UNKNOWN))
    review = opened(tmp_path, trace=trace)

    group = groups(review)["text", "user:text"]
    assert len(group["members"]) == 2


def test_raw_values_of_a_group_are_shown_after_it_was_written_down_who_looks(
    tmp_path: Path,
) -> None:
    """Each value that somebody looked at is an entry, as if each had been held."""
    review = opened(tmp_path)
    group = people(review)

    values = review.reveal_group(group["name"])

    told = [str(cast("list[Json]", shown)[0]) for shown in values.values()]
    assert told == ["Aarav", "Rachel", "Rivera", "Lee", "Fatima", "Ito"]
    log = DecisionLog(a_store(tmp_path), a_draft(BOOKING).draft, topic="redaction")
    assert [entry.kind for entry in log.entries] == ["redaction.reveal"] * 6
    with pytest.raises(InputError, match="shown whole already"):
        review.reveal_group(groups(review)["text", "user:text"]["name"])


def test_nobody_decides_on_a_group_without_a_name(tmp_path: Path) -> None:
    """Six entries without a name prove nothing six times."""
    review = opened(tmp_path, reviewer="")

    for group in groups(review).values():
        with pytest.raises(InputError, match="nobody is named"):
            decide(review, group)
    with pytest.raises(InputError, match="nobody is named"):
        review.reveal_group(people(review)["name"])
    with pytest.raises(InputError, match="nobody is named"):
        review.undo_one()
    assert review.entries == ()


def test_what_is_no_group_is_refused(tmp_path: Path) -> None:
    """A browser may say anything, also before there is a list."""
    with pytest.raises(InputError, match="is no group of this list"):
        opened(tmp_path).group_detail("gv999<img>")
    early = a_redaction(tmp_path, TRACE)
    if early.groups() == [] and not early.findings:
        with pytest.raises(InputError, match="was not looked at yet"):
            early.detail("v1")
    early.wait()


def rows(review: RedactionReview) -> list[dict[str, Any]]:
    """Return the list."""
    return cast("list[dict[str, Any]]", review.rows())


def first_date(review: RedactionReview) -> str | None:
    """Return the first date of birth of the list."""
    found = [r["name"] for r in rows(review) if r["type"] == "DATE_OF_BIRTH"]
    return found[0] if found else None
