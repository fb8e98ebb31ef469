"""Which lines of the pet's memory a text holds something of. Pure.

A line counts if the text has its value, the words after its colon, or three of its words in a row; of a script
without spaces, four characters in a row. Small words alone don't count. So more is found than was meant, as what is
found is only said.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from pet.i18n import HAN

_WORDS = 3
_SIGNS = 4
_MOST = 5  # lines that are named
_LINE = 200  # characters of one
_TOKEN = re.compile(rf"[{HAN}\u3040-\u30ff]|[^\W_{HAN}\u3040-\u30ff]+")
_SIGN = re.compile(rf"[{HAN}\u3040-\u30ff]")
_FRAME = re.compile(r"^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|>\s?)*\s*")
_HEADING = re.compile(r"^\s*#{1,6}\s|^\s*<!--")
_SMALL = frozenset(
    """
    a an and are as at be by for from has he her his in is it its my no not of on or our she that the
    their they this to was we were will with yes you your i am do does did have had can could would
    should el la los las un una de del y o en con por para que es son su sus mi sí se lo al
    """.split()  # noqa: SIM905  a list of words would have a line for each
)


def remembered_lines(text: str, memory: Iterable[str]) -> tuple[str, ...]:
    """Return at most five of the lines that ``text`` holds something of.

    >>> remembered_lines('{"to": "lin@example.org"}', ["- Mail: lin@example.org\\n- Tea: green"])
    ('- Mail: lin@example.org',)
    """
    runs = _runs(_tokens(text))
    lines: dict[str, None] = {}
    for source in memory:
        for line in source.splitlines():
            if line not in lines and not _HEADING.match(line) and _is_held(line, runs):
                lines[line.strip()[:_LINE]] = None
                if len(lines) == _MOST:
                    return tuple(lines)
    return tuple(lines)


def _is_held(line: str, runs: set[tuple[str, ...]]) -> bool:
    tokens = _tokens(_FRAME.sub("", line))
    _, colon, value = line.partition("：" if "：" in line else ":")
    own = _tokens(value) if colon else []
    if own and _says_something(own) and all(part in runs for part in _pieces(own)):
        return True
    if len(tokens) <= _WORDS and _says_something(tokens):
        return all(part in runs for part in _pieces(tokens))
    return any(part in runs for part in _pieces(tokens) if _says_something(part))


def _pieces(tokens: list[str]) -> list[tuple[str, ...]]:
    """Return the runs of a line; of a short one the line itself."""
    size = _size(tokens)
    if len(tokens) <= size:
        return [tuple(tokens)]
    return [tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1)]


def _runs(tokens: list[str]) -> set[tuple[str, ...]]:
    return {tuple(tokens[at : at + size]) for size in range(1, _SIGNS + 1) for at in range(len(tokens) - size + 1)}


def _size(tokens: list[str]) -> int:
    return _SIGNS if any(map(_SIGN.match, tokens)) else _WORDS


def _says_something(tokens: Iterable[str]) -> bool:
    return any(each not in _SMALL and (len(each) > 1 or each.isdigit() or _SIGN.match(each)) for each in tokens)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())
