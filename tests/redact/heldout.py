"""Texts with labelled values in a style of their own, to see whether detection holds elsewhere.

Written without a look at the shared benches: other names, hosts, templates and kinds of damage. A text is a template
with one value; `DISTRACTORS` hold none. Everything is made from one seed.
"""

# ruff: noqa: RUF001  Chinese punctuation and full width are data here
from __future__ import annotations

import random
import re
import string
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from workbench.redact.checks import luhn_digit, zh_check

__all__ = ["DISTRACTORS", "Labelled", "distractors", "labelled"]

Maker: TypeAlias = Callable[[random.Random], str]
_MADE = re.compile(r"<([nha])(\d+)>")
_ALPHABETS = {
    "n": string.digits,
    "h": "0123456789abcdef",
    "a": string.ascii_letters + string.digits,
}


class Labelled(NamedTuple):
    """A text and where its value is."""

    kind: str
    text: str
    start: int
    end: int


def _made(pattern: str) -> Maker:
    """Return a maker: `<n3>` is three digits without a leading zero, `<h8>` hex digits, `<a20>` letters and digits."""

    def make(chance: random.Random) -> str:
        def part(match: re.Match[str]) -> str:
            drawn = [chance.choice(_ALPHABETS[match[1]]) for _ in range(int(match[2]))]
            if match[1] == "n" and drawn[0] == "0":
                drawn[0] = "7"
            return "".join(drawn)

        return _MADE.sub(part, pattern)

    return make


def _any(*makers: Maker | str) -> Maker:
    found = [_made(m) if isinstance(m, str) else m for m in makers]
    return lambda chance: chance.choice(found)(chance)


def _words(text: str) -> Maker:
    return lambda chance: chance.choice(text.split())


def _joined(*makers: Maker | str) -> Maker:
    found = [_made(m) if isinstance(m, str) else m for m in makers]
    return lambda chance: "".join(make(chance) for make in found)


def _card(chance: random.Random) -> str:
    body = "4" + "".join(chance.choice(string.digits) for _ in range(14))
    return body + luhn_digit(body)


def _grouped(sign: str) -> Maker:
    return lambda chance: sign.join(re.findall(".{1,4}", _card(chance)))


def _zh_id(chance: random.Random) -> str:
    body = f"{chance.choice(['110105', '440305'])}19{chance.randint(50, 99)}0{chance.randint(1, 9)}1{chance.randint(0, 9)}"
    body += "".join(chance.choice(string.digits) for _ in range(3))
    return body + zh_check(body)


_LOCAL = _joined(_words("anjali imogen lorcan mireille suresh"), ".", _words("iyer leclerc nwosu"))
_FIRST = _words("Anjali Chiara Declan Guadalupe Imogen Lorcan Mireille Rosalind Suresh")
_LAST = _words("Abernathy Castellanos D'Angelo Jankowski Kavanagh Okafor Pemberton Szabo")
_ZH_NAME = _joined(_words("王 张 陈 许 邓 傅 萧 彭"), _words("伟 秀英 丽 建国 淑珍 涛 子涵"))
_WIDE = str.maketrans("0123456789", "０１２３４５６７８９")

_VALUES: dict[str, Maker] = {
    "EMAIL": _joined(_LOCAL, "@", _words("gmx.net 126.com students.ox.ac.uk bluewave.ai")),
    "EMAIL_BAD": _any(
        _joined(_LOCAL, "@@gmx.net"),
        _joined(_LOCAL, "@gmx,net"),
        _joined(_LOCAL, "＠126.com"),
        _joined(_LOCAL, "@gmx..net"),
        _joined(_LOCAL, "[at]126.com"),
        _joined(_LOCAL, "@gmx"),
    ),
    "PHONE": _any("(<n3>) <n3>-<n4>", "+44 7<n3> <n6>", "<n3>.<n3>.<n4>", "+49 30 <n8>"),
    "PHONE_BAD": _any(
        "<n3>--<n3>-<n4>",
        "<n3>/<n3>/<n4>",
        "<n3>-<n3>-<n5>",
        "++1 <n3> <n3> <n4>",
        "<n3>_<n3>_<n4>",
        "<n3>-<n3>-<n3>O",
    ),
    "CARD": _any(_card, _grouped(" "), _grouped("-")),
    "CARD_BAD": _any(
        lambda c: _card(c)[:-1],
        _grouped("--"),
        lambda c: _card(c).translate(_WIDE),
        lambda c: " ".join(_card(c)),
    ),
    "IBAN": _any("DE<n20>", "NL<n2> ABNA <n4> <n4> <n2>"),
    "IBAN_BAD": _any(
        "de<n20>", "NL<n2>-ABNA-<n4>-<n4>-<n2>", "NL<n2>  ABNA <n4> <n4> <n2>", "DE<n19>"
    ),
    "SSN": _any("<n3>-<n2>-<n4>"),
    "SSN_BAD": _any("<n3>/<n2>/<n4>", "<n3>--<n2>-<n4>", "<n3>-<n2>-<n3>"),
    "IP": lambda c: ".".join(str(c.randint(11, 250)) for _ in range(4)),
    "IP_BAD": _any(
        "1<n2>.1<n2>.7.999", "1<n2>,1<n2>.12.77", "1<n2>..1<n2>.12.77", "1<n2>。1<n2>。12。77"
    ),
    "ACCOUNT": _any("ACC-<n7>", "cus_<a14>", "MBR-<n8>", "usr_<n8>"),
    "ACCOUNT_BAD": _any("acc-<n7>-b", "ACC--<n7>-B", "ACC.<n7>.B", "ACC <n7> B", "ＡＣＣ-<n7>"),
    "SECRET": _any("ghp_<a36>", "AKIA<n16>", "whsec_<a32>", "sk-proj-<a40>", "glpat-<a20>"),
    "PERSON": _joined(_FIRST, " ", _LAST),
    "STREET": _joined(
        "<n3> ", _words("Mulberry Harrow Lakeshore"), " ", _words("Street Lane Drive")
    ),
    "BIRTH": _any("19<n2>-0<n1>-1<n1>", "1<n1>/0<n1>/19<n2>", "March 1<n1>, 19<n2>"),
    "ZH_NAME": _ZH_NAME,
    "ZH_PHONE": _any("13<n9>", "15<n1>-<n4>-<n4>", "+86 18<n1> <n4> <n4>"),
    "ZH_PHONE_BAD": _any(
        "13<n1>--<n4>-<n4>",
        "13<n1>.<n4>.<n4>",
        "0086-13<n9>",
        lambda c: _made("13<n9>")(c).translate(_WIDE),
    ),
    "ZH_ID": _zh_id,
    "ZH_ID_BAD": _any(
        "440305 19700312 <n4>", lambda c: _zh_id(c)[:-1], lambda c: _zh_id(c).translate(_WIDE)
    ),
    "ZH_ADDRESS": _joined(
        _words("上海市浦东新区 成都市武侯区"), _words("世纪大道 人民南路"), "<n3>号5栋"
    ),
}
_TEMPLATES: dict[str, tuple[str, ...]] = {
    "EMAIL": (
        "| 4 | {v} | inactive |",
        "Sure! I'll send the confirmation to {v} right away.",
        '{"rows":[[12,"{v}",true]]}',
        "user_email:\n  - {v}",
        "我的邮箱是{v}，请把发票发过来",
        "GET /v1/contacts?filter[email]={v}&limit=1",
        "notify(to={v})",
    ),
    "PHONE": (
        "Ring me on {v} instead",
        '{"to": "x", "phone": "{v}"}',
        "voicemail left at {v}",
        "<phone>{v}</phone>",
        "Call {v} now",
    ),
    "CARD": (
        "refund the purchase made with card no. {v}",
        '{"payment_method": {"number": "{v}"}}',
        "PAN {v} blocked",
        "信用卡{v}被拒绝",
        "I paid with {v} (Mastercard) yesterday",
    ),
    "IBAN": (
        "send rent to {v}, thanks",
        '{"bank": {"iban": "{v}"}}',
        "我的IBAN是{v}",
        "Invalid IBAN '{v}'",
    ),
    "SSN": (
        "Her social security number is {v}.",
        '{"borrower": {"ssn": "{v}"}}',
        "KYC mismatch for SSN {v}",
    ),
    "IP": (
        "host={v}",
        '{"context": {"ip_address": "{v}"}}',
        "Failed password for root from {v} port 52144",
        "[error] client {v} denied",
    ),
    "ACCOUNT": (
        "Why is {v} still suspended?",
        '{"customer": "{v}"}',
        "KeyError: '{v}'",
        "/customers/{v}/invoices",
        "账号{v}无法登录",
    ),
    "SECRET": (
        "AUTH={v}",
        "here's my key {v} please",
        '{"credentials": {"token": "{v}"}}',
        "密钥是{v}，请勿外传",
    ),
    "PERSON": (
        "Spoke with {v} about the refund; will call back.",
        '{"guests": [{"full_name": "{v}"}]}',
        "I am {v} and I want a refund",
        "caller={v}; queue=3",
        "My husband {v} ordered it.",
        '{"patient": "{v}"}',
    ),
    "STREET": (
        "Ship it to {v} instead, please.",
        '{"shipping_address": {"line1": "{v}"}}',
        "billing address is {v}",
    ),
    "BIRTH": ("My date of birth is {v}.", '{"dob": "{v}"}', "She was born on {v} in Ohio"),
    "ZH_NAME": (
        "我叫{v}，订单还没到",
        "{v}女士要求改签",
        '{"联系人": "{v}"}',
        "负责人是{v}",
        "请帮{v}修改收货地址",
    ),
    "ZH_PHONE": ("电话{v}一直打不通", '{"手机": "{v}"}', "请拨打{v}联系我", "预留手机号：{v}"),
    "ZH_ID": ("身份证号{v}与姓名不符", '{"身份证": "{v}"}', "证件号码：{v}"),
    "ZH_ADDRESS": ("麻烦送到{v}", "我住在{v}", '{"住址": "{v}"}'),
}
DISTRACTORS = (
    "trace_id=<h32> span=<h16> sampled=1",
    "sha256:<h64>",
    "commit <h40> (HEAD -> main)",
    "chatcmpl-<h28>",
    "call_<a24>",
    "order number <n9>",
    "ticket number <n10>",
    "invoice number <n10>",
    "订单号<n10>已发货",
    "版本7.18.46.<n3>",
    "快递单号<n13>",
    "build 2026.<n2>.<n3> finished in <n4>ms",
    "worker@v<n2>",
    "lodash@4.17.<n2>",
    "Chrome/120.0.<n4>.<n3> Safari/537.36",
    "epoch <n13>",
    "lat=-33.<n6>,lon=151.<n6>",
    "matrix 1,0,0,1",
    "error at 0x<h16>",
    "Your order of 3 blue lamps is on its way.",
    'etag W/"<h32>"',
    "SKU-<n5> in stock: <n2>",
    "arn:aws:s3:::bucket-<n4>/key",
    "amount 1,<n3>,<n3>.<n2> EUR",
    "请稍等，正在为您查询订单状态",
    "2026-03-17T10:11:12.<n6>Z INFO worker-<n2> started",
    "def f(x): return x[<n2>:<n4>] @ y",
    "snowflake id <n18>",
)


def labelled(seed: int, each: int) -> list[Labelled]:
    """Return `each` texts of every kind."""
    chance = random.Random(seed)  # noqa: S311  test data, no secret
    found = []
    for kind, make in _VALUES.items():
        templates = _TEMPLATES[kind.removesuffix("_BAD")]
        for nth in range(each):
            head, _, tail = templates[nth % len(templates)].partition("{v}")
            value = make(chance)
            found.append(Labelled(kind, head + value + tail, len(head), len(head) + len(value)))
    return found


def distractors(seed: int, each: int) -> list[str]:
    """Return texts without a value: ids, hashes, versions, amounts and plain sentences."""
    chance = random.Random(seed)  # noqa: S311  test data, no secret
    return [_made(pattern)(chance) for pattern in DISTRACTORS for _ in range(each)]
