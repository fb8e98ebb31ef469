"""Character cards: looked at, taken in as SOUL.md, given back (PRODUCT §8.6). For the window and the command line.

Owns the order: the owner sees the whole soul and what it would change, then SOUL.md is written on top of the version
they saw, then the card is kept for the way back. A card's instructions go in only if the owner says so, its
creator's notes never.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pet.bridge.api import (
    CardPreview,
    CardPreviewArgs,
    FileView,
    Greeting,
    ImportCardArgs,
    Nothing,
    SavedFile,
    WriteReply,
)
from pet.bridge.handlers.files import diff_of, file_view
from pet.bridge.transfer import hand_out, joined, plain_name
from pet.errors import FileBroken, FileConflict
from pet.model import MISSING, Author, Broken, CoreFile, Present, Receipt, Version
from pet.settings.schema import Settings
from pet.texts import Language, Texts
from pet.transcripts.export import file_stem
from pet.workspace.document import unix
from pet.workspace.hidden import count_hidden
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.cards.carrier import ReadCard

_SOUL = CoreFile.SOUL.value
_LONGEST_GREETING = 600  # characters: it stands in an empty page


@dataclass(frozen=True, slots=True, kw_only=True)
class SoulNow:
    """SOUL.md as it is; ``text`` is "" while there is none."""

    text: str
    version: Version


def soul_now(store: WorkspaceStore) -> SoulNow:
    """Raises FileBroken: what can't be read is never written over."""
    store.observe(_SOUL)
    state = store.read(_SOUL)
    if isinstance(state, Broken):
        raise FileBroken(file=_SOUL, problem=state.problem)
    if isinstance(state, Present):
        return SoulNow(text=unix(state.text), version=state.version)
    return SoulNow(text="", version=MISSING)


def look_at(
    store: WorkspaceStore, name: str, content: bytes, language: Language, *, instructions: bool
) -> CardPreview:
    """What the card would make of the pet; nothing is changed. Raises CardRefused, FileBroken."""
    from pet.cards.carrier import read_card  # late: only who has a card needs it
    from pet.cards.soul import greetings, soul_text

    read = read_card(content)
    card = read.card
    soul, now = soul_text(card, language, instructions=instructions), soul_now(store)
    return CardPreview(
        name=card.name,
        file=plain_name(name),
        carrier=read.carrier,
        newer=card.newer,
        soul=soul,
        base=now.version,
        diff=diff_of(now.text, soul),
        hidden_characters=count_hidden(soul),
        greetings=list(greetings(card)),
        notes=card.text("creator_notes").strip(),
        has_instructions=soul_text(card, language, instructions=True) != soul_text(card, language),
    )


def take_in(
    store: WorkspaceStore, content: bytes, language: Language, *, instructions: bool, base: Version
) -> Receipt | None:
    """Write the card's soul on top of version ``base`` and keep the card; None: SOUL.md said so already.

    Raises CardRefused, FileConflict, FileBroken, WriteFailed.
    """
    from pet.cards.carrier import read_card
    from pet.cards.soul import soul_text
    from pet.workspace.kept_card import keep_card

    read = read_card(content)
    soul = soul_text(read.card, language, instructions=instructions)
    receipt = store.write(_SOUL, soul, base=base, author=Author.OWNER)
    version = receipt.after if receipt else soul_now(store).version
    keep_card(store.root, read.carrier, content, json.dumps(read.card.raw).encode(), version)
    return receipt


def give_back(store: WorkspaceStore, pet_name: str) -> tuple[str, bytes]:
    """The pet as a card, with a name for the file: the imported one, byte by byte, while the soul is as it came;
    else the same file with the soul of today in it; a new one for a pet that never had a card. Raises FileBroken."""
    from pet.cards.soul import new_card

    kept, now = _kept(store.root), soul_now(store)
    if kept is None:
        made = new_card(pet_name, now.text)[b"ccv3"]
        return f"{file_stem(pet_name)}.json", json.dumps(made, ensure_ascii=False, indent=2).encode()
    read, soul = kept
    name = f"{file_stem(pet_name)}.{read.carrier}"
    if now.version == soul:
        return name, read.content
    from pet.cards.carrier import with_card
    from pet.cards.soul import card_with

    return name, with_card(read, card_with(read.card, now.text))


class CardCommands:
    """Every public method is the handler of the row of its name."""

    def __init__(
        self,
        store: WorkspaceStore,
        settings: Callable[[], Settings],
        language: Callable[[], Language],
        pet_name: Callable[[], str],
        downloads: Callable[[], Path],
    ) -> None:
        self._store = store
        self._settings = settings
        self._language = language
        self._pet_name = pet_name
        self._downloads = downloads

    def preview_card(self, args: CardPreviewArgs) -> CardPreview:
        content = joined(args.file.data, "file.data")
        return look_at(self._store, args.file.name, content, self._language(), instructions=args.instructions)

    def import_card(self, args: ImportCardArgs) -> WriteReply:
        content = joined(args.file.data, "file.data")
        try:
            receipt = take_in(self._store, content, self._language(), instructions=args.instructions, base=args.base)
        except FileConflict:
            return WriteReply(outcome="conflict", file=self._view(), receipt=None, merged_text=None)
        outcome: Literal["saved", "unchanged"] = "saved" if receipt else "unchanged"
        return WriteReply(outcome=outcome, file=self._view(), receipt=receipt, merged_text=None)

    def get_greeting(self, _args: Nothing) -> Greeting:
        """Only while the soul is as it came: somebody else does not greet with these words."""
        from pet.cards.soul import greetings

        kept = _kept(self._store.root)
        if kept is None or soul_now(self._store).version != kept[1]:
            return Greeting(text="")
        owner = Texts(self._language())("card.you")
        first = next(iter(greetings(kept[0].card)), "")
        return Greeting(text=first.replace("{{user}}", owner)[:_LONGEST_GREETING])

    def export_card(self, _args: Nothing) -> SavedFile:
        name, data = give_back(self._store, self._pet_name())
        return SavedFile(path=str(hand_out(self._downloads(), name, data)))

    def _view(self) -> FileView:
        return file_view(self._store.read(_SOUL), self._settings().prompt_file_characters)


def _kept(root: Path) -> tuple[ReadCard, Version] | None:
    """The imported card and the soul that was made from it; None where none can be read any more."""
    from pet.cards.carrier import read_card
    from pet.errors import CardRefused
    from pet.workspace.kept_card import kept_card

    kept = kept_card(root)
    if kept is None:
        return None
    try:
        return read_card(kept.content), kept.soul
    except CardRefused:
        return None
