"""Gives every value of a document its pseudonym.

Values that share a core, or nearly do, form a cluster. Its anchor is drawn as units; every other
member replays its edit script on them, and wears its own dress (case, width, marks, separators,
blanks). A draw that loses a fact of any member, or that makes two values one, is drawn again under the
next counter; after `TRIES` the facts still lost are listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final, NamedTuple

from workbench.redact.builders import Draw, build_sequence, spread
from workbench.redact.checks import VALIDITY, is_ip
from workbench.redact.draws import CJK_SURNAMES, Drawer, alphabet_of
from workbench.redact.facts import lost_facts, pair_facts
from workbench.redact.finding import Family, family_of
from workbench.redact.skeleton import Core, Piece, can_dress, core_of, dressed, pieces, words_of
from workbench.redact.special import Dates, address_for, anchor_address, date_for
from workbench.redact.variants import Copied, Drawn, Member, Step, cluster, script

__all__ = ["TRIES", "Assignment", "Value", "assign"]

TRIES: Final = 1000
"""Draws of one value before its facts are given up."""

_KEPT_WORDS: Final = frozenset(
    "mr mrs ms dr prof miss sir lady madame mister herr frau jr sr phd md street st avenue ave road rd boulevard blvd "
    "lane ln drive court ct place pl square sq suite ste apt apartment unit floor box po psc apo fpo dpo ae ap aa way "
    "circle van von de der den da di del la le bin al el y the and of inc ltd llc gmbh corp co www http https".split()
)
_KEPT_SIGNS: Final = frozenset("省市区县镇乡村路街道巷弄号楼座栋幢室单元大")
_RANK: Final = ("SECRET", "CREDIT_CARD", "IBAN_CODE", "ZH_ID", "US_SSN", "EMAIL_ADDRESS", "IP_ADDRESS", "PHONE_NUMBER", "DATE_OF_BIRTH", "ACCOUNT_ID", "GOV_ID", "PERSON", "USERNAME", "LOCATION", "ORGANIZATION", "NRP", "DOMAIN_NAME")
_OWN_CHECK: Final = {"EMAIL_ADDRESS": "email", "CREDIT_CARD": "luhn", "IBAN_CODE": "iban", "PHONE_NUMBER": "phone", "ZH_ID": "zh_id", "US_SSN": "ssn"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A distinct text to be replaced."""

    text: str
    type: str
    count: int = 1


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


class Unit(NamedTuple):
    """The text that stands for one character, and the draw that made it."""

    text: str
    label: str
    at: int


@dataclass(slots=True)
class _Known:
    """A value taken apart."""

    value: Value
    parts: list[Piece]
    core: Core
    steps: tuple[Step, ...] = ()
    anchor: str = ""
    """Group and key of the anchor; names the cluster."""


class _Host(NamedTuple):
    """What a host name is a variant of."""

    anchor: str
    labels: tuple[int, ...]
    """Of the anchor."""
    steps: tuple[Step, ...]


@dataclass(slots=True)
class _Book:
    """Draws of one document."""

    drawer: Drawer
    dates: Dates
    known: dict[str, _Known] = field(default_factory=dict)
    anchors: dict[str, _Known] = field(default_factory=dict)
    words: dict[str, tuple[str, tuple[Step, ...]]] = field(default_factory=dict)
    """Word -> its anchor word and script."""
    hosts: dict[str, _Host] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    """Words of people's names."""
    addresses: tuple[str, ...] = ()
    dress: dict[tuple[str, int], list[Piece]] = field(default_factory=lambda: defaultdict(list))
    counters: Counter[str] = field(default_factory=Counter)
    units: dict[str, list[Unit]] = field(default_factory=dict)

    # --- units -----------------------------------------------------------

    def char(self, label: str, at: int, char: str, *, hexadecimal: bool = False) -> str:
        """Return what stands for a character at a place of a draw."""
        alphabet = alphabet_of(char, hexadecimal=hexadecimal)
        clothes = self.dress.get((label, at))
        if clothes:
            fitting = "".join(c for c in alphabet if all(can_dress(p, c) for p in clothes))
            alphabet = fitting if char in fitting and len(fitting) > 1 else alphabet
        return self.drawer.cycle(alphabet, label, str(at), str(self.counters[label]))[char]

    def word(self, word: str) -> list[Unit]:
        """Return the units of one word of a name, a place or a user name."""
        label = f"word:{word}"
        if word in _KEPT_WORDS or all(c in _KEPT_SIGNS for c in word):
            return [Unit(c, label, at) for at, c in enumerate(word)]
        anchor, steps = self.words.get(word, (word, ()))
        if anchor != word:
            return self.replay(self.word(anchor), steps)
        if label not in self.units:
            self.units[label] = self._compound(word) or [
                Unit(self._letter(label, at, c), label, at) for at, c in enumerate(word)
            ]
        return self.units[label]

    def _letter(self, label: str, at: int, char: str) -> str:
        if char in _KEPT_SIGNS and at > 0:
            return char
        if at == 0 and char in CJK_SURNAMES:
            return self.drawer.cycle(CJK_SURNAMES, label, str(self.counters[label]))[char]
        if char.isdigit() and char.isascii() and at == 0 and char != "0" and len(label) > len("word:0"):
            return self.drawer.cycle("123456789", label, str(self.counters[label]))[char]
        return self.char(label, at, char)

    def _compound(self, word: str) -> list[Unit] | None:
        """Return the units of a word that is made of names: `asmith`, `alexsmith`, `A`."""
        if word in self.names and len(word) > 1:
            return None
        if len(word) == 1:
            owner = sorted(n for n in self.names if n[0] == word and len(n) > 2)
            return None if not owner or not word.isalpha() else self.word(owner[0])[:1]
        for name in sorted(self.names, key=lambda n: (-len(n), n)):
            if len(name) < 4 or len(name) >= len(word):
                continue
            if word.endswith(name):
                return [*self.word(word[: -len(name)]), *self.word(name)]
            if word.startswith(name):
                return [*self.word(name), *self.word(word[len(name) :])]
        return None

    def replay(self, base: list[Unit], steps: tuple[Step, ...]) -> list[Unit]:
        """Return the units of a variant."""
        done: list[Unit] = []
        for step in steps:
            match step:
                case Copied(at=at):
                    done.append(base[at])
                case Drawn(char=char, near=near):
                    owner = base[near]
                    done.append(Unit(self.char(owner.label, owner.at, char), owner.label, owner.at))
        return done

    def of_anchor(self, anchor: str) -> list[Unit]:
        """Return the units of a cluster's anchor."""
        known = self.anchors[anchor]
        match family_of(known.value.type):
            case Family.WORDS:
                return self._worded(known, 0, len(known.core.key))
            case Family.EMAIL:
                return self._mail(known)
            case Family.DOMAIN:
                return self.domain(known.core.key, _labels(known, 0))
            case _:
                return self._sequence(anchor, known)

    def _worded(self, known: _Known, start: int, end: int) -> list[Unit]:
        spans = words_of(known.core, known.parts)
        return [
            unit
            for left, right in spans
            if start <= left and right <= end
            for unit in self.word(known.core.key[left:right])
        ]

    def _mail(self, known: _Known) -> list[Unit]:
        split = _sign(known)
        if split is None:
            return self._worded(known, 0, len(known.core.key))
        local = self._worded(known, 0, split)
        return local + self.domain(known.core.key[split:], _labels(known, split))

    def domain(self, key: str, labels: tuple[int, ...]) -> list[Unit]:
        """Return the units of a host name; its last label becomes `example`."""
        host = self.hosts.get(key)
        if host is not None and host.anchor != key:
            return self.replay(self.domain(host.anchor, host.labels), host.steps)
        name = f"domain:{key}"
        if name in self.units:
            return self.units[name]
        found = [Unit(self.char(name, at, c), name, at) for at, c in enumerate(key)]
        if len(labels) > 1 and labels[-1] >= 2:
            start = len(key) - labels[-1]
            last = spread("example", labels[-1])
            found[start:] = [Unit(t, name, start + n) for n, t in enumerate(last)]
            self._shorten(found, name, start, labels)
        self.units[name] = found
        return found

    def _shorten(self, found: list[Unit], name: str, start: int, labels: tuple[int, ...]) -> None:
        """Take characters off the label before the last until the length is as before.

        A label that is too short for that, or whose variants lost a fact, gets a last label of the old
        length that no registry can give out.
        """
        surplus = len("example") - labels[-1]
        if self.counters[name] > 4:
            letter = self.drawer.pick("abdefgh", name, "last", str(self.counters[name]))
            texts = "z" * (labels[-1] - 1) + letter
            found[start:] = [Unit(t, name, start + n) for n, t in enumerate(texts)]
            return
        if not 0 < surplus <= labels[-2] - 3:
            return
        places = list(range(start - labels[-2] + 1, start))
        for n in range(surplus):
            turn = self.drawer.number(len(places), name, "short", str(n), str(self.counters[name]))
            at = places.pop(turn)
            found[at] = found[at]._replace(text="")

    def _sequence(self, anchor: str, known: _Known) -> list[Unit]:
        if anchor not in self.units:
            key = known.core.key
            hexadecimal = len(key) >= 8 and all(c in "0123456789abcdef" for c in key)
            draw = Draw(
                drawer=self.drawer,
                label=anchor,
                counter=self.counters[anchor],
                key=key,
                surface=known.value.text,
                unit=partial(self.char, anchor, hexadecimal=hexadecimal),
            )
            texts = build_sequence(known.value.type, draw)
            self.units[anchor] = [Unit(text, anchor, at) for at, text in enumerate(texts)]
        return self.units[anchor]

    # --- values ----------------------------------------------------------

    def render(self, known: _Known) -> str:
        """Return the pseudonym of a value under the present counters."""
        text = known.value.text
        match family_of(known.value.type):
            case Family.ADDRESS:
                anchor = anchor_address(text, self.addresses)
                return address_for(text, anchor, self.drawer, self.counters[known.anchor])
            case Family.DATE:
                return date_for(text, self.dates, self.drawer)
        units = self.replay(self.of_anchor(known.anchor), known.steps)
        at_piece: dict[int, str] = defaultdict(str)
        for place, unit in zip(known.core.at, units, strict=True):
            at_piece[place] += unit.text
        return "".join(
            dressed(piece, at_piece[n]) if n in at_piece else piece.surface
            for n, piece in enumerate(known.parts)
        )

    def labels(self, known: _Known) -> set[str]:
        """Return the draws that a value depends on."""
        if family_of(known.value.type) in (Family.ADDRESS, Family.DATE):
            return {known.anchor}
        return {unit.label for unit in self.of_anchor(known.anchor)}

    def redraw(self, labels: Iterable[str]) -> None:
        """Take the next draw of some labels."""
        for label in labels:
            self.counters[label] += 1
        self.units.clear()


def _sign(known: _Known) -> int | None:
    """Return the place in the core of the first character behind the last @."""
    signs = [n for n, piece in enumerate(known.parts) if "@" in piece.folded]
    if not signs:
        return None
    behind = sum(1 for at in known.core.at if at < signs[-1])
    return behind if 0 < behind < len(known.core.key) else None


def _labels(known: _Known, start: int) -> tuple[int, ...]:
    """Return the lengths, in core characters, of a host name's labels."""
    dots = [n for n, piece in enumerate(known.parts) if piece.folded == "."]
    lengths = Counter(sum(dot < at for dot in dots) for at in known.core.at[start:])
    return tuple(lengths[n] for n in sorted(lengths))


def _taken_apart(values: Iterable[Value]) -> dict[str, _Known]:
    found = {}
    for value in sorted(values, key=lambda v: v.text):
        parts = pieces(value.text)
        found[value.text] = _Known(value, parts, core_of(parts))
    return found


def _group(kind: str) -> str:
    family = family_of(kind)
    return family.value if family is not Family.SEQUENCE else kind


def _unify_types(known: dict[str, _Known]) -> None:
    """Give values of one core one type: the most telling that any of them has."""
    types: dict[str, set[str]] = defaultdict(set)
    for one in known.values():
        types[one.core.key].add(one.value.type)
    for one in known.values():
        best = min(types[one.core.key], key=lambda t: (_RANK.index(t) if t in _RANK else 99, t))
        one.value = Value(text=one.value.text, type=best, count=one.value.count)


def _form_clusters(book: _Book) -> None:
    known = book.known.values()
    members: dict[tuple[str, str], Member] = {}
    first: dict[str, _Known] = {}
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


def _is_valid(known: _Known) -> bool:
    check = _OWN_CHECK.get(known.value.type)
    return check is None or VALIDITY[check](known.value.text)


def _form_words(book: _Book) -> None:
    counts: Counter[str] = Counter()
    names: set[str] = set()
    for one in book.anchors.values():
        family = family_of(one.value.type)
        if family not in (Family.WORDS, Family.EMAIL):
            continue
        end = _sign(one) if family is Family.EMAIL else len(one.core.key)
        for left, right in words_of(one.core, one.parts):
            if end is not None and right > end:
                break
            word = one.core.key[left:right]
            is_name = one.value.type == "PERSON" and word not in _KEPT_WORDS
            counts[word] += 1 + 9 * is_name
            if is_name:
                names.add(word)
    book.names = frozenset(names)
    members = [
        Member(key=w, group="word", valid=w in names, count=n)
        for w, n in counts.items()
        if w not in _KEPT_WORDS and not w.isdigit()
    ]
    for (_, word), anchor in cluster(members).items():
        book.words[word] = (anchor, script(anchor, word))


def _form_hosts(book: _Book) -> None:
    labels: dict[str, tuple[int, ...]] = {}
    counts: Counter[str] = Counter()
    for one in book.known.values():
        family = family_of(one.value.type)
        start = 0 if family is Family.DOMAIN else _sign(one) if family is Family.EMAIL else None
        if start is None:
            continue
        key = one.core.key[start:]
        counts[key] += one.value.count
        labels[key] = max(labels.get(key, ()), _labels(one, start), key=len)
    members = [
        Member(key=k, group="host", valid=len(labels[k]) > 1, count=n) for k, n in counts.items()
    ]
    for (_, key), anchor in cluster(members).items():
        book.hosts[key] = _Host(anchor, labels[anchor], script(anchor, key))


def _fit_dress(book: _Book) -> None:
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
    tries: int = TRIES,
    skip: Mapping[str, int] | None = None,
) -> Assignment:
    """Give every value a pseudonym.

    Args:
        values: distinct texts.
        drawer: draws under the draft's key.
        dates: what happens to days of a calendar.
        tries: draws of one value before its facts are given up.
        skip: name of a cluster -> draws to leave out, when those broke something.
    """
    known = _taken_apart(values)
    _unify_types(known)
    book = _Book(drawer=drawer, dates=dates, known=known)
    book.addresses = tuple(t for t, k in known.items() if k.value.type == "IP_ADDRESS" and is_ip(t))
    _form_clusters(book)
    _form_words(book)
    _form_hosts(book)
    _fit_dress(book)
    for anchor, count in (skip or {}).items():
        members = (k for k in known.values() if k.anchor == anchor)
        book.counters.update({label: count for k in members for label in book.labels(k)})
    book.units.clear()
    return _Search(book=book).run(tries)


_FIXED: Final = ("length:", "chars:", "case:", "script:", "form:", "leading_", "trailing_", "doubled_")


def _patience(lost: tuple[str, ...], tries: int) -> int:
    """Return how many draws are worth it: facts of the form rarely depend on the draw."""
    return min(tries, 12) if all(fact.startswith(_FIXED) for fact in lost) else tries


@dataclass(slots=True)
class _Search:
    """Draws again until nothing is lost."""

    book: _Book
    done: dict[str, str] = field(default_factory=dict)
    owners: Counter[str] = field(default_factory=Counter)
    """Pseudonym, case-folded -> how many values have it."""
    tried: Counter[str] = field(default_factory=Counter)

    def run(self, tries: int) -> Assignment:
        """Return the assignment with the fewest facts lost."""
        book = self.book
        raw = {text.casefold().strip() for text in book.known}
        users: dict[str, set[str]] = defaultdict(set)
        for text, known in book.known.items():
            for label in book.labels(known):
                users[label].add(text)
        lost: dict[str, tuple[str, ...]] = {}
        pending = sorted(book.known)
        while pending:
            for text in pending:
                self._set(text, book.render(book.known[text]))
            lost |= {text: self._lost(text, raw) for text in pending}
            again = [t for t in pending if lost[t] and self.tried[t] < _patience(lost[t], tries)]
            self.tried.update(again)
            labels = {label for t in again for label in book.labels(book.known[t])}
            book.redraw(labels)
            pending = sorted({t for label in labels for t in users[label]})
        clusters = {text: known.anchor for text, known in book.known.items()}
        return Assignment(
            pseudonyms=dict(self.done), clusters=clusters, lost={t: f for t, f in lost.items() if f}
        )

    def _set(self, text: str, pseudonym: str) -> None:
        old = self.done.get(text)
        if old is not None:
            self.owners[old] -= 1
        self.done[text] = pseudonym
        self.owners[pseudonym] += 1

    def _lost(self, text: str, raw: set[str]) -> tuple[str, ...]:
        known = self.book.known[text]
        pseudonym = self.done[text]
        lost = list(lost_facts(text, pseudonym, known.value.type))
        if self.owners[pseudonym] > 1:
            lost.append("distinct")
        if pseudonym.casefold().strip() in raw and any(len(alphabet_of(c)) > 1 for c in known.core.key) and family_of(known.value.type) is not Family.DATE:
            lost.append("replaced")
        anchor = self.book.anchors[known.anchor].value.text
        linked = family_of(known.value.type) not in (Family.DATE, Family.ADDRESS)
        if linked and anchor != text and anchor in self.done:
            lost += pair_facts(text, anchor) - pair_facts(pseudonym, self.done[anchor])
        return tuple(sorted(lost))
