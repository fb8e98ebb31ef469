"""Make the commands of one pet, with the parts that only commands need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.bridge.commands.chat_page import AppCommands, TabCommands
from pet.bridge.commands.conversations import ConversationCommands, HistoryCommands
from pet.bridge.commands.desktop import BubbleCommands, DesktopCommands
from pet.bridge.commands.files import CopyCommands, FileCommands
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
from pet.memory.store.provenance import Provenance
from pet.services.home import wardrobe_for
from pet.settings.import_records import ImportRecords
from pet.workspace.conflict_copies import ConflictResolver

if TYPE_CHECKING:
    from pet.app.pet import Pet


def make_commands(pet: Pet) -> Commands:
    """Return the commands of this pet."""
    home, effective, emit = pet.home, pet.effective, pet.emitter.emit
    files = FileCommands(
        pet.store,
        effective.current,
        effective.language,
        home.data / "templates",
        pet.conversations.follow_restored,
    )
    imported = ImportRecords(home.imports_file, pet.pet_id)
    return Commands(
        AppCommands(pet),
        LifecycleCommands(pet),
        PrivacyCommands(pet),
        WelcomeCommands(pet),
        ConversationCommands(pet),
        TurnCommands(pet),
        TabCommands(pet),
        files,
        ReceiptCommands(pet),
        SettingsCommands(pet),
        ConnectionCommands(pet),
        MemoryCommands(pet.store, pet.index.get, pet.clock, files.read_file, pet.index.notice),
        AboutOwnerCommands(pet.store, Provenance(pet.store, pet.transcripts, imported)),
        TerminalCommands(pet),
        SkillCommands(pet.skills.list_all),
        ForgetCommands(pet.forgetting),
        ReminderCommands(pet.reminders, pet.clock, pet.texts, emit),
        BubbleCommands(pet),
        DesktopCommands(pet),
        PetCommands(pet.pets, current=pet.pet_id, language=effective.language, windows=pet.windows, emit=emit),
        PetPictureCommands(pet.pets.root, lambda of: wardrobe_for(home, of, pet.clock, pet.environ)),
        CopyCommands(ConflictResolver(pet.store, home.locks, pet.clock), effective.current, emit),
        UsageCommands(pet.usage, pet.usage_limits, lambda of: pet.conversations.open(of).transcript.entries),
        AttachmentCommands(pet),
        HistoryCommands(pet),
        SkinCommands(
            wardrobe=pet.wardrobe,
            moods=pet.moods,
            paused=lambda: pet.gate.paused,
            tab_off=lambda: pet.open_tab.off,
            settings=effective.current,
            language=effective.language,
            pet_name=pet.name,
            emit=emit,
            life=pet.bubble.life.drawn,
        ),
        *(each for parts in pet.extras for each in parts.commands),
    )
