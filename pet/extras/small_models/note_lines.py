"""Lines of the notes, and the words by which one is found for a message. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pet.language.labels import strip_owner
from pet.language.tokens import naming_words
from pet.memory.store.split_entries import without_mark


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
