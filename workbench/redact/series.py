"""Values that are numbered: many of one frame, drawn so that no two can meet.

`ACC-000001` to `ACC-002000` fill so much of what their frame allows that draws by chance meet again and
again. Each place of a series has one keyed permutation instead: two that differ still differ, at as many
places, and a head that two share they still share. Where that would give the number of another value of the
series, other permutations are taken; where all would, the numbers get more digits (see `crowds`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import Protocol

    from workbench.redact.draws import Drawer

    class Unit(Protocol):
        """What stands for a character at a place of a draw."""

        def __call__(self, label: str, at: int, char: str, *, hexadecimal: bool) -> str: ...


__all__ = ["Series"]

_FIRST_DIGITS: Final = "123456789"


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """How the values of one frame are drawn."""

    label: str
    keep: int = 0
    """Leading characters that are schema and stay."""
    is_number: bool = False
    """Whether a first digit stays zero, or none."""
    hexadecimal: bool = False
    more: int = 0
    """Digits that are put before the first that is drawn."""

    def drawn(self, key: str, drawer: Drawer, counter: int, unit: Unit) -> list[str]:
        """Return the text that stands for each character of a key.

        Args:
            key: letters and digits of one value.
            drawer: draws under the draft's key.
            counter: number of the try.
            unit: draws a character at a place.
        """
        texts = list(key[: self.keep])
        for at in range(self.keep, len(key)):
            if at == self.keep and self.is_number and key[at].isdigit():
                texts.append(self._first(key[at], drawer, counter))
            else:
                texts.append(unit(self.label, at, key[at], hexadecimal=self.hexadecimal))
        if self.more and len(texts) > self.keep:
            texts[self.keep] = self._digits(drawer, counter) + texts[self.keep]
        return texts

    def _first(self, char: str, drawer: Drawer, counter: int) -> str:
        """Draw a first digit; a zero stays, and no other becomes one."""
        if char not in _FIRST_DIGITS:
            return char
        return drawer.cycle(_FIRST_DIGITS, self.label, "first", str(counter))[char]

    def _digits(self, drawer: Drawer, counter: int) -> str:
        label = (self.label, "more", str(counter))
        return "".join(drawer.pick(_FIRST_DIGITS, *label, str(nth)) for nth in range(self.more))
