"""Start the child process that reads a document, and collect what it reads.

Documents come from anywhere, and their readers are large. They run in a separate process with limits of memory
and time; what it had read when it ended is kept.
"""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Callable, Iterable
from pathlib import PurePath
from typing import Any, Literal

from pet.errors import AttachmentRefused
from pet.extra import child_command
from pet.paths import environment_of_children
from pet.untrusted.parsers import read_json
from pet.workspace.attachments import Document, Picture

SECONDS = 60.0
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_HTML = {".html", ".htm", ".xhtml"}
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The files of Word, Excel and PowerPoint before 2007, and newer ones with a password."""

Kind = Literal["pdf", "zip", "html", "text", "web_page"]


def document_kind(name: str, content: bytes) -> Kind | None:
    """Return how a file is to be read, by its first bytes; None if it is UTF-8 text as it is.

    Raises AttachmentRefused for old Office files, and those with a password.
    """
    if content.startswith(_OLD_OFFICE):
        raise AttachmentRefused("old_office", name=name)
    if b"%PDF-" in content[:1024]:
        return "pdf"
    if content.startswith(b"PK\x03\x04"):
        return "zip"
    if PurePath(name.lower()).suffix in _HTML:
        return "html"
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "text"
    return None


def read_document(
    name: str,
    content: bytes,
    kind: Kind | None = None,
    *,
    charset: str = "",
    seconds: float = SECONDS,
    begun: Callable[[Callable[[], object]], object] = lambda _end: None,
) -> Document | None:
    """Return the document's pages; None if it is UTF-8 text as it is. Takes up to ``seconds``. ``kind``: by default
    that of name and content; ``charset``: declared by the server, of texts and pages; ``begun``: receives a function
    that ends the reading. Raises AttachmentRefused."""
    kind = kind or document_kind(name, content)
    if kind is None:
        return None
    process = subprocess.Popen(  # noqa: S603  our own program
        child_command("documents"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment_of_children(),
        creationflags=_NO_WINDOW,
    )
    begun(process.kill)
    try:
        output, _ = process.communicate(f"{kind} {charset}\n".encode() + content, timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    return _document(name, output.decode("utf-8", "replace").splitlines())


def _document(name: str, lines: Iterable[str]) -> Document:
    """Return what a child printed. Raises AttachmentRefused for its refusal, or if it read nothing."""
    pages: list[str] = []
    pictures: list[Picture] = []
    total = 0
    for line in lines:
        try:
            row: dict[str, Any] = read_json(line)
        except ValueError:
            break  # it ended in the middle of a line
        if refused := row.get("refused"):
            raise AttachmentRefused(str(refused), name=name)
        if "picture" in row:
            pictures.append(Picture(int(row["page"]), base64.b64decode(row["picture"])))
        elif "text" in row:
            pages.append(str(row["text"]))
        total = max(total, int(row.get("total", 0)), len(pages))
    if not pictures and not any(map(str.strip, pages)):
        raise AttachmentRefused("no_text" if pages else "document_broken", name=name)
    return Document(tuple(pages), total, tuple(pictures))
