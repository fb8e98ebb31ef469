"""Make the commands of one pet, with the parts that only commands need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pet.access import PetGate
from pet.app.core import App
from pet.bridge.commands.about_owner import AboutOwnerCommands
from pet.bridge.commands.agents import AgentCommands
from pet.bridge.commands.cards import CardCommands
from pet.bridge.commands.chat_page import AppCommands, TabCommands
from pet.bridge.commands.conversations import ConversationCommands, HistoryCommands
from pet.bridge.commands.desktop import BubbleCommands, DesktopCommands
from pet.bridge.commands.files import CopyCommands, FileCommands
from pet.bridge.commands.imports import ImportCommands
from pet.bridge.commands.keepsakes import KeepsakeCommands
from pet.bridge.commands.lifecycle import LifecycleCommands
from pet.bridge.commands.local_models import LocalModelCommands
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
from pet.engine.chat_state import OpenTab
from pet.engine.mood import MoodTracker
from pet.engine.usage import Limits, UsageLedger
from pet.events import SettingsChanged
from pet.imports.apply import ImportRecords
from pet.paths import downloads_folder, find_home, pictures_folder
from pet.services.agent_activity import AgentActivity
from pet.services.agent_lines import AgentQuestions
from pet.services.agents import make_gateway
from pet.services.chat_state import DropBox, SavedTabs
from pet.services.desktop_port import DesktopPort
from pet.services.home import Eraser, FirstStart, open_pets, wardrobe_for
from pet.services.import_job import ImportJob
from pet.services.importer import Importer, Target
from pet.services.keepsakes import Keepsakes
from pet.services.offers.ask_field import AskField
from pet.services.offers.bubble import SpeechBubble
from pet.services.provenance import Provenance
from pet.services.reply_links import RemotePictures
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.workspace.conflict_copies import ConflictResolver
from pet.workspace.pet_registry import list_ids
from pet.workspace.pet_toml import display_name

if TYPE_CHECKING:
    from pet.net.fetch import FetchPolicy


def make_commands(
    app: App,
    *,
    windows: DesktopPort,
    environ: Mapping[str, str],
    pet_name: Callable[[], str],
    thinking: Callable[[], Settings],
    pet_gate: PetGate,
    usage: UsageLedger,
    usage_limits: Callable[[], Limits],
    tabs: SavedTabs,
    open_tab: OpenTab,
    moods: MoodTracker,
    bubble: SpeechBubble,
    pictures_from: Callable[[], FetchPolicy],
) -> Commands:
    """Return the commands of this pet, and add their closers to ``app``."""
    home, pet, clock, state = app.home, app.pet_id, app.clock, app.state
    store, transcripts, conversations = app.store, app.transcripts, app.conversations
    settings, effective, connections = app.settings, app.effective, app.connections
    emitter, loop, index, texts = app.emitter, app.loop, app.index, app.texts
    attachments, unread, reminders = app.attachments, app.unread, app.reminders
    root, emit = store.root, emitter.emit

    wardrobe = wardrobe_for(home, root, clock, environ)
    pets = open_pets(home, clock)
    eraser = Eraser(home, clock)
    first_start = FirstStart(state, used=lambda: len(list_ids(home)) > 1 or bool(transcripts.list()))
    file_commands = FileCommands(
        store, effective.current, effective.language, home.data / "templates", conversations.follow_restored
    )
    setting_commands = SettingsCommands(settings, effective.own, app.preview_prompt)
    remote_pictures = RemotePictures(conversations, pictures_from)
    importer = Importer(home, pets, clock, effective.language)
    import_job = ImportJob(
        importer,
        Target(pet=pet, store=store, transcripts=transcripts),
        notice=index.notice,
        emit=emit,
    )
    field = AskField(bubble)
    agent_questions = AgentQuestions(bubble=bubble, book=app.agents, pet_name=pet_name)
    gateway = make_gateway(
        app,
        book=app.agents,
        pet=pet_gate,
        index=index.get,
        reminders=reminders.snapshot,
        ask=agent_questions.ask_agent,
    )
    activity = AgentActivity(
        book=app.agents,
        bubble=bubble,
        moods=moods,
        settings=effective.current,
        windows=windows,
        clock=clock,
        emit=emit,
        note_work=gateway.note_work,
    )
    emitter.subscribe(activity.on_event, SettingsChanged, name="agent-activity")
    about_owner = AboutOwnerCommands(store, Provenance(store, transcripts, ImportRecords(home.imports_file, pet)))

    def warm() -> None:
        app.loop.submit(app.warm_local_model(effective.in_use()))  # a fault is reported by the next turn

    local_model_commands = LocalModelCommands(
        app.library, app.supervisor, settings, effective.current, emit, windows, warm
    )
    app.closers.insert(0, eraser.end)  # runs last
    app.closers += [activity.close, remote_pictures.close, local_model_commands.close, import_job.close]
    return Commands(
        AppCommands(
            state=JsonState(home.tabs_file),
            tabs=tabs,
            pet=pet,
            root=root,
            pet_name=pet_name,
            settings=thinking,
            language=effective.language,
            key_state=connections.key_in_use,
            conversations=conversations,
            attachments=attachments,
            windows=windows,
            unread=unread,
            first_start=first_start,
            pause_lost=app.pause_record.is_lost,
            store=store,
        ),
        LifecycleCommands(
            pet=pet,
            pet_name=pet_name,
            has_others=lambda: len(list_ids(home)) > 1,
            language=effective.language,
            conversations=conversations,
            store=store,
            forgetting=app.forgetting,
            unread=unread,
            windows=windows,
            pause=app.pause,
            emit=emit,
        ),
        PrivacyCommands(
            home=home,
            root=root,
            eraser=eraser,
            clock=clock,
            pet_name=pet_name,
            pet_id=pet,
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
        TabCommands(tabs, conversations, unread, open_tab, app.requests, emit),
        file_commands,
        ReceiptCommands(store, conversations, file_commands.written),
        setting_commands,
        ConnectionCommands(
            connections,
            conversations,
            own=effective.own,
            set_own=app.set_pet_model,
            in_use=effective.in_use,
            provider=app.provider,
            window=app.window,
            loop=loop,
            clock=clock,
        ),
        local_model_commands,
        MemoryCommands(store, index.get, clock, file_commands.read_file, index.notice),
        about_owner,
        TerminalCommands(
            conversations=conversations,
            turns=app.terminal_turns,
            default_mode=lambda: effective.current().default_memory_mode,
            index=index.get,
            clock=clock,
        ),
        AgentCommands(
            pet=pet,
            gateway=gateway,
            activity=activity,
            state=home.state,
            say=agent_questions.say_line,
            wear=moods.wear,
            portable_home=home.data.parent if home == find_home(home.data.parent) else None,
        ),
        SkillCommands(app.skills.list_all),
        ForgetCommands(app.forgetting),
        ReminderCommands(reminders, clock, texts, emit),
        BubbleCommands(bubble, field),
        KeepsakeCommands(Keepsakes(bubble=bubble, folder=pictures_folder, pet_name=pet_name, clock=clock, emit=emit)),
        DesktopCommands(
            windows=windows,
            settings=effective.current,
            texts=texts,
            clock=clock,
            drop_box=DropBox(windows, emit),
            field=field,
            emit=emit,
            paused=lambda: pet_gate.paused,
        ),
        PetCommands(pets, current=pet, language=effective.language, windows=windows, emit=emit),
        PetPictureCommands(pets.root, lambda of: wardrobe_for(home, of, clock, environ)),
        CopyCommands(ConflictResolver(store, home.locks, clock), effective.current, emit),
        ImportCommands(
            import_job,
            current=pet,
            windows=windows,
            name_of=lambda id_: display_name(home.workspace(id_), id_, texts()),
            gone=conversations.on_deleted_elsewhere,
        ),
        UsageCommands(usage, usage_limits, lambda id_: conversations.open(id_).transcript.entries),
        AttachmentCommands(attachments, conversations, remote_pictures),
        HistoryCommands(transcripts, conversations, texts, pet_name, downloads_folder),
        CardCommands(
            store,
            effective.current,
            effective.language,
            pet_name,
            downloads_folder,
            importer,
            wardrobe=wardrobe,
            emit=emit,
        ),
        SkinCommands(
            wardrobe=wardrobe,
            moods=moods,
            paused=lambda: pet_gate.paused,
            tab_off=lambda: open_tab.off,
            settings=effective.current,
            language=effective.language,
            pet_name=pet_name,
            downloads=downloads_folder,
            emit=emit,
            life=bubble.life.drawn,
        ),
        *(each for parts in app.extras for each in parts.commands),
    )
