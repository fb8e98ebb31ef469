"""Documents of each kind, read by the real child process."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from pypdf import PdfReader, PdfWriter

from pet.errors import AttachmentRefused
from pet.extras.documents.reading import document_kind, read_document
from pet.extras.documents.web_text import decoded
from pet.workspace.attachments import Document
from tests.extras.documents import made

BREAK = '<w:r><w:br w:type="page"/></w:r>'
RENDERED = "<w:r><w:lastRenderedPageBreak/></w:r>"


def read(name: str, content: bytes) -> Document:
    document = read_document(name, content)
    assert document is not None
    return document


def test_pdf_has_its_pages() -> None:
    document = read("a.pdf", made.pdf(["Tomatoes at seven", "The key hangs behind the door"]))
    assert document.pages == ("Tomatoes at seven", "The key hangs behind the door")
    assert (document.total, document.pictures) == (2, ())


def test_scanned_pages_come_as_pictures() -> None:
    document = read("scan.pdf", made.scan(11))
    assert [each.page for each in document.pictures] == [1, 2, 3, 4, 5, 6, 7, 8, 9]  # as many as a message takes
    with Image.open(io.BytesIO(document.pictures[1].data)) as page:
        assert (page.format, page.size) == ("JPEG", (800, 1100))
        assert page.getpixel((400, 200)) < (30, 30, 30)  # type: ignore[operator]  # a colour


def test_word_pages_headings_lists_tables_and_notes() -> None:
    heading = '<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Soil</w:t></w:r></w:p>'
    item = "<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>Basil</w:t><w:tab/><w:t>罗勒</w:t></w:r></w:p>"
    deleted = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
    table = f"<w:tbl><w:tr><w:tc>{made.paragraph('Bed')}</w:tc><w:tc>{made.paragraph('Plant')}</w:tc></w:tr></w:tbl>"
    body = (
        heading
        + item
        + f"<w:p>{deleted}</w:p>"
        + table
        + made.paragraph("Two", BREAK)
        + made.paragraph("3", RENDERED)
    )
    notes = f"<w:footnotes {made.W}>{made.paragraph('A footnote')}</w:footnotes>"
    document = read("a.docx", made.docx(body, footnotes=notes))
    assert document.pages == ("## Soil\n- Basil\t罗勒\n\nBed | Plant ", "Two", "3\nA footnote")


def test_opendocument_text_slides_and_sheets() -> None:
    text = (
        "<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        '<text:h text:outline-level="2">Light</text:h><text:p>South<text:s text:c="3"/>side<text:tab/>x</text:p>'
        "<text:list><text:list-item><text:p>Thyme</text:p></text:list-item></text:list>"
        "<text:p><text:soft-page-break/>Page two<office:annotation><text:p>no</text:p></office:annotation></text:p>"
        "</office:text>"
    )
    assert read("a.odt", made.opendocument(text)).pages == ("## Light\nSouth   side\tx\n- Thyme", "Page two")
    slides = "".join(f"<draw:page><text:p>{each}</text:p></draw:page>" for each in ("Roots", "Leaves"))
    assert read("a.odp", made.opendocument(slides, "presentation")).pages == ("Roots", "Leaves")
    cells = "".join(f"<table:table-cell><text:p>{each}</text:p></table:table-cell>" for each in ("Carrots", "12"))
    sheet = f'<table:table table:name="Beds"><table:table-row>{cells}</table:table-row></table:table>'
    book = f"<office:spreadsheet>{sheet}{sheet.replace('Beds', 'More')}</office:spreadsheet>"
    assert read("a.ods", made.opendocument(book, "spreadsheet")).pages == (
        "# Beds\nCarrots | 12 ",
        "# More\nCarrots | 12 ",
    )


def test_slides_come_in_the_order_of_the_presentation_with_their_notes() -> None:
    document = read("a.pptx", made.pptx([["First", "茎"], ["Second"]], notes="Say hello"))
    assert document.pages == ("First\n茎\n\nSay hello", "Second")


def test_sheets_with_shared_texts_gaps_days_and_formulas() -> None:
    formats = (
        '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
        '<numFmt numFmtId="165" formatCode="0.00"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="22"/></cellXfs>'
    )
    rows = (
        '<row r="1"><c r="A1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>Inline</t></is></c></row>'
        '<row r="2"><c r="A2" s="1"><v>46085</v></c><c r="B2" s="2"><v>46085</v></c>'
        '<c r="C2" s="3"><v>46085.5</v></c>'
        '<c r="D2" t="b"><v>1</v></c><c r="E2" t="str"><f>A1&amp;"x"</f><v>made</v></c><c r="ZZZ2"><v>9</v></c></row>'
    )
    document = read("a.xlsx", made.xlsx({"Days": rows, "Empty": ""}, shared=["Other", "豌豆"], formats=formats))
    assert document.pages == (
        "# Days\n豌豆 |  | Inline\n2026-03-04 | 46085 | 2026-03-04 12:00 | TRUE | made",
        "# Empty",
    )


def test_chapters_of_a_book_are_pages() -> None:
    chapters = {"one.xhtml": "<h1>One</h1><p>Caf&eacute;</p>", "two.xhtml": "<p>Two</p><script>x</script>"}
    assert read("a.epub", made.epub(chapters)).pages == ("# One\n\nCafé", "Two")


def test_html_is_its_readable_text() -> None:
    source = (
        "<!doctype html><html><head><title>T</title><style>p{}</style></head><body><h2>Beds</h2>"
        "<ul><li>one<li>two</ul><script>alert(1)</script><table><tr><td>a<td>b</tr></table>"
        "<pre>x  y</pre><img alt='A map'><p>caf\xe9 &lt;b&gt;</body></html>"
    )
    latin = source.replace("<head>", '<head><meta charset="iso-8859-1">').encode("latin-1")
    expected = "## Beds\n\n- one\n- two\n\na | b\n\nx  y\n[A map]\ncafé <b>"
    assert read("a.html", latin).pages == (expected,)
    assert read("A.HTM", source.encode()).pages == (expected,)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gb18030", "今天的天气很好，我们一起去公园散步，看看花和树，然后回家吃饭。" * 3),
        ("big5", "今天的天氣很好，我們一起去公園散步，看看花和樹，然後回家吃飯。" * 3),
        ("shift_jis", "今日はとても天気がいいので、公園を散歩してから家に帰りました。" * 3),
        ("cp1252", "Der Schlüssel hängt über der Tür, und außerdem wäre es schön, wenn Bücher flögen. " * 3),
        ("utf-16", "The key hangs behind the door, 门后面。"),
    ],
)
def test_text_in_other_encodings(encoding: str, text: str) -> None:
    assert read("a.txt", text.encode(encoding)).pages == (text,)


@pytest.mark.parametrize("charset", ["punycode", "undefined", "idna", "unicode_escape", "utf-7", "rot13", "no-such"])
def test_html_that_declares_no_encoding_of_the_web_is_read_as_if_it_declared_none(charset: str) -> None:
    source = f'<meta charset="{charset}"><p>Tea-caf\xe9 \\x41 +AGE-'
    assert read("a.html", source.encode()).pages == ("Tea-caf\xe9 \\x41 +AGE-",)


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("GB2312", "gb18030", "镕"),
        ("x-sjis", "shift_jis", "今日"),
        ("latin1", "cp1252", "“naïve”"),
        ("utf8", "utf-8", "naïve"),
        ("utf-16", "utf-16", "naïve"),
        ("KS_C_5601-1987", "cp949", "뷁"),
        ("x-cp1251", "cp1251", "чай"),
    ],
)
def test_an_encoding_is_known_by_every_name_that_browsers_know(label: str, encoding: str, text: str) -> None:
    assert decoded(text.encode(encoding), label) == text


def test_utf_8_text_needs_no_child() -> None:
    assert document_kind("a.txt", "你好".encode()) is None
    assert document_kind("a.md", b"\xef\xbb\xbf# x") is None


def test_password_of_the_owner_alone_is_none() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(made.pdf(["Open to read"]))))
    writer.encrypt("", "of the owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    assert read("a.pdf", out.getvalue()).pages == ("Open to read",)


def test_refusals_say_why() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(made.pdf(["Secret"]))))
    writer.encrypt("word", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    refused = {
        "locked.pdf": (locked.getvalue(), "encrypted"),
        "locked.epub": (made.epub({"a.xhtml": "x"}, locked=True), "encrypted"),
        "old.doc": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "old_office"),
        "cut.pdf": (b"%PDF-1.7\n1 0 obj", "document_broken"),
        "cut.docx": (made.docx(made.paragraph("x"))[:-30], "document_broken"),
        "entities.docx": (
            made.zipped({"word/document.xml": '<!DOCTYPE a [<!ENTITY b "c">]><w:document>&b;</w:document>'}),
            "document_broken",
        ),
        "any.zip": (made.zipped({"a.txt": "x"}), "unknown_kind"),
        "blank.pdf": (made.pdf([""]), "no_text"),
        "noise.bin": (bytes(range(256)) * 8, "unknown_kind"),
    }
    for name, (content, problem) in refused.items():
        with pytest.raises(AttachmentRefused) as raised:
            read(name, content)
        assert (raised.value.problem, raised.value.args_["name"]) == (problem, name)
