"""How long a thousand small cases take to load, replay and judge, on one core."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figure import Figure, cpu_s, fastest_s
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["beside_pytest", "measure", "measure_seconds", "pytest_s", "small_case"]

_CASES = 1_000
_CALLS = 6
_LIMIT_S = 3.0
_WHAT = f"{_CASES} scripted cases of {_CALLS} calls: load, replay, judge (processor time)"
_ROUNDS = 5


def measure() -> Figure:
    """Compare with what pytest takes to run as many empty tests, on one core each."""
    ours_s, peer_s = _measured()
    return Figure(
        what=_WHAT, ours_s=ours_s, peer=f"pytest, {_CASES} empty tests", peer_s=peer_s, bound=5
    )


def measure_seconds() -> Figure:
    """Compare the same with the 3 seconds of a core that it may take."""
    ours_s, _ = _measured()
    return Figure(what=_WHAT, ours_s=ours_s, peer="3 s", peer_s=_LIMIT_S, bound=1)


@cache
def _measured() -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.case.yaml"
        path.write_text(small_case(), "utf-8")
        return beside_pytest(lambda: _judge_all(path), _CASES)


def beside_pytest(work: Callable[[], object], number: int) -> tuple[float, float]:
    """Return the processor's seconds of some work and of pytest with so many empty tests.

    The two take turns, so that what else the machine does slows both; the shortest of each count.
    """
    with _empty_tests(number) as folder:
        pairs = [(cpu_s(work), cpu_s(lambda: _pytest(folder))) for _ in range(_ROUNDS)]
    return min(ours for ours, _ in pairs), min(peer for _, peer in pairs)


def pytest_s(number: int) -> float:
    """Return what pytest takes for so many empty parametrised tests, by the clock."""
    with _empty_tests(number) as folder:
        return fastest_s(lambda: _pytest(folder), rounds=_ROUNDS)


@contextmanager
def _empty_tests(number: int) -> Iterator[Path]:
    text = (
        "import pytest\n\n\n"
        f"@pytest.mark.parametrize('n', range({number}))\n"
        "def test_empty(n):\n    pass\n"
    )
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "test_empty.py").write_text(text, "utf-8")
        yield Path(name)


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
