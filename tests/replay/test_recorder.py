"""Events get their place once."""

from __future__ import annotations

from workbench.model.event import UserMessage
from workbench.replay.recorder import Recorder


def test_an_event_that_has_its_place_is_not_made_again():
    """Long scripts have thousands of events."""
    recorder = Recorder(timed=False)
    given = UserMessage(text="hello", seq=recorder.seq)

    assert recorder.add(given) is given
    assert recorder.seq == 1


def test_an_event_gets_the_place_the_time_and_the_agent_that_it_does_not_have():
    """An event of another agent keeps its own."""
    recorder = Recorder(timed=True, agent="triage", clock_ms=1_500)
    recorder.add(UserMessage(text="hello"))

    placed = recorder.add(UserMessage(text="and?", seq=7))
    other = recorder.add(UserMessage(text="well", seq=2, agent="billing"))

    assert (placed.seq, placed.at, placed.agent) == (1, "2000-01-01T00:00:01.500Z", "triage")
    assert (other.seq, other.at, other.agent) == (2, "2000-01-01T00:00:01.500Z", "billing")
