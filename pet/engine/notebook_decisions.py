"""Interpret a small model's answer about what to note, and decide what is acted on. Pure.

An answer that is not exactly one of the six becomes None. A correction of a line it does not resemble, or with words
that are not the owner's, becomes a note of the owner's own sentence. Wishes about the pet (its name, its manner) lead
to a proposal for SOUL.md, never to a write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pet.engine.claim_sentences import asks_to_remember
from pet.engine.notebook_corrections import alike, bare, fits, label, own_sentence, with_value_of, without_lead
from pet.memory import read_data
from pet.memory.intent import is_small_talk
from pet.prompt.small_model_prompts import LONGEST_NEW, LONGEST_SOUL, Line, is_shown_whole, parse_answer
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
    r"|你的?名字(?:以后|就|还是)*(?:是|叫|改|换)",
    re.I,
)
_NEW_NAME = lazy_pattern(
    r"\b(?:your (?:new )?name (?:is|shall be|will be|should be)(?: now)?|(?:change|set) your name to"
    r"|(?:call|name) you|rename you(?: to)?|call yourself|you(?:'re| are) (?:now )?(?:called|named))"
    r" [\"\u201c']?((?-i:[^\W\d_a-z])[\w'-]{0,30})"
    r"|(?:你的?名字(?:以后|从此|就|还是|现在)*(?:是|叫做?|改成|改为|换成|改叫)|[给为帮]你(?:改|换|起|取)个?[^，。]{0,2}名字?[叫为成]?"
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
    return any(_ENGLISH.match(each) or _CHINESE.match(each) for each in (*sentences, *clauses))


def renames(message: str) -> bool:
    """Whether the message gives the pet another name."""
    return _NAMING.search(message) is not None


def new_name(message: str) -> str | None:
    """Return the name that the message gives the pet; None if it gives none, or only requests one."""
    match = _NEW_NAME.search(message.replace("\u2019", "'")[:_LONGEST_WISH])
    return next((group for group in match.groups() if group), None) if match else None


_ALIKE = 0.6
_LITTLE = 0.4
_LONGEST = 400  # characters examined of a sentence
_CLEARLY = 0.2  # similarity by which another line must exceed the named one
_DECIDED = lazy_pattern(r'\s*\{\s*"is"\s*:\s*"(?:chat|question|task|fact|pet)"')
_QUESTION = lazy_pattern(r"[?？]\s*$")
_TASK = lazy_pattern(
    r"(?:please |can you |could you |would you )*(?:write|compose|translate|explain|summari[sz]e"
    r"|calculate|convert|draw|sing|count|describe|compare|proofread|rewrite|rephrase|spell|define"
    r"|list (?:the|all|some|a|an|my|three|five|ten)|make up|invent|recommend|suggest"
    r"|tell me (?:a|an|about|something|more|how|why|what)|show me (?:a|an|some|how)|help me (?:write"
    r"|choose|decide|find)"
    r"|give me (?:an?(?! break| sec| moment| minute)|some|\w+ (?:ideas|tips|examples|reasons|names|words))"
    r"|name (?:a|an|two|three|four|five|ten|some))\b"
    r"|(?:请|麻烦你?|帮我|给我|替我|你?能不能|可以|能)*"
    r"(?:写|翻译|解释|总结|算|画|唱|编|讲|推荐|列|起)(?:一?[首个段篇句下封些]|几|算)"
    r"|(?:请|麻烦你?|帮我|给我|替我|再|用[^，。！]{1,8})*(?:讲讲|说说"
    r"|(?:翻译|解释|总结|概括|介绍|推荐|润色|改写|列出)[一两二三四五几这那以下《“\"：:])"
    r"|(?:请|麻烦你?|帮我|给我)*把[^，。]{1,40}(?:翻译|翻|改写|缩写|润色|读|念)",
    re.I,
)
_PASSING = lazy_pattern(
    r"(?:brb|gtg|be right back|talk (?:to you )?later|see you(?: later| soon)?|good ?night|got to go)\b.{0,30}|"
    r"(?:先不聊了?啦?|我先走了?|回头聊|等会儿?聊)(?:[，, ].{0,12})?|"
    r"(?:(?:ugh|oh|aw+|hm+|wow)[, !]*)?i(?:'m| am| feel|'m feeling| am feeling)"
    r"(?: (?:so|really|very|a bit|a little|pretty|quite|just|kind of|too))*"
    r" (?:tired|sleepy|bored|hungry|thirsty|sad|happy|nervous|anxious|stressed|exhausted|lonely|grumpy|angry|excited"
    r"|cold|hot|fine|okay|ok|great|good|well|down)(?: (?:right now|today|now|again|tonight|this morning|already))*"
    r"|(?:thanks|thank you|thx|cheers)\b(?:(?!\b(?:i|my|we|our)\b)\D){0,50}"
    r"|(?:[唉哎啊哇]+[，,！!]*)?我?(?:今天|现在|刚才|又|还|真的?|好|很|太|有点儿?|有些|超|特别|挺|觉得)*"
    r"(?:累|困|饿|渴|无聊|难过|伤心|开心|高兴|紧张|焦虑|烦|生气|孤单|兴奋|冷|热)(?:死了|坏了|极了|了|啊|呀|哦"
    r"|呢|得很)*"
    r"|(?:谢谢|多谢|辛苦)(?:(?![我明后下])[^\d。！？]){0,14}",
    re.I,
)
"""A passing mood, or thanks."""
_FORGET = lazy_pattern(
    r"(?:please |can you |could you |you can |just )*(?:forget\b(?! to\b)"
    r"|(?:delete|erase|remove) (?:the|that|my|this|what|everything)\b"
    r"|(?:wipe|scrub|clear) (?:what|everything|anything)\b"
    r"|never ?mind\b(?: about)? (?:what|that|everything|anything|the (?:thing|bit|part))\b"
    r"|(?:ignore|disregard) (?:what|everything|anything|the (?:thing|bit|part)) i\b"
    r"|(?:don't|do not|no need to) (?:remember|note|write|save|keep|store)\b)"
    r"|(?:请|麻烦你?|帮我|给我|你|可以)*(?:忘掉|忘记(?!告诉|说|带|跟)|忘了(?=我(?:刚才|刚刚|之前|前面|上次|昨天)?(?:说|讲|提|告诉)|刚才|这|那|它|吧)"
    r"|就?当我?没(?:有)?(?:说|讲|提)|别记|不要记|不用记|别写|不要写"
    r"|把[^，。]{1,30}(?:忘了|忘掉|删掉|删了|删除))"
    r"|(?:请|麻烦你?)*(?:删掉|删除|擦掉|抹掉)你?(?:记|写)|(?:刚才|刚刚)(?:那|这)?[句条话件事]*你?(?:别|不要|不用)记"
    r"|[^，。]{1,12}你?别(?:再)?(?:留着|记着)了?"
    r"|(?:por favor,? |puedes |podrías )*(?:olv[ií]da(?:te)?(?:lo)?\b(?! de\b.*\bno\b)"
    r"|(?:borra|elimina)(?:lo)? (?:lo que|eso|todo)|haz (?:de cuenta|como si) (?:que )?no"
    r"|no (?:lo )?(?:anotes|apuntes|guardes))",
    re.I,
)
"""A request to forget, or not to note; other acts of the program do that, never a note."""
_ASKS = lazy_pattern(
    r"(?:what|who|whose|when|where|why|how|which|do you|did you|are you|have you|is your)\b"
    r"|.*(?:什么|谁|哪|几岁|多大)[^，。]*$",
    re.I,
)
_UNMARKED = lazy_pattern(
    r"(?:(?:and|so|hey|ok|hm+|by the way|btw|tell me|remind me|do you know|any idea)[ ,]+)*"
    r"(?:(?:what|who|whose|where|when|why|which|how)(?:['’]s| is| are| was| were| do| does| did| can| could"
    r"| should| would"
    r"| will| have| has| many| much| long| old| far| often| about| come)\b"
    r"|(?:is|are|was|were) (?:it|there|that|this|my|the|your) |(?:do|does|did|should|can|may|shall) (?:i|we"
    r"|they|he|she|my)\b"
    r"|(?:do|did|are|have) you )(?!.*[.!]\s)[^.!]*$"
    r"|(?!.*[。！!])(?:.*(?:吗|么|来着|是不是|有没有|能不能)[?？]?|(?:.*[，, ])?[^，,]*(?:怎么[^，。样]|怎样"
    r"|为什么|为啥|几点|几号|几岁"
    r"|多少|多大|多久|[吃喝穿送买做看去点](?:什么|啥)|哪[里儿个天些年]|谁是|什么时候|什么是|是什么|叫什么|是谁"
    r"|在哪)[^，。]*)$",
    re.I,
)
_SELF_STATEMENT = lazy_pattern(r"(?:i(?:['’](?:ve|m|ll))?|my|we(?:['’](?:ve|re|ll))?|our)\b|我(?!想|要|需要)", re.I)
_WANTS = lazy_pattern(
    r"\b(?:need|want|wonder\w*|looking for|would like|i['’]d like|you|please)\b|[想要]你|需要|帮我|给我|[请你]", re.I
)
_CALL_ME = lazy_pattern(r"\bcalls? me\b|\bmy name\b|叫我|我(?:的名字|叫)|称呼我", re.I)
"""The owner's name, not the pet's."""
_IN_JEST = lazy_pattern(
    r"\b(?:(?:just|only) (?:kidding|joking|messing|teasing)|kidding!|(?:that was|it was|it's) (?:just )?a joke)\b"
    r"|(?:逗|骗)你(?:的|玩|呢)|开(?:个)?玩笑(?:的|呢|啦)|我瞎说的|说着玩",
    re.I,
)
"""Taken back in the same message."""


UNASSERTED = "unasserted.json"
"""Rows of a pattern with a message that it matches and one that it does not, by what they are and language."""


@cache
def _unasserted() -> tuple[re.Pattern[str], tuple[re.Pattern[str], ...]]:
    rows: dict[str, list[dict[str, str]]] = json.loads(read_data(UNASSERTED))
    material = "|".join(row["pattern"] for row in rows.pop("material"))
    others = (re.compile(row["pattern"], re.I) for kind in rows.values() for row in kind)
    return re.compile(material, re.I), tuple(others)


def asserts_nothing(message: str) -> bool:
    """Whether the message is a text to work on, or only hypotheses, jokes, denials and quotes of others.

    >>> asserts_nothing("Imagine I had a crocodile."), asserts_nothing("I have a crocodile.")
    (True, False)
    """
    text = message.replace("\u2019", "'").strip()[:_LONGEST_WISH]
    material, others = _unasserted()
    if material.search(text):
        return True
    whole = any(pattern.search(text) for pattern in others)
    return whole and all(
        _asks(each) or any(pattern.search(each) for pattern in others) for each in _sentences(_closed(text))
    )


def _closed(text: str) -> str:
    """Return the text with a quote's own full stops left out, so that it stays one sentence."""
    return re.sub(r"[.!?。！？]+(?=[\"\u201d\u300d\u00bb])", "", text)


@dataclass(frozen=True, slots=True)
class NothingToNote:
    """No note. ``task``: the model classified the message as a task."""

    task: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    pass


@dataclass(frozen=True, slots=True)
class Correct:
    """Replace a line. ``line``: its 0-based place in the numbered list; ``new`` without a date."""

    line: int
    new: str


@dataclass(frozen=True, slots=True)
class Soul:
    pass


Decision = NothingToNote | Note | Correct | Soul


@dataclass(frozen=True, slots=True)
class SoulChange:
    """A change of one of the soul's lines, in the order shown to the model."""

    line: int
    how: Literal["replace", "after"]
    new: str


def needs_no_question(message: str) -> bool:
    """Whether the message holds nothing to note, so that the question is skipped."""
    return not message.strip() or is_small_talk(message) or (_wants_gone(message) and not asks_to_remember(message))


def is_decided(answer: str) -> bool:
    """Whether the beginning of an answer is decisive: a kind that has no further fields."""
    return _DECIDED.match(answer) is not None


def read_decision(answer: str, count: int) -> Decision | None:
    """Return the decision in an answer to the question with ``count`` lines; None if it is invalid."""
    fields = parse_answer(answer if "}" in answer or not is_decided(answer) else answer + "}")
    if fields is None:
        return None
    match fields.get("is"):
        case "chat" | "question":
            return NothingToNote()
        case "task":
            return NothingToNote(task=True)
        case "fact":
            return Note()
        case "pet":
            return Soul()
        case "change":
            return _correction(fields, count)
    return None


def read_soul_change(answer: str, count: int) -> SoulChange | None:
    """Return the change in an answer about a soul of ``count`` lines; None if it is invalid."""
    fields = parse_answer(answer)
    if fields is None:
        return None
    line, how, new = _number(fields.get("line"), count), fields.get("how"), _one_line(fields.get("new"), LONGEST_SOUL)
    if line is None or not new or how not in ("replace", "after"):
        return None
    return SoulChange(line, "replace" if how == "replace" else "after", new)


def settle(decision: Decision | None, message: str, lines: Sequence[Line]) -> Decision:
    """Return the final decision. The owner's explicit request to remember overrides the model's answer, and a plain
    question or task is never noted."""
    requested = asks_to_remember(message)
    if not requested and _IN_JEST.search(message):
        return NothingToNote()
    if is_about_the_pet(message) and not requested:
        return Soul()
    if not requested and asserts_nothing(message):
        return NothingToNote()
    if isinstance(decision, Note | Correct) and renames(message) and not _only_asks(message):
        return Soul()  # the pet's name, not the owner's
    match decision:
        case None | NothingToNote():
            is_statement = isinstance(decision, NothingToNote) and decision.task and _is_self_statement(message)
            return Note() if requested or is_statement else NothingToNote()
        case Note():
            return Note() if requested or not _only_asks(message) else NothingToNote()
        case Correct():
            return _settled(decision, message, lines) if requested or not _only_asks(message) else NothingToNote()
        case Soul():
            if all(_asks(each) for each in _sentences(message)):
                return NothingToNote()
            own = _CALL_ME.search(message) or _is_self_statement(message)  # the owner's name, or what they are like
            return Note() if own and not renames(message) else decision


def _settled(correction: Correct, message: str, lines: Sequence[Line]) -> Decision:
    new = bare(correction.new)
    named = _meant(correction.line, new, lines)
    replacement = _made(bare(lines[named].text), new, message, own=True) if is_shown_whole(lines[named]) else ""
    if replacement:
        return Correct(named, replacement)
    others = [(place, bare(line.text)) for place, line in enumerate(lines) if place != named and is_shown_whole(line)]
    made_of = [(place, _made(old, new, message)) for place, old in others if alike(old, new) >= _LITTLE]
    fitting = [Correct(place, text) for place, text in made_of if text]
    return fitting[0] if len(fitting) == 1 else Note()


def _made(old: str, new: str, message: str, *, own: bool = False) -> str:
    """Return the replacement of ``old``: the model's words, the old ones with the message's value, or (``own``) the
    owner's sentence; "" if none is allowed."""
    sentence = own_sentence(message) if own and not label(old) else ""
    return next((text for text in (new, with_value_of(old, message), sentence) if fits(old, text, message)), "")


def _meant(named: int, new: str, lines: Sequence[Line]) -> int:
    """Return the place of the line the model means: its new text is more reliable than its number."""
    likeness = [alike(bare(line.text), new) for line in lines]
    best = max(range(len(lines)), key=likeness.__getitem__)
    return best if likeness[best] >= _ALIKE and likeness[named] < likeness[best] - _CLEARLY else named


def _correction(fields: Mapping[str, object], count: int) -> Correct | None:
    line, new = _number(fields.get("line"), count), _one_line(fields.get("new"), LONGEST_NEW)
    return Correct(line, new) if line is not None and new else None


def _number(value: object, count: int) -> int | None:
    """Return a 1-based line number as a 0-based place; None if it is invalid."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= count:
        return None
    return value - 1


def _one_line(value: object, longest: int) -> str:
    if not isinstance(value, str) or "\0" in value:
        return ""
    text = " ".join(value.split())
    return text if len(text) <= longest else ""


def _only_asks(message: str) -> bool:
    """Whether the message holds only questions, tasks, passing moods and thanks."""
    return all(
        _QUESTION.search(each) or _asks(each) or _TASK.match(each) or _PASSING.fullmatch(each.rstrip(".!。！~…"))
        for each in _sentences(message)
    )


def _asks(sentence: str) -> bool:
    """Whether it is a question, with or without a question mark."""
    return bool(_QUESTION.search(sentence) and _ASKS.match(sentence)) or bool(_UNMARKED.match(sentence))


def _is_self_statement(message: str) -> bool:
    """Whether this is a self-statement, not a request."""
    text = without_lead(message)
    return bool(_SELF_STATEMENT.match(text)) and not _WANTS.search(text) and not _QUESTION.search(text)


def _sentences(message: str) -> list[str]:
    """Return the sentences; of a very long one its beginning and its last character, since patterns are quadratic."""
    sentences = (each.strip() for each in re.split(r"(?<=[.!?。！？])\s*", message))
    return [each if len(each) <= _LONGEST else each[:_LONGEST] + each[-1] for each in sentences if each]


def _wants_gone(message: str) -> bool:
    return _FORGET.match(message.strip()) is not None
