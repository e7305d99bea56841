"""A complete case file, and how to change one place of it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from workbench.casefile.case import parse_case
from workbench.casefile.layout import format_mapping
from workbench.casefile.strict_yaml import load_yaml
from workbench.model.jsonvalue import Absent, Json, JsonMap

if TYPE_CHECKING:
    from workbench.model.case import Case

__all__ = ["FULL_CASE", "a_case", "a_document", "changed", "changed_all", "text_of"]

FULL_CASE = """\
schema: replay-case/1
id: pause-with-unknown-outcome
title: "Pause timed out, the customer was told it was paused"
why: {summary: "told too early", mend: "prompt v44 reads the operation back"}
state: active
owner: billing-agents
severity: S1
review_date: "2027-02-28"
tags: [billing, timeout]
fix: model
source: {kind: incident, draft: d-5b1e07, run_id: run-7f3a, trace_digest: "hmac:00ff", imported_from: otlp, grade: replayable}
redaction:
  policy: default@1
  detectors: {presidio: "2.2.366"}
  ledger:
    - {at: [input.1, f1.args.email], type: EMAIL_ADDRESS, pseudonym: user_01@mail-01.example, decision: rule}
  residue: {views: 22, hits: 0}
  unreviewed: 0
shrink: {events: [143, 13], oracle_calls: 14, minimal: {behaviour: true, stimulus: kept_by_flow}}
environment: {prompt: support-agent@v43, settings: {temperature: 0.2}, corpus: null}
trigger: [{at: f2.args.account_id, facts: [trailing_space, "invalid:schema"]}]
input:
  messages: [{role: system, content: "Be kind."}, {role: user, content: "Pause my plan, user_01@mail-01.example"}]
  state: {subscription: active}
tools:
  - {name: customer.lookup, wire: customer_lookup, description: "Finds one.", effect: read, schema: {type: object}}
  - {name: billing.pause, wire: billing_pause, effect: write}
  - {name: billing.get_operation, wire: billing_get_operation, effect: read}
  - {name: text.count, wire: text_count, effect: pure}
paths:
  - name: recorded
    expect: fail
    turns:
      - {tool_calls: [{id: c1, name: customer.lookup, args: {email: user_01@mail-01.example}}], usage: {input_tokens: 812}}
      - {permission: {decision: granted, tool: billing.pause}}
      - {tool_calls: [{id: c2, name: billing.pause, args: {account_id: "ACC-4471902 ", idempotency_key: k1}}]}
      - {text: "Your plan is paused.", outcome: success}
  - name: verified
    expect: pass
    basis: declared
    by: billing-agents
    turns:
      - {text: "Not yet.", outcome: unresolved}
fixtures:
  - {id: f1, tool: customer.lookup, args: {email: user_01@mail-01.example}, outcome: ok, result: {account_id: "ACC-4471902 "}, basis: recorded, times: any}
  - {id: f2, tool: billing.pause, args: {account_id: "ACC-4471902 ", idempotency_key: k1}, match: {idempotency_key: nonempty},
     outcome: unknown, detail: timeout, error: {status: 504, headers: {retry-after: "2"}, body: "upstream timeout"}, operation_id: op_1, basis: recorded}
  - {id: f3, tool: billing.get_operation, args: {operation_id: op_1}, outcome: ok, result: {status: pending}, basis: declared, by: billing-agents, only: [verified]}
contract:
  must_call: [customer.lookup, billing.pause]
  max_calls: {billing.pause: 1}
  order: [{after: ["billing.pause#unknown", billing.get_operation]}]
  success_requires: billing.get_operation.status == completed
gate:
  live: {trials: 20, hard: [max_calls, success_requires], soft: [{clauses: [must_call], min_passes: 16}, {clauses: [order], lower: 0.5, confidence: 0.95}]}
expect: {signature: {clauses: [order/1, success_requires/1], first: [order/1, tool_result, billing.pause, unknown]}, failing_version: support-agent@v43}
history: [{date: "2026-11-30", by: billing-agents, change: created}]
also_covers: [run-8001]
unproven: [{clause: must_call/2, reason: "never seen to pass"}]
require_isolation: kernel
local: [text.count]
"""


def a_document() -> JsonMap:
    """Return the case as a JSON mapping of the caller's own."""
    document, _ = load_yaml(FULL_CASE, name="full")
    assert isinstance(document, dict)
    return document


def a_case() -> Case:
    """Return the case as a value."""
    return parse_case(FULL_CASE, name="full")


def changed(path: str, value: Json | Absent) -> JsonMap:
    """Return the document with one place changed; `ABSENT`: removed; a new key is added."""
    return changed_all({path: value})


def changed_all(values: dict[str, Json | Absent]) -> JsonMap:
    """Return the document with several places changed, in order."""
    document = a_document()
    for path, value in values.items():
        *steps, last = path.split(".")
        node: Json = document
        for step in steps:
            node = node[int(step)] if isinstance(node, list) else node[step]  # type: ignore[index]
        key: str | int = int(last) if isinstance(node, list) else last
        if isinstance(value, Absent):
            del node[key]  # type: ignore[arg-type,union-attr]
        else:
            node[key] = copy.deepcopy(value)  # type: ignore[index]
    return document


def text_of(document: JsonMap) -> str:
    """Return a document as a case file's text."""
    return format_mapping(document)
