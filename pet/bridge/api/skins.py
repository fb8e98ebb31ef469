"""How the pet looks: skins to choose, to take in and to give away, and what its window draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.bridge.api.base import CHAT, PET, Command, Nothing
from pet.events import ErrorInfo, Mood


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinAnimation:
    """Cells of the sheet in the order shown, and how long each stays."""

    name: str
    frames: list[int]
    milliseconds: list[int]


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
class PetLook:
    """Everything the pet's window needs to draw itself. Nothing of what is said or remembered."""

    sheet: SkinSheet
    mood: Mood
    paused: bool
    reduced_motion: Literal["system", "on", "off"]
    language: Literal["zh", "en"]
    name: str
    fades: bool  # while the pointer rests on it
    hush: bool  # do not disturb
    tab_off: bool  # the brain is off in the conversation that the chat has open


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinList:
    skins: list[SkinInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinImported:
    skin: SkinInfo
    skins: list[SkinInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinOffer:
    """What lies at an address. ``host``: who would send it; ``size`` in bytes, None where it isn't said."""

    host: str
    name: str
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinExported:
    """Where the zip was put."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinArgs:
    skin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinAddressArgs:
    """What the owner pasted: an https address, or a link that installs a Codex pet."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSkinArgs:
    """``skin``: "" for the one the pet wears. ``whole``: all of its pictures, which may be megabytes; else the one
    at rest alone, as a sheet of one cell. ``pixels``: a picture also of a body that the pages draw themselves."""

    skin: str = ""
    whole: bool = False
    pixels: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewPetArgs:
    pet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LookArgs:
    """``have``: the stamp of the sheet the page draws now, so that megabytes travel once."""

    have: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinFile:
    """A file the owner picked or dropped: base64, in pieces of at most a million characters."""

    name: str
    data: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSkinArgs:
    """One zip, one sheet, the pictures of a set, or the files of a folder, named ``folder/file``."""

    files: list[SkinFile]


ROWS: tuple[Command, ...] = (
    Command("list_skins", Nothing, SkinList, CHAT, "The skins the pet can wear, and those that are broken."),
    Command("preview_skin", PreviewSkinArgs, SkinSheet, CHAT, "A skin's pictures, for the chooser."),
    Command("preview_pet", PreviewPetArgs, SkinSheet, CHAT, "What a pet of this home wears, at rest."),
    Command("choose_skin", SkinArgs, SkinList, CHAT, "Wear this skin."),
    Command("import_skin", ImportSkinArgs, SkinImported, CHAT, "Take in a zip or a set of pictures."),
    Command("look_at_skin", SkinAddressArgs, SkinOffer, CHAT, "Who would send the skin there, and how large it is."),
    Command("fetch_skin", SkinAddressArgs, SkinImported, CHAT, "Download a skin and take it in."),
    Command("stop_fetching_skin", Nothing, Nothing, CHAT, "End the download that runs."),
    Command("copy_skin", SkinArgs, SkinImported, CHAT, "Keep a copy of a skin that another program has."),
    Command("export_skin", SkinArgs, SkinExported, CHAT, "Put a skin as a Codex pet into the downloads folder."),
    Command("delete_skin", SkinArgs, SkinList, CHAT, "Delete an imported skin."),
    Command("typing", Nothing, Nothing, CHAT, "The owner is typing: the pet listens up. At most every two seconds."),
    Command("get_skin", LookArgs, PetLook, PET, "How the pet looks now."),
)
