"""Gives every value of a document its pseudonym.

Values that share a core, or nearly do, form a cluster. Its anchor is drawn as units; every other
member replays its edit script on them, and wears its own dress (case, width, marks, separators,
blanks). A draw that loses a fact of any member, or that makes two values one, is drawn again under the
next counter; after `TRIES` the facts still lost are listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.redact.book import KEPT_WORDS, Book, Host, Known, Value, labels_of, sign_of
from workbench.redact.checks import VALIDITY, is_ip
from workbench.redact.finding import Family, family_of
from workbench.redact.search import search
from workbench.redact.skeleton import core_of, pieces, words_of
from workbench.redact.special import Dates
from workbench.redact.variants import Member, cluster, script

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workbench.redact.draws import Drawer

__all__ = ["TRIES", "Assignment", "Value", "assign"]

TRIES: Final = 1000
"""Draws of one value before its facts are given up."""

_RANK: Final = (
    "SECRET",
    "CREDIT_CARD",
    "IBAN_CODE",
    "ZH_ID",
    "US_SSN",
    "EMAIL_ADDRESS",
    "IP_ADDRESS",
    "PHONE_NUMBER",
    "DATE_OF_BIRTH",
    "ACCOUNT_ID",
    "GOV_ID",
    "PERSON",
    "USERNAME",
    "LOCATION",
    "ORGANIZATION",
    "NRP",
    "DOMAIN_NAME",
)
_OWN_CHECK: Final = {
    "EMAIL_ADDRESS": "email",
    "CREDIT_CARD": "luhn",
    "IBAN_CODE": "iban",
    "PHONE_NUMBER": "phone",
    "ZH_ID": "zh_id",
    "US_SSN": "ssn",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What stands for what; holds raw values, so it never leaves the machine."""

    pseudonyms: Mapping[str, str]
    clusters: Mapping[str, str]
    """Value -> a name of its cluster, which is a raw value too."""
    lost: Mapping[str, tuple[str, ...]]
    """Value -> facts that its pseudonym does not have; only values that lost some."""

    def __repr__(self) -> str:
        return f"Assignment({len(self.pseudonyms)} values)"


def _taken_apart(values: Iterable[Value]) -> dict[str, Known]:
    found = {}
    for value in sorted(values, key=lambda v: v.text):
        parts = pieces(value.text)
        found[value.text] = Known(value, parts, core_of(parts))
    return found


def _group(kind: str) -> str:
    family = family_of(kind)
    return family.value if family is not Family.SEQUENCE else kind


def _unify_types(known: dict[str, Known]) -> None:
    """Give values of one core one type: the most telling that any of them has."""
    types: dict[str, set[str]] = defaultdict(set)
    for one in known.values():
        types[one.core.key].add(one.value.type)
    for one in known.values():
        best = min(types[one.core.key], key=lambda t: (_RANK.index(t) if t in _RANK else 99, t))
        one.value = Value(text=one.value.text, type=best, count=one.value.count)


def _form_clusters(book: Book) -> None:
    known = book.known.values()
    members: dict[tuple[str, str], Member] = {}
    first: dict[str, Known] = {}
    for one in sorted(known, key=lambda k: (not _is_valid(k), -k.value.count, k.value.text)):
        group = _group(one.value.type)
        first.setdefault(f"{group}:{one.core.key}", one)
        old = members.get((group, one.core.key))
        members[group, one.core.key] = Member(
            key=one.core.key,
            group=group,
            valid=_is_valid(one) or (old is not None and old.valid),
            count=one.value.count + (old.count if old else 0),
        )
    anchor_of = cluster(members.values())
    for one in known:
        group = _group(one.value.type)
        key = anchor_of[group, one.core.key]
        one.anchor = f"{group}:{key}"
        one.steps = script(key, one.core.key)
        book.anchors[one.anchor] = first[one.anchor]


def _is_valid(known: Known) -> bool:
    check = _OWN_CHECK.get(known.value.type)
    return check is None or VALIDITY[check](known.value.text)


def _form_words(book: Book) -> None:
    counts: Counter[str] = Counter()
    names: set[str] = set()
    for one in book.anchors.values():
        family = family_of(one.value.type)
        if family not in (Family.WORDS, Family.EMAIL):
            continue
        end = sign_of(one) if family is Family.EMAIL else len(one.core.key)
        for left, right in words_of(one.core, one.parts):
            if end is not None and right > end:
                break
            word = one.core.key[left:right]
            is_name = one.value.type == "PERSON" and word not in KEPT_WORDS
            counts[word] += 1 + 9 * is_name
            if is_name:
                names.add(word)
    book.names = frozenset(names)
    members = [
        Member(key=w, group="word", valid=w in names, count=n)
        for w, n in counts.items()
        if w not in KEPT_WORDS and not w.isdigit()
    ]
    for (_, word), anchor in cluster(members).items():
        book.words[word] = (anchor, script(anchor, word))


def _form_hosts(book: Book) -> None:
    labels: dict[str, tuple[int, ...]] = {}
    counts: Counter[str] = Counter()
    for one in book.known.values():
        family = family_of(one.value.type)
        start = 0 if family is Family.DOMAIN else sign_of(one) if family is Family.EMAIL else None
        if start is None:
            continue
        key = one.core.key[start:]
        counts[key] += one.value.count
        labels[key] = max(labels.get(key, ()), labels_of(one, start), key=len)
    members = [
        Member(key=k, group="host", valid=len(labels[k]) > 1, count=n) for k, n in counts.items()
    ]
    for (_, key), anchor in cluster(members).items():
        book.hosts[key] = Host(anchor, labels[anchor], script(anchor, key))


def _fit_dress(book: Book) -> None:
    """Note, per place of a draw, the dress that its character must be able to wear."""
    for one in book.known.values():
        if one.value.text.isascii() or family_of(one.value.type) in (Family.ADDRESS, Family.DATE):
            continue
        units = book.replay(book.of_anchor(one.anchor), one.steps)
        for place, unit in zip(one.core.at, units, strict=True):
            piece = one.parts[place]
            if not piece.surface.isascii() and piece.surface.lower() != piece.folded:
                book.dress[unit.label, unit.at].append(piece)
    book.units.clear()


def assign(
    values: Iterable[Value],
    drawer: Drawer,
    *,
    dates: Dates = Dates.SHIFT_WEEKS,
    prefixes: Mapping[str, str] | None = None,
    tries: int = TRIES,
    skip: Mapping[str, int] | None = None,
) -> Assignment:
    """Give every value a pseudonym.

    Args:
        values: distinct texts.
        drawer: draws under the draft's key.
        dates: what happens to days of a calendar.
        prefixes: type -> leading part of its values that stays.
        tries: draws of one value before its facts are given up.
        skip: name of a cluster -> draws to leave out, when those broke something.
    """
    known = _taken_apart(values)
    _unify_types(known)
    book = Book(drawer=drawer, dates=dates, prefixes=prefixes or {}, known=known)
    book.addresses = tuple(t for t, k in known.items() if k.value.type == "IP_ADDRESS" and is_ip(t))
    _form_clusters(book)
    _form_words(book)
    _form_hosts(book)
    _fit_dress(book)
    for anchor, count in (skip or {}).items():
        members = (k for k in known.values() if k.anchor == anchor)
        book.counters.update({label: count for k in members for label in book.labels(k)})
    book.units.clear()
    drawn = search(book, tries)
    return Assignment(
        pseudonyms=drawn.pseudonyms,
        clusters={text: one.anchor for text, one in known.items()},
        lost=drawn.lost,
    )
