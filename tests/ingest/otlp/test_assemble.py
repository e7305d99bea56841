"""One request that two libraries tell in spans beside one another."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.ingest.otlp.spans import (
    a_chat,
    a_document,
    a_message,
    a_span,
    answer,
    call,
    text,
    trace_of,
)
from tests.ingest.samples import kinds, lost, write_file
from workbench.ingest.reader import read_source
from workbench.model.event import ModelReply, ModelRequest

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Imported

ASK = a_message("user", text("Pause."))
CALL = a_message("assistant", call("c1", "pause", {}))
ANSWER = a_message("tool", answer("c1", "done"))
DONE = a_message("assistant", text("Paused."))
ONE_REQUEST = ["user_message", "model_request", "model_reply", "claim"]


def of_two(path: Path, instrumentation: list[JsonMap], client: list[JsonMap]) -> Imported:
    """Read the spans of two libraries in one trace."""
    documents = (
        a_document(*instrumentation, scope="instrumentation"),
        a_document(*client, scope="client"),
    )
    data = "\n".join(map(json.dumps, documents)).encode()
    (run,) = read_source(write_file(path / "spans.jsonl", data))
    return run


def bare(number: int, *, start_ms: int, end_ms: int, parent: int = 1, **more: Json) -> JsonMap:
    """A request as a client tells it that keeps no contents; `__` stands for a dot."""
    found: JsonMap = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        **{f"gen_ai.{name.replace('__', '.')}": value for name, value in more.items()},
    }
    return a_span(number, found, parent=parent, start_ms=start_ms, end_ms=end_ms)


def asked(run: Imported) -> int:
    """How many requests a run has."""
    return sum(isinstance(event, ModelRequest) for event in trace_of(run).events)


def test_what_a_client_tells_beside_an_instrumentation_is_told_once(tmp_path: Path) -> None:
    """Else every turn counts twice, and no reply of the client's spans is there."""
    told = [
        a_chat(2, [ASK], [CALL], more={"gen_ai.response.id": "r1"}, end_ms=10),
        a_chat(
            3,
            [ASK, CALL, ANSWER],
            [DONE],
            more={"gen_ai.response.id": "r2"},
            start_ms=11,
            end_ms=20,
        ),
    ]
    again = [
        bare(4, start_ms=1, end_ms=9, response__id="r1", usage__output_tokens=1),
        bare(5, start_ms=12, end_ms=19, response__id="r2", usage__output_tokens=1),
    ]

    run = of_two(tmp_path, told, again)

    replies = [event for event in trace_of(run).events if isinstance(event, ModelReply)]
    assert [(reply.call_ids, reply.text) for reply in replies] == [(("c1",), ""), ((), "Paused.")]
    assert [one.usage.output_tokens for one in replies if one.usage] == [2, 2]
    assert "replies_missing" not in lost(run.losses)


@pytest.mark.parametrize(
    ("again", "kept"),
    [
        (bare(3, start_ms=1, end_ms=9), 1),  # below the same span, and nothing speaks against it
        (bare(3, start_ms=1, end_ms=9, parent=7, usage__input_tokens=10), 1),
        (bare(3, start_ms=1, end_ms=9, parent=7), 2),  # nothing but the time speaks for it
        (bare(3, start_ms=1, end_ms=9, usage__input_tokens=11), 2),
        (bare(3, start_ms=1, end_ms=9, request__model="m-2"), 2),
        ({**bare(3, start_ms=1, end_ms=9), "status": {"code": 2}}, 2),
        (bare(3, start_ms=10, end_ms=12), 2),  # one after the other
        ({**bare(3, start_ms=1, end_ms=9), "endTimeUnixNano": "0"}, 2),
    ],
)
def test_without_ids_all_that_both_say_has_to_agree(
    tmp_path: Path, again: JsonMap, kept: int
) -> None:
    """Agents that run at once may ask one model through different libraries."""
    run = of_two(tmp_path, [a_chat(2, [ASK], [DONE], end_ms=10)], [again])

    assert asked(run) == kept


@pytest.mark.parametrize("first", ["instrumentation", "client"])
def test_the_span_with_the_contents_counts_whichever_began_first(
    tmp_path: Path, first: str
) -> None:
    """The client below may be the one that is instrumented."""
    start = 1 if first == "client" else 3
    told = a_chat(3, [ASK], [DONE], start_ms=start, end_ms=10)

    run = of_two(tmp_path, [told], [bare(2, start_ms=2, end_ms=11)])

    assert kinds(trace_of(run)) == ONE_REQUEST


@pytest.mark.parametrize(("other", "kept"), [(DONE, 1), (a_message("assistant", text("No.")), 2)])
def test_full_spans_of_two_instrumentations_are_one_if_the_reply_is(
    tmp_path: Path, other: Json, kept: int
) -> None:
    """Two switched on at once is common; two agents at once are not one."""
    told = a_chat(2, [ASK], [DONE], end_ms=10)

    run = of_two(tmp_path, [told], [a_chat(3, [ASK], [other], start_ms=1, end_ms=9)])

    assert asked(run) == kept


def test_different_ids_are_different_requests(tmp_path: Path) -> None:
    """Whatever else they share."""
    told = a_chat(2, [ASK], [DONE], more={"gen_ai.response.id": "r1"}, end_ms=10)

    run = of_two(tmp_path, [told], [bare(3, start_ms=1, end_ms=9, response__id="r2")])

    assert asked(run) == 2


def test_one_library_tells_no_request_twice(tmp_path: Path) -> None:
    """A cache or a stub of a provider gives one id to many replies."""
    more: JsonMap = {"gen_ai.response.id": "r1"}
    spans = [
        a_chat(number, [ASK], [DONE], more=more, start_ms=number, end_ms=10) for number in (2, 3)
    ]

    run = of_two(tmp_path, spans, [])

    assert asked(run) == 2


def test_an_id_finds_its_request_among_many_at_once(tmp_path: Path) -> None:
    """All begin before the first client's span does."""
    numbers = range(100)
    told = [
        a_chat(2 + n, [ASK], [DONE], more={"gen_ai.response.id": f"r{n}"}, end_ms=10)
        for n in numbers
    ]
    again = [bare(200 + n, start_ms=1, end_ms=9, response__id=f"r{n}") for n in numbers]

    assert asked(of_two(tmp_path, told, again)) == len(numbers)


def test_of_nested_requests_the_one_with_the_reply_counts(tmp_path: Path) -> None:
    """The inner one may know what was sent and not what came back."""
    inner = a_chat(3, [ASK], [], start_ms=1, end_ms=9)
    inner["parentSpanId"] = f"{2:016x}"

    run = of_two(tmp_path, [a_chat(2, [ASK], [DONE], end_ms=10)], [inner])

    assert kinds(trace_of(run)) == ONE_REQUEST
    assert "replies_missing" not in lost(run.losses)
