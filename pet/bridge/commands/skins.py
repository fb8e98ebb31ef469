"""Skins: list, preview and choose; and how the pet looks.

Pages get sheets as re-encoded images in data addresses. No file of the pet's memory is read here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from pet.body.acts import Film, Step, parade, performance
from pet.body.bodies import drawing_of, own_timing, poses_of
from pet.body.creature import BodyPose, Cell, drawn_sheet, pose_drawing
from pet.body.outings import Pace
from pet.body.sheets import ROOM, SheetActs, css_movement
from pet.bridge.command import Client, command
from pet.events import Mood, SettingsChanged
from pet.i18n import Language, Texts
from pet.serde import vars_of
from pet.services.file_transfer import data_address
from pet.services.home import wardrobe_for
from pet.services.offers.shared_life import PetLife
from pet.skins.model import BODY_OF_SOUL, CELL, COLUMNS, ActiveSkin, SkinAnimation, Still
from pet.skins.selection import SkinSelector
from pet.skins.shelf import SkinShelf, SkinSummary

if TYPE_CHECKING:
    from pet.app.pet import Pet


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


def sheet_of(worn: ActiveSkin, shelf: SkinShelf | None) -> SkinSheet:
    """Return the sheet of a worn skin; ``shelf`` None if the page has the picture already. Raises SkinRefused."""
    skin = worn.skin
    if skin is None:
        return SkinSheet(skin=worn.id, stamp=worn.stamp)
    return SkinSheet(
        skin=worn.id,
        stamp=worn.stamp,
        image=data_address("image/webp", shelf.image(worn)) if shelf else "",
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


def body_at_rest(body: str) -> SkinSheet:
    """Return one of our own bodies at rest, as a sheet of one cell."""
    return _body_sheet(body, pose_drawing(drawing_of(body), BodyPose()), 1)


def _body_sheet(body: str, drawing: str, columns: int) -> SkinSheet:
    image = data_address("image/svg+xml", drawing.encode())
    return SkinSheet(skin=body, stamp=body, image=image, columns=columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmStep:
    """``move``: a CSS transform of the whole picture, from the middle of its lower edge."""

    act: str
    cell: int
    milliseconds: int
    move: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinFilm:
    """A skin in motion. ``again``: the step after the last one; ``still``: the step to show with reduced motion."""

    sheet: SkinSheet
    steps: list[FilmStep]
    again: int
    still: int


def _film_of(film: Film, sheet: SkinSheet, cells: Callable[[Step], tuple[int, str]]) -> SkinFilm:
    steps = []
    for step in film.steps:
        cell, move = cells(step)
        steps.append(FilmStep(act=step.act, cell=cell, milliseconds=step.ms, move=move))
    return SkinFilm(sheet=sheet, steps=steps, again=film.again, still=film.still)


def film_of(worn: ActiveSkin, act: str, shelf: SkinShelf) -> SkinFilm:
    """Return a skin of the shelf in one act and then at rest; in all acts in turn for ""."""
    acts = None if worn.skin is None else SheetActs(worn.skin)
    timing = own_timing if acts is None else acts.timing
    film = performance(act, timing) if act else parade(timing)
    if acts is None or worn.skin is None:
        shown = list(dict.fromkeys((step.act, step.frame) for step in film.steps))
        poses = [(poses_of(name) or (BodyPose(),))[frame] for name, frame in shown]
        cells = [Cell(pose, at % COLUMNS, at // COLUMNS) for at, pose in enumerate(poses)]
        sheet = _body_sheet(worn.id, drawn_sheet(drawing_of(worn.id), cells), min(len(cells), COLUMNS))
        return _film_of(film, sheet, lambda step: (shown.index((step.act, step.frame)), ""))
    frame, moved = worn.skin.frame, acts

    def cell_of(step: Step) -> tuple[int, str]:
        cell, pose = moved.picture(step.act, step.frame)
        if pose is None and not moved.still:
            return cell, ""
        size = ROOM if moved.still else 1
        return cell, css_movement(pose or BodyPose(), size, frame.width, frame.height)

    return _film_of(film, sheet_of(worn, shelf), cell_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class PetLook:
    """Data to draw the pet's window; of conversations and memory no word, only which drawings they call for."""

    sheet: SkinSheet
    mood: Mood
    paused: bool
    reduced_motion: Literal["system", "on", "off"]
    language: Language
    name: str
    pace: Pace
    fades: bool  # while the pointer rests on it
    hush: bool  # do not disturb
    tab_off: bool  # memory is off in the conversation that the chat has open
    life: PetLife


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinList:
    skins: list[SkinInfo]


def listed(wardrobe: SkinSelector, language: Language) -> list[SkinInfo]:
    """Return the skins of a pet, with broken ones."""
    worn, texts = wardrobe.worn().id, Texts(language)
    return [with_soul_name(skin_info(each, current=each.id == worn), texts) for each in wardrobe.shelf.summaries()]


@dataclass(frozen=True, slots=True)
class SkinCommands:
    app: Pet

    @command(Client.CHAT)
    def list_skins(self) -> SkinList:
        """Return the skins of the pet, with broken ones."""
        return SkinList(skins=listed(self.app.wardrobe, self.app.language()))

    @command(Client.CHAT)
    def preview_skin(self, skin: str = "", pixels: bool = False) -> SkinSheet:
        """Return a skin at rest, as a sheet of one cell; ``skin``: "" for the worn one.

        ``pixels``: as a picture of pixels also of one of our own bodies, which else is a drawing.
        """
        skin = skin or self.app.wardrobe.worn().id
        if self.app.wardrobe.is_body(skin) and not pixels:
            return body_at_rest(skin)
        return still_of(skin, self.app.wardrobe.still(skin))

    @command(Client.CHAT)
    def film_skin(self, skin: str = "", act: str = "") -> SkinFilm:
        """Return a skin in motion, with all its pictures, which may be megabytes; ``skin``: "" for the worn one.

        ``act``: what it does, and then rests; "" for all acts in turn.
        """
        worn = self.app.wardrobe.preview(skin) if skin else self.app.wardrobe.worn()
        return film_of(worn, act, self.app.wardrobe.shelf)

    @command(Client.CHAT)
    def choose_skin(self, skin: str) -> SkinList:
        """Wear this skin."""
        self.app.wardrobe.choose(skin)
        self.app.emit(SettingsChanged())  # the pet's page reloads its appearance
        return SkinList(skins=listed(self.app.wardrobe, self.app.language()))

    @command(Client.CHAT)
    def typing(self) -> None:
        """Report that the owner is typing; sent at most every two seconds."""
        self.app.moods.typing()

    @command(Client.CHAT, Client.PET)
    def reading(self) -> None:
        """Report the owner's activity, which wakes the pet or keeps it awake.

        Sent for activity in the chat without typing, at most every two minutes, and for a poke, a drop, and a pointer
        that comes during a nap.
        """
        self.app.moods.reading()

    @command(Client.PET)
    def nap(self) -> None:
        """Let the pet fall asleep, as another beside it did, if it has nothing to do."""
        self.app.moods.nap()

    @command(Client.PET)
    def get_skin(self, have: str = "") -> PetLook:
        """Return how the pet looks now.

        ``have``: the stamp of the sheet that the page has; its image is then left out.
        """
        app, settings = self.app, self.app.effective.current()
        worn = app.wardrobe.worn()
        return PetLook(
            sheet=sheet_of(worn, app.wardrobe.shelf if have != worn.stamp else None),
            mood=app.moods.mood,
            paused=app.gate.paused,
            reduced_motion=settings.reduced_motion,
            language=app.language(),
            name=app.name(),
            pace=settings.pet_life,
            fades=settings.fade_on_hover,
            hush=settings.do_not_disturb,
            tab_off=app.open_tab.off,
            life=app.bubble.life.drawn(),
        )


class PetPictureCommands:
    """Pictures of the pets of this home; nothing else of another pet is opened."""

    def __init__(self, app: Pet) -> None:
        self._app = app
        self._kept: dict[str, SkinSelector] = {}  # they cache the pictures, which are slow to cut out

    @command(Client.CHAT)
    def preview_pet(self, pet: str) -> SkinSheet:
        """Return the worn skin of a pet of this home, at rest."""
        app, root = self._app, self._app.pets.root(pet)
        if pet not in self._kept:
            self._kept[pet] = wardrobe_for(app.home, root, app.clock, app.environ)
        skin, still = self._kept[pet].resting()
        return still_of(skin, still) if still else body_at_rest(skin)
