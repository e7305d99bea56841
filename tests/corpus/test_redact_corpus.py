"""Real traces of three groups redacted: the failure stays, nothing is left, structure holds.

A seeded sample runs by default, 300 traces (500 for false alarms) with WORKBENCH_LONG=1.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.corpus.making import dojo_failures, loaded_runs, tau_failures
from tests.long import is_long
from workbench.casefile.trace import trace_document
from workbench.errors import RefusedError
from workbench.model.event import ToolCall, ToolResult
from workbench.model.jsonvalue import TextForm, parse_text
from workbench.redact import redact_trace, require_safe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Tool, Trace
    from workbench.redact.redaction import Redaction

pytestmark = [pytest.mark.corpus, pytest.mark.desk, pytest.mark.slow]

KEY = bytes(range(32))
GROUPS = ("agentdojo", "tau-bench", "tau2-bench")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A trace, and a contract where it failed."""

    trace: Trace
    contract: Contract | None = None

    def redacted(self) -> Redaction:
        """Redact it without models, as the sample is about the rules."""
        return redact_trace(self.trace, contract=self.contract, key=KEY, ner="none", survivors=())


def chosen(items: list[Run], short: int, long: int, *, seed: int) -> list[Run]:
    """Return a seeded sample in the order of the corpus."""
    count = min(long if is_long() else short, len(items))
    at = sorted(random.Random(seed).sample(range(len(items)), count))  # noqa: S311  a sample
    return [items[n] for n in at]


def plain_runs(corpus: Path, tools: tuple[Tool, ...], group: str) -> Iterator[Run]:
    """Yield the runs of a group, whether they failed or not."""
    for _, run in loaded_runs(sorted(corpus.glob(f"{group}/*.jsonl.gz")), tools):
        yield Run(trace=run.trace)


@pytest.fixture(scope="module")
def failures(corpus: Path, corpus_tools: tuple[Tool, ...]) -> list[Run]:
    """Runs that failed, with what they broke, of two groups; the third has no verdicts."""
    found = [
        Run(trace=f.run.trace, contract=f.contract)
        for failures in (dojo_failures, tau_failures)
        for f in failures(corpus, corpus_tools)
    ]
    others = chosen(list(plain_runs(corpus, corpus_tools, "tau2-bench")), 12, 70, seed=4)
    return [*chosen(found, 48, 230, seed=3), *others]


@pytest.fixture(scope="module")
def done(failures: list[Run]) -> list[tuple[Run, Redaction]]:
    """All of them redacted."""
    return [(run, run.redacted()) for run in failures]


def test_the_failure_stays_and_nothing_is_left(done: list[tuple[Run, Redaction]]) -> None:
    """The two promises, on what really happened."""
    changed = [run.trace.run_id for run, redaction in done if not redaction.signature_same]
    left = [(run.trace.run_id, r.residue_at) for run, r in done if r.residue.hits]

    assert changed == []
    assert left == []
    assert len(done) >= (300 if is_long() else 60)


def test_refusals_are_few(done: list[tuple[Run, Redaction]]) -> None:
    """Signature, residue and the facts of the trigger together."""
    refused = []
    for run, redaction in done:
        try:
            require_safe(redaction)
        except RefusedError as error:
            refused.append((run.trace.run_id, str(error)[:300]))

    assert len(refused) <= 0.02 * len(done), refused


def forms(value: Json) -> Json:
    """Return the structure of a JSON value: keys are counted, texts are told by their form."""
    if isinstance(value, dict):
        return [forms(item) for item in value.values()]
    if isinstance(value, list):
        return [forms(item) for item in value]
    if isinstance(value, str):
        parsed = parse_text(value)
        inner = parsed.value if parsed.form is not TextForm.TEXT else None
        return ["str", forms(inner)] if isinstance(inner, dict | list) else "str"
    return type(value).__name__


def test_structure_holds_at_every_level(done: list[tuple[Run, Redaction]]) -> None:
    """Lists keep their lengths, numbers stay numbers, JSON in texts stays JSON, ids their joins."""
    for run, redaction in done:
        before, after = run.trace, redaction.trace
        assert forms(trace_document(after)) == forms(trace_document(before))
        ids = set(zip(call_ids(before), call_ids(after), strict=True))
        assert len({old for old, _ in ids}) == len({new for _, new in ids}) == len(ids)
        assert len({json.dumps(e.args) for e in calls(after)}) == len(
            {json.dumps(e.args) for e in calls(before)}
        )


def call_ids(trace: Trace) -> list[str]:
    """Return the id of every call and result."""
    return [e.call_id for e in trace.events if isinstance(e, ToolCall | ToolResult)]


def calls(trace: Trace) -> list[ToolCall]:
    """Return the calls whose arguments could be read."""
    return [e for e in trace.events if isinstance(e, ToolCall) and isinstance(e.args, dict)]


def test_no_false_alarm(corpus: Path, corpus_tools: tuple[Tool, ...]) -> None:
    """A scan that cries wolf is clicked away."""
    runs = [
        run
        for group in GROUPS
        for run in chosen(list(plain_runs(corpus, corpus_tools, group)), 20, 180, seed=5)
    ]

    alarms = [(run.trace.run_id, r.residue_at) for run in runs if (r := run.redacted()).residue_at]

    assert alarms == []
    assert len(runs) >= (500 if is_long() else 60)


def test_a_damaged_domain_stays_a_damaged_domain(
    corpus: Path, corpus_tools: tuple[Tool, ...]
) -> None:
    """`bluesparrowtech.com` really lost its first letter in runs of AgentDojo."""
    both = [
        run
        for run in plain_runs(corpus, corpus_tools, "agentdojo")
        if {"@bluesparrowtech.com", "@luesparrowtech.com"}
        <= {
            part
            for part in ("@bluesparrowtech.com", "@luesparrowtech.com")
            if part in str(trace_document(run.trace))
        }
    ]
    assert both

    for run in both[: len(both) if is_long() else 3]:
        new = {n.text: n.pseudonym for n in run.redacted().needles}
        good = {v.rpartition("@")[2] for t, v in new.items() if t.endswith("@bluesparrowtech.com")}
        bad = {v.rpartition("@")[2] for t, v in new.items() if t.endswith("@luesparrowtech.com")}
        assert len(good) == len(bad) == 1
        assert bad == {host[1:] for host in good}
