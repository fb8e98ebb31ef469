"""The child process that reads one document: its kind, declared encoding and content on standard input, one page a
line on output.

It sets its own limits before the first byte is read, and stops after the pages, characters or seconds it may take.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic

from pet.extras.documents.page import DocumentRefused, Page

MOST_PAGES = 5_000
MOST_CHARACTERS = 6_000_000
MOST_BYTES = 7 * 1024 * 1024
"""Text that is stored as one attachment: below the largest that the store reads again."""
MOST_PICTURES = 9
_MEMORY = 1_500_000_000
_CPU_SECONDS = 50
_SECONDS = 40.0
"""After these seconds no further page is read; the parent ends the process at 60."""


def main() -> None:
    _set_limits()
    source = sys.stdin.buffer.read()
    head, _, content = source.partition(b"\n")
    del source
    kind, _, charset = head.decode("ascii", "replace").partition(" ")
    try:
        _print_pages(kind, content, charset)
    except DocumentRefused as refused:
        _print(refused=refused.problem)
    except Exception:  # noqa: BLE001, S110  the process boundary: the pages so far are printed
        pass
    os._exit(0)  # a large heap takes seconds to be taken down


def _print_pages(kind: str, content: bytes, charset: str = "") -> None:
    ends = monotonic() + _SECONDS
    characters = size = pictures = 0
    for count, page in enumerate(_pages(kind, content, charset), 1):
        text = page.text[: MOST_CHARACTERS - characters]
        characters, size = characters + len(text), size + len(text.encode("utf-8", "replace"))
        if size > MOST_BYTES:
            return
        _print(text=text, total=page.total)
        if page.picture and pictures < MOST_PICTURES:
            pictures += 1
            _print(page=count, picture=base64.b64encode(page.picture).decode("ascii"))
        if count >= MOST_PAGES or characters >= MOST_CHARACTERS or monotonic() > ends:
            return


def _pages(kind: str, content: bytes, charset: str) -> Iterator[Page]:
    if kind == "pdf":  # late: each kind needs other libraries, and pypdf takes a tenth of a second
        from pet.extras.documents.pdf import pages_of_pdf

        return pages_of_pdf(content)
    if kind == "zip":
        from pet.extras.documents.office import pages_of_zip

        return pages_of_zip(content)
    from pet.extras.documents.web_text import pages_of_html, pages_of_text, pages_of_web_page

    if kind == "web_page":
        return pages_of_web_page(content, charset)
    return pages_of_html(content) if kind == "html" else pages_of_text(content, charset)


def _print(**row: object) -> None:
    sys.stdout.write(json.dumps(row) + "\n")
    sys.stdout.flush()  # a page is kept if the next one ends the process


def _set_limits() -> None:
    """Limit this process's memory and processor time where the system can, and let others go first."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    with suppress(AttributeError, OSError):
        os.nice(5)


if __name__ == "__main__":
    main()
