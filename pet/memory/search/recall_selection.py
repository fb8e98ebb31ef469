"""Select hits from ranked entries, for a search and for recall, without duplicates; pure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest

from pet.language.asking import asks_of, naming_tokens, statements_of
from pet.language.categories import REPLY
from pet.language.labels import strip_owner, strip_speaker
from pet.language.normalization import is_one_edit, plain_letters
from pet.language.small_talk import is_small_talk
from pet.language.tokens import USUAL_WORD, is_cjk, is_stopword_query, prior_frequency, tokenize
from pet.memory.search.ranking import RECALL, SPEAKER_TOKENS, Candidate, Ranked, sigmoid
from pet.memory.store.daily_log import fact_key
from pet.memory.store.split_entries import bare, leads, list_heading, shown_heading, split_earlier, stated_day
from pet.model import CoreFile, RecallWay
from pet.workspace.file_names import CONVERSATIONS

DEFAULT_RESULTS = 6
"""Results of a search for which no number is given."""
_SAME = 0.9  # shared part of the content tokens of both texts
_HELD = 0.8  # part of the shorter text contained in the longer one
_MIN_CONTENT_TOKENS = 3  # content tokens; texts with fewer would match too often


def is_repeat(tokens: Collection[str], message_tokens: frozenset[str]) -> bool:
    """Return whether a text (as tokens) says only what the message says, given by its content tokens."""
    shared = len(message_tokens.intersection(tokens))
    if not shared or shared < _SAME * len(message_tokens):
        return False  # nearly always, and cheap
    ours = content_tokens(tokens)
    return shared >= _SAME * (len(ours) + len(message_tokens) - shared)


def without_echoes(candidates: Iterable[Candidate], message: str) -> list[Candidate]:
    """Return the candidates without echoes of the message, which would take the likelihood of its answer."""
    message_tokens = content_tokens(tokenize(message))  # once: a message may be a pasted text
    return [candidate for candidate in candidates if not is_repeat(candidate.tokens, message_tokens)]


def with_own_words(candidates: Iterable[Candidate], question: Sequence[str]) -> list[Candidate]:
    """Return the candidates whose statements have the question's (as tokens) own words: half of the uncommon ones, or
    of a question without such all."""
    words = naming_tokens(question)
    uncommon = [token for token in words if _is_uncommon(token)]
    pairs = [token for token in uncommon if is_cjk(token)]  # of characters; most are no words
    wanted = frozenset(pairs or uncommon or words)
    least = max(1, 1 if pairs else (len(wanted) + 1) // 2 if uncommon else len(wanted))

    def has_them(tokens: Collection[str]) -> bool:
        return len(wanted.intersection(tokens)) >= least

    likely = (each for each in candidates if has_them(each.tokens))  # most are not, and this is cheap
    return [each for each in likely if has_them(tokenize(statements_of(strip_speaker(each.text))))]


def is_same_fact(one: Iterable[str], other: Iterable[str]) -> bool:
    """Return whether the shorter of two texts (as tokens) is nearly contained in the other."""
    ours, theirs = content_tokens(one), content_tokens(other)
    shorter = min(len(ours), len(theirs))
    return shorter >= _MIN_CONTENT_TOKENS and len(ours & theirs) >= _HELD * shorter


def content_tokens(tokens: Iterable[str]) -> frozenset[str]:
    """Return the content tokens, without speaker labels."""
    return frozenset(token for token in tokens if not is_stopword_query(token)) - SPEAKER_TOKENS


MAX_SNIPPET = 300
_NAME = re.compile(r"[A-Z][\w'’-]*|[A-Za-z][\w-]*\d[\w-]*", re.ASCII)  # "Zanzibar", "KX-4711", "router7"
_WORD = re.compile(r"[a-z][a-z'’-]+", re.ASCII)
_SURE_SCORE = 0.05  # scores are calibrated; below it a hit is likely wrong
_SURE_OF_A_HAN_WORD = 0.98  # for a word of two characters that the entry lacks: one of them reaches 0.97 in few notes
_SURE_OF_A_WORD = 0.15  # for one rare word that the entry lacks: unknown words reach 0.14, known meanings 0.2


class HitSource(StrEnum):
    """Kind of file that a hit is from."""

    PROFILE = "profile"
    MEMORY = "memory"
    LOG = "log"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A search result: the file's lines (1-based, inclusive), its likelihood and text.

    Of a conversation, ``path`` is its transcript and ``turn`` the place in it.
    """

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    source: HitSource
    turn: str | None = None
    superseded: bool = False  # by a newer hit before it
    heading: str = ""  # that it is under, as far as it says something, and what leads to it


def to_hits(ranked: Iterable[Ranked], k: int, *, min_score: float = 0.0) -> list[Hit]:
    """Return the first ``k`` hits without duplicates and small talk, which answers nothing. What nearly repeats one
    before it comes at the end of the first ten."""
    kept: list[tuple[Ranked, frozenset[str]]] = []
    for item in ranked:
        if len(kept) >= max(k, _FIRST):
            break
        if item.score < min_score or is_small_talk(strip_speaker(item.candidate.text)):
            continue  # those of a named day come first, whatever their score
        words = frozenset(tokenize(item.candidate.text))
        if any(_says_the_same(item, words, other, others) for other, others in kept):
            continue
        kept.append((item, words))
    first = repeats_last([_unless_earlier(item, words) for item, words in kept[:_FIRST]])
    ordered = [kept[at][0] for at in first] + [item for item, _ in kept[_FIRST:]]
    return [to_hit(item) for item in ordered[:k]]


_FIRST = 10  # hits, behind which nearly the same comes last
_OF_AN_ADDRESS = 3  # numbers, none of which is a year
_FEW_CONTENT = 4  # words beside an address
_NEARLY = 0.7  # shared part of the words of two entries, numbers apart


def _unless_earlier(item: Ranked, words: frozenset[str]) -> frozenset[str]:
    """Return the words, none for what a newer entry before it changed, which says so."""
    return frozenset() if item.superseded else words


def repeats_last(texts: Sequence[frozenset[str]]) -> list[int]:
    """Return the places of texts, as tokens, with those last that nearly repeat one before them."""
    new: list[int] = []
    repeated: list[int] = []
    for at, words in enumerate(texts):
        (repeated if any(_is_near(words, texts[other]) for other in new) else new).append(at)
    return new + repeated


def _is_near(one: frozenset[str], other: frozenset[str]) -> bool:
    ours, theirs = (content_tokens(word for word in words if not word.isdecimal()) for words in (one, other))
    shared = len(ours & theirs)
    if min(len(ours), len(theirs)) > 1 and shared >= _NEARLY * len(ours | theirs):
        return True
    numbers = [word for word in one & other if word.isdecimal()]
    is_address = len(numbers) >= _OF_AN_ADDRESS and max(map(len, numbers)) < len("2026")
    return is_address and shared > 0 and max(len(ours), len(theirs)) <= _FEW_CONTENT


def to_hit(item: Ranked, longest: int = MAX_SNIPPET) -> Hit:
    """Return the entry as a hit, with at most ``longest`` characters of it."""
    candidate = item.candidate
    return Hit(
        path=candidate.path,
        start_line=candidate.start_line,
        end_line=candidate.end_line,
        score=round(item.score, 4),
        snippet=snippet(candidate.text, item.matched, longest),
        source=source_of(candidate.path),
        turn=candidate.turn,
        superseded=item.superseded,
        heading=candidate.heading,
    )


def is_sure(hit: Hit, query: str) -> bool:
    """Return whether the hit is likely what was meant.

    True if it contains every query word, however common. Otherwise its score must be high enough, higher for a query
    of one rare word that it lacks, or of one Chinese word of which it has a character at most; a query of names and
    codes alone needs one of them, and small talk all its words.
    """
    words, text = plain_letters(query.lower()).split(), plain_letters(hit.snippet.lower())
    if words and all(word in text for word in words):
        return True
    if is_small_talk(query) or hit.score < _sure_score(hit, query):
        return False
    return not _only_names(query) or not set(tokenize(query)).isdisjoint(tokenize(hit.snippet))


def _sure_score(hit: Hit, query: str) -> float:
    if _lacks_han_word(hit, query):
        return _SURE_OF_A_HAN_WORD
    return _SURE_OF_A_WORD if _lacks_rare_word(hit, query) else _SURE_SCORE


def _lacks_han_word(hit: Hit, query: str) -> bool:
    """Return whether the query is one Chinese word of two characters that the hit lacks."""
    words = _bare_words(query)
    if len(words) != 1 or len(words[0]) != 2 or not all(map(is_cjk, words[0])):
        return False
    pair = tokenize(words[0])[-1]
    return not is_stopword_query(pair) and pair not in tokenize(hit.snippet)


def _lacks_rare_word(hit: Hit, query: str) -> bool:
    """Return whether the query is one rare word that the hit lacks, misspellings included."""
    words = _bare_words(query)
    if len(words) != 1 or not _WORD.fullmatch(words[0]):
        return False
    (token,) = tokenize(words[0])[:1]
    if prior_frequency(token) >= USUAL_WORD or is_stopword_query(token):
        return False
    return not any(token == other or is_one_edit(token, other) for other in tokenize(hit.snippet))


def _bare_words(query: str) -> list[str]:
    return [word.strip(".,;:!?\"'“”()") for word in query.split()]


def _only_names(query: str) -> bool:
    words = _bare_words(query)
    return bool(words) and all(_NAME.fullmatch(word) for word in words)


def snippet(text: str, matched: frozenset[str], longest: int = MAX_SNIPPET) -> str:
    """Return the text, or the ``longest`` characters of it with the rarest ``matched`` tokens, and more of
    the text after them than before."""
    if len(text) <= longest:
        return text
    room = longest - 2
    last = len(text) - room
    starts = [*range(0, last, room // 8), last]
    weights = [_rarity_of(matched.intersection(tokenize(text[start : start + room]))) for start in starts]
    best_starts = [start for start, weight in zip(starts, weights, strict=True) if weight == max(weights)]
    best = best_starts[len(best_starts) * 2 // 3] if matched else 0
    piece = text[best : best + room]
    if best and (beginning := _BEGINNING.search(piece, 0, room // 4)):
        piece = piece[beginning.end() :]
    return ("…" if best else "") + piece.strip() + ("…" if best < last else "")


_BEGINNING = re.compile(r"^.*?(?:\n|[。！？]|[.!?]\s|(?=\s)|(?=[\u4e00-\u9fff]))", re.DOTALL)
"""Remainder of the sentence or word before a cut."""


def _rarity_of(tokens: Iterable[str]) -> float:
    return round(sum(-math.log(prior_frequency(token)) for token in tokens if not is_stopword_query(token)), 6)


def _says_the_same(item: Ranked, words: frozenset[str], other: Ranked, others: frozenset[str]) -> bool:
    a, b = item.candidate, other.candidate
    if a.path == b.path and a.start_line <= b.end_line and b.start_line <= a.end_line:
        return a.text == b.text  # pieces of one long line differ only in text
    if min(len(words), len(others)) < 5:
        return a.text.strip() == b.text.strip()
    return len(words & others) >= 0.9 * len(words | others)


def source_of(path: str) -> HitSource:
    """Return the kind of file at a path."""
    if path.startswith(f"{CONVERSATIONS}/"):
        return HitSource.CONVERSATION
    named = {CoreFile.USER.value: HitSource.PROFILE, CoreFile.MEMORY.value: HitSource.MEMORY}
    return named.get(path, HitSource.LOG)


SURE = 0.7
"""Score from which an entry is presented as certain; docs/decisions/0020-memory-search.md."""
_NOTED_SHARE = 0.9  # of the characters; the rest is for utterances
_MAX_UTTERANCES = 2
_MIN_UTTERANCE_ODDS = 0.5  # log odds of the utterance itself, as similar ones share their likelihood
_MIN_STATEMENT_ODDS = -4.0  # of the owner's, by meaning: measured against one another, not against replies
_WORTH = 3e-5  # minimum likelihood per character: a long entry must be likelier than a short one
_PLACE = 12  # characters of an entry's day and line break
_ENTRIES_A_LINE = 4  # of short ones
_MOST, _MOST_OF_MANY = 8, 12  # entries for a message, or for one that asks for a list or several things
_MAY_WANT_NOTHING, _MOST_IF_SO = 0.8, 2  # likelihood that something is wanted, below which this number does
_MOST_TRIED = 40
_WORDS_AT_LEAST = 0.05  # share of the likelihood of all notes
_MAY_BE_NAMED = 3  # best notes
_RARE_WORD, _RARE_PAIR = 0.01, 0.002  # usual share of notes with such a word, or pair of characters
_WORDS_ALONE = 0.85  # log odds required without embedding: a score of 0.7
_LONGEST = 240  # characters of one entry


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallCandidates:
    """Notes and utterances, best first.

    ``asks``: log odds that the message concerns something remembered, by its embedding; None without embedding.
    ``asked_about``: the message asks to be told about the owner, or what some of them are about. ``several``: it
    asks for several things. ``listed``: it names days or a kind of entries.
    """

    notes: Sequence[Ranked] = ()
    utterances: Sequence[Ranked] = ()
    asks: float | None = None
    asked_about: bool = False
    several: bool = False
    listed: bool = False
    way: RecallWay = "meaning"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallBudget:
    """Limits of a recall.

    ``lines``: a short entry takes a quarter of one. ``characters``: of all entries with their places. ``threshold``:
    minimum likelihood (0..1) that the message concerns something remembered.
    """

    lines: int
    characters: int
    threshold: float


def select_recalled(
    candidates: RecallCandidates, budget: RecallBudget, is_sent: Callable[[str], bool] = lambda _text: False
) -> list[Hit]:
    """Return the hits to send, best first; none for a message that concerns nothing remembered.

    Entries for which ``is_sent`` (already in the prompt) are included and cost nothing.
    """
    if not should_recall(candidates, budget.threshold):
        return []
    most = budget.lines * _ENTRIES_A_LINE
    if not candidates.asked_about:
        most = min(most, _MOST_OF_MANY if candidates.listed or candidates.several else _MOST)
        if likelihood(candidates) < _MAY_WANT_NOTHING:
            most = min(most, _MOST_IF_SO)
    known: list[frozenset[str]] = []
    if candidates.asks is None and candidates.notes and not candidates.asked_about:
        # words alone have to single a note out
        least = math.log(_WORDS_AT_LEAST * (1 + sum(math.exp(item.odds) for item in candidates.notes)))
        notes = [item for item in candidates.notes if item.odds >= least]
        candidates = replace(candidates, notes=notes)
    if candidates.several and not candidates.listed:  # behind the eighth only what is named
        ranked = enumerate(candidates.notes)
        named = [item for at, item in ranked if at < _MOST or item.touched or _is_named([item])]
        candidates = replace(candidates, notes=named)
    chosen = _fill(candidates.notes, most, round(budget.characters * _NOTED_SHARE), known, is_sent)
    utterances: list[Hit] = []
    for items in _by_worth(candidates.utterances, by_meaning=candidates.asks is not None):
        left = budget.characters - sum(map(_sent, (*chosen, *utterances)))
        utterances += _fill(items, most, left, known, is_sent)[: _MAX_UTTERANCES - len(utterances)]
    return in_file_order(chosen) + utterances


def together(whole: Sequence[Ranked], parts: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """Return what was found for a message of several questions: the best for each in turn, then the rest of the
    matches for all of it."""
    if not whole:
        return []
    best = whole[0].odds
    for_each = (
        replace(item, odds=best - (part[0].odds - item.odds))
        for items in zip_longest(*(part[:_FOR_A_PART] for part in parts))
        for item, part in zip(items, parts, strict=True)
        if item is not None
    )
    by_id: dict[int, Ranked] = {}
    for item in (*for_each, *whole):
        by_id.setdefault(item.candidate.id, item)
    return list(by_id.values())


_FOR_A_PART = 5  # entries


def in_file_order(hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits with the items of a list together, behind what leads to them, as they are in the file."""
    groups: dict[tuple[object, ...], list[Hit]] = {}
    for place, hit in enumerate(hits):
        lead = hit.heading if leads(hit.heading) else list_heading(hit.heading, hit.snippet)
        groups.setdefault((hit.path, lead) if lead else (place,), []).append(hit)
    return [hit for group in groups.values() for hit in sorted(group, key=lambda hit: hit.start_line)]


def newest_before_earlier(hits: Iterable[Hit], newer: Mapping[str, Hit]) -> list[Hit]:
    """Return the hits with each older line marked, after the note that names it as earlier. ``newer``: notes by the
    ``fact_key`` of the older line in them."""
    ordered: dict[tuple[str, int], Hit] = {}
    for hit in hits:
        note = newer.get(fact_key(bare(split_earlier(hit.snippet)[0])))
        if note is not None and not "" < stated_day(note.path, note.snippet) < stated_day(hit.path, hit.snippet):
            ordered.setdefault((note.path, note.start_line), replace(note, score=hit.score))
            hit = replace(hit, superseded=True)  # noqa: PLW2901
        ordered.setdefault((hit.path, hit.start_line), hit)
    return list(ordered.values())


def _by_worth(utterances: Sequence[Ranked], *, by_meaning: bool) -> Iterator[list[Ranked]]:
    """Yield what was said in the question's own words, whatever its odds; likely other things that the owner told;
    and unless there was any of the former, likely replies of the pet's."""
    own = [item for item in utterances if item.own_words]
    others = [item for item in utterances if not item.own_words]
    least = _MIN_STATEMENT_ODDS if by_meaning else _MIN_UTTERANCE_ODDS
    yield own
    yield [item for item in others if item.candidate.category != REPLY and item.odds >= least]
    if not own:
        replies = [item for item in others if item.candidate.category == REPLY and not _is_question(item)]
        yield [item for item in replies if item.odds >= _MIN_UTTERANCE_ODDS]


def should_recall(candidates: RecallCandidates, threshold: float) -> bool:
    """Return whether anything is recalled: by the message's own odds and the best entry's, or because the message
    asks to be told about what there is."""
    return candidates.asked_about or likelihood(candidates) >= threshold


def likelihood(candidates: RecallCandidates) -> float:
    """Return the likelihood (0..1) that the message concerns something remembered; without embedding the best
    entry's, and 1 if the owner told something in its own words."""
    best = max(
        (items[0] for items in (candidates.notes, candidates.utterances) if items),
        key=lambda item: item.odds,
        default=None,
    )
    if best is None:
        return 0.0
    own_words = _is_named([item for item in candidates.utterances if item.own_words])
    if candidates.asks is None:
        return 1.0 if own_words else sigmoid(best.odds - _WORDS_ALONE)
    return sigmoid(RECALL.odds(candidates.asks, best.odds, own_words or _is_named(candidates.notes)))


def _is_named(notes: Sequence[Ranked]) -> bool:
    """Return whether the message has an uncommon word of one of the best notes: "Biscuit is begging again"."""
    return any(_is_uncommon(token) for item in notes[:_MAY_BE_NAMED] for token in item.matched)


def _is_uncommon(token: str) -> bool:
    usual = _RARE_PAIR if is_cjk(token) else _RARE_WORD
    return len(token) > 1 and not is_stopword_query(token) and prior_frequency(token) < usual


def _fill(
    ranked: Sequence[Ranked],
    most: int,
    room: int,
    known: list[frozenset[str]],
    is_sent: Callable[[str], bool],
) -> list[Hit]:
    """Return the best hits that fit, are worth their characters and repeat nothing in ``known``, which is extended:
    ``most`` at most, and those that the message touches."""
    chosen: list[Hit] = []
    left = most
    total = sum(math.exp(item.odds - ranked[0].odds) for item in ranked)
    above: set[tuple[str, str]] = set()
    tried = [(item, frozenset(tokenize(item.candidate.text))) for item in ranked[:_MOST_TRIED]]
    for at in repeats_last([_unless_earlier(item, tokens) for item, tokens in tried]):
        item, tokens = tried[at]
        if not left and not item.touched:
            continue
        if is_small_talk(strip_speaker(item.candidate.text)):
            continue
        hit = to_hit(item, _LONGEST)
        free, length = is_sent(item.candidate.text), _sent(hit)
        under = (hit.path, hit.heading)
        length += 0 if under in above else len(shown_heading(hit.heading))
        worth = math.exp(item.odds - ranked[0].odds) / total / length
        if chosen and (worth < _WORTH or (length > room and not free)):
            continue
        if any(is_same_fact(tokens, other) for other in known):
            continue
        known.append(tokens)
        above.update((under, (hit.path, list_heading(hit.heading, hit.snippet))))
        chosen.append(hit)
        if not free:
            left -= not item.touched
            room -= length
    return chosen


def _sent(hit: Hit) -> int:
    """Return the characters sent for the hit."""
    return len(strip_owner(hit.snippet)) + _PLACE


def _is_question(item: Ranked) -> bool:
    return asks_of("ends_asking", item.candidate.text)
