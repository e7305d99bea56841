"""Rows of a run: where it is cut, and when it stays whole."""

from __future__ import annotations

import json
from dataclasses import replace

from workbench.ingest.records.parts import PartMap
from workbench.ingest.rows import message_paths, rows_of, with_exact_arguments
from workbench.model.event import ToolCall, UserMessage
from workbench.model.trace import Trace, renumbered

TEXT = '{"é": 1, "m": [ {"t": "ü"}, {"t": "b"} ], "r": 2}'


def test_what_stands_between_messages_belongs_to_the_earlier_one() -> None:
    """Offsets count bytes; the first row has the start, the last the end."""
    rows = rows_of([("m", 0), ("m", 0), (), ("m", 1)], PartMap(TEXT.encode()))

    assert rows.of_event == (0, 0, 0, 1)
    assert rows.cuts == (0, TEXT.encode().index(b'{"t": "b"}'))


def test_an_event_before_any_message_is_in_the_first_row() -> None:
    """A system text may stand outside the list."""
    assert rows_of([(), ("m", 0)], PartMap(TEXT.encode())).of_event == (0, 0)


def test_a_record_out_of_order_stays_whole() -> None:
    """Rows are ascending; the bytes are kept anyway."""
    for paths in ([("m", 1), ("m", 0)], [("m", 0), ("m", 1), ("m", 0)], [("m", 0), ("x", 0)]):
        rows = rows_of(paths, PartMap(TEXT.encode()))
        assert rows.cuts == (0,)
        assert rows.of_event == (0,) * len(paths)


def test_no_event_is_one_row() -> None:
    """A run without events still has its bytes."""
    assert rows_of([], PartMap(TEXT.encode())).cuts == (0,)


def test_the_message_of_a_call_is_the_first_position() -> None:
    """Below it are its parts."""
    references = ("data.m.3.calls.1", "system", None)
    events = [UserMessage(text="x", source_ref=reference) for reference in references]

    assert message_paths(events) == [("data", "m", 3), (), ()]


def test_arguments_without_a_place_keep_what_was_written() -> None:
    """And are counted."""
    call = ToolCall(call_id="a", tool="t", args_raw="{}", args={})

    elsewhere = replace(call, source_ref="m.7")
    trace = Trace(run_id="r", events=(call, elsewhere))

    found, left = with_exact_arguments(trace, json.loads(TEXT), PartMap(TEXT.encode()))

    assert found == trace
    assert left == 2


def test_arguments_are_as_the_source_writes_them() -> None:
    """A structure byte for byte; a text is its own exact text already; what is not there is ours."""
    text = '{"m": [{"args": { "a" :1.0}}, {"args": "{ }"}, {"function": {"arguments": [ ]}}, {}]}'
    calls = [
        ToolCall(call_id=str(n), tool="t", args_raw="-", source_ref=f"m.{n}") for n in range(4)
    ]
    trace = Trace(run_id="r", events=renumbered(calls))

    found, left = with_exact_arguments(trace, json.loads(text), PartMap(text.encode()))

    exact = [event.args_raw for event in found.events if isinstance(event, ToolCall)]
    assert exact == ['{ "a" :1.0}', "-", "[ ]", "-"]
    assert left == 1
