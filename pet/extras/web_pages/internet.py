"""Read one public web page as text, for the tool ``fetch_page``.

Fetched under the rules of ``pet.net.fetch`` (no private address, cookies or scripts; one deadline), bounded in size,
and read in a child process with limits: an ordinary looking page can cost minutes. Cancelling ends the child.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from pet.documents.reading import read_document
from pet.errors import AttachmentRefused, FetchRefused, PageRefused
from pet.model import WebPage

if TYPE_CHECKING:
    from pet.net.fetch import Deadline, FetchPolicy
    from pet.net.web_address import WebAddress

_MEGABYTES = 4
_SECONDS = 30.0
_READ_SECONDS = 10.0
_WANTED = "text/html, application/xhtml+xml, text/plain;q=0.8"
_HTML = ("text/html", "application/xhtml+xml", "")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I | re.A)


class InternetPages:
    """``reach``: the fetch policy, for tests."""

    def __init__(self, reach: Callable[[], FetchPolicy] | None = None) -> None:
        self._reach = reach

    async def read(self, address: WebAddress, characters: int, /) -> WebPage:
        """Return the page's text, cut to the limit. Cancelling ends the connection. Raises PageRefused."""
        from pet.net.fetch import Deadline  # lazy: its dependencies take a tenth of a second

        run = Deadline(_SECONDS)
        try:
            return await asyncio.to_thread(self._read, address, characters, run)
        except asyncio.CancelledError:
            run.stop()
            raise

    def _read(self, address: WebAddress, characters: int, run: Deadline) -> WebPage:
        from pet.net.fetch import fetch
        from pet.services.reply_links import open_internet

        reach, most = (self._reach or open_internet)(), _MEGABYTES * 1024 * 1024
        try:
            with fetch(address, run, reach, accept=_WANTED, most=most) as answer:
                kind, _, rest = answer.header("content-type").partition(";")
                if answer.header("content-encoding") not in ("", "identity"):
                    raise PageRefused("no_text", host=answer.address.host)
                shown, host = answer.address.url, answer.address.host
                content = b"".join(answer.pieces(most))
        except FetchRefused as refused:
            raise PageRefused(
                refused.problem, **{"host": address.host, "limit": _MEGABYTES, **refused.args_}
            ) from None
        declared = _CHARSET.search(rest)
        text = _text(kind.strip().lower(), declared[1] if declared else "", content, run)
        if not text.strip():
            raise PageRefused("no_text", host=host)
        return WebPage(address=shown, text=text[:characters], cut=len(text) > characters)


def _text(kind: str, charset: str, content: bytes, run: Deadline) -> str:
    """Return the readable text, "" without any. ``kind`` and ``charset``: as the server declares them."""
    read: Literal["page", "text", ""] = "page" if kind in _HTML else "text" if kind == "text/plain" else ""
    if read:
        with suppress(AttachmentRefused):
            document = read_document("", content, read, charset=charset, seconds=_READ_SECONDS, begun=run.runs)
            return document.pages[-1]
    return ""
