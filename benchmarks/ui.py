"""How fast the views answer a person, in a real JupyterLab and a real Chromium.

Every time is taken in the browser, from a key, a click or the drawing of a view to the frame that
shows the answer; the kernel's part is in it. Where the same can be shown without a view (a plain
HTML table of the same rows, as a data frame is shown), it is measured beside ours; nothing that is
installed shows a hundred thousand runs by pages or decides on findings, so those have no peer.

Times are the fastest of several, and the load of the machine is printed with them. The targets for 2,000
events, the list of runs, Stop and loopback are promised; the others say what we hold to be usable.

Run alone (`python -m benchmarks.ui`) it prints every figure with its target; 1 if one is missed.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from playwright.sync_api import sync_playwright

from benchmarks.figure import Figure
from benchmarks.ui_desk import looking_s, put_runs
from tests.browser.jupyter import SWITCHES, Lab, notebook, serving
from tools.browser import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Answer", "main", "measure"]

_RUNS = 100_000
_FINDINGS = 500
_SHORT, _LONG = 2_000, 20_000
_IMPORT = "from benchmarks import ui_desk\nfrom IPython.display import HTML"
_JERK_MS = 50.0 - 1000 / 60
"""More than this on top of a frame is a long task for browsers (50 ms), and is felt as a jerk."""
_TOOLS = """
const settled = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
const until = async ready => {
  const end = performance.now() + 60000;
  while (!ready()) {
    if (performance.now() > end) throw new Error(`waited a minute for ${ready}`);
    await new Promise(requestAnimationFrame); }
  await settled(); };
const timed = async (act, ready) => {
  const begin = performance.now(); await act(); await until(ready); return performance.now() - begin; };
const at = selector => document.querySelector(selector);
const type = (field, words) => { field.value = words; field.dispatchEvent(new Event('input')); };
const press = (node, key) => node.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
const frames = async (many, act) => {
  const times = []; let last = await new Promise(requestAnimationFrame);
  for (let nth = 0; nth < many; nth += 1) {
    act(nth); const now = await new Promise(requestAnimationFrame); times.push(now - last); last = now; }
  return times; };
const run_cell = async nth => {
  const book = window.jupyterapp.shell.currentWidget.content; book.activeCellIndex = nth;
  window.jupyterapp.commands.execute('notebook:run-cell'); };
const born = async (nth, frame, ready) => {
  let since = null;
  const watch = new MutationObserver(() => { if (since === null && at(frame)) since = performance.now(); });
  watch.observe(document.body, { childList: true, subtree: true });
  await run_cell(nth); await until(ready); watch.disconnect();
  return performance.now() - since; };
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One measured answer of a view."""

    what: str
    got: float
    most: float
    """What we promise."""
    unit: str = "ms"

    @property
    def is_met(self) -> bool:
        """Whether it is as promised."""
        return self.got <= self.most

    def line(self) -> str:
        """Return it as a line of the report."""
        verdict = "met" if self.is_met else "NOT MET"
        return f"{self.what}: {self.got:.0f} {self.unit}, target {self.most:.0f} {self.unit}: {verdict}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """A page with a notebook over a folder."""

    lab: Lab
    folder: Path

    def open(self, *cells: str) -> None:
        """Open a notebook whose cells are run by name of their place; the first prepares."""
        name = f"bench-{abs(hash(cells))}.ipynb"
        notebook(self.lab.server.folder / name, _IMPORT, *cells)
        self.lab.open(name)
        self.lab.exec(_IMPORT)

    def js(self, script: str) -> Any:  # noqa: ANN401  what a script returns
        """Run a script with the tools above and return its value."""
        return self.lab.page.evaluate(f"async () => {{ {_TOOLS} {script} }}")

    def fastest(self, scripts: Iterable[str]) -> float:
        """Return the least of what scripts return: the time with the least noise."""
        return float(min(self.js(script) for script in scripts))

    def drawn(self, frame: str, ready: str) -> float:
        """Return how long a view takes from its frame to its first rows, the fastest of three."""
        script = f"return await born(1, '{frame}', () => at('{frame} {ready}'))"
        times = []
        for _ in range(3):
            times.append(self.js(script))
            self.lab.idle()
            self.lab.command("notebook:clear-all-cell-outputs")
        self.js(f"await born(1, '{frame}', () => at('{frame} {ready}'))")
        return float(min(times))

    def scrolled(self, view: str, what: str) -> Answer:
        """Return what a scroll from end to end adds to the longest frame of a page at rest.

        Both are taken in turn, since a busy machine makes every frame longer; the best of three.
        """
        rest = "return Math.max(...await frames(60, () => {}))"
        scroll = (
            f"const list = at('{view} .wb-rows'); list.scrollTop = 0; await settled();"
            " return Math.max(...await frames(60, nth => {"
            " list.scrollTop = (list.scrollHeight / 60) * nth; }))"
        )
        turns = [(self.js(rest), self.js(scroll)) for _ in range(3)]
        idle, longest = min(turns, key=lambda turn: max(0.0, turn[1] - turn[0]))
        said = f"{what}: a scroll from end to end adds to the longest frame at rest ({idle:.0f} ms)"
        return Answer(what=said, got=max(0.0, longest - idle), most=_JERK_MS)


@contextmanager
def _desk() -> Iterator[_Desk]:
    chromium = find()
    if chromium is None:
        message = "no Chromium was found; set WORKBENCH_CHROMIUM to one"
        raise SystemExit(message)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        root = Path(name)
        (root / "books").mkdir()
        with serving(root / "books", root / "home", WORKBENCH_KEYS=str(root / "keys")) as server:
            browser = driver.chromium.launch(
                executable_path=chromium, args=[*SWITCHES, "--enable-precise-memory-info"]
            )
            page = browser.new_page(viewport={"width": 1360, "height": 1000})
            page.set_default_timeout(120_000)
            lab = Lab(server=server, page=page)
            lab.watch()
            yield _Desk(lab=lab, folder=root)
            browser.close()


# --- what is measured -----------------------------------------------------------------


def _runs(desk: _Desk) -> Iterator[Answer]:
    put_runs(desk.folder / "store", _RUNS)
    desk.open(f"view = ui_desk.runs({str(desk.folder / 'store')!r})\nview")
    first = desk.drawn(".wb-picker", ".wb-row")
    yield Answer(what=f"{_RUNS:,} runs: list drawn", got=first, most=500)
    status = "at('.wb-picker .wb-status').textContent"
    turn = (
        "return await timed(() => press(at('.wb-picker'), ']'), () => {0}.startsWith('Runs {1}'))"
    )
    turns = [turn.format(status, f"{50 * nth + 1:,}") for nth in range(1, 10)]
    yield Answer(what=f"{_RUNS:,} runs: next page", got=desk.fastest(turns), most=300)
    ask = "return await timed(() => type(at('.wb-picker .wb-search'), '{0}'), () => {1}.includes('of {2} that match'))"
    asked = {"run-01": "10,000", "run-00012": "10", "run-0001": "100", "run-001": "1,000"}
    finds = [ask.format(words, status, found) for words, found in asked.items()]
    yield Answer(what=f"{_RUNS:,} runs: filter as typed", got=desk.fastest(finds), most=300)


def _timeline(desk: _Desk, events: int, *, paint_ms: float, search_ms: float) -> Iterator[Answer]:
    desk.open(f"view = ui_desk.timeline({str(desk.folder)!r}, {events})\nview")
    name = f"{events:,} events"
    first = desk.drawn(".wb-timeline", ".wb-row")
    yield Answer(what=f"{name}: first rows drawn", got=first, most=paint_ms)
    rows = f"{desk.lab.py('view.timeline.head()')['rows']:,}"
    status = "at('.wb-timeline .wb-status').textContent"
    desk.js(f"await until(() => {status}.includes('of {rows} rows'))")
    scripts = [
        f"const was = {status}; return await timed(() => type(at('.wb-timeline .wb-search'), '{words}'), () => {status} !== was)"
        for words in ("mail.send", "a-17", "a-171", "nothing like it", "paid by card")
    ]
    yield Answer(what=f"{name}: search as typed", got=desk.fastest(scripts), most=search_ms)
    desk.js(
        f"type(at('.wb-timeline .wb-search'), ''); await until(() => !{status}.includes('search'))"
    )
    yield desk.scrolled(".wb-timeline", name)
    used = desk.js("return performance.memory.usedJSHeapSize / 1e6")
    yield Answer(what=f"{name}: memory of the whole page's scripts", got=used, most=400, unit="MB")


def _redaction(desk: _Desk) -> Iterator[Answer]:
    desk.open(f"view = ui_desk.redaction({str(desk.folder / 'many')!r}, {_FINDINGS})\nview")
    first = desk.js("return await born(1, '.wb-redaction', () => at('.wb-redaction .wb-hunk'))")
    look_s = looking_s(_FINDINGS)
    yield Answer(
        what=f"{_FINDINGS} findings: first one drawn (one look of the engine: {look_s:.1f} s of processor time)",
        got=first,
        most=10_000,
    )
    page = desk.lab.page
    page.get_by_role("listbox", name="Findings").focus()
    where = "at('.wb-redaction .wb-finding')?.textContent"
    alone = (  # a group is decided by another key, once it was scrolled through
        "if (at('.wb-redaction .wb-member')) { press(at('.wb-redaction .wb-rows'), 'j');"
        " await until(() => !at('.wb-redaction .wb-member')); } "
    )
    step = f"const was = {where}; return await timed(() => press(at('.wb-redaction .wb-rows'), '{{0}}'), () => {where} && {where} !== was)"
    yield Answer(
        what=f"{_FINDINGS} findings: next one by key",
        got=desk.fastest([step.replace("{0}", "j")] * 9),
        most=100,
    )
    yield Answer(
        what=f"{_FINDINGS} findings: decision kept and next one drawn",
        got=desk.fastest([alone + step.replace("{0}", "a")] * 9),
        most=300,
    )
    yield desk.scrolled(".wb-redaction", f"{_FINDINGS} findings")


def _stop(desk: _Desk) -> Iterator[Answer]:
    desk.open(f"view = ui_desk.search({str(desk.folder / 'slow')!r})\nview")
    desk.js("await run_cell(1); await until(() => at('.wb-shrink .wb-rows'))")
    circles = "document.querySelectorAll('.wb-shrink svg circle').length"
    stop = (
        f"const had = {circles}; press(at('.wb-shrink'), 'g'); await until(() => {circles} > had);"
        " return await timed(() => press(at('.wb-shrink'), '.'),"
        " () => at('.wb-shrink').textContent.includes('Stopped early'))"
    )
    took = desk.fastest([stop] * 2)
    yield Answer(what="a search that works: stopped", got=took, most=300)


def _all(desk: _Desk) -> Iterator[Answer]:
    yield from _timeline(desk, _SHORT, paint_ms=500, search_ms=60)
    yield from _timeline(desk, _LONG, paint_ms=2_000, search_ms=150)
    yield from _redaction(desk)
    yield from _stop(desk)
    yield from _runs(desk)
    yield Answer(what="requests that left loopback", got=len(desk.lab.outside), most=0, unit="")


def measure() -> Figure:
    """Compare the timeline of 2,000 events with a plain HTML table of the same rows, from run to frame."""
    with _desk() as desk:
        desk.open(
            f"view = ui_desk.timeline({str(desk.folder)!r}, {_SHORT})\ntable = ui_desk.html_table(view)",
            "view",
            "HTML(table)",
        )
        desk.js("await run_cell(1)")
        desk.lab.idle()
        ours = desk.js("return await timed(() => run_cell(2), () => at('.wb-timeline .wb-row'))")
        peer = desk.js("return await timed(() => run_cell(3), () => at('table.peer tbody tr'))")
    return Figure(
        what=f"a timeline of {_SHORT:,} events, from running the cell to its first frame",
        ours_s=ours / 1000,
        peer="an HTML table of the same rows",
        peer_s=peer / 1000,
        bound=2,
    )


def _leave(number: int, _frame: object) -> NoReturn:
    """End as after an error, so that servers, browsers and folders are tidied away."""
    raise SystemExit(128 + number)


def main() -> int:
    """Print every figure; 1 if one is not met."""
    signal.signal(signal.SIGTERM, _leave)
    print(
        f"load of the machine at the start: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    )
    missed = 0
    with _desk() as desk:
        for answer in _all(desk):
            print(answer.line(), flush=True)
            missed += not answer.is_met
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
