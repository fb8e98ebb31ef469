"""Markdown as plain blocks: headings, lists, quotes, code, formulas (in plain characters) and tables. Pure.

Unknown markup stays as written; no text is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from pet.text.plain_formula import FORMULA, plain_formula

BlockKind = Literal["text", "heading", "item", "quote", "code", "row"]

LONGEST = 20_000
"""Characters; longer texts are truncated, and read in the chat."""

_FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})[^`]*$")
_HEADING = re.compile(r"^\s{0,3}#{1,6}[ \t]+(?P<text>.*)$")
_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>[-*+]|[0-9]{1,9}[.)])[ \t]+(?P<text>.*)$")
_TASK = re.compile(r"^\[(?P<done>[ xX])\][ \t]+")
_QUOTE = re.compile(r"^\s{0,3}>[ \t]?(?P<text>.*)$")
_ROW = re.compile(r"^\s*\|(?P<cells>.*)\|\s*$")
_CELL = re.compile(r"(?:\\.|(?<!`)(?P<ticks>`+)(?![`\s]).*?(?<!`)(?P=ticks)(?!`)|[^|])+")
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_RULER = re.compile(r"^[\s|:-]+$")
_LINE = re.compile(r"^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_LINK = re.compile(r"!?\[(?P<text>[^\]\n]*)\]\((?P<to>[^)\s\n]*)[^)\n]*\)")
_LITERAL = re.compile(rf"(?P<ticks>`+)(?P<text>.+?)(?P=ticks)|{FORMULA}")
_SET_APART = re.compile(r"^ {0,3}(?:\$\$[^$`]{1,3000}?\$\$|\\\[[^`]{1,3000}?\\\])[ \t]*$", re.MULTILINE)
"""A display formula, on one line or several."""
_EMPHASIS = re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1")
_SLANT = re.compile(r"(?<![a-zA-Z0-9_*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![a-zA-Z0-9_*])")
_DEEPEST = 3
_LONGEST_MARKED = 2_000  # scanning a longer line for markup is slow


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownBlock:
    """A block without markup. ``mark``: the bullet or number of an item; ``depth``: its nesting level."""

    kind: BlockKind
    text: str
    mark: str = ""
    depth: int = 0


def blocks(markdown: str, longest: int = LONGEST) -> list[MarkdownBlock]:
    """Return the blocks in order; lines of one paragraph, quote or code block are joined."""
    text = markdown if len(markdown) <= longest else markdown[:longest].rstrip() + "\u2026"
    return list(_joined(_lines(_SET_APART.sub(lambda match: " ".join(match[0].split()), text))))


def plain_line(markdown: str) -> str:
    """Return the text on one line, without markup.

    >>> plain_line("# Tea\\n- **green**, not `black`")
    'Tea • green, not black'
    """
    pieces = blocks(markdown, len(markdown))
    return " ".join(" ".join(f"{piece.mark} {piece.text}" for piece in pieces).split())


def without_markup(markdown: str) -> str:
    """Return a line without the markup of links, code, formulas and emphasis."""
    if len(markdown) > _LONGEST_MARKED:
        return markdown
    kept: list[str] = []
    at = 0
    for code in _LITERAL.finditer(markdown):  # no markup within code and formulas
        formula = code["inline"] or code["dollars"] or code["round"] or code["square"]
        inside = (plain_formula(formula) or formula) if formula else code["text"].strip() or code["text"]
        kept += (_unmarked(markdown[at : code.start()]), inside)
        at = code.end()
    return "".join((*kept, _unmarked(markdown[at:])))


def _unmarked(text: str) -> str:
    return _SLANT.sub(r"\1", _EMPHASIS.sub(r"\2", _LINK.sub(r"\g<text>", _BREAK.sub("\n", text))))


def _lines(text: str) -> Iterator[MarkdownBlock | None]:
    """Yield each line as a block, None at block boundaries."""
    fence = ""
    for line in text.split("\n"):
        opening = _FENCE.match(line)
        if fence:
            if opening and opening[1].startswith(fence) and line.strip() == opening[1]:
                fence = ""
                yield None
            else:
                yield MarkdownBlock(kind="code", text=line)
        elif opening:
            fence = opening[1]
            yield None
        elif not line.strip() or _LINE.match(line):
            yield None
        else:
            yield _piece(line)


def _piece(line: str) -> MarkdownBlock | None:
    if heading := _HEADING.match(line):
        return MarkdownBlock(kind="heading", text=without_markup(heading["text"].rstrip("#").rstrip(" \t")))
    if item := _ITEM.match(line):
        depth = len(item["indent"].expandtabs(4)) // 2
        mark = "\u2022" if item["mark"] in "-*+" else item["mark"]
        text = item["text"]
        if task := _TASK.match(text):
            mark, text = ("\u2610" if task["done"] == " " else "\u2611"), text[task.end() :]
        return MarkdownBlock(kind="item", text=without_markup(text), mark=mark, depth=min(depth, _DEEPEST))
    if quote := _QUOTE.match(line):
        return MarkdownBlock(kind="quote", text=without_markup(quote["text"]))
    if row := _ROW.match(line):
        if _RULER.match(line):
            return None
        cells = (without_markup(cell[0].strip().replace("\\|", "|")) for cell in _CELL.finditer(row["cells"]))
        return MarkdownBlock(kind="row", text=" \u00b7 ".join(cell.replace("\n", " ").strip() for cell in cells))
    return MarkdownBlock(kind="text", text=without_markup(line.strip()))


def _joined(lines: Iterator[MarkdownBlock | None]) -> Iterator[MarkdownBlock]:
    """Join lines of one kind, including indented continuation lines of an item."""
    open_piece: MarkdownBlock | None = None
    for line in lines:
        if open_piece is not None and line is not None and _goes_on(open_piece, line):
            open_piece = replace(open_piece, text=f"{open_piece.text}\n{line.text}")
            continue
        if open_piece is not None:
            yield open_piece
        open_piece = line
    if open_piece is not None:
        yield open_piece


def _goes_on(before: MarkdownBlock, line: MarkdownBlock) -> bool:
    if line.kind == "text":
        return before.kind in ("text", "item")
    return line.kind == before.kind and line.kind in ("quote", "code")
