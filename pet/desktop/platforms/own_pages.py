"""URL allow-list of the windows, for every web view."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote, urlsplit


class OwnPages:
    """Allowed pages by URL, compared decoded: each web view encodes file URLs differently."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._own = frozenset(_normalised(url) for url in urls)

    def may_navigate(self, url: str, own_url: str) -> bool:
        """Whether a window may load ``url``: only the page it was created for, not our other pages."""
        return self.is_own(url) and _normalised(url) == _normalised(own_url)

    def is_own(self, url: str) -> bool:
        return _normalised(url) in self._own


def _normalised(url: str) -> tuple[str, str, str, str]:
    parts = urlsplit(url)
    path = unquote(parts.path)
    # Only the drive letter is case-insensitive here.
    drive = path[:3].lower() if len(path) > 2 and path[2] == ":" else path[:3]
    return parts.scheme, parts.netloc.replace("localhost", ""), drive + path[3:], parts.query
