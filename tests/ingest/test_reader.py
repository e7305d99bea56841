"""Files of every shape: what is read, what is refused, and that nothing is lost."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from tests.ingest.samples import (
    a_tau2_run,
    a_tau_run,
    an_agentdojo_run,
    an_anthropic_chat,
    an_openai_chat,
    dumped,
    read,
    write_file,
    write_lines,
)
from tests.strategies import json_values, traces
from workbench.casefile.place import Place
from workbench.casefile.trace import parse_trace, trace_document
from workbench.errors import InputError, TraceFormatError, UnknownRunError
from workbench.ingest.reader import file_digest, ingest_traces, load_run, read_source
from workbench.model.event import ToolCall
from workbench.model.trace import Grade, Imported, Tool, Trace

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

SAMPLES: dict[str, Json] = {
    "openai_chat": an_openai_chat(),
    "anthropic_messages": an_anthropic_chat(),
    "tau_bench": a_tau_run(),
    "tau2_bench": a_tau2_run(),
    "agentdojo": an_agentdojo_run(),
    "trace1": {"schema": "trace/1", "run_id": "r1", "events": []},
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_format_is_recognised_by_content(tmp_path: Path, name: str, packed: bool) -> None:  # noqa: FBT001  a parameter of the test
    """Neither the file's name nor its packing says what is in it."""
    path = write_file(tmp_path / "no-ending", dumped(SAMPLES[name]), packed=packed)

    (run,) = read(path)

    assert run.trace is not None
    assert run.trace.source is not None
    assert run.trace.source.format == name
    assert run.raw == dumped(SAMPLES[name])


@pytest.mark.parametrize("name", SAMPLES)
def test_pretty_json_with_a_byte_order_mark_is_read(tmp_path: Path, name: str) -> None:
    """Editors write both; the mark and the white space around are no part of the run."""
    text = json.dumps(SAMPLES[name], indent=2).encode()

    (run,) = read(write_file(tmp_path / "run.json", b"\xef\xbb\xbf" + text + b"\n\n"))

    assert run.raw == text
    assert run.trace is not None


def test_a_file_may_hold_runs_of_several_formats(tmp_path: Path) -> None:
    """Each line stands for itself."""
    path = write_lines(tmp_path / "mixed.jsonl", *SAMPLES.values())

    runs = read(path)

    formats = [run.trace.source.format for run in runs if run.trace and run.trace.source]
    assert formats == list(SAMPLES)
    assert [run.trace.source.place for run in runs if run.trace and run.trace.source] == [
        f"line {n}" for n in range(1, 7)
    ]


def test_a_list_of_runs_is_cut_into_its_items(tmp_path: Path) -> None:
    """tau-bench writes one array; each run keeps its own exact bytes, also beside wide letters."""
    first, second = a_tau_run(), a_tau_run(reward=1.0)
    first["note"] = "Zürich 東京 🛩"
    data = b"[ " + dumped(first) + b" ,\n" + dumped(second) + b"]"

    runs = read(write_file(tmp_path / "runs.json", data))

    assert [run.raw for run in runs] == [dumped(first), dumped(second)]
    assert {run.trace.source.place for run in runs if run.trace and run.trace.source} == {
        "record 1",
        "record 2",
    }


def test_a_result_file_of_tau2_gives_each_simulation_the_files_model(tmp_path: Path) -> None:
    """The original file says once, beside its simulations, which model ran."""
    document: Json = {
        "info": {
            "git_commit": "abc",
            "agent_info": {"llm": "model-y"},
            "environment_info": {"domain_name": "telecom", "tool_defs": [{"name": "get_line"}]},
        },
        "tasks": [],
        "simulations": [a_tau2_run(), a_tau2_run(id="sim-2")],
    }

    runs = read(write_file(tmp_path / "results.json", dumped(document)))

    assert [run.run_id for run in runs] == ["sim-1", "sim-2"]
    assert runs[1].raw == dumped(a_tau2_run(id="sim-2"))
    assert runs[0].trace is not None
    assert runs[0].trace.versions.model == "model-y"
    assert runs[0].trace.versions.agent == "abc"
    assert runs[0].trace.labels["domain"] == "telecom"
    assert [tool.name for tool in runs[0].trace.tools] == ["get_line", "toggle_data"]


# --- ids ---------------------------------------------------------------------


def test_a_run_without_id_is_named_by_its_content(tmp_path: Path) -> None:
    """The same bytes get the same id wherever they are read."""
    (one,) = read(write_file(tmp_path / "a.json", dumped(an_openai_chat())))
    (two,) = read(write_lines(tmp_path / "b.jsonl", an_openai_chat()))

    assert one.run_id == two.run_id
    assert one.run_id.startswith("openai_chat-")
    assert len(one.run_id) == len("openai_chat-") + 12


def test_the_same_run_twice_is_handed_out_twice_and_ingested_once(tmp_path: Path) -> None:
    """Whoever stores runs counts duplicates; a caller without a store wants each run once."""
    path = write_lines(tmp_path / "runs.jsonl", a_tau2_run(), a_tau2_run())

    assert len(read(path)) == 2
    assert len(ingest_traces(path)) == 1


def test_one_id_with_two_contents_is_refused_before_the_first_run(tmp_path: Path) -> None:
    """Nobody could say which one is meant, and half a file must not be stored."""
    path = write_lines(tmp_path / "runs.jsonl", a_tau2_run(), a_tau2_run(trial=9))

    with pytest.raises(
        TraceFormatError, match=r"one run id for two contents: line 1 and line 2"
    ) as e:
        next(read_source(path))

    assert "Fix: give each run its own id" in str(e.value)
    assert "sim-1" not in str(e.value)


@pytest.mark.parametrize("lines", [(1, 3), (2, 3), (1, 2)])
def test_one_id_with_two_contents_is_refused_in_a_large_file(
    tmp_path: Path, lines: tuple[int, int]
) -> None:
    """Records are let go of after eight megabytes: before, across and behind that it is seen."""
    runs = [a_tau2_run(id="large", task_id="long " * (9 << 18))] * 3
    for at, trial in zip(lines, (0, 9), strict=True):
        runs[at - 1] = a_tau2_run(trial=trial)
    path = write_lines(tmp_path / "runs.jsonl", *runs)

    with pytest.raises(
        TraceFormatError, match=rf"for two contents: line {lines[0]} and line {lines[1]}"
    ):
        next(read_source(path))


@pytest.mark.parametrize("bad", ["", " ", "a\nb", "x" * 301, 7, None, "\u202eabc"])
def test_an_unusable_id_is_replaced(tmp_path: Path, bad: Json) -> None:
    """A run id is shown, typed and searched for."""
    (run,) = read(write_lines(tmp_path / "runs.jsonl", a_tau2_run(id=bad)))

    assert run.run_id.startswith("tau2_bench-")


def test_load_run_takes_the_only_run_or_asks_which(tmp_path: Path) -> None:
    """RUN on the command line is FILE or FILE#RUN_ID; both may hold a #."""
    one = write_lines(tmp_path / "one#1.jsonl", a_tau2_run())
    many = write_lines(tmp_path / "many#2.jsonl", a_tau2_run(), a_tau2_run(id="a#b"))

    assert load_run(str(one)).run_id == "sim-1"
    assert load_run(f"{many}#a#b").run_id == "a#b"
    with pytest.raises(InputError, match=r"holds 2 runs.*\n  Fix: .*'sim-1', 'a#b'"):
        load_run(str(many))
    with pytest.raises(UnknownRunError, match=r"no run 'sim-2' among its 2\n  Fix: .*'sim-1'"):
        load_run(f"{many}#sim-2")
    with pytest.raises(UnknownRunError, match=r"no run 'zzz' among its 2\n  Fix: .*'sim-1'"):
        load_run(f"{many}#zzz")
    with pytest.raises(InputError, match=r"cannot be read: no such file"):
        load_run(str(tmp_path / "absent.jsonl#sim-1"))


def test_load_run_lists_at_most_five_ids(tmp_path: Path) -> None:
    """A file of a thousand runs must not fill the screen."""
    path = write_lines(tmp_path / "many.jsonl", *(a_tau2_run(id=f"s{n}") for n in range(7)))

    with pytest.raises(InputError, match=r"'s4' \.\.\.$"):
        load_run(str(path))


# --- bad records among good ones ---------------------------------------------

BAD = {
    "deep": (b'{"messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
    "deep but parsable": (b"[" * 300 + b"]" * 300, "nested too deeply"),
    "cut": (
        b'{"messages": [{"role": "user", "content": "hel',
        "is not whole: the JSON text is cut off after 46 characters",
    ),
    "encoding": (b'{"role": "\xff\xfe"}', "not UTF-8 text: byte 10 of 14"),
    "nan": (b'{"reward": NaN}', "NaN and Infinity are no JSON numbers"),
    "overflow": (b'{"reward": 1e999}', "too large for a double"),
    "digits": (b'{"reward": ' + b"1" * 5000 + b"}", "more digits than can be read"),
    "garbage": (b"reward = 1", "is not JSON: expecting value at character 0 of 10"),
    "two values": (b'{"a": 1} {"b": 2}', "is not JSON: extra data at character 9 of 17"),
    "no trace": (b'{"reward": 1}', "is a mapping of 1; expected a trace of a known format"),
    "wrong part": (dumped(a_tau_run(messages=[5])), "traj.0 is a number; expected a mapping"),
    "native": (b'{"schema": "trace/2", "run_id": "r"}', "schema is a string of 7 characters"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_record_among_good_ones_keeps_its_bytes_and_says_why(
    tmp_path: Path, bad: str
) -> None:
    """One damaged line must not cost the others, and it must not vanish."""
    data, reason = BAD[bad]
    path = write_lines(tmp_path / "runs.jsonl", a_tau_run(), data, a_tau2_run())

    runs = read(path)

    assert [run.trace is None for run in runs] == [False, True, False]
    assert runs[1].raw == data
    assert runs[1].cuts == (0,)
    assert runs[1].losses.grade is Grade.UNUSABLE
    assert runs[1].parse_error is not None
    assert reason in runs[1].parse_error
    assert runs[1].parse_error.startswith("runs.jsonl:2: ")
    assert "\n" not in runs[1].parse_error


def test_a_bad_first_line_does_not_hide_the_others(tmp_path: Path) -> None:
    """The form of a file is otherwise taken from its first line."""
    path = write_lines(tmp_path / "runs.jsonl", b'{"cut": ', a_tau_run(), a_tau2_run())

    assert [run.trace is None for run in read(path)] == [True, False, False]


def test_a_deep_item_of_a_list_does_not_cost_its_neighbours(tmp_path: Path) -> None:
    """A list of runs is parsed at once, but each item is judged alone."""
    deep = b"[" * 200 + b"]" * 200
    path = write_file(tmp_path / "runs.json", b"[" + dumped(a_tau_run()) + b"," + deep + b"]")

    good, bad = read(path)

    assert good.trace is not None
    assert bad.raw == deep
    assert bad.parse_error == ("runs.json#2: is nested too deeply; expected at most 100 levels")


def test_a_bad_record_with_an_id_keeps_it(tmp_path: Path) -> None:
    """`--explain RUN` should find it."""
    path = write_lines(tmp_path / "runs.jsonl", a_tau2_run(messages=[{"role": "x"}]), a_tau_run())

    assert read(path)[0].run_id == "sim-1"


def test_ingest_traces_returns_a_bad_record_as_an_unusable_trace(tmp_path: Path) -> None:
    """A library call must not drop what it cannot read."""
    path = write_lines(tmp_path / "runs.jsonl", a_tau_run(), b"{")

    (_, good), (trace, losses) = ingest_traces([path])

    assert good.grade is Grade.REPLAYABLE
    assert losses.grade is Grade.UNUSABLE
    assert trace.events == ()
    assert trace.run_id.startswith("unreadable-")


# --- files that are refused --------------------------------------------------

REFUSED = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n \n", "is empty"),
    "only a mark": (b"\xef\xbb\xbf\n", "is empty"),
    "binary": (b"\x00\x01\x02" * 999, "is binary"),
    "random": (bytes(range(128, 256)) * 9, "is not UTF-8 text"),
    "zip": (b"PK\x03\x04rest", "is a damaged zip archive"),
    "parquet": (b"PAR1rest", "is a Parquet file"),
    "utf-16": ("[{}]".encode("utf-16"), "is UTF-16 text"),
    "numbers": (b"[1, 2, 3]", "holds no trace among its 3 records; the first is a number"),
    "no items": (b"[]", "is an empty list"),
    "one string": (json.dumps("x" * 10_000_000).encode(), "a string of 10000000 characters"),
    "lines of numbers": (b"1\n2\n", "holds no trace among its 2 records"),
    "no trace": (b'{"info": {}, "tasks": []}', "its one record is a mapping of 2"),
    "a deep document": (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
    "a deep list": (b'{"a": ' + b"[" * 300 + b"]" * 300 + b"}", "nested too deeply"),
    "cut": (dumped(a_tau_run())[:-9], "cut off after"),
    "cut pretty": (json.dumps(a_tau_run(), indent=1).encode()[:-9], "neither JSON nor JSON Lines"),
    "yaml": (b"a: 1\nb: 2\n", "neither JSON nor JSON Lines"),
    "no messages": (b'{"messages": []}', "holds no trace"),
    "event log": (b'[{"type": "x", "messages": [{"role": "user", "content": "a"}]}]', "no trace"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_file_without_a_trace_is_one_error_with_a_fix(
    tmp_path: Path,
    name: str,
    packed: bool,  # noqa: FBT001  a parameter of the test
) -> None:
    """One line that says what it is, one that says what to do, and none of its text."""
    data, message = REFUSED[name]
    path = write_file(tmp_path / "x.json", data, packed=packed)

    with pytest.raises(TraceFormatError) as error:
        next(read_source(path))

    text = str(error.value)
    assert message in text
    assert text.startswith("x.json: ")
    assert text.count("\n") == 1
    assert "\n  Fix: " in text
    assert len(text) < 400


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("ends", ["text", "character", "structure"])
def test_a_file_that_ends_in_the_middle_is_to_be_copied_again(
    tmp_path: Path, indent: int | None, ends: str
) -> None:
    """The form is right, so a word about forms sends its owner the wrong way."""
    text = json.dumps({"messages": [{"role": "user", "content": "caf\u00e9"}]}, indent=indent)
    whole = text.replace("\\u00e9", "\u00e9").encode()
    cut = {"text": whole.index(b"caf") + 2, "character": whole.index(b"\xc3") + 1, "structure": -1}
    path = write_file(tmp_path / "x.json", whole[: cut[ends]])

    with pytest.raises(TraceFormatError, match=r"is not whole: .* cut off") as error:
        next(read_source(path))

    assert "Fix: the file ends in the middle of a record: export or copy it again, whole" in str(
        error.value
    )


@pytest.mark.parametrize("cut", [1, 30, -9, -1])
def test_a_truncated_gzip_file_yields_nothing(tmp_path: Path, cut: int) -> None:
    """Its first runs are whole, but a store must not hold half a file."""
    records = [dumped(a_tau2_run(id=f"s{n}", n="x" * 50 * n)) for n in range(40)]
    data = gzip.compress(b"\n".join(records))[: cut if cut < 0 else cut + 1]
    path = write_file(tmp_path / "runs.jsonl.gz", data)

    with pytest.raises(TraceFormatError):
        next(read_source(path))


def test_a_damaged_gzip_file_is_named(tmp_path: Path) -> None:
    """A wrong checksum at the end condemns what came before."""
    data = bytearray(gzip.compress(dumped(a_tau_run()) + b"\n" + dumped(a_tau2_run())))
    data[-6] ^= 0xFF

    with pytest.raises(TraceFormatError, match=r"is a damaged gzip file.*\n  Fix: copy"):
        next(read_source(write_file(tmp_path / "runs.jsonl.gz", bytes(data))))


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    """Both are typing mistakes."""
    with pytest.raises(InputError, match=r"absent: cannot be read: no such file or directory"):
        next(read_source(tmp_path / "absent"))
    with pytest.raises(InputError, match=r"is a folder; expected a file"):
        next(read_source(tmp_path))


def test_lines_that_are_single_messages_get_their_own_advice(tmp_path: Path) -> None:
    """Some recorders write a message a line; which lines make a run only a person knows."""
    path = write_lines(tmp_path / "chat.jsonl", *an_openai_chat())

    with pytest.raises(TraceFormatError, match=r"Fix: its lines are messages of one run"):
        read(path)


@pytest.mark.parametrize("at", [0, 1])
def test_a_record_beyond_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """One line of many gigabytes, or a gzip bomb, must not fill the memory."""
    monkeypatch.setattr("workbench.ingest.files.source._LIMIT_BYTES", 2 << 20)
    long = dumped([{"role": "system", "content": "x" * (3 << 20)}])
    lines = [dumped(a_tau_run()), dumped(a_tau2_run())]
    lines.insert(2 * at, long)
    path = write_file(tmp_path / "runs.jsonl", b"\n".join(lines), packed=True)

    with pytest.raises(
        TraceFormatError, match=r"has a record of more than 2 MiB\n  Fix: write one"
    ):
        next(read_source(path))


def test_a_document_beyond_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document is held as a whole, so it has a limit where JSON Lines have none."""
    monkeypatch.setattr("workbench.ingest.files.source._LIMIT_BYTES", 1 << 20)
    data = json.dumps([a_tau_run() for _ in range(2000)], indent=1).encode()

    with pytest.raises(TraceFormatError, match=r"has a record of more than 1 MiB"):
        next(read_source(write_file(tmp_path / "runs.json", data)))


def test_a_file_may_be_larger_than_the_limit_of_a_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON Lines are read line by line."""
    monkeypatch.setattr("workbench.ingest.files.source._LIMIT_BYTES", 4096)
    path = write_lines(tmp_path / "runs.jsonl", *(a_tau2_run(id=f"s{n}") for n in range(50)))

    assert path.stat().st_size > 4096
    assert len(read(path)) == 50


def test_line_ends_of_windows_are_no_part_of_a_run(tmp_path: Path) -> None:
    """The same run has the same id whatever a copy did to its line ends."""
    unix = write_file(tmp_path / "a.jsonl", dumped(a_tau_run()) + b"\n" + dumped(a_tau2_run()))
    dos = write_file(tmp_path / "b.jsonl", dumped(a_tau_run()) + b"\r\n" + dumped(a_tau2_run()))

    assert [run.run_id for run in read(unix)] == [run.run_id for run in read(dos)]


# --- sniffing ----------------------------------------------------------------

PLAIN: Json = {
    "messages": [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
    ]
}


def test_ambiguous_input_names_the_candidates(tmp_path: Path) -> None:
    """Two texts without a tool are the same in both chat formats; nothing is guessed."""
    path = write_lines(tmp_path / "chat.jsonl", PLAIN)

    with pytest.raises(TraceFormatError) as error:
        next(read_source(path))

    assert "openai_chat or as anthropic_messages" in str(error.value)
    assert "--format openai_chat or --format anthropic_messages" in str(error.value)


@pytest.mark.parametrize(
    ("other", "name"),
    [(an_openai_chat(), "openai_chat"), (an_anthropic_chat(), "anthropic_messages")],
)
def test_other_records_decide_for_an_ambiguous_one(tmp_path: Path, other: Json, name: str) -> None:
    """A file is written by one recorder."""
    runs = read(write_lines(tmp_path / "chat.jsonl", PLAIN, other))

    assert [run.trace.source.format for run in runs if run.trace and run.trace.source] == [
        name,
        name,
    ]


def test_records_of_both_formats_leave_an_ambiguous_one_open(tmp_path: Path) -> None:
    """Then the others do not decide either."""
    path = write_lines(tmp_path / "chat.jsonl", an_openai_chat(), an_anthropic_chat(), PLAIN)

    with pytest.raises(TraceFormatError, match=r"nothing in it decides"):
        read(path)


@pytest.mark.parametrize("name", ["openai_chat", "anthropic_messages"])
def test_a_person_decides_with_the_flag(tmp_path: Path, name: str) -> None:
    """That is what the error asks for."""
    (run,) = read(write_lines(tmp_path / "chat.jsonl", PLAIN), format=name)

    assert run.trace is not None
    assert run.run_id.startswith(name)


def test_a_forced_format_that_does_not_fit_is_an_error(tmp_path: Path) -> None:
    """It is named, so that the flag can be corrected."""
    path = write_lines(tmp_path / "runs.jsonl", a_tau_run())

    with pytest.raises(TraceFormatError, match=r"no trace.*expected agentdojo"):
        read(path, format="agentdojo")
    with pytest.raises(InputError, match=r"'agentdoj' is no format; expected auto, or one of"):
        read(path, format="agentdoj")
    with pytest.raises(InputError, match=r"'x' is no format"):
        read(path, format="x")


# --- laws --------------------------------------------------------------------


@settings(max_examples=40)
@given(traces())
def test_a_native_trace_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, trace: Trace
) -> None:
    """`trace/1` is the interchange format: nothing may change on the way."""
    path = tmp_path_factory.mktemp("native") / "run.json"
    write_file(path, dumped(trace_document(trace)))

    (run,) = read(path)

    assert run.trace is not None
    assert run.trace.events == trace.events
    assert run.trace.labels == trace.labels
    check_rows(run)


def check_rows(run: Imported) -> None:
    """Rows divide the bytes, every event has one, and the trace keeps its invariants."""
    assert run.trace is not None
    document = json.loads(json.dumps(trace_document(run.trace)))
    assert parse_trace(document, place=Place(name="again")) == run.trace
    ends = (*run.cuts[1:], len(run.raw))
    assert run.cuts[0] == 0
    assert all(start < end for start, end in zip(run.cuts, ends, strict=True))
    assert len(run.row_of_event) == len(run.trace.events)
    assert list(run.row_of_event) == sorted(run.row_of_event)
    assert all(row < len(run.cuts) for row in run.row_of_event)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "trace1"])
def test_each_message_is_a_row_and_arguments_are_exact(tmp_path: Path, name: str) -> None:
    """The store shows the raw bytes of an event, and the bug may sit in a space."""
    (run,) = read(write_file(tmp_path / "run.json", dumped(SAMPLES[name])))

    check_rows(run)
    assert run.trace is not None
    assert len(run.cuts) == MESSAGES[name]
    for event in run.trace.events:
        if isinstance(event, ToolCall):
            assert event.args_raw is not None
            exact = json.dumps(event.args_raw)[1:-1].encode()
            assert event.args_raw.encode() in run.raw or exact in run.raw
    assert "args_not_exact" not in {loss.kind for loss in run.losses.items}


MESSAGES = {
    "openai_chat": 5,
    "anthropic_messages": 4,
    "tau_bench": 5,
    "tau2_bench": 7,
    "agentdojo": 6,
}


@settings(max_examples=150)
@given(st.data())
def test_no_change_of_a_record_ends_in_anything_but_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever a recorder writes, the reader reads it, keeps it raw, or refuses the file."""
    record = data.draw(st.sampled_from([*SAMPLES.values()]))
    changed = replaced(record, data)
    path = tmp_path_factory.mktemp("fuzz") / "run.jsonl"
    write_lines(path, changed, a_tau_run())

    try:
        runs = read(path)
    except InputError:
        return

    assert [run.raw for run in runs] == [dumped(changed), dumped(a_tau_run())]
    for run in runs:
        if run.trace is not None:
            check_rows(run)
        else:
            assert run.parse_error


def replaced(value: Json, data: st.DataObject) -> Json:
    """Put any JSON value somewhere into a record, or take a part away."""
    here = data.draw(st.integers(0, 5)) == 0
    if here or not isinstance(value, dict | list) or not value:
        return data.draw(json_values())
    if isinstance(value, dict):
        key = data.draw(st.sampled_from(sorted(value)))
        if data.draw(st.integers(0, 9)) == 0:
            return {name: item for name, item in value.items() if name != key}
        return {**value, key: replaced(value[key], data)}
    at = data.draw(st.integers(0, len(value) - 1))
    return [*value[:at], replaced(value[at], data), *value[at + 1 :]]


@settings(max_examples=60)
@given(cut=st.integers(1, 2000), flip=st.integers(0, 255))
def test_damaged_bytes_end_in_an_input_error_or_in_raw(
    tmp_path_factory: pytest.TempPathFactory, cut: int, flip: int
) -> None:
    """A cut or a wrong byte anywhere costs at most its own record."""
    line = dumped(a_tau2_run())
    at = cut % len(line)
    damaged = line[:at] + bytes([flip]).replace(b"\n", b"")
    path = tmp_path_factory.mktemp("cut") / "run.jsonl"
    write_lines(path, a_tau_run(), damaged)

    runs = read(path)

    assert runs[0].trace is not None
    assert runs[1].raw == damaged.strip(b" \t\r\n")


# --- the rest ----------------------------------------------------------------


def test_halves_of_surrogate_pairs_are_replaced_and_reported(tmp_path: Path) -> None:
    """No UTF-8 file can hold them, so a store or a case could not be written."""
    chat = json.dumps(an_openai_chat()).replace("paused.", "paused \\ud83d.").encode()

    (run,) = read(write_file(tmp_path / "chat.json", chat))

    assert run.trace is not None
    last = run.trace.events[-1]
    assert getattr(last, "text", None) == "Your plan is paused \ufffd."
    assert ("lone_surrogates", 1) in {(loss.kind, loss.count) for loss in run.losses.items}
    assert run.raw == chat


def test_whole_surrogate_pairs_stay(tmp_path: Path) -> None:
    """An escaped emoji is two escapes and one character."""
    chat = json.dumps(an_openai_chat()).replace("paused.", "paused \\ud83d\\ude00.").encode()

    (run,) = read(write_file(tmp_path / "chat.json", chat))

    assert run.trace is not None
    assert getattr(run.trace.events[-1], "text", None) == "Your plan is paused \U0001f600."
    assert "lone_surrogates" not in {loss.kind for loss in run.losses.items}


def test_masks_in_the_raw_record_are_reported(tmp_path: Path) -> None:
    """A masked value that is used as a real one is an incident of its own."""
    chat = json.dumps(an_openai_chat()).replace("AC-1", "***").encode()

    (run,) = read(write_file(tmp_path / "chat.json", chat))

    assert ("masked_value", 1) in {(loss.kind, loss.count) for loss in run.losses.items}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_progress_reaches_its_end(tmp_path: Path, packed: bool) -> None:  # noqa: FBT001  a parameter of the test
    """Long work shows how far it is; both readings count."""
    records = [dumped(a_tau2_run(id=f"s{n}")) for n in range(50)]
    path = write_file(tmp_path / "runs.jsonl", b"\n".join(records), packed=packed)
    seen: list[tuple[int, int]] = []

    runs = list(read_source(path, on_progress=lambda done, total: seen.append((done, total))))

    assert len(runs) == 50
    assert seen == sorted(seen)
    assert seen[-1] == (2 * path.stat().st_size, 2 * path.stat().st_size)


def test_a_file_that_is_too_large_to_be_held_is_read_again(tmp_path: Path) -> None:
    """Small ones are kept in memory between the two readings; the runs are the same."""
    chats: list[Json] = []
    for n in range(2):
        task: Json = {"role": "user", "content": f"{n} " + "Pause my plan. " * 300_000}
        chats.append([task, *an_openai_chat()[2:]])
    path = write_lines(tmp_path / "large.jsonl", *chats)
    seen: list[int] = []

    runs = list(read_source(path, on_progress=lambda done, _: seen.append(done)))

    assert path.stat().st_size > 8 << 20
    assert [run.raw for run in runs] == [dumped(chat) for chat in chats]
    assert seen == sorted(seen)
    assert seen[-1] == 2 * path.stat().st_size


def test_declared_tools_reach_every_trace(tmp_path: Path) -> None:
    """Effects decide outcomes, so they travel with the trace."""
    tool = Tool(name="billing.pause", description="pauses")

    ((trace, _),) = ingest_traces(
        str(write_lines(tmp_path / "a.jsonl", an_openai_chat())), tools=(tool,)
    )

    assert trace.tools == (tool,)


def test_the_digest_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    """It names the batch: the same file twice adds nothing."""
    path = write_file(tmp_path / "a", b"abc")

    assert file_digest(path).startswith("ba7816bf8f01cfea")
    with pytest.raises(InputError, match=r"cannot be read"):
        file_digest(tmp_path / "absent")


def test_paths_in_errors_are_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An absolute path shows who ran the command and where."""
    write_file(tmp_path / "x.json", b"")
    monkeypatch.chdir(tmp_path)

    for path in ("x.json", tmp_path / "x.json"):
        with pytest.raises(TraceFormatError, match=r"^x.json: is empty"):
            read(Path(path))
