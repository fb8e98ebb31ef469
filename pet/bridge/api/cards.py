"""Character cards: what one would make of the pet, and the pet as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.bridge.api.attachments import GivenFile
from pet.bridge.api.base import CHAT, Command, Nothing, SavedFile
from pet.bridge.api.files import Diff, WriteReply
from pet.model import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """What the pet's character card says first in a new tab; "" without such a card."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPicture:
    """A picture named after a mood; ``image``: a small copy as a data address."""

    name: str
    image: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPreview:
    """A character card and what it would make of the pet; nothing was changed.

    ``base``: the version of SOUL.md that ``diff`` starts from. ``notes`` are its creator's, for the owner alone.
    """

    name: str
    file: str
    carrier: Literal["png", "json", "charx"]
    newer: bool  # of a version this program does not know; what it knows is used
    soul: str
    base: Version
    diff: Diff
    hidden_characters: int  # in the soul
    greetings: list[str]
    notes: str
    has_instructions: bool  # it has system prompts, which stay out unless the owner ticks them
    portrait: str  # a small copy as a data address; "" without one
    pictures: list[CardPicture]  # what it can be dressed in, the portrait left out
    remote_pictures: int  # so many lie on the internet and are not fetched


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPreviewArgs:
    """``instructions``: with the card's system prompt and closing instructions."""

    file: GivenFile
    instructions: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportCardArgs:
    """``base`` as in the preview: a soul that has changed since is not written over. ``pictures``: the pet also
    wears the card's pictures. ``each_greeting``: a new conversation may begin with any of its first words."""

    file: GivenFile
    base: Version
    instructions: bool = False
    pictures: bool = False
    each_greeting: bool = False


ROWS: tuple[Command, ...] = (
    Command("preview_card", CardPreviewArgs, CardPreview, CHAT, "What a character card would make of the pet."),
    Command("import_card", ImportCardArgs, WriteReply, CHAT, "Make SOUL.md from a character card."),
    Command("export_card", Nothing, SavedFile, CHAT, "Put the pet as a character card into the downloads folder."),
    Command("get_greeting", Nothing, Greeting, CHAT, "What the pet says first where nothing was said yet."),
)
