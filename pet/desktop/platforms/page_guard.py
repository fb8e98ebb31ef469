"""The walls of ``qt_lock`` for web views whose classes are not patched: Windows and macOS.

Owns the answer to "may this page be asked for". Knows no toolkit; unproven on both platforms.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

_INLINE = ("data:", "blob:")


class OwnPages:
    """Our pages by address; compared decoded, since each web view spells file addresses its own way."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._own = frozenset(_spelling(url) for url in urls)

    def may_navigate(self, url: str, own_url: str) -> bool:
        """A window shows the page it was made for, and no other one of ours either."""
        return _spelling(url) in self._own and _spelling(url) == _spelling(own_url)

    def may_load(self, url: str) -> bool:
        return url.startswith(_INLINE) or _spelling(url) in self._own


def _spelling(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    path = unquote(parts.path)
    # The one difference of letters that means the same: a drive.
    drive = path[:3].lower() if len(path) > 2 and path[2] == ":" else path[:3]
    return parts.scheme, parts.netloc.replace("localhost", ""), drive + path[3:]
