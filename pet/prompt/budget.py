"""Fit files to the prompt's budget: each, the core files together in a third of the window, and all together.

Order of the cuts: MEMORY first, then USER, then the owner's optional files, SOUL last; none below a tenth of the file
limit while another has more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from pet.model import OPTIONAL_FILES, CoreFile
from pet.prompt.fence import escape
from pet.prompt.tokens import UNKNOWN_WINDOW, estimate_tokens
from pet.prompt.truncate import Gap, truncate

_GIVING_WAY = (CoreFile.MEMORY, CoreFile.USER, *reversed(OPTIONAL_FILES), CoreFile.SOUL)
_CORE = tuple(CoreFile)

Marker = Callable[[str, Gap], str]
"""Function that returns the line for the part of the named file that was cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLimits:
    """Limits of the prompt in characters. ``window``: the model's context in tokens, 0 if unknown."""

    file_characters: int = 20_000
    total_characters: int = 150_000
    window: int = 0


@dataclass(frozen=True, slots=True)
class Fitted:
    """A file's text as it enters the prompt. ``cut``: characters left out."""

    text: str
    cut: int
    tokens: int


def fit_to_budget(files: Mapping[str, str], limits: PromptLimits, fixed: int, marker: Marker) -> dict[str, Fitted]:
    """Return the files' texts, escaped and cut. ``fixed``: characters of the prompt outside files."""
    fitting = _Fitting(files, limits.file_characters, marker)
    third = (limits.window or UNKNOWN_WINDOW) // 3
    fitting.shrink(_CORE, estimate_tokens, third)
    fitting.shrink(_GIVING_WAY, len, max(0, limits.total_characters - fixed))
    return fitting.fitted


class _Fitting:
    def __init__(self, files: Mapping[str, str], limit: int, marker: Marker) -> None:
        self._files = files
        self._floor = limit // 10
        self._marker = marker
        self.fitted = {name: self._cut(name, limit) for name in files}

    def shrink(self, among: tuple[str, ...], measure: Callable[[str], int], most: int) -> None:
        """Cut files until those among ``among`` measure at most ``most`` together."""
        order = [name for name in _GIVING_WAY if name in among and name in self.fitted]
        for floor in (self._floor, 0):
            for name in order:
                others = sum(measure(self.fitted[other].text) for other in order if other != name)
                self._shrink_one(name, measure, max(0, most - others), floor)

    def _shrink_one(self, name: str, measure: Callable[[str], int], most: int, floor: int) -> None:
        size = len(self.fitted[name].text)
        while size > floor and (now := measure(self.fitted[name].text)) > most:
            # In proportion first, then in steps that must end: tokens are not spread evenly over a text.
            size = max(floor, min(size * most // now, size * 19 // 20, size - 1))
            self.fitted[name] = self._cut(name, size)

    def _cut(self, name: str, limit: int) -> Fitted:
        done = truncate(self._files[name], limit, partial(self._marker, name), escape)
        return Fitted(done.text, done.cut, estimate_tokens(done.text))
