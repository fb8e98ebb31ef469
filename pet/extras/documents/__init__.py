"""Documents of other programs as text: PDF, and docx, odt, pptx, xlsx and epub."""

from __future__ import annotations

from pet.extra import Extra

EXTRA = Extra(
    readers={
        "pdf": "pet.extras.documents.pdf.pages_of_pdf",
        "zip": "pet.extras.documents.office.pages_of_zip",
    }
)
