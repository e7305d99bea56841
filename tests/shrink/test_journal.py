"""A journal makes an interrupted search go on where it stopped."""

from __future__ import annotations

import json
import stat
from functools import partial

import pytest

from tests.shrink.rules import CountingOracle, a_judge, forbidden
from tests.shrink.test_shrinking import MUTE, PAID, a_long_trace
from workbench.errors import CaseFormatError, InputError
from workbench.shrink import Budget, shrink_trace
from workbench.shrink.journal import oracle_name


@pytest.mark.parametrize("break_at", [1, 2, 5, 9])
def test_a_resumed_search_asks_nothing_twice(tmp_path, break_at):
    """The answers up to the break come from the file; the result is that of one go."""
    trace, journal = a_long_trace(), tmp_path / "j.jsonl"
    whole = CountingOracle(MUTE)
    wanted = shrink_trace(trace, whole)
    first = CountingOracle(MUTE, fail_at=break_at + 1)
    shrink_trace(trace, first, journal=journal)
    second = CountingOracle(MUTE)

    resumed = shrink_trace(trace, second, journal=journal)

    assert resumed == wanted
    assert break_at + second.calls == whole.calls


def test_a_killed_search_loses_its_last_line_at_most(tmp_path):
    """A line that was cut off is dropped, and its candidate judged again."""
    trace, journal = a_long_trace(), tmp_path / "j.jsonl"
    wanted = shrink_trace(trace, CountingOracle(MUTE), journal=journal)
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-20])
    oracle = CountingOracle(MUTE)

    resumed = shrink_trace(trace, oracle, journal=journal)

    assert resumed == wanted
    assert oracle.calls == 1
    assert journal.read_bytes() == whole


def test_a_budget_counts_only_what_is_asked_anew(tmp_path):
    """Otherwise a search that ran out could never be finished."""
    trace, journal = a_long_trace(), tmp_path / "j.jsonl"
    tries = 0
    while True:
        shrunk = shrink_trace(trace, MUTE, journal=journal, budget=Budget(calls=5))
        tries += 1
        if shrunk.minimal.behaviour:
            break

    assert shrunk == shrink_trace(trace, MUTE)
    assert tries > 2


def test_a_candidate_that_failed_to_be_judged_is_remembered(tmp_path):
    """It says the type of what was raised, never the message."""
    journal = tmp_path / "j.jsonl"
    oracle = CountingOracle(MUTE, fail_at=4, error=ValueError)

    shrink_trace(a_long_trace(), oracle, journal=journal)
    again = shrink_trace(a_long_trace(), CountingOracle(MUTE), journal=journal)

    assert again.unresolved == 1
    assert '"error":"ValueError"' in journal.read_text(encoding="utf-8")


def test_no_text_of_the_trace_is_in_the_journal(tmp_path):
    """It lies about, and is nobody's draft."""
    journal = tmp_path / "j.jsonl"

    shrink_trace(a_long_trace(), PAID, journal=journal)

    text = journal.read_text(encoding="utf-8")
    assert "EVIL" not in text
    assert "rent" not in text
    assert stat.S_IMODE(journal.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: ["not json", *lines[1:]],
        lambda lines: ["{}", *lines[1:]],
        lambda lines: [lines[0].replace("shrink-journal/1", "shrink-journal/9"), *lines[1:]],
        lambda lines: [lines[0].replace("forbid", "x").replace("rule/1", "rule/2"), *lines[1:]],
    ],
)
def test_the_journal_of_another_search_is_refused(tmp_path, change):
    """Its answers are about other candidates."""
    journal = tmp_path / "j.jsonl"
    shrink_trace(a_long_trace(), PAID, journal=journal)
    lines = change(journal.read_text(encoding="utf-8").splitlines())
    journal.write_text("\n".join(lines) + "\n", encoding="utf-8")

    with pytest.raises(InputError, match="journal of another search") as caught:
        shrink_trace(a_long_trace(), PAID, journal=journal)

    assert caught.value.fix


def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path):
    """A wrong path must not cost a file."""
    file = tmp_path / "notes.txt"
    file.write_text("my notes, without end of line", encoding="utf-8")

    with pytest.raises(InputError, match="or no journal"):
        shrink_trace(a_long_trace(), PAID, journal=file)

    assert file.read_text(encoding="utf-8") == "my notes, without end of line"


def test_a_damaged_line_is_named(tmp_path):
    """A line in the middle that is none of ours is an error with its number."""
    journal = tmp_path / "j.jsonl"
    shrink_trace(a_long_trace(), PAID, journal=journal)
    lines = journal.read_text(encoding="utf-8").splitlines()
    lines[2] = json.dumps({"candidate": 1})
    journal.write_text("\n".join(lines) + "\n", encoding="utf-8")

    with pytest.raises(CaseFormatError, match=r"j\.jsonl:3: is no line of a journal"):
        shrink_trace(a_long_trace(), PAID, journal=journal)


def test_a_place_that_cannot_be_a_file_is_refused(tmp_path):
    """Told before any oracle call."""
    oracle = CountingOracle(PAID)

    with pytest.raises(InputError, match="cannot be written"):
        shrink_trace(a_long_trace(), oracle, journal=tmp_path / "none" / "j.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        shrink_trace(a_long_trace(), oracle, journal=tmp_path)

    assert oracle.calls == 0


def test_oracles_with_other_contracts_have_other_names():
    """Two journals of one trace must not be taken for one another."""
    one = a_judge(partial(forbidden, tool="pay"))
    other = a_judge(partial(forbidden, tool="look"))

    assert oracle_name(one) != oracle_name(other)
    assert oracle_name(one) == oracle_name(a_judge(partial(forbidden, tool="pay")))
    assert oracle_name(CountingOracle(PAID)) == "tests.shrink.rules.CountingOracle"
