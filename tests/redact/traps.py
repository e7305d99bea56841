"""Traps: small traces whose failure hangs on how a value is damaged, or on how two are related.

Each trap has the trace, a predicate that is true of it and must stay true, and the raw values that
must be gone. Nothing is declared: triggers, variants and facts are found.
"""

# ruff: noqa: RUF001  look-alikes are data here
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.model.event import CallError, Outcome, UserMessage
from workbench.model.trace import Call, Trace, calls_of
from workbench.redact.checks import has_luhn, is_email, is_iban, is_ip, is_phone

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["TRAPS", "Trap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trap:
    """One trap."""

    name: str
    trace: Trace
    holds: Callable[[Trace], bool]
    gone: tuple[str, ...]


def _calls(trace: Trace) -> tuple[Call, ...]:
    return calls_of(trace)


def _arg(trace: Trace, call: int, key: str) -> Any:  # noqa: ANN401  JSON
    args = _calls(trace)[call].args
    assert isinstance(args, dict)
    return args[key]


def _result(trace: Trace, call: int) -> Any:  # noqa: ANN401  JSON
    result = _calls(trace)[call].result
    assert result is not None
    return result.result


def _user(trace: Trace) -> str:
    return next(e.text for e in trace.events if isinstance(e, UserMessage))


def _pair(
    name: str, key: str, good: str, bad: str, check: Callable[[str, str], bool], *gone: str
) -> Trap:
    """A well-formed value is read, a damaged one is written."""
    trace = a_trace(
        a_user("Please do it."),
        a_call("crm.lookup", args={"q": "x"}, result={"profile": {key: good}}),
        a_call(
            "crm.update",
            args={key: bad},
            outcome=Outcome.PERMANENT,
            error=CallError(status=422, message="invalid value"),
        ),
        a_claim("Done."),
    )

    def holds(trace: Trace) -> bool:
        before, after = _result(trace, 0)["profile"][key], _arg(trace, 1, key)
        return check(before, after)

    return Trap(name=name, trace=trace, holds=holds, gone=(good.strip(), *gone))


def _swapped(left: str, right: str) -> bool:
    """Whether two texts differ by one exchange of neighbours."""
    at = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if at is None or len(left) != len(right):
        return False
    return left[:at] + left[at + 1] + left[at] + left[at + 2 :] == right


def _one_dropped(left: str, right: str) -> bool:
    return any(left[:n] + left[n + 1 :] == right for n in range(len(left)))


def _one_changed(left: str, right: str) -> bool:
    return len(left) == len(right) and sum(a != b for a, b in zip(left, right, strict=True)) == 1


def _in(text: str, part: str) -> bool:
    return part in text


def _one(name: str, key: str, value: str, check: Callable[[str], bool]) -> Trap:
    """A damaged value without a twin."""
    trace = a_trace(
        a_user("Please do it."),
        a_call(
            "crm.update",
            args={key: value},
            outcome=Outcome.PERMANENT,
            error=CallError(status=400, message="rejected"),
        ),
        a_claim("Done."),
    )
    return Trap(
        name=name, trace=trace, holds=lambda t: check(_arg(t, 0, key)), gone=(value.strip(),)
    )


TRAPS: tuple[Trap, ...] = (
    _pair("trailing_blank", "account_id", "ACC-4471902", "ACC-4471902 ", lambda a, b: b == a + " "),
    _pair("leading_blank", "account_id", "ACC-4471902", " ACC-4471902", lambda a, b: b == " " + a),
    _pair(
        "inner_newline", "account_id", "ACC-4471902", "ACC-4471902\n", lambda a, b: b == a + "\n"
    ),
    _pair(
        "lower_case",
        "account_id",
        "ACC-4471902-F",
        "acc-4471902-f",
        lambda a, b: a != b and b == a.lower(),
    ),
    _pair("missing_digit", "account_id", "ACC-4471902", "ACC-447190", lambda a, b: b == a[:-1]),
    _pair(
        "doubled_digit",
        "account_id",
        "ACC-4471902",
        "ACC-44711902",
        lambda a, b: _one_dropped(b, a),
    ),
    _pair("swapped_digits", "account_id", "ACC-4471902", "ACC-4417902", _swapped),
    _pair("changed_digit", "account_id", "ACC-4471902", "ACC-4471903", _one_changed),
    _pair(
        "other_separator",
        "account_id",
        "ACC-4471902",
        "ACC_4471902",
        lambda a, b: b == a.replace("-", "_"),
    ),
    _pair(
        "no_separator",
        "account_id",
        "ACC-4471902",
        "ACC4471902",
        lambda a, b: b == a.replace("-", ""),
    ),
    _pair(
        "prefix_lost", "account_id", "ACC-4471902", "4471902", lambda a, b: b == a.partition("-")[2]
    ),
    _pair(
        "zero_width",
        "account_id",
        "ACC-4471902",
        "ACC-447\u200b1902",
        lambda a, b: b != a and b.replace("\u200b", "") == a,
    ),
    _pair(
        "full_width",
        "account_id",
        "ACC-4471902",
        "ＡＣＣ-４４７１９０２",
        lambda a, b: (
            b != a and not b.isascii() and __import__("unicodedata").normalize("NFKC", b) == a
        ),
    ),
    _pair(
        "stripe_prefix",
        "customer_id",
        "cus_Nf4kT9Qw2x",
        "cus_Nf4kT9Qw2",
        lambda a, b: a.startswith("cus_") and b == a[:-1],
    ),
    _pair(
        "leading_zero_lost",
        "account_id",
        "0044719025",
        "44719025",
        lambda a, b: a.startswith("00") and b == a.lstrip("0"),
    ),
    _pair(
        "doubled_sign",
        "email",
        "jane.doe@fabrikam.com",
        "jane.doe@@fabrikam.com",
        lambda a, b: b == a.replace("@", "@@") and is_email(a) and not is_email(b),
        "jane.doe",
    ),
    _pair(
        "doubled_dot",
        "email",
        "jane.doe@fabrikam.com",
        "jane..doe@fabrikam.com",
        lambda a, b: b == a.replace(".", "..", 1) and not is_email(b),
    ),
    _pair(
        "comma_for_dot",
        "email",
        "jane.doe@fabrikam.com",
        "jane,doe@fabrikam.com",
        lambda a, b: b == a.replace(".", ",", 1),
    ),
    _pair(
        "no_last_label",
        "email",
        "jane.doe@fabrikam.com",
        "jane.doe@fabrikam",
        lambda a, b: a.startswith(b) and is_email(a) and not is_email(b),
    ),
    _pair(
        "percent_encoded",
        "email",
        "jane.doe@fabrikam.com",
        "jane.doe%40fabrikam.com",
        lambda a, b: b == a.replace("@", "%40"),
    ),
    _pair(
        "sign_lost",
        "email",
        "jane.doe@fabrikam.com",
        "jane.doefabrikam.com",
        lambda a, b: b == a.replace("@", ""),
    ),
    _pair(
        "homoglyph",
        "email",
        "jane.doe@fabrikam.com",
        "jаne.doe@fabrikam.com",
        lambda a, b: a != b and len(a) == len(b) and a.isascii() and not b.isascii(),
    ),
    _pair(
        "host_damaged",
        "email",
        "jane.doe@bluesparrowtech.com",
        "jane.doe@luesparrowtech.com",
        lambda a, b: _one_dropped(a, b) and a.partition("@")[2] != b.partition("@")[2],
    ),
    _pair(
        "plus_tag",
        "email",
        "jane.doe@fabrikam.com",
        "jane.doe+promo@fabrikam.com",
        lambda a, b: (
            b.partition("@")[0].startswith(a.partition("@")[0] + "+")
            and a.partition("@")[2] == b.partition("@")[2]
        ),
    ),
    _pair(
        "upper_email",
        "email",
        "jane.doe@fabrikam.com",
        "Jane.Doe@Fabrikam.com",
        lambda a, b: a != b and a.casefold() == b.casefold(),
    ),
    _pair(
        "phone_slashes",
        "phone",
        "289-218-4011",
        "289/218/4011",
        lambda a, b: b == a.replace("-", "/") and is_phone(a),
    ),
    _pair(
        "phone_missing_digit",
        "phone",
        "289-218-4011",
        "289-218-401",
        lambda a, b: b == a[:-1] and is_phone(a) and not is_phone(b),
    ),
    _pair("phone_letter", "phone", "(289) 218-4011", "(289) 218-4011x", lambda a, b: b == a + "x"),
    _pair("phone_country", "phone", "+1 289 218 4011", "289 218 4011", lambda a, b: a.endswith(b)),
    _pair(
        "card_spaced",
        "card_number",
        "4459845551439728",
        "4459 8455 5143 9728",
        lambda a, b: b.replace(" ", "") == a and has_luhn(a),
    ),
    _pair(
        "card_short",
        "card_number",
        "4459845551439728",
        "445984555143972",
        lambda a, b: b == a[:-1] and has_luhn(a) and not has_luhn(b),
    ),
    _pair(
        "iban_lower",
        "iban",
        "GB95AALJ30422129642132",
        "gb95aalj30422129642132",
        lambda a, b: is_iban(a) and b == a.lower(),
    ),
    _pair(
        "iban_swapped",
        "iban",
        "GB95AALJ30422129642132",
        "GB95AALJ30422129642123",
        lambda a, b: is_iban(a) and not is_iban(b) and _swapped(a, b),
    ),
    _pair(
        "ip_extra_part",
        "client_ip",
        "184.15.183.114",
        "184.15.183.114.7",
        lambda a, b: is_ip(a) and not is_ip(b) and b.startswith(a + "."),
    ),
    _pair(
        "ip_comma",
        "client_ip",
        "184.15.183.114",
        "184,15.183.114",
        lambda a, b: b == a.replace(".", ",", 1),
    ),
    _one(
        "ip_impossible",
        "client_ip",
        "999.202.170.233",
        lambda v: not is_ip(v) and int(v.split(".")[0]) > 255,
    ),
    _pair(
        "ssn_slashes", "ssn", "704-25-7333", "704/25/7333", lambda a, b: b == a.replace("-", "/")
    ),
    _pair(
        "name_swapped",
        "full_name",
        "Rachel Rivera",
        "Rivera, Rachel",
        lambda a, b: b == ", ".join(reversed(a.split(" "))),
    ),
    _pair(
        "name_accent",
        "full_name",
        "José Núñez",
        "Jose Nunez",
        lambda a, b: a != b and len(a) == len(b) and not a.isascii() and b.isascii(),
    ),
    _pair(
        "name_upper",
        "full_name",
        "Rachel Rivera",
        "RACHEL RIVERA",
        lambda a, b: a != b and b == a.upper(),
    ),
    _pair(
        "name_misspelt",
        "full_name",
        "Rachel Rivera",
        "Rachel Riveera",
        lambda a, b: _one_dropped(b, a),
    ),
    _pair("chinese_short", "姓名", "欧阳淑珍", "欧阳淑", lambda a, b: b == a[:-1]),
    _one(
        "long_label",
        "email",
        "jane.doe@" + "fabrikam" * 8 + ".com",
        lambda v: not is_email(v) and len(v) > 70,
    ),
    _one("beyond_int53", "account_id", "9107199254740993", lambda v: int(v) > 2**53),
    _one("below_int32", "account_id", "2104719025", lambda v: int(v) < 2**31),
    _one(
        "version_digit_uuid",
        "account_id",
        "9b2f7c1e-6a51-4d0e-9a0b-5c1d2e3f4a5b",
        lambda v: (
            re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", v) is not None
            and v[14] == "4"
        ),
    ),
)
