"""What a run costs: scripted cases in process, by HTTP and by a worker; live trials; growth.

The peer of the scripted layer is what everybody has in CI: pytest with as many empty parametrised
tests. The peer of the live layer is the same conversation with the stand-in provider itself.
"""

from __future__ import annotations

import http.client
import json
import os
import shlex
import sys
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from benchmarks.cases import (
    beside_pytest,
    measure as measure_in_process,
    measure_seconds,
    pytest_s,
    small_case,
)
from benchmarks.figure import Figure, cpu_s, fastest_s
from benchmarks.provider import provider
from workbench.casefile.case import parse_case
from workbench.casefile.layout import format_case
from workbench.check.judge import judge
from workbench.model.case import CaseState
from workbench.model.contract import FixPlace
from workbench.replay.live import Family, Provider, Upstream
from workbench.replay.scripted import replay_path
from workbench.runner.selftest import check_case
from workbench.runner.trials import run_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.case import Case
    from workbench.model.verdict import Verdict

__all__ = [
    "main",
    "measure_growth",
    "measure_http",
    "measure_live",
    "measure_self_test",
    "measure_worker",
]

_CASES: Final = 1_000
_MANY: Final = 10_000
_FEW_CASES: Final = 200
"""Of each thousand, measured in runs of ten."""

_AGENT: Final = "python:benchmarks.agents:agent"
_WORKER: Final = f"worker:{shlex.quote(sys.executable)} -m benchmarks.agents"
_KEY: Final = "BENCHMARK_KEY"
_OVERHEAD_S: Final = 0.005
_LIVE: Final = 200
_FEW: Final = 10
_ROUNDS: Final = 5


# --- cases -------------------------------------------------------------------------------


def _texts(number: int) -> list[str]:
    """Return so many case files: each has the code fixed, so that its recorded path runs."""
    case = parse_case(small_case(), name="a.case.yaml")
    contract = replace(case.contract, fix=FixPlace.CODE)
    text = format_case(replace(case, fix=FixPlace.CODE, contract=contract))
    return [text.replace("too-many-calls", f"too-many-calls-{n}") for n in range(number)]


def _loaded(number: int) -> list[Case]:
    return [parse_case(text, name="a.case.yaml") for text in _texts(number)]


def _judged(texts: Sequence[str]) -> list[tuple[Case, Verdict]]:
    """Load, replay and judge every case by the reference loop; all of it is kept, as a run does."""
    found = []
    for text in texts:
        case = parse_case(text, name="a.case.yaml")
        verdict = judge(replay_path(case, case.recorded), case.contract)
        if verdict.signature != case.signature:
            raise SystemExit("the case of the benchmark does not fail as it should")
        found.append((case, verdict))
    return found


def _run(cases: list[Case], spec: str) -> None:
    report = run_cases(cases, agent=spec, isolate="audit")
    if report.summary.failed != len(cases):
        raise SystemExit("the cases of the benchmark were not run to their end")


# --- figures ------------------------------------------------------------------------------


def _by(spec: str, how: str, number: int, bound: float) -> Figure:
    cases = _loaded(number)
    return Figure(
        what=f"{number} scripted cases {how}",
        ours_s=fastest_s(lambda: _run(cases, spec), rounds=1),
        peer=f"pytest, {number} empty tests",
        peer_s=pytest_s(number),
        bound=bound,
    )


def measure_http(number: int = _CASES) -> Figure:
    """Measure a Python agent: a fresh fork a trial, 13 requests to the gateway each."""
    return _by(_AGENT, "by HTTP, a fresh process each", number, 30)


def measure_worker(number: int = _CASES) -> Figure:
    """Measure an agent that stays alive: 13 requests to the gateway a trial."""
    return _by(_WORKER, "by HTTP, a worker that stays", number, 20)


def measure_growth() -> Figure:
    """Measure whether 10,000 cases take a thousand times what 10 take; a case each.

    Those of one large run are measured in portions, and small runs between them.
    """
    texts = _texts(_MANY)
    kept: list[tuple[Case, Verdict]] = []
    large_s = small_s = 0.0

    def grow(portion: Sequence[str]) -> None:
        kept.extend(_judged(portion))

    for start in range(0, _MANY, _CASES):
        portion = texts[start : start + _CASES]
        large_s += cpu_s(partial(grow, portion))
        few = [portion[at : at + 10] for at in range(0, _FEW_CASES, 10)]
        small_s += sum(cpu_s(partial(_judged, run)) for run in few)
    return Figure(
        what=f"a case of {_MANY:,} (processor time)",
        ours_s=large_s / _MANY,
        peer="a case of 10",
        peer_s=small_s / (_FEW_CASES * _MANY // _CASES),
        bound=1.2,
    )


def measure_self_test(number: int = _CASES) -> Figure:
    """Measure `workbench check`: every path, and every clause broken once."""
    cases = _loaded(number)
    ours_s, peer_s = beside_pytest(lambda: [check_case(case) for case in cases], number)
    return Figure(
        what=f"self-test of {number} cases (processor time)",
        ours_s=ours_s,
        peer=f"pytest, {number} empty tests",
        peer_s=peer_s,
        bound=5,
    )


# --- the live layer ------------------------------------------------------------------------


def _ask(port: int, times: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Count."}]})
    for _ in range(times):
        connection.request(
            "POST", "/v1/chat/completions", body, {"content-type": "application/json"}
        )
        json.loads(connection.getresponse().read())
    connection.close()


def measure_live(trials: int = _LIVE) -> Figure:
    """Measure what a live trial adds to asking the provider, beside 5 ms.

    Short and long runs take turns, and the shortest of each are compared: the start of the agent
    does not count, and what else the machine does counts little.
    """
    os.environ[_KEY] = "sk-benchmark-0123456789"
    short, long, direct = [], [], []
    with provider() as port:
        for _ in range(_ROUNDS):
            short.append(_live_s(port, _FEW))
            long.append(_live_s(port, _FEW + trials))
            direct.append(fastest_s(lambda: _ask(port, trials), rounds=1))
    direct_s = min(direct) / trials
    ours_s = (min(long) - min(short)) / trials
    return Figure(
        what=f"a live trial of one model request, without the {direct_s:.4f} s of the request",
        ours_s=ours_s - direct_s,
        peer="5 ms",
        peer_s=_OVERHEAD_S,
        bound=1,
    )


def _live_s(port: int, trials: int) -> float:
    """Return the time of a run of so many live trials of one case."""
    (case,) = _loaded(1)
    case = replace(case, gate={"live": {"trials": trials}}, state=CaseState.ACTIVE)
    place = Provider(family=Family.OPENAI, base_url=f"http://127.0.0.1:{port}/v1", key_env=_KEY)
    started = time.perf_counter()
    report = run_cases(
        [case],
        agent=_WORKER,
        layer="live",
        isolate="audit",
        upstream=Upstream(providers=(place,), model="m"),
    )
    taken_s = time.perf_counter() - started
    if report.cases[0].gate is None or any(trial.tokens != 2 for trial in report.cases[0].trials):
        raise SystemExit("the live trials of the benchmark were not run to their end")
    return taken_s


def main() -> int:
    """Measure everything of the runner; 1 if a figure is beyond its bound."""
    figures = []
    for figure in (
        measure_in_process, measure_seconds, measure_self_test, measure_http, measure_worker, measure_live, measure_growth,
    ):  # fmt: skip
        figures.append(figure())
        print(figures[-1].line(), flush=True)
    return int(any(figure.ratio > figure.bound for figure in figures))


if __name__ == "__main__":
    raise SystemExit(main())
