"""The pages of documents that are zips of XML: docx, odt, pptx, xlsx and epub.

Pages of docx and odt are as the program that wrote them broke them last; slides, sheets and chapters count as pages.
Nothing is unpacked to the disk, and every part is read in pieces.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from urllib.parse import unquote

from pet.extras.documents.page import DocumentRefused, Page
from pet.extras.documents.web_text import decoded, text_of_html
from pet.fs.zip_reading import BROKEN, is_encrypted, open_bytes
from pet.untrusted.parsers import walk_xml

_MOST_PARTS = 20_000
_MOST_UNPACKED = 150 * 1024 * 1024
"""Bytes of all parts that are read together."""
_PIECE = 64 * 1024
_MOST_COLUMNS = 200
_MOST_SPACES = 100

Attributes = Mapping[str, str]


class Parts:
    """The parts of a document by name. What is read is bounded in all."""

    def __init__(self, content: bytes) -> None:
        self._zip = open_bytes(content, _MOST_PARTS)
        infos = self._zip.infolist()
        if any(map(is_encrypted, infos)):
            raise DocumentRefused("encrypted")
        self.names = {info.filename for info in infos}
        self._left = _MOST_UNPACKED

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield a part's bytes in pieces. Raises KeyError, and DocumentRefused beyond the limit."""
        with self._zip.open(name) as part:
            while piece := part.read(_PIECE):
                self._left -= len(piece)
                if self._left < 0:
                    raise DocumentRefused("document_broken")
                yield piece

    def read(self, name: str) -> bytes:
        return b"".join(self.pieces(name))


def pages_of_zip(content: bytes) -> Iterator[Page]:
    """Yield the pages of whichever kind of document it is. Raises DocumentRefused."""
    try:
        parts = Parts(content)
        yield from _reader(parts)(parts)
    except BROKEN:
        raise DocumentRefused("document_broken") from None


def _reader(parts: Parts) -> Callable[[Parts], Iterator[Page]]:
    if "word/document.xml" in parts.names:
        return _pages_of_docx
    if "ppt/presentation.xml" in parts.names:
        return _pages_of_pptx
    if "xl/workbook.xml" in parts.names:
        return _pages_of_xlsx
    kind = parts.read("mimetype").strip() if "mimetype" in parts.names else b""
    if kind == b"application/epub+zip":
        return _pages_of_epub
    if kind.startswith(b"application/vnd.oasis.opendocument."):
        return _pages_of_opendocument
    raise DocumentRefused("unknown_kind")


class _Text:
    """Text that is gathered page by page."""

    def __init__(self) -> None:
        self.pages: list[list[str]] = [[]]

    def add(self, text: str) -> None:
        self.pages[-1].append(text)

    def new_page(self) -> None:
        if any(map(str.strip, self.pages[-1])):
            self.pages.append([])

    def result(self) -> Iterator[Page]:
        texts = ["".join(page).strip("\n") for page in self.pages]
        if len(texts) > 1 and not texts[-1].strip():
            texts.pop()
        for text in texts:
            yield Page(text, len(texts))


# --- Word ---------------------------------------------------------------------------------------


def _pages_of_docx(parts: Parts) -> Iterator[Page]:
    text = _Text()
    notes = [name for name in ("word/footnotes.xml", "word/endnotes.xml") if name in parts.names]
    for name in ("word/document.xml", *notes):
        _read_word_part(parts.pieces(name), text)
    return text.result()


def _read_word_part(pieces: Iterator[bytes], text: _Text) -> None:
    inside = cells = 0
    run = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal inside, cells, run
        match name:
            case "w:t":
                inside += 1
            case "w:r":
                run = True
            case "w:tab" if run:  # others set where tabs stop
                text.add("\t")
            case "w:br" if attributes.get("w:type") == "page":
                text.new_page()
            case "w:br" | "w:cr":
                text.add("\n")
            case "w:lastRenderedPageBreak":
                text.new_page()
            case "w:pStyle" if level := re.fullmatch(r"Heading([1-6])", attributes.get("w:val", "")):
                text.add("#" * int(level[1]) + " ")
            case "w:numPr":
                text.add("- ")
            case "w:tr":
                cells = 0
            case "w:tc":
                text.add("| " if cells else "")
                cells += 1

    def end(name: str) -> None:
        nonlocal inside, cells, run
        if name == "w:t":
            inside -= 1
        elif name == "w:r":
            run = False
        elif name == "w:p":
            text.add(" " if cells else "\n")
        elif name == "w:tr":
            text.add("\n")
        elif name == "w:tbl":
            cells = 0

    walk_xml(pieces, start=start, end=end, text=lambda data: text.add(data) if inside else None)


# --- OpenDocument -------------------------------------------------------------------------------

_ODF_SKIPPED = {"text:tracked-changes", "office:annotation", "draw:glue-point", "svg:desc"}


def _pages_of_opendocument(parts: Parts) -> Iterator[Page]:
    if b"encryption-data" in parts.read("META-INF/manifest.xml"):
        raise DocumentRefused("encrypted")
    text = _Text()
    skipped = inside = cells = 0
    sheets = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal skipped, inside, cells, sheets
        skipped += bool(skipped) or name in _ODF_SKIPPED
        match name:
            case "text:p":
                inside += 1
            case "text:h":
                inside += 1
                level = attributes.get("text:outline-level", "1")
                text.add("#" * (int(level) if level in "123456" else 1) + " ")
            case "text:list-item":
                text.add("- ")
            case "text:s":
                count = attributes.get("text:c", "1")
                text.add(" " * min(int(count) if count.isdecimal() else 1, _MOST_SPACES))
            case "text:tab":
                text.add("\t")
            case "text:line-break":
                text.add("\n")
            case "office:spreadsheet":
                sheets = True
            case "text:soft-page-break" | "draw:page":
                text.new_page()
            case "table:table" if sheets:
                text.new_page()
                text.add(f"# {attributes.get('table:name', '')}\n")
            case "table:table-row":
                cells = 0
            case "table:table-cell":
                text.add("| " if cells else "")
                cells += 1

    def end(name: str) -> None:
        nonlocal skipped, inside, cells
        if name in {"text:p", "text:h"}:
            inside -= 1
            text.add(" " if cells else "\n")
        elif name == "table:table-row":
            text.add("\n")
        elif name == "table:table":
            cells = 0
        skipped -= bool(skipped)

    def characters(data: str) -> None:
        if inside and not skipped:
            text.add(data)

    walk_xml(parts.pieces("content.xml"), start=start, end=end, text=characters)
    return text.result()


# --- PowerPoint ---------------------------------------------------------------------------------


def _pages_of_pptx(parts: Parts) -> Iterator[Page]:
    targets = _relations(parts, "ppt/presentation.xml")
    slides: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        if name == "p:sldId" and (target := targets.get(attributes.get("r:id", ""))):
            slides.append(target)

    walk_xml(parts.pieces("ppt/presentation.xml"), start=start, end=_nothing, text=_nothing)
    for slide in slides:
        notes = [name for name in _relations(parts, slide).values() if "/notesSlides/" in name]
        texts = [_drawing_text(parts, name) for name in (slide, *notes) if name in parts.names]
        yield Page("\n\n".join(each for each in texts if each), len(slides))


def _drawing_text(parts: Parts, name: str) -> str:
    text = _Text()
    inside = False

    def start(element: str, _attributes: Attributes) -> None:
        nonlocal inside
        inside = inside or element == "a:t"
        if element == "a:br":
            text.add("\n")

    def end(element: str) -> None:
        nonlocal inside
        if element == "a:t":
            inside = False
        elif element == "a:p":
            text.add("\n")

    walk_xml(parts.pieces(name), start=start, end=end, text=lambda data: text.add(data) if inside else None)
    return "".join(text.pages[0]).strip()


# --- Excel --------------------------------------------------------------------------------------

_DAY_ZERO = datetime(1899, 12, 30)
_DATE_FORMATS = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
"""Numbers of the built-in formats for days and times (ECMA-376, 18.8.30)."""


def _pages_of_xlsx(parts: Parts) -> Iterator[Page]:
    targets = _relations(parts, "xl/workbook.xml")
    sheets: list[tuple[str, str]] = []

    def start(name: str, attributes: Attributes) -> None:
        if name == "sheet" and (target := targets.get(attributes.get("r:id", ""))):
            sheets.append((attributes.get("name", ""), target))

    walk_xml(parts.pieces("xl/workbook.xml"), start=start, end=_nothing, text=_nothing)
    shared = _shared_texts(parts) if "xl/sharedStrings.xml" in parts.names else []
    dates = _date_styles(parts) if "xl/styles.xml" in parts.names else set()
    for title, target in sheets:
        rows = _sheet_rows(parts, target, shared, dates) if target in parts.names else []
        yield Page("\n".join([f"# {title}", *rows]), len(sheets))


def _shared_texts(parts: Parts) -> list[str]:
    texts: list[str] = []
    inside = False
    spoken = False

    def start(name: str, _attributes: Attributes) -> None:
        nonlocal inside, spoken
        if name == "si":
            texts.append("")
        elif name == "rPh":
            spoken = True  # how East Asian text is read aloud
        inside = name == "t" and not spoken

    def end(name: str) -> None:
        nonlocal inside, spoken
        inside = False
        spoken = spoken and name != "rPh"

    def characters(data: str) -> None:
        if inside and texts:
            texts[-1] += data

    walk_xml(parts.pieces("xl/sharedStrings.xml"), start=start, end=end, text=characters)
    return texts


def _date_styles(parts: Parts) -> set[int]:
    """Return the numbers of the cell styles that show days or times."""
    custom: set[int] = set()
    styles: set[int] = set()
    count = 0
    listed = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal count, listed
        number = int(attributes.get("numFmtId", "0") or 0)
        if name == "numFmt":
            code = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", attributes.get("formatCode", "")).lower()
            if re.search(r"[ydhs]|m(?!.*[0#?])", code):
                custom.add(number)
        elif name == "cellXfs":
            listed = True
        elif name == "xf" and listed:
            if number in _DATE_FORMATS or number in custom:
                styles.add(count)
            count += 1

    def end(name: str) -> None:
        nonlocal listed
        listed = listed and name != "cellXfs"

    walk_xml(parts.pieces("xl/styles.xml"), start=start, end=end, text=_nothing)
    return styles


def _sheet_rows(parts: Parts, target: str, shared: list[str], dates: set[int]) -> list[str]:
    rows: list[str] = []
    cells: dict[int, str] = {}
    kind = value = ""
    column, is_date, inside = 0, False, False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal kind, value, column, is_date, inside
        if name == "row":
            cells.clear()
            column = 0
        elif name == "c":
            kind, value = attributes.get("t", "n"), ""
            column = _column(attributes.get("r", "")) or column + 1
            style = attributes.get("s", "")
            is_date = style.isdecimal() and int(style) in dates
        inside = name in {"v", "t"}

    def end(name: str) -> None:
        nonlocal inside
        inside = False
        if name == "c" and value and column <= _MOST_COLUMNS:
            cells[column] = _cell(kind, value, shared, is_date=is_date)
        elif name == "row" and cells:
            rows.append(" | ".join(cells.get(each, "") for each in range(1, max(cells) + 1)))

    def characters(data: str) -> None:
        nonlocal value
        if inside:
            value += data

    walk_xml(parts.pieces(target), start=start, end=end, text=characters)
    return rows


def _column(reference: str) -> int:
    """Return a cell's column from 1, of a reference such as "AB12"; 0 without one."""
    column = 0
    for letter in re.match(r"[A-Z]{0,3}", reference)[0]:  # type: ignore[index]  # it matches the empty text too
        column = column * 26 + ord(letter) - 64
    return column


def _cell(kind: str, value: str, shared: list[str], *, is_date: bool) -> str:
    if kind == "s":
        place = int(value) if value.strip().isdecimal() else -1
        text = shared[place] if 0 <= place < len(shared) else ""
    elif kind == "b":
        text = "TRUE" if value.strip() == "1" else "FALSE"
    elif kind == "n" and is_date:
        text = _date(value)
    else:
        text = value
    return " ".join(text.split())


def _date(value: str) -> str:
    try:
        moment = _DAY_ZERO + timedelta(days=float(value))
    except (ValueError, OverflowError):
        return value
    if float(value) < 1:
        return f"{moment:%H:%M}"
    return f"{moment:%Y-%m-%d}" if moment.time() == datetime.min.time() else f"{moment:%Y-%m-%d %H:%M}"


# --- EPUB ---------------------------------------------------------------------------------------


def _pages_of_epub(parts: Parts) -> Iterator[Page]:
    packages: list[str] = []
    files: dict[str, str] = {}
    order: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        match name.rpartition(":")[2]:
            case "rootfile":
                packages.append(attributes.get("full-path", ""))
            case "item":
                files[attributes.get("id", "")] = attributes.get("href", "")
            case "itemref" if attributes.get("linear", "yes") != "no":
                order.append(attributes.get("idref", ""))

    walk_xml(parts.pieces("META-INF/container.xml"), start=start, end=_nothing, text=_nothing)
    walk_xml(parts.pieces(packages[0] if packages else ""), start=start, end=_nothing, text=_nothing)
    folder = posixpath.dirname(packages[0])
    chapters = [posixpath.normpath(posixpath.join(folder, unquote(files[each]))) for each in order if each in files]
    locked = b""
    if "META-INF/encryption.xml" in parts.names:
        locked = parts.read("META-INF/encryption.xml")
    if chapters and all(chapter.encode() in locked for chapter in chapters):
        raise DocumentRefused("encrypted")
    for chapter in chapters:
        text = text_of_html(decoded(parts.read(chapter))) if chapter in parts.names else ""
        yield Page(text, len(chapters))


def _relations(parts: Parts, name: str) -> dict[str, str]:
    """Return the parts that a part refers to, by their ids."""
    folder, own = posixpath.split(name)
    source = f"{folder}/_rels/{own}.rels"
    targets: dict[str, str] = {}

    def start(element: str, attributes: Attributes) -> None:
        if element == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "")
            targets[attributes.get("Id", "")] = posixpath.normpath(posixpath.join("/" + folder, target)).lstrip("/")

    if source in parts.names:
        walk_xml(parts.pieces(source), start=start, end=_nothing, text=_nothing)
    return targets


def _nothing(*_event: object) -> None:
    pass
