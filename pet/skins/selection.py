"""The active skin: the owner's choice, else the pet's own, else the default drawn body.

Caches the decoded sheet per file version. An unusable skin is replaced by the default while it is unusable. Images
are decoded on demand: importing this module is cheap.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pet.errors import SkinRefused
from pet.skins.model import BODIES, BODY_OF_SOUL, DRAWN, OWN, Skin, manifest_name

if TYPE_CHECKING:
    from pet.skins.library import SkinFolder, SkinLibrary


_MOST_FILES = 500  # per folder; a skin has two
_MOST_STILLS = 300  # cached stills, some kilobytes each


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveSkin:
    """``skin`` None: the drawn body of this id. ``stamp`` identifies the version of the skin's files."""

    id: str
    stamp: str
    skin: Skin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """One cell, as WebP."""

    stamp: str
    image: bytes
    width: int
    height: int
    pixelated: bool


DRAWN_WORN = ActiveSkin(id=DRAWN, stamp=DRAWN, skin=None)


class SkinSelector:
    """``choice`` and ``choose``: read and store the owner's choice, None for automatic. ``own``: the pet's folder."""

    def __init__(
        self,
        own: Path,
        shelf: Callable[[], SkinLibrary],
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
    def shelf(self) -> SkinLibrary:
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
            self.shelf.place(skin_id)
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
        from pet.skins.library import read_skin

        place = self.shelf.place(skin_id)
        stamp = _stamp(place)
        with self._lock:
            if self._read is not None and self._read.stamp == stamp:
                return self._read
            self._read = ActiveSkin(id=skin_id, stamp=stamp, skin=read_skin(place))
            return self._read

    def still(self, skin_id: str) -> Still:
        """Return the skin's idle image. Raises SkinRefused."""
        from pet.skins.library import read_pixels
        from pet.skins.sprite_sheet import as_webp

        place = self.shelf.place(skin_id)
        stamp = _stamp(place)
        with self._lock:
            known = self._stills.get(stamp)
        if known is not None:
            return known
        skin, sheet = read_pixels(place)
        cell = skin.animation("idle")
        assert cell is not None  # a skin always has an idle cell
        frame, first = skin.frame, cell.frames[0]
        left, top = (first % frame.columns) * frame.width, (first // frame.columns) * frame.height
        picture = as_webp(sheet.crop((left, top, left + frame.width, top + frame.height)))
        still = Still(stamp=stamp, image=picture, width=frame.width, height=frame.height, pixelated=skin.pixelated)
        with self._lock:
            while len(self._stills) >= _MOST_STILLS:
                del self._stills[next(iter(self._stills))]
            self._stills[stamp] = still
        return still

    def portrait(self) -> bytes:
        """Return the active skin's idle image as PNG. Raises SkinRefused."""
        from pet.skins.sprite_sheet import as_png, open_picture

        return as_png(open_picture(self.still(self.worn().id).image, "portrait"))

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

    def delete(self, skin_id: str) -> None:
        """Delete a shared skin, deselecting it. Raises SkinRefused."""
        self.shelf.delete(skin_id)
        if self._choice() == skin_id:
            self._choose(None)


def _stamp(place: SkinFolder) -> str:
    """Return a value that changes with the skin's files."""
    digest = hashlib.sha256(place.id.encode())
    try:
        for file in sorted(each for each in islice(place.folder.rglob("*"), _MOST_FILES) if each.is_file()):
            status = file.stat()
            digest.update(f"{file.name}\0{status.st_mtime_ns}\0{status.st_size}\0".encode())
    except OSError:
        return ""
    return digest.hexdigest()[:24]
