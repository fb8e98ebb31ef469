"""Statements of a line that another can contradict: the one value of a matter (a home), a habit and its denial. Pure.

Rows of ``data/single_values.json`` and ``contradictions.json``. Two lines contradict each other only if both name the
one value of the same person and matter, or if one denies what the other states in the same words. "Likes tea" and
"likes coffee" never do. A later note ends a fact only by a row of ``data/endings.json``: a pattern for the fact, and
one for the note that names the same person or thing ("Drives a Volvo", "Sold the Volvo").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache

from pet.language import has_row, pattern_of, pattern_rows, read_rows, read_words, with_names
from pet.language.labels import ended_day, strip_owner
from pet.language.normalization import to_simplified
from pet.language.second_person import looks_spanish
from pet.text.lazy_pattern import lazy_pattern

LONGEST_LINE = 200
"""Characters of a line that is compared."""
_STYLE = lazy_pattern(r"\*\*|__|`")
_STAMP = lazy_pattern(r"(?<!\s)\s*+[(（\[](?:since |as of |desde )?[0-9]{4}-[0-9]{2}-[0-9]{2}[)）\]](?=\W*$)")
_OBJECTS = lazy_pattern(r"\b(?:me|us|him|her|them|he|she|they|his|their)\b", re.I)
_CAPITAL = lazy_pattern(r"\b[A-ZÀ-Þ][\w-]+")
_ALLERGY = lazy_pattern(r"^(?:allerg(?:y|ies|ic)|al[eé]rgic[oa]|alergia)$")
_ENDS = " \t.。!！"
_AGAIN = lazy_pattern(
    r"\b(?:again|now|these days|otra vez|de nuevo|ahora)\b|现在|如今|又(?=能|可以|喝|吃)|能(?=喝|吃)|可以(?=喝|吃)"
)
_NOW_LAST = lazy_pattern(r"\s(?:from now on|now|nowadays|these days|instead|again|ahora)$|[了啦]$", re.I)
_FEW_WORDS = 2
_JOINED = lazy_pattern(r"[,;]|\b(?:and|or|but|than|y|o|e|pero)\b", re.I)
_PREPOSITION = lazy_pattern(r"\b(?=(?:at|as|to|of|in|on|for|with|from|de|del|en|al|con|por)\s)", re.I)


@dataclass(frozen=True, slots=True)
class OneValue:
    """The statement of a line: of whom and what (``matter``), and which value. ``may_be_two``: one may have several,
    so that a later line changes it only if it says so (``is_new``)."""

    matter: tuple[str, str, str]
    value: str
    may_be_two: bool = field(default=False, repr=False)
    is_new: bool = field(default=False, repr=False)

    def changes(self, older: OneValue) -> bool:
        """Return whether this, said later, can't hold beside an older one."""
        if self.matter != older.matter or _agree(self.value, older.value):
            return False
        return self.is_new or not (self.may_be_two or older.may_be_two)


_ROWS = "contradictions.json"


def ended_on(text: str) -> date | None:
    """Return the day until which a line held, by the owner's answer; None for one that holds.

    >>> ended_on("Trains for a marathon (until 2026-11-26)")
    datetime.date(2026, 11, 26)
    """
    match = ended_day(text[-60:])
    try:
        return date.fromisoformat(match["day"]) if match else None
    except ValueError:
        return None


def only_ended(new: str, old: str) -> bool:
    """Return whether a line says what it said before, with the day until which it held."""
    mark = ended_day(new) if ended_on(new) else None
    return mark is not None and bare_statement(new[: mark.start()]) == bare_statement(old)


def ended_line(text: str, mark: str) -> str:
    """Return a line with the mark of the day until which it held in place of the day on which it was noted.

    >>> ended_line("Trains for a marathon (2026-03-02).", "(until 2026-11-26)")
    'Trains for a marathon (until 2026-11-26)'
    """
    line = text.rstrip(".。 ")
    return f"{_STAMP.sub('', line) or line}{'' if mark[:1] > chr(0x2E80) else ' '}{mark}"


def claim_of(text: str) -> OneValue | None:
    """Return the one value that a line claims; None for a line of another kind, an open or a past one.

    >>> claim_of("Lives in Oslo (2026-03-01)"), claim_of("My sister lives in Oslo").matter
    (OneValue(matter=('home', '', ''), value='oslo'), ('home', '', 'sister'))
    >>> claim_of("Likes tea"), claim_of("Lived in Oslo"), claim_of("Lives in Oslo and Rome")
    (None, None, None)
    """
    line = bare_statement(text)
    if not line or len(line) > LONGEST_LINE or ended_on(text) or has_row(_ROWS, "open", line):
        return None
    words = _NOW_LAST.sub("", line)
    for kind, patterns in pattern_rows("single_values.json").items():
        match = next((match for pattern in patterns if (match := pattern.fullmatch(words))), None)
        if match is None:
            continue
        groups = match.groupdict()
        value = (
            pattern_of(_ROWS, "tail")
            .sub("", groups.get("value") or groups.get("value2") or "")
            .strip(_ENDS)
            .casefold()
        )
        if not re.search(r"\w", value) or has_row(_ROWS, "several", value):
            return None
        matter = kind.rstrip("?"), _key(groups.get("key") or ""), _subject(groups["who"] or "")
        return OneValue(matter, _NUMBERS.get(value, value), kind.endswith("?"), has_row(_ROWS, "new", line))
    return None


_NUMBERS = {
    word: str(number)
    for number, words in enumerate(
        ("a an one un una 一", "two dos 二 两", "three tres 三", "four cuatro 四", "five cinco 五", "six seis 六"), 1
    )
    for word in words.split()
}


def _key(words: str) -> str:
    """Return what has the value, in the singular."""
    plain = words.strip().casefold().removeprefix("the ")
    return "child" if plain in ("children", "kid") else plain


@dataclass(frozen=True, slots=True)
class Stance:
    """The contradictable statement of a line. ``habit``: its words without a negation, and whether it had
    one."""

    claim: OneValue | None
    habit: tuple[str, bool] | None

    def against(self, other: Stance) -> bool:
        """Return whether both can't hold by themselves, whichever was said later."""
        mine, theirs, yes, no = self.claim, other.claim, self.habit, other.habit
        if mine and theirs:
            return mine.changes(theirs) or theirs.changes(mine)
        return bool(yes and no and yes[0] == no[0] and yes[1] is not no[1])


def stance_of(text: str) -> Stance | None:
    """Return what a line says that another can contradict; None for most lines."""
    stance = Stance(claim_of(text), _denial(text))
    return stance if stance.claim or stance.habit else None


def refutes(new: str, old: str) -> bool:
    """Return whether a new line contradicts an older one, or ends it.

    >>> refutes("Sold the Volvo", "Drives a Volvo"), refutes("Washed the Volvo", "Drives a Volvo")
    (True, False)
    """
    mine, theirs = stance_of(new), stance_of(old)
    if mine and theirs and mine.against(theirs):
        later, older = mine.claim, theirs.claim
        return later is None or older is None or later.changes(older)
    return says_end(bare_statement(new), end_patterns(bare_statement(old)))


def says_the_same(one: str, other: str) -> bool:
    """Return whether two lines surely say the same in other words: about the same people, without another tense,
    number or negation.

    >>> says_the_same("I'm allergic to peanuts", "Has a peanut allergy")
    True
    >>> says_the_same("I lent Ben 5 euros", "Ben lent me 5 euros")
    False
    """
    mine, theirs = bare_statement(one), bare_statement(other)
    if not mine or not theirs or max(len(mine), len(theirs)) > LONGEST_LINE:
        return False
    patterns = pattern_of(_ROWS, "not"), pattern_of(_ROWS, "open"), *(() if looks_spanish(mine) else (_OBJECTS,))
    for pattern in patterns:
        if bool(pattern.search(mine)) is not bool(pattern.search(theirs)):
            return False
    if any(sign > "\u2e80" for sign in mine):
        return bool(_gist(mine)) and _gist(mine) == _gist(theirs)
    words, others = _gist_words(mine), _gist_words(theirs)
    if set(words) != set(others) or not (words == others or _is_reordered(mine, theirs, words)):
        return False
    shared = set(_CAPITAL.findall(mine)) & set(_CAPITAL.findall(theirs))
    in_order = [[name for name in _CAPITAL.findall(line) if name in shared] for line in (mine, theirs)]
    return bool(words) and in_order[0] == in_order[1]


def says_plan(line: str) -> bool:
    """Return whether a line states a plan, or a state of some time: "trains for a marathon"."""
    return has_row(_ROWS, "plan", line)


def _gist(line: str) -> str:
    """Return a Chinese line without the owner and the words between."""
    return re.sub(r"[\W_]+|我们?|用户|主人|你|的|名字|是|叫做?|很|真的|有", "", line).casefold()


def _is_reordered(mine: str, theirs: str, words: Sequence[str]) -> bool:
    """Whether two lines with these words surely say the same in another order: of two words, or of whole phrases in
    one statement ("works as a nurse at the clinic"). "Prefers tea to coffee" is not "prefers coffee to tea"."""
    if len(set(words)) <= _FEW_WORDS:
        return True
    if any(has_row(_ROWS, "not", line) or _JOINED.search(line) for line in (mine, theirs)):
        return False
    return _phrases(mine) == _phrases(theirs)


def _phrases(line: str) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the words before the first preposition, and the phrases that begin with one in a fixed order."""
    first, *others = _PREPOSITION.split(line)
    return _gist_words(first), sorted((each.split()[0].casefold(), *_gist_words(each)) for each in others)


def _gist_words(line: str) -> list[str]:
    """Return what the words of a line have in common with other forms of the same person, number and kind."""
    spanish = looks_spanish(line)
    plain = re.sub(r"(\w)['’](?:s|m|ve|re)\b", r"\1", pattern_of(_ROWS, "not").sub(" ", line.casefold()))
    words = re.findall(r"[^\W_]+", re.sub(r"\b(?:me|te|se) llam(?:o|as|a)\b", " ", plain))
    between = read_words("words_between.txt")
    kept = [_ALLERGY.sub("allerg", each) for each in words if each not in between]
    return [re.sub(r"(?<=\w\w)[oae]$" if spanish else r"(?<=\w\w\w)(?:es|s|e)$", "", each) for each in kept]


def bare_statement(text: str) -> str:
    """Return the line without owner, style, day and end."""
    line = _STAMP.sub("", _STYLE.sub("", strip_owner(" ".join(text.split()))))
    return line.strip(_ENDS)


def _subject(who: str) -> str:
    """Return "" for the owner, else the words that name another."""
    rest = " ".join(pattern_of(_ROWS, "fillers").sub(" ", who.casefold()).strip(" ,，:：").split())
    if pattern_of(_ROWS, "owner").fullmatch(rest):
        return ""
    mine = pattern_of(_ROWS, "owner").match(rest)
    left = rest[mine.end() :].lstrip(" 的") if mine else ""
    return left if mine and left and (mine[0][-1] > "\u2e80" or rest[mine.end()] == " ") else rest


def _agree(one: str, other: str) -> bool:
    """Whether one value says no more than the other: the same words, or a part of them."""
    mine, theirs = re.sub(r"[\W_]+", " ", one).split(), re.sub(r"[\W_]+", " ", other).split()
    if set(mine) <= set(theirs) or set(theirs) <= set(mine):
        return True
    if len(mine) == len(theirs) == 1 and (mine[0].startswith(theirs[0]) or theirs[0].startswith(mine[0])):
        return True  # a short form
    return any(sign > "\u2e80" for sign in one) and (one in other or other in one)


def _denial(text: str) -> tuple[str, bool] | None:
    """Return a habit's words without a negation, and whether it has one; None for other lines."""
    line = bare_statement(text).casefold()
    if not line or len(line) > LONGEST_LINE or has_row(_ROWS, "open", line) or ended_on(text):
        return None
    words = pattern_of(_ROWS, "not").sub(" ", line)
    denied = words != line
    bare = " ".join(words.split()).removesuffix("了")
    match = re.match(rf"(?:{pattern_of(_ROWS, 'owner').pattern})\s*", bare)
    bare = bare[match.end() :] if match and (match[0][-1:].isspace() or match[0] > "\u2e80") else bare
    bare = " ".join(_AGAIN.sub(" ", bare).split())
    if not has_row(_ROWS, "habit", bare):
        return None
    first, _, rest = bare.partition(" ")
    stem = first if first > "\u2e80" else re.sub(r"(?<=\w\w)(?:es|s|e|o|a)$", "", first)
    stem = {"has": "hav", "ha": "hav"}.get(stem, stem)
    return (f"{stem} {rest}".strip(), denied) if rest or first > "\u2e80" else None


_LONGEST = 200  # characters of a fact or of a sentence of a note
_SHORT = 2  # letters of a word that names no thing
_SENTENCES = lazy_pattern(r"[.;!。；！\n]\s*")
_DOUBT = lazy_pattern(
    r"[?？]\s*$|\b(?:if|maybe|perhaps|might|almost|nearly|would|wish|dream\w*|joking|quiz[áa]s?|casi|ojalá|soñé)\b"
    r"|如果|要是|可能|也许|差点|梦见|开玩笑|想要?搬|打算|准备"
)


def end_patterns(fact: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of sentences that end a fact; empty for most facts.

    >>> [pattern] = end_patterns("Owes Ben 50 pounds")
    >>> bool(pattern.search("paid Ben back")), bool(pattern.search("Paid Ben a visit"))
    (True, False)
    """
    plain = _plain(fact)
    if not plain or len(plain) > _LONGEST or _DOUBT.search(plain):
        return ()
    patterns = []
    for stated, end in _rows():
        match = stated.search(plain)
        if match is not None:
            patterns.append(_filled(end, match))
    return tuple(patterns)


def says_end(note: str, patterns: tuple[re.Pattern[str], ...]) -> bool:
    """Return whether a sentence of a later note matches one of a fact's ``end_patterns``."""
    plain = _plain(note)
    if not patterns or _DOUBT.search(plain):
        return False
    sentences = [each for each in _SENTENCES.split(plain) if len(each) <= _LONGEST]
    return any(pattern.search(sentence) for pattern in patterns for sentence in sentences)


@cache
def _rows() -> tuple[tuple[re.Pattern[str], str], ...]:
    table = read_rows("endings.json")
    return tuple(
        (re.compile(with_names(row["fact"], names), re.I), with_names(f"(?:{row['end']}){{TAIL}}", names))
        for language, names in table["macros"].items()
        for row in table["rows"][language]
    )


def _filled(end: str, stated: re.Match[str]) -> re.Pattern[str]:
    """Return an end's pattern with what the fact names: ``{x}``, also by its other place ``y``, the owner of a thing
    ``w`` or ``v``, a role ``r``, and one of the words of a phrase ``p``."""
    named = {name: text for name, text in stated.groupdict().items() if text}
    values = {
        "x": _word(named.get("x") or named.get("y", "")),
        "w": _word(named.get("w") or named.get("v", "")),
        "r": _word(named.get("r", "")),
        "p": "|".join(_word(word) for word in named.get("p", "").split() if len(word) > _SHORT),
    }
    for name, text in values.items():
        end = end.replace(f"{{{name}}}", f"(?:{text})" if text else r"(?!)")
    return re.compile(end, re.I)


def _word(word: str) -> str:
    return f"{re.escape(word.removesuffix('s'))}s?" if word.isascii() and word.islower() else re.escape(word)


def _plain(text: str) -> str:
    return to_simplified(" ".join(text.split()).replace("\u2019", "'"))
