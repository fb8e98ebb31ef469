"""URL allow-list for web views whose classes are not patched: Windows and macOS.

The counterpart of ``qt.hardening``. Toolkit-independent; untested on both platforms.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

_INLINE = ("data:", "blob:")


class OwnPages:
    """Our pages by URL; compared decoded, since each web view encodes file URLs differently."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._own = frozenset(_spelling(url) for url in urls)

    def may_navigate(self, url: str, own_url: str) -> bool:
        """Whether a window may load ``url``: only the page it was created for, not our other pages."""
        return _spelling(url) in self._own and _spelling(url) == _spelling(own_url)

    def may_load(self, url: str) -> bool:
        return url.startswith(_INLINE) or _spelling(url) in self._own


def _spelling(url: str) -> tuple[str, str, str]:
    parts = urlsplit(url)
    path = unquote(parts.path)
    # Only the drive letter is case-insensitive here.
    drive = path[:3].lower() if len(path) > 2 and path[2] == ":" else path[:3]
    return parts.scheme, parts.netloc.replace("localhost", ""), drive + path[3:]
