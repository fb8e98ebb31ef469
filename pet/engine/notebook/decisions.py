"""What a small model's answer means, and which answers are not acted on. Pure.

Anything that is not exactly one of the six answers is ``None`` (ask once more, then nothing). A correction that
would replace a line it does not resemble, or with words that are nobody's, becomes a note of the owner's own
sentence: nothing is lost, and nothing is invented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pet.engine.claim_detection.remember_requests import asks_to_remember
from pet.engine.notebook.corrections import alike, bare, fits, label, own_sentence, with_value_of, without_lead
from pet.engine.notebook.wishes import is_about_the_pet, renames
from pet.memory.text.smalltalk import is_small_talk
from pet.prompt.notebook import LONGEST_NEW, LONGEST_SOUL, Line, is_shown_whole, parse_answer
from pet.text.lazy_pattern import lazy_pattern

_ALIKE = 0.6
_LITTLE = 0.4
_LONGEST = 400  # characters of a sentence that are looked at
_CLEARLY = 0.2  # by so much another line is more like the new one
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
"""A mood of the moment, or thanks: nothing that lasts."""
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
    r"|(?:por favor,? |puedes |podrías )*(?:olvida(?:te)?(?:lo)?\b(?! de\b.*\bno\b)"
    r"|(?:borra|elimina)(?:lo)? (?:lo que|eso|todo)|haz (?:de cuenta|como si) (?:que )?no"
    r"|no (?:lo )?(?:anotes|apuntes|guardes))",
    re.I,
)
"""To be forgotten, or not to be noted: the program's own acts do that, and never a note."""
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
_TELLS = lazy_pattern(r"(?:i(?:['’](?:ve|m|ll))?|my|we(?:['’](?:ve|re|ll))?|our)\b|我(?!想|要|需要)", re.I)
_WANTS = lazy_pattern(
    r"\b(?:need|want|wonder\w*|looking for|would like|i['’]d like|you|please)\b|[想要]你|需要|帮我|给我|[请你]", re.I
)
_CALL_ME = lazy_pattern(r"\bcalls? me\b|\bmy name\b|叫我|我(?:的名字|叫)|称呼我", re.I)
"""The owner's name, and not the pet's."""
_IN_JEST = lazy_pattern(
    r"\b(?:(?:just|only) (?:kidding|joking|messing|teasing)|kidding!|(?:that was|it was|it's) (?:just )?a joke)\b"
    r"|(?:逗|骗)你(?:的|玩|呢)|开(?:个)?玩笑(?:的|呢|啦)|我瞎说的|说着玩",
    re.I,
)
"""Taken back in the same breath."""


@dataclass(frozen=True, slots=True)
class NothingToNote:
    """``task``: because the model took the message for one."""

    task: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    pass


@dataclass(frozen=True, slots=True)
class Correct:
    """``line``: its place in the numbered list, from 0; ``new`` without a date."""

    line: int
    new: str


@dataclass(frozen=True, slots=True)
class Soul:
    pass


Decision = NothingToNote | Note | Correct | Soul


@dataclass(frozen=True, slots=True)
class SoulChange:
    """``line``: 1-based, of the soul's lines as they were shown."""

    line: int
    how: Literal["replace", "after"]
    new: str


def needs_no_question(message: str) -> bool:
    """Whether there is nothing in the message that could be noted: no model is asked."""
    return not message.strip() or is_small_talk(message) or (_wants_gone(message) and not asks_to_remember(message))


def is_decided(answer: str) -> bool:
    """Whether the beginning of an answer says all: the word, where nothing more follows."""
    return _DECIDED.match(answer) is not None


def read_decision(answer: str, count: int) -> Decision | None:
    """The decision in an answer to the question with so many lines; None for anything else."""
    found = parse_answer(answer if "}" in answer or not is_decided(answer) else answer + "}")
    if found is None:
        return None
    match found.get("is"):
        case "chat" | "question":
            return NothingToNote()
        case "task":
            return NothingToNote(task=True)
        case "fact":
            return Note()
        case "pet":
            return Soul()
        case "change":
            return _correction(found, count)
    return None


def read_soul_change(answer: str, count: int) -> SoulChange | None:
    """The change in an answer about a soul of so many lines; None for anything else."""
    found = parse_answer(answer)
    if found is None:
        return None
    line, how, new = _number(found.get("line"), count), found.get("how"), _one_line(found.get("new"), LONGEST_SOUL)
    if line is None or not new or how not in ("replace", "after"):
        return None
    return SoulChange(line, "replace" if how == "replace" else "after", new)


def settle(decision: Decision | None, message: str, lines: Sequence[Line]) -> Decision:
    """What is done in the end. The owner's explicit wish to have something kept counts more than the model's answer,
    and a plain question or task is never noted."""
    asked = asks_to_remember(message)
    if not asked and _IN_JEST.search(message):
        return NothingToNote()
    if is_about_the_pet(message) and not asked:
        return Soul()
    if isinstance(decision, Note | Correct) and renames(message) and not _only_asks(message):
        return Soul()  # the pet's name, and not a line about its owner's
    match decision:
        case None | NothingToNote():
            told = isinstance(decision, NothingToNote) and decision.task and _tells(message)
            return Note() if asked or told else NothingToNote()
        case Note():
            return Note() if asked or not _only_asks(message) else NothingToNote()
        case Correct():
            return _settled(decision, message, lines) if asked or not _only_asks(message) else NothingToNote()
        case Soul():
            if all(_asks(each) for each in _sentences(message)):
                return NothingToNote()
            own = _CALL_ME.search(message) or _tells(message)  # the owner's name, or what they are like
            return Note() if own and not renames(message) else decision


def _settled(found: Correct, message: str, lines: Sequence[Line]) -> Decision:
    new = bare(found.new)
    named = _meant(found.line, new, lines)
    made = _made(bare(lines[named].text), new, message, own=True) if is_shown_whole(lines[named]) else ""
    if made:
        return Correct(named, made)
    others = [(place, bare(line.text)) for place, line in enumerate(lines) if place != named and is_shown_whole(line)]
    made_of = [(place, _made(old, new, message)) for place, old in others if alike(old, new) >= _LITTLE]
    fitting = [Correct(place, text) for place, text in made_of if text]
    return fitting[0] if len(fitting) == 1 else Note()


def _made(old: str, new: str, message: str, *, own: bool = False) -> str:
    """What stands in place of ``old``: the model's words, the old ones with the message's value, or (``own``) the
    owner's sentence. "" if none of them may."""
    sentence = own_sentence(message) if own and not label(old) else ""
    return next((text for text in (new, with_value_of(old, message), sentence) if fits(old, text, message)), "")


def _meant(named: int, new: str, lines: Sequence[Line]) -> int:
    """The line that a small model means: it writes the new one well, and counts badly."""
    likeness = [alike(bare(line.text), new) for line in lines]
    best = max(range(len(lines)), key=likeness.__getitem__)
    return best if likeness[best] >= _ALIKE and likeness[named] < likeness[best] - _CLEARLY else named


def _correction(found: Mapping[str, object], count: int) -> Correct | None:
    line, new = _number(found.get("line"), count), _one_line(found.get("new"), LONGEST_NEW)
    return Correct(line, new) if line is not None and new else None


def _number(value: object, count: int) -> int | None:
    """A 1-based line as a place from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= count:
        return None
    return value - 1


def _one_line(value: object, longest: int) -> str:
    if not isinstance(value, str) or "\0" in value:
        return ""
    text = " ".join(value.split())
    return text if len(text) <= longest else ""


def _only_asks(message: str) -> bool:
    """Questions, tasks, a mood of the moment, thanks, and nothing besides."""
    return all(
        _QUESTION.search(each) or _asks(each) or _TASK.match(each) or _PASSING.fullmatch(each.rstrip(".!。！~…"))
        for each in _sentences(message)
    )


def _asks(sentence: str) -> bool:
    """Whether it is a question, with or without its mark."""
    return bool(_QUESTION.search(sentence) and _ASKS.match(sentence)) or bool(_UNMARKED.match(sentence))


def _tells(message: str) -> bool:
    """Whether it is a statement of the owner about themselves: nobody gives a task so."""
    told = without_lead(message)
    return bool(_TELLS.match(told)) and not _WANTS.search(told) and not _QUESTION.search(told)


def _sentences(message: str) -> list[str]:
    """Of a very long one its beginning and its last sign: the patterns take quadratic time."""
    said = (each.strip() for each in re.split(r"(?<=[.!?。！？])\s*", message))
    return [each if len(each) <= _LONGEST else each[:_LONGEST] + each[-1] for each in said if each]


def _wants_gone(message: str) -> bool:
    return _FORGET.match(message.strip()) is not None
