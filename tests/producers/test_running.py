"""What fails for one producer is a row of it with the reason; the others are played all the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.producers.expected import Producer, Take, file, spans
from tools.environments import Environment
from tools.producers import NotPlayedError, collector, environment_of, played, rows_of

_TAKE = Take(name="tools", emissions=(file("events.json", "crewai"), spans("openinference")))
_NOBODY = Producer(name="nobody", needs=("nothing",), takes=(_TAKE,))


@pytest.fixture
def environment() -> Environment:
    """The one in which the tests run."""
    return Environment(folder=Path(sys.prefix), lock=Path("none.txt"), needs=())


def test_a_producer_without_an_environment_is_a_row() -> None:
    """One lock that is missing must not end the command for ten others."""
    rows = rows_of(_NOBODY)

    assert [(row["take"], row["from"]) for row in rows] == [("-", "-")]
    assert "FileNotFoundError" in rows[0]["problem"]
    assert str(environment_of(_NOBODY).lock) not in rows[0]["problem"]  # no path of this machine


def test_a_folder_that_cannot_be_made_is_a_row_of_each_emission(
    environment: Environment, tmp_path: Path
) -> None:
    """Whatever stops a take, nothing that it was to emit goes unmentioned."""
    (tmp_path / "out").write_text("a file where the folders go")

    rows = list(played(_NOBODY, _TAKE, environment, home=tmp_path))

    assert [row["from"] for row in rows] == ["events.json", "collected"]
    assert all(row["problem"].startswith("did not play: NotADirectoryError") for row in rows)


def test_a_script_that_fails_is_a_row_in_one_line(environment: Environment, tmp_path: Path) -> None:
    """The reason goes into a table of the document."""
    take = Take(name="tools", emissions=(file("events.json", "crewai"),))

    rows = list(played(_NOBODY, take, environment, home=tmp_path))

    assert len(rows) == 1
    assert "No module named 'tests.producers.scripts.nobody'" in rows[0]["problem"]
    assert "\n" not in rows[0]["problem"]


def test_a_collector_that_does_not_start_says_what_it_said(tmp_path: Path) -> None:
    """It was the end of the command, with the reason left unread in a pipe."""
    (tmp_path / "store").write_text("a file where the store goes")

    with (
        pytest.raises(NotPlayedError, match=r"did not start: .*store"),
        collector(tmp_path),
    ):
        pytest.fail("nothing listens")
