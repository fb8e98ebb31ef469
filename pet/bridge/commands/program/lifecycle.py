"""The running program as its other clients see it: status, pause, quit, and what the command line changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pet import __version__
from pet.bridge.command import Client, command
from pet.events import Event, ReceiptsChanged
from pet.workspace.file_names import parse_name

if TYPE_CHECKING:  # another process needs the types alone
    from pet.engine.conversation.conversations import Conversations
    from pet.engine.unread import Unread
    from pet.memory.forget.service import ForgetService
    from pet.services.desktop_port import DesktopPort
    from pet.workspace.versioned.store import WorkspaceStore

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedArgs:
    """The command line wrote these files of the pet, or forgot these texts, or deleted a conversation.
    ``conversations``: those out of which texts were forgotten, or of which receipts changed."""

    pet: str
    files: list[str]
    forgotten: list[str] = field(default_factory=list)
    conversations: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleCommands:
    pet: str
    pet_name: Callable[[], str]
    conversations: Conversations
    store: WorkspaceStore
    forgetting: ForgetService
    unread: Unread
    windows: DesktopPort
    pause: Callable[[bool], None]
    emit: Callable[[Event], object]

    @command(Client.CHAT, Client.PET, Client.SOCKET)
    def pause_brain(self, paused: bool) -> None:
        """Pause or resume the brain of the pet."""
        self.pause(paused)

    @command(Client.SOCKET)
    def quit(self) -> None:
        """Leave the program."""
        self.windows.quit()

    @command(Client.SOCKET)
    def show_pet(self) -> None:
        """Bring the running pet forward."""
        self.windows.show_pet()

    @command(Client.SOCKET)
    def get_status(self) -> Status:
        """What the running pet is doing."""
        return Status(
            version=__version__,
            pet=self.pet,
            pid=os.getpid(),
            chat_shown=self.windows.chat_shown,
            paused=self.conversations.paused,
            running_turns=sum(each.running_turn is not None for each in self.conversations.live()),
            pet_name=self.pet_name(),
            unread=len(self.unread.conversations),
        )

    @command(Client.SOCKET)
    def files_changed(self, args: ChangedArgs) -> None:
        """The command line changed files.

        Looks at the files, which announces what is new. What was forgotten goes from turns that run here as well.
        """
        if args.pet != self.pet:
            return
        if args.forgotten:  # before any file, which may not be there for us now
            self.forgetting.on_external_forget(args.forgotten, args.conversations)
        else:
            for conversation in args.conversations:
                self.emit(ReceiptsChanged(conversation=conversation))
        for conversation in args.deleted:
            self.conversations.on_deleted_elsewhere(conversation)
        for file in args.files[:_MOST_FILES]:
            self.store.observe(parse_name(file))
