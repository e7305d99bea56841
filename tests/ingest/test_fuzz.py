"""Damaged files of our own: read, kept raw or refused with a reason; never a crash, a hang or half.

The corpus' files are damaged in the same ways by `tests/corpus/test_fuzz_corpus.py`.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.ingest.exports import a_langsmith_trace, a_managed_session, langchain_conversation
from tests.ingest.importers.test_autogen import a_stream
from tests.ingest.importers.test_cassettes import a_run as a_cassette
from tests.ingest.importers.test_claude_code import a_session
from tests.ingest.importers.test_crewai import a_native_log
from tests.ingest.importers.test_openhands import a_task
from tests.ingest.mutations import damaged, survives
from tests.ingest.otlp.spans import TRACE, a_billing_run, a_document
from tests.ingest.samples import (
    a_tau2_run,
    a_tau_run,
    an_agentdojo_run,
    an_anthropic_chat,
    an_openai_chat,
)
from tests.long import is_long
from workbench.casefile.trace import trace_document
from workbench.errors import InputError
from workbench.review.intake import take_file
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from workbench.model.jsonvalue import Json

pytestmark = pytest.mark.desk

BLOCKS = 10
EACH = 200 if is_long() else 15
STORED = 60 if is_long() else 12


def lines(records: Iterable[Json]) -> bytes:
    """Records as JSON Lines."""
    return "\n".join(json.dumps(record) for record in records).encode()


def native() -> Json:
    """A trace of our own format."""
    trace = a_trace(a_user(), a_call("billing.pause"), a_claim(), run_id="run-1")
    return trace_document(trace)


SOURCES: dict[str, bytes] = {
    "trace1": lines([native()]),
    "openai_chat": json.dumps(an_openai_chat()).encode(),
    "anthropic_messages": json.dumps(an_anthropic_chat()).encode(),
    "tau_bench": json.dumps([a_tau_run(), a_tau_run(reward=1.0)]).encode(),
    "tau2_bench": json.dumps(a_tau2_run()).encode(),
    "agentdojo": json.dumps(an_agentdojo_run()).encode(),
    "otlp": json.dumps(a_document(*a_billing_run())).encode(),
    "otlp lines": lines(a_document(span) for span in a_billing_run()),
    "langsmith": json.dumps(a_langsmith_trace()).encode(),
    "langchain": json.dumps(langchain_conversation()).encode(),
    "managed_agents": lines(a_managed_session()),
    "autogen": lines(a_stream()),
    "cassette": json.dumps(a_cassette()).encode(),
    "claude_code": lines(a_session()),
    "crewai": json.dumps(a_native_log()).encode(),
    "openhands": json.dumps(a_task()).encode(),
}


@pytest.mark.parametrize("block", range(BLOCKS))
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, block: int) -> None:
    """Each failure says the number that makes the file again."""
    found: Counter[str] = Counter()
    for number in range(block * EACH, (block + 1) * EACH):
        rng = random.Random(number)  # noqa: S311  a sample, no secret
        name = rng.choice([*SOURCES])
        broken = damaged(SOURCES[name], rng)
        if rng.random() < 0.1:
            broken = damaged(gzip.compress(broken, mtime=0), rng)
        try:
            found[survives(broken, tmp_path / "trace.json")] += 1
        except Exception as error:
            error.add_note(f"damage {number} of {name}, {len(broken)} bytes")
            raise

    assert found.total() == EACH
    assert found["read"]  # else nothing was tested but the JSON parser


def test_a_damaged_file_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    """What is refused leaves no run; what is taken comes back byte for byte."""
    taken = 0
    with open_store(tmp_path / "store") as store:
        for number in range(STORED):
            rng = random.Random(number + 1_000_000)  # noqa: S311  a sample, no secret
            path = tmp_path / "trace.json"
            path.write_bytes(damaged(SOURCES[rng.choice([*SOURCES])], rng))
            before = store.run_ids()
            try:
                intake = take_file(store, path)
            except InputError:
                assert store.run_ids() == before
                continue
            taken += 1
            fresh = store.run_ids() - before
            assert len(fresh) <= intake.commit.runs
            for run_id in fresh:
                assert store.raw(run_id)
        assert store.verify(deep=True).ok
    assert 0 < taken < STORED


def test_damage_is_the_same_for_the_same_number() -> None:
    """Else a failure could not be looked at."""
    data = SOURCES["otlp"]

    assert damaged(data, random.Random(7)) == damaged(data, random.Random(7))  # noqa: S311
    assert TRACE.encode() in data
