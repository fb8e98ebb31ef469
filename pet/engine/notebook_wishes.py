"""Recognise wishes that a small model's turn acts on: how the pet is to be, its name, and what to forget. Pure.

Patterns of messages that assert nothing, and of wishes, are data, with a message that each matches and
one that it does not:
``pet/language/data/unasserted.json`` and ``wishes.json``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pet.engine.claim_sentences import WISHES, asks_to_remember
from pet.engine.notebook_corrections import bare, naming_words
from pet.language import pattern_rows
from pet.prompt.small_model_prompts import Line
from pet.text.lazy_pattern import lazy_pattern

_LONGEST_WISH = 1_000  # characters examined of a message: the patterns take quadratic time
_LEAD = (
    r"(?:(?:please|pls|hey|ok|okay|and|but|also|maybe|just|haha|could you|can you|would you|will you|can we|you can"
    r"|you could|you should|you may|you need to|i want you to|i(?:'d| would) like (?:it if you|you to)"
    r"|i(?:'d| would) (?:love|prefer)(?: it)?(?: if)? you(?: to)?|i wish you|i need you to"
    r"|it(?:'d| would) be (?:nice|great|lovely|good|cool) if you|from (?:now|today|here)(?: on)?|in (?:the )?future"
    r"|when(?:ever)? (?:you|we) (?:talk|speak|answer|reply|chat)(?: (?:to|with) me)?|next time|always|try to|let's"
    r"|feel free to|start|stay)[ ,]+)*"
)
_MANNER = (
    r"(?:short|brief|concise|long|simpl|slow|soft|loud|quiet|gentl|kind|warm|nice|sweet|polite|formal|casual|serious"
    r"|sill|funn|humou?r|play|cheek|sass|sarcas|witt|dry|direct|blunt|honest|bold|shy|calm|energetic|cheer|enthusias"
    r"|patient|detail|chatt|talkative|relaxed|laid|plain|childish|grown|mysterious|romantic|dramatic|poetic|friend"
    r"|strict|encourag|clear|natural|elaborate|terse|grump|mischiev|affection|wordy)\w*"
)
_REPLIES = r"your (?:answers?|replies|reply|messages?|responses?|sentences?|tone|texts)"
_FADS = (
    r"(?:emoji|emoticon|smiley|exclamation|jok|pun|slang|nickname|capital|all caps|bullet|baby talk|sarcas|apolog"
    r"|kaomoji|cliche|metaphor|rhyme|hashtag|swear|formal|polite|serious|long[- ]winded|flatter|small talk|filler"
    r"|abbreviation|rambl|lectur|repeat yourself|interrupt)\w*"
)
_LATER = r"(?! (?:later|back|tomorrow|tonight|when|at|on|if|soon|again|in)\b)"
_ENGLISH = lazy_pattern(
    rf"{_LEAD}(?:"
    rf"(?:be|sound|act|become|were|seem)(?: (?:a (?:little|bit|lot|tad|touch)|much|way|far|even|slightly|somewhat))?"
    rf" (?:(?:more|less|not (?:so|as)) [a-z-]+|(?:too |so )?{_MANNER}er\b)"
    rf"|(?:don'?t|do not|stop) (?:be|being|act|acting|sound|sounding) (?:so |too |that |quite so )?{_MANNER}"
    rf"|(?:speak|talk|write|answer|reply|respond|chat|phrase things)(?: (?:to|with) me)?"
    rf"(?: (?:in|with|using|like|an?|as|bit|little|lot|much|more|less|fewer|so|too|very|not)){{0,5}} {_MANNER}"
    rf"|(?:talk|speak|act|behave|sound|answer|reply) (?:to me )?(?:a (?:little|bit) )?(?:more |less )?like an? \w+"
    rf"|(?:keep|make) {_REPLIES} (?:\w+ ){{0,3}}?{_MANNER}(?: from now| in future|[.!~]*$| please| when)"
    rf"|(?:could |can |should )?{_REPLIES}\b[^?.]{{0,25}}\b(?:(?:too|more|less) {_MANNER}|{_MANNER}er\b)"
    rf"|(?:don'?t|do not|stop|no more|quit|drop|skip|avoid|lose|cut|less|fewer|use (?:fewer|less|more|no)|never use"
    rf"|leave out|go easy on|enough(?: with| of)?)(?: (?:out|using|use|with|making|sending|so|much|all|the|those"
    rf"|these|your|that|any|of|being|too|quite|many)){{0,5}} {_FADS}"
    rf"|(?:call yourself|rename you|change your name|give you a (?:new )?name)\b"
    rf"|your (?:new )?name (?:is|shall|will|should)\b"
    rf"|(?:i(?:'ll|'m going to| will| want to| shall|'d like to)|we(?:'ll| will)|(?:can|may) i) (?:call|name"
    rf"|rename) you{_LATER}"
    rf"|you(?:'re| are) (?:now )?called\b)"
    rf"|(?:from (?:now|today)(?: on)?|now),? (?:you(?:'re|'ll be| are| will be)|be) (?:called|named|an?) ",
    re.I,
)
_MANNER_ZH = "说话|讲话|回答|回复|答复|回话|回我|语气|口气|聊天|跟我说|对我说|措辞|你的话"
_HOW_ZH = (
    "活泼|温柔|幽默|俏皮|毒舌|可爱|正经|严肃|随意|随便|热情|冷静|冷淡|高冷|成熟|调皮|耐心|直接|坦率|客气|正式|礼貌"
    "|啰嗦|罗嗦|主动|大胆|搞笑|轻松|亲切|傲娇|幼稚|乐观|文艺|体贴|霸气|甜|软|萌|关心|陪陪|鼓励|话"
)
_LENGTH_ZH = "简短|简洁|简单|精简|详细|短|长|慢|快|自然|口语"
_FADS_ZH = "表情|emoji|感叹号|颜文字|敬语|网络用语|脏话|双关|冷笑话|口头禅|废话|客套|撒娇|卖萌|啰嗦|客气"
_END_ZH = r"(?:一点|点儿?|一些|些)"
_CHINESE = lazy_pattern(
    r"(?:(?:哎呀?|哈哈|嗯|请|麻烦|拜托|希望|我想|我要|我希望|想让|想要|让|以后|今后|从现在起|从今天起|从今以后"
    r"|从现在开始|下次|能不能"
    r"|可不可以|可以|能|要|你|就|都|也|最好|尽量|还是|那|平时|一直)[，, ]?)*(?:"
    rf"(?:{_MANNER_ZH})(?:的时候|时|得|要|可以|能不能|能|再|更|你|请|尽量|都|给|我|就|太|别|不要|那么|不用|[，, ])*"
    rf"(?:{_HOW_ZH}|{_LENGTH_ZH})"
    r"|(?:少|多|别|不要|不用|停止|不许|减少)(?:老是|总是|总|老|再|一直|动不动就?|太|用|说|发|讲|加|带|打|来"
    r"|那么|这么|多|点|一点|一些|些)*"
    rf"(?:{_FADS_ZH})"
    rf"|(?:再|更|变得?|少|多|稍微|别那么|别这么|不要那么|不要这么|别太|不要太|表现得|显得)+(?:{_HOW_ZH})"
    rf"|(?:{_HOW_ZH})(?:再)?(?:少|多)?{_END_ZH}(?:嘛|吧|啊|呀|哦|好吗|好不好|好么|行吗|可以吗|[，,。！!~～？?]|$)"
    r"|(?:就叫|的?名字(?:是|叫|改成|换成|就叫))(?!我)[^，。我什啥]{1,8}[吧啦了。！!]"
    r"|(?:别|不要)(?:再|老是|总是|老|总|一直|动不动就?|一口一个)[^，。]{0,8}叫我"
    r"|[给为帮]你(?:改|换|起|取)[^，。]{0,4}名|叫你(?!什么|啥|起|帮|来|去|别)[^，。？]{1,6}(?:吧|好了|啦|[。！!]|$))"
    r"|(?:从现在起|从现在开始|从今天起|从今以后|以后|今后)[，, ]?你就?(?:是|当|做|变成|叫)",
    re.I,
)
_NAMING = lazy_pattern(
    r"\b(?:call|name|rename) you\b|\byour (?:new )?name\b|[给为帮]你[^，。]{0,4}名|你以后就?叫"
    r"|你的?名字(?:以后|就|还是)*(?:是|叫|改|换)|\bte (?:llamas|llamarás|voy a llamar|llamaré)\b"
    r"|\btu (?:nuevo )?nombre\b"
    r"|\bllámate\b",
    re.I,
)
_NEW_NAME = lazy_pattern(
    r"\b(?:your (?:new )?name (?:is|shall be|will be|should be)(?: now)?|(?:change|set) your name to"
    r"|(?:call|name) you|rename you(?: to)?|call yourself|you(?:'re| are) (?:now )?(?:called|named))"
    r" [\"\u201c']?((?-i:[^\W\d_a-z])[\w'-]{0,30})"
    r"|(?:te (?:llamas|llamarás|voy a llamar|llamaré)|tu (?:nuevo )?nombre (?:es|será|va a ser)|puedo llamarte"
    r"|llámate)"
    r" [\"\u201c\u00ab']?((?-i:[^\W\d_a-z])[\w'-]{0,30})"
    r"|(?:(?:你的?名字|你名)(?:以后|从此|就|还是|现在)*(?:是|叫做?|改成|改为|换成|改叫)|[给为帮]你(?:改|换|起|取)个?[^，。]{0,2}名字?[叫为成]?"
    r"|你(?:以后|从此|就|现在)+叫|叫你)[\u201c\u300c\"]?([^\s\W\d_]{1,6}?)(?=[吧啦了呀啊好可]|[\W\s]|$)",
    re.I,
)
"""The name itself; one in small letters is no name but a word (\"call you later\")."""
_BESIDES = lazy_pattern(
    r"[:：]|\b(?:what|who|where|when|why|how|which)(?:'s| is| are| do| does| did| can| should)\b.*\?"
    r"|(?:什么|怎么|谁|哪)[^，。]*[?？]$",
    re.I,
)
"""A further request: the wish is for this one answer."""


def is_about_the_pet(message: str) -> bool:
    """Whether a sentence of the message is a wish about the pet's character, manner or name."""
    text = message.replace("’", "'").strip()[:_LONGEST_WISH]
    if _BESIDES.search(text) and not _NAMING.search(text):
        return False
    sentences = [each for each in re.split(r"(?<=[.!?。！？])\s*", text) if each]
    clauses = re.findall(rf"[，,]\s*((?:{_MANNER_ZH}).*)", text)
    return any(_ENGLISH.match(each) or _CHINESE.match(each) or wishes("pet", each) for each in (*sentences, *clauses))


def renames(message: str) -> bool:
    """Whether the message gives the pet another name."""
    return _NAMING.search(message) is not None


def new_name(message: str) -> str | None:
    """Return the name that the message gives the pet; None if it gives none, or only requests one."""
    match = _NEW_NAME.search(message.replace("\u2019", "'")[:_LONGEST_WISH])
    return next((group for group in match.groups() if group), None) if match else None


def wants_forgetting(message: str) -> bool:
    """Whether the message requests that something noted be erased.

    >>> wants_forgetting("Forget what I said about tea."), wants_forgetting("Don't forget my tea.")
    (True, False)
    """
    return wishes("forget", message) and not asks_to_remember(message)


def wants_no_note(message: str) -> bool:
    """Whether the message requests that it not be noted."""
    return wishes("unnoted", message) and not asks_to_remember(message)


def wishes(kind: str, message: str) -> bool:
    """Whether the message matches a row of this kind in ``wishes.json`` from its beginning."""
    text = re.sub(r"^[\W_]+", "", message.replace("\u2019", "'"))[:_LONGEST_WISH]
    return any(pattern.match(text) for pattern in pattern_rows(WISHES)[kind])


_LAST = lazy_pattern(
    r"\b(?:(?:what|that|everything) i (?:just )?(?:said|told|wrote)(?: just now)?|(?:forget|scratch|strike) that"
    r"|take (?:that|it) back)\b(?! about)|(?:刚才|刚刚)|当我没[说讲提]|忘了(?:吧|它|这|那)"
    r"|\b(?:lo que acabo de|eso|lo dicho)\b",
    re.I,
)
_ABOUT_NOTES = frozenset(
    re.findall(
        r"\w+",
        "forget delete erase remove wipe scrub clear mention mentioned said say told tell know note notes everything"
        " anything pretend scratch please ignore memory remember olvida olvidate olvídate borra borrar elimina sabes"
        " conté conte dije dicho nota todo",
    )
) | {*"忘掉删除记录说过提刚才别算收回抹清"}
"""Words of the wish itself."""


def forget_query(message: str, lines: Sequence[Line], last: str) -> str:
    """Return the text to search for when the message requests forgetting: its words in the notes that fit best, or
    the whole of the best note; "" if none fits. ``last``: the owner's previous message, which "that" refers to."""
    words = {word for word in naming_words(message) if word not in _ABOUT_NOTES}
    texts = [bare(line.text) for line in lines]
    of = [naming_words(text) & words for text in texts]
    shared: set[str] = set().union(*of)
    weights = {word: 1 / sum(word in each for each in of) for word in shared}
    scores = [sum(weights[word] for word in each) for each in of]
    best = max(scores, default=0.0)
    if best:
        fitting = [text for text, score in zip(texts, scores, strict=True) if score == best]
        return _common_text(message, fitting) or fitting[0]
    sentence = " ".join(last.split())
    return sentence if _LAST.search(message) and sentence and any(bare(sentence) in text for text in texts) else ""


def _common_text(message: str, texts: Sequence[str]) -> str:
    """Return the longest run of words (in Chinese of characters) of the message that is in all ``texts`` and begins
    and ends with a content word; "" without one."""
    word = r"[^\W_\u3400-\u9fff]+"
    pieces: list[str] = re.findall(rf"[\u3400-\u9fff]|{word}(?:['\u2019-]{word})*", message)
    for count in range(min(8, len(pieces)), 0, -1):
        for start in range(len(pieces) - count + 1):
            run = pieces[start : start + count]
            text = run[0] + "".join(f" {each}" if each[0].isascii() or len(each) > 1 else each for each in run[1:])
            is_content = all(naming_words(each) - _ABOUT_NOTES for each in (run[0], run[-1]))
            if is_content and len(text) > 1 and all(text.casefold() in each.casefold() for each in texts):
                return text
    return ""
