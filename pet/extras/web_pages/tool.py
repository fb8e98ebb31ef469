"""``fetch_page``: read one web page that the owner named in this conversation, or allows by a click.

An address that the model made up could carry what it knows of the owner, so it is never fetched without the owner's
answer, whatever the memory switch says. The page's text is data: after one was read, notes ask too.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from pet.access import Access
from pet.errors import AttachmentRefused, FetchRefused, ProblemError, ToolRefused
from pet.extra import provided
from pet.i18n import Texts
from pet.ids import new_id
from pet.model import Proposal, WebPage
from pet.net.web_address import WebAddress, read_web_address
from pet.prompt.fence import escape, one_line
from pet.text.markup import sent_file
from pet.tools.approval import ask_owner
from pet.tools.tool import Skills, Tool, ToolContext, ToolOutcome, text_property
from pet.tools.tool_arguments import Arguments, string
from pet.transcripts.foreign import source

if TYPE_CHECKING:
    from pet.net.fetch import Deadline, FetchPolicy
    from pet.net.web_address import WebAddress

_MEGABYTES = 4
_SECONDS = 30.0
_READ_SECONDS = 10.0
_WANTED = "text/html, application/xhtml+xml, text/plain;q=0.8"
_HTML = ("text/html", "application/xhtml+xml", "")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I | re.A)


class PageRefused(ProblemError):
    """A web page that was not read. ``problem`` is the catalogue's key after ``page_``: address, address_scheme,
    address_private, failed, status, slow, redirects, too_large, cancelled, or no_text.
    """

    family = "page"


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
        from pet.bridge.reply_links import open_internet
        from pet.net.fetch import fetch

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
    """Return the readable text, "" without any, or without the extra that reads documents. ``kind`` and ``charset``:
    as the server declares them."""
    read: Literal["web_page", "text", ""] = "web_page" if kind in _HTML else "text" if kind == "text/plain" else ""
    read_document = provided("documents") if read else None
    if read_document:
        with suppress(AttachmentRefused):
            document = read_document("", content, read, charset=charset, seconds=_READ_SECONDS, begun=run.runs)
            return str(document.pages[-1])
    return ""


MOST_PAGES = 5
"""Pages of one turn. Which of the named addresses are read, and in which order, could carry something too."""

_HOST = r"(?:[A-Za-z0-9-]{1,63}\.){1,10}[A-Za-z]{2,63}"
_REST = r"[^\s\u00ab\u00bb<>\"'`{}|\\^\u3000-\u303f\uff00-\uffef\u2018-\u201f]"
_NAMED = re.compile(
    rf"https?://{_REST}{{1,2000}}|(?<![A-Za-z0-9_@./-]){_HOST}(?::\d{{1,5}})?(?:[/?]{_REST}{{0,2000}})?", re.I
)
_ENDS = ".,;:!?)]*_~"
_NOT_ASCII = re.compile(r"[^\x21-\x7e]")


def named_addresses(texts: Iterable[str]) -> set[str]:
    """Return the addresses in the texts, as they would be fetched. One without a scheme is https.

    >>> sorted(named_addresses(["See example.org/a. And http://example.com/b?c=d, please"]))
    ['http://example.com/b?c=d', 'https://example.org/a']
    """
    return {url for text in texts for each in _NAMED.findall(text) for url in _readings(each)}


def page_address(text: str) -> WebAddress:
    """Return the address. Raises PageRefused."""
    text = text.strip()
    try:
        return read_web_address(text if "://" in text else f"https://{text}", plain=lambda _host: True)
    except FetchRefused:
        raise PageRefused("address") from None


def _readings(written: str) -> Iterator[str]:
    """Yield what the owner may have meant: signs at the end, and words in a script without spaces, may follow it."""
    for each in {written.rstrip(_ENDS), _NOT_ASCII.split(written, maxsplit=1)[0].rstrip(_ENDS)}:
        try:
            yield page_address(each).url
        except PageRefused:
            continue


def _offered(access: Access, _skills: Skills) -> bool:
    return "web_pages" in access.switches


def _properties(_access: Access, texts: Texts, _skills: Skills) -> dict[str, object]:
    return {"address": text_property(texts, "tool.fetch_page.address")}


async def _fetch(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    context.gate.check_switch("web_pages")
    if context.reach is None:
        raise ToolRefused("switched_off")
    address = page_address(string(arguments, "address"))
    if context.pages_read >= MOST_PAGES:
        raise ToolRefused("too_many_pages", limit=MOST_PAGES)
    named = await asyncio.to_thread(named_addresses, context.reach.owner_texts())
    if address.url not in named:
        await ask_owner(context, Proposal(id=new_id(), file="", reason="page", before=address.url, after="", base=""))
    context.gate.check_switch("web_pages")
    context.pages_read += 1
    page = await context.reach.run(InternetPages(context.reach.fetches).read(address, context.reach.characters))
    context.gate.check_switch("web_pages")
    text = sent_file(one_line(page.address, 2_000), escape(page.text))
    cut = "\n" + context.texts("tool.fetch_page.cut", characters=len(page.text)) if page.cut else ""
    read = source("page", page_address(page.address).host, page.address)
    return ToolOutcome(text=f"{context.texts('tool.fetch_page.begins')}\n{text}{cut}", foreign=(read,))


FETCH_PAGE = Tool("fetch_page", _offered, _properties, ("address",), _fetch, icon="globe", saves=False)
