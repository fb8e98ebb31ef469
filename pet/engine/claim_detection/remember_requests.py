"""Detect requests to remember something ("remember that I …", 记一下). Pure.

Patterns for English and Chinese; excludes questions about what is already known.
"""

from __future__ import annotations

import re

from pet.engine.claim_detection.sentences import sentences
from pet.memory.text.simplify import to_simplified
from pet.text.lazy_pattern import lazy_pattern

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
    r"|track)(?! of time)\b|note (?:that|this|down|it down|to self)\b|note\s*:|take this down|take it down"
    r"|keep (?:(?:it|this|that) )?in mind|bear (?:(?:it|this|that) )?in mind"
    r"|(?:write|jot|put|note) (?:this|that|it|the following|these|my \w+(?: \w+)?) down|write down (?:that|this|my"
    r"|the|these)|jot down"
    r"|(?:save|store|record|log|keep) (?:this|that|it|these|my \w+|the following)(?=\W*$|\W*:| (?:for|to|in|as|please"
    r"|somewhere|down|on record|on file)\b)(?! (?:as a? ?(?:file|pdf|png)|to (?:disk|the disk|a file)|in a file))"
    r"|(?:add|save|put|write|commit|store) (?:\S+ ){1,8}(?:to|in|into) (?:your|the|long[- ]term) (?:memory|notes"
    r"|notebook|log|diary|profile|brain|journal)"
    r"|update (?:your memory|my profile|your notes))",
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
    r"|(?:不要|别|不用|不必|无需|不需要|没必要|不许|千万别)(?:帮我|给我|再|把[^，。]{1,12})?(?:记|存|保存|写)",
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
    r"|(?:别|不要|不许|不准|可别|千万别|千万不要|不可以)(?:再)?(?:忘了|忘记|忘|忘掉)(?:我|这|了|哦|啊|呀|这件|提醒"
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


def asks_to_remember(message: str) -> bool:
    """Whether the message requests that something be remembered."""
    for sentence in sentences(message):
        said = sentence.said[:_LONGEST_REQUEST].strip()
        asked = said + ("?" if sentence.question else "")
        if _NOT_WANTED.search(said):
            continue
        if (_ENGLISH.search(said) or _ENGLISH_INSIDE.search(said)) and not _KNOWN.search(asked):
            return True
        chinese = to_simplified(said)
        if _CHINESE.search(chinese) and not _CHINESE_KNOWN.search(chinese) and not _NOT_WANTED.search(chinese):
            return True
    return False
