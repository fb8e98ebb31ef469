"""The active skin: the owner's choice, else the pet's own, else the default drawn body.

Caches the decoded sheet per file version. An unusable skin is replaced by the default while it is unusable. Images
are decoded on demand: importing this module is cheap.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from pet.errors import SkinRefused
from pet.skins.model import BODIES, BODY_OF_SOUL, DRAWN, OWN, ActiveSkin, Still, manifest_name
from pet.skins.shelf import SkinShelf

_MOST_STILLS = 300  # cached stills, some kilobytes each

DRAWN_WORN = ActiveSkin(id=DRAWN, stamp=DRAWN, skin=None)


class SkinSelector:
    """``choice`` and ``choose``: read and store the owner's choice, None for automatic. ``own``: the pet's folder."""

    def __init__(
        self,
        own: Path,
        shelf: Callable[[], SkinShelf],
        choice: Callable[[], str | None],
        choose: Callable[[str | None], None],
    ) -> None:
        self._own = own
        self._shelf = shelf
        self._choice = choice
        self._choose = choose
        self._lock = Lock()
        self._read: ActiveSkin | None = None
        self._stills: dict[str, Still] = {}

    @property
    def shelf(self) -> SkinShelf:
        return self._shelf()

    def worn(self) -> ActiveSkin:
        """Return the active skin. Never raises: an unusable skin falls back."""
        for skin_id in self._wanted():
            try:
                return self.preview(skin_id)
            except SkinRefused:
                continue
        return DRAWN_WORN

    def resting(self) -> tuple[str, Still | None]:
        """Return the active skin and its idle image; None for a drawn body. Never raises, as ``worn``."""
        for skin_id in self._wanted():
            try:
                return skin_id, None if self.is_body(skin_id) else self.still(skin_id)
            except SkinRefused:
                continue
        return DRAWN, None

    def is_body(self, skin_id: str) -> bool:
        """Whether the pages draw it. Raises SkinRefused for a body whose images are missing."""
        if skin_id not in BODIES:
            return False
        if skin_id != DRAWN:
            self.shelf.folder(skin_id)
        return True

    def _wanted(self) -> list[str]:
        """Return the candidate skins, best first."""
        chosen = self._choice()
        own = [OWN] if manifest_name(self._own) is not None and chosen not in BODIES else []
        return [chosen, *own] if chosen else own

    def preview(self, skin_id: str) -> ActiveSkin:
        """Return a skin as if active. Raises SkinRefused."""
        if self.is_body(skin_id):
            return ActiveSkin(id=skin_id, stamp=skin_id, skin=None)
        stamp = self.shelf.stamp(skin_id)
        with self._lock:
            if self._read is not None and self._read.stamp == stamp:
                return self._read
            self._read = ActiveSkin(id=skin_id, stamp=stamp, skin=self.shelf.read(skin_id))
            return self._read

    def still(self, skin_id: str) -> Still:
        """Return the skin's idle image. Raises SkinRefused."""
        stamp = self.shelf.stamp(skin_id)
        with self._lock:
            known = self._stills.get(stamp)
        if known is not None:
            return known
        still = self.shelf.still(skin_id)
        with self._lock:
            while len(self._stills) >= _MOST_STILLS:
                del self._stills[next(iter(self._stills))]
            self._stills[stamp] = still
        return still

    def portrait(self) -> bytes:
        """Return the active skin's idle image as PNG. Raises SkinRefused."""
        from PIL import Image

        out = io.BytesIO()
        with Image.open(io.BytesIO(self.still(self.worn().id).image)) as still:  # as we encoded it
            still.save(out, "PNG", optimize=True)
        return out.getvalue()

    def dress_as(self, soul: str) -> bool:
        """Select the body of a shipped personality, unless the owner chose another kind of skin. Return whether the
        look changed.
        """
        body = BODY_OF_SOUL.get(soul)
        chosen = self._choice()
        if body is None or body == (chosen or DRAWN) or (chosen is not None and chosen not in BODIES):
            return False
        if chosen is None and manifest_name(self._own) is not None:
            return False
        try:
            self.choose(body)
        except SkinRefused:
            return False
        return True

    def choose(self, skin_id: str) -> None:
        """Store the owner's choice. Raises SkinRefused for an unusable skin."""
        self.preview(skin_id)
        self._choose(skin_id)

    def deselect(self, skin_id: str) -> None:
        """Return to the automatic choice if this skin is chosen."""
        if self._choice() == skin_id:
            self._choose(None)
