"""Split a text into sentences and clauses. Pure.

Code, quotes and Markdown markers are blanked out at the same length, so that offsets refer to the original text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

_LONGEST = 400  # characters of a clause examined as one

_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_FILE = re.compile(r"`((?:memory/)?[A-Za-z0-9_-]{1,20}\.md)`")
_QUOTED = re.compile(
    r"`[^`\n]{1,500}`|\"[^\"\n]{1,500}\"|\u201c[^\u201c\u201d\n]{1,500}\u201d|\u300c[^\u300c\u300d\n]{1,500}\u300d"
    r"|\u300e[^\u300e\u300f\n]{1,500}\u300f|\u300a[^\u300a\u300b\n]{1,100}\u300b|\u00ab[^\u00ab\u00bb\n]{1,500}\u00bb"
    r"|(?<![A-Za-z0-9])'[^'\n]{1,300}'(?![A-Za-z])|(?<![A-Za-z0-9])\u2018[^\u2018\u2019\n]{1,300}\u2019(?![A-Za-z])"
)
QUOTED = "\ufffc"  # placeholder for a quote: a token, not white space
_ACTION = re.compile(r"(?<!\*)\*([^*\s]+(?: [^*\s]+){2,30})\*(?!\*)")  # *pads to the window*: a separate clause
_MARKS = str.maketrans(dict.fromkeys("*_#`", " ") | {"\u2019": "'", "\u02bc": "'", "\u3000": " ", "\u00a0": " "})
_SPACE = re.compile(r"\s+")
_SENTENCE_END = re.compile(
    r"(?<![.!?])[.!?]++(?=[\s)\]\"'\u201d\uff09\U0001f000-\U0001faff\u2600-\u27bf]|$)|[\u3002\uff01\uff1f!?]+|\n"
    r"|[\U0001f000-\U0001faff\u2600-\u27bf]+"
)
_CLAUSE_END = re.compile(
    r"[,;:()\[\]|\uff0c\uff1b\uff1a\u3001\uff08\uff09\u3010\u3011\u2014\u2013\u2026~\uff5e]|\s-\s|\.\.+"
    r"|\s[xX^=>]\S{1,4}$"
    r"|\bbut\b|\bpero\b|\u4f46\u662f|\u4e0d\u8fc7",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """``text``: the blanked text, same length as the original from ``start`` to ``end``."""

    start: int
    end: int
    text: str
    question: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """Part of a sentence, with the text before and after it."""

    start: int  # offset in the whole text
    end: int
    text: str  # white space collapsed to single spaces
    before: str
    after: str
    asks: bool  # this clause ends with the question mark


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences in order."""
    blanked = _blanked(text)
    start = 0
    for mark in (*_SENTENCE_END.finditer(blanked), None):
        end = mark.end() if mark else len(blanked)
        if blanked[start:end].strip():
            question = mark is not None and ("?" in mark[0] or "\uff1f" in mark[0])
            yield Sentence(start=start, end=end, text=blanked[start:end], question=question)
        start = end


def clauses(sentence: Sentence) -> Iterator[Clause]:
    """Yield the clauses of a sentence; very long ones in pieces."""
    blanked = sentence.text
    cuts = [0, *(mark.end() for mark in _CLAUSE_END.finditer(blanked)), len(blanked)]
    for start, end in itertools.pairwise(cuts):
        if blanked[start:end].strip():
            asks = sentence.question and not blanked[end:].strip(" ?\uff1f!\uff01\n")
            for at in range(start, end, _LONGEST):
                to = min(end, at + _LONGEST)
                yield Clause(
                    start=sentence.start + at,
                    end=sentence.start + to,
                    text=_SPACE.sub(" ", blanked[at:to]).strip(),
                    before=blanked[max(0, at - _LONGEST) : at],
                    after=blanked[to : to + _LONGEST],
                    asks=asks,
                )


def _blanked(text: str) -> str:
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or fence == mark[1]):
            fence = "" if fence else mark[1]
            lines.append(" " * len(line))
        elif fence or line.lstrip(" \t").startswith(">"):
            lines.append(" " * len(line))
        else:
            lines.append(line)
    text = _FILE.sub(lambda name: f" {name[1]} ", "\n".join(lines))
    text = _ACTION.sub(r";\1;", text)
    text = _QUOTED.sub(lambda quoted: QUOTED * len(quoted[0]), text)
    return text.translate(_MARKS)
