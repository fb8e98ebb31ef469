"""Find where a reply repeats itself without an end, while it streams. Pure."""

from __future__ import annotations

_LONGEST = 1_200  # characters of a passage
_TIMES = 3
_LEAST = 240  # characters that repetitions take in all
_KEY = 40  # characters by whose earlier place a passage is found
_STEP = 80  # characters between two searches
_LETTERS = 8  # different ones in a passage: lines of signs repeat by themselves


class RepetitionFinder:
    """State of one reply.

    >>> finder = RepetitionFinder()
    >>> any(finder.feed("The sea was calm, and the harbour slept. ") for _ in range(40))
    True
    """

    def __init__(self) -> None:
        self._tail = ""
        self._unsearched = 0

    def feed(self, text: str) -> bool:
        """Return whether the reply so far ends with one passage, ``_TIMES`` times or more."""
        self._tail = (self._tail + text)[-_LONGEST * _TIMES :]
        self._unsearched += len(text)
        if self._unsearched < _STEP or len(self._tail) < _LEAST:
            return False
        self._unsearched = 0
        tail = self._tail
        before = tail.rfind(tail[-_KEY:], 0, -1)
        if before < 0:
            return False
        length = len(tail) - _KEY - before
        whole = tail[-max(length * _TIMES, _LEAST) :]
        repeats = len(whole) >= length * _TIMES and whole[length:] == whole[:-length]
        return repeats and len({each for each in whole[-length:] if each.isalpha()}) >= _LETTERS
