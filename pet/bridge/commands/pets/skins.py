"""Skins: the list, the preview, choosing, taking in, exporting and deleting; and how the pet looks.

Pictures alone: no file of the pet's memory is within reach of these commands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

from pet.bridge.command import Client, command
from pet.bridge.commands.pets.skin_views import SkinInfo, SkinSheet, sheet_of, skin_info, still_of, with_soul_name
from pet.engine.mood.tracker import MoodTracker
from pet.errors import BadArguments, SkinRefused, WriteFailed
from pet.events import ErrorInfo, Event, Mood, SettingsChanged, SkinArriving
from pet.i18n import Language, Texts
from pet.services.file_transfer import GivenFile, SavedFile, decode_chunks, save_to_downloads
from pet.settings.schema import Settings
from pet.skins.model import SkinOffer
from pet.skins.selection import ActiveSkin, SkinSelector

if TYPE_CHECKING:
    from pet.skins.download import Downloads
    from pet.skins.importer import ImportedSkin


@dataclass(frozen=True, slots=True, kw_only=True)
class PetLook:
    """Everything the pet's window needs to draw itself. Nothing of what is said or remembered."""

    sheet: SkinSheet
    mood: Mood
    paused: bool
    reduced_motion: Literal["system", "on", "off"]
    language: Language
    name: str
    fades: bool  # while the pointer rests on it
    hush: bool  # do not disturb
    tab_off: bool  # the brain is off in the conversation that the chat has open


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinList:
    skins: list[SkinInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinImported:
    skin: SkinInfo
    skins: list[SkinInfo]


_MOST_FILES = 64


@dataclass(slots=True, kw_only=True)
class SkinCommands:
    """``downloads``: the folder for what is exported; ``fetching``: for tests, how skins are fetched."""

    wardrobe: SkinSelector
    moods: MoodTracker
    paused: Callable[[], bool]
    tab_off: Callable[[], bool]
    settings: Callable[[], Settings]
    language: Callable[[], Language]
    pet_name: Callable[[], str]
    downloads: Callable[[], Path]
    emit: Callable[[Event], object]
    fetching: Downloads | None = None
    _lock: Lock = field(init=False, default_factory=Lock)

    @command(Client.CHAT)
    def list_skins(self) -> SkinList:
        """The skins the pet can wear, and those that are broken."""
        return SkinList(skins=self._list())

    @command(Client.CHAT)
    def preview_skin(self, skin: str = "", whole: bool = False, pixels: bool = False) -> SkinSheet:
        """A skin's pictures, for the chooser.

        ``skin``: "" for the one the pet wears. ``whole``: all of its pictures, which may be megabytes; else the one
        at rest alone, as a sheet of one cell. ``pixels``: a picture also of a body that the pages draw themselves.
        """
        skin = skin or self.wardrobe.worn().id
        if whole or (self.wardrobe.is_body(skin) and not pixels):
            return sheet_of(self.wardrobe.look(skin))
        return still_of(skin, self.wardrobe.still(skin))

    @command(Client.CHAT)
    def choose_skin(self, skin: str) -> SkinList:
        """Wear this skin."""
        self.wardrobe.choose(skin)
        self.emit(SettingsChanged())  # the pet's page asks for its look again
        return SkinList(skins=self._list())

    @command(Client.CHAT)
    def import_skin(self, files: list[GivenFile]) -> SkinImported:
        """Take in a zip or a set of pictures.

        One zip, one sheet, the pictures of a set, or the files of a folder, named ``folder/file``.
        """
        from pet.skins.importer import take_any

        data = _files(files)
        folders = {each.name.replace("\\", "/").rpartition("/")[0].partition("/")[0] for each in files}
        name = folders.pop()[:120] if len(folders) == 1 else ""
        return self._take_in(take_any(name or _common_name(list(data)), data))

    @command(Client.CHAT)
    def look_at_skin(self, address: str) -> SkinOffer:
        """Who would send the skin there, and how large it is.

        What the owner pasted: an https address, or a link that installs a Codex pet.
        """
        return self._downloads_of_skins().look(address)

    @command(Client.CHAT)
    def fetch_skin(self, address: str) -> SkinImported:
        """Download a skin and take it in.

        What the owner pasted: an https address, or a link that installs a Codex pet.
        """
        from pet.skins.importer import take_any

        def tell(done: int, of: int | None) -> None:
            self.emit(SkinArriving(done=done, of=of))

        fetched = self._downloads_of_skins().fetch(address, tell)
        at = fetched.address
        files = {at.file or "pet.zip": fetched.data}
        return self._take_in(take_any(at.name, files, description=at.description))

    @command(Client.CHAT)
    def stop_fetching_skin(self) -> None:
        """End the download that runs."""
        if self.fetching is not None:
            self.fetching.cancel()

    @command(Client.CHAT)
    def copy_skin(self, skin: str) -> SkinImported:
        """Keep a copy of a skin that another program has."""
        return self._take_in(self.wardrobe.shelf.copied(skin))

    def _take_in(self, taken: ImportedSkin) -> SkinImported:
        skin = self.wardrobe.shelf.take_in(taken)
        skins = self._list()
        info = next(each for each in skins if each.id == skin.id)
        notes = tuple(ErrorInfo.of(note) for note in (*taken.notes, *skin.notes))
        return SkinImported(skin=replace(info, notes=notes), skins=skins)

    @command(Client.CHAT)
    def export_skin(self, skin: str) -> SavedFile:
        """Put a skin as a Codex pet into the downloads folder."""
        name, data = self.wardrobe.shelf.export(skin)
        folder = self.downloads()
        try:
            return SavedFile(path=str(save_to_downloads(folder, name, data)))
        except WriteFailed as problem:
            raise SkinRefused("not_exported", folder=str(folder)) from problem

    @command(Client.CHAT)
    def delete_skin(self, skin: str) -> SkinList:
        """Delete an imported skin."""
        worn = self.wardrobe.worn().id
        self.wardrobe.delete(skin)
        if worn == skin:
            self.emit(SettingsChanged())
        return SkinList(skins=self._list())

    @command(Client.CHAT)
    def typing(self) -> None:
        """The owner is typing: the pet listens up. At most every two seconds."""
        self.moods.typing()

    @command(Client.CHAT)
    def reading(self) -> None:
        """The owner moves about in the window without typing: the pet stays awake. At most every two minutes."""
        self.moods.reading()

    @command(Client.PET)
    def get_skin(self, have: str = "") -> PetLook:
        """How the pet looks now.

        ``have``: the stamp of the sheet the page draws now, so that megabytes travel once.
        """
        worn = self.wardrobe.worn()
        return PetLook(
            sheet=sheet_of(worn, with_image=have != worn.stamp),
            mood=self.moods.mood,
            paused=self.paused(),
            reduced_motion=self.settings().reduced_motion,
            language=self.language(),
            name=self.pet_name(),
            fades=self.settings().fade_on_hover,
            hush=self.settings().do_not_disturb,
            tab_off=self.tab_off(),
        )

    def _downloads_of_skins(self) -> Downloads:
        """Made with the first address: most owners never paste one."""
        with self._lock:
            if self.fetching is None:
                from pet.skins.download import Downloads

                self.fetching = Downloads()
            return self.fetching

    def _list(self) -> list[SkinInfo]:
        worn = self.wardrobe.worn().id
        texts = Texts(self.language())
        return [
            with_soul_name(skin_info(each, current=each.id == worn), texts) for each in self.wardrobe.shelf.glances()
        ]


class PetPictureCommands:
    """How the pets of this home look, each in what it wears. ``wardrobe`` of a pet's folder; ``root`` of a pet, which
    raises for those that are none. Nothing else of another pet is opened."""

    def __init__(self, root: Callable[[str], Path], wardrobe: Callable[[Path], SkinSelector]) -> None:
        self._root = root
        self._wardrobe = wardrobe
        self._kept: dict[str, SkinSelector] = {}  # they keep the pictures, which take a while to cut out

    @command(Client.CHAT)
    def preview_pet(self, pet: str) -> SkinSheet:
        """What a pet of this home wears, at rest."""
        root = self._root(pet)
        worn = self._kept.setdefault(pet, self._wardrobe(root)).resting()
        skin, still = worn
        return still_of(skin, still) if still else sheet_of(ActiveSkin(id=skin, stamp=skin, skin=None))


def _files(given: list[GivenFile]) -> dict[str, bytes]:
    """The owner's files by their plain names. Raises BadArguments."""
    if not 0 < len(given) <= _MOST_FILES:
        raise BadArguments(where="files", why="length")
    files: dict[str, bytes] = {}
    for each in given:
        name = each.name.replace("\\", "/").rpartition("/")[2][:120] or "file"
        files[name] = decode_chunks(each.data, "files")
    return files


def _common_name(names: list[str]) -> str:
    """What the pictures' names begin with, as the name of the set: Bun_happy and Bun_sad are Bun."""
    first, last = min(names), max(names)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return first[:length].rstrip(" _-.0123456789") or Path(first).stem
