"""The pages of a PDF, by pypdf: their text, and of pages that are scanned pictures the picture."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

from pypdf import PageObject, PdfReader
from pypdf.errors import PyPdfError

from pet.extras.documents.page import DocumentRefused, Page

_BROKEN = (PyPdfError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError, AssertionError, OSError)
"""Raised for a broken page, by pypdf or by Pillow for its pictures. Anything else ends the process: the pages before
are kept."""
_LONGEST_SIDE = 1_600
"""Pixels of a page's picture: what models read a page of text from."""
_LEAST_SIDE = 300
"""Smaller pictures on a page without text are ornaments."""


def pages_of_pdf(content: bytes) -> Iterator[Page]:
    """Yield the pages. Scripts and forms are not run or read. Raises DocumentRefused; a broken page is empty."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(content), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentRefused("encrypted")
        total = len(reader.pages)
    except _BROKEN:
        raise DocumentRefused("document_broken") from None
    for number in range(total):
        text, picture = "", b""
        try:
            page = reader.pages[number]
            text = page.extract_text()
            if not text.strip():
                picture = _picture(page)
        except _BROKEN:  # the next ones may be whole
            pass
        yield Page(text, total, picture)


def _picture(page: PageObject) -> bytes:
    """Return the largest picture on the page as JPEG; empty without one of a page's size."""
    from PIL import Image

    largest: Image.Image | None = None
    for each in page.images:
        image = each.image
        if image is None or min(image.size) < _LEAST_SIDE:
            continue
        if largest is None or image.width * image.height > largest.width * largest.height:
            largest = image
    if largest is None:
        return b""
    largest.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
    written = io.BytesIO()
    largest.convert("RGB").save(written, "JPEG", quality=80)
    return written.getvalue()
