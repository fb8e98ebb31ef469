"""Evidence besides a small model's answer: corrections that the message's own words make certain, which kind of
message it is, and which line is replaced. Pure.

Kind and line are read from a quick embedder's vectors and from word sequences, with the weights in
``pet/memory/data/message_kinds.json``, made by ``python -m benchmarks.fit.message_kinds``.
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
from typing import TYPE_CHECKING

from pet.engine.notebook_corrections import (
    COMPANION,
    NAME_LABEL,
    NAMES,
    SUBJECTS,
    VALUE_KINDS,
    VALUES,
    WEEKDAYS,
    about_the_same,
    fits,
    is_uncertain,
    label,
    matter,
    naming_words,
    own_sentence,
    persons,
    without_lead,
)
from pet.language.normalization import to_simplified
from pet.language.tokens import is_cjk
from pet.memory import read_data
from pet.text.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_NUMBERS = r"\d[\d.,:]*\d|\d+"
_SPECIFIC = lazy_pattern(rf"{WEEKDAYS}|{_NUMBERS}", re.I)
_EXCHANGES = (
    lazy_pattern(r"\bnot\b (?P<wrong>[^,.;!?]{1,30}?),? but (?P<right>[^,.;!?]{1,30})"),
    lazy_pattern(r"\bno\b (?P<wrong>[^,.;!?]{1,30}?),? sino (?P<right>[^,.;!?]{1,30})", re.I),
    lazy_pattern(r"不是(?P<wrong>[^，。是]{1,12})[，,]?(?:而)?是(?P<right>[^，。]{1,12})"),
    lazy_pattern(
        r"(?P<right>[^,.;!?]{1,40}),? (?:and not|not|instead of|rather than) (?P<wrong>[^,.;!?]{1,30})", re.I
    ),
    lazy_pattern(r"(?P<right>[^,.;!?]{1,40}), (?:y )?(?:no|en vez de) (?P<wrong>[^,.;!?]{1,30})", re.I),
    lazy_pattern(r"(?:是|在|改成|改到)(?P<right>[^，。]{1,12})[，,](?:而)?不(?:是|在)(?P<wrong>[^，。了]{1,12})"),
)
"""The one, not the other."""
_MY_NAME = lazy_pattern(
    r"^(?:no,? )?my (?:real |first |full )?name(?:'s| is)(?: really| actually)? ((?-i:[A-ZÀ-Þ])[\w'-]+)(?=\W|$)"
    r"|^我(?:的?(?:真名|名字)是?|其实)?叫(?:做|作)?([^\s，。,.！!吧了什啥]{2,4})(?=[，。,.！!吧了]|$)"
    r"|^(?:en realidad )?(?:me llamo|mi nombre es) ((?-i:[A-ZÀ-Þ])[\w'-]+)(?=\W|$)",
    re.I,
)
_ADDRESS_ME = lazy_pattern(
    r"^(?:(?:please|just|you can|from now on,?|could you|better) )*call me ((?-i:[A-ZÀ-Þ])[\w'-]+)"
    r"(?=[.,!?]|$| from| please)"
    r"|^(?:请|你|就|以后|今后|从现在起|还是)*叫我([^\s，。,.！!吧好就]{1,4})(?=[，。,.！!吧好就]|$)"
    r"|^(?:(?:por favor,?|mejor|puedes|desde ahora,?) )*ll[aá]m(?:ame|arme) ((?-i:[A-ZÀ-Þ])[\w'-]+)(?=[.,!]|$)",
    re.I,
)
_ADDRESS_LABEL = lazy_pattern(
    r"(?:how to )?(?:call|address)(?: (?:her|him|them|me|my owner|you))?|nickname|称呼|怎么称呼|昵称|小名"
    r"|c[oó]mo llamarl[ea]|apodo",
    re.I,
)


def exchanged(old: str, message: str) -> str:
    """Return the old line with one value for another, if the message says "the one, not the other" and the line has
    the other; "" otherwise.

    >>> exchanged("choir is on Mondays", "Choir is on Fridays, not Mondays.")
    'choir is on Fridays'
    """
    if is_uncertain(message):
        return ""
    match = next((hit for pattern in _EXCHANGES if (hit := pattern.search(message))), None)
    if match is None:
        return ""
    wrong, right = _value_in(match["wrong"]), _value_in(match["right"], last=True)
    bounds = (r"(?<!\w)", r"(?!\w)") if wrong.isascii() else ("", "")
    place = re.search(re.escape(wrong).join(bounds), old, re.I) if len(wrong) > 1 and right else None
    if place is None or (right.casefold() in old.casefold() and right.casefold() not in wrong.casefold()):
        return ""
    before = naming_words(old)
    others = (before & naming_words(message)) - naming_words(wrong)
    of_line = not persons(message) if label(old) else others and about_the_same(old, before, message)
    if not of_line:
        return ""
    return old[: place.start()] + right + old[place.end() :]


def _value_in(text: str, *, last: bool = False) -> str:
    """Return the day, date, number or name in one side of "the one, not the other"; "" without one."""
    for pattern in (_SPECIFIC, NAMES):
        if values := [match[0] for match in pattern.finditer(text)]:
            return values[-1 if last else 0]
    words = text.strip()
    return words if is_cjk(words[:1]) else ""


def owners_name(message: str) -> tuple[str, re.Pattern[str]] | None:
    """Return the owner's name in a message that states it, and the labels of the lines for it; None otherwise."""
    for pattern, label_of in ((_MY_NAME, NAME_LABEL), (_ADDRESS_ME, _ADDRESS_LABEL)):
        match = pattern.search(without_lead(message))
        name = next((group for group in match.groups() if group), "") if match else ""
        if name and not VALUES.fullmatch(name):
            return name, label_of
    return None


# --- what kind of message it is, and which line it replaces ----------------------------------------

KINDS = ("fact", "change", "wish", "forget", "soul", "asks", "chat", "joke", "hypothesis", "quote")
STATEMENTS = frozenset({"fact", "change"})
ASSERTS_NOTHING = frozenset({"asks", "chat", "joke", "hypothesis", "quote"})
FILE = "message_kinds.json"
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

    stored = json.loads(read_data(FILE))
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
    stated, words, sentence = matter(message), naming_words(message), own_sentence(message)
    named = persons(COMPANION.sub("", message))
    often = Counter(word for line in lines for word in naming_words(line))
    changes = float(np.log((evidence.kinds["change"] + 0.01) / (evidence.kinds["fact"] + 0.01))) / 3
    rows = []
    for place, line in enumerate(lines):
        before, there = naming_words(line), persons(line)
        rare = sum(1 / often[word] for word in matter(line) & stated)
        allowed = float(bool(sentence) and fits(line, sentence, message))
        rows.append(
            [
                near[place],
                apart[place],
                float(place == near.argmax()),
                rare,
                len(matter(line) & stated) / max(1, len(matter(line))),
                float(about_the_same(line, before, message)),
                len(there & named),
                len(named - there),
                min(sum(bool(topic.search(line) and topic.search(message)) for topic in SUBJECTS), 2),
                min(sum(bool(kind.search(line) and kind.search(message)) for kind in VALUE_KINDS), 2),
                allowed,
                float(bool(label(line))),
                float(bool(before & words)),
                changes,
                apart[place] * changes,
                rare * changes,
                allowed * changes,
                1.0,
            ]
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
