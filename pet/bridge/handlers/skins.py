"""Skins: the list, the preview, choosing, taking in, exporting and deleting; and how the pet looks.

Pictures alone: no file of the pet's memory is within reach of these handlers.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pet.bridge.api import (
    ImportSkinArgs,
    LookArgs,
    Nothing,
    PetLook,
    PreviewPetArgs,
    PreviewSkinArgs,
    SkinAddressArgs,
    SkinAnimation,
    SkinArgs,
    SkinExported,
    SkinFile,
    SkinImported,
    SkinInfo,
    SkinList,
    SkinOffer,
    SkinSheet,
)
from pet.clock import Clock
from pet.engine.mood.tracker import MoodTracker
from pet.errors import BadArguments, SkinRefused, WriteFailed
from pet.events import ErrorInfo, Event, SettingsChanged, SkinArriving
from pet.i18n import Language, Texts
from pet.paths import Home, ui_folder
from pet.services.file_transfer import save_to_downloads
from pet.settings.schema import Settings
from pet.skins.model import BODY_OF_SOUL, Animation, Skin, SkinSummary
from pet.skins.selection import ActiveSkin, SkinSelector, Still
from pet.workspace.pets.pet_toml import read_value, write_value
from pet.workspace.versioned.owner_files import OwnerFiles

if TYPE_CHECKING:
    from pet.skins.download import Downloads
    from pet.skins.importer import ImportedSkin
    from pet.skins.library import SkinLibrary

_CHOICE = "skin"  # in pet.toml
_MOST_FILES = 64
_KINDS = {b"RIFF": "image/webp", b"\x89PNG": "image/png"}


def wardrobe_for(home: Home, root: Path, clock: Clock, environ: Mapping[str, str]) -> SkinSelector:
    """The skins of the pet in this workspace. Its choice stands in pet.toml."""

    def shelf() -> SkinLibrary:
        from pet.skins.library import SkinLibrary, foreign_folders

        return SkinLibrary(
            workspace=root,
            shared=home.data / "skins",
            foreign=foreign_folders(environ, Path.home()),
            drawn=ui_folder() / "skin",
        )

    owned = OwnerFiles(root=root, locks=home.locks, clock=clock)
    return SkinSelector(
        root / "skin", shelf, lambda: read_value(root, _CHOICE), lambda skin: write_value(owned, _CHOICE, skin)
    )


class SkinCommands:
    """Every public method is the handler of the row of its name. ``downloads``: the folder for what is exported;
    ``fetching``: how skins are fetched, where tests have their own way."""

    def __init__(
        self,
        *,
        wardrobe: SkinSelector,
        moods: MoodTracker,
        paused: Callable[[], bool],
        tab_off: Callable[[], bool],
        settings: Callable[[], Settings],
        language: Callable[[], Language],
        pet_name: Callable[[], str],
        downloads: Callable[[], Path],
        emit: Callable[[Event], None],
        fetching: Downloads | None = None,
    ) -> None:
        self._lock = Lock()
        self._fetching = fetching
        self._wardrobe = wardrobe
        self._moods = moods
        self._paused = paused
        self._tab_off = tab_off
        self._settings = settings
        self._language = language
        self._pet_name = pet_name
        self._downloads = downloads
        self._emit = emit

    def list_skins(self, _args: Nothing) -> SkinList:
        return SkinList(skins=self._list())

    def preview_skin(self, args: PreviewSkinArgs) -> SkinSheet:
        skin = args.skin or self._wardrobe.worn().id
        if args.whole or (self._wardrobe.is_body(skin) and not args.pixels):
            return _sheet(self._wardrobe.look(skin))
        return _still(skin, self._wardrobe.still(skin))

    def choose_skin(self, args: SkinArgs) -> SkinList:
        self._wardrobe.choose(args.skin)
        self._emit(SettingsChanged())  # the pet's page asks for its look again
        return SkinList(skins=self._list())

    def import_skin(self, args: ImportSkinArgs) -> SkinImported:
        from pet.skins.importer import take_any

        files = _files(args.files)
        folders = {each.name.replace("\\", "/").rpartition("/")[0].partition("/")[0] for each in args.files}
        name = folders.pop()[:120] if len(folders) == 1 else ""
        return self._take_in(take_any(name or _common_name(list(files)), files))

    def look_at_skin(self, args: SkinAddressArgs) -> SkinOffer:
        offer = self._downloads_of_skins().look(args.address)
        return SkinOffer(host=offer.host, name=offer.name, size=offer.size)

    def fetch_skin(self, args: SkinAddressArgs) -> SkinImported:
        from pet.skins.importer import take_any

        def tell(done: int, of: int | None) -> None:
            self._emit(SkinArriving(done=done, of=of))

        fetched = self._downloads_of_skins().fetch(args.address, tell)
        at = fetched.address
        files = {at.file or "pet.zip": fetched.data}
        return self._take_in(take_any(at.name, files, description=at.description))

    def stop_fetching_skin(self, _args: Nothing) -> None:
        if self._fetching is not None:
            self._fetching.cancel()

    def copy_skin(self, args: SkinArgs) -> SkinImported:
        return self._take_in(self._wardrobe.shelf.copied(args.skin))

    def _take_in(self, taken: ImportedSkin) -> SkinImported:
        skin = self._wardrobe.shelf.take_in(taken)
        skins = self._list()
        info = next(each for each in skins if each.id == skin.id)
        notes = [ErrorInfo.of(note) for note in (*taken.notes, *skin.notes)]
        return SkinImported(skin=replace(info, notes=notes), skins=skins)

    def export_skin(self, args: SkinArgs) -> SkinExported:
        name, data = self._wardrobe.shelf.export(args.skin)
        folder = self._downloads()
        try:
            return SkinExported(path=str(save_to_downloads(folder, name, data)))
        except WriteFailed as problem:
            raise SkinRefused("not_exported", folder=str(folder)) from problem

    def delete_skin(self, args: SkinArgs) -> SkinList:
        worn = self._wardrobe.worn().id
        self._wardrobe.delete(args.skin)
        if worn == args.skin:
            self._emit(SettingsChanged())
        return SkinList(skins=self._list())

    def typing(self, _args: Nothing) -> None:
        self._moods.typing()

    def get_skin(self, args: LookArgs) -> PetLook:
        worn = self._wardrobe.worn()
        return PetLook(
            sheet=_sheet(worn, with_image=args.have != worn.stamp),
            mood=self._moods.mood,
            paused=self._paused(),
            reduced_motion=self._settings().reduced_motion,
            language=self._language(),
            name=self._pet_name(),
            fades=self._settings().fade_on_hover,
            hush=self._settings().do_not_disturb,
            tab_off=self._tab_off(),
        )

    def _downloads_of_skins(self) -> Downloads:
        """Made with the first address: most owners never paste one."""
        with self._lock:
            if self._fetching is None:
                from pet.skins.download import Downloads

                self._fetching = Downloads()
            return self._fetching

    def _list(self) -> list[SkinInfo]:
        worn = self._wardrobe.worn().id
        texts = Texts(self._language())
        return [_named(_info(each, current=each.id == worn), texts) for each in self._wardrobe.shelf.glances()]


class PetPictureCommands:
    """How the pets of this home look, each in what it wears. ``wardrobe`` of a pet's folder; ``root`` of a pet, which
    raises for those that are none. Nothing else of another pet is opened."""

    def __init__(self, root: Callable[[str], Path], wardrobe: Callable[[Path], SkinSelector]) -> None:
        self._root = root
        self._wardrobe = wardrobe
        self._kept: dict[str, SkinSelector] = {}  # they keep the pictures, which take a while to cut out

    def preview_pet(self, args: PreviewPetArgs) -> SkinSheet:
        root = self._root(args.pet)
        worn = self._kept.setdefault(args.pet, self._wardrobe(root)).resting()
        skin, still = worn
        return _still(skin, still) if still else _sheet(ActiveSkin(id=skin, stamp=skin, skin=None))


def _named(info: SkinInfo, texts: Texts) -> SkinInfo:
    """A body of ours is called as its personality is, in the owner's language."""
    soul = next((soul for soul, body in BODY_OF_SOUL.items() if body == info.id), None)
    if soul is None or info.origin != "drawn":
        return info
    name, about = texts(f"template.{soul}.name"), texts(f"template.{soul}")
    return replace(info, name=name, description=about, author="", licence="")


def _info(seen: SkinSummary, *, current: bool) -> SkinInfo:
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


def _sheet(worn: ActiveSkin, *, with_image: bool = True) -> SkinSheet:
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
        animations=[_animation(each) for each in skin.animations],
        looks=list(skin.looks),
        pixelated=skin.pixelated,
    )


def _still(skin_id: str, still: Still) -> SkinSheet:
    return SkinSheet(
        skin=skin_id,
        stamp=still.stamp,
        image=_address(still.image),
        frame_width=still.width,
        frame_height=still.height,
        columns=1,
        animations=[SkinAnimation(name="idle", frames=[0], milliseconds=[1000])],
        looks=[],
        pixelated=still.pixelated,
    )


def _animation(animation: Animation) -> SkinAnimation:
    return SkinAnimation(
        name=animation.name,
        frames=list(animation.frames),
        milliseconds=list(animation.milliseconds),
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


def _files(given: list[SkinFile]) -> dict[str, bytes]:
    """The owner's files by their plain names. Raises BadArguments."""
    if not 0 < len(given) <= _MOST_FILES:
        raise BadArguments(where="files", why="length")
    files: dict[str, bytes] = {}
    for each in given:
        name = each.name.replace("\\", "/").rpartition("/")[2][:120] or "file"
        try:
            files[name] = base64.b64decode("".join(each.data), validate=True)
        except (binascii.Error, ValueError):
            raise BadArguments(where="files", why="value") from None
    return files


def _common_name(names: list[str]) -> str:
    """What the pictures' names begin with, as the name of the set: Bun_happy and Bun_sad are Bun."""
    first, last = min(names), max(names)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return first[:length].rstrip(" _-.0123456789") or Path(first).stem
