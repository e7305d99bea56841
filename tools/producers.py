"""Let real producers play one scenario, and import what they emit today.

Each has an environment of its own, made from `lock/producers`. Spans go through OpenTelemetry's
exporter to `workbench collect`. `--lock` pins the environments anew, `--record` writes what was
read into docs/producers.md, names run these alone. What cannot be installed is skipped loudly.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from tests.producers.judging import COLLECTED, problems, read_all
from tests.producers.takes import EXPORTER, PRODUCERS
from tools.environments import ROOT, Environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.producers.expected import Producer, Take
    from tests.producers.judging import Emission, Read

__all__ = ["DOCUMENT", "environment_of", "main"]

HOME = ROOT / ".producers"
LOCKS = ROOT / "lock" / "producers"
DOCUMENT = ROOT / "docs" / "producers.md"
BEGIN, END = "<!-- producers: begin -->", "<!-- producers: end -->"
LIMIT_S = 300


def main(argv: list[str] | None = None) -> int:
    """Run the producers; 1: something was not read as it has to be."""
    parser = argparse.ArgumentParser(prog="python -m tools.producers", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--lock", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--only", metavar="TAKE", help="one take of each producer")
    options = parser.parse_args(argv)
    unknown = set(options.names) - {producer.name for producer in PRODUCERS}
    if unknown:
        parser.error(f"no such producer: {', '.join(sorted(unknown))}")
    chosen = [one for one in PRODUCERS if not options.names or one.name in options.names]
    if options.lock:
        return max(environment_of(producer).pin() for producer in chosen)
    rows = [row for producer in chosen for row in _all(producer, only=options.only)]
    if options.record:
        _record()
    bad = sum(row["problem"] != "" for row in rows)
    print(f"{len(rows) - bad} of {len(rows)} emissions are read as they have to be")
    return 1 if bad or not rows else 0


def environment_of(producer: Producer) -> Environment:
    """Return where a producer is installed, with the exporter beside it."""
    return Environment(
        folder=HOME / producer.name,
        lock=LOCKS / f"{producer.name}.txt",
        needs=producer.needs,
        beside=EXPORTER,
    )


def _all(producer: Producer, *, only: str | None) -> list[dict[str, str]]:
    environment = environment_of(producer)
    if not environment.is_made():
        print(f"SKIPPED {producer.name}: could not be installed here", file=sys.stderr)
        return []
    rows = []
    for take in producer.takes:
        if only not in (None, take.name):
            continue
        for row in _played(producer, take, environment):
            rows.append(row)
            said = row["problem"] or "ok"
            words = (producer.name, take.name, row["from"], said)
            print("{:<16} {:<22} {:<28} {}".format(*words), flush=True)
    _keep(producer, environment, rows)
    return rows


# --- one take -------------------------------------------------------------------------------


def _played(producer: Producer, take: Take, environment: Environment) -> Iterator[dict[str, str]]:
    """Play one take and read what came out of it."""
    folder = HOME / "out" / producer.name / take.name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "home").mkdir(parents=True)
    words = (environment.python, "-m", "tests.producers.play", producer.script or producer.name)
    collects = any(emission.row.file == COLLECTED for emission in take.emissions)
    with _collector(folder) if collects else nullcontext("") as address:
        done = subprocess.run(
            (*words, take.name, folder),
            cwd=ROOT,
            env=_variables(folder, address) | dict(take.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    (folder / "output.txt").write_text(done.stdout, "utf-8")
    for emission in take.emissions:
        row = {"take": take.name, "from": emission.row.file}
        if done.returncode:
            yield row | {"problem": f"did not play: {done.stdout.strip()[-600:]}"}
        else:
            yield row | _judged(folder, emission)


def _judged(folder: Path, emission: Emission) -> dict[str, str]:
    try:
        runs = read_all(folder, emission)
    except Exception as error:  # noqa: BLE001  whatever is emitted, the other producers are read
        return {"problem": f"{type(error).__name__}: {error}"}
    problem = "; ".join(problems(runs, emission))
    if emission.fault:
        problem = "" if problem else f"is read well after all; known was: {emission.fault}"
    return {"problem": problem, "fault": emission.fault, **_told(runs)}


def _told(runs: list[Read]) -> dict[str, str]:
    if not runs:
        return {}
    run = max(runs, key=lambda one: len(one.trace.events))
    source = run.trace.source
    spoken = ", ".join(sorted(run.dialects))
    read_as = f"{source and source.format}{f' ({spoken})' if spoken else ''}"
    losses = ", ".join(loss.kind for loss in run.losses.items)
    events = str(len(run.trace.events))
    return {"read as": read_as, "events": events, "losses": losses, "grade": run.losses.grade}


@contextmanager
def _collector(folder: Path) -> Iterator[str]:
    """Run `workbench collect` into a store of its own."""
    words = ("-m", "workbench", "collect", "--port", "0", "--store", folder / "store")
    with subprocess.Popen(
        (sys.executable, *words),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        try:
            yield _address(child)
        finally:
            child.send_signal(signal.SIGINT)
            said, complaints = child.communicate(timeout=60)
            (folder / "collected.txt").write_text(said + complaints, "utf-8")


def _address(child: subprocess.Popen[str]) -> str:
    for line in child.stderr or ():
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found is not None:
            return found[0]
    raise SystemExit("producers: the collector did not start. Fix: try `workbench collect`")


def _variables(folder: Path, address: str) -> dict[str, str]:
    """Return what a producer's process may know: no proxy, no account, a home of its own."""
    kept = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
    return kept | {
        "HOME": str(folder / "home"),
        "PYTHONUTF8": "1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": address,
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_API_KEY": "none",
        "LANGSMITH_TRACING": "false",
        "CREWAI_DISABLE_TELEMETRY": "true",
        "CREWAI_TRACING_ENABLED": "false",
        "TRACELOOP_TELEMETRY": "false",
    }


# --- the document ---------------------------------------------------------------------------


def _keep(producer: Producer, environment: Environment, rows: list[dict[str, str]]) -> None:
    """Keep the latest results beside the environments, so that producers can be run one by one."""
    kept = HOME / f"{producer.name}.json"
    versions = environment.versions()
    earlier = _kept(producer, versions)
    found = {(row["take"], row["from"]): row for row in (*earlier, *rows)}
    wanted = [(take.name, one.row.file) for take in producer.takes for one in take.emissions]
    listed = [found[key] for key in wanted if key in found]
    kept.write_text(json.dumps({"versions": versions, "rows": listed}), "utf-8")


def _kept(producer: Producer, versions: Mapping[str, str]) -> list[dict[str, str]]:
    kept = HOME / f"{producer.name}.json"
    earlier = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    rows: list[dict[str, str]] = earlier["rows"] if earlier.get("versions") == versions else []
    return rows


def _record() -> None:
    """Write the latest results of all producers into the document."""
    lines = []
    for producer in PRODUCERS:
        versions = environment_of(producer).versions()
        rows = _kept(producer, versions)
        if not rows:
            continue
        shown = ", ".join(f"{name} {version}" for name, version in versions.items())
        lines += ["", f"**{producer.name}**: {shown}", ""]
        lines += [
            "| take | from | read as | events | losses | grade |",
            "|---|---|---|---:|---|---|",
        ]
        lines += map(_line, rows)
    text = DOCUMENT.read_text("utf-8")
    before, rest = text.split(BEGIN)
    DOCUMENT.write_text(before + "\n".join((BEGIN, *lines, END)) + rest.split(END)[1], "utf-8")


def _line(row: Mapping[str, str]) -> str:
    if row["problem"]:
        return f"| {row['take']} | {row['from']} | **{row['problem'][:120]}** | | | |"
    source = "`workbench collect`" if row["from"] == COLLECTED else f"`{row['from']}`"
    losses = row["losses"] or "-"
    if row["fault"]:
        losses += f". **Not read rightly yet: {row['fault']}**"
    cells = (row["take"], source, row["read as"], row["events"], losses, row["grade"])
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    raise SystemExit(main())
