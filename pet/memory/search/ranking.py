"""Score how well entries answer a question, as a weighted sum of normalised signs; pure.

Age does not lower a score: it decides between equals, or where the question asks for the newest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from datetime import date

from pet.language import has_row
from pet.language.asking import is_question_word
from pet.language.labels import SPEAKERS, note_label
from pet.language.normalization import has_accents, to_simplified
from pet.language.tokens import FEW, is_cjk, spellings, stem, tokenize
from pet.memory import read_data
from pet.memory.search.query import ParsedQuery

_K1 = 0.8
_B = 0.35
_ENOUGH = 1.5  # unseen terms; a message with words of this total rarity names something
_LITTLE = 2.0
_NOT_EVEN_ONE = 5  # added to the count, so that the very first entry is no sure answer
_NEIGHBOURS = ((-1, 0.3), (1, 0.3), (-2, 0.1), (2, 0.1))  # distance, and weight of a neighbour's words
_ALSO_RIGHT = 8.0  # log odds below the best of an entry that may be right too
_OF_CATEGORY = 1.5  # log odds for an entry of the kind asked for
_OTHER_SPELLING = 1.0  # log odds that an entry loses whose words differ from the question's in accents
_FEW_WORDS = 4  # at most of a query that is no question
_RELATED = 0.95  # most likely score, for a query of bare words, of an entry that lacks them
_LIKE_A_MATCH = 3.0  # standard deviations, usual for an entry with all words; for entries without a vector
SPEAKER_TOKENS = frozenset(token for who in SPEAKERS for token in tokenize(who))
_SPEAKER = re.compile(r"\s*(?:[-*]\s+)?(?P<who>[^\s:：][^:：\n]{0,30})[:：]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """The words of an entry, as far as those beside it are ranked by them."""

    id: int
    file: int
    tokens: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(Passage):
    """An entry as the ranking uses it."""

    path: str
    start_line: int
    end_line: int
    day: date | None
    due: date | None
    text: str
    turn: str | None = None  # of a conversation
    category: str = ""
    heading: str = ""

    @property
    def age(self) -> tuple[date, str, int, int]:
        """Sort key, the same however often the entry was indexed again: by day, file and line."""
        return self.day or date.min, self.path, self.start_line, self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate with its score."""

    candidate: Candidate
    score: float  # 0..1, likelihood of being an answer, though another may be one too
    matched: frozenset[str]
    odds: float = 0.0  # log odds of being the answer against there being none
    superseded: bool = False  # by a newer entry before it
    replaces: int | None = None  # id of an older entry, which it was put before
    own_words: bool = False  # has the thing in question, or of an event the question's words
    touched: bool = False  # bears on the message: says whether the body allows the thing mentioned


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of the signs, in log odds of being the answer.

    ``nothing``: log odds of there being no answer. ``few``: weight of the prior for small corpora; ``few_cjk`` if the
    question's character pairs were counted too.
    """

    nothing: float
    few: float
    few_cjk: float
    words: float
    cover: float
    cover_own: float
    whole: float
    singles: float
    around: float
    near: float
    near_cjk: float
    near_around: float
    speaker: float
    pet_says: float
    question: float
    time_word: float
    length: float
    on_day: float
    lately: float


SIGNS = tuple(each.name for each in fields(Weights) if each.name not in ("nothing", "few", "few_cjk"))
"""Names of the signs computed for each entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallWeights:
    """Weights of the decision to recall, in log odds: the message's own odds (``asks``), the best entry's odds where
    positive (``best``) and negative (``weak``), whether it names a thing or person of the best entries (``named``),
    and a constant."""

    asks: float
    best: float
    weak: float
    named: float
    bias: float

    def odds(self, asks: float, best: float, named: bool = False) -> float:
        """Return the log odds that something is to be recalled."""
        of_best = self.best * max(best, 0.0) + self.weak * min(best, 0.0)
        return self.asks * asks + of_best + self.named * named + self.bias


def _read_weights() -> tuple[Weights, Weights, Weights, RecallWeights]:
    read = read_data("search", "weights.json")
    words, search, for_message = (Weights(**read[name]) for name in ("words_only", "with_vectors", "for_message"))
    return words, search, for_message, RecallWeights(**read["recall"])


WORDS_ONLY, WITH_VECTORS, FOR_MESSAGE, RECALL = _read_weights()
"""``FOR_MESSAGE`` ranks recalled entries, mostly facts asked for in other words; ``WITH_VECTORS`` says how likely
searched ones are, utterances too. Made by ``python -m lab.fit_search`` from the labelled questions in
``tests/memory/search/recall_set``."""


def _between(one: Weights, other: Weights, share: float) -> Weights:
    names = [each.name for each in fields(Weights)]
    return Weights(**{name: (1 - share) * getattr(one, name) + share * getattr(other, name) for name in names})


ORDER_OF_NOTES = _between(WORDS_ONLY, WITH_VECTORS, 0.7)
ORDER_OF_TALK = replace(WORDS_ONLY, near=0.5, near_cjk=0.2, near_around=0.6)
"""In which order searched entries come: a note is mostly found by both, what was said in talk by its words first.
Chosen on public sets of notes and of dialogue."""
_TIMES_SPEAKING = 4  # of each speaker, on average; the subject of a note, as in "Dentist: …", comes up less
_TALKED_OF = 0.25  # share of a question's words in one utterance, from which its words say more than its meaning


def rank(
    question: ParsedQuery,
    wanted: Sequence[Candidate],
    around: Mapping[int, Passage],
    rarity: Mapping[str, float],
    mean_length: float,
    z: Callable[[int, int], tuple[float, float] | None] | None,
    *,
    rarest: float,
    count: int,
    recall: bool = False,
    talk: bool = False,
) -> list[Ranked]:
    """Return the wanted entries, best first, each as likely as one in its place would be alone, unless another is far
    likelier. ``talk``: they are utterances; notes of talk are ranked as such.

    ``around``: wanted entries and neighbours by id. ``rarity``: IDF by token. ``rarest``: IDF of an unseen term.
    ``count``: entries in the memory. ``z``: nearness as in ``NearestResult``; None without vectors.
    """
    weights = WORDS_ONLY if z is None else FOR_MESSAGE if recall else WITH_VECTORS
    nothing = weights.nothing + discount(weights, question, rarity, rarest=rarest, count=count)
    signs_of_each = signs_of(question, wanted, around, rarity, mean_length, z)
    talk = talk or _are_of_talk(wanted)
    order = _order(weights, [signs for _, signs, _ in signs_of_each], talk=talk)
    weighted = []
    for candidate, signs, matched in signs_of_each:
        more = 0.0
        if question.category and candidate.category == question.category:
            more += _OF_CATEGORY
        if matched and is_spelt_otherwise(question, candidate, matched):
            more -= _OTHER_SPELLING
        weighted.append((candidate, _sum(weights, signs) + more - nothing, _sum(order, signs) + more, matched))
    # Age decides between equals: of two that say the same, the newer comes first.
    weighted.sort(key=lambda item: (round(item[2], 4), item[0].age), reverse=True)
    likely = sorted((odds for _, odds, _, _ in weighted), reverse=True)
    least = max(likely, default=0.0) - _ALSO_RIGHT
    ranked = []
    for (candidate, _, _, matched), odds in zip(weighted, likely, strict=True):
        score = sigmoid(odds) if odds >= least else sigmoid(least) * math.exp(odds - least)
        ranked.append(Ranked(candidate=candidate, score=score, matched=matched, odds=odds))
    return ranked


def _sum(weights: Weights, signs: Mapping[str, float]) -> float:
    weighed: Iterable[float] = (getattr(weights, name) * sign for name, sign in signs.items())
    return sum(weighed)


def _order(weights: Weights, signs: Sequence[Mapping[str, float]], *, talk: bool) -> Weights:
    """Return the weights by which entries are put in order, where ``weights`` say how likely they are."""
    if talk and weights is not WORDS_ONLY and any(each["cover_own"] >= _TALKED_OF for each in signs):
        return ORDER_OF_TALK
    return ORDER_OF_NOTES if weights is WITH_VECTORS else weights


def is_spelt_otherwise(question: ParsedQuery, candidate: Candidate, matched: frozenset[str]) -> bool:
    """Return whether the words that match differ in accents."""
    if not has_accents(question.text) and not has_accents(candidate.text.casefold()):
        return False
    asked, written = spellings(question.text), spellings(candidate.text)
    ours, theirs = ({word for word in words if matched.intersection(tokenize(word))} for words in (asked, written))
    return ours.isdisjoint(theirs)


def literal_first(ranked: Sequence[Ranked], question: ParsedQuery) -> list[Ranked]:
    """Return the entries with all words of a query that has no others first; the rest as related at most."""
    if not is_bare(question):
        return list(ranked)
    literal = [item for item in ranked if item.matched.issuperset(question.tokens)]
    rest = (item for item in ranked if not item.matched.issuperset(question.tokens))
    most = min((_RELATED, *(item.score for item in literal)))
    return [*literal, *(replace(item, score=min(item.score, most)) for item in rest)]


def is_bare(question: ParsedQuery) -> bool:
    """Return whether a query is words to be found, and no question: "backup", "备份"."""
    few = len(question.text.split()) <= _FEW_WORDS and "?" not in question.text
    return few and bool(question.tokens) and not any(map(is_question_word, tokenize(question.text)))


def sigmoid(odds: float) -> float:
    """Return the likelihood (0..1) of log odds."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def signs_of(
    question: ParsedQuery,
    wanted: Sequence[Candidate],
    around: Mapping[int, Passage],
    rarity: Mapping[str, float],
    mean_length: float,
    z: Callable[[int, int], tuple[float, float] | None] | None,
) -> list[tuple[Candidate, dict[str, float], frozenset[str]]]:
    """Return the signs of each entry in the order of ``SIGNS``, about 0 to 1 (nearness: standard deviations), and the
    tokens it shares with the question."""
    query_tokens = rarity.keys()
    own = {id_: counts for id_, candidate in around.items() if (counts := _counts(candidate.tokens, query_tokens))}
    pairs = {token: idf for token, idf in rarity.items() if not (is_cjk(token) and len(token) == 1)}
    singles = {token: idf for token, idf in rarity.items() if token not in pairs}
    if not pairs:
        pairs = singles
    total = sum(pairs.values()) or 1.0
    total_singles = sum(singles.values()) or 1.0
    best_of_file: dict[int, dict[str, float]] = {}
    for id_, counts in own.items():
        of_file = best_of_file.setdefault(around[id_].file, {})
        for token, count in counts.items():
            of_file[token] = of_file.get(token, 0.0) + count
    about_file = {
        file: sum(pairs[token] * count / (count + 2.0) for token, count in counts.items() if token in pairs) / total
        for file, counts in best_of_file.items()
    }
    query_in_cjk = any(map(is_cjk, question.tokens))
    none: dict[str, float] = {}
    results = []
    for candidate in wanted:
        counts = own.get(candidate.id, none)
        lent: dict[str, float] = dict(counts)
        for step, share in _NEIGHBOURS:
            beside = own.get(candidate.id + step)
            if beside and around[candidate.id + step].file == candidate.file:
                for token, count in beside.items():
                    lent[token] = lent.get(token, 0.0) + share * count
        norm = _K1 * (1 - _B + _B * len(candidate.tokens) / mean_length)
        words = cover = own_words = own_singles = 0.0
        for token, count in lent.items():
            if (idf := pairs.get(token)) is not None:  # few of many
                words += idf * count / (count + norm)
                cover += idf * min(1.0, count / 0.3)
        for token in counts:
            own_words += pairs.get(token, 0.0)
            own_singles += singles.get(token, 0.0)
        own_words /= total
        alone, with_neighbours = (z(candidate.file, candidate.id) if z else None) or (
            _LIKE_A_MATCH * own_words,
            _LIKE_A_MATCH * own_words,
        )
        signs = {
            "words": words / total,
            "cover": cover / total,
            "cover_own": own_words,
            "whole": own_words**3,
            "singles": own_singles / total_singles,
            "around": about_file.get(candidate.file, 0.0),
            "near": alone,
            "near_cjk": alone if query_in_cjk else 0.0,
            "near_around": with_neighbours,
            "speaker": _speaks(question, candidate),
            "pet_says": _pet_says(question, candidate),
            "question": float(candidate.text.rstrip().endswith("?")),
            "time_word": float(question.when and has_row("days.json", "time", candidate.text.casefold())),
            "length": math.log1p(len(candidate.tokens)) / 4,
            "on_day": _on_day(question, candidate),
            "lately": _newness(question, candidate),
        }
        results.append((candidate, signs, frozenset(counts)))
    return results


def discount(
    weights: Weights, question: ParsedQuery, rarity: Mapping[str, float], *, rarest: float, count: int
) -> float:
    """Return what message and memory size add to the log odds of there being no answer."""
    few = weights.few_cjk if any(map(is_cjk, question.tokens)) else weights.few
    return _says_little(rarity, rarest) + few * _in_few(count)


def _says_little(rarity: Mapping[str, float], rarest: float) -> float:
    """Return the discount of a message with few or common words: "thank you", "早上好"."""
    pairs = [
        idf / 2 if is_cjk(token) else idf for token, idf in rarity.items() if len(token) > 1 or not is_cjk(token)
    ]
    named = sum(pairs or rarity.values()) / rarest
    return _LITTLE * max(0.0, _ENOUGH - named)


def _in_few(count: int) -> float:
    """Return the prior for small corpora: of ten entries one is the answer thirty times as easily as of three
    hundred, the smallest size the weights were fitted at."""
    return min(0.0, math.log((count + _NOT_EVEN_ONE) / FEW))


def _counts(tokens: Sequence[str], query_tokens: Set[str]) -> dict[str, float]:
    counts: dict[str, float] = {}
    if query_tokens.isdisjoint(tokens):
        return counts
    for token in tokens:
        if token in query_tokens:
            counts[token] = counts.get(token, 0.0) + 1.0
    return counts


def _are_of_talk(entries: Sequence[Candidate]) -> bool:
    """Return whether most entries begin with one of a few speakers besides owner and pet: "Caroline: …"."""
    speakers = [match["who"] for each in entries if (match := _SPEAKER.match(each.text))]
    others = [who for who in speakers if to_simplified(who.casefold()) not in SPEAKERS]
    return 2 * len(others) > len(entries) and _TIMES_SPEAKING * len(set(others)) <= len(others)


def _speaks(question: ParsedQuery, candidate: Candidate) -> float:
    speaker = _SPEAKER.match(candidate.text) if question.names else None
    who = to_simplified(speaker["who"].casefold()) if speaker else ""
    if not who or who in SPEAKERS:  # "my pet" does not mean the pet as speaker
        return 0.0
    return float(who in question.text if is_cjk(who) and len(who) > 1 else stem(who) in question.names)


def _pet_says(question: ParsedQuery, candidate: Candidate) -> float:
    if not question.of_the_pet:
        return 0.0
    return float(note_label("pet", candidate.text) is not None)


def _on_day(question: ParsedQuery, candidate: Candidate) -> float:
    """Return 1 for entries of the asked day, 0.4 for those of the day after, else 0."""
    best = 0.0
    for days in question.days:
        if any(day is not None and day in days for day in (candidate.day, candidate.due)):
            return 1.0
        if candidate.day and days.first == days.last and candidate.day.toordinal() == days.last.toordinal() + 1:
            best = 0.4
    return best


def _newness(question: ParsedQuery, candidate: Candidate) -> float:
    """Return 1 for today's entries, falling by half per month, if the question asks for the newest; else 0."""
    if not question.lately or candidate.day is None or candidate.day > question.today:
        return 0.0
    return math.exp(-(question.today - candidate.day).days / 45)
