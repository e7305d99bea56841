"""Tags, feedback, completion and errors are kept by every format that has them, and find the run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.ingest.exports import a_generation, a_langsmith_trace, an_observation
from tests.ingest.importers.test_inspect_log import a_sample, asked
from tests.ingest.otlp.spans import a_billing_run, a_document, a_log, attributes
from tests.ingest.samples import write_file, write_lines
from workbench.review.intake import take_file
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from workbench.model.jsonvalue import JsonMap

pytestmark = pytest.mark.desk


def langsmith() -> list[Any]:
    """A root with an error, tags and thumbs down."""
    records: list[Any] = list(a_langsmith_trace())
    root = next(record for record in records if record["run_type"] == "chain")
    root |= {"error": "TimeoutError('504')", "status": "error"}
    return records


def langfuse() -> list[Any]:
    """A failed root, tags and a score."""
    sent, given = json.dumps([{"role": "user", "content": "Hi"}]), json.dumps({"role": "assistant"})
    root = an_observation("agent", 0, 9, level="ERROR", statusMessage="504")
    about = {"id": "lf-1", "tags": ["prod"], "scores": [{"name": "thumbs", "value": 0}]}
    return [{"trace": about, "observations": [root, a_generation("g1", 1, sent, given)]}]


def inspect() -> list[Any]:
    """A sample that a scorer calls incorrect."""
    return [a_sample(asked(), scores={"match": {"value": "I"}})]


def otlp() -> list[Any]:
    """A failed root with tags in two forms, and an evaluation."""
    spans: list[Any] = list(a_billing_run())
    root = next(span for span in spans if "parentSpanId" not in span)
    tags: JsonMap = {"tag.tags": ["prod", "eu"], "langsmith.span.tags": "beta, prod"}
    root["status"] = {"code": 2}
    root["attributes"] = [
        *root["attributes"],
        *attributes(tags),
    ]
    said: JsonMap = {"gen_ai.evaluation.name": "thumbs", "gen_ai.evaluation.score.value": 0}
    log: Any = a_log("gen_ai.evaluation.result", {}, span=1)
    log["attributes"] = [*log.get("attributes", []), *attributes(said)]
    return [a_document(*spans, logs=(log,))]


@pytest.mark.parametrize(
    ("record", "tags"),
    [
        (langsmith, ["prod", "eu", "feedback.thumbs.avg=0"]),
        (langfuse, ["prod", "scores.thumbs=0"]),
        (inspect, ["score.match=I"]),
        (otlp, ["prod", "eu", "beta", "evaluation.thumbs=0"]),
    ],
)
def test_failed_runs_are_found_by_tag_and_feedback(
    tmp_path: Path,
    record: Callable[[], list[Any]],
    tags: list[str],
) -> None:
    """`runs --failed --tag T`: each tag finds the run, no other does."""
    records = record()
    file = (
        write_lines(tmp_path / "runs.jsonl", *records)
        if len(records) > 1
        else write_file(tmp_path / "run.json", json.dumps(records[0]).encode())
    )
    with open_store(tmp_path / "store") as store:
        take_file(store, file)

        found = {tag: store.runs(failed=True, tag=tag).num_rows for tag in (*tags, "other")}

    assert found == {**dict.fromkeys(tags, 1), "other": 0}


def test_tags_of_spans_in_odd_forms_are_no_error(tmp_path: Path) -> None:
    """A number, JSON that is cut, an empty name."""
    spans: list[Any] = list(a_billing_run())
    odd: JsonMap = {"tag.tags": 5, "langfuse.tags": '["a", 3, " "]', "logfire.tags": '["cut'}
    spans[0]["attributes"] = [*spans[0]["attributes"], *attributes(odd)]
    file = write_file(tmp_path / "run.json", json.dumps(a_document(*spans)).encode())

    with open_store(tmp_path / "store") as store:
        take_file(store, file)
        (run_id,) = store.run_ids()

        assert store.fetch(run_id).tags == ("a", '["cut')
