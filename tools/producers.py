"""Let real producers play one scenario, and import what they emit today.

Each has an environment of its own, made from `lock/producers`. Spans go through OpenTelemetry's
exporter to `workbench collect`. `--lock` pins the environments anew, `--record` writes what was
read into docs/producers.md, names run these alone. Whatever fails for one producer, its installing
or its collector too, is a row of that producer with the reason; the others are played all the same.
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
from itertools import chain
from threading import Timer
from typing import TYPE_CHECKING

from tests.producers.judging import COLLECTED, problems, read_all
from tests.producers.takes import EXPORTER, PRODUCERS
from tools.environments import ROOT, Environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.producers.expected import Producer, Take
    from tests.producers.judging import Emission, Read

__all__ = ["DOCUMENT", "NotPlayedError", "collector", "environment_of", "main", "played", "rows_of"]

HOME = ROOT / ".producers"
LOCKS = ROOT / "lock" / "producers"
DOCUMENT = ROOT / "docs" / "producers.md"
BEGIN, END = "<!-- producers: begin -->", "<!-- producers: end -->"
LIMIT_S = 300
STOP_S = 60
"""In which a collector has to listen, and to stop."""


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
    rows = [row for producer in chosen for row in rows_of(producer, only=options.only)]
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


class NotPlayedError(Exception):
    """A take could not be played; says why."""


def rows_of(producer: Producer, *, only: str | None = None) -> list[dict[str, str]]:
    """Play a producer; what fails on the way is a row of it that says so, never an error."""
    rows: list[dict[str, str]] = []
    try:
        environment = _made(producer)
        takes = [take for take in producer.takes if only in (None, take.name)]
        for row in chain.from_iterable(played(producer, take, environment) for take in takes):
            rows.append(row)
            _say(producer, row)
        _keep(producer, environment, rows)
    except Exception as error:  # noqa: BLE001  whatever it is, the other producers are played
        rows.append({"take": "-", "from": "-", "problem": _reason(error)})
        _say(producer, rows[-1])
    return rows


def _made(producer: Producer) -> Environment:
    environment = environment_of(producer)
    if not environment.is_made():
        raise NotPlayedError("could not be installed here")
    return environment


def _say(producer: Producer, row: Mapping[str, str]) -> None:
    words = (producer.name, row["take"], row["from"], row["problem"] or "ok")
    print("{:<16} {:<22} {:<28} {}".format(*words), flush=True)


def _reason(error: Exception) -> str:
    """Say in one line what failed, without where this machine keeps the project."""
    said = str(error) if isinstance(error, NotPlayedError) else f"{type(error).__name__}: {error}"
    return f"did not play: {' '.join(said.replace(f'{ROOT}/', '').split())}"


# --- one take -------------------------------------------------------------------------------


def played(
    producer: Producer, take: Take, environment: Environment, *, home: Path = HOME
) -> Iterator[dict[str, str]]:
    """Play one take and yield a row for each of its emissions, also if it could not be played."""
    folder = home / "out" / producer.name / take.name
    problem = ""
    try:
        _play(producer, take, environment, folder=folder)
    except Exception as error:  # noqa: BLE001  whatever it is, the other takes are played
        problem = _reason(error)
    for emission in take.emissions:
        row = {"take": take.name, "from": emission.row.file}
        yield row | ({"problem": problem} if problem else _judged(folder, emission))


def _play(producer: Producer, take: Take, environment: Environment, *, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "home").mkdir(parents=True)
    words = (environment.python, "-m", "tests.producers.play", producer.script or producer.name)
    collects = any(emission.row.file == COLLECTED for emission in take.emissions)
    with collector(folder) if collects else nullcontext("") as address:
        done = subprocess.run(
            (*words, take.name, folder),
            cwd=ROOT,
            env=_variables(folder, address) | dict(take.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=LIMIT_S,
            check=False,
        )
    (folder / "output.txt").write_text(done.stdout, "utf-8")
    if done.returncode:
        raise NotPlayedError(done.stdout.strip()[-600:] or f"ended with {done.returncode}")


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
def collector(folder: Path) -> Iterator[str]:
    """Run `workbench collect` into a store of its own; yields its address."""
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
            child.send_signal(signal.SIGINT)
            said, complaints = child.communicate(timeout=STOP_S)
        finally:
            child.kill()
    (folder / "collected.txt").write_text(said + complaints, "utf-8")
    if child.returncode:
        raise NotPlayedError(f"the collector ended with {child.returncode}: {complaints[-300:]}")


def _address(child: subprocess.Popen[str]) -> str:
    """Return where it listens; one that never says so is ended."""
    watch = Timer(STOP_S, child.kill)
    watch.start()
    said = ""
    try:
        for line in child.stderr or ():
            said += line
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            if found is not None:
                return found[0]
    finally:
        watch.cancel()
    raise NotPlayedError(f"the collector did not start: {said[-300:]}")


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
    """Write the latest results of all producers into the document.

    Of one that was never played here the document keeps what it has of these very versions.
    """
    text = DOCUMENT.read_text("utf-8")
    before, rest = text.split(BEGIN)
    earlier, after = rest.split(END)
    parts = (_part(producer, earlier) for producer in PRODUCERS)
    lines = (BEGIN, *chain.from_iterable(parts), END)
    DOCUMENT.write_text(before + "\n".join(lines) + after, "utf-8")


def _part(producer: Producer, earlier: str) -> list[str]:
    """Return the lines on one producer."""
    versions = environment_of(producer).versions()
    shown = ", ".join(f"{name} {version}" for name, version in versions.items())
    title = f"**{producer.name}**: {shown}"
    rows = _kept(producer, versions)
    if not rows:
        kept = earlier.partition(f"\n{title}\n")[2].partition("\n**")[0].rstrip("\n")
        return ["", title, *(kept or "\nNot played yet.").split("\n")]
    head = ("| take | from | read as | events | losses | grade |", "|---|---|---|---:|---|---|")
    return ["", title, "", *head, *map(_line, rows)]


def _line(row: Mapping[str, str]) -> str:
    if row["problem"]:
        return f"| {row['take']} | {row['from']} | **{row['problem'][:120].replace('|', ' ')}** | | | |"
    source = "`workbench collect`" if row["from"] == COLLECTED else f"`{row['from']}`"
    losses = row["losses"] or "-"
    if row["fault"]:
        losses += f". **Not read rightly yet: {row['fault']}**"
    cells = (row["take"], source, row["read as"], row["events"], losses, row["grade"])
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    raise SystemExit(main())
