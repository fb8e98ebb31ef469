"""The pets of a home, and the conflict copies that sync programs leave among the files of one."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.api.base import CHAT, SOCKET, Command, Nothing
from pet.bridge.api.files import FileView, WriteReply
from pet.model import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class PetInfo:
    id: str
    name: str
    current: bool
    conversations: int
    changed_at: str  # "" where nothing was said yet


@dataclass(frozen=True, slots=True, kw_only=True)
class PetList:
    pets: list[PetInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyInfo:
    """A conflict copy that a sync program left. ``copy`` is its name in the workspace."""

    copy: str
    file: str
    at: str
    program: str  # "" where the name does not tell


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyList:
    copies: list[CopyInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyView:
    """Both texts; ``merged`` holds both changes where they don't overlap."""

    info: CopyInfo
    file: FileView
    text: str
    merged: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PetArgs:
    pet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPetArgs:
    pet: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPetArgs:
    """``profile_of``: the pet whose USER.md goes along ("copy what I told the other pet"). ``soul``: the id of a
    shipped personality; its body comes with it."""

    name: str
    profile_of: str | None = None
    soul: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyArgs:
    copy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleArgs:
    """``text``: what the file shall say, on top of version ``base``; None leaves the file as it is. The copy goes
    into the file's history."""

    copy: str
    base: Version
    text: str | None = None


ROWS: tuple[Command, ...] = (
    Command("list_pets", Nothing, PetList, CHAT, "All pets of this home."),
    Command("create_pet", NewPetArgs, PetList, CHAT, "A new pet from the template."),
    Command("rename_pet", NamedPetArgs, PetList, CHAT, "Another name; the folder keeps its own."),
    Command("duplicate_pet", NamedPetArgs, PetList, CHAT, "A second pet with the same files, memory included."),
    Command("delete_pet", PetArgs, PetList, CHAT, "Move a pet's folder to the bin."),
    Command("switch_pet", PetArgs, Nothing, CHAT | SOCKET, "Start again with another pet."),
    Command("list_copies", Nothing, CopyList, CHAT, "Conflict copies that sync programs left."),
    Command("read_copy", CopyArgs, CopyView, CHAT, "A conflict copy beside its file."),
    Command("settle_copy", SettleArgs, WriteReply, CHAT, "Settle a conflict copy; nothing of it is lost."),
)
