"""Detect questions and requests in what was said, and what a message asks to be told about; pure.

Patterns and words are in ``data/asking.json`` and ``data/asking_words.txt``, for all languages together.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pet.language import has_row, match_row, pattern_rows, read_words
from pet.language.normalization import to_simplified
from pet.language.tokens import ENGLISH, has_cjk, is_stopword_query, prior_frequency, query_tokens, tokenize

_ROWS = "asking.json"
_WORDS = read_words("asking_words.txt") | ENGLISH
_LONGEST = 80  # characters of a message that asks for one thing
_MOST_WORDS = 3  # of the answer wanted
_LONGEST_ASKED = 2_000  # characters of a message with several questions
_MOST_PARTS = 4
_MOST_NAMES = 2  # of answers that have to be a name: "Aunt Rhona?"
_USUAL = 0.01  # share of notes with a word that names nothing by itself

_SENTENCE = re.compile(r"(?:[^.!?。！？…\n]|[.!?](?=[^\s\"'”’)]))+[.!?。！？…\"'”’)]*")
_MARK = re.compile(r"[?？][\s\"'”’)!！.…]*$")
_LATIN = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*|\d+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]+")
_PARTICLES = "的了过都还把对吗呢吧啊呀嘛请那这是有"
_I = frozenset(("我", "自己", "我自己", "本人", "我本人"))
_I_KNOW = re.compile(r"(?<!对)我[^你的对]{0,2}(?:知道|记得|记住|了解|认识)")
_INDEFINITE = re.compile(r"\b(?:[Aa]n?|[Ss]ome|[Aa]nother|[Uu]na?) (?P<what>[^\W\d_A-Z][\w'-]*)")
_I_AT_FIRST = re.compile("^我们?的?")
_NAME = re.compile(
    "[小老阿大][\u4e00-\u9fff]|[\u4e00-\u9fff]{1,3}(?:老师|师傅|医生|阿姨|叔叔|[哥姐弟妹叔姨婶伯爷奶爸妈总])"
    "|[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦许何吕张孔曹严华金魏陶姜谢邹章苏潘葛范彭郎鲁韦马苗方俞任袁柳唐薛雷贺倪汤滕罗毕郝邬安常乐傅"
    "康伍余顾孟黄穆萧尹姚邵汪祁毛戴宋庞熊纪项祝董梁杜蓝闵席季贾江童颜郭梅盛林钟徐邱骆高夏蔡田樊胡凌霍万管卢莫房邓程陆翁侯段龙叶白崔谭申]"
    "[\u4e00-\u9fff]{1,2}"
)
_MINE = re.compile(r"\b(?:my|our|mis?|nuestr[oa]s?)\b")
_OWNER = re.compile(
    r"(?<!tell )(?<!give )(?<!show )(?<!help )(?<!remind )(?<!how do )(?<!how can )(?<!how would )"
    r"\b(?:i|me|my|mine|myself|we|us|our)\b|(?<![给诉跟帮])(?:我|咱)"
    r"|\b(?:yo|m[ií]s?|nuestr[oa]s?|puedo|debo|tengo|soy|estoy)\b"
)
_YOURS = re.compile(r"\b(?:your(?:self)?|tuyos?)\b|你自己")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The subject of a question.

    ``tokens``: of the thing or person; empty if it is the owner. ``owner``: the owner, or a thing of the owner's.
    ``named``: asked for as one asks about the weather, so it has to be written as a name in the notes: "how is ana?".
    """

    tokens: frozenset[str]
    owner: bool = False
    named: bool = False


def statements_of(text: str) -> str:
    """Return the sentences of a text that are no questions or requests.

    >>> statements_of("I am allergic to shellfish. What can I eat?")
    'I am allergic to shellfish.'
    """
    return " ".join(each for each in _sentences(text) if not _asks(each))


def _sentences(text: str) -> Iterator[str]:
    for match in _SENTENCE.finditer(text):
        if sentence := match[0].strip():
            yield sentence


def _asks(sentence: str) -> bool:
    plain = _plain(sentence).rstrip(" .!。！…").lstrip(" -*>¿¡\"'")
    if _MARK.search(sentence):
        return True
    return any(match_row(_ROWS, kind, plain) for kind in ("question", "request"))


def asks_of(kind: str, text: str) -> bool:
    """Return whether a row of ``data/asking.json`` of this kind is found in a text, which is simplified.

    >>> asks_of("when", "Since when?"), asks_of("several", "which books"), asks_of("now", "什么时候")
    (True, True, False)
    """
    return has_row(_ROWS, kind, text)


def question_parts(text: str) -> list[str]:
    """Return the questions in a message that asks several, each for itself; none for another.

    >>> question_parts("When is the concert, and what do I sing?"), question_parts("What do I sing?")
    (['When is the concert', 'what do I sing'], [])
    """
    (between,) = pattern_rows(_ROWS)["between_parts"]
    every = [part for each in between.split(text[:_LONGEST_ASKED]) if (part := each.strip(" ,，"))]
    parts = [part for part in every if asks_of("asks_itself", part)]
    return parts if 1 < len(parts) <= _MOST_PARTS else []


def without_introduction(text: str) -> str:
    """Return a question without polite words before it; all of it if nothing else follows."""
    text = text.strip()
    aside = match_row(_ROWS, "aside", text)
    return (text[aside.end() :] if aside else "") or text


def named_pages(question: str, count: int) -> list[int]:
    """Return the pages of a document of ``count`` pages that a question names.

    >>> named_pages("Compare page 3 and 第 280 页", 312), named_pages("What do 3 people do?", 312)
    ([3, 280], [])
    """
    numbers = [int(match[1]) for row in pattern_rows(_ROWS)["page"] for match in row.finditer(question)]
    return [page for page in dict.fromkeys(numbers) if 1 <= page <= count]


def concerns_owner(text: str) -> bool:
    """Return whether a message speaks of the owner: "is it safe for me?".

    >>> concerns_owner("Tell me why cats purr")
    False
    """
    return _OWNER.search(_plain(text)) is not None


def naming_tokens(tokens: Iterable[str]) -> list[str]:
    """Return the tokens that belong to what a question is about, not to how it asks."""
    return [token for token in tokens if not is_stopword_query(token) and token not in _asking_stems()]


@cache
def _asking_stems() -> frozenset[str]:
    return frozenset(token for word in _WORDS for token in tokenize(word))


def is_question_word(token: str) -> bool:
    """Return whether a token belongs to the words of questions, in English, Chinese or Spanish."""
    return is_stopword_query(token) or token in _asking_stems()


def find_subject(text: str) -> Subject | None:
    """Return what a message asks to be told about, if it asks for nothing else; None for other messages.

    >>> find_subject("What do you know about Femi?")
    Subject(tokens=frozenset({'femi'}), owner=False, named=False)
    >>> find_subject("Write a poem about Femi")
    """
    plain = _plain(text)
    if len(plain) > _LONGEST or _YOURS.search(plain):
        return None
    asks = has_row(_ROWS, "about", plain)
    names = _chinese_names(plain)
    if has_row(_ROWS, "owner", plain) or (names and asks and _I.issuperset(names) and not _I_KNOW.search(plain)):
        return Subject(tokens=frozenset(), owner=True)
    own = bool(names) and names[0].startswith("我")
    names = [_I_AT_FIRST.sub("", name) for name in names if name not in _I]
    words = [word for word in _LATIN.findall(_CHINESE.sub(" ", plain)) if word.removesuffix("'s") not in _WORDS]
    indefinite = {match["what"] for match in _INDEFINITE.finditer(text)}
    if not 0 < len(names) + len(words) <= _MOST_WORDS or len(names) > 1 or not indefinite.isdisjoint(words):
        return None
    own = asks if own else has_row(_ROWS, "own_things", plain)
    named = not asks and not own
    if named and not _may_be_name(plain, names, words):
        return None
    named = named and not names and not _written_as_names(words, text)
    tokens = frozenset(query_tokens(" ".join((*names, *words))))
    if not names:  # of "my brother Femi" the name
        usual = frozenset(token for token in tokens if prior_frequency(token) >= _USUAL)
        tokens = tokens - usual or (tokens if _MINE.search(plain) else usual - tokens)
    return Subject(tokens=tokens, owner=own, named=named) if tokens else None


def are_names(tokens: Collection[str], texts: Iterable[str]) -> bool:
    """Return whether the texts write each token's word with a capital only, and once not as their first word."""
    written: dict[str, list[re.Match[str]]] = {token: [] for token in tokens}
    for text in texts:
        for match in _LATIN.finditer(text):
            for token in tokenize(match[0]):
                written.get(token, []).append(match)
    return all(
        all(match[0][0].isupper() for match in matches)
        and any(match.start() > 1 or match[0].endswith(("'s", "\u2019s")) for match in matches)
        for matches in written.values()
    )


def _chinese_names(plain: str) -> list[str]:
    """Return what is left of the Chinese text without the words that ask."""
    if not has_cjk(plain):
        return []
    (around,) = pattern_rows(_ROWS)["around"]
    runs = _CHINESE.findall(around.sub(" ", plain))
    return [name for run in runs if (name := run.strip(_PARTICLES))]


def _may_be_name(plain: str, names: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the message asks how somebody is, or is a name: "Femi?"."""
    if not names:
        letters = "".join(filter(str.isalnum, plain))
        is_bare = letters == "".join(filter(str.isalnum, "".join(words)))
        return len(words) <= _MOST_NAMES and (is_bare or has_row(_ROWS, "how", plain))
    pairs = [token for token in query_tokens(names[0]) if len(token) == 2]
    is_rare = len(pairs) < _MOST_WORDS and any(prior_frequency(pair) < _USUAL for pair in pairs)
    return has_row(_ROWS, "how", plain) and (is_rare or _NAME.fullmatch(names[0]) is not None)


def _written_as_names(words: Sequence[str], text: str) -> bool:
    """Return whether each word has a capital that is not the sentence's: "How is Ana?"."""
    capitals = {match[0].casefold() for match in _LATIN.finditer(text) if match[0][0].isupper() and match.start() > 1}
    return capitals.issuperset(words)


def _plain(text: str) -> str:
    return to_simplified(unicodedata.normalize("NFKC", text)).casefold().replace("\u2019", "'").strip()
