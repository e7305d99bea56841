"""The bundled incident holds what it is meant to show."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tests.architecture.tree import PACKAGE
from tools import make_demo
from workbench.casefile.contract import load_contract
from workbench.casefile.trace import load_trace
from workbench.check.judge import judge
from workbench.check.outcomes import resolve_outcomes
from workbench.model.event import Outcome, UserMessage
from workbench.model.trace import calls_of, renumbered
from workbench.model.verdict import First, Result

TRACE = load_trace(PACKAGE / "demo" / "incident.json")
CONTRACT = load_contract(PACKAGE / "demo" / "contract.yaml")


def test_the_file_is_what_its_writer_writes():
    """A change by hand would be lost with the next change of the writer."""
    assert make_demo.TARGET.read_text("utf-8") == make_demo.render()


def test_it_is_as_long_as_a_real_conversation():
    """Shrinking has something to do, and a reader sees many harmless events first."""
    assert 100 <= len(TRACE.events) <= 140
    assert sum(isinstance(event, UserMessage) for event in TRACE.events) >= 7


def test_the_contract_is_broken_first_by_the_damaged_id_and_then_by_the_claim():
    """Two clauses, one for the code that let the id through, one for the promise."""
    verdict = judge(TRACE, CONTRACT)

    assert verdict.result is Result.FAIL
    assert verdict.signature.clauses == {"damaged_account_id", "confirmed_before_promised"}
    assert verdict.signature.first == First(
        clause="damaged_account_id", kind="tool_call", tool="billing.pause", outcome="unknown"
    )


def test_nothing_before_the_incident_breaks_the_contract():
    """The earlier matters are harmless: each violation is at or after the write."""
    pause = next(call for call in calls_of(TRACE) if call.tool == "billing.pause")

    assert all(violation.seq >= pause.start for violation in judge(TRACE, CONTRACT).violations)


def test_the_write_timed_out_and_was_never_read_back_as_completed():
    """That is what makes the claim false."""
    calls = calls_of(resolve_outcomes(TRACE))
    pause = next(call for call in calls if call.tool == "billing.pause")
    read_back = [call for call in calls if call.tool == "billing.get_operation"]

    assert pause.outcome is Outcome.UNKNOWN
    assert [call.result and call.result.result for call in read_back] == [
        {"operation_id": "op_7f3a91c2", "status": "pending"}
    ]


def test_the_damaged_id_comes_from_one_lookup_only():
    """The reader can follow the value; the reducer keeps that lookup and no other."""
    calls = calls_of(TRACE)
    pause = next(call for call in calls if call.tool == "billing.pause")

    sources = [
        call.tool
        for call in calls
        if call.end < pause.start and "ACC-4471902" in str(call.result and call.result.result)
    ]

    assert isinstance(pause.args, dict)
    assert pause.args["account_id"] == "ACC-4471902 "
    assert sources == ["crm.lookup"]


def test_a_limited_read_was_tried_again_and_reads_ran_at_the_same_time():
    """Retries and overlapping calls are what real traces have and simple tools lose."""
    calls = calls_of(resolve_outcomes(TRACE))

    outcomes = [call.outcome for call in calls if call.tool == "shipping.track"]
    assert outcomes[:2] == [Outcome.RETRYABLE, Outcome.OK]
    assert any(b.start < a.end < b.end for a in calls for b in calls if a is not b)
    assert any(a.start < b.start and b.end < a.end for a in calls for b in calls)


def texts(value, key=""):
    """Yield every text in a JSON value with its key."""
    match value:
        case str():
            yield key, value
        case dict():
            for name, item in value.items():
                yield from texts(item, name)
        case list():
            for item in value:
                yield from texts(item, key)
        case _:
            pass


EMAIL = re.compile(r"[\w.]+(@|%40)example\.(com|net|org)")


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        ("prose", lambda key, text: key == "text" and " " in text),
        ("arguments", lambda key, text: key == "args_raw"),
        ("a URL", lambda key, text: text.startswith("https://")),
        ("a header", lambda key, text: key == "link"),
        ("JSON in a string", lambda key, text: key == "profile" and json.loads(text)),
    ],
)
def test_personal_data_is_in_every_kind_of_place(where, chosen):
    """Redaction that looks at prose only would pass a tamer example."""
    document = json.loads((PACKAGE / "demo" / "incident.json").read_text("utf-8"))

    found = [text for key, text in texts(document) if chosen(key, text) and EMAIL.search(text)]

    assert found, where


def test_every_mail_address_is_in_a_domain_that_nobody_can_own():
    """All persons are made up; mail to them must reach nobody."""
    text = (PACKAGE / "demo" / "incident.json").read_text("utf-8")

    domains = set(re.findall(r"[\w.]@([\w-]+(?:\.[\w-]+)+)", text))

    assert domains
    assert all(re.search(r"(^|\.)example(\.(com|net|org))?$", domain) for domain in domains)


def test_an_agent_that_does_nothing_breaks_the_contract():
    """Who runs the demo's case with `echo hi` must not be told that all is well."""
    asked = renumbered(event for event in TRACE.events if isinstance(event, UserMessage))

    verdict = judge(replace(TRACE, events=asked), CONTRACT)

    assert verdict.signature.clauses == {"must_call/1"}
