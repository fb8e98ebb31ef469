"""What a small model's answer means, and which answers are not acted on. Pure.

Anything that is not exactly one of the six answers is ``None`` (ask once more, then nothing). A correction that
would replace a line it does not resemble, or with words that are nobody's, becomes a note of the owner's own
sentence: nothing is lost, and nothing is invented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from pet.engine.claim_detection.asking import asks_to_remember
from pet.memory.text.smalltalk import is_small_talk
from pet.memory.text.tokenize import is_cjk, is_stopword_query, tokenize
from pet.prompt.notebook import LONGEST_NEW, LONGEST_SOUL, Line, parse

_DATE = re.compile(r"\s*[(（]\s*(?:as of |since )?\d{4}-\d{2}-\d{2}\s*[)）]")
_ALIKE = 0.6
_CLEARLY = 0.2  # by so much another line is more like the new one
_QUESTION = re.compile(r"[?？]\s*$")
_TASK = re.compile(
    r"(?:please |can you |could you |would you )*(?:write|compose|translate|explain|summari[sz]e"
    r"|calculate|convert|draw"
    r"|sing|count|describe|compare|proofread|rewrite|rephrase|spell|define|list (?:the|all|some|a|an"
    r"|my|three|five|ten)|make up|invent|recommend|suggest"
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
_PASSING = re.compile(
    r"(?:(?:ugh|oh|aw+|hm+|wow)[, !]*)?i(?:'m| am| feel|'m feeling| am feeling)"
    r"(?: (?:so|really|very|a bit|a little|pretty|quite|just|kind of|too))*"
    r" (?:tired|sleepy|bored|hungry|thirsty|sad|happy|nervous|anxious|stressed|exhausted|lonely|grumpy|angry|excited"
    r"|cold|hot|fine|okay|ok|great|good|well|down)(?: (?:right now|today|now|again|tonight|this morning|already))*"
    r"|(?:thanks|thank you|thx|cheers)\b(?:(?!\b(?:i|my|we|our)\b)\D){0,50}"
    r"|(?:[唉哎啊哇]+[，,！!]*)?我?(?:今天|现在|刚才|又|还|真的?|好|很|太|有点儿?|有些|超|特别|挺|觉得)*"
    r"(?:累|困|饿|渴|无聊|难过|伤心|开心|高兴|紧张|焦虑|烦|生气|孤单|兴奋|冷|热)(?:死了|坏了|极了|了|啊|呀|哦|呢|得很)*"
    r"|(?:谢谢|多谢|辛苦)(?:(?![我明后下])[^\d。！？]){0,14}",
    re.I,
)
"""A mood of the moment, or thanks: nothing that lasts."""
_FORGET = re.compile(
    r"(?:please |can you |could you |you can )*(?:forget\b(?! to\b)"
    r"|(?:delete|erase|remove) (?:the|that|my|this|what|everything)\b"
    r"|(?:don't|do not|no need to) (?:remember|note|write|save|keep|store)\b)"
    r"|(?:请|麻烦你?|帮我|给我|你|可以)*(?:忘掉|忘记(?!告诉|说|带|跟)|别记|不要记|不用记|别写|不要写"
    r"|把[^，。]{1,30}(?:忘了|忘掉|删掉|删了|删除))",
    re.I,
)
"""To be forgotten, or not to be noted: the program's own acts do that, and never a note."""
_ASKS = re.compile(
    r"(?:what|who|whose|when|where|why|how|which|do you|did you|are you|have you|is your)\b"
    r"|.*(?:什么|谁|哪|几岁|多大)[^，。]*$",
    re.I,
)
_CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|instead|actually|these days|nowadays|moved|changed|switched|swapped|turned|quit"
    r"|stopped|gave up|given up|sold|postponed|not|used to|\w+n['’]t)\b"
    r"|[改换搬升戒辞满]|现在|如今|不再|不[^，。]{0,8}了|其实|已经|推迟|提前|取消|变成|不是",
    re.I,
)
"""Says that something is not as it was."""
_RENAMES = re.compile(
    r"\b(?:call|name|rename) you\b|\byour (?:new )?name\b|[给为帮]你[^，。]{0,4}名|你以后就?叫", re.I
)
"""Gives the pet another name."""


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


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


Decision = Nothing | Note | Correct | Soul


@dataclass(frozen=True, slots=True)
class SoulChange:
    line: int
    how: Literal["replace", "after"]
    new: str


def needs_no_question(message: str) -> bool:
    """Whether there is nothing in the message that could be noted: no model is asked."""
    return not message.strip() or is_small_talk(message) or (_wants_gone(message) and not asks_to_remember(message))


def read_decision(answer: str, count: int) -> Decision | None:
    """The decision in an answer to the question with so many lines; None for anything else."""
    found = parse(answer)
    if found is None:
        return None
    match found.get("is"):
        case "chat" | "question" | "task":
            return Nothing()
        case "fact":
            return Note()
        case "pet":
            return Soul()
        case "change":
            return _correction(found, count)
    return None


def read_soul_change(answer: str, count: int) -> SoulChange | None:
    found = parse(answer)
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
    if isinstance(decision, Note | Correct) and _RENAMES.search(message) and not _only_asks(message):
        return Soul()  # the pet's name, and not a line about its owner's
    match decision:
        case None | Nothing():
            return Note() if asked else Nothing()
        case Note():
            return Note() if asked or not _only_asks(message) else Nothing()
        case Correct():
            return _settled(decision, message, lines)
        case Soul():
            text = message.strip()
            return Nothing() if _QUESTION.search(text) and _ASKS.match(text) else decision


def bare(line: str) -> str:
    """A line's words, without list mark, label and date."""
    text = re.sub(r"^[-*+\u2022]\s+", "", line.strip())
    text = re.sub(r"^(?:owner|主人)\s?[:：]\s*", "", text, flags=re.I)
    return _DATE.sub("", text).strip()


def _settled(found: Correct, message: str, lines: Sequence[Line]) -> Decision:
    if _only_asks(message):
        return Nothing()
    new = bare(found.new)
    place = _meant(found.line, new, lines)
    old = bare(lines[place].text)
    before, after, said = words(old), words(new), words(message)
    resembles = bool(before & after) or _label(old) == _label(new) != "" or _alike(old, new) >= _ALIKE
    grounded = bool((after - before) & said) or not after - before  # new words are the owner's
    about = bool(before & said) or _CHANGE.search(message) is not None  # what is only like the line is a fact more
    return Correct(place, new) if resembles and grounded and about and not _same(old, new) else Note()


def _meant(named: int, new: str, lines: Sequence[Line]) -> int:
    """The line that a small model means: it writes the new one well, and counts badly."""
    likeness = [_alike(bare(line.text), new) for line in lines]
    best = max(range(len(lines)), key=likeness.__getitem__)
    return best if likeness[best] >= _ALIKE and likeness[named] < likeness[best] - _CLEARLY else named


def _label(text: str) -> str:
    """What stands before the colon of "Name: Ann"."""
    found = re.match(r"[^:：]{1,40}(?=[:：])", text)
    return found[0].strip().casefold() if found else ""


def _alike(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


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
    found = [each.strip() for each in re.split(r"(?<=[.!?。！？])\s*", message) if each.strip()]
    return all(
        _QUESTION.search(each) or _TASK.match(each) or _PASSING.fullmatch(each.rstrip(".!。！~…")) for each in found
    )


def _wants_gone(message: str) -> bool:
    return _FORGET.match(message.strip()) is not None


def _same(one: str, other: str) -> bool:
    def plain(text: str) -> str:
        return re.sub(r"[\W_]+", "", text).casefold()

    return plain(one) == plain(other)


def words(text: str) -> frozenset[str]:
    """What names something: stems of words, single characters of Chinese."""
    return frozenset(
        token for token in tokenize(text) if not is_stopword_query(token) and (len(token) == 1 or not is_cjk(token))
    )
