"""HTML as values: text is escaped where it enters, so that no text of a trace can be markup.

Names of elements and attributes are our own and checked; values of attributes are numbers, words
of ours, or links within the page. Control, bidirectional and zero-width characters are shown as
escapes.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

from workbench.runner.reports.harmless import harmless

if TYPE_CHECKING:
    from typing import TypeAlias

    Child: TypeAlias = "str | Fragment"

__all__ = ["Fragment", "joined", "shown", "tag"]

_NAME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*")
_VALUE: Final = re.compile(r"[A-Za-z0-9#%:,./ ()_-]*")
_HANDLERS: Final = ("on", "style", "src", "formaction")
_EMPTY: Final = ("line", "rect", "circle")


class Fragment(str):
    """Text that is markup of ours."""

    __slots__ = ()


def shown(text: str) -> Fragment:
    r"""Return text as a page shows it.

    >>> shown("<b>\u202e")
    '&lt;b&gt;\\u202e'
    """
    return Fragment(html.escape(harmless(text)))


def joined(*children: Child) -> Fragment:
    """Return children one after the other; what is no markup is shown as text."""
    return Fragment("".join(c if isinstance(c, Fragment) else shown(c) for c in children))


def tag(name: str, *children: Child, **attributes: str | float) -> Fragment:
    """Return an element.

    Args:
        name: of the element.
        children: markup as it is, text escaped.
        attributes: a `_` in a name is a `-`, one at its end is left out (`class_`).

    >>> tag("a", "x < y", href="#e1", class_="link")
    '<a href="#e1" class="link">x &lt; y</a>'
    """
    parts = [name, *(_attribute(key, value) for key, value in attributes.items())]
    assert _NAME.fullmatch(name)  # noqa: S101  names are ours
    opened = " ".join(parts)
    if name in _EMPTY:
        return Fragment(f"<{opened}/>")
    return Fragment(f"<{opened}>{joined(*children)}</{name}>")


def _attribute(key: str, value: str | float) -> str:
    name = key.rstrip("_").replace("_", "-")
    assert _NAME.fullmatch(name)  # noqa: S101
    assert not name.lower().startswith(_HANDLERS)  # noqa: S101  none that runs or loads
    text = f"{value:g}" if isinstance(value, float) else str(value)
    assert _VALUE.fullmatch(text)  # noqa: S101  never of a trace
    assert name != "href" or text.startswith("#")  # noqa: S101  nothing is fetched
    return f'{name}="{text}"'
