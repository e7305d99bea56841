"""What stands for every character of every value, under the present draws.

The *anchor* of a cluster is drawn as units, one a character of its core. Words of names and host
names are drawn once for the whole document, so `Alex Smith`, `ALEX` and `alex.smith@` agree. Any other member of a
cluster replays its edit script on the units, see `members`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from workbench.redact.builders import Draw, build_sequence, schema_length
from workbench.redact.draws import CJK_SURNAMES, Drawer, alphabet_of
from workbench.redact.finding import Family, family_of
from workbench.redact.hosts import HostDraw, draw_host
from workbench.redact.ordered import draw_in_order
from workbench.redact.romanise import latin_of, spread_latin
from workbench.redact.series import Series
from workbench.redact.skeleton import can_dress, words_of
from workbench.redact.taken import Host, Known, Unit, labels_of, sign_of
from workbench.redact.variants import Copied, Drawn, Step, told_apart_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from workbench.redact.skeleton import Piece
    from workbench.redact.special import Dates

__all__ = ["KEPT_WORDS", "Book"]

_TEXT_OF_KEPT_WORDS: Final = (
    "mr mrs ms dr prof miss sir lady madame mister herr frau jr sr phd md street st avenue "
    "ave road rd boulevard blvd lane ln drive court ct place pl square sq suite ste apt "
    "apartment unit floor box po psc apo fpo dpo ae ap aa way circle van von de der den da "
    "di del la le bin al el y the and of inc ltd llc gmbh corp co www http https"
)
KEPT_WORDS: Final = frozenset(_TEXT_OF_KEPT_WORDS.split())
_KEPT_SIGNS: Final = frozenset("省市区县镇乡村路街道巷弄号楼座栋幢室单元大")
_FIRST_DIGITS: Final = "123456789"
_MORE_LETTERS: Final = "bcdfghjklmnprstvwz"
_NEAR_DRAWS: Final = 12
"""Own draws of what tells a value from a pinned one; then all of it is drawn."""


@dataclass(slots=True)
class Book:
    """Draws of one document."""

    drawer: Drawer
    dates: Dates
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """Type -> its declared prefix."""
    known: dict[str, Known] = field(default_factory=dict)
    anchors: dict[str, Known] = field(default_factory=dict)
    first: dict[str, Known] = field(default_factory=dict)
    """Name of a cluster -> the value that would be its anchor."""
    words: dict[str, tuple[str, tuple[Step, ...]]] = field(default_factory=dict)
    """Word -> its anchor word and script."""
    readings: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    """Latin word -> the characters of names, as (word, place), that it is read from."""
    hosts: dict[str, Host] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    """Words of people's names."""
    pinned_names: frozenset[str] = frozenset()
    """Of `names`, those of pinned values."""
    surnames: frozenset[str] = frozenset()
    """Kept words that are somebody's name here, such as `Le`, so that they are drawn."""
    frozen: frozenset[str] = frozenset()
    """Labels of draws that pinned values rest on; they are never drawn again."""
    pinned: Mapping[str, tuple[Unit, ...]] = field(default_factory=dict)
    """Name of a cluster, label of a word or of a host -> what a pinned value says of it."""
    addresses: tuple[str, ...] = ()
    dress: dict[tuple[str, int], list[Piece]] = field(default_factory=lambda: defaultdict(list))
    counters: Counter[str] = field(default_factory=Counter)
    orders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of a group -> anchors whose order stays."""
    series: dict[str, Series] = field(default_factory=dict)
    """Anchor -> the series that it is one of."""
    numbered: frozenset[int] = frozenset()
    """Widths of number words of which there are so many that they are drawn as a series."""
    more: Counter[str] = field(default_factory=Counter)
    """Label of a draw -> characters that it is longer by, where its length leaves no room."""
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
        if self.is_kept(word):
            return [Unit(c, label, at) for at, c in enumerate(word)]
        if label in self.pinned:
            return list(self.pinned[label])
        if label not in self.units:
            shared, steps = self._shared(word)
            alone = partial(self._letters, label, word)
            self.units[label] = self.apart(label, word, shared, steps, alone) if shared else alone()
        return self.units[label]

    def is_kept(self, word: str) -> bool:
        """Whether a word stays as it is: a title, a part of an address."""
        is_known = word in KEPT_WORDS and word not in self.surnames
        return is_known or all(c in _KEPT_SIGNS for c in word)

    def _letters(self, label: str, word: str) -> list[Unit]:
        texts = [self._letter(label, at, c) for at, c in enumerate(word)]
        return self._lengthened(label, word, texts)

    def _shared(self, word: str) -> tuple[list[Unit] | None, tuple[Step, ...]]:
        """Return the units that a word has from others, and how; None: it is drawn alone."""
        if word in self.readings:
            return self._read(word), ()
        anchor, steps = self.words.get(word, (word, ()))
        if anchor != word:
            return self.replay(self.word(anchor), steps), steps
        return self._number(word) or self._compound(word), ()

    def apart(
        self,
        label: str,
        key: str,
        shared: list[Unit],
        steps: tuple[Step, ...],
        alone: Callable[[], list[Unit]],
    ) -> list[Unit]:
        """Return the units that pinned values give, or own draws once those would make two values one.

        Args:
            label: of the own draws.
            key: what is drawn.
            shared: its units as others give them.
            steps: how these come from a variant.
            alone: draws all of it.
        """
        if not self.counters[label] or not self.is_fixed(shared, key):
            return shared
        return self.retold(label, key, shared, steps) or alone()

    def retold(
        self, label: str, key: str, shared: Sequence[Unit], steps: Sequence[Step]
    ) -> list[Unit] | None:
        """Return units with own draws of what a variant has and its anchor has not.

        None: it has nothing such, or no such draw was enough.
        """
        new = told_apart_at(steps)
        if not new or self.counters[label] > _NEAR_DRAWS:
            return None
        return [
            Unit(self.char(label, at, key[at]), label, at) if at in new else unit
            for at, unit in enumerate(shared)
        ]

    def is_fixed(self, units: list[Unit], key: str) -> bool:
        """Whether no draw that is left changes units."""
        return bool(self.frozen) and all(
            unit.label in self.frozen or unit.text == char
            for unit, char in zip(units, key, strict=True)
        )

    def _number(self, word: str) -> list[Unit] | None:
        """Return the units of a number word that is one of many."""
        if len(word) not in self.numbered or not (word.isascii() and word.isdigit()):
            return None
        return self._in_series(Series(label=f"numbers:{len(word)}", is_number=True), word)

    def _in_series(self, series: Series, key: str) -> list[Unit]:
        texts = series.drawn(key, self.drawer, self.counters[series.label], self.char)
        return [Unit(text, series.label, at) for at, text in enumerate(texts)]

    def _read(self, word: str) -> list[Unit]:
        """Return the units of a Latin word: how the names behind it are read now."""
        done: list[Unit] = []
        for source, at in self.readings[word]:
            unit = self.word(source)[at]
            places = len("".join(latin_of(source[at]) or ()))
            text = "".join(latin_of(unit.text) or (unit.text,))
            done += [Unit(t, unit.label, unit.at) for t in spread_latin(text, places) if places]
        return done

    def _letter(self, label: str, at: int, char: str) -> str:
        if char in _KEPT_SIGNS and at > 0:
            return char
        if at == 0 and char in CJK_SURNAMES:
            return self._read_otherwise(CJK_SURNAMES, label, at, char)
        if "\u4e00" <= char <= "\u9fff" and (label, at) not in self.dress:
            return self._read_otherwise(alphabet_of(char), label, at, char)
        if (
            char.isdigit()
            and char.isascii()
            and at == 0
            and char != "0"
            and len(label) > len("word:0")
        ):
            return self.drawer.cycle(_FIRST_DIGITS, label, str(self.counters[label]))[char]
        return self.char(label, at, char)

    def _read_otherwise(self, alphabet: str, label: str, at: int, char: str) -> str:
        """Draw a character that is also read otherwise, so that its Latin form does not stay."""
        step = self.drawer.cycle(alphabet, label, str(at), str(self.counters[label]))
        drawn = step[char]
        while latin_of(drawn) == latin_of(char) and drawn != char:
            drawn = step[drawn]
        return drawn

    def _compound(self, word: str) -> list[Unit] | None:
        """Return the units of a word that is made of names: `asmith`, `alexsmith`, `A`."""
        names = self.pinned_names if f"word:{word}" in self.frozen else self.names
        if word in names and len(word) > 1:
            return None
        if len(word) == 1:
            owner = sorted(n for n in names if n[0] == word and len(n) > 2)
            return None if not owner or not word.isalpha() else self.word(owner[0])[:1]
        for name in sorted(names, key=lambda n: (-len(n), n)):
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
                case Drawn(char="x") if all(unit.text.isdigit() for unit in base):
                    done.append(Unit("x", base[0].label, 0))  # of an extension, or a masked digit
                case Drawn(char=char, near=near):
                    owner = base[near]
                    done.append(Unit(self.char(owner.label, owner.at, char), owner.label, owner.at))
        return done

    def of_anchor(self, anchor: str) -> list[Unit]:
        """Return the units of a cluster's anchor."""
        if anchor in self.pinned:
            return list(self.pinned[anchor])
        return self.composed(anchor, self.anchors[anchor])

    def composed(self, anchor: str, known: Known) -> list[Unit]:
        """Return the units of a value that is a variant of none."""
        match family_of(known.value.type):
            case Family.WORDS:
                return self.worded(known, 0, len(known.core.key))
            case Family.EMAIL:
                return self._mail(known)
            case Family.DOMAIN:
                return self.domain(known.core.key, labels_of(known, 0))
            case _:
                return self._sequence(anchor, known)

    def worded(self, known: Known, start: int, end: int) -> list[Unit]:
        """Return the units of the words that lie in a stretch of a value's core."""
        spans = words_of(known.core, known.parts)
        return [
            unit
            for left, right in spans
            if start <= left and right <= end
            for unit in self.word(known.core.key[left:right])
        ]

    def _mail(self, known: Known) -> list[Unit]:
        split = sign_of(known)
        if split is None:
            return self.worded(known, 0, len(known.core.key))
        local = self.worded(known, 0, split)
        return local + self.domain(known.core.key[split:], labels_of(known, split))

    def domain(self, key: str, labels: tuple[int, ...]) -> list[Unit]:
        """Return the units of a host name; its last label becomes `example`."""
        name = f"domain:{key}"
        if name in self.pinned:
            return list(self.pinned[name])
        if name not in self.units:
            alone = partial(self._host, name, key, labels)
            host = self.hosts.get(key)
            if host is not None and host.anchor != key:
                shared = self.replay(self.domain(host.anchor, host.labels), host.steps)
                self.units[name] = self.apart(name, key, shared, host.steps, alone)
            else:
                self.units[name] = alone()
        return self.units[name]

    def _host(self, name: str, key: str, labels: tuple[int, ...]) -> list[Unit]:
        """Draw a host name that is a variant of none."""
        host = self.hosts.get(key)
        if host is None or not host.parent:
            draw = HostDraw(self.drawer, name, self.counters[name], partial(self.char, name))
            return [Unit(text, name, at) for at, text in enumerate(draw_host(key, labels, draw))]
        above = self.hosts[host.parent]
        own = key[: -len(host.parent)]
        drawn = [
            Unit(c if own == "www" else self.char(name, n, c), name, n) for n, c in enumerate(own)
        ]
        return drawn + self.domain(host.parent, above.labels)

    def _in_order(self, group: str) -> None:
        """Draw all anchors of a group at once."""
        label = f"order:{group}"
        known = {anchor: self.anchors[anchor] for anchor in self.orders[group]}
        keep = min(schema_length(self.draw(anchor, one)) for anchor, one in known.items())
        keys = [one.core.key for one in known.values()]
        drawn = draw_in_order(keys, self.drawer, label, self.counters[label], keep=keep)
        for anchor, one in known.items():
            new = drawn[one.core.key]
            self.units[anchor] = [Unit(char, label, at) for at, char in enumerate(new)]

    def _sequence(self, anchor: str, known: Known) -> list[Unit]:
        if anchor not in self.units and known.value.order:
            self._in_order(known.value.order)
        if anchor not in self.units and anchor in self.series:
            self.units[anchor] = self._in_series(self.series[anchor], known.core.key)
        if anchor not in self.units:
            self.units[anchor] = self._built(anchor, known)
        return self.units[anchor]

    def _built(self, label: str, known: Known) -> list[Unit]:
        texts = build_sequence(known.value.type, self.draw(label, known))
        return self._lengthened(label, known.core.key, texts)

    def _lengthened(self, label: str, key: str, texts: list[str]) -> list[Unit]:
        """Return units with more digits or letters before the first one that is drawn."""
        pairs = enumerate(zip(texts, key, strict=True))
        at = next((n for n, (text, char) in pairs if text != char), len(key) - 1)
        options = _FIRST_DIGITS if key[at:].isdigit() else _MORE_LETTERS
        tags = ((label, "more", str(self.counters[label]), str(n)) for n in range(self.more[label]))
        more = "".join(self.drawer.pick(options, *tag) for tag in tags)
        return [Unit(more + t if n == at else t, label, n) for n, t in enumerate(texts)]

    def draw(self, anchor: str, known: Known) -> Draw:
        """Return what a builder may look at to draw an anchor."""
        key = known.core.key
        hexadecimal = len(key) >= 8 and all(c in "0123456789abcdef" for c in key)
        return Draw(
            drawer=self.drawer,
            label=anchor,
            counter=self.counters[anchor],
            key=key,
            surface=known.value.text,
            prefix=self.prefixes.get(known.value.type, ""),
            unit=partial(self.char, anchor, hexadecimal=hexadecimal),
        )

    def alone(self, known: Known) -> list[Unit]:
        """Draw all of a value, whatever pinned values say of its parts."""
        known = self.first.get(known.name, known)
        key = known.core.key
        match family_of(known.value.type):
            case Family.SEQUENCE:
                return self._built(known.name, known)
            case Family.EMAIL if split := sign_of(known):
                local = self._letters(known.name, key[:split])
                return local + self.domain(key[split:], labels_of(known, split))
            case _:
                return self._letters(known.name, key)

    def leave_series(self, anchor: str) -> list[str]:
        """Draw an anchor alone from now on, and return the values of its cluster."""
        del self.series[anchor]
        self.units.pop(anchor, None)
        return [text for text, one in self.known.items() if one.anchor == anchor]

    def redraw(self, labels: Iterable[str]) -> None:
        """Take the next draw of some labels, unless a pinned value rests on them."""
        for label in set(labels) - self.frozen:
            self.counters[label] += 1
        self.units.clear()
