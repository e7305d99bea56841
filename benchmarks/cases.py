"""How long a thousand small cases take to load, replay and judge, on one core."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.figure import Figure, fastest_s
from workbench.casefile.build import build_case
from workbench.casefile.case import load_case
from workbench.casefile.contract import load_contract
from workbench.casefile.layout import format_case
from workbench.check.judge import judge
from workbench.model.case import CaseSource, Header, SourceKind
from workbench.model.event import (
    Claim,
    Event,
    ModelReply,
    ModelRequest,
    Outcome,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.trace import Effect, Tool, Trace, renumbered
from workbench.replay.scripted import replay_path

__all__ = ["measure", "pytest_s", "small_case"]

_CASES = 1_000
_CALLS = 6


def measure() -> Figure:
    """Compare with what pytest takes to run as many empty tests."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.case.yaml"
        path.write_text(small_case(), "utf-8")
        return Figure(
            what=f"{_CASES} scripted cases of {_CALLS} calls: load, replay, judge",
            ours_s=fastest_s(lambda: _judge_all(path), rounds=3),
            peer=f"pytest, {_CASES} empty tests",
            peer_s=pytest_s(_CASES),
            bound=5,
        )


def pytest_s(number: int) -> float:
    """Return what pytest takes for so many empty parametrised tests."""
    text = (
        "import pytest\n\n\n"
        f"@pytest.mark.parametrize('n', range({number}))\n"
        "def test_empty(n):\n    pass\n"
    )
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "test_empty.py").write_text(text, "utf-8")
        return fastest_s(lambda: _pytest(Path(name)), rounds=3)


def _judge_all(path: Path) -> None:
    for _ in range(_CASES):
        case = load_case(path)
        verdict = judge(replay_path(case, case.recorded), case.contract)
        if verdict.signature != case.signature:
            raise SystemExit("the case of the benchmark does not fail as it should")


def _pytest(folder: Path) -> None:
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder))
    subprocess.run([sys.executable, *words], check=True, capture_output=True, cwd=folder)


def small_case() -> str:
    """Return a case of about 2 KB whose recorded path makes one call too many."""
    events: list[Event] = [SystemMessage(text="Use the tools."), UserMessage(text="Count them.")]
    for n in range(1, _CALLS + 1):
        call = f"c{n}"
        events += [
            ModelRequest(),
            ModelReply(call_ids=(call,)),
            ToolCall(call_id=call, tool="store.count", args={"shelf": n}, turn=n),
            ToolResult(call_id=call, outcome=Outcome.OK, result={"shelf": n, "items": 7 * n}),
        ]
    events += [
        ModelRequest(),
        ModelReply(text="There are 147."),
        Claim(text="There are 147.", final=True),
    ]
    trace = Trace(
        run_id="run-1",
        tools=(Tool(name="store.count", effect=Effect.READ),),
        events=renumbered(events),
    )
    contract = load_contract({"max_calls": {"store.count": _CALLS - 1}})
    header = Header(
        id="too-many-calls",
        title="It counted one shelf too many",
        owner="shop",
        review_date="2027-02-28",
        source=CaseSource(kind=SourceKind.INCIDENT, run_id="run-1"),
        signature=judge(trace, contract).signature,
    )
    return format_case(build_case(trace, contract, header=header))
