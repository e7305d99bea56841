"""Cases for the tests of the runner, from one small incident."""

from __future__ import annotations

import copy

from workbench.casefile.case import parse_case
from workbench.casefile.layout import format_case

PAUSE = """\
schema: replay-case/1
id: pause-with-unknown-outcome
title: Pause timed out, the customer was told it was paused
state: proposed
owner: billing-agents
severity: S1
review_date: "2027-02-28"
fix: model
source: {kind: incident, run_id: run-7f3a}
input:
  messages: [{role: user, content: Pause my plan}]
tools:
  - {name: customer.lookup, wire: customer_lookup, effect: read}
  - {name: billing.pause, wire: billing_pause, effect: write}
  - {name: billing.get_operation, wire: billing_get_operation, effect: read,
     schema: {type: object, properties: {operation_id: {type: string}}}}
paths:
  - name: recorded
    expect: fail
    turns:
      - {tool_calls: [{id: c1, name: customer.lookup, args: {email: a@b.example}}], usage: {input_tokens: 812, output_tokens: 31}}
      - {tool_calls: [{id: c2, name: billing.pause, args: {account_id: "ACC-4471902 ", idempotency_key: k1}}]}
      - {text: Your plan is paused., outcome: success}
fixtures:
  - {id: f1, tool: customer.lookup, args: {email: a@b.example}, outcome: ok, result: {account_id: "ACC-4471902 "}, times: any}
  - {id: f2, tool: billing.pause, args: {account_id: "ACC-4471902 ", idempotency_key: k1}, match: {idempotency_key: nonempty},
     outcome: unknown, detail: timeout, error: {status: 504}, operation_id: op_1}
contract:
  must_call: [customer.lookup, billing.pause]
  max_calls: {billing.pause: 1}
  order: [{after: ["billing.pause#unknown", billing.get_operation]}]
  success_requires: billing.get_operation.status == completed
expect: {signature: {clauses: [order/1, success_requires/1], first: [order/1, tool_result, billing.pause, unknown]}}
"""


def a_pause_case(**changes):
    """Return the incident of a pause that timed out; `old=new` texts are replaced in it."""
    text = PAUSE
    for old, new in changes.get("texts", {}).items():
        assert old in text, old
        text = text.replace(old, new)
    return parse_case(text, name="pause.case.yaml")


def written(case):
    """Return a case as it comes back from its file."""
    return parse_case(format_case(copy.deepcopy(case)), name="again.case.yaml")
