"""Speech bubble, windows and desktop features: drag, links, login entry, shortcuts, screenshots, drops.

Stateless: the system is authoritative for start at login and shortcuts. A screenshot takes the path of dropped
files into the field or the composer and is never sent automatically.
"""

from __future__ import annotations

import base64
import logging
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pet.body.outings import Outing
from pet.bridge.command import Client, command
from pet.bridge.reply_links import check_link
from pet.errors import AttachmentRefused, BadArguments, LoginEntryFailed, ScreenshotImpossible
from pet.events import DesktopChanged, ErrorInfo, SilenceAsked
from pet.providers.local_models import MODEL_SUFFIX
from pet.services.file_transfer import DroppedThings, GivenFile, pieces
from pet.services.offers.bubble_content import BubbleContent
from pet.services.offers.due_reminders import held_line
from pet.services.offers.greetings import goodbye_line
from pet.services.offers.offer import LAST
from pet.services.offers.replies import no_chat_line
from pet.services.offers.shared_life import LifeReason
from pet.services.proactive_limits import wants_quiet

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeReasons:
    """``remembers``: whether memory may show in what the pet does."""

    remembers: bool
    reasons: list[LifeReason]


@dataclass(frozen=True, slots=True)
class BubbleCommands:
    """``number``: of the text that the owner saw; a newer one is left alone. None: of any."""

    app: Pet

    @command(Client.BUBBLE)
    def get_bubble(self) -> BubbleContent:
        """Return the current speech bubble."""
        return self.app.bubble.content()

    @command(Client.BUBBLE)
    def answer_bubble(self, choice: str, number: int, key: str = "") -> None:
        """Answer what the bubble shows with one of its choices; ``key``: of the reminder it belongs to."""
        self.app.bubble.answer(choice, number, key)

    @command(Client.BUBBLE)
    def say_in_bubble(self, text: str, number: int | None = None) -> None:
        """Send what the owner wrote in the field, in its conversation."""
        self.app.field.answer(text, number)

    @command(Client.BUBBLE)
    def remove_from_field(self, attachment: str, number: int) -> None:
        """Take a file out of the field, "" for the quoted text."""
        self.app.field.remove(attachment, number)

    @command(Client.BUBBLE)
    def read_copied(self, number: int) -> None:
        """Quote the clipboard's text, now that the field has the keyboard: some desktops show it to no other."""
        self.app.field.read_copied(number)

    @command(Client.PET, Client.SOCKET)
    def open_field(self) -> None:
        """Show a line beside the pet in which the owner can say something."""
        self.app.bubble.open_field()

    @command(Client.PET, Client.BUBBLE)
    def ask_about(self, text: str, cut: bool = False, copied: bool = False) -> None:
        """Show that line with a text of another program quoted above it; without one, the line alone.

        ``cut``: the text has more than was read. ``copied``: it is the clipboard's.
        """
        self.app.field.ask_about(text, cut=cut, copied=copied)

    @command(Client.PET)
    def touched(self) -> None:
        """Report that the owner poked the pet or put it down."""
        self.app.bubble.owner_came()

    @command(Client.PET)
    def take_held(self) -> None:
        """Show the due reminder that the pet holds: the owner clicked on it."""
        held = held_line(self.app.bubble)
        shown = self.app.bubble.shown(None)
        if held is None or (shown is not None and self.app.bubble.waits and shown.offer.rank < LAST):
            self.app.bubble.owner_came()
        else:
            self.app.bubble.offer(held)

    @command(Client.PET)
    def say_no_chat(self, reason: str) -> None:
        """Say in the bubble that the chat can't open, and where one can talk meanwhile."""
        self.app.bubble.offer(no_chat_line(self.app.bubble, reason))

    @command(Client.PET)
    def say_goodbye(self) -> None:
        """Say a word of goodbye in the bubble, where it is welcome."""
        self.app.bubble.offer(goodbye_line(self.app.bubble))

    @command(Client.CHAT)
    def list_life(self) -> LifeReasons:
        """Return what the life together shows in the pet today, and why."""
        life = self.app.bubble.life
        return LifeReasons(remembers=life.may_remember, reasons=life.reasons(self.app.texts()))


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopState:
    """``login_other``: the login entry starts another program. ``taken_shortcuts``: keys that another program has."""

    login: bool
    login_possible: bool
    login_other: bool
    login_place: str
    taken_shortcuts: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerPlace:
    """Offset from the top left of the pet's window, in its units. ``known`` False: the platform can't tell. ``held``:
    its button is down and the pet may come near."""

    known: bool
    x: int = 0
    y: int = 0
    held: bool = False


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DesktopCommands:
    app: Pet

    @command(Client.CHAT)
    def hide_chat(self) -> None:
        """Hide the chat window."""
        self.app.windows.hide_chat()

    @command(Client.PET, Client.SOCKET)
    def show_view(self, view: Literal["chat", "settings", "history"]) -> None:
        """Show the chat window with this view."""
        self.app.windows.show_chat(view)

    @command(Client.SOCKET)
    def offer_local_model(self, path: str) -> None:
        """Check a model file that was dropped on the pet, and offer it to the owner in the chat."""
        file = Path(path)
        if not file.is_absolute() or file.suffix.casefold() != MODEL_SUFFIX:
            raise BadArguments(where="path", why="value")
        self.app.windows.show_chat("chat")
        self.app.local_models.offer_file(file)

    @command(Client.CHAT)
    def send_to_corner(self) -> None:
        """Let the pet walk to the next corner of its screen."""
        self.app.windows.to_corner()

    @command(Client.PET)
    def stroll(self, way: float, near: bool = False, what: Outing = "walk") -> None:
        """Let the pet take a few steps or do something else, if nothing speaks against it. ``way``: from -1 (left) to
        1; ``near``: to come near the pointer."""
        if self._may_stroll():
            self.app.windows.stroll(max(-1.0, min(1.0, way)), near, what)

    def _may_stroll(self) -> bool:
        settings = self.app.effective.current()
        quiet = wants_quiet(settings, self.app.clock.now()) or self.app.gate.paused
        return not quiet and settings.pet_life != "still"

    @command(Client.PET)
    def find_pointer(self) -> PointerPlace:
        """Return the pointer's position, for the pet's glance."""
        position = self.app.windows.find_pointer()
        if position is None:
            return PointerPlace(known=False)
        x, y, held = position
        return PointerPlace(known=True, x=x, y=y, held=held and self._may_stroll())

    @command(Client.CHAT, Client.PET)
    def hush(self) -> None:
        """End at once what sounds."""
        self.app.emit(SilenceAsked())

    @command(Client.CHAT)
    def open_link(self, url: str) -> None:
        """Open an http(s) or mailto link in the browser. Raises LinkRefused."""
        self.app.windows.system.open_url(check_link(url))

    @command(Client.PET, Client.BUBBLE)
    def drop_on_pet(self, args: DroppedThings) -> None:
        """Put what was dropped on the pet into the field, if it is open; else open the chat for it."""
        if not self.app.field.take(args):
            self.app.drop_box.put(args)

    @command(Client.CHAT)
    def take_dropped(self) -> DroppedThings:
        """Return what was dropped, for the composer; once."""
        return self.app.drop_box.take()

    @command(Client.CHAT)
    def get_desktop(self) -> DesktopState:
        """Return start at login, and the shortcuts that other programs hold."""
        entry = self.app.windows.login
        return DesktopState(
            login=entry.on if entry else False,
            login_possible=entry is not None,
            login_other=entry.on and entry.other if entry else False,
            login_place=entry.place if entry else "",
            taken_shortcuts=list(self.app.windows.shortcuts.taken),
        )

    @command(Client.CHAT)
    def set_login(self, on: bool) -> DesktopState:
        """Start the program at login, or no longer. Raises LoginEntryFailed."""
        entry = self.app.windows.login
        if entry is not None:
            try:
                entry.set(on)
            except OSError as error:
                _log.warning("starting at login: %s", type(error).__name__)
                raise LoginEntryFailed(place=entry.place) from error
            self.app.emit(DesktopChanged(error=None))
        return self.get_desktop()

    @command(Client.CHAT)
    def try_shortcuts(self) -> None:
        """Register the global shortcuts again; DesktopChanged reports the result."""
        self.app.windows.shortcuts.retry()

    @command(Client.CHAT, Client.BUBBLE)
    def take_screenshot(self, area: Literal["screen", "region"], ask: bool = False) -> None:
        """Take a screenshot for the composer; it arrives like a dropped file. Raises ScreenshotImpossible.

        ``area``: the monitor at the pointer, or a region that the owner selects. ``ask``: for the field beside the
        pet, which opens unless the chat is shown.
        """
        if not self.app.windows.take_screenshot(area, partial(self._on_screenshot, ask=ask)):
            raise ScreenshotImpossible()

    def _on_screenshot(self, picture: bytes | None, *, ask: bool) -> None:
        """Put the picture into the field or the drop box; runs on its own thread."""
        if picture is None:
            return
        from pet.workspace.images import prepare_image  # lazy: importing Pillow is slow

        name = self.app.texts()("desktop.screenshot_name", at=f"{self.app.clock.now():%Y-%m-%d %H.%M.%S}")
        try:
            ready = prepare_image(picture, name)
        except AttachmentRefused as refused:
            _log.warning("screenshot refused: %s", refused.problem)
            self.app.emit(DesktopChanged(error=ErrorInfo.of(refused)))
            return
        name += ".png" if ready.kind == "image/png" else ".jpg"
        file = GivenFile(name=name, data=pieces(base64.b64encode(ready.data).decode()))
        things = DroppedThings(text="", files=[file])
        if not (ask and self.app.field.take(things, opens=True)):
            self.app.drop_box.put(things)
