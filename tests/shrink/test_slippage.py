"""Two faults in one trace: the pair is kept, and what one of them would be alone is reported."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

from benchmarks.shrink_faults import FAULTS, Fault, a_faulty_trace
from tests.shrink.brute import droppable
from workbench.casefile.contract import load_contract
from workbench.check.oracle import recorded_oracle
from workbench.shrink import shrink_trace

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap


def both(one: Fault, other: Fault) -> Fault:
    """Return one fault that is two."""
    contract: JsonMap = dict(one.contract)
    for key, value in other.contract.items():
        contract[key] = joined(contract[key], value) if key in contract else value
    spoken = max(one.claim, other.claim, key=lambda claim: "paused" in claim)
    return Fault(
        name=f"{one.name} and {other.name}",
        contract=contract,
        calls=(*one.calls, *other.calls),
        claim=spoken,
    )


def joined(left: Json, right: Json) -> Json:
    """Join two lists of clauses, or two maps of them."""
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **right}
    assert isinstance(left, list)
    assert isinstance(right, list)
    return [*left, *right]


def test_a_hundred_traces_with_two_faults_never_slip():
    """Seven faults in pairs, several traces each, judged by the real contract."""
    pairs = [both(*pair) for pair in combinations(FAULTS[:7], 2)]
    slipped: list[str] = []
    tried, unreported = 0, set()
    for fault, seed in product(pairs, range(6)):
        oracle = recorded_oracle(load_contract(fault.contract))
        trace = a_faulty_trace(fault, 60, seed)
        target = oracle(trace).signature
        if len(target.clauses) < 2:
            continue  # one fault mends the other: a read-back is made, and then not believed

        shrunk = shrink_trace(trace, oracle)

        tried += 1
        if not any(seen.clauses < target.clauses for seen in shrunk.also_seen):
            unreported.add(fault.name)
        if oracle(shrunk.trace).signature != target or droppable(shrunk.trace, oracle):
            slipped.append(f"{fault.name} {seed}")

    assert slipped == []
    assert tried >= 100
    assert unreported <= {"false success and duty never done"}  # both rest on the last claim
