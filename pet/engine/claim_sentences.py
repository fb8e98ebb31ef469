"""Split a text into sentences and clauses, and detect requests to remember. Pure.

Code, quotes and Markdown markers are blanked out at the same length, so that offsets refer to the original text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pet.language import pattern_rows
from pet.language.normalization import to_simplified
from pet.memory.reminders import asks_for_reminder
from pet.text.lazy_pattern import lazy_pattern

_LONGEST = 400  # characters of a clause examined as one

_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_FILE = re.compile(r"`((?:memory/)?[A-Za-z0-9_-]{1,20}\.md)`")
_QUOTED = re.compile(
    r"`[^`\n]{1,500}`|\"[^\"\n]{1,500}\"|\u201c[^\u201c\u201d\n]{1,500}\u201d|\u300c[^\u300c\u300d\n]{1,500}\u300d"
    r"|\u300e[^\u300e\u300f\n]{1,500}\u300f|\u300a[^\u300a\u300b\n]{1,100}\u300b"
    r"|(?<![A-Za-z0-9])'[^'\n]{1,300}'(?![A-Za-z])|(?<![A-Za-z0-9])\u2018[^\u2018\u2019\n]{1,300}\u2019(?![A-Za-z])"
)
QUOTED = "\ufffc"  # placeholder for a quote: a token, not white space
_ACTION = re.compile(r"(?<!\*)\*([^*\s]+(?: [^*\s]+){2,30})\*(?!\*)")  # *pads to the window*: a separate clause
_MARKS = str.maketrans(dict.fromkeys("*_#`", " ") | {"\u2019": "'", "\u02bc": "'", "\u3000": " ", "\u00a0": " "})
_SPACE = re.compile(r"\s+")
_SENTENCE_END = re.compile(
    r"(?<![.!?])[.!?]++(?=[\s)\]\"'\u201d\uff09\U0001f000-\U0001faff\u2600-\u27bf]|$)|[\u3002\uff01\uff1f!?]+|\n"
    r"|[\U0001f000-\U0001faff\u2600-\u27bf]+"
)
_CLAUSE_END = re.compile(
    r"[,;:()\[\]|\uff0c\uff1b\uff1a\u3001\uff08\uff09\u3010\u3011\u2014\u2013\u2026~\uff5e]|\s-\s|\.\.+"
    r"|\s[xX^=>]\S{1,4}$"
    r"|\bbut\b|\u4f46\u662f|\u4e0d\u8fc7",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """``text``: the blanked text, same length as the original from ``start`` to ``end``."""

    start: int
    end: int
    text: str
    question: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """Part of a sentence, with the text before and after it."""

    start: int  # offset in the whole text
    end: int
    text: str  # white space collapsed to single spaces
    before: str
    after: str
    asks: bool  # this clause ends with the question mark


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences in order."""
    blanked = _blanked(text)
    start = 0
    for mark in _SENTENCE_END.finditer(blanked):
        if mark.end() > start:
            yield from _sentence(blanked, start, mark.end(), mark.group())
        start = mark.end()
    yield from _sentence(blanked, start, len(blanked), "")


def clauses(sentence: Sentence) -> Iterator[Clause]:
    """Yield the clauses of a sentence; very long ones in pieces."""
    blanked = sentence.text
    cuts = [0, *(mark.end() for mark in _CLAUSE_END.finditer(blanked)), len(blanked)]
    for start, end in itertools.pairwise(cuts):
        if blanked[start:end].strip():
            asks = sentence.question and not blanked[end:].strip(" ?\uff1f!\uff01\n")
            for at in range(start, end, _LONGEST):
                to = min(end, at + _LONGEST)
                yield Clause(
                    start=sentence.start + at,
                    end=sentence.start + to,
                    text=_SPACE.sub(" ", blanked[at:to]).strip(),
                    before=blanked[max(0, at - _LONGEST) : at],
                    after=blanked[to : to + _LONGEST],
                    asks=asks,
                )


def _sentence(blanked: str, start: int, end: int, mark: str) -> Iterator[Sentence]:
    if blanked[start:end].strip():
        question = "?" in mark or "\uff1f" in mark
        yield Sentence(start=start, end=end, text=blanked[start:end], question=question)


def _blanked(text: str) -> str:
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or fence == mark[1]):
            fence = "" if fence else mark[1]
            lines.append(" " * len(line))
        elif fence or line.lstrip(" \t").startswith(">"):
            lines.append(" " * len(line))
        else:
            lines.append(line)
    text = _FILE.sub(lambda name: f" {name[1]} ", "\n".join(lines))
    text = _ACTION.sub(r";\1;", text)
    text = _QUOTED.sub(lambda quoted: QUOTED * len(quoted[0]), text)
    return text.translate(_MARKS)


_LONGEST_REQUEST = 300  # characters examined per sentence

_OPENING = (
    r"(?:(?:hey|hi|hello|ok|okay|please|pls|plz|kindly|and|also|oh|so|btw|from now on|from today on|by the way|now"
    r"|just|well|then|yes|no|remember|always|do|but|can you|could you|would you|will you|can u|i want you to"
    r"|i need you to|i'd like you to|i would like you to"
    r"|i'd love (?:for )?you to|want you to"
    r"|you should|you must|you have to|you need to|you can|you may|you'd better|try to|make sure (?:to|you|that you)"
    r"|be sure to|let's|for later|for the future|important"
    r"|for next time|for future reference|one more thing|thanks|mochi|kitty|dear|buddy|hint"
    r"|\w{2,12}(?=,))[ ,:!\u2014-]{1,3}){0,6}"
)
_ENGLISH = lazy_pattern(
    rf"^\W*{_OPENING}(?:"
    r"(?:remember|memori[sz]e|don'?t (?:ever )?forget|never forget)"
    r"(?!(?:\W+(?:when|how|what|who|where|why|which|the (?:time|day|night|song|one|way|first|last|movie|film)|me\W*$"
    r"|us\W*$|him|her|them|anything|if|our (?:first|trip|last)|we (?:talked|were|went|had)|to (?:breathe|drink|eat"
    r"|smile|have fun))\b)|\W*\?)"
    r"|(?:make|take|keep) (?:a |me a |yourself a |another )?(?:mental |quick |short )?(?:note|record"
    r"|track)(?! of time)\b|note (?:that|this|it down|to self)\b|note down\b"
    r"(?! (?:an?|some|any|two|three|four|five|six|ten|\d+)"
    r" (?:\w+ )?(?:ideas?|names?|tips?|examples?|reasons?|words?|options?"
    r"|questions?|suggestions?)\b)|note\s*:|take this down|take it down"
    r"|keep (?:(?:it|this|that) )?in mind|bear (?:(?:it|this|that) )?in mind"
    r"|(?:write|jot|put|note) (?:this|that|it|the following|these|my \w+(?: \w+)?) down|write down (?:that|this|my"
    r"|the|these)|jot down\b(?! (?:a few|some|any)\b)"
    r"|(?:save|store|record|log|keep) (?:this|that|it|these|my \w+|the following)(?=\W*$|\W*:| (?:for|to|in|as|please"
    r"|somewhere|down|on record|on file)\b)(?! (?:as a? ?(?:file|pdf|png)|to (?:disk|the disk|a file)|in a file))"
    r"|(?:add|save|put|write|commit|store) (?:\S+ ){1,8}(?:to|in|into) (?:your|the|long[- ]term) (?:memory|notes"
    r"|notebook|log|diary|profile|brain|journal)"
    r"|update (?:your memory|my profile|your notes)"
    r"|would you mind (?:remembering|noting|saving|keeping|writing down|making a note)\b)",
    re.IGNORECASE,
)
_ENGLISH_INSIDE = lazy_pattern(
    r"\b(?:please|can you|could you|would you|will you|i want you to|i need you to|i'd like you to|just|so|and"
    r"|but) (?:please )?(?:also )?"
    r"(?:remember (?:that|this|it|my|i\b|i'm|to call)|make a note|note (?:that|this|it) down|write (?:this|that"
    r"|it) down|save (?:this|that|it) (?:for|to)|keep (?:this|that|it) in mind|memori[sz]e (?:this|that|it|my)"
    r"|don'?t forget (?:that|it|this|my))",
    re.IGNORECASE,
)
_KNOWN = lazy_pattern(
    r"\b(?:do|did|does|don't|can't|didn't) (?:you|u)(?: (?:still|even|ever|also|really|happen to))* (?:remember|note"
    r"|recall|save|write|forget|memori[sz]e|keep)\b"
    r"|\b(?:can|could|will|would) you (?:even |still |ever |actually |really )?(?:remember|recall"
    r"|memori[sz]e)(?: (?:what|when|who|how|where|which|anything|things|everything|stuff|me|us))?\W*\?"
    r"|\b(?:can|could|will|would) you (?:even |still |actually |really )?(?:remember|recall) (?:what|when|who|how"
    r"|where|which|anything|things|the time|our|me\b)"
    r"|\bhow (?:do|can|could|should|to)\b",
    re.IGNORECASE,
)
_NOT_WANTED = lazy_pattern(
    r"\b(?:don't|do not|never|no need to|needn't|stop) (?:(?:try to|have to|need to|ever) )?(?:remember|note|save"
    r"|write|store|keep|record|memori[sz]e|log|jot)"
    r"|(?:不要|别|不用|不必|无需|不需要|没必要|不许|千万别)(?:帮我|给我|再|[把往在][^，。]{1,12})?(?:记|存|保存|写|放[进到])",
    re.IGNORECASE,
)
_CHINESE = lazy_pattern(
    r"(?:帮我|替我|给我|请你?|麻烦你?|你要?|您要?|要|能不能|可以|可不可以|能|以后|一定要|务必|千万要?|好好|先"
    r"|把[^，。？]{1,24}|将[^，。？]{1,24}|^|[，。,：:！! 啊呀吧])"
    r"(?:也|都|先|再|帮我|给我|替我|请你?|你)?(?:记住|记一下|记下来|记下|记好|记牢|记着|记一笔|记录一下|记录下来"
    r"|做个?笔记|备忘一下|备注一下|牢记|谨记|记个|保存一下|存一下|存下来|保存下来|(?:记|写|存|加|放|保存|添加)(?:到"
    r"|进|入)(?:你的|你|我的)?(?:长期)?(?:记忆|日志|笔记|小本|档案|资料|备忘|脑子|脑袋|心里|MEMORY|USER))"
    r"|(?:^|[，。！!,：: ]|你|你要|一定要|要|请|千万|务必|麻烦|以后|今后|下次)记得(?=我(?!们(?:一起|那|上|去|以|曾"
    r"|第))|以后|下次|提醒|叫我|喊我|明天|后天|下周|周|每|到时|要提醒|[，,：:]|这|要叫)"
    r"|(?:别|不要|不许|不准|可别|千万别|千万不要|不可以)(?:再)?(?:忘了|忘记|忘|忘掉)(?:我|这|了|啦|哦|啊|呀|这件|提醒"
    r"|[，,！!。~～]|$)"
    r"|记在(?:你的)?(?:心里|脑子里|小本|日志|记忆)"
)
_CHINESE_KNOWN = lazy_pattern(
    r"还记得|记不记得|记得.{0,40}[吗么]|是否记得|记(?:住|下|下来|好|牢|着|录)?了?(?:没有?|没)\W*$|记(?:住|下|下来|好"
    r"|牢|着)了[吗么吧]|(?<!帮我)(?<!给我)记(?:住|下来"
    r"|下|得住)?了?(?:多少|什么|哪些|谁|几)|怎么(?:样|才能|能)?.{0,12}记|如何.{0,12}记"
    r"|(?<![帮给替让叫])(?:我|他|她|它|妈妈|老师|大家|我们|咱们|她们|他们)(?:也|都|已经|刚刚|刚|还|会|要|得|必须|应该"
    r"|想|总是|老是|一直|根本|怎么都|又|才|就|终于)*(?:没|不)?(?:能)?(?:记|背)"
)


_SPANISH = lazy_pattern(
    r"^\W*(?:(?:por favor|oye|vale|ok|y|pero|también|ahora|pues|puedes|podrías|podés|quiero que|te importa(?:ría)?"
    r"|necesito que)[ ,]+){0,4}"
    r"(?:recuerd[ae]|recordar|acuérdate de|acordarte de|anot[ae]|anotar|apunt[ae]|apuntar|guard[ae]|guardar|memoriza"
    r"|memorizar|no (?:te )?olvides|que no se te olvide|ten en cuenta|toma nota|tomar nota)(?:lo|me|te|la)?\b"
    r"(?! (?:cuando|cómo|qué|quién|dónde|cuál|la vez|el día|silencio|la calma|las formas|rencor|el archivo"
    r"|el documento)\b)",
    re.IGNORECASE,
)
_SPANISH_NOT_WANTED = lazy_pattern(
    r"\bno (?:l[oa]s? |me )?(?:anotes|apuntes|guardes|recuerdes|memorices)\b", re.IGNORECASE
)
_WRITES_INTO_A_FILE = lazy_pattern(
    r"\b(?:put|add|save|write) .{1,200}\b(?:in|into|to) (?:USER|MEMORY)\.md\b", re.IGNORECASE
)


def asks_to_write(message: str) -> bool:
    """Whether the message requests that something be remembered, written into a file, or brought up later.

    >>> asks_to_write("Remind me at five"), asks_to_write("Anota que soy vegano"), asks_to_write("I like tea")
    (True, True, False)
    """
    if asks_to_remember(message):
        return True
    texts = (each.text[:_LONGEST_REQUEST] for each in sentences(message))
    return any(asks_for_reminder(text) or _WRITES_INTO_A_FILE.search(text) for text in texts)


WISHES = "wishes.json"
"""Rows of a pattern with a message that it matches and one that it does not, by kind; Spanish alone for ``pet``."""


def asks_to_remember(message: str) -> bool:
    """Whether the message requests that something be remembered."""
    for sentence in sentences(message):
        text = sentence.text[:_LONGEST_REQUEST].strip()
        marked = text + ("?" if sentence.question else "")
        if _NOT_WANTED.search(text):
            continue
        if (_ENGLISH.search(text) or _ENGLISH_INSIDE.search(text)) and not _KNOWN.search(marked):
            return True
        if _SPANISH.search(text) and not _SPANISH_NOT_WANTED.search(text):
            return True
        chinese = to_simplified(text)
        if any(row.search(chinese) for row in pattern_rows(WISHES)["remember"]) and not _KNOWN.search(marked):
            return True
        if _CHINESE.search(chinese) and not _CHINESE_KNOWN.search(chinese) and not _NOT_WANTED.search(chinese):
            return True
    return False


_LONGEST_FACT = 1_000  # characters; the patterns take quadratic time
_INNER_END = re.compile(r"[.!?。！？].")


def stated_fact(message: str) -> str:
    """Return the fact that the message asks to remember, as a full sentence; any other message unchanged.

    >>> stated_fact("Remember that my dog is called Biscuit."), stated_fact("I have a dog.")
    ('My dog is called Biscuit.', 'I have a dog.')
    """
    text = re.sub(r"^[\W_]+", "", message.replace("\u2019", "'").strip())
    if len(text) > _LONGEST_FACT:
        return message
    for row in pattern_rows(WISHES)["fact"]:
        if match := row.match(text):
            fact: str = match[1].strip()
            if fact.endswith(("?", "？")) and not _INNER_END.search(fact):
                fact = fact[:-1]  # the request was the question
            return fact[:1].upper() + fact[1:]
    return message
