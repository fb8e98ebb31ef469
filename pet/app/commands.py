"""Make the commands of one pet, with the parts that only commands need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.bridge.commands.chat_page import AppCommands, TabCommands
from pet.bridge.commands.conversations import ConversationCommands, HistoryCommands
from pet.bridge.commands.desktop import BubbleCommands, DesktopCommands
from pet.bridge.commands.files import CopyCommands, FileCommands
from pet.bridge.commands.keepsakes import KeepsakeCommands
from pet.bridge.commands.lifecycle import LifecycleCommands
from pet.bridge.commands.local_models import LocalModelCommands
from pet.bridge.commands.memory import ForgetCommands, MemoryCommands, ReminderCommands
from pet.bridge.commands.our_days import OurDaysCommands
from pet.bridge.commands.pets import PetCommands
from pet.bridge.commands.privacy import PrivacyCommands
from pet.bridge.commands.settings import ConnectionCommands, SettingsCommands, SkillCommands
from pet.bridge.commands.skins import PetPictureCommands, SkinCommands
from pet.bridge.commands.terminal import TerminalCommands
from pet.bridge.commands.turns import AttachmentCommands, ReceiptCommands, TurnCommands
from pet.bridge.commands.usage import UsageCommands
from pet.bridge.commands.welcome import WelcomeCommands
from pet.bridge.dispatch import Commands
from pet.paths import downloads_folder, pictures_folder
from pet.services.chat_state import DropBox
from pet.services.home import FirstStart, open_pets, wardrobe_for
from pet.services.import_records import ImportRecords
from pet.services.keepsakes import Keepsakes
from pet.services.offers.ask_field import AskField
from pet.services.provenance import Provenance
from pet.services.reply_links import RemotePictures, open_internet
from pet.settings.program_state import JsonState
from pet.workspace.conflict_copies import ConflictResolver
from pet.workspace.pet_registry import list_ids
from pet.workspace.pet_toml import display_name

if TYPE_CHECKING:
    from pet.app.pet import Pet


def make_commands(pet: Pet) -> Commands:
    """Return the commands of this pet, and add their closing to it."""
    conversations, store, transcripts = pet.conversations, pet.store, pet.transcripts
    home, clock, state, windows = pet.home, pet.clock, pet.state, pet.windows
    settings, effective, connections = pet.settings, pet.effective, pet.connections
    emitter, loop, index, texts = pet.emitter, pet.loop, pet.index, pet.texts
    attachments, unread, reminders, bubble = pet.attachments, pet.unread, pet.reminders, pet.bubble
    root, emit = store.root, emitter.emit

    wardrobe = wardrobe_for(home, root, clock, pet.environ)
    pets = open_pets(home, clock)
    first_start = FirstStart(state, used=lambda: len(list_ids(home)) > 1 or bool(transcripts.list()))
    file_commands = FileCommands(
        store, effective.current, effective.language, home.data / "templates", conversations.follow_restored
    )
    setting_commands = SettingsCommands(settings, effective.own, pet.preview_prompt)
    remote_pictures = RemotePictures(conversations, pet.pictures_from or open_internet)
    field = AskField(bubble)
    imported = ImportRecords(home.imports_file, pet.pet_id)

    def warm() -> None:
        pet.loop.submit(pet.warm_local_model(effective.in_use()))  # a fault is reported by the next turn

    local_model_commands = LocalModelCommands(
        pet.library, pet.supervisor, settings, effective.current, emit, windows, warm
    )
    for each in (remote_pictures, local_model_commands):
        pet.closing.callback(each.close)
    return Commands(
        AppCommands(
            state=JsonState(home.tabs_file),
            tabs=pet.tabs,
            pet=pet.pet_id,
            root=root,
            pet_name=pet.name,
            settings=pet.models.settings,
            language=effective.language,
            key_state=connections.key_in_use,
            conversations=conversations,
            attachments=attachments,
            windows=windows,
            unread=unread,
            first_start=first_start,
            pause_lost=pet.pause_record.is_lost,
            store=store,
        ),
        LifecycleCommands(
            pet=pet.pet_id,
            pet_name=pet.name,
            has_others=lambda: len(list_ids(home)) > 1,
            language=effective.language,
            conversations=conversations,
            store=store,
            forgetting=pet.forgetting,
            unread=unread,
            windows=windows,
            pause=pet.pause,
            emit=emit,
        ),
        PrivacyCommands(
            home=home,
            root=root,
            eraser=pet.eraser,
            clock=clock,
            pet_name=pet.name,
            pet_id=pet.pet_id,
            name_of=lambda id_: display_name(home.workspace(id_), id_, texts()),
            forget_keys=connections.forget_keys,
            downloads=downloads_folder,
            windows=windows,
        ),
        WelcomeCommands(
            first_start, store, loop, effective.current, effective.language, windows, wardrobe=wardrobe, emit=emit
        ),
        ConversationCommands(conversations, lambda: effective.current().default_memory_mode, emitter.fence),
        TurnCommands(conversations, attachments),
        TabCommands(pet.tabs, conversations, unread, pet.open_tab, pet.requests, emit),
        file_commands,
        ReceiptCommands(store, conversations, file_commands.written),
        setting_commands,
        ConnectionCommands(
            connections,
            conversations,
            own=effective.own,
            set_own=pet.set_pet_model,
            in_use=effective.in_use,
            provider=pet.models.provider,
            window=pet.models.window,
            small_way=pet.models.choose_small_way,
            loop=loop,
            clock=clock,
        ),
        local_model_commands,
        MemoryCommands(store, index.get, clock, file_commands.read_file, index.notice),
        AboutOwnerCommands(store, Provenance(store, transcripts, imported)),
        OurDaysCommands(store, clock, lambda: bubble.life.days_together),
        TerminalCommands(
            conversations=conversations,
            turns=pet.terminal_turns,
            default_mode=lambda: effective.current().default_memory_mode,
            index=index.get,
            clock=clock,
        ),
        SkillCommands(pet.skills.list_all),
        ForgetCommands(pet.forgetting),
        ReminderCommands(reminders, clock, texts, emit),
        BubbleCommands(bubble, field),
        KeepsakeCommands(Keepsakes(bubble=bubble, folder=pictures_folder, pet_name=pet.name, clock=clock, emit=emit)),
        DesktopCommands(
            windows=windows,
            settings=effective.current,
            texts=texts,
            clock=clock,
            drop_box=DropBox(windows, emit),
            field=field,
            emit=emit,
            paused=lambda: pet.gate.paused,
        ),
        PetCommands(pets, current=pet.pet_id, language=effective.language, windows=windows, emit=emit),
        PetPictureCommands(pets.root, lambda of: wardrobe_for(home, of, clock, pet.environ)),
        CopyCommands(ConflictResolver(store, home.locks, clock), effective.current, emit),
        UsageCommands(pet.usage, pet.usage_limits, lambda id_: conversations.open(id_).transcript.entries),
        AttachmentCommands(attachments, conversations, remote_pictures),
        HistoryCommands(transcripts, conversations, texts, pet.name, downloads_folder),
        SkinCommands(
            wardrobe=wardrobe,
            moods=pet.moods,
            paused=lambda: pet.gate.paused,
            tab_off=lambda: pet.open_tab.off,
            settings=effective.current,
            language=effective.language,
            pet_name=pet.name,
            downloads=downloads_folder,
            emit=emit,
            life=bubble.life.drawn,
        ),
        *(each for parts in pet.extras for each in parts.commands),
    )
