"""Decide whether a line of the notes may be replaced, and by which words. Pure.

An extra note loses nothing; a wrongly replaced line loses a fact. A correction is carried out only if all of this
holds, and becomes a note otherwise:

- the message says that something changed, as a fact: no wish, plan, condition, memory of the past, or addition;
- it is about the same person as the line;
- it is about the same matter: most of the line stays, or both are of one topic;
- the new words are the owner's, and hold what is new in the message.

English, Chinese and Spanish.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from pet.language import pattern_rows
from pet.language.mentions import kin_rows
from pet.language.tokens import is_cjk, is_stopword_query, tokenize
from pet.memory.daily_log import strip_owner
from pet.memory.shrink_plan import without_mark
from pet.prompt.small_model_prompts import LONGEST_NEW
from pet.text.lazy_pattern import lazy_pattern

_DATE = lazy_pattern(r"\s*[(（]\s*(?:as of |since )?\d{4}-\d{2}-\d{2}\s*[)）]")
_KEPT = 0.5  # share of the old line's words that a new one keeps

_PAST = lazy_pattern(
    r"\b(?:used to|back then|as a (?:child|kid|boy|girl)|when i was|years ago|once)\b|以前|曾经|小时候|当年|那时",
    re.I,
)
_NOW = lazy_pattern(r"\b(?:now|no longer|any ?more|these days|ahora)\b|现在|如今|不再", re.I)
_INSTEAD = lazy_pattern(
    r"\b(?:instead|sold|traded|swapped|replaced|quit|left|moved|gave up|en vez|vendí|vendido|cambiado|mud\w+)\b"
    r"|[搬换卖辞]|不[^，。]{0,8}了",
    re.I,
)
_NOT = lazy_pattern(r"\b(?:not|no|never|no longer|ya no|\w+n['’]t|can['’]t|cannot|quit|stopped)\b|[不没戒]", re.I)
_NEW_STATE = lazy_pattern(
    r"\b(?:moved|changed|switched|now|instead|bought|started)\b|搬[到去来进]|[改换转调变][成到为去]|现在|租了|买了",
    re.I,
)
_PARTICIPLE = r"\w+(?:ado|ido|icho|echo|uelto|uesto|isto)\b"
_SOMEONE = lazy_pattern(rf"^(?:he(?! {_PARTICIPLE})|she|his|her|él|ella)\b|^(?:他|她)", re.I)
_LEAD = lazy_pattern(
    r"^(?:(?:oh|so|well|actually|by the way|btw|hey|hi|ok|okay|right|just so you know|fyi|turns out|it turns out|and"
    r"|but|guess what|news|update|good news|bad news|(?:small |quick |one )?correction|perdona|oye|por cierto"
    r"|(?:perdona,? )?me equivoqué|i was wrong)\b[\s,:!.]*|更正(?:一下)?[，,：:\s]*|我说错了[，,：:\s]*"
    r"|(?:其实|对了|跟你说(?:个事|件事)?|告诉你|那个"
    r"|哦|嗯|唉|啊"
    r"|现在|最近|今天|昨天|上周|今年)[，,：:\s！!]*)+",
    re.I,
)
CHANGES = "changes.json"
"""Rows of a pattern by what a message says, in English, Spanish and Chinese. Of the world: ``changed``, that
something is no longer as it was; ``uncertain``, a wish, plan, condition, addition, joke or temporary state, which
leaves a line true; ``one_more``, something new, which leaves it true unless the message says what it replaces. Of a
line: ``stopped`` doing what it says, with nothing added but for how long (the group is the verb), ``parted`` with the
named thing in it, ``gave_up`` what it is about."""
_PLACE = lazy_pattern(r"\b(?:in|at|near|to|from|en|de|desde) [A-ZÀ-Þ][\w-]+")
COMPANION = lazy_pattern(
    r"\b(?:with|con) (?:my|our|his|her|their|mi|su|el|la) [\w-]+"
    r"|[跟和](?:我|他|她)?[^，。跟和住去]{1,4}(?=住|一起|去)",
    re.I,
)
"""Somebody besides the person whom the message is about."""
_ANYBODY = lazy_pattern(
    r"^(?:it|it['’]s|they|they['’]\w+|this|that|there|someone|somebody|everybody|everyone|people|no more)\b", re.I
)

_PERSONS = tuple(
    lazy_pattern(
        rf"\b(?:my|our|his|her|their|mi|\w+['’]s)\s+(?:[\w-]+\s+){{0,2}}?(?:{latin})\b|(?<![当做成名])(?:{han})",
        re.I,
    )
    for latin, han in kin_rows()
)
"""Persons and animals: in English and Spanish after a possessive, in Chinese unless as a job."""
NAMES = lazy_pattern(r"\b(?!I\b|I['’])[A-ZÀ-Þ][\w'’-]*")
_BESIDE = lazy_pattern(
    r"\b(?:[Mm]y|[Oo]ur|[Mm]i)\s+(?:[a-z-]+\s+){1,3}?(?:(?:is )?(?:called|named)\s+)?"
    r"(?:(?:Mrs?|Ms|Dr)\.?\s+)?([A-ZÀ-Þ][\w-]+)"
)
_CALLED = lazy_pattern(r"叫(?:做|作)?([^\s，。,.（(！!]{1,4})")
VALUES = lazy_pattern(
    r"\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|first|second|third|fourth|fifth|sixth"
    r"|seventh|eighth|ninth|tenth|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b"
    r"|周[一二三四五六日天]|星期[一二三四五六日天]|[一二两三四五六七八九十]+(?=[岁楼月号日年点])",
    re.I,
)
"""Numbers and days, the most frequent subjects of a correction."""
_DATE_WORDS = (
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september"
    r"|october|november|december|appointment)\b|\b(?:\d+ may|may \d+)\b|\b\d+(?:st|nd|rd|th)\b"
)
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_MESES = "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
WEEKDAYS = (
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)\b"
    r"|(?:周|星期|礼拜)[一二三四五六日天]"
)
VALUE_KINDS = (
    lazy_pattern(r"[一二两三四五六七八九十\d]+岁"),
    lazy_pattern(r"[一二三四五六七八九十\d]+月(?:[一二三四五六七八九十\d]+[日号])?"),
    lazy_pattern(r"[一二两三四五六七八九十\d]+(?:楼|年级)"),
    lazy_pattern(
        rf"\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{_MONTH})\b|\b(?:{_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?\b", re.I
    ),
    lazy_pattern(r"\b\w+(?= years? old\b)|(?<=\bturned )\w+|(?<=\bturns )\w+", re.I),
    lazy_pattern(r"\b\w+(?= floor\b)", re.I),
    lazy_pattern(rf"\b\d{{1,2}} de (?:{_MESES})\b", re.I),
    lazy_pattern(r"\b\w+(?= años\b)", re.I),
    lazy_pattern(r"\d[\d.,]*(?=\s?(?:euros?|€|pounds?|quid|dollars?|bucks|pesos|元|块))", re.I),
    lazy_pattern(rf"{WEEKDAYS}", re.I),
    lazy_pattern(
        r"(?:\b(?:lives?|living|moved|relocated|vive|vivo|vivimos|mudado|mudó|mudamos) (?:to|in|en|a) )"
        r"(?-i:([A-ZÀ-Þ][\w'-]*(?: [A-ZÀ-Þ][\w'-]*)*))|(?:住在?|搬[到去])([^\s，。了去来住的跟和]{1,6})",
        re.I,
    ),
)
"""Values that occur at most once in a line; a group is the value alone."""
_AMOUNT = lazy_pattern(r"\d[\d.,]*\d|\d")
_NEW_AMOUNT = lazy_pattern(
    r"(?:\b(?:up|down|raised|lowered|sub\w+|baj\w+)\b[^,.;]{0,30}? (?:to|a) "
    r"|[涨降]到了?)(?:[£$€¥] ?)?(\d[\d.,]*\d|\d)",
    re.I,
)
_JOB_ENDS = "(?:ora?|er[oa]|ista|ante|ente|ógraf[oa]|ic[oa])"
_TOPICS = (
    (
        r"\b(?:live[sd]?|living|moved?|flat|house|apartment|floor|rent\w*|viv\w+|mud\w+|piso|alquil\w+)\b",
        "住|搬|租|楼",
    ),
    (
        rf"\b(?:work\w*|job|shifts?|employed|hired|quit|trabaj\w+|empleo|soy (?:una? )?\w+{_JOB_ENDS})\b",
        "上班|工作|[做当].{0,6}[师员生士家]|跳槽|辞职|转行",
    ),
    (
        r"\b(?:study|studying|studies|thesis|major|graduat\w+|estudi\w+)\b|\bin year\b|\bgrade\b",
        "年级|专业|读|毕业|研究生",
    ),
    (r"\bold\b|\bturned (?:\d+|[a-z]+)\b|\bbirthday\b", "岁"),
    (_DATE_WORDS, r"(?:周|星期)[一二三四五六日天]|月.{0,3}[号日]|点钟"),
    (r"\bname[ds]?\b|\bcalls?\b|\bcalled\b", "叫|名|称呼"),
    (r"\b(?:drink\w*|coffee|tea)\b", "喝"),
)
SUBJECTS = tuple(lazy_pattern(f"{latin}|{han}", re.I) for latin, han in _TOPICS)
_HOME, _DATES, _DRINK = 0, 4, 6  # places among the topics
_MANY = lazy_pattern(
    r"\b(?:allerg\w*|likes?|loves?|hates?|enjoys?|stand|afraid|speaks?|plays?|owns?|gusta\w*|odi\w+|alérg\w*)\b"
    r"|过敏|(?<!最)喜欢|(?<!最)爱|讨厌|怕|会|不吃",
    re.I,
)
"""Things an owner may have several of: another one is no change."""


_SHORTEST_CLAUSE = 4
_SPANISH_STOP = frozenset(
    re.findall(
        r"\w+",
        "el la los las un una unos unas de del al en que se me te le lo les nos mi mis tu tus su sus es con por para",
    )
)
"""Spanish words that no line is about; the search's own lists are of English and Chinese."""
_WHEN = lazy_pattern(
    rf"{_DATE_WORDS}|\b(?:every|each|at|on) \w+day\b|每?(?:周|星期|礼拜)[一二三四五六日天末]"
    rf"|[\d一二三四五六七八九十]+[月号日点]"
    r"|[早晚][上间]|[上下中]午|\d+",
    re.I,
)
_SUBJECT_I = lazy_pattern(
    rf"\bhe (?={_PARTICIPLE})"
    r"|\b(?:i|i['’]\w+|we|we['’]\w+|yo|me|soy|estoy|tengo|pago|vivo|trabajo|voy|hago|toco|estudio)\b"
    r"|(?:^|[，。,]\s*|现在|其实|昨天|今天|最近)[我咱]",
    re.I,
)
_RENAMED = lazy_pattern(r"\brenamed?\b|\bnew name\b|改名|改叫", re.I)
_ABOUT_ME = lazy_pattern(r"\b(?:i|me|my|mi|yo)\b|[我咱]", re.I)
_OF_MINE = lazy_pattern(r"(?:my|our|the|a|an|mi|el|la)\b", re.I)
NAME_LABEL = lazy_pattern(r"(?:full |first |my )?name|(?:主人的?)?(?:名字|姓名)|nombre", re.I)
_NAME_WORD = lazy_pattern(r"\bname\b|名字|改名|姓|nombre", re.I)


def fits(old: str, new: str, message: str) -> bool:
    """Whether ``new`` may replace the line ``old``. Both without list mark, owner and date."""
    old, new, message = _plain(old), _plain(new), _plain(message)
    before, after, stated = naming_words(old), naming_words(new), naming_words(message)
    return (
        bool(new)
        and not same(old, new)
        and _is_change(message)
        and about_the_same(old, before, message)
        and _of_one_matter(old, new, message)
        and _owners_words(before, after, stated, old, new, message)
        and persons(old) <= persons(new)
    )


def own_sentence(message: str) -> str:
    """Return the message as a line of the notes; "" if it is too long, or a question."""
    sentence = without_lead(" ".join(message.split()))
    return sentence.rstrip(".。!！") if len(sentence) <= LONGEST_NEW and not re.search(r"[?？]", sentence) else ""


def with_value_of(old: str, message: str) -> str:
    """Return the old line with the message's age, date or floor; "" unless both hold exactly one."""
    for kind in VALUE_KINDS:
        mine, theirs = [*kind.finditer(old)], [*kind.finditer(message)]
        if len(mine) == len(theirs) == 1:
            start, end = mine[0].span(mine[0].lastindex or 0)
            made = old[:start] + theirs[0][theirs[0].lastindex or 0] + old[end:]
            # Another time in the message may be the news as well.
            return made if all(time[0] in made for time in _WHEN.finditer(message)) else ""
    amounts, amount = [*_AMOUNT.finditer(old)], _NEW_AMOUNT.search(message)
    if amount and len(amounts) == 1:
        return old[: amounts[0].start()] + amount[1] + old[amounts[0].end() :]
    return ""


def introduced(sentence: str, old: str) -> str:
    """Return the sentence with a name at its beginning as the line ``old`` introduces it.

    >>> introduced("Tom left Oslo", "my brother Tom lives in Oslo")
    'my brother Tom left Oslo'
    """
    known = _BESIDE.match(old)
    return known[0] + sentence[len(known[1]) :] if known and re.match(rf"{known[1]}\b", sentence) else sentence


def message_clauses(message: str) -> list[str]:
    """Return the parts between commas of a message of several, each as a separate statement."""
    parts = [part.strip() for part in re.split(r"[，,;；。.!！]\s*", message)]
    return [part for part in parts if len(part) > _SHORTEST_CLAUSE] if sum(map(bool, parts)) > 1 else []


def has_own_subject(clause: str, old: str) -> bool:
    """Whether a part of a message names what the line is about, and no person."""
    return bool(_first_words(clause) & naming_words(old)) and not persons(clause)


def is_uncertain(message: str) -> bool:
    return bool(_hits("uncertain", message))


def fitting_lines(texts: Sequence[str], message: str) -> list[int]:
    """Return the places of the texts that share words with the message, best first: rare words count more."""
    words = naming_words(message)
    shared = [naming_words(text) & words for text in texts]
    often = Counter(word for each in shared for word in each)
    scores = [sum(1 / often[word] for word in each) for each in shared]
    return sorted((place for place, score in enumerate(scores) if score), key=lambda place: (-scores[place], place))


def shared_matter(old: str, message: str) -> int:
    """Return how many words, other than days and times, a line and a message share."""
    return len(matter(old) & matter(message))


def without_lead(message: str) -> str:
    """Return the message without "by the way", "actually" and the like."""
    return _LEAD.sub("", message.strip()).strip()


def bare(line: str) -> str:
    """Return the line without list mark, "Owner:" and date."""
    return _DATE.sub("", unmarked(line)).strip()


def unmarked(line: str) -> str:
    """Return the line without list mark and "Owner:"."""
    return strip_owner(without_mark(line.strip()))


def label(text: str) -> str:
    """Return the label of a line, "name" for "Name: Ann"; "" if it has none."""
    match = re.match(r"[^:：]{1,40}(?=[:：])", text)
    return match[0].strip().casefold() if match else ""


def alike(one: str, other: str) -> float:
    """Return the similarity of two values, ignoring case (0 to 1)."""
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()


def same(one: str, other: str) -> bool:
    """Whether two values differ at most in case, spaces and punctuation."""

    def plain(text: str) -> str:
        return re.sub(r"[\W_]+", "", text).casefold()

    return plain(one) == plain(other)


def naming_words(text: str) -> frozenset[str]:
    """Return the content words: stems, and single characters of Chinese."""
    return frozenset(_naming_words(text))


def _naming_words(text: str) -> list[str]:
    return [
        token
        for token in tokenize(text)
        if not is_stopword_query(token) and token not in _SPANISH_STOP and (len(token) == 1 or not is_cjk(token))
    ]


def _is_change(message: str) -> bool:
    if is_uncertain(message) or (_PAST.search(message) and not _NOW.search(message)):
        return False
    if _hits("one_more", message) and not (_NOW.search(message) or _INSTEAD.search(message)):
        return False
    return bool(_hits("changed", message))


def about_the_same(old: str, before: frozenset[str], message: str) -> bool:
    """Whether the message and the line are about the same person."""
    text = without_lead(message)
    there, named = persons(old), persons(COMPANION.sub("", message))
    if named - there or _SOMEONE.match(text):
        return False
    if there:
        names, other = _names_in(old), _names_in(text)
        if names and other and not names & other and not _replaced(names, message):
            return False
        return bool(named) or any(name in message.casefold() for name in names)
    if _SUBJECT_I.match(text) or _ANYBODY.match(text) or (label(old) and _ABOUT_ME.search(text)):
        return True
    return bool(_first_words(text) & before) or (_SUBJECT_I.search(text) is not None and not _OF_MINE.match(text))


def _replaced(names: set[str], message: str) -> bool:
    """Whether a person got another name, or was replaced by another."""
    return bool(_RENAMED.search(message)) or any(name in message.casefold() for name in names)


def _of_one_matter(old: str, new: str, message: str) -> bool:
    before, after, stated = matter(old), matter(new), matter(message)
    shared = [place for place, topic in enumerate(SUBJECTS) if topic.search(old) and topic.search(message)]
    about = bool(before & stated)
    if label(old):
        if NAME_LABEL.fullmatch(label(old)):
            name = old[len(label(old)) + 1 :].strip().casefold()
            return bool(_NAME_WORD.search(message)) or name in message.casefold()  # a form of address is no name
        return about or bool(set(shared) - {_DATES, _DRINK})
    if _MANY.search(old) and _DATES not in shared:
        gone = (before - after) & stated or (_NOT.search(new) and not _NOT.search(old))
        return about and bool(gone)
    if _gave_up(old, message):
        return True
    if _HOME in shared and re.search(r"\b(?:live|lives|living|viv\w+)\b|住", old, re.I):
        return True
    kept = len(before & after) / max(1, len(before))
    return about and (kept >= _KEPT or bool(shared) or _same_frame(old, new))


def _gave_up(old: str, message: str) -> bool:
    """Whether the message says only that the line's matter has ended, or by what it was replaced."""
    words = _naming_words(old)
    if any(naming_words(hit[1]) & frozenset(words[:1]) for hit in _hits("stopped", message)):
        return True
    things = naming_words(" ".join(NAMES.findall(_PLACE.sub("", old))))
    if any(naming_words(hit[0]) & things for hit in _hits("parted", message)):
        return True
    return any(naming_words(hit[0]) & frozenset(words) for hit in _hits("gave_up", message))


def _hits(kind: str, message: str) -> list[re.Match[str]]:
    return [hit for pattern in pattern_rows(CHANGES)[kind] if (hit := pattern.search(message))]


def matter(text: str) -> frozenset[str]:
    """Return the words of a line without days and times."""
    return naming_words(_WHEN.sub(" ", text))


def _same_frame(old: str, new: str) -> bool:
    """Whether both begin alike: "My car is …" and "my car is …"."""
    frame = lazy_pattern(r"^((?:my|our) [\w ]{2,30}? (?:is|are)\b|我的?[^是叫在]{1,8}[是叫在])", re.I)
    one, other = frame.match(old), frame.match(new)
    return bool(one and other and one[0].casefold() == other[0].casefold())


def _owners_words(
    before: frozenset[str], after: frozenset[str], stated: frozenset[str], old: str, new: str, message: str
) -> bool:
    """Whether the new words are the owner's and contain what is new in the message."""
    for value in [*NAMES.findall(new), *VALUES.findall(new)]:
        if not naming_words(value) <= before | stated:
            return False
    fresh = after - before
    if fresh and not fresh & stated:
        return False
    if not fresh and not (_NOT.search(new) and not _NOT.search(old)):
        return False
    if _NOT.search(new) and not _NOT.search(old) and _NEW_STATE.search(message) and not _NEW_STATE.search(new):
        return False  # only the old state, although the message states the new one
    news = {value.casefold() for value in _values(message)} - {value.casefold() for value in _values(old)}
    return not news or any(naming_words(value) & after for value in news)


def _plain(text: str) -> str:
    """Return the words with ordinals as numbers: 21 for 21st."""
    return re.sub(r"\b(\d+)(?:st|nd|rd|th)\b", r"\1", text, flags=re.I)


def _values(text: str) -> set[str]:
    names = [match[0] for match in NAMES.finditer(text) if match.start() and text[match.start() - 2] not in ".!?"]
    return {*names, *VALUES.findall(text)}


def persons(text: str) -> frozenset[int]:
    return frozenset(place for place, kin in enumerate(_PERSONS) if kin.search(text))


def _names_in(text: str) -> set[str]:
    """Return names of the owner's people: Tom, not Oslo, in "my brother Tom lives in Oslo"."""
    return {name.casefold() for name in (*_BESIDE.findall(text), *_CALLED.findall(text))}


def _first_words(text: str) -> frozenset[str]:
    """Return the first two content words; in Chinese the first three characters."""
    words = _naming_words(text)
    return frozenset(words[:3] if words and is_cjk(words[0]) else words[:2])
