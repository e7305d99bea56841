"""What one file brought, and what is said of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.otlp.spans import TRACE, a_billing_run, a_document
from tests.ingest.samples import kinds, write_lines
from workbench.review.intake import take_file
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk


def test_spans_that_come_late_complete_their_run(tmp_path: Path):
    """Of a trace in several files nothing is lost, and nothing stands there twice."""
    spans = a_billing_run()
    early = write_lines(tmp_path / "early.jsonl", a_document(*spans[:2]))
    late = write_lines(tmp_path / "late.jsonl", a_document(*spans[1:]))  # one span again

    with open_store(tmp_path / "store") as store:
        take_file(store, early)
        before = store.fetch(TRACE)
        second = take_file(store, late)
        after = store.fetch(TRACE)
        losses = {loss.kind: loss.count for loss in store.losses(TRACE).items}

        assert len(store.runs()) == 1
        assert len(before.events) < len(after.events)
        assert "tool_result" in kinds(after)
        assert losses["records_joined"] == 1
        assert "spans_repeated" not in losses
        assert store.raw(TRACE).count(b"spanId") == 4
        assert second.runs == 1


def test_a_late_file_that_brings_nothing_new_adds_nothing(tmp_path: Path):
    """An exporter that sends again must not make versions of a run."""
    spans = a_billing_run()
    whole = write_lines(tmp_path / "whole.jsonl", a_document(*spans))
    again = write_lines(tmp_path / "again.jsonl", a_document(*spans[2:]))

    with open_store(tmp_path / "store") as store:
        take_file(store, whole)
        second = take_file(store, again)

        assert second.runs == 0
        assert second.commit.duplicates == 1


def test_runs_of_different_traces_are_not_joined(tmp_path: Path):
    """Only one trace id is one run."""
    first = write_lines(tmp_path / "1.jsonl", a_document(*a_billing_run()))
    other = [{**span, "traceId": "f" * 32} for span in a_billing_run()]
    second = write_lines(tmp_path / "2.jsonl", a_document(*other))

    with open_store(tmp_path / "store") as store:
        take_file(store, first)
        take_file(store, second)

        assert store.run_ids() == {TRACE, "f" * 32}
        assert "records_joined" not in {loss.kind for loss in store.losses("f" * 32).items}
