"""Trials of a Python agent share what loading left behind, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.replay.test_drive import QUICK, claims, driven, issues
from workbench.replay.adapters.drive import Setting
from workbench.replay.gateway.http import serve
from workbench.replay.isolation.levels import Level
from workbench.replay.trial import Limits

COUNTS = "python:tests.replay.loaded:counts"


def texts(found):
    """Return what was said."""
    return [text for text, _ in claims(found)]


def test_each_trial_finds_the_agent_as_it_was_loaded():
    """Loaded once, forked for each trial: nothing that a trial did is seen by the next."""
    with serve() as server:
        first, second = driven(server, COUNTS), driven(server, COUNTS)

    same = ["seen 1, left 0, fresh True, run True, forked True"]
    assert (texts(first), texts(second)) == (same, same)
    assert first.reached == second.reached


@pytest.mark.parametrize("what", ["thread", "child"])
def test_an_agent_that_cannot_be_forked_gets_a_process_for_each_trial(monkeypatch, what):
    """A fork has no threads but one, and would share the children."""
    monkeypatch.setenv("LOADED_WITH", what)

    with serve() as server:
        found = [texts(driven(server, COUNTS)) for _ in range(2)]

    assert found == [["seen 1, left 0, fresh True, run True, forked False"]] * 2


def test_a_side_effect_while_loading_counts_in_every_trial(monkeypatch):
    """It would happen in every run of the agent."""
    monkeypatch.setenv("LOADED_WITH", "side effect")

    with serve() as server:
        found = [driven(server, COUNTS, setting=QUICK) for _ in range(2)]

    assert [[kind for kind, _ in issues(one)] for one in found] == [["side_effect_blocked"]] * 2
    assert not Path("written-while-loading.txt").exists()


def test_a_trial_that_ends_its_process_leaves_the_next_one_whole():
    """The exit code is told, and the next trial answers."""
    with serve() as server:
        first = driven(server, "python:tests.replay.loaded:exits")
        second = driven(server, "python:tests.replay.loaded:exits")

    said = "its process ended with code 7 before it answered"
    assert [issues(found)[0] for found in (first, second)] == [("agent_error", said)] * 2


def test_a_trial_that_must_be_stopped_takes_the_process_with_it():
    """The next trial gets a new one."""
    quick = Setting(isolate=Level.AUDIT, limits=Limits(seconds=1))
    with serve() as server:
        first = driven(server, "hangs", setting=quick)
        second = driven(server, "hangs", setting=quick)

    assert [issues(found)[0][0] for found in (first, second)] == ["time_limit"] * 2


def test_a_side_effect_after_the_answer_counts_in_its_trial():
    """Tasks that are cancelled clean up when everything has been said."""
    with serve() as server:
        found = driven(server, "python:tests.replay.loaded:writes_when_it_ends", setting=QUICK)

    assert texts(found) == ["Fine."]
    assert [kind for kind, _ in issues(found)] == ["side_effect_blocked"]
    assert not Path("written-while-ending.txt").exists()


def test_a_process_that_dies_between_trials_is_replaced():
    """Its trial was answered; the next one must not find a corpse."""
    agent = "python:tests.replay.loaded:kills_when_it_ends"
    bare = Setting(isolate=Level.NONE)
    with serve() as server:
        found = [driven(server, agent, setting=bare) for _ in range(2)]

    assert [texts(one) for one in found] == [["Fine."]] * 2
    assert [issues(one) for one in found] == [[]] * 2


def test_words_that_nobody_waits_for_mean_nothing(monkeypatch):
    """An agent finds the channel when it looks for it, while it loads and later."""
    monkeypatch.setenv("LOADED_WITH", "noise")

    with serve() as server:
        found = driven(server, "python:tests.replay.loaded:meddles")

    assert texts(found) == ["Fine."]
    assert issues(found) == []


def test_an_answer_that_is_none_is_inconclusive():
    """A forged one breaks its own trial and no other."""
    with serve() as server:
        forged = driven(server, "python:tests.replay.loaded:forges")
        after = driven(server, COUNTS)

    assert issues(forged) == [("agent_error", "it answered something that is no text")]
    assert texts(after) == ["seen 1, left 0, fresh True, run True, forked True"]


def test_nothing_stays_when_the_gateway_closes():
    """No process, no folder."""
    here = Path(f"/proc/self/task/{os.getpid()}/children")
    before = set(here.read_text("ascii").split())

    with serve() as server:
        driven(server, COUNTS)
        assert set(here.read_text("ascii").split()) - before

    assert set(here.read_text("ascii").split()) <= before


def test_a_fork_has_all_that_a_request_needs():
    """What a fork imports, every trial would import anew; a socket asks for a codec by its name."""
    with serve() as server:
        found = texts(driven(server, "python:tests.replay.loaded:imports"))

    assert found == ["imported []"]
