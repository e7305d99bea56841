"""What a run costs: scripted cases in process, by HTTP and by a worker; live trials; growth.

The peer of the scripted layer is what everybody has in CI: pytest with as many empty parametrised
tests. The peer of the live layer is the same conversation with the stand-in provider itself.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

from benchmarks.cases import measure as measure_in_process, pytest_s, small_case
from benchmarks.figure import Figure, fastest_s
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
    from collections.abc import Iterator

    from workbench.model.case import Case

__all__ = [
    "main",
    "measure_growth",
    "measure_http",
    "measure_live",
    "measure_self_test",
    "measure_worker",
]

_CASES: Final = 1_000
_AGENT: Final = "benchmarks.runner:agent"
_KEY: Final = "BENCHMARK_KEY"
_OVERHEAD_S: Final = 0.005
_LIVE: Final = 100


def agent(task, tools, model):  # type: ignore[no-untyped-def]
    """Do what the model asks and say what it says."""
    messages = list(task.messages)
    while (reply := model.complete(messages)).tool_calls:
        for call in reply.tool_calls:
            content = tools.call_with(call.name, call.args)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return reply.text


def _worker() -> None:
    """Serve the same agent as a process that stays."""
    from workbench.replay.agent import Model, Task, Tools  # noqa: PLC0415  its own process

    for line in sys.stdin:
        given = json.loads(line)
        task = Task(run_id=given["run_id"], messages=given["messages"])
        text = agent(task, Tools(given["base_url"]), Model(given["base_url"]))
        print(json.dumps({"run_id": given["run_id"], "text": text}), flush=True)


# --- cases -------------------------------------------------------------------------------


def _texts(number: int) -> list[str]:
    """Return so many case files: each has the code fixed, so that its recorded path runs."""
    case = parse_case(small_case(), name="a.case.yaml")
    contract = replace(case.contract, fix=FixPlace.CODE)
    text = format_case(replace(case, fix=FixPlace.CODE, contract=contract))
    return [text.replace("too-many-calls", f"too-many-calls-{n}") for n in range(number)]


def _loaded(number: int) -> list[Case]:
    return [parse_case(text, name="a.case.yaml") for text in _texts(number)]


def _judge_all(texts: list[str]) -> None:
    """Load, replay and judge every case by the reference loop, in this process."""
    for text in texts:
        case = parse_case(text, name="a.case.yaml")
        if judge(replay_path(case, case.recorded), case.contract).signature != case.signature:
            raise SystemExit("the case of the benchmark does not fail as it should")


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
    return _by(f"python:{_AGENT}", "by HTTP, a fresh process each", number, 30)


def measure_worker(number: int = _CASES) -> Figure:
    """Measure an agent that stays alive: 13 requests to the gateway a trial."""
    spec = f"worker:{sys.executable} -m benchmarks.runner --worker"
    return _by(spec, "by HTTP, a worker that stays", number, 20)


def measure_growth() -> Figure:
    """Measure whether 10,000 cases take a thousand times what 10 take; a case each."""
    few, many = _texts(10), _texts(10_000)
    _judge_all(few)
    return Figure(
        what="a case of 10,000",
        ours_s=fastest_s(lambda: _judge_all(many), rounds=1) / 10_000,
        peer="a case of 10",
        peer_s=fastest_s(lambda: _judge_all(few), rounds=20) / 10,
        bound=1.2,
    )


def measure_self_test(number: int = _CASES) -> Figure:
    """Measure `workbench check`: every path, and every clause broken once."""
    cases = _loaded(number)
    return Figure(
        what=f"self-test of {number} cases",
        ours_s=fastest_s(lambda: [check_case(case) for case in cases], rounds=3),
        peer=f"pytest, {number} empty tests",
        peer_s=pytest_s(number),
        bound=5,
    )


# --- the live layer ------------------------------------------------------------------------


class _Replies(BaseHTTPRequestHandler):
    """A provider that says the same at once."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65_536

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer one request."""
        self.rfile.read(int(self.headers["content-length"]))
        message = {"role": "assistant", "content": "There are 147."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        found = {"id": f"r-{time.monotonic_ns()}", "object": "chat.completion", "model": "m"}
        raw = json.dumps({**found, "created": 1, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


@contextmanager
def _provider() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Replies)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


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

    Two runs are compared, so that the start of the agent does not count.
    """
    os.environ[_KEY] = "sk-benchmark-0123456789"
    with _provider() as port:
        first_s, second_s = (_live_s(port, number) for number in (trials // 5, trials))
        ours_s = (second_s - first_s) / (trials - trials // 5)
        direct_s = fastest_s(lambda: _ask(port, trials), rounds=3) / trials
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
    provider = Provider(family=Family.OPENAI, base_url=f"http://127.0.0.1:{port}/v1", key_env=_KEY)
    started = time.perf_counter()
    run_cases(
        [case],
        agent=f"worker:{sys.executable} -m benchmarks.runner --worker",
        layer="live",
        isolate="audit",
        upstream=Upstream(providers=(provider,), model="m"),
    )
    return time.perf_counter() - started


def main() -> int:
    """Measure everything of the runner; 1 if a figure is beyond its bound."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", action="store_true")
    if parser.parse_args().worker:
        _worker()
        return 0
    figures = []
    for figure in (
        measure_in_process, measure_self_test, measure_http, measure_worker, measure_live, measure_growth,
    ):  # fmt: skip
        figures.append(figure())
        print(figures[-1].line(), flush=True)
    return int(any(figure.ratio > figure.bound for figure in figures))


if __name__ == "__main__":
    raise SystemExit(main())
