"""Texts for invented runs: prose of any length, as JSON writes it, with what is no ASCII in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from random import Random

__all__ = ["listing", "plain", "prose", "source_code", "tool_answer", "web_page"]

_TEXT: Final = (
    "account amount billing booking cancel card charge confirm customer date email flight invoice "
    "member month order passenger payment pending plan please policy refund reservation retry "
    "status the to transfer user was with café “quoted” don't 2024-05-20 $120.50"
)
_WORDS: Final = _TEXT.split()
_NAMES: Final = [word for word in _WORDS if word.isascii() and word.isalpha()]
_RARE: Final = 20


def prose(chance: Random, words: int) -> str:
    """Return so many words, some of them in a list."""
    text = " ".join(chance.choices(_WORDS, k=words))
    return text.replace("please ", "please:\n  - ")


def source_code(chance: Random, lines: int) -> str:
    """Return so many lines of a program, with the quotes and tabs that JSON escapes."""
    return "\n".join(_code_line(chance, number) for number in range(1, lines + 1))


def _code_line(chance: Random, number: int) -> str:
    name, called, told = chance.choices(_NAMES, k=3)
    if number % 3 == 0:
        return f'{number:6}\t    if not {name}.get("{told}"):  # {plain(chance, 8)}'
    return f"{number:6}\t    {name} = {called}({told}, {number})  # {plain(chance, 7)}"


def web_page(chance: Random, lines: int, *, words: int = 12) -> str:
    """Return so many lines of a page as agents are shown it: links, and texts of so many words."""
    return "\n".join(
        f'  [{number}] link "{plain(chance, 2)}"  [url: https://shop.test/{number}]'
        if number % 2
        else f'  [{number}] StaticText "{plain(chance, words)}"'
        for number in range(lines)
    )


def plain(chance: Random, words: int) -> str:
    """Return so many words without signs; in one of many such texts a letter is no ASCII."""
    text = " ".join(chance.choices(_NAMES, k=words))
    return text if chance.randrange(_RARE) else f"café {text}"


def listing(chance: Random, lines: int) -> str:
    """Return so many lines of ten words, as a shell prints them."""
    return "\n".join(prose(chance, 10) for _ in range(lines))


def tool_answer(chance: Random, words: int) -> str:
    """Return a tool's answer: JSON in a text, as most recorders keep it."""
    rows = [{"id": n, "name": prose(chance, 2), "paid": n % 2 == 0} for n in range(3)]
    return json.dumps({"status": "ok", "note": prose(chance, words), "rows": rows})
