"""Documents of other programs as text, page by page: PDF, docx, odt, pptx, xlsx, epub, HTML and other encodings."""

from __future__ import annotations

from pet.extra import Extra

EXTRA = Extra(
    ports={
        "documents": "pet.extras.documents.reading.read_document",
        "child": "pet.extras.documents.child.main",
    }
)
