"""Small documents, written as the common programs write them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

from PIL import Image, ImageDraw

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
ODF = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def docx(body: str, **others: str) -> bytes:
    parts = {"word/document.xml": f"<w:document {W}><w:body>{body}</w:body></w:document>"}
    return zipped(parts | {f"word/{name}.xml": content for name, content in others.items()})


def paragraph(text: str, before: str = "") -> str:
    return f'<w:p><w:pPr><w:tabs><w:tab w:pos="9"/></w:tabs></w:pPr>{before}<w:r><w:t>{text}</w:t></w:r></w:p>'


def opendocument(body: str, kind: str = "text") -> bytes:
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "META-INF/manifest.xml": "<manifest/>",
            "content.xml": f"<office:document {ODF}><office:body>{body}</office:body></office:document>",
        }
    )


def relations(**targets: str) -> str:
    rows = "".join(f'<Relationship Id="{id_}" Type="t" Target="{target}"/>' for id_, target in targets.items())
    return f"<Relationships {RELS}>{rows}</Relationships>"


def pptx(slides: Sequence[Sequence[str]], notes: str = "") -> bytes:
    """Slides in the order of the presentation, which is the reverse of their files' numbers."""
    count = len(slides)
    names = {f"rId{place}": f"slides/slide{count - place}.xml" for place in range(count)}
    order = "".join(f'<p:sldId id="{256 + place}" r:id="rId{place}"/>' for place in range(count))
    spaces = 'xmlns:p="p" xmlns:r="r" xmlns:a="a"'
    parts = {
        "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{order}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(**names),
    }
    for place, lines in enumerate(slides):
        text = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
        parts[f"ppt/slides/slide{count - place}.xml"] = f"<p:sld {spaces}>{text}</p:sld>"
    if notes:
        parts[f"ppt/slides/_rels/slide{count}.xml.rels"] = relations(rId1="../notesSlides/notesSlide1.xml")
        parts["ppt/notesSlides/notesSlide1.xml"] = f"<p:notes {spaces}><a:p><a:t>{notes}</a:t></a:p></p:notes>"
    return zipped(parts)


def xlsx(sheets: Mapping[str, str], shared: Sequence[str] = (), formats: str = "") -> bytes:
    """``sheets``: the XML of their rows by title."""
    names = {f"rId{place}": f"worksheets/sheet{place}.xml" for place in range(len(sheets))}
    listed = "".join(f'<sheet name="{title}" r:id="rId{place}"/>' for place, title in enumerate(sheets))
    parts = {
        "xl/workbook.xml": f'<workbook xmlns:r="r"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(**names),
        "xl/sharedStrings.xml": f"<sst>{''.join(f'<si><t>{text}</t></si>' for text in shared)}</sst>",
        "xl/styles.xml": f"<styleSheet>{formats}</styleSheet>",
    }
    for place, rows in enumerate(sheets.values()):
        parts[f"xl/worksheets/sheet{place}.xml"] = f"<worksheet><sheetData>{rows}</sheetData></worksheet>"
    return zipped(parts)


def epub(chapters: Mapping[str, str], *, locked: bool = False) -> bytes:
    """``chapters``: XHTML bodies by file name, in reading order."""
    items = "".join(f'<item id="{name}" href="{name}"/>' for name in chapters)
    order = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>',
        "OEBPS/b.opf": f"<package><manifest>{items}</manifest><spine>{order}</spine></package>",
    }
    kind = '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x">'
    parts |= {f"OEBPS/{name}": f"{kind}<html><body>{body}</body></html>" for name, body in chapters.items()}
    if locked:
        cipher = "".join(f'<CipherReference URI="OEBPS/{name}"/>' for name in chapters)
        parts["META-INF/encryption.xml"] = f"<encryption>{cipher}</encryption>"
    return zipped(parts)


def pdf(pages: Sequence[str], extra: str = "") -> bytes:
    """A PDF of one line a page, in a font that every reader has. ``extra``: entries of its catalogue."""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {extra} >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{4 + 2 * n} 0 R' for n in range(len(pages)))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)


def scan(count: int = 1) -> bytes:
    """A PDF of pictures of pages."""
    pages = []
    for number in range(count):
        page = Image.new("RGB", (800, 1100), "white")
        ImageDraw.Draw(page).rectangle((100, 100 + 10 * number, 700, 300), fill="black")
        pages.append(page)
    out = io.BytesIO()
    pages[0].save(out, "PDF", save_all=True, append_images=pages[1:])
    return out.getvalue()
