"""Keyed draws: everything by chance in a pseudonym comes from here.

Equal keys and labels give equal draws, other keys give others; nothing can be computed back
without the key. A letter or digit is drawn by a keyed *cyclic* permutation of its alphabet, so no character
stays as it was and two that differ still differ.
"""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

__all__ = ["CJK_SURNAMES", "Drawer", "alphabet_of"]

_VOWELS: Final = "aeiou"
_CONSONANTS: Final = "bcdfghjklmnprstvwz"
_RARE: Final = "qxy"
_HEX: Final = "abcdef"
CJK_SURNAMES: Final = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常汤"
_CJK_GIVEN: Final = "伟芳娜敏静丽强磊军洋勇艳杰娟涛明超秀霞平刚桂英华玉兰红建文志国海波宁福成亮林峰欣怡雪梅琳倩颖浩宇晨曦思远嘉俊博轩梓涵子墨一诺雨桐佳慧天佑乐瑶若希安然景瑞泽凯旋彬鹏飞翔龙凤萍婷莉丹薇晶莹健康仁义礼智信和顺祥瑞庆丰登云鹤松柏竹菊"
_SCRIPTS: Final = (
    "абвгдежзиклмнопрстуфхцчшэюя",
    "αβγδεζηθικλμνξοπρστυφχψω",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "אבגדהוזחטילמנסעפצקרשת",
    "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわ",
    "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワ",
    "가나다라마바사아자차카타파하고노도로모보소오조호구누두루무부수우주후기니디리미비시이지히",
)


@cache
def alphabet_of(char: str, *, hexadecimal: bool = False) -> str:
    """Return the characters of which one may stand for `char`, a folded letter or digit."""
    if char.isascii():
        if char.isdigit():
            return "0123456789"
        if hexadecimal and char in _HEX:
            return _HEX
        return next(a for a in (_VOWELS, _CONSONANTS, _RARE, char) if char in a)
    if "\u4e00" <= char <= "\u9fff":
        return _CJK_GIVEN if char in _CJK_GIVEN else _CJK_GIVEN + char
    for script in _SCRIPTS:
        if char in script:
            return script
    return _neighbours(char)


def _neighbours(char: str) -> str:
    """Return letters of the same kind in the same stretch of Unicode."""
    start = ord(char) // 32 * 32
    kind = unicodedata.category(char)
    near = (chr(code) for code in range(start, start + 32))
    stable = [
        c
        for c in near
        if unicodedata.category(c) == kind and unicodedata.normalize("NFKC", c).casefold() == c
    ]
    return "".join(stable) if char in stable else "".join([*stable, char])


class Drawer:
    """Draws under one key. Its text form shows nothing of the key."""

    __slots__ = ("_cycles", "_key")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._cycles: dict[tuple[str, ...], dict[str, str]] = {}

    def __repr__(self) -> str:
        return "Drawer()"

    def _bytes(self, label: Sequence[str]) -> bytes:
        text = "".join(f"{len(part)}:{part}" for part in label)
        return hmac.digest(self._key, text.encode("utf-8", "surrogatepass"), "sha512")

    def number(self, below: int, *label: str) -> int:
        """Return a number in [0, below)."""
        return int.from_bytes(self._bytes(("number", *label))[:16]) % below

    def pick(self, options: Sequence[str], *label: str) -> str:
        """Return one of `options`."""
        return options[self.number(len(options), *label)]

    def cycle(self, alphabet: str, *label: str) -> dict[str, str]:
        """Return a permutation of `alphabet` that is one cycle: no character maps to itself.

        Source:
            S. Sattolo (1986), "An algorithm to generate a random cyclic permutation".
        """
        found = self._cycles.get((alphabet, *label))
        if found is not None:
            return found
        items = list(dict.fromkeys(alphabet))
        stream = self._bytes(("cycle", alphabet, *label))
        for at in range(len(items) - 1, 0, -1):
            place = (at * 2) % 62
            other = int.from_bytes(stream[place : place + 2]) % at
            items[at], items[other] = items[other], items[at]
        found = dict(zip(dict.fromkeys(alphabet), items, strict=True))
        self._cycles[(alphabet, *label)] = found
        return found

    def digest(self, data: bytes, purpose: str) -> str:
        """Return `hmac:` and hex of `data` under the key, for one purpose."""
        inner = purpose.encode() + b"\0" + hashlib.sha256(data).digest()
        return "hmac:" + hmac.digest(self._key, inner, "sha256").hex()


Allowed = Callable[[str], bool]
