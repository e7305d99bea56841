"""Runs that are spread over records, and formats that another package brings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.ingest.otlp.spans import TRACE, a_billing_run, a_document, trace_of
from tests.ingest.samples import an_openai_chat, dumped, kinds, lost, write_file, write_lines
from workbench.errors import InputError
from workbench.ingest.formats import format_index, known_formats
from workbench.ingest.reader import read_source
from workbench.ingest.records.format import Format, no_id
from workbench.ingest.records.jsontext import texts_in
from workbench.ingest.records.parts import PartMap
from workbench.ingest.run_keys import RunKeys
from workbench.model.event import ToolCall
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workbench.model.jsonvalue import Json

IMPORTER = '''
"""A log with a line a message; `run` is said when it changes."""

from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.records.format import Format
from workbench.ingest.events.transcript import Asked, Said, Transcript


def read_log(records, *, place, tools):
    script = Transcript()
    for at, record in enumerate(records):
        ref = str(at)
        if "say" in record:
            script.user(Said(ref=ref, text=record["say"]))
        elif "args" in record:
            call = Asked(ref=ref, id=None, tool="look", value=record["args"])
            script.reply(Said(ref=ref), [call])
    own = next((record["run"] for record in records if "run" in record), None)
    return finished(script, RunFacts(own_id=own), origin=place, tools=tools)


def is_log(record):
    return isinstance(record, dict) and record.get("kind") == "acme"


FORMAT = Format(
    name="acme",
    recognises=is_log,
    owns=is_log,
    own_id=lambda records: None,
    read=read_log,
    run_of=lambda record: record.get("run"),
)
NOT_A_FORMAT = 3
TAKEN = Format(name="otlp", recognises=is_log, owns=is_log, read=read_log)
'''


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Return a function that installs a package with an importer."""

    def installed(target: str) -> None:
        site = tmp_path / "site"
        folder = site / "acme_traces-1.0.dist-info"
        folder.mkdir(parents=True)
        (site / "acme_traces.py").write_text(IMPORTER, "utf-8")
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-traces\n", "utf-8")
        points = f"[workbench.importers]\nacme = {target}\n"
        (folder / "entry_points.txt").write_text(points, "utf-8")
        monkeypatch.syspath_prepend(str(site))
        forget()

    def forget() -> None:
        known_formats.cache_clear()
        format_index.cache_clear()

    yield installed
    forget()


def acme(**parts: Json) -> Json:
    """One line of the other package's log."""
    return {"kind": "acme", **parts}


# --- formats of other packages -----------------------------------------------------


def test_a_format_of_another_package_is_read(tmp_path: Path, install) -> None:
    """It needs an entry point and nothing of ours; records without a key go with those before."""
    install("acme_traces:FORMAT")
    path = write_lines(
        tmp_path / "log.jsonl",
        acme(note="a head without a key"),
        acme(run="a", say="one"),
        acme(args={"n": 1}),
        acme(run="b", say="two"),
        acme(run="a", say="three"),
        acme(args={"n": 2}),
    )

    a_run, b_run = sorted(read_source(path), key=lambda run: run.run_id)

    assert kinds(trace_of(a_run)) == [
        "user_message",
        "model_reply",
        "tool_call",
        "user_message",
        "model_reply",
        "tool_call",
    ]
    assert kinds(trace_of(b_run)) == ["user_message"]
    assert a_run.raw.count(b"\n") == 4
    assert b_run.raw == dumped(acme(run="b", say="two"))
    assert len(a_run.cuts) == 4  # a row for each record that events come from
    assert trace_of(a_run).source is not None


def test_arguments_of_grouped_records_keep_their_bytes(tmp_path: Path, install) -> None:
    """A `source_ref` starts with the position of the record."""
    install("acme_traces:FORMAT")
    line = b'{"kind":"acme","run":"a","args":{"n" :  1.0}}'
    path = write_lines(tmp_path / "log.jsonl", acme(run="a", say="x"), b"{damaged", line)

    (run,) = read_source(path)

    call = next(event for event in trace_of(run).events if isinstance(event, ToolCall))
    assert call.args_raw == '{"n" :  1.0}'
    assert lost(run.losses)["records_unreadable"] == 1
    assert run.raw == b"\n".join((dumped(acme(run="a", say="x")), b"{damaged", line))
    assert run.losses.grade is Grade.NEEDS_FIXTURES


def test_records_without_any_key_are_one_run(tmp_path: Path, install) -> None:
    """The file is the run."""
    install("acme_traces:FORMAT")
    path = write_lines(tmp_path / "log.jsonl", acme(say="one"), acme(say="two"))

    (run,) = read_source(path)

    assert kinds(trace_of(run)) == ["user_message"] * 2
    assert run.run_id.startswith("acme-")


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("acme_traces:NOT_A_FORMAT", "is a int; expected a Format"),
        ("acme_traces:absent", "cannot be loaded: AttributeError"),
        ("acme_absent:FORMAT", "cannot be loaded: ModuleNotFoundError"),
        ("acme_traces:TAKEN", "has the name 'otlp', which is taken"),
    ],
)
def test_a_broken_importer_is_named_with_its_package(
    tmp_path: Path, install, target: str, reason: str
) -> None:
    """Leaving it out in silence would read its files as something else."""
    install(target)
    path = write_file(tmp_path / "chat.json", dumped(an_openai_chat()))

    with pytest.raises(InputError) as error:
        list(read_source(path))

    assert f"importer 'acme' of package 'acme-traces' {reason}" in str(error.value)
    assert "Fix: mend or uninstall acme-traces" in str(error.value)


# --- which record belongs where -----------------------------------------------------


def test_damaged_lines_between_several_runs_belong_to_none(tmp_path: Path) -> None:
    """Nobody knows whose they were; each is stored raw."""
    other = [{**span, "traceId": "f" * 32} for span in a_billing_run()]
    lines = [a_document(span) for span in (*a_billing_run(), *other)]

    runs = list(read_source(write_lines(tmp_path / "l.jsonl", *lines, b"{cut")))

    assert {run.run_id for run in runs if run.trace} == {TRACE, "f" * 32}
    (damaged,) = [run for run in runs if run.trace is None]
    assert damaged.raw == b"{cut"
    assert damaged.losses.grade is Grade.UNUSABLE


def test_grouped_and_single_records_share_a_file(tmp_path: Path) -> None:
    """Each line stands for itself; the chat does not wait for the spans."""
    first, *rest = (a_document(span) for span in a_billing_run())
    chat: Json = {"messages": an_openai_chat()}

    runs = list(read_source(write_lines(tmp_path / "l.jsonl", first, chat, *rest)))

    formats = [run.trace.source.format for run in runs if run.trace and run.trace.source]
    assert formats == ["openai_chat", "otlp"]


def test_a_key_goes_on_until_the_next(tmp_path: Path) -> None:
    """The first key also takes what came before it, once it is known."""
    entry = Format(
        name="x",
        recognises=lambda _: True,
        owns=lambda _: True,
        read=lambda record, **_: record,
        run_of=lambda record: record if isinstance(record, str) else None,
    )
    keys = RunKeys()

    found = [keys.of(entry, record) for record in (None, "a", None, "b", None)]

    assert found == [None, ("x", "a"), ("x", "a"), ("x", "b"), ("x", "b")]
    assert RunKeys(first={"x": "a"}).of(entry, None) == ("x", "a")
    assert entry.own_id is no_id
    assert entry.own_id(None) is None


# --- texts --------------------------------------------------------------------------


def test_values_behind_each_other_are_cut_where_they_end() -> None:
    """Records may be pretty JSON of many lines; what is no JSON ends with its line."""
    pretty = json.dumps({"a": [1, 2]}, indent=2)

    assert list(texts_in(f"\n{pretty}\n[3] 4\n{{cut\n5\n")) == [pretty, "[3]", "4", "{cut", "5"]
    assert list(texts_in("[" * 200_000)) == ["[" * 200_000]
    assert list(texts_in(" \n")) == []


def test_the_map_of_lines_skips_those_that_are_no_values() -> None:
    """A path starts with the number among the readable ones."""
    parts = PartMap.of_lines([b"{bad", b'{"a": [7]}', b"8"], [1, 2])

    assert parts.text((0, "a", 0)) == "7"
    assert parts.span((1,)) == (len(parts.raw) - 1, len(parts.raw))
    assert parts.span((2,)) is None
