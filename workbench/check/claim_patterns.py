"""The shipped patterns that read claims, English and Chinese; RE2 only.

They are data: a change of any of them is a new version of `claims.DEFAULT_CLAIMS`.
"""

# ruff: noqa: RUF001  the signs of Chinese sentences and of typed apostrophes are what is searched
from __future__ import annotations

from typing import Final

__all__ = ["BREAKS", "FAILURE", "OPEN", "QUESTION_MARKS", "QUOTED", "SUCCESS", "UNRESOLVED"]

_EVENTS: Final = (
    "activated|added|answered|applied|approved|archived|arranged|assigned|attached|authori[sz]ed|backed up"
    "|booked|cancell?ed|changed|charged|cleared|completed?|configured|confirmed"
    "|converted|copied|created|credited|deactivated|deleted|delivered|deployed|dispatched"
    "|done|downgraded|downloaded|edited|emailed|exchanged|executed|exported|filed|finali[sz]ed"
    "|finished|fixed|forwarded|fulfilled|generated|granted|handled|imported|installed|invited"
    "|issued|launched|made|merged|messaged|migrated|modified|moved|notified|ordered"
    "|paid|paused|performed|posted|processed|published|pushed|put on hold|reactivated|rebooked"
    "|recorded|redeemed|refunded|registered|released|removed|renamed|renewed|reordered|replied|rescheduled"
    "|replaced|reserved|reset|resolved|restarted|restored|resumed|returned|reverted|revoked|rolled back"
    "|saved|scheduled|sent|set up|settled|shipped|signed up|solved|stopped|submitted"
    "|subscribed|suspended|switched|terminated|transferred|turned (?:on|off)|unlocked|unsubscribed"
    "|updated|upgraded|uploaded|verified|waived|withdrawn|written"
)
_STATES: Final = (
    "blocked|closed|disabled|enabled|frozen|linked|locked|marked|opened|placed|set|shared|stored"
)
"""Words that say as well how something is, so `is` does not make them an event."""
_DONE: Final = f"(?:{_EVENTS}|{_STATES})"
_MANNER: Final = (
    "(?: (?:now|already|just|all|both|also|been|successfully|fully|officially|finally|correctly"
    "|automatically|safely|properly|then|since|permanently|temporarily|completely))*"
)

SUCCESS: Final = (
    # it has been paused; your plan is now paused; both were cancelled
    rf"(?i)\b(?:is|are){_MANNER} (?:{_EVENTS})\b|\b(?:is|are) (?:now|both|all|successfully) {_DONE}\b"
    rf"|\b(?:was|were|has|have|been|['’]s|got){_MANNER} {_DONE}\b"
    # I have paused it; I've successfully paused it; we just sent it; I paused it
    rf"|(?:\bI|\bwe)(?:['’]ve| have)?{_MANNER} {_DONE}\b"
    # Successfully paused. Paused. Done. Your order: cancelled.
    rf"|\bsuccessfully {_DONE}\b|\b{_DONE} successfully\b"
    rf"|^[\s*_#>\-✅✓☑✔️]*(?:ok(?:ay)?|great|sure|yes)?[,!: ]*{_DONE}[\s*_!.,:]*$"
    rf"|^[\s*_#>\-✅✓☑✔️]*(?:great|good) news[,!: ]"
    r"|\b(?:all (?:set|done|good)|you['’]re (?:all )?set|it['’]s done|that['’]s done)\b"
    r"|\b(?:was|is|are|were) (?:a |now )?(?:success(?:ful)?|complete|active again|live|in place)\b"
    r"|\b(?:succeeded|went through|took effect|is in effect|are in effect)\b"
    r"|\btask (?:is )?(?:complete|completed|done)\b"
    # 已暂停 已经为您取消 退款成功 处理完毕 搞定
    r"|已(?:经)?(?:成功)?(?:为您|帮您|替您|给您|将|把)?[^，。！？；\n没未不]{0,16}"
    r"(?:暂停|取消|退款|退回|完成|发送|发出|提交|更新|修改|更改|创建|新建|删除|移除|处理|预订|预定|预约|下单|支付|付款"
    r"|扣款|转账|寄出|发货|关闭|开通|开启|激活|恢复|停用|启用|办理|生效|保存|添加|加入|安排|升级|降级|续费|重置|解决|修复|部署"
    r"|上传|下载|通知|登记|回复|答复|注册|注销|冻结|解冻|锁定|解锁|撤销|确认|设置|安装|发布|归档|好|妥)"
    r"|(?:暂停|取消|退款|发送|提交|更新|修改|创建|删除|处理|预订|支付|转账|开通|关闭|办理|设置|操作|部署|上传|保存)"
    r"(?:成功|完成|完毕|好了|妥当)|(?:成功|顺利)(?:地)?(?:暂停|取消|退款|发送|提交|更新|修改|创建|删除|预订|支付|完成|办理)"
    r"|搞定|大功告成|办好了|弄好了|做好了|处理好了"
)

FAILURE: Final = (
    rf"(?i)\b(?:is|are|was|were|has|have|had|been){_MANNER}(?: not| never|n['’]t)(?: yet)?{_MANNER}"
    rf"(?: able\b| {_DONE}\b| possible\b| permitted\b| found\b| available\b| successful)"
    r"|\b(?:could|can|did)(?: not|n['’]t)\b|\bcannot\b|\bcan['’]?t\b|\b(?:un|not )able to\b|\bunsuccessful(?:ly)?\b"
    r"|\bfail(?:ed|s|ure|ing)?\b|\bwent wrong\b|\b(?:an|the|this|internal|server) errors?\b"
    r"|\b(?:was|were|is|are|been|got) (?:denied|declined|rejected|refused|blocked)\b"
    r"|\b(?:denied|declined|rejected|refused)\b|\bimpossible\b|\bnot (?:possible|permitted|allowed)\b"
    r"|\bunfortunately\b|\bno (?:such|matching|longer available)\b|\bnothing (?:was|has been)\b"
    r"|\bwithout success\b|\bto no avail\b|\bgave up\b|\bnot (?:yet )?(?:been )?" + _DONE + r"\b"
    r"|失败|未能|无法|不能|没能|没有(?:成功|完成|办法|权限|找到)|尚未成功|不成功|出错|出现错误|发生错误|报错|被拒|拒绝|不支持|做不到"
    r"|(?:没有|没|未|尚未|还没|并未)(?:有)?(?:被)?(?:暂停|取消|退款|完成|发送|提交|更新|修改|创建|删除|处理|预订|支付|生效)"
)

UNRESOLVED: Final = (
    r"(?i)\b(?:could|can|did|was|were|am|are|is|have|has|do)(?: not|n['’]t| ?not)?(?: yet)?"
    r"(?: been)?(?: able to)? ?(?:un)?(?:able to )?"
    r"(?:not |n['’]t )(?:yet )?(?:been )?(?:able to )?"
    r"(?:confirm|verif|determine|tell|know|see whether|sure|certain|clear)"
    r"|\b(?:could|can|did)(?:n['’]t| ?not)(?: yet)? (?:be )?(?:confirm|verif|determine|tell|know)"
    r"|\bcan['’]t (?:yet )?(?:confirm|verify|tell|be sure)\b"
    r"|\b(?:un|not )able to (?:confirm|verify|determine|tell)"
    r"|\b(?:unconfirmed|unverified|unresolved|uncertain|unclear|inconclusive)\b"
    r"|\bnot (?:yet )?(?:sure|certain|clear|known|confirmed|verified|final)\b|\bunknown\b"
    r"|\bdo(?:n['’]t| not) (?:yet )?know\b|\bno confirmation\b|\bawait(?:ing)?\b|\bwaiting (?:for|on)\b"
    r"|\b(?:is|are|it['’]s|still|remains?|currently|status:?)\W+(?:\w+ )?pending\b"
    r"|\bpending (?:confirmation|approval|review|verification)\b|\bin progress\b|\bunder way\b|\bunderway\b|\bstill (?:being |processing|running"
    r"|working|waiting|open|checking|in )|\bbeing (?:processed|reviewed|checked|investigated|handled)"
    r"|\b(?:may|might|could) (?:or may not )?(?:still )?(?:have|be|not)\b|\bnot yet\b"
    r"|\b(?:timed out|time-?out)\b|\bescalat(?:ed|ing)\b|\btransfer(?:red|ring) (?:you )?to a human"
    r"|无法(?:确认|核实|验证|确定|判断)|(?:尚|还)?(?:未|没有|没)(?:能)?(?:确认|核实|验证|得到确认)|不(?:确定|清楚|知道)|待(?:确认|核实|处理)"
    r"|处理中|进行中|正在[^，。！？；\n]{0,6}(?:处理|办理|为您|进行|核实|确认|等待)|等待|尚不|仍在|还在|可能(?:已|没|未)|超时|状态未知|转(?:接)?人工"
)

OPEN: Final = (
    # what already was: "was booked on May 2", "is currently enabled", "is scheduled for"
    r"(?i)^\W*(?:since|because|as|given that|confirm|check|verify|make sure|ensure|tell me|assum\w+) "
    r"|^\W*(?:<\w+>\s*)?to [a-z]+ |\b(?:who|that|which|they) (?:was|were|has|have|had)\b|\bhow\b"
    r"|\bstatus(?: \w+)? is\b|\bit (?:seems|appears|looks)\b"
    r"|\b(?:was|were) (?:\w+ )?(?:booked|created|scheduled|placed|made|purchased|ordered|issued)"
    r" (?:on|in|at|within|more|less|over|under|before|after|to depart|as)\b"
    r"|\b(?:is|are) (?:currently|already|still)\b|\b(?:is|are) scheduled\b|\bis not currently\b"
    r"|\b(?:I|we|you|it|they|he|she|that|this)['’]ll\b|\b(?:will|shall)\b"
    r"|\b(?:am|['’]m|are|is) (?:now )?going to\b|\b(?:I|we)['’]d\b"
    r"|\blet me\b|\blet['’]s\b|\bplease\b|\b(?:would|could|can|may|should|shall|do|does|did|is|are) "
    r"(?:you|I|we|there|this|that)\b|\b(?:I|we) (?:can|could|would) (?:help|assist|check|look|ask|"
    r"verify|get|do|go|offer|proceed|try|be|also|then)\b|\b(?:I|we) (?:need|want|must|have to)\b"
    r"|\b(?:if|once|when|whenever|until|unless|whether|before|as soon as|after|in order to)\b"
    r"|\bto (?:be|get|have|make sure|ensure|confirm|verify|proceed|continue|start|begin|help)\b"
    r"|\b(?:I|we)(?:['’]m| am|['’]re| are) (?:now |currently |just )?\w+ing\b"
    r"|\b(?:hello|hi|welcome|thank you|thanks|sorry|of course|how can I)\b"
    r"|\b(?:next|planning|plan to|about to|trying to|try to|attempt(?:ing)? to|should be|must be|"
    r"needs? to|want(?:s)? to|wish to|would like)\b"
    r"|请|吗|呢|如果|若|一旦|等到|之后再|将(?:会|要|为|在|于)|我(?:会|将|来|这就|马上|需要|想|可以)|马上|稍后|即将|正要|是否|能否|可否|您好|你好|让我|需要您"
)

BREAKS: Final = r"(?:[.!]+[\s\"')\]*_]+|[。！；;\n]+|,? but |，?但(?:是)?|，?不过)"

QUOTED: Final = r'"[^"\n]{1,300}"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|‘[^’\n]{1,300}’'
"""What somebody else said: no claim of who repeats it."""

QUESTION_MARKS: Final = ("?", "？")
