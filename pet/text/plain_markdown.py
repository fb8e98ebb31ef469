"""Markdown and TeX formulas as plain characters, for places without typesetting: the bubble, titles. Pure.

Markdown becomes blocks: headings, lists, quotes, code, formulas and tables. Unknown markup stays as written; no text
is lost. A formula without such a form keeps its letters and loses its markup.

>>> plain_formula(r"\\frac{1}{2} x^2")
'1/2 x²'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

_TOKEN = re.compile(r"\\([A-Za-z]+)\*?|\\(.)|(\s+)|(.)", re.DOTALL)
_MONEY = (
    r"\d[\d.,]*(?=[^$\n]*[\d.,]\$)(?:\s*[,;，、~–-]\s+|[，、~–-]|[^$\n]*(?:\s[^\W\d_]{2}|[\u3040-\u30ff\u3400-\u9fff])[^$\n]*)"
    r"\d[\d.,]*\$"
)
"""Amounts with their signs before and after ("$20, 30$ or 40$"): two numbers, or a number, words and a number."""
FORMULA = (
    r"\$\$(?P<dollars>[^$]{1,2000}?)\$\$|\\\((?P<round>[\s\S]{1,2000}?)\\\)|\\\[(?P<square>[\s\S]{1,2000}?)\\\]"
    rf"|(?<![\w$\\])\$(?=\S)(?!{_MONEY})"
    r"(?P<inline>[^$\n]{1,200}?)(?<=\S)\$(?![\w$])"
)
"""Source of a pattern for a formula with its delimiters, in one of four groups. Bounded, so that unclosed delimiters
cost little. "$5 or $10" is no formula.
"""
_SPAN = re.compile(FORMULA)
_CERTAIN = re.compile(r"[\\^_]")
_DEEPEST_FORMULA = 20
_SUM = re.compile("[-+=±∓ ]")
_BRACKETS = re.compile(r"\([^()]*\)")
_INNER_BLANKS = re.compile(r"(?<=[(\[{⌊⌈⟨])\s+|\s+(?=[)\]}⌋⌉⟩])|\s+(?=;)")

_RAISED = str.maketrans("0123456789+-=()nixabcdeghjklmoprstuvwyzT∗*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱˣᵃᵇᶜᵈᵉᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷʸᶻᵀ**")
_LOWERED = str.maketrans("0123456789+-=()aeijknoprstuvxhlm", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₙₒₚᵣₛₜᵤᵥₓₕₗₘ")
_SHIFTED = frozenset(map(chr, (*_RAISED.values(), *_LOWERED.values())))
_ACCENTS = {"vec": "\u20d7", "hat": "\u0302", "bar": "\u0304", "overline": "\u0304", "tilde": "\u0303"}
_ACCENTS |= {"dot": "\u0307", "ddot": "\u0308", "widehat": "\u0302", "widetilde": "\u0303"}
_DOUBLE = str.maketrans("CHNPQRZ", "ℂℍℕℙℚℝℤ")
_ROOTS = {"": "√", "3": "∛", "4": "∜"}
_SILENT = re.compile("left|right|[bB]igg?[lr]?|middle|(?:display|text|script)style|(?:no)?limits|nonumber|hline")
_WORDS = frozenset(("text", "textrm", "textbf", "textit", "mbox"))
_SPACES = {",": " ", ";": " ", ":": " ", " ": " ", "!": "", "\\": "; ", "quad": " ", "qquad": " "}
_NAMES = (
    "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ "
    "mu μ nu ν xi ξ pi π rho ρ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ "
    "Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω sum ∑ prod ∏ int ∫ iint ∬ oint ∮ partial ∂ "
    "nabla ∇ infty ∞ cdot · times × div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ "
    "ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ to → rightarrow → leftarrow ← gets ← mapsto ↦ "
    "leftrightarrow ↔ Rightarrow ⇒ implies ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔ in ∈ notin ∉ ni ∋ subset ⊂ "
    "subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ emptyset ∅ varnothing ∅ forall ∀ exists ∃ neg ¬ lnot ¬ "
    "land ∧ wedge ∧ lor ∨ vee ∨ oplus ⊕ otimes ⊗ perp ⊥ parallel ∥ mid | angle ∠ degree ° prime ′ hbar ℏ ell ℓ Re ℜ "
    "Im ℑ aleph ℵ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | rvert | vert | Vert ‖ ldots … dots … "
    "cdots ⋯ vdots ⋮ therefore ∴ because ∵ square □ triangle △ top ⊤ bot ⊥ vdash ⊢ models ⊨ rightleftharpoons ⇌"
)
_SYMBOLS = dict(zip(_NAMES.split()[::2], _NAMES.split()[1::2], strict=True))


def plain_formula(tex: str) -> str:
    """Return the formula in one line of plain characters."""
    tokens = [match.groups() for match in _TOKEN.finditer(tex)]
    return _INNER_BLANKS.sub("", " ".join(_Reader(tokens).read().split()))


def without_formulas(text: str) -> str:
    """Return the text with its formulas plain. Dollar signs around words or figures may be money: kept."""

    def plain(match: re.Match[str]) -> str:
        tex = next(part for part in match.groups() if part is not None)
        certain = match["inline"] is None or _CERTAIN.search(tex)
        return plain_formula(tex) if certain else match[0]

    return _SPAN.sub(plain, text) if "$" in text or "\\" in text else text


class _Reader:
    """Parser of tokens: (command, escaped sign, white space, character), one of them set."""

    def __init__(self, tokens: list[tuple[str | None, ...]]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def read(self, until: str = "") -> str:
        out: list[str] = []
        while self._at < len(self._tokens):
            if until and self._tokens[self._at][3] == until:
                self._at += 1
                break
            out.append(self._next())
        return "".join(out)

    def _next(self) -> str:
        command, escaped, blank, char = self._tokens[self._at]
        self._at += 1
        if command:
            return self._command(command)
        if escaped:
            return _SPACES.get(escaped, escaped)
        if blank:
            return " "
        match char:
            case "{":
                return self._group("}")
            case "^":
                return self._shifted(_RAISED, "^")
            case "_":
                return self._shifted(_LOWERED, "_")
            case "~" | "&":
                return " "
            case "}" | "\\" | None:
                return ""
        return char

    def _group(self, until: str) -> str:
        if self._depth == _DEEPEST_FORMULA:
            return ""
        self._depth += 1
        text = self.read(until)
        self._depth -= 1
        return text

    def _argument(self) -> str:
        """Return the next group or sign."""
        while self._at < len(self._tokens) and self._tokens[self._at][2]:
            self._at += 1
        return self._next().strip() if self._at < len(self._tokens) else ""

    def _option(self) -> str:
        if self._at < len(self._tokens) and self._tokens[self._at][3] == "[":
            self._at += 1
            return self._group("]").strip()
        return ""

    def _command(self, name: str) -> str:
        if name in _SYMBOLS:
            return _SYMBOLS[name]
        if name in _SPACES:
            return _SPACES[name]
        if _SILENT.fullmatch(name):
            return ""
        if name in _WORDS or name.startswith("math") or name in ("operatorname", "boxed"):
            text = self._argument()
            return text.translate(_DOUBLE) if name == "mathbb" else text
        if name in ("frac", "dfrac", "tfrac", "cfrac"):
            return f"{_term(self._argument())}/{_whole(self._argument())}"
        if name in ("binom", "dbinom", "tbinom"):
            return f"C({self._argument()}, {self._argument()})"
        if name == "sqrt":
            root = self._option()
            under = _whole(self._argument())
            return f"{_ROOTS[root]}{under}" if root in _ROOTS else f"{root.translate(_RAISED)}√{under}"
        if name in _ACCENTS:
            text = self._argument()
            return text + _ACCENTS[name] if len(text) == 1 else text
        if name in ("begin", "end"):
            self._argument()
            if name == "begin":
                self._option()
            return " "
        return name + self._gap()

    def _gap(self) -> str:
        """Return a blank after a function's name if a letter follows, as in ``sin\\theta``."""
        if self._at == len(self._tokens):
            return ""
        command, _escaped, _blank, char = self._tokens[self._at]
        return " " if command or (char and char.isalnum()) else ""

    def _shifted(self, signs: dict[int, int], mark: str) -> str:
        text = self._argument()
        if text in ("∘", "°"):
            return "°"
        if set(text) <= {"′", "*", "'"}:
            return text
        if all(ord(each) in signs for each in text):
            return text.translate(signs)
        return mark + _whole(text)


def _whole(text: str) -> str:
    """Put an expression of several parts in brackets."""
    single = _SHIFTED.issuperset(text[1:]) or text.replace(".", "").isdecimal()
    return text if single else f"({text})"


def _term(text: str) -> str:
    """Put a sum in brackets; a product needs none."""
    return f"({text})" if _SUM.search(_BRACKETS.sub("", text)) else text


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
