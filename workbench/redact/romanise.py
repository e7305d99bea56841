"""How names of other scripts are written in Latin letters: `许燕` as `Xu Yan`, `Иван` as `Ivan`.

One value in two scripts is one value, so both forms meet by their Latin letters. The tables hold the
characters of names, each with its reading in names; what they do not hold has no Latin form.

Source:
    Hanyu Pinyin (ISO 7098:2015) without tones, BGN/PCGN 1947 for Russian, ISO 843 for Greek, simplified to bare letters.
"""

# ruff: noqa: RUF001  look-alikes are data here
from __future__ import annotations

import itertools
import re
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["latin_forms", "latin_of", "spread_latin"]

_PINYIN: Final = """
a阿 ai艾爱 an安 ao敖奥 ba巴 bai白百柏 ban班 bao包鲍宝保葆 bei贝北 bi毕碧弼 bian边卞 biao彪 bin斌宾彬滨 bing冰兵炳秉 bo薄博伯波勃 bu卜
cai蔡才彩财采 can灿 cang苍 cao曹操 cen岑 chai柴 chan婵 chang常昌畅长 chao超朝潮 che车 chen陈晨辰宸琛 cheng程成承诚呈城澄 chi迟驰赤 chong崇冲 chu褚储楚初 chuan川传 chun春淳纯 cong丛聪从 cui崔翠
da达大 dai戴代岱 dan丹旦 dang党 dao道 de德 deng邓登灯 di狄迪弟 diao刁 ding丁定鼎 dong董东冬栋 dou窦 du杜都 duan段端 e娥鄂 en恩 er尔儿
fan范樊凡帆繁 fang方房芳放舫 fei费飞菲霏 fen芬 feng冯封凤丰风峰枫锋 fu傅付符福富甫芙 gan甘干 gang刚钢 gao高 ge葛戈歌 geng耿庚 gong龚宫公巩恭功 gou苟 gu顾古谷辜 guan关管官冠 guang广光 gui桂贵 guo郭国果
hai海 han韩汉涵寒翰瀚 hang杭航 hao郝昊浩豪好皓 he何贺和河荷赫鹤 heng恒衡 hong洪红宏虹鸿弘泓 hou侯厚 hu胡虎湖 hua华花滑桦 huai怀 huan欢环焕桓 huang黄皇煌 hui惠慧辉会晖蕙卉 huo霍
ji纪季姬吉计冀嵇继济基 jia贾嘉佳家甲 jian简建健剑坚鉴 jiang江蒋姜将疆 jiao焦娇 jie解杰洁捷婕 jin金靳晋锦今津瑾 jing净井荆景静晶京敬菁婧 jiu久 ju鞠巨菊 juan娟 jue珏 jun军君俊钧均骏珺
kai凯开楷 kang康亢 ke柯可克轲珂 kong孔 kou寇 kuang邝匡 kui奎 kun坤昆琨 lai赖来莱 lan蓝兰岚澜 lang郎朗 lao劳 le乐 lei雷磊蕾 leng冷 li李黎厉励丽力立莉利理礼梨璃 lian连廉莲联 liang梁良亮 liao廖 lin林琳霖临麟 ling凌令玲灵岭龄铃 liu刘柳留六 long龙隆 lou娄楼 lu卢陆鲁路禄露璐鹿 lv吕旅绿 luan栾 luo罗骆洛落
ma马麻 man满曼 mao毛茅茂 mei梅美眉媚 men门 meng孟蒙梦萌 mi米宓 miao苗缪妙淼 min闵敏民 ming明鸣铭茗 mo莫墨默 mou牟 mu穆木慕沐 na娜那纳 nan南楠男 ni倪尼妮 nian年念 nie聂 ning宁凝 niu牛钮 nong农 nuo诺
ou欧区 pan潘盼 pang庞 pei裴培佩沛 peng彭蓬鹏朋 pi皮 pin品 ping平萍屏 pu蒲浦朴璞 qi齐戚祁琪奇琦棋启其 qian钱千倩谦 qiang强蔷 qiao乔巧桥 qin秦覃琴勤钦沁 qing青清庆晴卿 qiong琼 qiu邱秋丘裘球仇 qu屈瞿曲渠 quan全权泉 que阙
ran冉然 rao饶 ren任仁人 rong荣容戎蓉融 rou柔 ru茹汝如儒 ruan阮 rui芮瑞锐蕊睿 run润 ruo若 sa萨 san三 sang桑 sen森 sha沙莎 shan单山珊杉善 shang尚商上 shao邵韶 she佘 shen沈申慎深 sheng盛生圣胜升 shi石史施时世士诗实师 shou寿 shu舒树书淑姝 shuai帅 shuang双爽霜 shui水 shun顺舜 si司思丝四 song宋松颂嵩 su苏素肃 sui隋随 sun孙
tai泰台太 tan谭谈坦檀 tang唐汤棠堂 tao陶涛桃滔 teng滕腾 ti提 tian田天甜恬 tie铁 ting婷廷庭亭 tong童佟通同彤桐 tu涂屠 tuo拓 wan万宛婉晚 wang王汪望旺 wei位魏韦卫尉威伟维薇巍为蔚玮炜 wen温文闻雯 weng翁 wo沃 wu吴武伍邬巫乌五梧悟
xi习席奚喜希西熙溪曦锡茜汐 xia夏霞侠 xian冼先贤咸娴仙宪显 xiang向项香祥翔湘想享相 xiao肖萧晓小笑潇孝霄筱 xie谢邢协 xin辛新心欣信鑫馨昕忻 xing幸星兴行 xiong熊雄 xiu修秀绣 xu徐许胥续旭绪序 xuan宣轩萱璇玄旋 xue薛雪学 xun荀寻勋询
ya雅亚娅 yan晏严颜阎闫言燕妍彦艳岩研延雁炎焱嫣 yang杨阳羊洋扬央 yao姚瑶耀遥尧 ye叶野业烨晔 yi易伊怡一艺宜义仪逸毅意依亦益溢翊 yin阴尹殷印银音寅 ying应英颖莹盈迎影瑛樱滢 yong永勇咏雍泳 you尤游友优幽佑 yu于余俞喻虞郁玉宇雨语瑜愉钰裕羽煜育渝誉豫昱妤 yuan袁元苑远媛源园圆缘渊 yue岳月悦跃越玥粤 yun云芸韵昀运允匀筠
zang臧 ze泽则 zeng曾增 zha查 zhai翟 zhan詹湛展占战 zhang张章彰 zhao赵兆昭 zhe哲喆 zhen甄珍真振贞镇臻祯 zheng郑正政征铮峥 zhi支植志智之芝治知直枝芷 zhong钟仲中忠 zhou周舟洲 zhu朱祝诸竺竹珠柱 zhuang庄壮 zhuo卓 zi子紫自梓姿 zong宗 zou邹 zu祖 zuo左佐
"""
_COMPOUNDS: Final = {
    "欧阳": "ouyang",
    "司马": "sima",
    "上官": "shangguan",
    "诸葛": "zhuge",
    "东方": "dongfang",
    "皇甫": "huangfu",
    "尉迟": "yuchi",
    "公孙": "gongsun",
    "慕容": "murong",
    "司徒": "situ",
    "令狐": "linghu",
    "夏侯": "xiahou",
    "端木": "duanmu",
    "百里": "baili",
    "南宫": "nangong",
}
_CYRILLIC: Final = (
    "а:a б:b в:v г:g д:d е:e ё:yo ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh "
    "щ:shch ъ: ы:y ь: э:e ю:yu я:ya і:i ї:yi є:ye ґ:g"
)
_GREEK: Final = "α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s ς:s τ:t υ:y φ:f χ:ch ψ:ps ω:o"
_SYLLABLE: Final = re.compile(r"([a-z]+)([\u4e00-\u9fff]+)")
_LEAST: Final = 4
"""Letters of a Latin form that is searched for; `Li` or `Wu` alone say nothing."""


@cache
def _table() -> dict[str, str]:
    found = {char: text for text, chars in _SYLLABLE.findall(_PINYIN) for char in chars}
    pairs = (pair.partition(":") for pair in (*_CYRILLIC.split(), *_GREEK.split()))
    return found | {char: text for char, _, text in pairs}


def latin_of(word: str) -> tuple[str, ...] | None:
    """Return the Latin letters of each character of a folded word; None: not all are known.

    >>> latin_of("许燕"), latin_of("иван"), latin_of("ann")
    (('xu', 'yan'), ('i', 'v', 'a', 'n'), None)
    """
    table = _table()
    found = tuple(table.get(char) for char in word)
    if not word or None in found:
        return None
    return tuple(text for text in found if text is not None)


def latin_forms(name: str) -> Iterator[str]:
    """Yield how a folded name of another script may be written: `xu yan`, `yan xu`, `xuyan`, ...

    >>> sorted(latin_forms("欧淑珍"))[:3]
    ['ou shu zhen', 'ou shuzhen', 'oushuzhen']
    """
    parts = [part for word in name.split() for part in _parts(word)]
    if not parts or any(not part for part in parts):
        return
    joined = ["".join(part) for part in parts]
    apart = [text for part in parts for text in part]
    ideographs = all("\u4e00" <= char <= "\u9fff" for char in name if not char.isspace())
    loose = [[joined[0], *apart[len(parts[0]) :]], [*apart[len(parts[0]) :], joined[0]]]
    orders = [joined, [*joined[1:], joined[0]], *(loose if ideographs else ())]
    forms = {sign.join(order) for order in orders for sign in (" ", "") if any(order)}
    yield from (form for form in forms if len(form.replace(" ", "")) >= _LEAST)


def _parts(word: str) -> list[tuple[str, ...]]:
    """Cut a word into the parts of a name: family and given name of ideographs, else the word."""
    latin = latin_of(word)
    if latin is None:
        return [()]
    if not "\u4e00" <= word[0] <= "\u9fff" or len(word) == 1:
        return [latin]
    family = 2 if word[:2] in _COMPOUNDS else 1
    return [latin[:family], latin[family:]] if len(word) > family else [latin]


def spread_latin(text: str, places: int) -> list[str]:
    """Distribute Latin letters over so many places, one for the first, so that it can be a capital.

    >>> spread_latin("wang", 2), spread_latin("li", 3)
    (['w', 'ang'], ['l', 'i', ''])
    """
    if places <= 1 or not text:
        return [text, *[""] * (places - 1)]
    rest = text[1:]
    size, longer = divmod(len(rest), places - 1)
    widths = [size + (n < longer) for n in range(places - 1)]
    ends = list(itertools.accumulate(widths))
    return [text[0], *(rest[end - width : end] for width, end in zip(widths, ends, strict=True))]
