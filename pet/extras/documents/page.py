"""Results of the readers of documents: one page after the other, or a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Page:
    """``total``: pages of the document as far as is known. ``picture``: a page without text as JPEG, else empty."""

    text: str
    total: int = 0
    picture: bytes = b""


class DocumentRefused(Exception):
    """``problem``: the catalogue's key after ``attachment_``."""

    def __init__(self, problem: Literal["encrypted", "unknown_kind", "document_broken"]) -> None:
        super().__init__(problem)
        self.problem = problem
