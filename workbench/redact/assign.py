"""Gives every value of a document its pseudonym.

Values that share a core, or nearly do, form a cluster. Its anchor is drawn as units; every other
member replays its edit script on them, and wears its own dress (case, width, marks, separators,
blanks). A draw that loses a fact of any member, or that makes two values one, is drawn again under the
next counter; after `TRIES` the facts still lost are listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from workbench.redact.book import KEPT_WORDS, Book
from workbench.redact.checks import VALIDITY, is_ip
from workbench.redact.crowds import dense, form_numbers, form_series, is_numbered
from workbench.redact.finding import Family, family_of, group_of
from workbench.redact.members import draws_behind, draws_in_reserve, draws_of, units_of
from workbench.redact.pinned import pinned_units
from workbench.redact.scripts import link_scripts
from workbench.redact.search import search
from workbench.redact.skeleton import core_of, pieces, words_of
from workbench.redact.special import Dates, anchor_address
from workbench.redact.taken import Host, Known, Pin, Unit, Value, labels_of, sign_of
from workbench.redact.variants import Member, cluster, script

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from workbench.redact.draws import Drawer

__all__ = ["TRIES", "Assignment", "Pin", "Unit", "Value", "assign"]

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
_SUFFIXES: Final = frozenset(["jr", "sr", "phd", "md", "inc", "ltd", "llc", "gmbh", "corp", "co"])
"""Last words of names that are nobody's name."""
_OWN_CHECK: Final = {
    "EMAIL_ADDRESS": "email",
    "CREDIT_CARD": "luhn",
    "IBAN_CODE": "iban",
    "PHONE_NUMBER": "phone",
    "ZH_ID": "zh_id",
    "US_SSN": "ssn",
}
_CHECKED: Final = frozenset({"CREDIT_CARD", "IBAN_CODE", "ZH_ID"})
"""Types with a check digit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What stands for what; holds raw values, so it never leaves the machine."""

    pseudonyms: Mapping[str, str]
    clusters: Mapping[str, str]
    """Value -> a name of its cluster, which is a raw value too."""
    lost: Mapping[str, tuple[str, ...]]
    """Value -> facts that its pseudonym does not have; only values that lost some."""
    draws: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    """Value -> labels of its draws with their counters."""
    units: Mapping[str, tuple[Unit, ...]] = field(default_factory=dict)
    """Value -> what stands for each of its letters and digits; only types that are drawn so."""

    def pin(self, text: str) -> Pin:
        """Return what another redaction must know of a value to say the same of all its forms."""
        return Pin(
            pseudonym=self.pseudonyms[text],
            draws=self.draws[text],
            units=self.units.get(text, ()),
        )

    def __repr__(self) -> str:
        return f"Assignment({len(self.pseudonyms)} values)"


def _taken_apart(values: Iterable[Value]) -> dict[str, Known]:
    found = {}
    for value in sorted(values, key=lambda v: v.text):
        parts = pieces(value.text)
        found[value.text] = Known(value, parts, core_of(parts))
    return found


def _unify_types(known: dict[str, Known]) -> None:
    """Give values of one core one type: the most telling that any, or a pinned one, of them has."""
    types: dict[str, set[str]] = defaultdict(set)
    pinned: dict[str, set[str]] = defaultdict(set)
    for one in known.values():
        types[one.core.key].add(one.value.type)
        if one.value.pin is not None:
            pinned[one.core.key].add(one.value.type)
    for one in known.values():
        given = pinned.get(one.core.key) or types[one.core.key]
        best = min(given, key=lambda t: (_RANK.index(t) if t in _RANK else 99, t))
        one.value = replace(one.value, type=best)


def _by_rank(one: Known) -> tuple[bool, bool, int, str]:
    value = one.value
    return (value.pin is None, not _is_valid(one), -value.count, value.text)


def _form_clusters(book: Book) -> set[str]:
    """Give every value its anchor, and return the anchors that are of crowds."""
    known = book.known.values()
    full = _dense(book)
    members: dict[tuple[str, str], Member] = {}
    first: dict[str, Known] = {}
    for one in sorted(known, key=_by_rank):
        group, pinned = group_of(one.value.type), one.value.pin is not None
        first.setdefault(f"{group}:{one.core.key}", one)
        old = members.get((group, one.core.key))
        if old is not None and old.pinned and not pinned:
            continue
        members[group, one.core.key] = Member(
            key=one.core.key,
            group=group,
            valid=_is_valid(one) or (old is not None and old.valid),
            count=one.value.count + (old.count if old else 0),
            pinned=pinned,
            apart=bool(one.value.order)
            or (group, one.core.key) in full
            or (old is not None and old.apart),
            checked=one.value.type in _CHECKED and _is_valid(one),
        )
    book.first = first
    anchor_of, crowded = cluster(members.values())
    for one in known:
        group = group_of(one.value.type)
        key = anchor_of[group, _origin(book, one).core.key]
        one.anchor = f"{group}:{key}"
        one.steps = script(key, one.core.key)
        book.anchors[one.anchor] = first[one.anchor]
    return {f"{group}:{key}" for group, key in crowded | full}


def _dense(book: Book) -> set[tuple[str, str]]:
    """Return group and core of the ids whose frame is full of ids."""
    keys: dict[str, set[str]] = defaultdict(set)
    for one in book.known.values():
        if is_numbered(one.value.type):
            keys[group_of(one.value.type)].add(one.core.key)
    return {(group, key) for group, found in keys.items() for key in dense(found)}


def _origin(book: Book, one: Known) -> Known:
    """Return the valid address that a damaged one comes from; any other value is its own origin."""
    if family_of(one.value.type) is not Family.ADDRESS:
        return one
    return book.known.get(anchor_address(one.value.text, book.addresses), one)


def _form_orders(book: Book) -> None:
    """Note which anchors are drawn together so that their order stays."""
    groups: dict[str, set[str]] = defaultdict(set)
    for one in book.known.values():
        if one.value.order and family_of(one.value.type) is Family.SEQUENCE:
            groups[one.value.order].add(one.anchor)
            anchor = book.anchors[one.anchor]
            anchor.value = replace(anchor.value, order=one.value.order)
    book.orders = {group: tuple(sorted(anchors)) for group, anchors in groups.items()}


def _is_valid(known: Known) -> bool:
    check = _OWN_CHECK.get(known.value.type)
    return check is None or VALIDITY[check](known.value.text)


@dataclass(slots=True)
class _Tally:
    """How often words or hosts occur: in pinned values, or in all."""

    counts: Counter[str] = field(default_factory=Counter)
    pinned: Counter[str] = field(default_factory=Counter)

    def add(self, key: str, count: int, *, pinned: bool) -> None:
        self.counts[key] += count
        if pinned:
            self.pinned[key] += count

    def items(self) -> Iterator[tuple[str, int, bool]]:
        """Yield each key with its count, and whether it is pinned: new values change nothing then."""
        for key, count in self.counts.items():
            yield key, self.pinned.get(key, count), key in self.pinned


def _form_words(book: Book) -> None:
    tally = _Tally()
    names: dict[bool, set[str]] = {True: set(), False: set()}
    for one in book.anchors.values():
        pinned = one.value.pin is not None
        for word, is_name in _words(one):
            tally.add(word, 1 + 9 * is_name, pinned=pinned)
            names[pinned] |= {word} if is_name else set()
    book.names = frozenset(names[True] | names[False])
    book.pinned_names = frozenset(names[True])
    people = (one for one in book.anchors.values() if one.value.type == "PERSON")
    book.surnames = frozenset(_last_word(one) for one in people) & KEPT_WORDS - _SUFFIXES
    members = [
        Member(
            key=w,
            group="word",
            valid=w in (book.pinned_names if pinned else book.names),
            count=n,
            pinned=pinned,
        )
        for w, n, pinned in tally.items()
        if w not in KEPT_WORDS and not w.isdigit()
    ]
    form_numbers(book, tally.counts)
    for (_, word), anchor in cluster(members).anchors.items():
        book.words[word] = (anchor, script(anchor, word))


def _words(one: Known) -> Iterator[tuple[str, bool]]:
    """Yield the words of a value that has words, and whether each is of a person's name."""
    family = family_of(one.value.type)
    if family not in (Family.WORDS, Family.EMAIL):
        return
    end = sign_of(one) if family is Family.EMAIL else len(one.core.key)
    for left, right in words_of(one.core, one.parts):
        if end is not None and right > end:
            return
        word = one.core.key[left:right]
        yield word, one.value.type == "PERSON" and word not in KEPT_WORDS


def _last_word(one: Known) -> str:
    spans = words_of(one.core, one.parts)
    return one.core.key[slice(*spans[-1])] if spans else ""


def _form_hosts(book: Book) -> None:
    labels: dict[str, tuple[int, ...]] = {}
    tally = _Tally()
    for one in book.known.values():
        family = family_of(one.value.type)
        start = 0 if family is Family.DOMAIN else sign_of(one) if family is Family.EMAIL else None
        if start is None:
            continue
        key = one.core.key[start:]
        tally.add(key, one.value.count, pinned=one.value.pin is not None)
        labels[key] = max(labels.get(key, ()), labels_of(one, start), key=len)
    parents = {key: _parent(key, labels) for key in labels}
    members = [
        Member(key=k, group="host", valid=len(labels[k]) > 1, count=n, pinned=pinned)
        for k, n, pinned in tally.items()
        if not parents[k]
    ]
    for (_, key), anchor in cluster(members).anchors.items():
        book.hosts[key] = Host(anchor, labels[anchor], script(anchor, key))
    for key, parent in parents.items():
        if parent:
            book.hosts[key] = Host(key, labels[key], (), parent)
    _set_apart(book, parents)


def _parent(key: str, labels: Mapping[str, tuple[int, ...]]) -> str:
    """Return the longest other host that a host is a name in; empty: none is known."""
    above = (
        other
        for other, lengths in labels.items()
        if len(labels[key]) > len(lengths) > 1
        and key.endswith(other)
        and labels[key][-len(lengths) :] == lengths
    )
    return max(above, key=len, default="")


def _set_apart(book: Book, parents: Mapping[str, str]) -> None:
    """Make a name in a known host its own anchor: it is no damaged form of that host."""
    for one in book.known.values():
        key = one.core.key
        if family_of(one.value.type) is Family.DOMAIN and parents[key]:
            one.anchor = f"{group_of(one.value.type)}:{key}"
            one.steps = script(key, key)
            book.anchors.setdefault(one.anchor, one)


def _freeze(book: Book) -> None:
    """Take over the draws of pinned values."""
    pins = [one.value.pin for one in book.known.values() if one.value.pin is not None]
    draws = {label: count for pin in pins for label, count in pin.draws}
    book.counters.update(draws)
    book.frozen = frozenset(draws)
    book.pinned = pinned_units(book.known.values())


def _fit_dress(book: Book) -> None:
    """Note, per place of a draw, the dress that its character must be able to wear."""
    for one in book.known.values():
        if one.value.text.isascii() or family_of(one.value.type) in (Family.ADDRESS, Family.DATE):
            continue
        units = units_of(book, one)
        for place, unit in zip(one.core.at, units, strict=True):
            piece = one.parts[place]
            if unit.label in book.frozen and one.value.pin is None:
                continue
            if not piece.surface.isascii() and piece.surface.lower() != piece.folded:
                book.dress[unit.label, unit.at].append(piece)
    book.units.clear()


def _free(book: Book, one: Known) -> set[str]:
    """Return the draws that another turn of a value takes again."""
    return draws_behind(book, one) - draws_in_reserve(book, one) - book.frozen


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
        values: distinct texts; a pinned one keeps its pseudonym, and those related to it follow.
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
    crowded = _form_clusters(book)
    _form_orders(book)
    link_scripts(book)
    _form_words(book)
    _form_hosts(book)
    _freeze(book)
    form_series(book, crowded)
    _fit_dress(book)
    for anchor, count in (skip or {}).items():
        members = (k for k in known.values() if k.anchor == anchor)
        labels = {label for k in members for label in _free(book, k)}
        book.counters.update(dict.fromkeys(labels, count))
    for one in known.values():
        for label in _free(book, one) if one.value.turn else ():
            book.counters[label] = max(book.counters[label], one.value.turn)
    book.units.clear()
    drawn = search(book, tries)
    return Assignment(
        pseudonyms=drawn.pseudonyms,
        clusters={text: one.anchor for text, one in known.items()},
        lost=drawn.lost,
        draws={
            text: tuple((label, book.counters[label]) for label in sorted(draws_of(book, one)))
            for text, one in known.items()
        },
        units={
            text: tuple(units_of(book, one))
            for text, one in known.items()
            if family_of(one.value.type) not in (Family.ADDRESS, Family.DATE)
        },
    )
