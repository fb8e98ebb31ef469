"""Character cards: preview, import as SOUL.md, export."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from secrets import randbelow

from pet.bridge.command import Client, command
from pet.errors import FileConflict
from pet.events import Event, PetsChanged, SettingsChanged
from pet.i18n import Language, Texts
from pet.ids import check_pet_name
from pet.model import CoreFile, Version
from pet.services.character_cards import (
    CardPreview,
    card_preview,
    export_card,
    greeting_of,
    import_card,
    pet_name_of,
    portrait_of,
    skin_of_card,
)
from pet.services.core_files import WriteReply, soul_now, write_reply
from pet.services.file_transfer import GivenFile, SavedFile, decode_chunks, save_to_downloads
from pet.services.importer import Importer
from pet.settings.schema import Settings
from pet.skins.selection import SkinSelector
from pet.workspace.store import WorkspaceStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """First message of the pet's character card in a new tab; "" without a card."""

    text: str


_SOUL = CoreFile.SOUL.value


@dataclass(frozen=True, slots=True)
class CardCommands:
    store: WorkspaceStore
    settings: Callable[[], Settings]
    language: Callable[[], Language]
    pet_name: Callable[[], str]
    downloads: Callable[[], Path]
    importer: Importer
    wardrobe: SkinSelector | None = None
    emit: Callable[[Event], object] = lambda _event: None
    pick: Callable[[int], int] = randbelow

    @command(Client.CHAT)
    def preview_card(self, file: GivenFile, instructions: bool = False) -> CardPreview:
        """Preview the import of a character card; changes nothing. Raises CardRefused, FileBroken.

        ``instructions``: with the card's system prompt and closing instructions.
        """
        content = decode_chunks(file.data, "file.data")
        now = soul_now(self.store)
        return card_preview(now, file.name, content, self.language(), instructions=instructions)

    @command(Client.CHAT)
    def import_card(
        self,
        file: GivenFile,
        base: Version,
        instructions: bool = False,
        pictures: bool = False,
        each_greeting: bool = False,
    ) -> WriteReply:
        """Replace SOUL.md by a character card.

        ``base``: the preview's version; a soul that changed since is not overwritten. ``pictures``: the pet also
        wears the card's pictures. ``each_greeting``: a new conversation begins with any of the card's greetings.
        """
        content = decode_chunks(file.data, "file.data")
        # Built before the soul is written, so that unusable images abort the whole import.
        taken = skin_of_card(content, file.name) if pictures and self.wardrobe is not None else None
        try:
            receipt = import_card(
                self.store,
                content,
                self.language(),
                instructions=instructions,
                base=base,
                file=file.name,
                each_greeting=each_greeting,
            )
        except FileConflict:
            return write_reply(self.store.read(_SOUL), self._limit, outcome="conflict")
        if taken is not None and self.wardrobe is not None:
            self.wardrobe.choose(self.wardrobe.shelf.take_in(taken).id)
            self.emit(SettingsChanged())  # the pet's page reloads its appearance
        return write_reply(self.store.read(_SOUL), self._limit, receipt)

    @command(Client.CHAT)
    def create_pet_from_card(self, file: GivenFile, pictures: bool = False) -> None:
        """Create a pet of a character card, without the card's instructions; the open pet stays as it is.

        ``pictures``: the new pet wears the card's pictures. Raises CardRefused, SkinRefused, PetNameRefused.
        """
        content, wardrobe = decode_chunks(file.data, "file.data"), self.wardrobe
        name, skin = check_pet_name(pet_name_of(content, file.name)), None
        if pictures and wardrobe is not None:
            skin = wardrobe.shelf.take_in(skin_of_card(content, file.name)).id

        def write(store: WorkspaceStore) -> None:
            base = soul_now(store).version
            import_card(store, content, self.language(), instructions=False, base=base, file=file.name)

        self.importer.create_pet(name, write, skin=skin)
        self.emit(PetsChanged())

    @command(Client.CHAT)
    def get_greeting(self) -> Greeting:
        """Return the card's greeting for an empty conversation; "" once the soul was edited."""
        you = Texts(self.language())("card.you")
        return Greeting(text=greeting_of(self.store, you, self.pick))

    @command(Client.CHAT)
    def export_card(self) -> SavedFile:
        """Save the pet as a character card in the downloads folder. Raises WriteFailed."""
        name, data = export_card(self.store, self.pet_name(), self._portrait)
        return SavedFile(path=str(save_to_downloads(self.downloads(), name, data)))

    def _portrait(self) -> bytes | None:
        return portrait_of(self.wardrobe) if self.wardrobe is not None else None

    @property
    def _limit(self) -> int:
        return self.settings().prompt_file_characters
