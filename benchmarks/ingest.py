"""How fast trace files are read, beside `json.loads` alone on the same bytes, and in which memory.

A file is read from disk as `workbench ingest` reads it: recognised, parsed, made into events with
losses, rows and exact arguments; only the store is left out. Times are of the process, so they
count CPU and no waiting. Checked are the three forms in which people bring traces, in sizes of
real ones (see `ingest_data`): one document a file with long texts (SWE-agent), JSON Lines of chats
with short ones (tau-bench), spans with histories in them (OTLP); the other rows are for looking.
The second figure is the memory in which a packed file of any size is
read: a small one and one that is many times larger, each by a process of its own.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.figure import Figure
from benchmarks.ingest_data import INVENTED, lines_of
from workbench.ingest.reader import read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Speed", "measure", "peak_mb", "speeds", "write_packed"]

TARGET: Final = 0.35
"""Share of the speed of `json.loads` that every format should reach; see `_BOUND`."""
_BOUND: Final = 16.0
"""Times of `json.loads` that the three forms may take together; they take 12.

A budget of 1 / `TARGET` = 2.9. Inspect takes 2.7 to 3.0 and OpenHands 2.8 to 3.3 (invented runs; on
the corpus 3.5 and 3.3), the others miss it. Measured parts, in times of `json.loads` on the same bytes,
for SWE-agent and Who&When, whose texts are long, and tau-bench, whose texts are short: parsing by
`msgspec`, once, .7, .5, .6; opening and cutting into records .7, .4, .3; marks of masks and cuts
.3, .2, .2; places of messages and exact arguments .6, .7, .8; events and losses 1.8, 2.1, 3.5. So
what touches the bytes alone takes 1.7 to 2.3, and an event takes 7 (tau-bench) to 90 microseconds
(spans, whose histories are read and compared) in Python.
"""
_CHECKED: Final = ("swe_agent", "tau_bench", "otlp")
_DOCUMENTS: Final = ("swe_agent", "inspect")
"""Formats of one document a file."""
_BYTES: Final = 1_000_000
_ROUNDS: Final = 15
_WHOLE_MB: Final = (100, 300, 1000)
_SHORT_MB: Final = (6, 60)
_GROWTH: Final = 1.25
"""How much more memory the largest file may take than the smallest, a tenth of its size."""
_CORPUS: Final = Path(__file__).resolve().parents[2] / "shared" / "corpus"
_REAL: Final = (
    ("agentdojo", "agentdojo/gpt-4o-2024-05-13.jsonl.gz"),
    ("tau_bench", "tau-bench/gpt-4o-airline.jsonl.gz"),
    ("tau2_bench", "tau2-bench/gpt-4.1_telecom.jsonl.gz"),
    ("swe_agent", "swe-agent/*.gz"),
    ("openhands", "openhands/*.gz"),
    ("whowhen", "whowhen/*.gz"),
    ("inspect", "inspect/*.json"),
    ("otlp", "generated/*.otlp.json"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """CPU time for the same bytes."""

    format: str
    source: str
    """`invented` or `corpus`."""
    runs: int
    size_bytes: int
    ours_s: float
    loads_s: float

    @property
    def ratio(self) -> float:
        """Our speed divided by that of `json.loads`."""
        return self.loads_s / self.ours_s

    def line(self) -> str:
        """Return a row of the table."""
        ours, loads = (self.size_bytes / 1e6 / s for s in (self.ours_s, self.loads_s))
        return (
            f"{self.format:11} {self.source:8} {self.runs:5} runs {self.size_bytes / 1e6:5.1f} MB  "
            f"json.loads {loads:6.1f} MB/s  ours {ours:6.2f} MB/s  "
            f"{self.ours_s / self.runs * 1e3:6.2f} ms a run  ratio {self.ratio:.3f}"
        )


def measure() -> Figure:
    """Compare the reading of three forms of trace files with `json.loads` alone; CPU time of both."""
    with tempfile.TemporaryDirectory() as folder:
        found = [_invented(name, Path(folder)) for name in _CHECKED]
    return Figure(
        what=f"read {sum(one.runs for one in found)} runs of {len(found)} forms of files (CPU)",
        ours_s=sum(one.ours_s for one in found),
        peer="json.loads",
        peer_s=sum(one.loads_s for one in found),
        bound=_BOUND,
    )


def speeds() -> list[Speed]:
    """Measure every format on invented runs, and on those of the corpus where it is there."""
    with tempfile.TemporaryDirectory() as folder:
        found = [_invented(name, Path(folder)) for name in INVENTED]
        corpus = Path(os.environ.get("WORKBENCH_CORPUS", _CORPUS))
        for name, pattern in _REAL:
            files = sorted(corpus.glob(pattern))
            if files:
                found.append(_real(name, files, Path(folder)))
    return found


def _invented(name: str, folder: Path) -> Speed:
    made, size = [], 0
    for line in lines_of(INVENTED[name], 100_000):
        made.append(line)
        size += len(line)
        if size >= _BYTES:
            break
    whole = made if name in _DOCUMENTS else [b"".join(made)]
    files = [folder / f"{name}-{at}.jsonl" for at in range(len(whole))]
    for file, data in zip(files, whole, strict=True):
        file.write_bytes(data)
    return _speed(name, "invented", files)


def _real(name: str, files: Sequence[Path], folder: Path) -> Speed:
    """Measure files of the corpus, unpacked, since unpacking is not what is compared."""
    plain = []
    for at, file in enumerate(files):
        data = file.read_bytes()
        plain.append(folder / f"real-{name}-{at}.json")
        plain[-1].write_bytes(gzip.decompress(data) if file.suffix == ".gz" else data)
    return _speed(name, "corpus", plain)


def _speed(name: str, source: str, files: Sequence[Path]) -> Speed:
    texts = [text for file in files for text in _documents(file)]
    runs = sum(1 for file in files for _ in read_source(file))
    ours_s, loads_s = _cpu_s(
        lambda: [None for file in files for _ in read_source(file)],
        lambda: [None for text in texts if json.loads(text) is None],
    )
    return Speed(
        format=name,
        source=source,
        runs=runs,
        size_bytes=sum(file.stat().st_size for file in files),
        ours_s=ours_s,
        loads_s=loads_s,
    )


def _documents(file: Path) -> list[bytes]:
    """Return what `json.loads` takes one by one: the lines of a file, or all of it."""
    data = file.read_bytes()
    lines = data.splitlines()
    try:
        json.loads(lines[0])
    except ValueError:
        return [data]
    return lines


def _cpu_s(*works: Callable[[], object]) -> list[float]:
    """Return the shortest of several CPU times of each work, in seconds.

    They take turns: what the machine's clock does in the meantime it does to all.
    """
    times: list[list[float]] = [[] for _ in works]
    for _ in range(_ROUNDS):
        for work, taken in zip(works, times, strict=True):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
    return [min(taken) for taken in times]


# --- memory ------------------------------------------------------------------


def write_packed(path: Path, size_mb: int) -> int:
    """Write a `.jsonl.gz` of AgentDojo runs that unpacks to `size_mb`; return how many runs.

    Runs differ in their ids and numbers only: texts repeat, so the packed file is small.
    """
    block = list(lines_of(INVENTED["agentdojo"], 500))
    written = runs = 0
    with gzip.open(path, "wb", compresslevel=1) as file:
        while written < size_mb * 1_000_000:
            line = block[runs % len(block)].replace(b"runs/scripted", b"runs/n%d" % runs)
            written += file.write(line)
            runs += 1
    return runs


def peak_mb(path: Path) -> tuple[int, float]:
    """Read a file in a process of its own; return its runs and the most memory it took."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.ingest", "--read", str(path)],
        check=True,
        capture_output=True,
        text=True,
    )
    runs, peak = done.stdout.split()
    return int(runs), float(peak)


def _read_alone(path: Path) -> None:
    runs = sum(1 for _ in read_source(path))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(runs, peak / (1 << 20 if sys.platform == "darwin" else 1 << 10))


def _memory(sizes_mb: Sequence[int]) -> bool:
    """Print the memory for files of these sizes; whether it is flat."""
    peaks = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes_mb:
            path = Path(folder) / f"{size}.jsonl.gz"
            written = write_packed(path, size)
            runs, peak = peak_mb(path)
            path.unlink()
            assert runs == written, f"{runs} of {written} runs were read"  # noqa: S101  a broken run
            peaks.append(peak)
            print(f"memory: {size:5} MB unpacked, {runs:6} runs: at most {peak:.0f} MB", flush=True)
    flat = peaks[-1] <= peaks[0] * _GROWTH
    times = sizes_mb[-1] / sizes_mb[0]
    print(f"memory: {peaks[-1] / peaks[0]:.2f} x for {times:.0f} times the file, {_verdict(flat)}")
    return flat


def _verdict(flat: bool) -> str:  # noqa: FBT001  a fact, not a switch
    return "flat" if flat else f"NOT flat: more than {_GROWTH} x"


def main(arguments: Sequence[str]) -> int:
    """Print the table and the memory; 1 if a format misses the target or memory grows.

    Args:
        arguments: `--memory`: only the memory, for files of 100, 300 and 1000 MB (with
            `WORKBENCH_LONG=1` these are taken after the table too).
    """
    if arguments[:1] == ["--read"]:
        _read_alone(Path(arguments[1]))
        return 0
    if "--memory" in arguments:
        return int(not _memory(_WHOLE_MB))
    found = speeds()
    for one in found:
        print(one.line(), flush=True)
    missed = [one for one in found if one.ratio < TARGET]
    print(f"target: ratio {TARGET}; missed in {len(missed)} of {len(found)} rows")
    flat = _memory(_WHOLE_MB if os.environ.get("WORKBENCH_LONG") == "1" else _SHORT_MB)
    return int(bool(missed) or not flat)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
