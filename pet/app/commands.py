"""The commands of one pet, by area."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.bridge.commands.chat_page import AppCommands, TabCommands
from pet.bridge.commands.conversations import ConversationCommands, HistoryCommands
from pet.bridge.commands.desktop import BubbleCommands, DesktopCommands
from pet.bridge.commands.files import CopyCommands, FileCommands, VersionCommands
from pet.bridge.commands.lifecycle import LifecycleCommands
from pet.bridge.commands.memory import ForgetCommands, MemoryCommands, ReminderCommands
from pet.bridge.commands.pets import PetCommands
from pet.bridge.commands.privacy import PrivacyCommands
from pet.bridge.commands.settings import ConnectionCommands, SettingsCommands, SkillCommands
from pet.bridge.commands.skins import PetPictureCommands, SkinCommands
from pet.bridge.commands.terminal import TerminalCommands
from pet.bridge.commands.turns import AttachmentCommands, ReceiptCommands, TurnCommands
from pet.bridge.commands.usage import UsageCommands
from pet.bridge.commands.welcome import WelcomeCommands
from pet.bridge.dispatch import Commands

if TYPE_CHECKING:
    from pet.app.pet import Pet

AREAS: tuple[Callable[[Pet], object], ...] = (
    AppCommands,
    LifecycleCommands,
    PrivacyCommands,
    WelcomeCommands,
    ConversationCommands,
    TurnCommands,
    TabCommands,
    FileCommands,
    VersionCommands,
    ReceiptCommands,
    SettingsCommands,
    ConnectionCommands,
    MemoryCommands,
    AboutOwnerCommands,
    TerminalCommands,
    SkillCommands,
    ForgetCommands,
    ReminderCommands,
    BubbleCommands,
    DesktopCommands,
    PetCommands,
    PetPictureCommands,
    CopyCommands,
    UsageCommands,
    AttachmentCommands,
    HistoryCommands,
    SkinCommands,
)


def make_commands(pet: Pet) -> Commands:
    """Return the commands of this pet, those of extras too."""
    return Commands(*(area(pet) for area in AREAS), *(each for parts in pet.extras for each in parts.commands))
