"""Claim patterns for Chinese, one clause at a time. Pure.

Traditional characters are mapped one to one to the simplified ones of the patterns.
"""

from __future__ import annotations

import re

from pet.engine.claim_detection.sentences import Clause
from pet.memory.text.simplify import to_simplified
from pet.text.lazy_pattern import lazy_pattern

CHINESE_HINT = lazy_pattern(r"[记記存录錄写寫忘收加更登备備刻背藏放归歸添补補标標笔筆进進入心本]")

_ZH_PLACE = (
    r"(?:记忆|日志|笔记|小本|本子|档案|资料|备忘|日记|脑海|脑子|脑袋|大脑|心里|心底|心上|心间|记事|清单|MEMORY|USER"
    r"|SOUL|memory|数据库|数据盒|存储|偏好|长期|个人信息|内存|爪爪|爪子|记录|硬盘|回忆)"
)
_END = r"(?:了|啦|咯|喽|哒|的|呀|哟|噜|嘞|嗷|喵|汪|~|～|!|！|。|\W*$)"
_ASPECT = r"(?:起来|惹|辣|捏|了|啦|咯|喽|哒|噜|嘞|完毕|完成|成功|好了|在案|喵|汪|嗷)"
_HELP = (
    r"(?:帮你|帮您|替你|替您|给你|给您|为你|为您|帮主人|替主人|帮忙|先|也|都|再|好好|牢牢|统统|全部|一并|默默|偷偷"
    r"|悄悄|乖乖|认真|仔细|一直|永远|永久|这就|马上|立刻|现在|赶紧|顺手|单独|特意|一笔一划|小心|努力|用心|完整|通通"
    r"|正式|成功|妥妥|安全|紧紧|深深|稳稳|全|又|把它|把这个|把这点|把这件事|把这条|将其|将此){0,4}"
)
_ZH_NOTE = (
    r"(?:记住|记下来|记下|记好|记牢|记着|记在|记进|记到|记入|记录|牢记|铭记|记上|记清楚|记得清清楚楚|谨记|背下来"
    r"|背下|刻在|刻进|记一笔|记笔记|做笔记|记一下|记)"
)
_STORE = (
    r"(?:保存|存好|存起来|存下来|存下|存进|存入|存到|存档|储存|收藏|收进|收好|收录|写进|写入|写下来|更新|登记|归档"
    r"|归类|归入|入库|录入|备注|标注|记载|备份|存)"
)

_ZH_NOTED = lazy_pattern(
    r"(?:记住|记下来|记下|记好|记牢|记着(?:呢)?|记录下来|记录|牢记|铭记|记上|谨记|记清楚|背下来|背下|做好笔记"
    r"|做了?(?:个|一个|条)?笔记"
    r"|记了一笔|记笔记|记一笔|备忘|做了个?记号|(?:记|写)(?:我的)?小本本?[里上])"
    rf"(?:{_ASPECT}|(?=\W*$))"
    rf"|(?:记|写|刻|印|放|存|收|藏|留|加|添加|保存|储存|录|登记|归|更新|登|收录|收藏|备份|备注|添|输|背|装|锁|放好"
    rf"|珍藏)(?:录|存|好|下|藏|载|注)?(?:在|进|到|入|至)(?:了|进)?\W?(?:我|你|您|今天|今日|本喵|咱|俺|主人|人家"
    rf"|宠物)?(?:们)?(?:的|自己的)?(?:小|长期|专属|今日|个人|每日|宝贝|当天|核心|随身){{0,2}}\W?{_ZH_PLACE}"
    rf"|^\W*记(?:了|啦|咯)(?=\W*$)|(?:记|写|存|收|加|录|放)(?:进去|进来|上去|下来|起来){_ASPECT}"
)
_ALREADY = lazy_pattern(
    rf"(?:已经|已|刚刚|刚){_HELP}(?:记下|记住|记录|记入|记在|记进|记到|写入|写进|存入|存进|存到|录入|登记|归档|归类"
    rf"|归入|入库|更新)"
    rf"|(?:已经|已|刚刚|刚|都|全|全部){_HELP}(?:将|把)?.{{0,12}}?(?:{_ZH_NOTE}|{_STORE}).{{0,6}}?(?:了|啦|咯|喽|哒|好"
    rf"|完毕|成功|下来|在案|进去|\W*$)"
)
_FILED = lazy_pattern(
    rf"(?:保存|存好|存起来|存下来|存下|存档|储存|收藏|收好|收起来|归档|归类|入库|登记|写下来|录入|备份|记录|备注|标注"
    rf"|添加|收录|收到小本本){_ASPECT}"
    r"|(?:记忆|档案|资料|日志|笔记|偏好|备忘|称呼|昵称|名字|信息)(?:已经|已|都)?(?:更新|保存|记录|写入|登记|添加"
    r"|修改|存档|补充)(?:好|完毕|完成|成功)?(?:了|啦|咯|喽)?"
)
_OBJECT = r"(?:(?:也)?[把将][^，。]{1,20}?)?"
_HOW = r"(?:一定|肯定|绝对|永远|一直|好好|牢牢|乖乖|努力|替你|帮你|给你|为你|先|也|都|会|就){0,4}"
_WILL = lazy_pattern(
    rf"(?:会|将|一定|肯定|绝对|必定|保证){_HOW}{_OBJECT}{_HOW}"
    r"(?:记住|记得|记着|记下|牢记|铭记|谨记|记在|记进|记到|记好|记牢|记录|保存|存好|存下|存进|存到|写进|写到|写入"
    r"|写下|收进|收好|放在心[上里]|放进|加到|加进|刻在|珍藏|收藏)"
    r"|不(?:会|敢|可能)?再?(?:把它|把这个|把这件事)?给?(?:忘记|忘掉|忘了|忘)(?:的|哒|哦|喵|啦|了|它|这|你|[~～!！]"
    r"|\W*$)|忘不了"
)
_SOON = (
    r"(?:这就|马上|现在就|现在|立刻|赶紧|赶快|来|先|正在|正|去|也|会|就|已经|已|都|刚刚|刚|帮你|给你|替你|为你|好好"
    r"|牢牢|偷偷){0,5}"
)
_ON_IT = lazy_pattern(
    rf"(?:我|本喵|本汪|人家|咱|喵|俺)(?={_SOON}{_OBJECT}{_SOON}[记写存保加收放更登做刻])"
    rf"(?:(?:这就|马上|现在|立刻|赶[紧快]|来|先|正|去|也|会|就|已|都|刚|帮|给|替|为|[把将])){_SOON}{_OBJECT}{_SOON}"
    r"(?:记下来|记下|记住|记一下|记一笔|记录|记到|记进|记在|记上|记好|记着|写进|写到|写入|写下|写在|存进|存到|存下"
    r"|存好|保存|加到|加进|收进|放进|更新到|更新|收好|收藏|登记|做个笔记|做笔记|刻在)"
    r"|(?:正在|这就|马上|让我|容我|等我|待我|我来|来)(?:帮你|给你|替你|把它|把这个|先|赶紧|把这条){0,3}"
    r"(?:记下来|记下|记一下|记住|记一笔|记录|记到|记进|写进|写到|写入|存进|存到|存起来|存下来|存好|存下|保存"
    r"|更新记忆|加到记忆|记上)"
    r"|我记一下(?=[哈啊哦]?\W*$)|(?:掏出|拿出|翻开|打开|摸出)[^，。]{0,6}(?:本|笔记)[^。]{0,12}(?:记|写)"
    rf"|[把将][^，。]{{1,30}}?(?:记|写|存|收|加|放|刻|印|录|保存|添加|更新)(?:录|存)?[在进到入]了?(?:我|你|您|今天"
    rf"|今日|本喵)?们?的?"
    rf"(?:小|长期|专属|今日|个人|每日){{0,2}}\W?{_ZH_PLACE}"
)
_CONFIRMED = lazy_pattern(rf"{_ASPECT}|着呢|[在进到入]")
_ENTERED = lazy_pattern(
    rf"(?:进|入|进到|进入|装进|留在|住进|刻进|印在)了?(?:我|本喵)的?(?:长期|小)?{_ZH_PLACE}(?:里|中|了|啦)*"
    rf"|在{_ZH_PLACE}(?:\.md)?\W?[里中上]?(?:加|写|记|补)[上下入进好]?了"
    rf"|已经在(?:我|本喵)的?(?:长期|小)?{_ZH_PLACE}"
)
_BARE_END = lazy_pattern(
    r"(?:我|已|先|都|给你|帮你|替你|这就|马上|给您|为您|好的?|嗯|喵|收到|明白|遵命)[^，。]{0,8}$"
)
_PATTERNS = (_ENTERED, _ZH_NOTED, _ALREADY, _FILED, _WILL, _ON_IT)

_COMFORT = lazy_pattern(
    r"别担心|不用担心|别急|别怕|没问题|没关系|没事|不客气|不要紧|不错|放心|不用谢|别客气|没错|要不|必须的|不管怎样"
    r"|不论|无论|特别|别人家|差不多|好不容易|不少|不过"
)
_FOR_YOU = lazy_pattern(
    r"(?:帮|替|给|为|和|跟|对|把|关于|与|将|向|陪|让|叫|称呼|喊|听|问|见|想|爱|喜欢|懂|提醒)(?:你|您|他|她"
    r"|它)(?:们)?|[你您他她它](?:们)?的"
)
_NOT = lazy_pattern(r"没|不|请(?!放心)|务必|千万|别(?!名)|未|无法|忘了|忘记|难以|失败|来不及|拒绝|取消|删")
_NOT_FORGET = lazy_pattern(r"不(?:会|敢|可能)?(?:再)?(?:把它|把这个|把这件事)?(?:给)?忘|忘不了")
_MODAL = lazy_pattern(
    r"可以|能够|能不能|(?<!可)能(?!耐)|想要|很想|也想|想把|应该|应当|要不要|需要|愿意|希望|是否|如何|怎么|怎样|为什么"
    r"|假装|好像|似乎|以为|差点|本来|原来想|才能|得先|必须|试着|尝试|打算|要是|什么|多少|哪"
)
_ZH_CONDITION = lazy_pattern(
    r"如果|要是|假如|假使|若是|倘若|(?<![说讲聊问])的话|等你|等您|只要|除非|一旦|万一|当你|一打开|打开之?后|开启之?后|打开记忆|开了"
    r"|才会|才能|下次你"
)
_ZH_CONDITION_AFTER = lazy_pattern(r"^.{0,8}(?:如果你|如果您|要是你|要是您|只要你|只要您|除非|前提是|等你打开)")
_HERE_ONLY = lazy_pattern(
    r"(?:这次|这个|本次|这段|当前|这场|此次|这轮)(?:的)?(?:对话|聊天|会话|标签页|谈话)(?:里|中|内|期间|结束|关)"
)
_ZH_LONG_AGO = lazy_pattern(
    r"上周|上个?月|上次|上回|昨天|前天|之前|以前|那天|当时|当年|曾经?|前几天|那时|去年|[天周月年]前|早先|从前|小时候"
    r"|早就|过(?:了)?(?:的|$)|那次"
)
_SUBJECT = lazy_pattern(
    r"(?P<me>我(?!们)|本喵|本汪|本王|本大爷|本小姐|本宝宝|人家|咱(?!们)|俺|吾|在下|小的|奴家|臣|喵星人)|(?P<you>我们"
    r"|咱们|你|您|他|她|它|大家|谁|有人|有些人|别人|人们"
    r"|主人(?!的)|老师|同学|医生|朋友|妈妈|爸爸|科学家|很多人|用户|系统|自动|软件|程序|手机|电脑)"
)
_ZH_OTHERS_THINGS = lazy_pattern(
    r"文件|文档|稿|照片|图片|截图|代码|游戏|进度|存钱|省钱|的钱|作品|作业|视频|更改|修改过|改动|表格|项目|号码|网页"
    r"|邮件|歌单|论文|报告|简历|录音|录像|存款|银行|系统|手机|电脑|软件|应用"
    r"|APP|app|快递|行李|衣服|冰箱|菜|书架|论坛|公司|房间|抽屉|柜子|篝火|配置|数据表"
)
_FINDINGS = lazy_pattern(
    r"^(?:[一二两三四五六七八九十几0-9]+|一些|若干)[个处条项]?(?:问题|错误|错别字|地方|疑问|漏洞)"
)
_RELATIVE = lazy_pattern(r"^(?:下来|下|住|着|好|过|在案|了)?的(?![~～!！。，\s]|$|呀|哦|啦|喵|哟|呢|嘛|哈)")
_ASKS_BACK = lazy_pattern(r"(?:吗|么|没有|没|(?<!着)呢|吧)\W*$|是不是|有没有")


def claims_in_chinese(clause: Clause) -> bool:
    """Whether the clause claims that something was or will be remembered."""
    text = to_simplified(clause.text)
    if clause.asks or _ASKS_BACK.search(text):
        return False
    return any(
        _stands_in_chinese(text, found, clause, pattern) for pattern in _PATTERNS for found in pattern.finditer(text)
    )


def _stands_in_chinese(text: str, found: re.Match[str], clause: Clause, pattern: re.Pattern[str]) -> bool:
    before = _COMFORT.sub("", text[: found.start()])
    said, after = found.group(), text[found.end() :]
    earlier, later = to_simplified(clause.before), to_simplified(clause.after)
    if before.endswith("的") and pattern is _ZH_NOTED:  # a noun phrase: "what was noted"
        return False
    if pattern is _ZH_NOTED and not _CONFIRMED.search(said) and not _BARE_END.search(f"{earlier}{before}"[-12:]):
        return False
    if _ZH_CONDITION.search(before) or _ZH_CONDITION.search(earlier) or _ZH_CONDITION_AFTER.search(later):
        return False
    if _HERE_ONLY.search(text) or _RELATIVE.search(after) or _FINDINGS.search(after):
        return False
    if _NOT.search(before) or _NOT.search(_NOT_FORGET.sub("", said)) or _MODAL.search(before):
        return False
    if pattern is not _WILL and _ZH_LONG_AGO.search(before):
        return False
    if (
        pattern in (_FILED, _ALREADY, _ZH_NOTED)
        and not re.search(r"记", said)
        and _ZH_OTHERS_THINGS.search(earlier[-30:] + text)
    ):
        return False
    return not _said_of_others(before)


def _said_of_others(before: str) -> bool:
    """Whether the subject is someone other than the pet: the last one named, unless only in passing."""
    rest = _FOR_YOU.sub("", before)
    named = list(_SUBJECT.finditer(rest))
    return bool(named) and named[-1]["you"] is not None and "的" not in rest[named[-1].end() :]
