"""URL allow-list of the windows, the same for every web view."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote, urlsplit


class OwnPages:
    """Our pages by URL; compared decoded, since each web view encodes file URLs differently."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._own = frozenset(_spelling(url) for url in urls)

    def may_navigate(self, url: str, own_url: str) -> bool:
        """Whether a window may load ``url``: only the page it was created for, not our other pages."""
        return self.is_own(url) and _spelling(url) == _spelling(own_url)

    def is_own(self, url: str) -> bool:
        return _spelling(url) in self._own


def _spelling(url: str) -> tuple[str, str, str, str]:
    parts = urlsplit(url)
    path = unquote(parts.path)
    # Only the drive letter is case-insensitive here.
    drive = path[:3].lower() if len(path) > 2 and path[2] == ":" else path[:3]
    return parts.scheme, parts.netloc.replace("localhost", ""), drive + path[3:], parts.query
