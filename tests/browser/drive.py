"""The steps of a review as a person does them in the notebooks, the same for every incident."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.desks import Hand, put_notebook

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "CASE",
    "MAX_ACTIONS",
    "OPEN",
    "REDACTION",
    "Waits",
    "by_keys",
    "by_mouse",
    "decide_all",
    "is_written",
    "opened",
    "survivors_are_shown",
]

REDACTION = "desk.session.step('redaction')"
OPEN = f"sum(row['reaches'] and row['status'] == 'open' for row in {REDACTION}.rows())"
CASE = "desk.session.step('case')"
AT_THE_END = "node => node.scrollTop + node.clientHeight >= node.scrollHeight - 2"
MAX_ACTIONS = 40
"""Of a whole review, by mouse or by keys; scrolling counts."""


@dataclass
class Waits:
    """How long a person looked at nothing new, step by step."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def of(self, step: str) -> Iterator[None]:
        """Time what is waited for; a step done twice counts as its slowest."""
        begun = time.monotonic()
        yield
        took = time.monotonic() - begun
        self.seconds[step] = max(took, self.seconds.get(step, 0.0))

    def __str__(self) -> str:
        return ", ".join(f"{step} {took:.1f} s" for step, took in self.seconds.items())


def opened(lab, folder, name, **parameters):
    """Open a notebook of a desk and run all of its cells."""
    path = put_notebook(folder, name, **parameters)
    lab.open(path).page.set_default_timeout(60_000)
    lab.run_all()
    return Hand(lab.page, acts=1)


def survivors_are_shown(lab, *, least):
    """Wait for the first finding; what reaches the case is listed before the rest."""
    lab.page.locator(".wb-redaction .wb-hunk").first.wait_for(timeout=120_000)
    reach = lab.py(f"[row['reaches'] for row in {REDACTION}.rows()]")
    assert reach == sorted(reach, reverse=True)
    assert least <= sum(reach) <= len(reach)
    return sum(reach)


def by_mouse(hand):
    """Return how a person with a mouse decides: the button of what is shown, nothing else."""
    page = hand.page
    buttons = {"value": "Accept", "text": "Seen: nothing more here"}

    def act(kind):
        if kind == "group":
            scrolled_through(hand, lambda: hand.wheel(page.locator(".wb-hunks")))
            hand.click(deciding_together(page))
        else:
            hand.click(page.get_by_role("button", name=buttons[kind], exact=True))

    return act


def by_keys(hand):
    """Return how a person with a keyboard decides: one key, and Space to see all of a group."""

    def act(kind):
        if kind == "group":
            scrolled_through(hand, lambda: hand.press("Space"))
        hand.press({"value": "a", "text": "s", "group": "g"}[kind])

    return act


def deciding_together(page):
    """The button that decides on a group."""
    name = re.compile("^(Accept these|Seen: nothing more in these) ")
    return page.get_by_role("button", name=name)


def scrolled_through(hand, scroll):
    """Scroll until each member of a group was on the screen; before that nobody may decide."""
    shown = hand.page.locator(".wb-hunks")
    for _ in range(20):
        if shown.evaluate(AT_THE_END):
            break
        was = shown.evaluate("node => node.scrollTop")
        scroll()
        hand.page.wait_for_function(
            "([node, was]) => node.scrollTop > was", arg=[shown.element_handle(), was]
        )
    expect(deciding_together(hand.page)).to_be_enabled()


def decide_all(lab, act, *, least, waits=None):
    """Decide on all survivors, like ones together; a text is settled when all values in it are.

    `act` is told whether a value, a text or a group is shown.
    """
    head = lab.page.locator(".wb-finding-head h4")
    waits = waits or Waits()
    made = 0
    while lab.py(OPEN):
        with waits.of("next finding"):
            head.and_(lab.page.locator(":not([data-past])")).wait_for()
        head.evaluate("node => node.setAttribute('data-past', '')")
        members = lab.page.locator(".wb-member").count()
        is_text = lab.page.get_by_role("button", name="Seen: nothing more here").count()
        act("group" if members else "text" if is_text else "value")
        made += members or 1
        with waits.of("decision kept"):
            lab.eventually(f"len({REDACTION}.entries)", made, timeout_s=30)
        with waits.of("checked again"):
            lab.eventually(f"{REDACTION}.is_checking", wanted=False, timeout_s=60)
    assert made >= least
    return made


def is_written(lab):
    """Wait until the redacted draft is as it was decided."""
    expect(lab.page.get_by_text("is written as decided")).to_be_visible(timeout=120_000)
    assert lab.py(f"{REDACTION}.state()['unreviewed']") == 0
