"""What a person decides on: values that were found, and texts that nobody settled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.model.wording import counted
from workbench.redact.policy import DecisionWord
from workbench.ui.controllers.diff import MAX_HUNKS, text_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.redact.desk import Cluster, Look, OpenText
    from workbench.redact.redaction import Redaction
    from workbench.ui.controllers.decided import Key, Taken
    from workbench.ui.controllers.diff import Lines

__all__ = [
    "Finding",
    "also_left",
    "detail_of",
    "findings_of",
    "is_open",
    "progress_in_words",
    "progress_of",
    "row_of",
    "text_type",
    "written",
]

_CHUNK: Final = 12_000
"""Characters of a text that are sent at once."""
_TOOLS: Final = "tools"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One entry of the list: a value with its variants, or texts to be read."""

    name: str
    """`v1`, `v2`, ... or `t1`, ...; the same as long as the draft and its policy are."""
    places: tuple[str, ...]
    cluster: Cluster | None = None
    """As the policy alone would have it; None: texts."""
    texts: tuple[OpenText, ...] = field(default=(), repr=False)
    is_settled: bool = False
    """Whether decisions on values settle all its texts, without anybody having marked them."""
    now: Cluster | None = None
    """As it is with all decisions; parts of it may have gone their own way."""

    @property
    def key(self) -> Key:
        """What a decision on it is about."""
        if self.cluster is None:
            return frozenset(self.places), None, True
        types = {context.type for context in self.cluster.contexts}
        return frozenset(self.places), self.cluster.type if len(types) == 1 else None, False

    @property
    def stays(self) -> bool:
        """Whether the policy alone leaves it as it is."""
        return self.cluster is not None and any(c.stays for c in self.cluster.contexts)

    def touches(self, key: Key) -> bool:
        """Whether a decision leaves some of it as it is, too: the same place and type."""
        if self.cluster is None or key[2]:
            return False
        return any(c.at in key[0] and key[1] in (None, c.type) for c in self.cluster.contexts)

    def raw_values(self) -> list[Json]:
        """Return the value at each place, as many as there are hunks."""
        assert self.cluster is not None  # noqa: S101  texts are shown as they are
        return [context.value for context in self.cluster.contexts[:MAX_HUNKS]]


def findings_of(base: Look, now: Look) -> tuple[Finding, ...]:
    """Return the list: values that reach the case, texts that do, then the other values.

    Args:
        base: by the policy alone; it gives the list its order and its names.
        now: with all decisions.
    """
    current = {
        (context.at, context.text, context.start): cluster
        for cluster in now.clusters
        for context in cluster.contexts
    }
    values = []
    for cluster in base.clusters:
        first = cluster.contexts[0]
        values.append(
            Finding(
                name=f"v{cluster.name.removeprefix('c')}",
                places=cluster.places,
                cluster=cluster,
                now=current.get((first.at, first.text, first.start)),
            )
        )
    reaching = [f for f in values if f.cluster is not None and f.cluster.surviving]
    others = [f for f in values if f.cluster is not None and not f.cluster.surviving]
    return (*reaching, *_texts(base, now), *others)


def _texts(base: Look, now: Look) -> Iterator[Finding]:
    known = {text.places: text for text in (*base.open_texts, *now.open_texts)}
    left = {text.places for text in now.open_texts}
    groups: dict[str, list[OpenText]] = {}
    for places, text in known.items():
        root = places[0].partition(".")[0]
        groups.setdefault(root if root == _TOOLS else places[0], []).append(text)
    for nth, texts in enumerate(groups.values(), start=1):
        places = tuple(dict.fromkeys(at for text in texts for at in text.places))
        yield Finding(
            name=f"t{nth}",
            places=places,
            texts=tuple(texts),
            is_settled=not any(text.places in left for text in texts),
        )


def row_of(finding: Finding, taken: Taken) -> JsonMap:
    """Return a finding's line of the list; no raw value."""
    row: JsonMap = {
        "name": finding.name,
        "at": finding.places[0],
        "places": len(finding.places),
        "kind": "value" if finding.cluster is not None else "text",
        **_status(finding, taken),
    }
    if finding.cluster is None:
        return {**row, "reaches": True, "type": text_type(finding), "texts": len(finding.texts)}
    now = finding.now or finding.cluster
    return {
        **row,
        "reaches": finding.cluster.surviving,
        "type": finding.cluster.type,
        "trigger": finding.cluster.on_trigger,
        "becomes": now.contexts[0].pseudonym if now.contexts[0].stays is None else None,
        "lost": len(now.facts_lost),
    }


def text_type(finding: Finding) -> str:
    """Return what sort of texts a finding holds, as the list says it."""
    root, _, rest = finding.places[0].partition(".")
    if root == _TOOLS:
        return "descriptions of tools"
    name = rest.partition(".")[0]
    return root if not name or name.isdigit() else name


def _status(finding: Finding, taken: Taken) -> JsonMap:
    if finding.cluster is None:
        entry = taken.who_saw(frozenset(finding.places))
        if entry is not None and frozenset(finding.places) <= taken.seen:
            return {"status": "seen", "by": entry.actor, "when": entry.at}
        return _settled(finding, taken) if finding.is_settled else {"status": "open", "by": None}
    last = taken.last(finding.key)
    if last is not None:
        entry, decision = last
        return {
            "status": decision.decision.value,
            "by": entry.actor,
            "when": entry.at,
            "reason": decision.reason,
            "strategy": None if decision.strategy is None else decision.strategy.value,
        }
    given = finding.cluster.decision
    if finding.stays:
        word = finding.cluster.contexts[0].stays or DecisionWord.RETAINED.value
        return {"status": word, "by": None if given is None else given.by, "policy": True}
    return {"status": "open", "by": None}


def _settled(finding: Finding, taken: Taken) -> JsonMap:
    """Say who decided on the values of texts: they answer for the texts as well."""
    entries = taken.about(frozenset(finding.places))
    names = ", ".join(dict.fromkeys(entry.actor for entry in entries))
    return {"status": "settled", "by": names or None, "when": entries[-1].at if entries else None}


def is_open(finding: Finding, taken: Taken) -> bool:
    """Whether nobody has decided on a finding."""
    return _status(finding, taken)["status"] == "open"


def progress_of(findings: Sequence[Finding], taken: Taken) -> dict[str, int]:
    """Count findings: those that reach the case, the decided ones of them and of the others."""
    decided = {f.name for f in findings if not is_open(f, taken)}
    reaching = {f.name for f in findings if f.cluster is None or f.cluster.surviving}
    return {
        "reaching": len(reaching),
        "decided": len(decided & reaching),
        "others": len(decided - reaching),
    }


def progress_in_words(findings: Sequence[Finding], taken: Taken) -> str:
    """Say how many findings are decided, as the view says it."""
    told = progress_of(findings, taken)
    others = f" and {counted(told['others'], 'other')}" if told["others"] else ""
    return f"{told['decided']} of {told['reaching']}{others} decided"


def detail_of(finding: Finding, lines: Lines, start: int) -> JsonMap:
    """Return what is shown of a finding beside its line: its contexts, or its texts."""
    if finding.cluster is None:
        return _read(finding.texts, lines, start)
    now = finding.now or finding.cluster
    return {
        "hunks": lines.hunks(finding.cluster.contexts),
        "of": len(finding.cluster.contexts),
        "kept": [*now.facts_kept],
        "lost": [*now.facts_lost],
    }


def _read(texts: Sequence[OpenText], lines: Lines, start: int) -> JsonMap:
    """Return texts from one character on; long ones in several portions."""
    shown: list[Json] = []
    left, before = _CHUNK, 0
    for text in texts:
        length = len(text.text)
        begin = max(0, start - before)
        before += length
        if begin >= length:
            continue
        if left <= 0:
            break
        end = min(length, begin + left)
        left -= end - begin
        at = text.places[0]
        shown.append(
            {
                "at": at,
                "places": len(text.places),
                "from": begin,
                "to": end,
                "length": length,
                "parts": text_parts(lines, at, text.text, begin, end),
            }
        )
    total = sum(len(text.text) for text in texts)
    return {
        "texts": shown,
        "start": start,
        "upto": min(total, start + _CHUNK - left),
        "total": total,
    }


def also_left(finding: Finding, findings: Sequence[Finding]) -> str | None:
    """Say which other values a decision leaves as they are, if any."""
    others = [f.name for f in findings if f is not finding and f.touches(finding.key)]
    if not others:
        return None
    many = "1 other value stays" if len(others) == 1 else f"{len(others)} other values stay"
    return f"{many} too, being of the same type in the same text ({', '.join(others[:3])})."


def written(name: str, redaction: Redaction) -> str:
    """Say that a draft is written, and what then still stands in the way of an active case."""
    said = f"{name} is written: {counted(redaction.values, 'value')} replaced."
    if not redaction.unreviewed:
        return said
    return f"{said} {counted(redaction.unreviewed, 'text')} seen by nobody yet: see them before the case is activated."
