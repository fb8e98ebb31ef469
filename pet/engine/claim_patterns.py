"""Detect claims of having remembered something, in English and Chinese. Pure.

Rule-based, clause by clause, in linear time. Each pattern is one form (past, future, "it's in my memory"); its
context is then checked for what negates it. Traditional characters are mapped to simplified ones.
"""

from __future__ import annotations

import re

from pet.engine.claim_sentences import QUOTED, Clause, Sentence, clauses, sentences
from pet.language.normalization import to_simplified
from pet.text.lazy_pattern import lazy_pattern


def _any(words: str) -> str:
    """Return a pattern of the words; "_" is a space."""
    return f"(?:{'|'.join(words.split()).replace('_', ' ')})"


def _pattern(*parts: str) -> re.Pattern[str]:
    return lazy_pattern("|".join(parts), re.IGNORECASE)


ENGLISH_HINT = _pattern(
    r"not(?:ed|es?|ing)\b|sav(?:ed|e|ing)|stor(?:ed|e|ing)|record|remember|memor|jot|writ|wrote|scribbl|logg"
    r"|log\b|mind\b|forget",
    r"file|profile|heart|down\b|consider|part of|locked|added|updat|tuck|track|brain|learn",
)

_PETS = _any("kitty kitten cat pup puppy dog fox bunny dragon owl hamster robot bot pet companion")
_I = rf"(?:\bi|\bwe|\b(?:this|your) (?:{_any('little humble faithful loyal fluffy')} )?{_PETS})"
_ADVERB = _any(
    """now just already also safely carefully gladly happily duly always definitely certainly surely totally
    absolutely
    gone_ahead_and went_ahead_and go_ahead_and made_sure_to make_sure_to make_sure_i be_sure_to try_to
    do_my_best_to do
    all both officially promptly quickly properly permanently dutifully faithfully quietly hereby even long_since
    forever
    right_away of_course indeed only personally never_ever ever too neatly lovingly fully finally successfully
    immediately"""
)
_ADVERBS = rf"(?:{_ADVERB} ){{0,4}}"
_PLACE = (
    rf"(?:{_any('my your our the this today.s long-term long_term permanent')} )?"
    rf"(?:{_any('own little long-term daily memory user personal')} )?"
    + _any(
        r"""memory memories brain notes? notebook notepad log diary journal profile records?\b(?!_as\b) heart mind
        head
        files?\b(?!_?(?:is|was)) memory\.md user\.md soul\.md memory/\S{1,20} list_of"""
    )
)
_THINGS = _any(
    """dates? times? names? address birthday numbers? details? information info facts? preferences? appointments?
    changes? recipes? plans? deadlines? meetings? exams? events? updates? nickname allergy entry entries reminder"""
)
_IT = (
    rf"(?:it|that|this|them|these|those|everything|both|all|your|you\b(?! {_any('a an some the')}\b)|the {_THINGS}"
    rf"|the new|{QUOTED}|new|a new|one|down)"
)
_INTO = _any("in into to on onto under")
_NOTE = (
    rf"(?:a|an|another|myself a)? ?(?:\w+ )?{_any('notes? records? memory')}"
    r"(?! (?:on (?:the|your|chapter)|about how))"
)
_OWN_TEXTS = rf"(?:\w+ )?{_any('memory memories notes profile records? entry entries preferences details')}"

_NOTED = (
    rf"(?:{_any('noted memori[sz]ed jotted logged etched engraved registered bookmarked scribbled')}|made {_NOTE}"
    rf"|(?:taken|took) (?:careful |good )?notes?(?! on (?:the|your))|committed (?:\S+ ){{1,6}}to memory"
    rf"|added (?:a|another) (?:new )?{_any('note entry line')}|learn(?:ed|t) (?:\S+ ){{0,4}}by heart"
    r"|taken (?:\S+ ){1,4}to heart)"
)
_KEPT = _any("saved stored recorded remembered kept archived filed captured documented preserved")
_PUT = _any(
    """put set added written wrote tucked entered placed popped slipped pinned locked stashed included stuck moved
    filed saved stored recorded logged kept"""
)
_DONE = _pattern(
    rf"{_I}(?:'ve| have|'s| has| did|'d)? ?{_ADVERBS}(?:{_NOTED}\b"
    rf"|{_KEPT}(?: down)?(?= {_IT}| {_any('in to for under as how what who where when which')}\b|\W*$)"
    rf"|{_PUT} (?:\S+ ){{0,9}}?(?:down\b|away\b|{_INTO} {_PLACE})"
    r"|made sure to (?:save|note|record|remember|store|log) (?:it|that|this|your|everything)"
    rf"|made sure (?:\S+ ){{1,8}}?(?:is|are|gets) {_KEPT}\b"
    rf"|(?:updated|amended|corrected|extended) (?:(?:my|your|the) {_OWN_TEXTS}|\S+ in {_PLACE}|(?:memory|user)\.md))"
)
_GOT = _pattern(
    rf"(?:got|have) (?:it|that|this|your \S+(?: \S+){{0,3}}|everything|all of (?:it|that)) (?:all )?(?:down\b(?! to)"
    rf"|{_any('written saved stored noted recorded jotted memori[sz]ed locked logged safe_in')}|in (?:my"
    rf"|the) {_PLACE})"
)
_WHAT = (
    rf"(?:{QUOTED}+|\b{_any('it that this everything these those both they')}|\ball of (?:it|that|this)"
    rf"|\byour (?:\S+ ){{1,10}}?|\b(?:the|that|this) (?:\S+ ){{1,8}}?|\b(?:memory|memories|profile|note|{_THINGS}))"
)
_IS_KEPT = _pattern(
    rf"{_WHAT} ?(?:'s|'re|'s been| ?{_any('is are was were goes went has_been have_been')})(?: |$){_ADVERBS}(?:"
    rf"(?:{_NOTED}|{_any('saved stored recorded remembered archived written_down filed kept_safe locked tucked')}"
    rf"|safe and sound)\b(?! (?:by|from|the day)\b)"
    rf"|{_any('added written put entered tucked safe secure stored safely in into on part_of')}"
    rf" (?:\S+ ){{0,4}}?{_PLACE}"
    r"|updated\b|added(?=\W*$)|on record\b(?! as)|on file\b)"
)
_INTERJECTION = _any(
    r"""ok okay okie okey okidoki oki got_it got_that gotcha sure yes yep yup yay aye alright all_right right done
    great
    cool and roger roger_that understood perfect purr\w* m+rr?\w* me+ow\w* nya+\w* hehe\w* haha\w* heehee ooh+ oh
    ah+ aw+
    wow thanks thank_you of_course no_problem so then there it squeak woof arf beep boop certainly absolutely hmm+ mm+
    noted sir boss captain ma'am master now duly all already safely consider_it consider_that consider_this officially
    mentally mental_note very_well good lovely wonderful sweet also just well very have been carefully successfully"""
)
_BARE_START = rf"^\W*(?:{_INTERJECTION} ){{0,5}}"
_BARE = _pattern(
    rf"{_BARE_START}(?:noted|memori[sz]ed)(?=\W*$|"
    rf" {_any('that with and down for in on as you your it this already now sir boss my too everything')}\b)",
    rf"{_BARE_START}{_any('saved recorded stored logged remembered archived filed registered jotted')}(?=\W*$|"
    rf" {_any('to in into for it that this as under and down away now your on everything already my with')}\b)",
    _BARE_START
    + _any(
        """tucked locked written wrote put added popped stashed scribbled pinned entered placed adding writing putting
        saving noting jotting scribbling storing logging recording"""
    )
    + rf" (?:\S+ ){{0,8}}?(?:down\b|away\b|{_INTO} {_PLACE})",
    rf"{_BARE_START}{_any('saving noting jotting recording storing memori[sz]ing remembering')} (?:it|that|this"
    rf"|your)\b",
    rf"{_BARE_START}(?:committ(?:ed|ing) (?:\S+ ){{0,5}}to memory|locked in\b|(?:made|making) a (?:\w+ )?note"
    rf"|taking (?:a )?notes?\b|taken note\b|mental note made|updated (?:my|your) {_OWN_TEXTS})",
    rf"{_BARE_START}(?:your |new )?(?:memory|memories|profile|notes?|records?|log|{_THINGS})"
    rf" {_any('updated noted remembered logged saved added stored made taken recorded')}\b",
    rf"{_BARE_START}{_any('will gonna going_to shall')} {_ADVERBS}(?:remember|(?:not|never) forget"
    r"|keep (?:it |that |this )?in mind|(?:note|save) (?:it|that|this))\b",
    rf"{_BARE_START}(?:won't|never) forget(?:ting)? (?:it|that|this)\b",
    rf"{_BARE_START}(?:in my (?:memory|notes|notebook)(?: now)?|on (?:the )?record)\W*$",
)
_ACTION = _pattern(  # actions between asterisks
    rf"^\W*(?:(?:\w+ ){{0,3}}and )?(?:{_any('carefully quickly happily eagerly quietly')} )?"
    rf"{_any('writes jots scribbles notes scrawls types saves stores tucks files commits etches records engraves')} "
    rf"(?:it|that|this|your \S+(?: \S+)?|everything|the \S+(?: \S+)?|{QUOTED}+|in)"
    rf"(?: {_any('down away up safely carefully neatly')})*(?=\W*$| {_any('in into to on for and with under')} )",
    r"^\W*(?:takes|makes) (?:a |careful |diligent |quick |little )*(?:mental )?notes?\b",
    r"^\W*(?:scribbles|scribbling|jots|writes)(?: \S+){0,3} (?:down|note|notes|notebook|memory)\b",
)
_FUTURE = _pattern(
    rf"{_I}(?:'ll|'m sure to|'m gonna| {_any('will shall gonna am_going_to promise_to promise_i.ll vow_to swear_to')}"
    rf"|'m going to|'ve got to| promise i will) {_ADVERBS}"
    r"(?:remember\b(?! (?:when|the (?:time|day)) we)"
    r"|(?:not|never) (?:ever )?forget\b(?! (?:the|that) (?:time|day|look|way|face)|,? how we)"
    rf"|keep (?:(?:\S+ ){{1,8}}?in {_PLACE}|(?:a |careful |good )?(?:note|record|track)\b)"
    rf"|bear (?:\S+ ){{1,6}}?in mind"
    rf"|hold (?:on to|onto) (?:it|that|this)|hold (?:it|that|this) (?:dear|close)|make {_NOTE}"
    rf"|take (?:careful |good )?note|note (?:it|this|that down|that you|that your|your|down|{QUOTED})"
    rf"|(?:write|jot|put|get) (?:\S+ ){{1,6}}?down|{_any('save store record log archive memori[sz]e')} {_IT}"
    rf"|{_any('add put write save tuck enter store record keep commit file log')} (?:\S+ ){{1,9}}?{_INTO} {_PLACE}"
    r"|have (?:it|that|this) (?:in mind|noted|saved)|treasure (?:it|that|this)|know (?:it|that) (?:next time"
    r"|from now on)"
    rf"|update (?:my|your) {_OWN_TEXTS}|tuck (?:\S+ ){{1,6}}?away)"
)
_NEVER = _pattern(
    rf"{_I} (?:won't|will not|shan't|could never|can't ever|promise not to|never) (?:ever |be "
    rf"|going to )?forget(?:ting)?\b"
    r"(?! (?:a|the|that|our|how) (?:face|time|day|look|way|we)|,? how we)"
)
_NOW = _pattern(
    rf"(?:{_I}(?:'m| am| are|'re)|\blet me|\blemme|\ballow me to) {_ADVERBS}(?:"
    rf"{_any('writ(?:ing|e) jot(?:ting)? scribbl(?:ing|e) put(?:ting)? get(?:ting)?')} (?:\S+ ){{1,8}}?down\b"
    r"|(?:not|sav|stor|memori[sz]|archiv|record|logg|remember)(?:ing|e)? (?:it|this|your|down|everything"
    rf"|that(?! {_any('there this the it in a some most many')}\b)|{QUOTED})|(?:mak|tak)(?:ing|e) {_NOTE}"
    rf"|(?:add|put|writ|sav|tuck|stor|committ?|keep|fil|enter|log|record)(?:t?ing"
    rf"|e)? (?:\S+ ){{1,9}}?{_INTO} {_PLACE}"
    rf"|updat(?:ing|e) (?:my|your) {_OWN_TEXTS})"
)
_IN_MIND = _pattern(
    r"\bconsider (?:it|that|this|your \S+(?: \S+)?) (?:\w+ )?"
    + _any("noted saved remembered recorded logged memori[sz]ed filed written locked stored committed"),
    rf"\b{_any('is are .s now stored safe stays? living lives? kept saved locked tucked_away')} (?:\w+ ){{0,3}}"
    rf"in (?:my|the) (?:\w+ )?{_any('memory notes notebook diary journal log heart')}\b",
)
_WAYS = (_DONE, _GOT, _IS_KEPT, _BARE, _ACTION, _FUTURE, _NEVER, _NOW, _IN_MIND)
_OF_THINGS = (_DONE, _IS_KEPT, _BARE)  # also used of files, games and other people

_CONDITION = _pattern(
    rf"\b{_any('if unless once whether until till as_soon_as as_long_as in_case whenever provided suppose imagine')}"
    r"\b|\bbefore\b|\bwhen (?:you|the brain|memory|my memory|it is|it's)\b|\bnext time you\b",
    r"\bwith (?:the brain|memory) (?:switched |turned )?on\b",
)
_CONDITION_AFTER = _pattern(
    r"^\W*(?:\w+ ){0,6}\b(?:if|unless|once|as soon as|as long as|provided|when you (?:turn|switch)|only when"
    r"|but only)\b",
    r"\b(?:if you|unless you|once you|as soon as you|when you turn)\b",
    rf"\b{_any('in for during within throughout while until_the_end_of only_in just_for only_for')}"
    rf" (?:the rest of )?{_any('this our the_current the')} (?:\w+ )?{_any('chat conversation session tab talk')}\b",
    r"\bwhile we (?:talk|chat)\b|\bfor (?:now|the moment) only\b",
)
_DOUBT_BEFORE = _pattern(
    r"\b"
    + _any(
        r"""not \w+n't never no nothing nobody without cannot wish hope hoping as what everything anything
        something things
        whatever which whether if how who where why like than doubt unsure sure claim claimed say said saying says
        pretend
        would could should might may ask asked wonder forgot failed unable think thought sworn when while after until
        the_(?:\w+_)?(?:notes?|entry|entries|ones?|thing|file|list|bit|part|time|day|version)"""
    )
    + r"(?: (?:that|to|if|whether|all))? $"
)
_LONG_AGO = _pattern(
    rf"\blast {_any('week month year night time spring summer autumn fall winter')}\b|\blast \w+day\b|\byesterday\b",
    r"\b(?:hours|days?|weeks?|months?|years?) ago\b|\bback (?:then|in|when)\b|\bthe other day\b|\bused to\b|\bonce\b",
    r"\bwhen (?:we|you) (?:first|were|told|met)\b|\b(?:earlier|previously|before|a while ago|long ago)\b",
    rf"\bin {_any('january february march april may june july august september october november december')}\b",
    r"\bthat (?:day|night|time)\b",
)
_OTHERS_THINGS = _pattern(
    r"\b"
    + _any(
        """files? documents? games? changes drafts? pictures? photos? village world princess money energy code
        progress
        settings town day planet work essay pages? video app checkpoint config project spreadsheet screenshot seat
        slice
        cookie scores? words? story data table server system script function ship account typos?
        mistakes? issues? problems? errors?"""
    )
    + r"\b"
)
_ON_DISK = _pattern(
    r"^ (?:locally|automatically|encrypted|in (?:plain|files?))\b",
    r"^ on (?:your|this|the) (?:computer|disk|machine|device|phone|laptop|drive)\b",
)


def claims_in_english(clause: Clause) -> bool:
    """Whether the clause claims that something was or will be remembered."""
    return not clause.asks and any(
        _is_claim_in_english(clause, match, way) for way in _WAYS if (match := way.search(clause.text)) is not None
    )


def _is_claim_in_english(clause: Clause, match: re.Match[str], way: re.Pattern[str]) -> bool:
    before, words, after = clause.text[: match.start()], match.group(), clause.text[match.end() :]
    if _CONDITION.search(clause.before) or _CONDITION.search(before) or _DOUBT_BEFORE.search(before):
        return False
    if _CONDITION_AFTER.search(after + clause.after) or _ON_DISK.search(after):
        return False
    if way in (*_OF_THINGS, _GOT) and _LONG_AGO.search(clause.text):
        return False
    if way in _OF_THINGS and "memory" not in clause.text.lower():
        return not _OTHERS_THINGS.search(words.replace("on file", "") + after[:40])
    return True


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
        _is_claim_in_chinese(text, match, clause, pattern)
        for pattern in _PATTERNS
        for match in pattern.finditer(text)
    )


def _is_claim_in_chinese(text: str, match: re.Match[str], clause: Clause, pattern: re.Pattern[str]) -> bool:
    before = _COMFORT.sub("", text[: match.start()])
    words, after = match.group(), text[match.end() :]
    earlier, later = to_simplified(clause.before), to_simplified(clause.after)
    if before.endswith("的") and pattern is _ZH_NOTED:  # a noun phrase: "what was noted"
        return False
    if pattern is _ZH_NOTED and not _CONFIRMED.search(words) and not _BARE_END.search(f"{earlier}{before}"[-12:]):
        return False
    if _ZH_CONDITION.search(before) or _ZH_CONDITION.search(earlier) or _ZH_CONDITION_AFTER.search(later):
        return False
    if _HERE_ONLY.search(text) or _RELATIVE.search(after) or _FINDINGS.search(after):
        return False
    if _NOT.search(before) or _NOT.search(_NOT_FORGET.sub("", words)) or _MODAL.search(before):
        return False
    if pattern is not _WILL and _ZH_LONG_AGO.search(before):
        return False
    if (
        pattern in (_FILED, _ALREADY, _ZH_NOTED)
        and not re.search(r"记", words)
        and _ZH_OTHERS_THINGS.search(earlier[-30:] + text)
    ):
        return False
    return not _is_about_others(before)


def _is_about_others(before: str) -> bool:
    """Whether the subject is someone other than the pet: the last one named, unless only in passing."""
    rest = _FOR_YOU.sub("", before)
    named = list(_SUBJECT.finditer(rest))
    return bool(named) and named[-1]["you"] is not None and "的" not in rest[named[-1].end() :]


_LONGEST_QUOTE = 400
_LANGUAGES = ((ENGLISH_HINT, claims_in_english), (CHINESE_HINT, claims_in_chinese))


def find_claim(reply: str) -> str | None:
    """Return the first sentence claiming that something was or will be remembered; or None."""
    for sentence in sentences(reply):
        checks = [claims for hint, claims in _LANGUAGES if hint.search(sentence.text)]
        if not checks:
            continue
        for clause in clauses(sentence):
            if any(claims(clause) for claims in checks):
                return _quote(reply, sentence, clause)
    return None


def _quote(reply: str, sentence: Sentence, clause: Clause) -> str:
    """Return the sentence as written, or only the clause if the sentence is very long."""
    if sentence.end - sentence.start <= _LONGEST_QUOTE:
        return reply[sentence.start : sentence.end].strip()
    return reply[clause.start : clause.end].strip()
