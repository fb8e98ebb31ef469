"""Every command of the program, in the order in which the client for the pages is printed."""

from __future__ import annotations

from pet.bridge.command import Command, commands_of
from pet.bridge.commands.conversation.attachments import AttachmentCommands
from pet.bridge.commands.conversation.conversations import ConversationCommands
from pet.bridge.commands.conversation.history import HistoryCommands
from pet.bridge.commands.conversation.remote_pictures import RemotePictureCommands
from pet.bridge.commands.conversation.tabs import TabCommands
from pet.bridge.commands.conversation.turns import TurnCommands
from pet.bridge.commands.desktop.bubble import BubbleCommands
from pet.bridge.commands.desktop.desktop import DesktopCommands
from pet.bridge.commands.desktop.dropped import DropCommands
from pet.bridge.commands.desktop.windows import WindowCommands
from pet.bridge.commands.memory.copies import CopyCommands
from pet.bridge.commands.memory.files import FileCommands
from pet.bridge.commands.memory.forget import ForgetCommands
from pet.bridge.commands.memory.index import MemoryCommands
from pet.bridge.commands.memory.promises import PromiseCommands
from pet.bridge.commands.memory.receipts import ReceiptCommands
from pet.bridge.commands.pets.cards import CardCommands
from pet.bridge.commands.pets.imports import ImportCommands
from pet.bridge.commands.pets.pets import PetCommands
from pet.bridge.commands.pets.skills import SkillCommands
from pet.bridge.commands.pets.skins import PetPictureCommands, SkinCommands
from pet.bridge.commands.pets.welcome import WelcomeCommands
from pet.bridge.commands.program.app import AppCommands
from pet.bridge.commands.program.connections import ConnectionCommands
from pet.bridge.commands.program.lifecycle import LifecycleCommands
from pet.bridge.commands.program.minds import MindCommands
from pet.bridge.commands.program.privacy import PrivacyCommands
from pet.bridge.commands.program.settings import SettingsCommands
from pet.bridge.commands.program.usage import UsageCommands

AREAS: tuple[type, ...] = (
    AppCommands,
    ConversationCommands,
    TurnCommands,
    TabCommands,
    AttachmentCommands,
    RemotePictureCommands,
    HistoryCommands,
    FileCommands,
    ReceiptCommands,
    CopyCommands,
    MemoryCommands,
    ForgetCommands,
    PromiseCommands,
    PetCommands,
    PetPictureCommands,
    SkinCommands,
    SkillCommands,
    CardCommands,
    ImportCommands,
    WelcomeCommands,
    SettingsCommands,
    ConnectionCommands,
    MindCommands,
    UsageCommands,
    PrivacyCommands,
    WindowCommands,
    DesktopCommands,
    DropCommands,
    BubbleCommands,
    LifecycleCommands,
)
COMMANDS: tuple[Command, ...] = tuple(command for area in AREAS for command in commands_of(area))
