"""Every view for everybody: a checker, the keyboard alone, seen focus, and a page at 200 %."""

from __future__ import annotations

import pytest

from tests.browser.every_view import NAMES, written_desk
from tests.browser.jupyter import SHOTS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LISTEN = """
  const listen = EventTarget.prototype.addEventListener;
  window.clickable = new Set();
  EventTarget.prototype.addEventListener = function (kind, ...rest) {
    if (["click", "dblclick", "pointerdown", "mousedown"].includes(kind)) window.clickable.add(this);
    return listen.call(this, kind, ...rest);
  };"""
MOUSE_ONLY = """() => [...new Set([...window.clickable]
  .filter((node) => node instanceof Element && node.isConnected && node.closest('.wb-frame')
    && !node.matches('button, input, select, textarea, summary'))
  .map((node) => [...node.classList].find((name) => name.startsWith('wb-')) ?? node.tagName))].sort()"""
BY_KEY_TOO = {
    "wb-overview",  # n and p go from failure to failure, arrows from row to row
    "wb-rows-pad",  # arrows, Page keys, Home, End and Enter
    "wb-twisty",  # left and right arrow
}
CONTROLS = "button, input, select, textarea, summary, [tabindex='0']"
UNSEEN_FOCUS = f"""() => {{
  const channels = (words) => words.match(/[\\d.]+/g).map(Number);
  const light = (words) => channels(words).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, nth) => sum + part * [0.2126, 0.7152, 0.0722][nth], 0);
  const contrast = (one, other) => {{
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05); }};
  return [...document.querySelectorAll('.wb-frame')].flatMap((frame) =>
  [...frame.querySelectorAll({CONTROLS!r})].filter((node) => !node.disabled && node.checkVisibility()).filter((node) => {{
    node.focus({{ preventScroll: true }});
    const style = getComputedStyle(node);
    return document.activeElement !== node || node.tabIndex < 0
      || !(style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2)
      || contrast(style.outlineColor, getComputedStyle(frame).backgroundColor) < 3;
  }}).map((node) => node.outerHTML.slice(0, 160))); }}"""
CUT = f"""() => {{
  const cut = [];
  const page = document.scrollingElement;
  if (page.scrollWidth > page.clientWidth + 1) cut.push('the page scrolls sideways');
  for (const frame of document.querySelectorAll('.wb-frame')) {{
    const name = frame.classList[1];
    if (frame.scrollWidth > frame.clientWidth + 1) cut.push(`${{name}}: wider than its frame`);
    const outer = frame.getBoundingClientRect();
    for (const node of frame.querySelectorAll({CONTROLS!r})) {{
      if (!node.checkVisibility() || node.closest('.wb-sr, .wb-table')) continue;
      const box = node.getBoundingClientRect();
      const label = (node.getAttribute('aria-label') ?? node.textContent).slice(0, 40);
      if (box.left < outer.left - 1 || box.right > outer.right + 1 || !box.width) cut.push(`${{name}}: ${{label}}`);
      for (let up = node.parentElement; up !== frame; up = up.parentElement) {{
        const style = getComputedStyle(up);
        const rim = up.getBoundingClientRect();
        if (style.overflowX === 'hidden' && (box.right > rim.right + 1 || box.left < rim.left - 1)) cut.push(`${{name}}: ${{label}} in ${{up.className}}`);
        if (style.overflowX === 'auto' && up.scrollWidth > up.clientWidth + 1) cut.push(`${{name}}: ${{up.className}} scrolls sideways`);
      }}
    }}
  }}
  return [...new Set(cut)];
}}"""
COLOUR_ALONE = """() => [
  ...[...document.querySelectorAll('.wb-chip')].filter((chip) => !/\\p{L}|\\d|[✓✗▒⚑]/u.test(chip.textContent)),
  ...[...document.querySelectorAll('.wb-timeline .wb-row.wb-bad')].filter((row) => !/[✗↻?⊘∅]/.test(row.querySelector('.wb-c-outcome').textContent)),
  ...[...document.querySelectorAll('.wb-timeline .wb-row')].filter((row) => !row.querySelector('.wb-c-lane').textContent.trim()),
  ...[...document.querySelectorAll('.wb-line')].filter((line) => !/[\\u2212+=]/.test(line.firstChild.textContent)),
  ...[...document.querySelectorAll('.wb-problem')].filter((said) => !/✗/.test(getComputedStyle(said, '::before').content)),
  ...[...document.querySelectorAll('.wb-notice, .wb-state-title')].filter((said) => !/\\p{L}/u.test(said.textContent)),
  ...[...document.querySelectorAll('.wb-overview, .wb-spark, .wb-plot svg')].filter((image) => !image.getAttribute('aria-label')),
  ...[...document.querySelectorAll('.wb-gauge')].filter((gauge) => !/\\d/.test(gauge.parentElement.textContent)),
  ...[...document.querySelectorAll('.wb-frame :is([aria-pressed], [aria-selected])')].filter((node) =>
    ['true'].includes(node.getAttribute('aria-pressed') ?? node.getAttribute('aria-selected')) && getComputedStyle(node).boxShadow === 'none' && !/[▲▼↑↓]/.test(node.textContent)),
].map((node) => node.outerHTML.slice(0, 200))"""
UNEXPLAINED = """() => [...document.querySelectorAll('.wb-frame')].flatMap((frame) => {
  const help = frame.querySelector('.wb-help');
  const keys = new Set([...help.querySelectorAll('.wb-keymap kbd')].map((key) => key.textContent));
  return [
    ...(help.querySelectorAll('dl:not(.wb-keymap) dt').length ? [] : ['no words']), ...(keys.size ? [] : ['no keys']),
    ...[...help.querySelectorAll('dd')].filter((said) => said.textContent.length < 5).map((said) => said.outerHTML),
    ...[...frame.querySelectorAll('.wb-term')].filter((word) => !word.title).map((word) => word.outerHTML),
    ...[...frame.querySelectorAll('[aria-keyshortcuts]')].map((node) => node.getAttribute('aria-keyshortcuts')).filter((key) => !keys.has(key)),
  ].map((what) => `${frame.classList[1]}: ${what}`); })"""


@pytest.fixture(scope="module")
def desk(server):
    """A notebook with every view of one review."""
    return written_desk(server.folder, "access")


def opened(lab, desk):
    """Open the notebook with all its views drawn, and something chosen in each."""
    page = lab.page
    page.set_default_timeout(30_000)
    page.add_init_script(LISTEN)
    lab.open(desk)
    lab.run_all()
    page.locator(".wb-stale .wb-row").first.wait_for(timeout=90_000)
    page.locator(".wb-redaction .wb-hunk").first.wait_for()
    page.locator(".wb-timeline").first.get_by_role("button", name="Next failure").click()
    page.locator(".wb-timeline .wb-event").first.wait_for()
    assert page.locator(".wb-frame").count() == len(NAMES)
    return page


def axe_of_all(lab):
    """Return what the checker finds wrong in any view."""
    return [f"{name}: {found}" for name in FRAMES for found in lab.axe(f".wb-{name}")]


FRAMES = ("picker", "timeline", "contract", "redaction", "shrink", "export", "stale")


def test_every_view_is_for_everybody(lab, desk):
    """Checked in both themes, with help open and a kernel gone; by key; and with half the room."""
    page = opened(lab, desk)
    page.keyboard.press("Tab")  # from now on focus is the keyboard's
    assert set(page.evaluate(MOUSE_ONLY)) <= BY_KEY_TOO
    assert page.evaluate(COLOUR_ALONE) == []
    for theme in ("dark", "light"):
        lab.theme(theme)
        page.wait_for_timeout(250)
        assert page.evaluate(UNSEEN_FOCUS) == []
        pictured(page, theme)
        assert axe_of_all(lab) == []
    check_half_the_room(page)

    for frame in page.locator(".wb-frame").all():
        frame.get_by_role("button", name="Help").click()
    pictured(page, "help")
    assert page.evaluate(UNEXPLAINED) == []
    lab.restart()
    page.locator(".wb-stale .wb-state-gone").wait_for()
    assert page.locator(".wb-state-gone").count() == len(NAMES)
    assert axe_of_all(lab) == []
    pictured(page, "gone-light")
    lab.theme("dark")
    pictured(page, "gone-dark")
    assert axe_of_all(lab) == []


def pictured(page, what):
    """Take a picture of every view."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    for nth, name in enumerate(NAMES):
        page.locator(".wb-frame").nth(nth).screenshot(path=SHOTS / f"{name}-{what}.png")


def check_half_the_room(page):
    """Nothing is cut off at 200 %: of the page, with and without its side bar, and of the views."""
    assert page.evaluate(CUT) == []
    page.set_viewport_size({"width": 680, "height": 500})
    page.wait_for_timeout(300)
    assert page.evaluate(CUT) == []
    page.evaluate("() => window.jupyterapp.shell.collapseLeft()")
    page.wait_for_timeout(300)
    assert page.evaluate(CUT) == []
    page.set_viewport_size({"width": 1360, "height": 1000})
    page.evaluate("() => document.querySelectorAll('.wb').forEach((n) => { n.style.zoom = '2'; })")
    page.wait_for_timeout(300)
    assert page.evaluate(CUT) == []
    page.evaluate("() => document.querySelectorAll('.wb').forEach((n) => { n.style.zoom = ''; })")
