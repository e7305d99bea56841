"""An imported run becomes rows and comes back."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from tests.builders import a_call, a_trace, a_user
from tests.store.runs import a_run, a_small_trace, an_import
from tests.strategies import traces
from workbench.errors import CaseFormatError
from workbench.model.event import CallError, ModelRequest, Outcome, ToolResult
from workbench.model.trace import (
    Grade,
    Imported,
    Loss,
    Losses,
    RunStatus,
    Source,
    Trace,
    Versions,
    renumbered,
)
from workbench.store.rows import (
    RunRows,
    losses_of,
    microseconds,
    rows_of,
    searchable_tags,
    trace_of,
)
from workbench.store.tables import EVENT, RUN

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json


def _cells(rows: RunRows, name: str) -> list[object]:
    at = EVENT.schema.get_field_index(name)
    return [row[at] for row in rows.events]


def _run_cell(rows: RunRows, name: str) -> object:
    return rows.run[RUN.schema.get_field_index(name)]


def _trace(rows: RunRows) -> Trace:
    return trace_of(str(_run_cell(rows, "header")), [str(body) for body in _cells(rows, "body")])


@given(trace=traces(), pieces=st.integers(1, 5))
@settings(max_examples=60)
def test_a_trace_comes_back_as_it_was_imported(trace: Trace, pieces: int) -> None:
    """`fetch` needs neither raw nor importer."""
    rows = rows_of(an_import(trace, raw=b"x" * 50, rows=pieces), batch_id="b")

    assert _trace(rows) == trace
    assert b"".join(bytes(raw) for raw in _cells(rows, "raw")) == b"x" * 50  # type: ignore[call-overload]


def test_raw_is_cut_where_the_importer_says_and_each_piece_has_its_digest() -> None:
    """The pieces are the source's bytes, whatever they are."""
    imported = replace(a_run(raw=b"\xff\x00ab"), cuts=(0, 1, 1), row_of_event=(0, 0, 0, 2, 2, 2))

    rows = rows_of(imported, batch_id="b")

    pieces = [bytes(raw) for raw in _cells(rows, "raw")]  # type: ignore[call-overload]
    assert pieces == [b"\xff", b"", b"\x00ab"]
    assert _cells(rows, "digest") == [sha256(piece).digest() for piece in pieces]
    assert _cells(rows, "seq") == [0, 1, 2]
    assert [len(json.loads(str(body))) for body in _cells(rows, "body")] == [3, 0, 3]
    assert rows.digest == sha256(b"\xff\x00ab").digest()


def test_a_row_tells_what_its_events_did() -> None:
    """Kind, name, status and error are there to be searched with another engine."""
    trace = a_trace(
        ModelRequest(model="m-1", at="2026-05-31T08:00:00Z"),
        a_call(
            "billing.pause",
            outcome=None,
            error=CallError(type="TimeoutError", status=504),
            agent="main",
        ),
    )
    split = replace(an_import(trace, raw=b"abcd", rows=4), row_of_event=(0, 1, 2, 3))

    rows = rows_of(split, batch_id="b")

    assert _cells(rows, "kind") == ["model_request", "model_reply", "tool_call", "tool_result"]
    assert _cells(rows, "name") == ["m-1", None, "billing.pause", None]
    assert _cells(rows, "status") == [None, None, None, "error"]
    assert _cells(rows, "error") == [None, None, None, "TimeoutError"]
    assert _cells(rows, "ts") == [1780214400000000, None, None, None]
    assert _run_cell(rows, "agent") == "main"
    assert _run_cell(rows, "model") == "m-1"


@pytest.mark.parametrize(
    ("error", "detail", "want"),
    [
        (CallError(), "timeout", "timeout"),
        (CallError(status=504), None, "status 504"),
        (CallError(message="no"), None, "error"),
    ],
)
def test_an_error_is_named_as_exactly_as_it_is_known(
    error: CallError, detail: str | None, want: str
) -> None:
    """The message is the recorder's free text; it stays in raw and body."""
    call = a_call("a", outcome=Outcome.PERMANENT, error=error, detail=detail)
    trace = replace(a_trace(call), status=RunStatus.FAILED)

    rows = rows_of(an_import(trace), batch_id="b")

    assert _cells(rows, "error") == [want]
    assert _cells(rows, "status") == ["permanent"]
    assert _run_cell(rows, "error") == want


def test_the_run_row_holds_what_runs_are_listed_and_filtered_by() -> None:
    """And the header holds all of it exactly."""
    trace = replace(
        a_small_trace(at="2026-05-31T23:30:00-02:00", status=RunStatus.FAILED, tags=("vip",)),
        versions=Versions(prompt="p@1", model="m-2"),
        session="s-1",
        source=Source(format="tau_bench", file="f.json"),
        labels={"reward": 0.0},
    )
    loss = Loss(kind="task_missing", caps=Grade.SKELETON)

    rows = rows_of(an_import(trace, losses=Losses(items=(loss,))), batch_id="b")

    assert rows.date == "2026-06-01"  # UTC
    assert _run_cell(rows, "status") == "failed"
    assert _run_cell(rows, "error") is None
    assert _run_cell(rows, "model") == "m-2"
    assert _run_cell(rows, "session") == "s-1"
    assert _run_cell(rows, "tags") == ("vip", "reward=0")
    assert _run_cell(rows, "grade") == "skeleton"
    assert _run_cell(rows, "source") == "tau_bench"
    assert json.loads(str(_run_cell(rows, "versions"))) == {"prompt": "p@1", "model": "m-2"}
    assert losses_of(str(_run_cell(rows, "losses"))) == Losses(items=(loss,))
    assert _trace(rows) == trace


def test_a_run_that_could_not_be_parsed_keeps_its_bytes() -> None:
    """Parsing never blocks storing."""
    rows = rows_of(Imported(run_id="r", raw=b"\x00", parse_error="cut"), batch_id="b")

    assert _cells(rows, "body") == [""]
    assert _cells(rows, "parse_error") == ["cut"]
    assert _run_cell(rows, "grade") == "unusable"
    assert _run_cell(rows, "error") == "cut"
    assert _run_cell(rows, "header") is None
    assert rows.n_events == 0


def test_a_trace_nested_too_deeply_to_be_written_is_stored_raw() -> None:
    """A recorder's value may be nested as deep as it likes; the run is not lost for it."""
    value: Json = []
    for _ in range(100_000):
        value = [value]
    trace = a_trace(a_user(), a_call("a", result=""))
    deep = renumbered((*trace.events[:-1], ToolResult(call_id="c1", result=value)))

    rows = rows_of(an_import(replace(trace, events=deep)), batch_id="b")

    assert _cells(rows, "parse_error") == ["the trace is nested too deeply to be written"]
    assert _run_cell(rows, "grade") == "unusable"
    del deep
    while isinstance(value, list) and value:  # freed from the outside in, not by recursion
        value = value[0]


def test_lone_surrogates_and_nul_come_back() -> None:
    """JSON escapes can say both."""
    trace = a_trace(a_user("a\ud800b\x00"), run_id="r\udfff")

    rows = rows_of(an_import(trace, raw=b"x"), batch_id="b")

    assert _trace(rows) == trace


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("1970-01-01", 0),
        ("1970-01-01T00:00:00.000001+00:00", 1),
        ("1970-01-01T01:00:00+01:00", 0),
        ("yesterday", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("0001-01-01T00:00:00Z", -62135596800000000),
        (None, None),
    ],
)
def test_a_time_is_read_or_left_out(text: str | None, want: int | None) -> None:
    """The exact text stays in the body; the column is for order only."""
    assert microseconds(text) == want


@pytest.mark.parametrize("text", ["[]", "{", "1" * 5000, "[" * 100_000])
def test_a_damaged_header_is_an_error(text: str) -> None:
    """Rows that others wrote must not end in a crash."""
    with pytest.raises(CaseFormatError):
        trace_of(text, ["[]"])


def test_a_damaged_body_is_an_error() -> None:
    """It says what was expected and shows nothing of the text."""
    with pytest.raises(CaseFormatError, match="expected events"):
        trace_of('{"run_id": "r"}', ['{"secret": 1}'])


def test_labels_are_tags_too() -> None:
    """Candidates are found by what users and evaluators said."""
    labels: dict[str, Json] = {
        "reward": 0.0,
        "utility": False,
        "feedback": {"user_score": {"avg": 0.5, "n": 2}},
        "clauses": ["max_calls", "order"],
        "comment": "my card 4111 was charged",
        "a name with blanks": 1,
        "huge": 10**400,
        "none": None,
        "deep": {"a": {"b": {"c": 1}}},
    }
    trace = replace(a_small_trace(), tags=("beta", "reward=0"), labels=labels)

    assert searchable_tags(trace) == (
        "beta",
        "reward=0",
        "utility=false",
        "feedback.user_score.avg=0.5",
        "feedback.user_score.n=2",
        "clauses=max_calls",
        "clauses=order",
    )


def test_label_tags_have_a_limit() -> None:
    """A label may hold a table."""
    trace = replace(a_small_trace(), labels={f"l{number}": number for number in range(1000)})

    assert len(searchable_tags(trace)) == 64
