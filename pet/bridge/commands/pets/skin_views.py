"""Skins as the pages see them: their sheets as data addresses, drawn anew, and what is listed of each."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pet.events import ErrorInfo
from pet.i18n import Texts
from pet.skins.model import BODY_OF_SOUL, Skin, SkinAnimation, SkinSummary
from pet.skins.selection import ActiveSkin, Still


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinSheet:
    """What a page needs to draw a skin. ``image`` is a data address; "" for the drawn character, whose frames the
    pages have, and for a sheet whose ``stamp`` the page said it has."""

    skin: str
    stamp: str
    image: str
    frame_width: int
    frame_height: int
    columns: int
    animations: list[SkinAnimation]
    looks: list[int]  # 16 cells, clockwise from up; or none
    pixelated: bool  # its hard edges are meant


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinInfo:
    """``problem``: why it can't be worn. ``notes``: what about it is not as it should be, and was helped."""

    id: str
    name: str
    description: str
    author: str
    licence: str
    origin: Literal["drawn", "pet", "shared", "codex", "petdex"]
    version: int  # of the Codex format; 0 for the drawn one
    problem: ErrorInfo | None
    notes: list[ErrorInfo]
    current: bool
    deletable: bool


_KINDS = {b"RIFF": "image/webp", b"\x89PNG": "image/png"}


def with_soul_name(info: SkinInfo, texts: Texts) -> SkinInfo:
    """A body of ours is called as its personality is, in the owner's language."""
    soul = next((soul for soul, body in BODY_OF_SOUL.items() if body == info.id), None)
    if soul is None or info.origin != "drawn":
        return info
    name, about = texts(f"template.{soul}.name"), texts(f"template.{soul}")
    return replace(info, name=name, description=about, author="", licence="")


def skin_info(seen: SkinSummary, *, current: bool) -> SkinInfo:
    """A skin in the list, without its pictures."""
    return SkinInfo(
        id=seen.id,
        name=seen.name,
        description=seen.description,
        author=seen.author,
        licence=seen.licence,
        origin=seen.origin,
        version=seen.version,
        problem=ErrorInfo.of(seen.problem) if seen.problem else None,
        notes=[ErrorInfo.of(note) for note in seen.notes],
        current=current,
        deletable=seen.origin == "shared",
    )


def sheet_of(worn: ActiveSkin, *, with_image: bool = True) -> SkinSheet:
    """What the pet wears; ``with_image`` False where the page has the picture already."""
    skin = worn.skin
    if skin is None:
        return SkinSheet(
            skin=worn.id,
            stamp=worn.stamp,
            image="",
            frame_width=192,
            frame_height=208,
            columns=8,
            animations=[],
            looks=[],
            pixelated=False,
        )
    return SkinSheet(
        skin=worn.id,
        stamp=worn.stamp,
        image=_data_address(worn, skin) if with_image else "",
        frame_width=skin.frame.width,
        frame_height=skin.frame.height,
        columns=skin.frame.columns,
        animations=list(skin.animations),
        looks=list(skin.looks),
        pixelated=skin.pixelated,
    )


def still_of(skin_id: str, still: Still) -> SkinSheet:
    """A skin at rest, as one picture."""
    return SkinSheet(
        skin=skin_id,
        stamp=still.stamp,
        image=_address(still.image),
        frame_width=still.width,
        frame_height=still.height,
        columns=1,
        animations=[SkinAnimation(name="idle", frames=(0,), milliseconds=(1000,))],
        looks=[],
        pixelated=still.pixelated,
    )


def _data_address(worn: ActiveSkin, skin: Skin) -> str:
    return _address(_redrawn(worn.stamp, skin.sheet))


@lru_cache(maxsize=2)
def _redrawn(_stamp: str, sheet: Path) -> bytes:
    """The sheet drawn anew: no page gets a file from outside. Raises SkinRefused."""
    from pet.skins.formats.skin_images import open_sheet
    from pet.skins.formats.sprite_sheet import redrawn

    return redrawn(open_sheet(sheet, sheet.name))


def _address(data: bytes) -> str:
    kind = _KINDS.get(data[:4], "image/png")
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
