"""Control of the running program by other processes: status, pause, quit, and changes by the command line."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pet import __version__
from pet.bridge.command import Client, command
from pet.events import ConversationClosed, PetTravels, ReceiptsChanged
from pet.i18n import Language
from pet.workspace.file_names import parse_name
from pet.workspace.pet_registry import list_ids

if TYPE_CHECKING:
    from pet.app.pet import Pet

_MOST_LEFT = 100
_MOST_FILES = 20


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
    has_others: bool = False  # this home has more than one pet
    language: Language = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedArgs:
    """Files that the command line wrote, texts it forgot, conversations it deleted.

    ``conversations``: those from which texts were forgotten, or whose receipts changed. ``left``: those in which
    something was said and that the terminal left; the first 100 count.
    """

    pet: str
    files: list[str]
    forgotten: list[str] = field(default_factory=list)
    conversations: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LifecycleCommands:
    app: Pet

    @command(Client.CHAT, Client.PET, Client.SOCKET, Client.TERMINAL)
    def pause_memory(self, paused: bool) -> None:
        """Pause or resume the pet's memory."""
        self.app.pause(paused)

    @command(Client.SOCKET)
    def quit(self) -> None:
        """Quit the program."""
        self.app.windows.quit()

    @command(Client.SOCKET)
    def show_pet(self) -> None:
        """Bring the pet forward, with a wave, and open its chat."""
        self.app.windows.show_pet()
        self.app.windows.show_chat()
        self.app.emit(PetTravels(dx=0, dy=0, how="wave"))

    @command(Client.SOCKET)
    def get_status(self) -> Status:
        """Return the state of the running program."""
        return Status(
            version=__version__,
            pet=self.app.pet_id,
            pid=os.getpid(),
            chat_shown=self.app.windows.chat_shown,
            paused=self.app.conversations.paused,
            running_turns=sum(each.running_turn is not None for each in self.app.conversations.live()),
            pet_name=self.app.name(),
            unread=len(self.app.unread.conversations),
            has_others=len(list_ids(self.app.home)) > 1,
            language=self.app.language(),
        )

    @command(Client.SOCKET)
    def files_changed(self, args: ChangedArgs) -> None:
        """Take over changes of the command line: record new file versions, and erase forgotten text here too."""
        if args.pet != self.app.pet_id:
            return
        if args.forgotten:  # first, since reading a file may fail
            self.app.forgetting.on_external_forget(args.forgotten, args.conversations)
        else:
            for conversation in args.conversations:
                self.app.emit(ReceiptsChanged(conversation=conversation))
        for conversation in args.deleted:
            self.app.conversations.on_deleted_elsewhere(conversation)
        for conversation in args.left[:_MOST_LEFT]:
            self.app.emit(ConversationClosed(conversation=conversation))
        for file in args.files[:_MOST_FILES]:
            self.app.store.observe(parse_name(file))
