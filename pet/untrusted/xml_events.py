"""Read untrusted XML as events, in bounded memory. Document types are refused: they allow entity expansion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from xml.parsers import expat

from pet.untrusted.parsers import codec_of

MAX_DEPTH = 256

Start = Callable[[str, Mapping[str, str]], object]
End = Callable[[str], object]


def walk_xml(chunks: Iterable[bytes], *, start: Start, end: End, text: Callable[[str], object]) -> None:
    """Call the functions with each element's name and attributes, its end, and the text between, in order.

    Names are as written, prefix included. Raises ValueError for broken XML, a document type, an encoding that the web
    doesn't know, and more than ``MAX_DEPTH`` levels; what the functions raise passes through.
    """
    depth = 0

    def open_element(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
        start(name, attributes)

    def close_element(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.XmlDeclHandler = _check_encoding
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = open_element
    parser.EndElementHandler = close_element
    parser.CharacterDataHandler = text
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise ValueError("not XML") from error


def _check_encoding(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding is not None and not codec_of(encoding):
        raise ValueError("an unknown encoding")


def _refuse_doctype(*_details: object) -> None:
    raise ValueError("a document type")
