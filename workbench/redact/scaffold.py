"""Labels that frameworks write at the start of a line: structure, whoever a model takes them for.

`Tool Name:`, `Thought:`, `Final Answer:` look like names to a model that reads names. Only labels
that are made of the words of such scaffolding alone count: in a chat `Ann Lee:` stands there as well.
"""

# ruff: noqa: RUF001  a full-width colon is data here
from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.redact.finding import Family, family_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.redact.finding import Finding

__all__ = ["labels_of", "without_labels"]

_TEXT_OF_WORDS: Final = (
    "action actions agent ai answer argument arguments args assistant backstory begin context "
    "coworker criteria critique current data description developer end error example examples expected "
    "final format function goal human input inputs instruction instructions json message messages model "
    "name new next note observation output outputs parameter parameters plan previous prompt query "
    "question reasoning reflection request response result results role schema search step steps "
    "summary system task tasks thought thoughts tool tools topic type user"
)
_WORD: Final = "(?:" + "|".join(_TEXT_OF_WORDS.split()) + ")"
_LABEL: Final = re.compile(
    rf"(?im)^[ \t>*#`\"'\[(-]{{0,8}}(?P<label>{_WORD}(?:[ _]{_WORD}){{0,3}})[ \t*`\"'\])]{{0,4}}[:：]"
)


def labels_of(text: str) -> Iterator[str]:
    """Yield the labels of a text; in prose of the same document they are no names either."""
    if ":" in text or "：" in text:
        yield from (match["label"] for match in _LABEL.finditer(text))


def without_labels(findings: Iterable[Finding], text: str) -> Iterator[Finding]:
    """Yield findings without what is a label of scaffolding; one of nothing else is left out."""
    labels: list[re.Match[str]] | None = None
    for one in findings:
        if family_of(one.type) is not Family.WORDS or (":" not in text and "：" not in text):
            yield one
            continue
        if labels is None:
            labels = list(_LABEL.finditer(text))
        label = next((m for m in labels if m.start("label") <= one.start < m.end()), None)
        if label is None:
            yield one
            continue
        start = label.end()
        start += len(text[start : one.end]) - len(text[start : one.end].lstrip())
        if any(c.isalnum() for c in text[start : one.end]):
            yield replace(one, start=start)
