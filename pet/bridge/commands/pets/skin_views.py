"""Views of skins for the pages: list entries, and sheets as re-encoded images in data addresses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from pet.i18n import Texts
from pet.serde import vars_of
from pet.services.file_transfer import data_address
from pet.skins.model import BODY_OF_SOUL, CELL, COLUMNS, SkinAnimation, SkinSummary
from pet.skins.selection import ActiveSkin, Still


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinSheet:
    """Data to draw a skin. ``image``: a data address; "" for a built-in character, whose frames the pages have, and
    for a sheet whose ``stamp`` the page already has."""

    skin: str
    stamp: str
    image: str = ""
    frame_width: int = CELL[0]
    frame_height: int = CELL[1]
    columns: int = COLUMNS
    animations: list[SkinAnimation] = field(default_factory=list)
    looks: list[int] = field(default_factory=list)  # 16 cells, clockwise from up; or empty
    pixelated: bool = False  # scale without smoothing


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinInfo(SkinSummary):
    """``problem``: why it can't be worn. ``notes``: defects that were corrected."""

    current: bool
    deletable: bool


def with_soul_name(info: SkinInfo, texts: Texts) -> SkinInfo:
    """Name a built-in body after its personality, in the owner's language."""
    soul = next((soul for soul, body in BODY_OF_SOUL.items() if body == info.id), None)
    if soul is None or info.origin != "drawn":
        return info
    name, about = texts(f"template.{soul}.name"), texts(f"template.{soul}")
    return replace(info, name=name, description=about, author="", licence="")


def skin_info(seen: SkinSummary, *, current: bool) -> SkinInfo:
    """Return a skin for the list, without its pictures."""
    return SkinInfo(**vars_of(seen), current=current, deletable=seen.origin == "shared")


def sheet_of(worn: ActiveSkin, *, with_image: bool = True) -> SkinSheet:
    """Return the sheet of a worn skin; ``with_image`` False if the page has the picture already."""
    skin = worn.skin
    if skin is None:
        return SkinSheet(skin=worn.id, stamp=worn.stamp)
    return SkinSheet(
        skin=worn.id,
        stamp=worn.stamp,
        image=data_address("image/webp", _redrawn(worn.stamp, skin.sheet)) if with_image else "",
        frame_width=skin.frame.width,
        frame_height=skin.frame.height,
        columns=skin.frame.columns,
        animations=list(skin.animations),
        looks=list(skin.looks),
        pixelated=skin.pixelated,
    )


def still_of(skin_id: str, still: Still) -> SkinSheet:
    """Return a skin at rest, as a sheet of one cell."""
    return SkinSheet(
        skin=skin_id,
        stamp=still.stamp,
        image=data_address("image/webp", still.image),
        frame_width=still.width,
        frame_height=still.height,
        columns=1,
        animations=[SkinAnimation(name="idle", frames=(0,), milliseconds=(1000,))],
        pixelated=still.pixelated,
    )


@lru_cache(maxsize=2)
def _redrawn(_stamp: str, sheet: Path) -> bytes:
    """Return the sheet re-encoded as WebP: no page gets a foreign file. Raises SkinRefused."""
    from pet.skins.formats.skin_images import open_sheet
    from pet.skins.formats.sprite_sheet import redrawn

    return redrawn(open_sheet(sheet, sheet.name))
