"""Names and addresses in prose by the words around them, English and Chinese, without a model.

A cue is a phrase after which a person or a place is named ("my name is", "Dear", 客户). What follows must look like
one: capitalised words, or a Chinese surname with one or two more characters.
"""

# ruff: noqa: RUF001  Chinese punctuation and typographic apostrophes are data here
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.redact.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["find_cued", "looks_like_prose"]

_NAME = "cues 1"
_CAP = r"[^\W\d_a-z][\w'’]*(?:-[^\W\d_a-z][\w'’]*)*"
_FULL = (
    rf"{_CAP}(?:\s(?:{_CAP}|[A-Z]\.|(?:van|von|de|der|den|da|di|del|la|le|bin|al|el|y)\b)){{0,3}}"
)
_TITLE = r"(?:(?:Mr|Mrs|Ms|Dr|Prof|Sra?|Mme)\.?|Miss|Mister|Monsieur|Madame|Señora?|Herr|Frau|Lady)"
_STRONG = re.compile(
    r"\b(?:[Mm]y name(?: is|'s)|[Nn]ame is|[Nn]amed(?: (?:him|her|them))?|[Cc]alls? me|[Cc]hange it to)"
    rf"\s{{1,2}}(?P<value>(?:{_TITLE}\s)?{_FULL})"
)
_TITLED = re.compile(rf"\b(?P<value>{_TITLE}\s{{1,2}}{_FULL})")
_WEAK = re.compile(
    rf"\b(?:[Tt]hank you|[Ss]p(?:oke|oken|eak) (?:to|with)|[Aa]dd|[Dd]elivered to|[Ss]igned(?: for)? by|[Aa]ssigned to|[Bb]ooked (?:by|for)|[Cc]c|[Aa]ccording to|[Bb]elongs? to|[Ww]ith|"
    rf"(?:[Hh]usband|[Ww]ife|[Pp]artner|[Ss]on|[Dd]aughter|[Mm]other|[Ff]ather|[Bb]rother|[Ss]ister|[Cc]olleague|[Bb]oss|[Mm]anager|[Aa]ssistant|[Nn]urse|[Dd]octor)|[Tt]his is|I am|I'm|I’m|[Hh]i|[Hh]ello|[Hh]ey|[Dd]ear|[Rr]egards|[Ss]incerely|[Tt]hanks|[Cc]heers|[Bb]est|[Cc]ustomer|[Pp]assenger|[Pp]atient|[Uu]ser|[Gg]uest|[Uu]nder(?: the name)?|[Bb]ehalf of|[Aa]ttn|[Ff]rom|[Ff]or|[Ss]peak(?:ing)? (?:to|with)|[Cc]ontact)[\s,:]{{1,3}}(?P<value>{_CAP}\s{_FULL})"
)
_GREETED = re.compile(rf"\b(?:[Hh]ello|[Hh]i|[Hh]ey|[Dd]ear)\s(?P<value>{_CAP})(?=\s?[,!.\n])")
_SIGNED = re.compile(
    r"\b(?:[Bb]est|[Rr]egards|[Tt]hanks|[Cc]heers|[Ss]incerely|[Ss]igned|[Yy]ours(?: truly)?|[Ll]ove|[Ww]ishes)[,!.]?[ \t]{0,4}\r?\n\s{0,8}"
    rf"(?P<value>{_CAP}(?:[ \t]{_CAP}){{0,2}})[ \t]*(?=[\r\n,]|$)"
)
_ACTING = re.compile(
    rf"(?:^|(?<=[.!?:\n] )|(?<=\n))(?P<value>{_CAP}\s{_CAP}(?:\s{_CAP})?)(?=,?\s(?:wrote|says|said|called|asked|reported|requested|complained"
    r"|replied|emailed|confirmed|claims|wants|needs|has asked|told|here\b))"
)
_TEXT_OF_STOP: Final = (
    "sir madam there team customer support all everyone i the a an your our my this that it "
    "we you they he she monday tuesday wednesday thursday friday saturday sunday january "
    "february march april may june july august september october november december please "
    "thank thanks order account card flight hotel agent service assistant user bot mr mrs "
    "ms dr miss yes no not so very good new united american english chinese french german "
    "what when where who how why if and or but signed best regards cheers sincerely yours "
    "services department company inc ltd llc office desk staff crew since after before while although because according"
)
_STOP: Final = frozenset(_TEXT_OF_STOP.split())
_STREET_WORD = (
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Ter"
    r"|Way|Circle|Cir|Parkway|Pkwy|Highway|Hwy|Trail|Trl|Crescent|Close|Gardens|Mews|Row|Alley|Loop|Plaza)\b\.?"
)
_PLACES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b\d{{1,6}}[A-Za-z]?(?:\s[A-Z][\w'.-]{{0,24}}){{1,4}}\s{_STREET_WORD}(?:,?\s(?:Suite|Ste|Apt|Apartment|Unit|Floor|#)\.?\s?[\w-]{{1,6}})?",
        r"\b(?:Suite|Ste\.?|Apt\.?|Apartment|apt\.?)\s#?\d{1,5}[A-Za-z]?\b",
        r"\bP\.?\s?O\.?\sBox\s\d{1,8}\b|\bPSC\s\d{2,5},?\sBox\s\d{1,6}\b|\b(?:APO|FPO|DPO)\s(?:AA|AE|AP)\s\d{5}\b",
        r"(?i:\b(?:unit\s\d{2,5}\sbox\s\d{1,6})\b)",
        r"(?m:^[ \t>]{0,8}(?P<value>\d{2,6}\s(?:[^\W\d][\w'.-]{0,24}\s){1,4}\d{1,5}[a-zA-Z]?)[ \t,.]*$)",
        r"(?m:^[ \t>]{0,8}(?P<value>\d{2,6}\s(?:[^\W\d_a-z][\w'.-]{0,24}[ \t]?){1,4})[ \t,.]*$)",
        r"(?m:^[ \t>]{0,8}(?P<value>(?:[^\W\d_a-z][\w'.-]{0,24}\s){1,4}\d{1,6}[a-zA-Z]?)[ \t,.]*$)",
        r"(?i:\b(?:zip|postal|post)(?:\s?code)?(?:\sis|:)?\s)(?P<value>\d{3,6}(?:-\d{3,4})?)\b",
        r"(?<=, )[A-Z]{2},?\s(?P<value>\d{5}(?:-\d{4})?)\b",
        r"(?i:\b(?:address|office|house|lives?|located|live|residing|reside|ship(?:ped)?|sent?|restaurant|store|shop|home)\b[^.\n]{0,16}?\b(?:is|at|to|in|:)\s)(?P<value>\d{1,6}[A-Za-z]?\s[^\W\d][\w'.-]{1,30}(?:\s[\w'.-]{1,24}){0,4})",
    )
)
_SITE: Final = re.compile(
    r"(?i:(?:website|homepage|blog|my site|my page|web page)\b[^\n]{0,24}?\s[<(\[\"'`]?(?:https?://)?(?:(?<=//)|www\.)(?:www\.)?"
    r"(?P<host>[^\W_](?:[\w-]{0,62}\.){1,5}[^\W_]{2,24})(?P<rest>[/?#:][^\s<>\"'`)\]]{0,200})?)"
)
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔"
    "钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤欧窦支安惠兰康温"
    "施牛樊葛邢齐岳梅庄辛管祝左涂谷祁时舒耿牟卜路詹关苗凌费纪靳盛童欧甄项曲成游阳裴席卫查屈鲍位覃霍翁隋植甘景薄单"
    "蓝丰包司柏宁柯阮桂闵解强柴华车冉房边净阴闻柳褚骆鲁符商申滕殷乔穆应农俞晏瞿阎涂巫尤宫倪娄敖萧傅赖洪翟颜毕聂焦庞丛伍季章易"
)
_DOUBLE = "欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|司徒|令狐|夏侯|端木|百里|南宫"
_GIVEN = r"[\u4e00-\u9fff]"
_NOT_GIVEN = (
    "要的是在说想请已未因于和与及有没不来去对向将把被打投提申反需希称办购退换询咨查下了为给让从到也都还就会能可收寄付"
    "取预订报联补发等先女你我他她它们这那，。、；：！？？要求客用买卖"
)
_ZH_NAME = rf"(?:(?:{_DOUBLE})|[{_SURNAMES}])(?:(?![{_NOT_GIVEN}]){_GIVEN}){{1,2}}"
_ZH_CUES: Final = (
    re.compile(
        r"(?:客户|用户|顾客|会员|联系人|收件人|收货人|患者|病人|乘客|旅客|住户|员工|同事|负责人|主管|司机|骑手|我叫|我是|名叫|已为|请帮|转告|转交给?|通知|致电|回复|核实[，,]?|叫做|本人|持卡人|户主|经办人|姓名)[:：为是]?\s?"
        rf"(?P<value>{_ZH_NAME})"
    ),
    re.compile(rf"(?P<value>{_ZH_NAME}|[{_SURNAMES}])(?=先生|女士|小姐|太太|老师|医生|经理)"),
)
_ZH_PLACE = re.compile(
    r"(?:[\u4e00-\u9fff]{2,9}?(?:自治区|省|市|区|县|镇|乡|街道|大道|路|街|巷|弄|村)){1,5}"
    r"(?:[0-9A-Za-z甲乙丙丁]{1,6}(?:号楼|单元|号|座|栋|幢|室|楼|弄)){1,5}"
)
_ZH_BEFORE_PLACE = re.compile(
    r"[\u4e00-\u9fff]{0,4}?(?:[寄送发搬运退]到|[住居]在|位于|地址[是为]|[到在至])"
)
_PLAIN_WORD = re.compile(r"(?<![\w./=:-])[^\W\d_]{2,}(?![\w/=(])")
_IDEOGRAPHS = re.compile(r"[\u4e00-\u9fff]{4}")


def looks_like_prose(text: str) -> bool:
    """Whether a leaf is free text, in which people and places may be named.

    >>> looks_like_prose("please call Ann back"), looks_like_prose("PENDING_REVIEW")
    (True, False)
    """
    sample = text[:20_000]
    if _IDEOGRAPHS.search(sample):
        return True
    words = _PLAIN_WORD.finditer(sample)
    return sum(1 for _ in zip(range(3), words, strict=False)) == 3


def find_cued(text: str) -> Iterator[Finding]:
    """Find names and addresses in free text by their surroundings."""
    yield from _people(text)
    for pattern in _PLACES:
        for match in pattern.finditer(text):
            yield _found(*match.span("value" if pattern.groupindex else 0), "LOCATION", 0.6)
    yield from _sites(text)
    if not text.isascii():
        yield from _chinese(text)


def _people(text: str) -> Iterator[Finding]:
    for match in _STRONG.finditer(text):
        yield from _person(match, least=1)
    for match in _TITLED.finditer(text):
        yield _found(*match.span("value"), "PERSON", 0.65)
    for match in _GREETED.finditer(text):
        yield from _person(match, least=1)
    for match in _SIGNED.finditer(text):
        if not any(word.strip(".,").casefold() in _STOP for word in match["value"].split()):
            yield from _person(match, least=1)
    for pattern in (_WEAK, _ACTING):
        for match in pattern.finditer(text):
            yield from _person(match, least=2)


def _chinese(text: str) -> Iterator[Finding]:
    for pattern in _ZH_CUES:
        for match in pattern.finditer(text):
            yield _found(*match.span("value"), "PERSON", 0.6)
    for match in _ZH_PLACE.finditer(text):
        before = _ZH_BEFORE_PLACE.match(match[0])
        start = match.start() + (0 if before is None else before.end())
        yield _found(start, match.end(), "LOCATION", 0.6)


def _sites(text: str) -> Iterator[Finding]:
    """Yield the host of somebody's own site, as it is named elsewhere too, and what is behind it."""
    for match in _SITE.finditer(text):
        yield _found(*match.span("host"), "DOMAIN_NAME", 0.6)
        if match["rest"] is not None and any(c.isalpha() for c in match["rest"]):
            start, end = match.span("rest")
            end -= len(match["rest"]) - len(match["rest"].rstrip(".,;:!?*"))
            yield _found(start, end, "USERNAME", 0.6)


def _person(match: re.Match[str], *, least: int) -> Iterator[Finding]:
    """Yield the words up to the first that no name has."""
    start, end, words = match.start("value"), match.start("value"), 0
    for word in re.finditer(r"\S+", match["value"]):
        if word[0].strip(".,").casefold() in _STOP:
            break
        end, words = start + word.end(), words + 1
    while end > start and (
        match.string[end - 1] in "'’" or match.string[end - 2 : end] in ("'s", "’s")
    ):
        end -= 1
    if words >= least:
        yield _found(start, end, "PERSON", 0.6)


def _found(start: int, end: int, kind: str, score: float) -> Finding:
    return Finding(start=start, end=end, type=kind, score=score, detector=_NAME)
