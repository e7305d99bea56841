"""A history that goes on is read once, and says what it would say if it were read as a whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from tests.ingest.otlp.spans import a_message, answer, call, text
from workbench.ingest.otlp import histories
from workbench.ingest.otlp.attributes import messages_in
from workbench.ingest.otlp.histories import Histories
from workbench.ingest.records.origin import Origin

if TYPE_CHECKING:
    from workbench.ingest.events.messages import Message
    from workbench.model.jsonvalue import Json

pytestmark = pytest.mark.desk

ORIGIN = Origin(format="otlp", raw=b"", file="spans.json", place=None)
MESSAGES = st.sampled_from(
    [
        a_message("user", text("Hi, [1], {2}")),
        a_message("assistant", text("Hello")),
        a_message("assistant", call("c1", "find", {"n": [1, 2]})),
        a_message("assistant", call(None, "find", '{"n":  1}')),
        a_message("tool", answer("c1", {"ok": True})),
        a_message("tool", answer("c1", "done")),
    ]
)


def unplaced(messages: list[Message]) -> list[Message]:
    """Messages without the place where they were seen."""
    return [
        replace(
            message,
            said=replace(message.said, ref=""),
            asked=tuple(replace(asked, ref="") for asked in message.asked),
            answered=None if message.answered is None else replace(message.answered, ref=""),
        )
        for message in messages
    ]


@settings(max_examples=60, deadline=None)
@given(
    said=st.lists(MESSAGES, max_size=8),
    steps=st.lists(st.integers(0, 8), max_size=6),
    indent=st.sampled_from([None, 1]),
    as_list=st.booleans(),
)
def test_shared_beginnings_change_nothing(
    said: list[Json], steps: list[int], indent: int | None, *, as_list: bool
) -> None:
    """Longer, shorter, the same again, and in any writing."""
    found = Histories()

    for number, step in enumerate(steps):
        value: Json = said[:step] if as_list else json.dumps(said[:step], indent=indent)
        whole = messages_in(value, str(number), ORIGIN)
        assert unplaced(found.read("h", value, str(number), ORIGIN)) == unplaced(whole)


@pytest.mark.parametrize(
    "bad", ['[{"role": "user"', '{"role": "user"}', "", "[]", "[1]", "hello]", '[{"role": "x"}]']
)
def test_what_cannot_be_read_has_no_messages(bad: str) -> None:
    """Cut by a limit, or something else: the caller sees that it was there."""
    good = json.dumps([a_message("user", text("Hi"))])
    found = Histories()

    assert len(found.read("h", good, "0", ORIGIN)) == 1
    assert found.read("h", bad, "1", ORIGIN) == []
    assert found.read("h", f"{good[:-1]}, {bad[1:]}", "2", ORIGIN) == messages_in(
        f"{good[:-1]}, {bad[1:]}", "2", ORIGIN
    )
    assert found.read("h", 7, "3", ORIGIN) == []
    assert found.read("h", f"{good[:-1]} x]", "4", ORIGIN) == []


def test_agents_that_take_turns_share_their_own_beginnings() -> None:
    """A message keeps the place where it was first seen, in the history of its agent."""
    found = Histories()
    histories_of: dict[str, list[Json]] = {
        name: [a_message("user", text(f"You are {name}."))] for name in "abc"
    }

    for turn in range(5):
        for name, said in histories_of.items():
            read = found.read("h", json.dumps(said), f"{turn}{name}", ORIGIN)
            assert [message.said.ref for message in read] == [f"{n}{name}" for n in range(turn + 1)]
            said.append(a_message("user", text(f"Turn {turn}.")))


@pytest.mark.parametrize("as_list", [True, False])
def test_a_long_run_is_read_once(monkeypatch: pytest.MonkeyPatch, *, as_list: bool) -> None:
    """200 turns: every request repeats all of them, and nothing is parsed twice."""
    parsed: list[int] = []

    def counted(value: Json, ref: str, origin: Origin) -> list[Message]:
        parsed.append(len(value if isinstance(value, str) else json.dumps(value)))
        return messages_in(value, ref, origin)

    monkeypatch.setattr(histories, "messages_in", counted)
    found = Histories()
    said: list[Json] = []
    messages: list[Message] = []
    for turn in range(200):
        said += [
            a_message("assistant", call(f"c{turn}", "find", {"n": turn})),
            a_message("tool", answer(f"c{turn}", "ok")),
        ]
        messages = found.read("h", list(said) if as_list else json.dumps(said), "0", ORIGIN)

    assert len(messages) == 400
    assert sum(parsed) < 1.1 * len(json.dumps(said))
