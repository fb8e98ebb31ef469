"""The character card a pet was imported from, stored for a lossless export.

The pet's folder holds ``card.json`` (the card's data), the original ``card.png`` or ``card.charx``, and in the
history folder a note with the version of the soul made from it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from pet.errors import WriteFailed
from pet.fs.directory import Contents, Folder, write_atomically
from pet.fs.open_folder import open_folder
from pet.model import Version
from pet.untrusted.parsers import read_json
from pet.workspace.file_names import HISTORY_FOLDER

KeptAs = Literal["json", "png", "charx"]

_DATA = "card.json"
_NOTE = "card-note.json"
_MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCard:
    """An imported card. ``content``: the imported file; ``soul``: the version of SOUL.md made from it;
    ``each_greeting``: conversations may begin with any of its greetings, not only the main one.
    """

    kept_as: KeptAs
    content: bytes
    soul: Version
    each_greeting: bool = False


def store_card(
    root: Path, kept_as: KeptAs, content: bytes, data: bytes, soul: Version, *, each_greeting: bool = False
) -> None:
    """Store an imported card, replacing an earlier one. Raises WriteFailed."""
    try:
        with open_folder(root) as folder, folder.sub(HISTORY_FOLDER, create=True) as hidden:
            # Written last: without the note the card counts as absent, whatever other files exist.
            with suppress(FileNotFoundError):
                hidden.remove(_NOTE)
            for other in get_args(KeptAs):
                with suppress(FileNotFoundError):
                    folder.remove(f"card.{other}")
            write_atomically(folder, _DATA, content if kept_as == "json" else data)
            if kept_as != "json":
                write_atomically(folder, f"card.{kept_as}", content)
            note = {"kept_as": kept_as, "soul": soul, "each_greeting": each_greeting}
            write_atomically(hidden, _NOTE, json.dumps(note).encode())
    except OSError as problem:
        raise WriteFailed.from_os_error(_DATA, problem) from problem


def drop_card(root: Path, soul: Version) -> None:
    """Remove the card that this version of the soul was made from; another one stays. Raises WriteFailed."""
    kept = read_stored_card(root)
    if kept is None or kept.soul != soul:
        return
    try:
        with open_folder(root) as folder, folder.sub(HISTORY_FOLDER, create=False) as hidden:
            hidden.remove(_NOTE)
            for each in get_args(KeptAs):
                with suppress(FileNotFoundError):
                    folder.remove(f"card.{each}")
    except OSError as problem:
        raise WriteFailed.from_os_error(_DATA, problem) from problem


def read_stored_card(root: Path) -> StoredCard | None:
    """Return the imported card, or None without an exportable one."""
    try:
        with open_folder(root) as folder, folder.sub(HISTORY_FOLDER, create=False) as hidden:
            note = read_json(_get(hidden, _NOTE))
            kept_as = note["kept_as"]
            if kept_as not in get_args(KeptAs):
                return None
            content = _get(folder, f"card.{kept_as}")
            return StoredCard(
                kept_as=cast("KeptAs", kept_as),
                content=content,
                soul=str(note["soul"]),
                each_greeting=note.get("each_greeting") is True,
            )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _get(folder: Folder, name: str) -> bytes:
    raw = folder.read(name, _MAX_BYTES)
    if not isinstance(raw, Contents):
        raise FileNotFoundError(name)
    return raw.data
