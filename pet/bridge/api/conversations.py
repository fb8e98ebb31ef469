"""Conversations as the chat shows them, the tabs they are open in, and the brain switch of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pet.bridge.api.base import CHAT, Command, ConversationArgs, Nothing
from pet.bridge.api.messages import TurnArgs, TurnView
from pet.model import Attachment


@dataclass(frozen=True, slots=True, kw_only=True)
class TabState:
    """An open tab, restored after a restart."""

    conversation: str
    draft: str = ""
    scroll: float = 0.0  # CSS pixels from the end
    attachments: list[Attachment] = field(default_factory=list)  # taken in for the draft


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationInfo:
    id: str
    title: str  # "" while nothing was said
    memory: bool
    temporary: bool
    updated_at: str
    turns: int
    running: bool
    read_only: bool = False  # the switch stands at "read only"; then ``memory`` is false


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationList:
    conversations: list[ConversationInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class DividerView:
    """A line in the chat after ``after_turn`` (None: before the first turn)."""

    after_turn: str | None
    at: str
    kind: Literal["memory_on", "memory_read", "memory_off", "earlier_dropped", "compacted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationView:
    info: ConversationInfo
    turns: list[TurnView]  # superseded ones are left out
    dividers: list[DividerView]
    damaged_lines: int  # lines of the transcript that could not be read and were kept aside
    compacting: bool = False
    earlier: int = 0  # turns before the first one here that were left out, as ``newest`` asked for
    opening: str = ""  # what the pet had asked before the first message
    seq: int = 0  # events up to this number are already in it (``Emitter.fence``); the page applies only later ones


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenArgs:
    """``newest``: only so many turns from the end, so that a very long conversation is there at once."""

    conversation: str
    newest: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversationArgs:
    memory: bool | None = None  # None: as the settings say for new conversations
    read_only: bool = False  # with ``memory`` false: read only
    temporary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryArgs:
    conversation: str
    memory: bool
    read_only: bool = False  # with ``memory`` false: read only


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameArgs:
    conversation: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TabsArgs:
    tabs: list[TabState]
    active: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAtArgs:
    """What the owner has in front of him in the chat window; None: no conversation."""

    conversation: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsArgs:
    conversation: str
    turns: list[str]


ROWS: tuple[Command, ...] = (
    Command("list_conversations", Nothing, ConversationList, CHAT, "Newest first; temporary ones are left out."),
    Command("open_conversation", OpenArgs, ConversationView, CHAT, "The whole conversation, folded."),
    Command("new_conversation", NewConversationArgs, ConversationView, CHAT, "A new, empty conversation."),
    Command("rename_conversation", RenameArgs, Nothing, CHAT, "Set the title."),
    Command("delete_conversation", ConversationArgs, Nothing, CHAT, "Delete the transcript."),
    Command("remove_turn", TurnArgs, Nothing, CHAT, "Take a message with its reply out of the conversation."),
    Command("restore_turns", TurnsArgs, Nothing, CHAT, "Put removed turns back where they stood."),
    Command("choose_variant", TurnArgs, Nothing, CHAT, "Show an earlier reply again, with what followed it."),
    Command("branch_conversation", TurnArgs, ConversationView, CHAT, "A new conversation with all up to a turn."),
    Command("set_memory", MemoryArgs, Nothing, CHAT, "Move the brain switch of one conversation."),
    Command("drop_earlier", ConversationArgs, Nothing, CHAT, "Continue without earlier messages."),
    Command("look_at", LookAtArgs, Nothing, CHAT, "Which conversation is in front of the owner: it is seen."),
    Command("mark_seen", ConversationArgs, Nothing, CHAT, "The owner is done with what came there."),
    Command("save_tabs", TabsArgs, Nothing, CHAT, "Open tabs with drafts and scroll, for the next start."),
    Command("host_told", Nothing, Nothing, CHAT, "The owner has read which host gets the memory."),
)
