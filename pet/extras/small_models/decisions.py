"""Interpret a small model's answer about what to note, and decide what is acted on. Pure.

A small model only adds: whatever it answers, no line of the owner's is replaced. Wishes about the pet (its name, its
manner) lead to a proposal for SOUL.md, never to a write.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pet.extras.small_models.prompts import LONGEST_SOUL, Line, is_shown_whole, parse_answer
from pet.language.labels import stated_name, strip_owner
from pet.language.normalization import to_simplified
from pet.language.small_talk import is_small_talk
from pet.language.tokens import naming_words
from pet.language.wishes import (
    asks_to_remember,
    means_last_message,
    new_name,
    wants_forgetting,
    wants_no_note,
    words_of_forgetting,
)
from pet.memory.store.split_entries import bare, without_mark
from pet.text.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


def unmarked(line: str) -> str:
    """Return the line without list mark and "Owner:"."""
    return strip_owner(without_mark(line.strip()))


def is_labelled(text: str) -> bool:
    """Whether a line begins with a label: "Name: Ann"."""
    return re.match(r"[^:：]{1,40}[:：]", text) is not None


def same(one: str, other: str) -> bool:
    """Whether two texts differ at most in case, spaces and punctuation."""

    def plain(text: str) -> str:
        return re.sub(r"[\W_]+", "", text).casefold()

    return plain(one) == plain(other)


def fitting_lines(texts: Sequence[str], message: str) -> list[int]:
    """Return the places of the texts that share words with the message, best first: rare words count more."""
    words = naming_words(message)
    shared = [naming_words(text) & words for text in texts]
    often = Counter(word for each in shared for word in each)
    scores = [sum(1 / often[word] for word in each) for each in shared]
    return sorted((place for place, score in enumerate(scores) if score), key=lambda place: (-scores[place], place))


def forget_query(message: str, lines: Sequence[Line], last: str) -> str:
    """Return the text to search for when the message requests forgetting: its words in the notes that fit best, or
    the whole of the best note; "" if none fits. ``last``: the owner's previous message, which "that" refers to."""
    words = {word for word in naming_words(message) if word not in words_of_forgetting()}
    texts = [bare(line.text) for line in lines]
    of = [naming_words(text) & words for text in texts]
    shared: set[str] = set().union(*of)
    weights = {word: 1 / sum(word in each for each in of) for word in shared}
    scores = [sum(weights[word] for word in each) for each in of]
    best = max(scores, default=0.0)
    if best:
        fitting = [text for text, score in zip(texts, scores, strict=True) if score == best]
        return _common_text(message, fitting) or fitting[0]
    sentence = " ".join(last.split()) if means_last_message(message) else ""
    return sentence if sentence and any(bare(sentence) in text for text in texts) else ""


def _common_text(message: str, texts: Sequence[str]) -> str:
    """Return the longest run of words (in Chinese of characters) of the message that is in all ``texts`` and begins
    and ends with a content word; "" without one."""
    word = r"[^\W_\u3400-\u9fff]+"
    pieces: list[str] = re.findall(rf"[\u3400-\u9fff]|{word}(?:['\u2019-]{word})*", message)
    for count in range(min(8, len(pieces)), 0, -1):
        for start in range(len(pieces) - count + 1):
            run = pieces[start : start + count]
            text = run[0] + "".join(f" {each}" if each[0].isascii() or len(each) > 1 else each for each in run[1:])
            is_content = all(naming_words(each) - words_of_forgetting() for each in (run[0], run[-1]))
            if is_content and len(text) > 1 and all(text.casefold() in each.casefold() for each in texts):
                return text
    return ""


KINDS = ("fact", "change", "wish", "forget", "soul", "asks", "chat", "joke", "hypothesis", "quote")
STATEMENTS = frozenset({"fact", "change"})
ASSERTS_NOTHING = frozenset({"asks", "chat", "joke", "hypothesis", "quote"})
FILE = Path(__file__).parent / "message_kinds.json"
BUCKETS = 2_048  # of word sequences
MEANING, WORDS = 8.0, 5.0
"""Lengths of the two parts of a message's features."""
_LONGEST = 400  # characters examined of a message
_PIECES = re.compile(r"[^\W_\u3400-\u9fff]+(?:'[^\W_]+)?|[\u3400-\u9fff]|[?!\"\u201c\u201d\u300c\u300d:,]")
_SAME_MARK = str.maketrans("\u2019\uff1f\uff01\uff1a\uff0c\u201c\u201d\u300c\u300d", '\'?!:,""""')


@dataclass(frozen=True, slots=True)
class Evidence:
    """Probabilities of a message's kinds, and of each line that it is replaced, by place."""

    kinds: Mapping[str, float]
    replaced: tuple[float, ...] = ()

    def chance_of(self, *kinds: str) -> float:
        return sum(self.kinds[kind] for kind in kinds)

    def of_all_lines(self, places: Sequence[int], count: int) -> Evidence:
        """Return the evidence with a probability for each of ``count`` lines, of which the ones at ``places`` were
        weighed."""
        if not self.replaced:
            return self
        chances = dict(zip(places, self.replaced, strict=True))
        return Evidence(self.kinds, tuple(chances.get(place, 0.0) for place in range(count)))


NO_EVIDENCE = Evidence(dict.fromkeys(KINDS, 0.0))


@cache
def _weights() -> tuple[int, Floats, Floats, Floats]:
    """Return the embedder's dimensions, the weights and biases of the kinds, and the weights of a line's features."""
    import numpy as np

    stored = json.loads(FILE.read_text("utf-8"))
    of_kinds = np.frombuffer(base64.b64decode(stored["kinds"]), dtype="<f2").astype(np.float32)
    biases = np.array(stored["biases"], dtype=np.float32)
    return stored["dimensions"], of_kinds.reshape(-1, len(KINDS)), biases, np.array(stored["line"], dtype=np.float32)


def word_features(message: str) -> Floats:
    """Return the message's sequences of one to three words, hashed, as a unit vector ``(BUCKETS,) float32``."""
    import numpy as np

    text = to_simplified(message[:_LONGEST].translate(_SAME_MARK)).lower()
    pieces = ["^", *("0" if each.isdigit() else each for each in _PIECES.findall(text)), "$"]
    sequences = {" ".join(pieces[at : at + n]) for n in (1, 2, 3) for at in range(len(pieces) - n + 1)}
    features = np.zeros(BUCKETS, dtype=np.float32)
    for each in sequences:
        features[zlib.crc32(each.encode()) % BUCKETS] += 1
    return features / np.float32(np.linalg.norm(features))


def message_features(message: str, vector: Floats) -> Floats:
    """Return what the kinds are read from. ``vector``: the message's embedding."""
    import numpy as np

    meaning = vector / max(float(np.linalg.norm(vector)), 1e-9)
    return np.concatenate([meaning * MEANING, word_features(message) * WORDS]).astype(np.float32)


def line_features(message: str, lines: Sequence[str], vectors: Floats, evidence: Evidence) -> Floats:
    """Return a row for each line. ``lines`` without mark, owner and date; ``vectors``: of the message, then of the
    lines."""
    import numpy as np

    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    near = units[1:] @ units[0]
    apart = (near - np.median(near)) / (near.std() + 0.02) / 3
    words, of_lines = naming_words(message), [naming_words(line) for line in lines]
    often = Counter(word for each in of_lines for word in each)
    changes = float(np.log((evidence.kinds["change"] + 0.01) / (evidence.kinds["fact"] + 0.01))) / 3
    rows = []
    for place, (line, own) in enumerate(zip(lines, of_lines, strict=True)):
        shared = own & words
        rare, share = sum(1 / often[word] for word in shared), len(shared) / max(1, len(own))
        signs = [near[place], apart[place], float(place == near.argmax()), rare, share, float(bool(shared))]
        rows.append(
            [*signs, float(is_labelled(line)), changes, apart[place] * changes, rare * changes, share * changes, 1.0]
        )
    return np.array(rows, dtype=np.float32)


def weigh(message: str, lines: Sequence[str], vectors: Floats | None) -> Evidence:
    """Return what the weights make of a message and the lines it may replace; ``NO_EVIDENCE`` without vectors or for
    ones of another embedder. ``vectors``: of the message, then of the lines; without lines, only kinds are read."""
    import numpy as np

    dimensions, of_kinds, biases, of_lines = _weights()
    if vectors is None or vectors.shape[1] != dimensions or len(vectors) <= len(lines):
        return NO_EVIDENCE
    odds = message_features(message, vectors[0]) @ of_kinds + biases
    shares = np.exp(odds - odds.max())
    kinds = Evidence(dict(zip(KINDS, map(float, shares / shares.sum()), strict=True)))
    if not lines:
        return kinds
    replaced = 1 / (1 + np.exp(-(line_features(message, lines, vectors, kinds) @ of_lines)))
    return Evidence(kinds.kinds, tuple(map(float, replaced)))


_DECIDED = lazy_pattern(r'\s*\{\s*"is"\s*:\s*"(chat|question|task|fact|change|pet)"')

_SURE = 0.8
_ALMOST_SURE = 0.9
_LIKELY = 0.7
_RATHER = 0.6
_HALF = 0.5
_HARDLY = 0.2
"""Probabilities from which evidence counts, chosen on the labelled requests that it was not fitted to."""


@dataclass(frozen=True, slots=True)
class NothingToNote:
    pass


@dataclass(frozen=True, slots=True)
class Note:
    """Add the owner's sentence to today's log. ``older``: the 0-based place of the line that seems to answer the same
    question, which the owner may replace; None without one."""

    older: int | None = None


@dataclass(frozen=True, slots=True)
class Soul:
    pass


Decision = NothingToNote | Note | Soul


@dataclass(frozen=True, slots=True)
class SoulChange:
    """One more line of the soul. ``line``: the place of the line before it, in the order shown to the model."""

    line: int
    new: str


def needs_no_question(message: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the message holds nothing to note, so that the question is skipped."""
    if not message.strip() or is_small_talk(message):
        return True
    return is_wish_to_forget(message, evidence) or wants_no_note(message)


def is_wish_to_forget(message: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the message requests that something noted be erased, by its words or by what it resembles."""
    if wants_forgetting(message):
        return True
    return evidence.chance_of("forget") >= _SURE and not asks_to_remember(message)


def is_wish_to_remember(message: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the message requests that something be remembered, by its words or by what it resembles."""
    if asks_to_remember(message):
        return True
    return evidence.chance_of("wish") >= _HALF and not wants_forgetting(message)


def notes_first(message: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the message wishes something noted, forgotten or changed of the pet, so that the reply has to know what
    was written."""
    if is_wish_to_remember(message, evidence) or is_wish_to_forget(message, evidence):
        return True
    return _is_of_the_pet(message, evidence)


def is_decided(answer: str, evidence: Evidence = NO_EVIDENCE) -> bool:
    """Whether the beginning of an answer is decisive: its further fields are not used."""
    begun = _DECIDED.match(answer)
    return begun is not None and (begun[1] != "change" or bool(evidence.replaced))


def read_decision(answer: str, count: int) -> Decision | None:
    """Return the decision in an answer to the question with ``count`` lines; None if it is invalid."""
    fields = parse_answer(answer if "}" in answer or not _DECIDED.match(answer) else answer + "}")
    if fields is None:
        return None
    match fields.get("is"):
        case "chat" | "question" | "task":
            return NothingToNote()
        case "fact":
            return Note()
        case "pet":
            return Soul()
        case "change":
            return Note(_number(fields.get("line"), count))
    return None


def read_soul_change(answer: str, count: int) -> SoulChange | None:
    """Return the change in an answer about a soul of ``count`` lines; None if it is invalid."""
    fields = parse_answer(answer)
    if fields is None:
        return None
    line, new = _number(fields.get("line"), count), _one_line(fields.get("new"), LONGEST_SOUL)
    return SoulChange(line, new) if line is not None and new else None


def is_copied_soul(new: str, message: str, lines: Sequence[Line], examples: Sequence[str]) -> bool:
    """Whether a new line of the soul repeats one of its ``lines``, the message, or an example that the message has no
    word of."""
    if any(same(without_mark(new), without_mark(line.text)) for line in lines) or same(new, message):
        return True
    strange = not naming_words(new) & naming_words(message)
    return strange and any(same(without_mark(new), without_mark(example)) for example in examples)


def settle(
    decision: Decision | None, message: str, lines: Sequence[Line], evidence: Evidence = NO_EVIDENCE
) -> Decision:
    """Return the final decision. The owner's request to remember overrides the model's answer; otherwise the kind of
    the message does where it is clear."""
    if is_wish_to_remember(message, evidence):
        return _note(decision, message, lines, evidence)
    if _is_of_the_pet(message, evidence):
        return Soul()
    asks = evidence is NO_EVIDENCE and message.rstrip().endswith(("?", "？"))
    if decision is None or asks or evidence.chance_of(*ASSERTS_NOTHING) >= _LIKELY:
        return NothingToNote()
    asserts = evidence.chance_of(*STATEMENTS)
    match decision:
        case NothingToNote():
            noted = asserts >= _SURE
        case Soul():
            noted = asserts >= _RATHER and evidence.chance_of("soul") < _HARDLY
        case _:
            noted = True
    return _note(decision, message, lines, evidence) if noted else decision


def _is_of_the_pet(message: str, evidence: Evidence) -> bool:
    return new_name(message) is not None or evidence.chance_of("soul") >= _ALMOST_SURE


def _note(decision: Decision | None, message: str, lines: Sequence[Line], evidence: Evidence) -> Note:
    """Return a note, with the line whose question it seems to answer: by the evidence, or without any by the model's
    answer, if the line has a word of the message."""
    if evidence.replaced:
        place = max(range(len(evidence.replaced)), key=evidence.replaced.__getitem__)
        likely = evidence.replaced[place] >= _SURE
    else:
        named = decision.older if isinstance(decision, Note) else None
        place = -1 if named is None else named
        likely = named is not None and bool(naming_words(lines[named].text) & naming_words(message))
    return Note(place if likely and is_shown_whole(lines[place]) else None)


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


def with_soul(text: str, line: Line, change: SoulChange) -> str | None:
    """Return SOUL.md with one line added after ``line``; None if that is gone. No line is ever replaced: the owner
    sees the old and the new one, and decides."""
    lines = text.split("\n")
    if line.index >= len(lines) or lines[line.index].strip() != line.text:
        return None
    old = lines[line.index]
    mark = re.match(r"\s*(?:[-*+\u2022]\s+)?", old)
    front = mark[0] if mark else ""
    new = front + re.sub(r"^[-*+\u2022]\s+", "", change.new)
    if new.strip() == old.strip():
        return None
    lines.insert(line.index + 1, new)
    return "\n".join(lines)


def with_name(text: str, message: str) -> str | None:
    """Return SOUL.md with every occurrence of the pet's name replaced by the one in the message.

    None if the message gives no name, or SOUL.md states none.
    """
    new, old = new_name(message), stated_name(text)
    if new is None or not old:
        return None
    if old == new:
        return None
    bounds = (r"\b", r"\b") if old.isascii() else ("", "")
    return re.sub(re.escape(old).join(bounds), lambda _: new, text)
