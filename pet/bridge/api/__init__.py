"""The command table: every request that may come from outside, its reply, and who may send it.

One row per command, beside the shapes of its area. The TypeScript client is printed from this table, the dispatcher
checks against it, and a client can call only the commands whose row names it. Shapes only: handlers are bound in
``compose``. What other modules ask for by the table's own name is listed here.
"""

from __future__ import annotations

from pet.bridge.api import (
    app,
    attachments,
    bubble,
    cards,
    conversations,
    desktop,
    files,
    history,
    memory,
    messages,
    minds,
    pets,
    privacy,
    settings,
    skills,
    skins,
    socket,
    templates,
    welcome,
    windows,
)
from pet.bridge.api.app import AppState as AppState
from pet.bridge.api.attachments import AddAttachmentArgs as AddAttachmentArgs
from pet.bridge.api.attachments import AttachmentArgs as AttachmentArgs
from pet.bridge.api.attachments import AttachmentView as AttachmentView
from pet.bridge.api.attachments import DiscardArgs as DiscardArgs
from pet.bridge.api.attachments import GivenFile as GivenFile
from pet.bridge.api.attachments import LoadedPicture as LoadedPicture
from pet.bridge.api.attachments import LoadPictureArgs as LoadPictureArgs
from pet.bridge.api.base import CallArgs as CallArgs
from pet.bridge.api.base import Client as Client
from pet.bridge.api.base import Command as Command
from pet.bridge.api.base import ConversationArgs as ConversationArgs
from pet.bridge.api.base import Nothing as Nothing
from pet.bridge.api.base import SavedFile as SavedFile
from pet.bridge.api.bubble import BubblePiece as BubblePiece
from pet.bridge.api.bubble import BubblePlace as BubblePlace
from pet.bridge.api.bubble import BubbleSayArgs as BubbleSayArgs
from pet.bridge.api.bubble import BubbleSizeArgs as BubbleSizeArgs
from pet.bridge.api.bubble import BubbleView as BubbleView
from pet.bridge.api.cards import CardPicture as CardPicture
from pet.bridge.api.cards import CardPreview as CardPreview
from pet.bridge.api.cards import CardPreviewArgs as CardPreviewArgs
from pet.bridge.api.cards import Greeting as Greeting
from pet.bridge.api.cards import ImportCardArgs as ImportCardArgs
from pet.bridge.api.conversations import ConversationInfo as ConversationInfo
from pet.bridge.api.conversations import ConversationList as ConversationList
from pet.bridge.api.conversations import ConversationView as ConversationView
from pet.bridge.api.conversations import DividerView as DividerView
from pet.bridge.api.conversations import LookAtArgs as LookAtArgs
from pet.bridge.api.conversations import MemoryArgs as MemoryArgs
from pet.bridge.api.conversations import NewConversationArgs as NewConversationArgs
from pet.bridge.api.conversations import OpenArgs as OpenArgs
from pet.bridge.api.conversations import RenameArgs as RenameArgs
from pet.bridge.api.conversations import TabsArgs as TabsArgs
from pet.bridge.api.conversations import TabState as TabState
from pet.bridge.api.conversations import TurnsArgs as TurnsArgs
from pet.bridge.api.desktop import DesktopState as DesktopState
from pet.bridge.api.desktop import DroppedThings as DroppedThings
from pet.bridge.api.desktop import DropRefusal as DropRefusal
from pet.bridge.api.desktop import FadeArgs as FadeArgs
from pet.bridge.api.desktop import LinkArgs as LinkArgs
from pet.bridge.api.desktop import OpenFolderArgs as OpenFolderArgs
from pet.bridge.api.desktop import PauseArgs as PauseArgs
from pet.bridge.api.desktop import Place as Place
from pet.bridge.api.desktop import PlaceName as PlaceName
from pet.bridge.api.desktop import Places as Places
from pet.bridge.api.desktop import ScreenshotArgs as ScreenshotArgs
from pet.bridge.api.desktop import SwitchArgs as SwitchArgs
from pet.bridge.api.files import Diff as Diff
from pet.bridge.api.files import DiffArgs as DiffArgs
from pet.bridge.api.files import DiffLine as DiffLine
from pet.bridge.api.files import FileArgs as FileArgs
from pet.bridge.api.files import FileView as FileView
from pet.bridge.api.files import TextDiffArgs as TextDiffArgs
from pet.bridge.api.files import VersionArgs as VersionArgs
from pet.bridge.api.files import VersionInfo as VersionInfo
from pet.bridge.api.files import VersionList as VersionList
from pet.bridge.api.files import WriteArgs as WriteArgs
from pet.bridge.api.files import WriteReply as WriteReply
from pet.bridge.api.history import ExportArgs as ExportArgs
from pet.bridge.api.history import HistoryHit as HistoryHit
from pet.bridge.api.history import HistoryHits as HistoryHits
from pet.bridge.api.history import HistorySearchArgs as HistorySearchArgs
from pet.bridge.api.history import SnippetPiece as SnippetPiece
from pet.bridge.api.memory import EntriesView as EntriesView
from pet.bridge.api.memory import EntryView as EntryView
from pet.bridge.api.memory import ForgetArgs as ForgetArgs
from pet.bridge.api.memory import ForgetList as ForgetList
from pet.bridge.api.memory import ForgetPiece as ForgetPiece
from pet.bridge.api.memory import ForgetReport as ForgetReport
from pet.bridge.api.memory import HitView as HitView
from pet.bridge.api.memory import IndexState as IndexState
from pet.bridge.api.memory import LogDay as LogDay
from pet.bridge.api.memory import LogDays as LogDays
from pet.bridge.api.memory import PromiseArgs as PromiseArgs
from pet.bridge.api.memory import PromiseList as PromiseList
from pet.bridge.api.memory import PromiseView as PromiseView
from pet.bridge.api.memory import ReceiptReply as ReceiptReply
from pet.bridge.api.memory import RememberArgs as RememberArgs
from pet.bridge.api.memory import SearchArgs as SearchArgs
from pet.bridge.api.memory import SearchReply as SearchReply
from pet.bridge.api.messages import LeftView as LeftView
from pet.bridge.api.messages import ProposalArgs as ProposalArgs
from pet.bridge.api.messages import ReceiptStateView as ReceiptStateView
from pet.bridge.api.messages import ResendArgs as ResendArgs
from pet.bridge.api.messages import RoundView as RoundView
from pet.bridge.api.messages import SendArgs as SendArgs
from pet.bridge.api.messages import ToolView as ToolView
from pet.bridge.api.messages import TurnArgs as TurnArgs
from pet.bridge.api.messages import TurnStartedReply as TurnStartedReply
from pet.bridge.api.messages import TurnView as TurnView
from pet.bridge.api.minds import MindArgs as MindArgs
from pet.bridge.api.minds import MindInfo as MindInfo
from pet.bridge.api.minds import MindList as MindList
from pet.bridge.api.minds import MindState as MindState
from pet.bridge.api.minds import MindUsed as MindUsed
from pet.bridge.api.minds import UseMindArgs as UseMindArgs
from pet.bridge.api.pets import CopyArgs as CopyArgs
from pet.bridge.api.pets import CopyInfo as CopyInfo
from pet.bridge.api.pets import CopyList as CopyList
from pet.bridge.api.pets import CopyView as CopyView
from pet.bridge.api.pets import NamedPetArgs as NamedPetArgs
from pet.bridge.api.pets import NewPetArgs as NewPetArgs
from pet.bridge.api.pets import PetArgs as PetArgs
from pet.bridge.api.pets import PetInfo as PetInfo
from pet.bridge.api.pets import PetList as PetList
from pet.bridge.api.pets import SettleArgs as SettleArgs
from pet.bridge.api.privacy import EraseArgs as EraseArgs
from pet.bridge.api.privacy import Folders as Folders
from pet.bridge.api.settings import KeyArgs as KeyArgs
from pet.bridge.api.settings import KeyState as KeyState
from pet.bridge.api.settings import ModelList as ModelList
from pet.bridge.api.settings import PromptArgs as PromptArgs
from pet.bridge.api.settings import PromptSection as PromptSection
from pet.bridge.api.settings import PromptView as PromptView
from pet.bridge.api.settings import SettingsArgs as SettingsArgs
from pet.bridge.api.settings import SettingsView as SettingsView
from pet.bridge.api.settings import TestReply as TestReply
from pet.bridge.api.skills import SkillInfo as SkillInfo
from pet.bridge.api.skills import SkillList as SkillList
from pet.bridge.api.skins import ImportSkinArgs as ImportSkinArgs
from pet.bridge.api.skins import LookArgs as LookArgs
from pet.bridge.api.skins import PetLook as PetLook
from pet.bridge.api.skins import PreviewPetArgs as PreviewPetArgs
from pet.bridge.api.skins import PreviewSkinArgs as PreviewSkinArgs
from pet.bridge.api.skins import SkinAddressArgs as SkinAddressArgs
from pet.bridge.api.skins import SkinAnimation as SkinAnimation
from pet.bridge.api.skins import SkinArgs as SkinArgs
from pet.bridge.api.skins import SkinExported as SkinExported
from pet.bridge.api.skins import SkinFile as SkinFile
from pet.bridge.api.skins import SkinImported as SkinImported
from pet.bridge.api.skins import SkinInfo as SkinInfo
from pet.bridge.api.skins import SkinList as SkinList
from pet.bridge.api.skins import SkinOffer as SkinOffer
from pet.bridge.api.skins import SkinSheet as SkinSheet
from pet.bridge.api.socket import ChangedArgs as ChangedArgs
from pet.bridge.api.socket import Status as Status
from pet.bridge.api.templates import TemplateInfo as TemplateInfo
from pet.bridge.api.templates import TemplateList as TemplateList
from pet.bridge.api.welcome import ChooseSoulArgs as ChooseSoulArgs
from pet.bridge.api.welcome import ServerInfo as ServerInfo
from pet.bridge.api.welcome import ServerList as ServerList
from pet.bridge.api.welcome import WelcomeArgs as WelcomeArgs
from pet.bridge.api.welcome import WelcomeState as WelcomeState
from pet.bridge.api.windows import MoveArgs as MoveArgs
from pet.bridge.api.windows import PointerPlace as PointerPlace
from pet.bridge.api.windows import ViewArgs as ViewArgs
from pet.bridge.command import commands_of
from pet.bridge.commands.pets.imports import ImportCommands
from pet.bridge.commands.program.usage import UsageCommands

COMMANDS: tuple[Command, ...] = (
    *app.ROWS,
    *conversations.ROWS,
    *messages.ROWS,
    *files.ROWS,
    *memory.ROWS,
    *pets.ROWS,
    *skills.ROWS,
    *skins.ROWS,
    *templates.ROWS,
    *commands_of(UsageCommands),
    *commands_of(ImportCommands),
    *attachments.ROWS,
    *history.ROWS,
    *cards.ROWS,
    *privacy.ROWS,
    *welcome.ROWS,
    *settings.ROWS,
    *minds.ROWS,
    *desktop.ROWS,
    *bubble.ROWS,
    *windows.ROWS,
    *socket.ROWS,
)
"""In the order in which the client for the pages is printed."""
