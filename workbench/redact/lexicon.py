"""What the name of a key says about its value, in English and Chinese.

A key speaks only for values that could be meant: `account: "checking"` is an enum word,
`account: "4471902"` is an account. Keys are compared in lower snake case, so `customerEmail`,
`Customer-Email` and `customer_email` are one.
"""

# ruff: noqa: RUF001  full width is data here
from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = ["accepts", "key_type", "snake", "titled_type"]

_WHO = (
    "full|first|last|given|family|middle|maiden|display|legal|customer|cust|user|contact|account"
    "|account_holder|card_?holder|holder|recipient|sender|receiver|payee|payer|beneficiary|passenger"
    "|guest|patient|employee|client|owner|applicant|traveler|traveller|member|tenant|shopper|caller"
    "|billing|shipping|reporter|assignee|author|from|to|buyer|seller|driver|student|person|real"
)
_ID = "id|no|num|number|nr|ref|code"
_HOLDER = "account|acct|customer|cust|patient|member|employee|subscriber|client|loyalty|beneficiary"
_TABLE: Final = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("IP_ADDRESS", r"(^|_)ip(v[46])?(_?addr(ess)?)?$|forwarded_for$|remote_addr|real_ip$"),
        ("MAC_ADDRESS", r"(^|_)mac(_?addr(ess)?)?$"),
        ("EMAIL_ADDRESS", r"(^|_)e?_?mails?(_?(addr(ess)?|id))?$|邮箱|邮件地址|电子邮件"),
        ("SECRET", r"(^|_)(api|access|secret|private|signing|encryption|license)_?key(_id)?$"),
        ("SECRET", r"(^|_)(secret|passwd|password|pwd|passphrase|passcode|otp|pin|cvv2?|cvc2?)$"),
        ("SECRET", r"(^|_)(pin_code|credentials?|authorization|cookie|set_cookie)$"),
        ("SECRET", r"secret|(?<!page)(?<!next)(?<!continuation)(^|_)token$|密码|令牌|密钥|口令"),
        (
            "PHONE_NUMBER",
            r"phone|(^|_)(mobile|msisdn|cell|fax|whatsapp|landline)(_?(" + _ID + r"))?$",
        ),
        (
            "PHONE_NUMBER",
            r"(^|_)tel(ephone)?(_?(" + _ID + r"))?$|contact_number|手机|电话|座机|联系方式",
        ),
        ("CREDIT_CARD", r"(^|_)pan$|(^|_)(credit|debit|bank)?_?card(_?(no|num|number|nr))?$"),
        ("CREDIT_CARD", r"(^|_)cc(_?(no|num|number))?$|^卡号|信用卡号?$|银行卡号?$"),
        ("IBAN_CODE", r"(^|_)iban(_?(" + _ID + r"))?$"),
        ("US_SSN", r"(^|_)ssn(_?(no|number))?$|social_security"),
        ("ZH_ID", r"身份证|证件号|^id_?card(_?(no|num|number))?$"),
        ("GOV_ID", r"national_id|(^|_)tax_?id$|passport(_?(no|num|number|id))?$|护照|nhs_number"),
        ("GOV_ID", r"driver_?s?_?licen[cs]e(_?(no|num|number|id))?$|驾驶证"),
        ("DATE_OF_BIRTH", r"(^|_)dob$|birth_?(date|day)?$|date_of_birth|生日|出生"),
        ("PERSON", r"(^|_)(" + _WHO + r")_?names?$|(^|_)surname$|^(fname|lname)$|card_?holder$"),
        ("PERSON", r"姓名|名字$|联系人$|收件人$|收货人$|持卡人$|客户名"),
        (
            "LOCATION",
            r"street|(^|_)addr(ess)?(_?(line)?_?\d)?$|^line_?[123]$|(^|_)(city|town|suburb)(_name)?$",
        ),
        ("LOCATION", r"(^|_)(zip|postal|post)_?(code)?$|postcode$|地址|住址|城市$|邮编|邮政编码"),
        (
            "USERNAME",
            r"(^|_)(user_?name|login|handle|screen_?name|nick_?name|user_?id)$|用户名|昵称",
        ),
        (
            "ACCOUNT_ID",
            r"(^|_)(" + _HOLDER + r")(_?(" + _ID + r"))?$|^mrn$|(bank_)?account_?number",
        ),
        ("ACCOUNT_ID", r"policy_?(no|num|number)$|frequent_flyer|账号|账户|会员号|客户(编)?号"),
    )
)
_TEXT_OF_HOLDERS: Final = (
    "customer user account patient member employee contact passenger client owner person "
    "recipient sender guest ship_to bill_to billing shipping shipping_address "
    "billing_address cardholder beneficiary subscriber traveler applicant buyer seller "
    "driver 客户 用户 会员 乘客 收件人"
)
_HOLDERS: Final = frozenset(_TEXT_OF_HOLDERS.split())
_TEXT_OF_THINGS: Final = (
    "product products tool tools function item items file files model hotel restaurant "
    "company event org organization team channel project category plan service"
)
_THINGS: Final = frozenset(_TEXT_OF_THINGS.split())
_TEXT_OF_ROLES: Final = (
    "caller traveler traveller assignee reporter passenger patient recipient sender driver "
    "guest tenant applicant payee payer beneficiary customer client contact owner author "
    "requester approver reviewer manager employee attendee participant signed_by created_by "
    "assigned_to requested_by approved_by 负责人 经办人 司机 快递员"
)
_ROLES: Final = frozenset(_TEXT_OF_ROLES.split())
"""Keys under which a person is named, or an id, or a word."""
_TITLED: Final = re.compile(
    r"(?!(?:The|An?|This|That|Your|Our|My|No|New|All|Any|To|For|Please|Not|Unknown)\b)[^\W\d_a-z][\w'’.-]{0,30}(?:\s(?:van|von|de|der|da|di|del|la|le|bin|al|el)){0,2}"
    r"(?:\s[^\W\d_a-z][\w'’.-]{0,30}){1,3}"
)
_NUMBERED: Final = {
    "card": "CREDIT_CARD",
    "credit_card": "CREDIT_CARD",
    "debit_card": "CREDIT_CARD",
    "payment_card": "CREDIT_CARD",
    "payment_method": "CREDIT_CARD",
    "phone": "PHONE_NUMBER",
    "mobile": "PHONE_NUMBER",
    "passport": "GOV_ID",
    "account": "ACCOUNT_ID",
    "bank_account": "ACCOUNT_ID",
    "iban": "IBAN_CODE",
}
"""What a bare `number` is, by the key above it."""
_PERSONAL: Final = frozenset(
    {"EMAIL_ADDRESS", "PHONE_NUMBER", "US_SSN", "ZH_ID", "DATE_OF_BIRTH", "CREDIT_CARD", "GOV_ID"}
)
_TEXT_OF_EMPTY: Final = (
    "none null true false n/a na unknown required optional string redacted yes no empty "
    "undefined test default not_provided missing invalid valid verified"
)
_EMPTY: Final = frozenset(_TEXT_OF_EMPTY.split())
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=16384)
def snake(key: str) -> str:
    """Return a key in lower snake case.

    >>> snake("X-Forwarded-For"), snake("customerEmail")
    ('x_forwarded_for', 'customer_email')
    """
    return re.sub(r"[^\w]+", "_", _CAMEL.sub("_", key[:80])).strip("_").lower()


@lru_cache(maxsize=16384)
def _type_of(key: str) -> str | None:
    name = snake(key)
    return next((kind for kind, pattern in _TABLE if pattern.search(name)), None)


def key_type(keys: tuple[str, ...], siblings: frozenset[str] = frozenset()) -> str | None:
    """Return the type that the last of `keys` promises, or None.

    Args:
        keys: the keys above and at a value, outermost first.
        siblings: all keys of the mapping that holds the value; a bare `name` is a person's only
            beside other personal keys or below a key such as `customer`.

    >>> key_type(("customer", "name")), key_type(("product", "name"))
    ('PERSON', None)
    """
    if not keys:
        return None
    last, above = snake(keys[-1]), snake(keys[-2]) if len(keys) > 1 else ""
    if last == "id" and above in _HOLDERS - _THINGS:
        return "ACCOUNT_ID"
    if last in ("number", "no", "num") and above in _NUMBERED:
        return _NUMBERED[above]
    if last in ("name", "名称"):
        if above in _THINGS:
            return None
        near = above in _HOLDERS or any(_type_of(k) in _PERSONAL for k in siblings)
        return "PERSON" if near or _is_address(siblings) else None
    return _type_of(keys[-1])


def titled_type(keys: tuple[str, ...], text: str) -> str | None:
    """Return `PERSON` for a value written like a name under a key that may also hold an id.

    >>> titled_type(("patient",), "Ann Lee"), titled_type(("patient",), "discharged")
    ('PERSON', None)
    """
    if not keys or snake(keys[-1]) not in _ROLES or _TITLED.fullmatch(text.strip()) is None:
        return None
    return "PERSON"


def _is_address(siblings: frozenset[str]) -> bool:
    names = {snake(key) for key in siblings}
    return bool(names & {"street", "address", "address1"}) and bool(names & {"city", "zip"})


def accepts(kind: str, text: str) -> bool:
    """Whether a value can be what its key promises."""
    value = text.strip()
    if len(value) < 2 or value.casefold() in _EMPTY or len(value) > 400:
        return False
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    match kind:
        case "EMAIL_ADDRESS":
            marked = "@" in value or "%40" in value or "＠" in value or "." in value
            return marked and len(value.split()) <= 3 and len(value) >= 5
        case "PERSON" | "USERNAME":
            return (
                (letters >= 2 or (kind == "USERNAME" and digits >= 4))
                and len(value.split()) <= 6
                and len(value) <= 64
                and "://" not in value
            )
        case "LOCATION":
            return (letters >= 2 or digits >= 3) and len(value) <= 160 and "://" not in value
        case "SECRET":
            return len(value) >= 3 and len(value.split()) <= 3
        case "DATE_OF_BIRTH":
            return digits >= 4
        case "ACCOUNT_ID" | "GOV_ID":
            return _is_identifier(value, digits)
        case _:
            return digits >= (4 if kind == "IP_ADDRESS" else 5) and len(value) <= 64


def _is_identifier(value: str, digits: int) -> bool:
    return digits >= 3 and digits * 4 >= sum(c.isalnum() for c in value) and len(value.split()) <= 5
