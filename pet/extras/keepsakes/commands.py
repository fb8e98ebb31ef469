"""Pictures and films of the pet, in the owner's pictures folder.

They are drawn from the pet's own drawings; no screenshot is taken. The bubble's words are drawn only when the owner
chose them for this one picture; otherwise a bar for each line.
"""

from __future__ import annotations

import logging
import re
import threading
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pet.bridge.command import Client, command
from pet.bridge.commands.desktop import BubbleCommands
from pet.desktop.platform import MenuItem
from pet.errors import NoFileManager, PetError
from pet.events import ErrorInfo
from pet.services.file_transfer import plain_name, save_to_downloads
from pet.services.offers.bubble import SpeechBubble
from pet.services.offers.offer import Answer, BubbleLine
from pet.services.offers.replies import FAILED, failure

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.desktop.core_client import CoreClient
    from pet.desktop.pet_actor import ShownPose

_UNUSABLE = re.compile(r'[<>:"/\\|?*]')  # in a file's name, on some system
_FAILED = replace(FAILED, held="never")
SAVED = replace(_FAILED, kind="saved")


@dataclass(frozen=True, slots=True)
class KeepsakeCommands:
    app: Pet

    @command(Client.SOCKET)
    def ask_keepsake(self, film: bool, words: bool = False) -> None:
        """Draw the pet as it is now, save the picture or film and say where, on another thread. ``words``: with the
        bubble's own words."""
        pose, shown = self.app.windows.pose(), self.app.bubble.content()
        if pose is not None:
            text = shown.text if shown.voiced else ""
            threading.Thread(target=self._save, args=(pose, text, film, words), name="keepsake", daemon=True).start()

    def _save(self, pose: ShownPose, text: str, film: bool, words: bool) -> None:
        from platformdirs import user_pictures_path

        from pet.desktop.pet_pictures import UnusableSheet
        from pet.extras.keepsakes.drawing import draw_keepsake  # lazy: Qt and Pillow, for a rare wish

        bubble, now = self.app.bubble, self.app.clock.now()
        name = _UNUSABLE.sub(" ", plain_name(self.app.name())).strip(" .") or "Soulpet"
        name = f"{name} {now:%Y-%m-%d %H.%M.%S}.{'webp' if film else 'png'}"
        try:
            data = draw_keepsake(pose, text, film=film, words=words)
            file = save_to_downloads(user_pictures_path(), name, data)
        except UnusableSheet:
            logging.getLogger(__name__).warning("a picture of this skin can't be drawn")
        except PetError as failed:
            bubble.offer_if_free(failure(bubble, ErrorInfo.of(failed), offer=_FAILED))
        else:
            if not bubble.offer_if_free(saved_line(bubble, file)):
                bubble.pet.windows.system.open_folder(file.parent)


def saved_line(bubble: SpeechBubble, file: Path) -> BubbleLine:
    """Return the line that says where the file is and opens its folder."""

    def show_folder() -> None:
        if not bubble.pet.windows.system.open_folder(file.parent):
            missing = ErrorInfo.of(NoFileManager(path=str(file.parent)))
            bubble.offer(failure(bubble, missing, offer=_FAILED))

    folder = Answer(id="go_there", text="bubble.open_folder", style="main", act=show_folder)
    words = {"file": file.name, "folder": file.parent.name}
    return BubbleLine(offer=SAVED, words=lambda texts: texts("bubble.saved", **words), answers=(folder,))


def menu_item(core: CoreClient) -> MenuItem:
    """Return the entry, with the pictures that can be taken below it."""
    return MenuItem(text=core.texts()("shell.menu_keepsake"), children=partial(_pictures, core), sign="keepsake")


def _pictures(core: CoreClient) -> list[MenuItem]:
    """Return the pictures: without words, and with them while the bubble shows words of the pet."""
    texts, kinds = core.texts(), [("picture", False), ("film", False)]
    shown = core.call(Client.BUBBLE, BubbleCommands.get_bubble)
    if shown is not None and shown.voiced:
        kinds += [("picture_words", True), ("film_words", True)]
    return [
        MenuItem(
            text=texts(f"shell.menu_{key}"),
            act=partial(
                core.order,
                Client.SOCKET,
                KeepsakeCommands.ask_keepsake,
                film=key.startswith("film"),
                words=words,
            ),
            starts_group=key == "picture_words",
        )
        for key, words in kinds
    ]
