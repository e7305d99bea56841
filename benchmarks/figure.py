"""One measured figure, always beside a peer that was measured in the same run."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Figure", "cpu_s", "fastest_s"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A time of ours and a time of a peer; a ratio survives another machine, a time does not."""

    what: str
    ours_s: float
    peer: str
    peer_s: float
    bound: float
    """The ratio that we promise to stay within."""

    @property
    def ratio(self) -> float:
        """Ours divided by the peer's."""
        return self.ours_s / self.peer_s

    def line(self) -> str:
        """Return the figure as a line of the report."""
        verdict = "within" if self.ratio <= self.bound else "BEYOND"
        return (
            f"{self.what}: {self.ours_s:.3f} s = {self.ratio:.2f} x {self.peer} "
            f"({self.peer_s:.3f} s), {verdict} {self.bound:g} x"
        )


def fastest_s(work: Callable[[], object], *, rounds: int) -> float:
    """Return the shortest of several times, in seconds: the one with the least noise."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def cpu_s(work: Callable[[], object]) -> float:
    """Return the processor's seconds of some work: of this process, and of those that it waited for.

    For work of one core it is the time that a person waits on a machine that does nothing else.
    """
    before = time.process_time() + _children_s()
    work()
    return time.process_time() + _children_s() - before


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
