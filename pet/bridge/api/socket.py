"""What a second start and the command line may ask of the program that runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from pet.bridge.api.base import SOCKET, Command, Nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    version: str
    pet: str
    pid: int
    chat_shown: bool
    paused: bool
    running_turns: int
    pet_name: str = ""
    unread: int = 0  # conversations


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedArgs:
    """The command line wrote these files of the pet, or forgot these texts, or deleted a conversation.
    ``conversations``: those out of which texts were forgotten, or of which receipts changed."""

    pet: str
    files: list[str]
    forgotten: list[str] = field(default_factory=list)
    conversations: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)


ROWS: tuple[Command, ...] = (
    Command("quit", Nothing, Nothing, SOCKET, "Leave the program."),
    Command("show_pet", Nothing, Nothing, SOCKET, "Bring the running pet forward."),
    Command("get_status", Nothing, Status, SOCKET, "What the running pet is doing."),
    Command("files_changed", ChangedArgs, Nothing, SOCKET, "The command line changed files."),
)
