"""Character cards: preview, import as SOUL.md, export. Used by the window and the command line.

Import order: the owner sees the whole soul and diff, then SOUL.md is written on top of that version, then the card is
stored for later export. A card's instructions are included only if the owner chooses so, its creator's notes never.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, get_args

from pet.errors import SkinRefused, WriteFailed
from pet.extras.imports.card import (
    CardRefused,
    Carrier,
    ReadCard,
    card_images,
    card_with,
    greetings,
    new_card,
    new_picture_card,
    png_with,
    read_card,
    soul_text,
    with_card,
)
from pet.fs.directory import Contents, Folder, open_folder, write_atomically
from pet.i18n import Language
from pet.ids import MAX_PET_NAME
from pet.model import Author, CoreFile, Receipt, Version
from pet.services.core_files import Diff, TextNow, diff_of, soul_now
from pet.services.file_transfer import data_address, plain_name
from pet.skins.selection import SkinSelector
from pet.text.unseen import count_unseen
from pet.transcripts.conversation import file_stem
from pet.untrusted.parsers import read_json
from pet.workspace.file_names import HISTORY_FOLDER
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.skins.model import ImportedSkin
    from pet.skins.shelf import SkinShelf

_DATA = "card.json"
_NOTE = "card-note.json"
_MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCard:
    """An imported card. ``soul``: the version of SOUL.md made from it; ``each_greeting``: a conversation may begin
    with any of its greetings, not only the main one."""

    read: ReadCard
    soul: Version
    each_greeting: bool = False


def store_card(root: Path, read: ReadCard, soul: Version, *, each_greeting: bool = False) -> None:
    """Store an imported card, replacing an earlier one. Raises WriteFailed."""
    try:
        with open_folder(root) as folder, folder.sub(HISTORY_FOLDER, create=True) as hidden:
            # Written last: without the note the card counts as absent, whatever other files exist.
            _remove_card(folder, hidden)
            write_atomically(folder, _DATA, json.dumps(read.card.raw).encode())
            write_atomically(folder, f"card.{read.carrier}", read.content)
            note = {"kept_as": read.carrier, "soul": soul, "each_greeting": each_greeting}
            write_atomically(hidden, _NOTE, json.dumps(note).encode())
    except OSError as problem:
        raise WriteFailed.from_os_error(_DATA, problem) from problem


def _remove_card(folder: Folder, hidden: Folder) -> None:
    for place, name in ((hidden, _NOTE), *((folder, f"card.{each}") for each in get_args(Carrier))):
        with suppress(FileNotFoundError):
            place.remove(name)


def drop_card(root: Path, soul: Version) -> None:
    """Remove the card that this version of the soul was made from; another one stays. Raises WriteFailed."""
    kept = read_stored_card(root)
    if kept is None or kept.soul != soul:
        return
    try:
        with open_folder(root) as folder, folder.sub(HISTORY_FOLDER, create=False) as hidden:
            _remove_card(folder, hidden)
    except OSError as problem:
        raise WriteFailed.from_os_error(_DATA, problem) from problem


def read_stored_card(root: Path) -> StoredCard | None:
    """Return the imported card; None without one that can be read."""
    try:
        with open_folder(root) as folder, folder.sub(HISTORY_FOLDER, create=False) as hidden:
            note = read_json(_get(hidden, _NOTE))
            kept_as = note["kept_as"]
            if kept_as not in get_args(Carrier):
                return None
            read = read_card(_get(folder, f"card.{kept_as}"), root.name)
            return StoredCard(read=read, soul=str(note["soul"]), each_greeting=note.get("each_greeting") is True)
    except (OSError, ValueError, KeyError, TypeError, CardRefused):
        return None


def _get(folder: Folder, name: str) -> bytes:
    raw = folder.read(name, _MAX_BYTES)
    if not isinstance(raw, Contents):
        raise FileNotFoundError(name)
    return raw.data


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPicture:
    """A picture named after a mood; ``image``: a small copy as a data address."""

    name: str
    image: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPreview:
    """A character card and the soul made from it.

    ``base``: the version of SOUL.md that ``diff`` starts from. ``notes``: of the card's creator, for the owner only.
    """

    name: str
    file: str
    declared: bool  # the file says that it is a card
    newer: bool  # of a newer card version, of which only known fields are used
    soul: str
    base: Version
    diff: Diff
    hidden_characters: int  # in the soul
    greetings: list[str]
    notes: str
    has_instructions: bool  # it has system prompts, which are included only on request
    lore_left: int  # entries of its book that are looked up by keywords, which are not imported
    portrait: str  # a small copy as a data address; "" without one
    pictures: list[CardPicture]  # for a skin, without the portrait
    remote_pictures: int  # number of pictures on the internet, which are not fetched


_SOUL = CoreFile.SOUL.value
_LONGEST_GREETING = 600  # characters; shown in an empty page
_LONGEST_NOTES = 20_000  # characters
_PREVIEW_SIDE = 160  # pixels
_PICTURES = ("PNG", "WEBP", "JPEG", "GIF")
_PICTURE_PIXELS = 40_000_000


class _Shown(TypedDict):
    portrait: str
    pictures: list[CardPicture]
    remote_pictures: int


def card_preview(
    now: TextNow, name: str, content: bytes, language: Language, *, instructions: bool, shelf: SkinShelf | None = None
) -> CardPreview:
    """Return a preview of the import. ``now``: the soul that it replaces; ``shelf``: for pictures that the pet can
    wear. Raises CardRefused."""
    read = read_card(content, name)
    card = read.card
    soul = soul_text(card, language, instructions=instructions)
    return CardPreview(
        name=card.name,
        file=plain_name(name),
        declared=read.declared,
        newer=card.newer,
        soul=soul,
        base=now.version,
        diff=diff_of(now.text, soul),
        hidden_characters=count_unseen(soul),
        greetings=list(greetings(card)),
        notes=card.text("creator_notes").strip()[:_LONGEST_NOTES],
        has_instructions=soul_text(card, language, instructions=True) != soul_text(card, language),
        lore_left=card.lore_left,
        **_shown(read, shelf),
    )


def pet_name_of(content: bytes, file: str) -> str:
    """Return the name of a pet that is made of the card in this file. Raises CardRefused."""
    return read_card(content, file).card.name[:MAX_PET_NAME]


def import_card(
    store: WorkspaceStore,
    content: bytes,
    language: Language,
    *,
    instructions: bool,
    base: Version,
    file: str = "",
    each_greeting: bool = False,
) -> Receipt | None:
    """Write the card's soul on top of version ``base`` and store the card. None: SOUL.md is unchanged.

    ``file``: the card's file name, for a card with an empty name.

    Raises CardRefused, FileConflict, FileBroken, WriteFailed.
    """
    read = read_card(content, file)
    soul = soul_text(read.card, language, instructions=instructions)
    receipt = store.write(_SOUL, soul, base=base, author=Author.OWNER, restart=True)
    version = receipt.after if receipt else soul_now(store).version
    store_card(store.root, read, version, each_greeting=each_greeting)
    return receipt


def skin_of_card(shelf: SkinShelf, content: bytes, file: str) -> ImportedSkin:
    """Return the card's images as a skin, which ``shelf`` can take in. Raises CardRefused, SkinRefused."""
    read = read_card(content, file)
    images = card_images(read)
    # An idle face among the emotions has their crop; the portrait is then another picture.
    rests = any(shelf.meaning_of(name) == "idle" for name in images.emotions)
    return shelf.take_pictures(read.card.name, images.emotions if rests else images.files)


def export_card(store: WorkspaceStore, pet_name: str, portrait: Callable[[], bytes | None]) -> tuple[str, bytes]:
    """Return file name and content of the pet's card: the imported one, byte for byte, while the soul is unchanged;
    else the same file with the current soul; else a new card, embedded in ``portrait`` (a PNG) if there is one.
    Raises FileBroken.
    """
    kept, now = read_stored_card(store.root), soul_now(store)
    if kept is None:
        picture = portrait()
        if picture is not None:
            return f"{file_stem(pet_name)}.png", png_with(picture, new_picture_card(pet_name, now.text))
        card = new_card(pet_name, now.text)[b"ccv3"]
        return f"{file_stem(pet_name)}.json", json.dumps(card, ensure_ascii=False, indent=2).encode()
    read = kept.read
    name = f"{file_stem(pet_name)}.{read.carrier}"
    if now.version == kept.soul:
        return name, read.content
    return name, with_card(read, card_with(read.card, now.text))


def greeting_of(store: WorkspaceStore, you: str, pick: Callable[[int], int]) -> str:
    """Return the imported card's greeting, addressed to ``you``; "" once the soul was edited, and for greetings that
    are too long with the name filled in. ``pick``: returns an index below its argument, to use each greeting.
    """
    kept = read_stored_card(store.root)
    if kept is None or soul_now(store).version != kept.soul:
        return ""
    try:
        known = greetings(kept.read.card) or ("",)
    except CardRefused:
        return ""
    first = known[pick(len(known))] if kept.each_greeting else known[0]
    return first.replace("{{user}}", you)[:_LONGEST_GREETING]


def portrait_of(wardrobe: SkinSelector) -> bytes | None:
    """Return the pet's idle image; None if it can't be rendered."""
    try:
        return wardrobe.portrait()
    except SkinRefused:
        return None


def _shown(read: ReadCard, shelf: SkinShelf | None) -> _Shown:
    """Return small re-encoded copies: no byte of an external file reaches the page."""
    images = card_images(read)
    moods = {
        name.rpartition(".")[0]: data for name, data in images.emotions.items() if shelf and shelf.meaning_of(name)
    }
    small = {name: _small(data) for name, data in moods.items()}
    return {
        "portrait": _small(images.portrait) if images.portrait else "",
        "pictures": [CardPicture(name=name, image=image) for name, image in small.items() if image],
        "remote_pictures": images.remote,
    }


def _small(data: bytes) -> str:
    from PIL.Image import Resampling

    from pet.untrusted.images import UnsafePicture, open_image

    out = io.BytesIO()
    try:
        with open_image(io.BytesIO(data), _PICTURES, _PICTURE_PIXELS) as picture:
            small = picture.convert("RGBA")
        small.thumbnail((_PREVIEW_SIDE, _PREVIEW_SIDE), Resampling.LANCZOS)
        small.save(out, "WEBP", quality=92, method=3, exact=False)
    except UnsafePicture:
        return ""
    return data_address("image/webp", out.getvalue())
