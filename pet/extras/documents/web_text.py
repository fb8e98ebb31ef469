"""HTML as plain text, and text in other encodings than UTF-8."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from pet.extras.documents.page import DocumentRefused, Page
from pet.untrusted.parsers import decode_foreign_text

_SKIPPED = {"script", "style", "noscript", "template", "svg", "math", "title"}
_BLOCKS = {
    *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "figure", "footer"),
    *("form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section"),
    *("table", "tr", "ul"),
}
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,300})<", re.IGNORECASE)
_SCRIPTS = re.compile(r"<(script|style|svg)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_MOST_PLAIN, _MOST_SOURCE = 300_000, 600_000
"""Characters of a web page's source that are read. The extractor's time grows with the square of the paragraphs."""
_DECLARED = 4_096  # bytes in which a page names its encoding


def pages_of_text(content: bytes, charset: str = "") -> Iterator[Page]:
    """Yield the text as one page. Raises DocumentRefused for what is no text."""
    yield Page(decoded(content, charset), 1)


def pages_of_html(content: bytes) -> Iterator[Page]:
    """Yield the readable text as one page. Raises DocumentRefused."""
    yield Page(text_of_html(_source(content)), 1)


def pages_of_web_page(content: bytes, charset: str = "") -> Iterator[Page]:
    """Yield all readable text of a web page, then its article alone, without menus and the like: the last one is the
    best that time allowed. ``charset``: of the header, which wins over the page's own, as in browsers. Raises
    DocumentRefused."""
    source = _source(content, charset)
    title = _TITLE.search(source)
    source = _SCRIPTS.sub(" ", source)
    yield Page(text_of_html(source[:_MOST_PLAIN]), 1)
    from trafilatura import extract  # late: it takes a quarter of a second

    article = extract(source[:_MOST_SOURCE], favor_recall=True, include_comments=False) or ""
    if article.strip():
        yield Page("\n\n".join([*(text_of_html(title[1]).splitlines()[:1] if title else ()), article]), 1)


def text_of_html(source: str) -> str:
    """Return the readable text of HTML, with a line for each block; never raises."""
    reader = _Reader()
    reader.feed(source)
    reader.close()
    return reader.text()


def decoded(content: bytes, declared: str = "") -> str:
    """Return the text in its encoding. Raises DocumentRefused for what is no text."""
    try:
        return decode_foreign_text(content, declared)
    except ValueError:
        raise DocumentRefused("unknown_kind") from None


def _source(content: bytes, charset: str = "") -> str:
    """Return the source of HTML in its encoding: as the header or the page declares it. Raises DocumentRefused."""
    own = _CHARSET.search(content[:_DECLARED])
    return decoded(content, charset or (own[1].decode("ascii") if own else ""))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._skipped: list[str] = []
        self._cells = 0
        self._verbatim = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipped.append(tag)
        elif self._skipped:
            return
        elif tag in _BLOCKS:
            self._parts.append("\n" + _HEADINGS.get(tag, "- " if tag == "li" else ""))
            self._cells = 0
            self._verbatim += tag == "pre"
        elif tag in {"td", "th"}:
            self._parts.append(" | " if self._cells else "")
            self._cells += 1
        elif tag == "img" and (described := dict(attrs).get("alt")):
            self._parts.append(f"[{described}]")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._skipped:
            del self._skipped[self._skipped.index(tag) :]
        elif tag in _BLOCKS and not self._skipped:
            self._parts.append("" if tag in {"li", "tr"} else "\n")
            self._verbatim = max(0, self._verbatim - (tag == "pre"))

    def handle_data(self, data: str) -> None:
        if not self._skipped:
            self._parts.append(data if self._verbatim else re.sub(r"\s+", " ", data))

    def text(self) -> str:
        lines = (line.rstrip() if line[:1].isspace() else line.strip() for line in "".join(self._parts).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
