"""The command table: every request that may come from outside, its reply, and who may send it (PRODUCT §9.1).

One row per command. The TypeScript client is printed from this table, the dispatcher checks against it, and a
client can call only the commands whose row names it. Shapes only: handlers are bound in ``compose``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from pet.events import Claim, ErrorInfo, Mood
from pet.model import Attachment, Author, Proposal, Receipt, TurnEnd, Usage, UsedMemory, Version


class Client(StrEnum):
    """Who is asking. The transport knows it; the caller never says it."""

    CHAT = "chat"  # the chat window: chat, history, settings
    PET = "pet"  # the pet window: can read no file
    BUBBLE = "bubble"  # the speech bubble: what it says now, and nothing else
    SOCKET = "socket"  # a second start, the command line


# --- replies ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No arguments, or nothing to say in reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """All that leaves the core about the API key (PRODUCT §7.1)."""

    set: bool
    source: Literal["environment", "keyring", "session", "file", "none"]
    last4: str
    keyring_available: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AppState:
    version: str
    language: Literal["zh", "en"]
    theme: Literal["system", "light", "dark"]
    reduced_motion: Literal["system", "on", "off"]
    pet: str
    pet_name: str
    model: str
    base_url: str
    host: str  # who gets the memory while the brain is on
    host_told: bool  # the owner has been told so once (PRODUCT §3.7)
    key: KeyState
    key_needed: bool  # the endpoint asks for one (loopback does not)
    memory_default: bool
    paused: bool
    shortcut_memory: str
    tabs: list[TabState]
    active_tab: str | None
    backend: str
    abilities: list[str]  # of this platform, e.g. "tray", "click_through"
    home: str
    demo: bool = False  # prepared answers instead of a model
    welcome: int = 0  # the step of the first start to go on with; 0: it is over
    quick_replies: bool = True
    unread: list[str] = field(default_factory=list)  # conversations that hold something nobody has seen


@dataclass(frozen=True, slots=True, kw_only=True)
class TabState:
    """An open tab, restored after a restart (PRODUCT §8.3)."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationList:
    conversations: list[ConversationInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolView:
    """One tool call as the chat shows it, folded."""

    call: str
    round: int
    tool: str
    file: str | None
    running: bool
    error: ErrorInfo | None
    receipt: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    round: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    turn: str
    kind: Literal["message", "regenerate", "edit", "continue"]
    at: str
    text: str  # the owner's message
    memory: bool
    rounds: list[RoundView]
    tools: list[ToolView]
    end: TurnEnd | None  # None while it runs
    error: ErrorInfo | None
    usage: Usage
    proposal: Proposal | None  # open, waiting for the owner
    used: list[UsedMemory] = field(default_factory=list)  # what was recalled: the chips under the reply
    claim: Claim | None = None
    attachments: list[Attachment] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class DividerView:
    """A line in the chat after ``after_turn`` (None: before the first turn)."""

    after_turn: str | None
    at: str
    kind: Literal["memory_on", "memory_off", "earlier_dropped", "compacted"]


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
class TurnStartedReply:
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """A file for the owner's editor. ``text`` is without BOM and with \\n; saving restores both."""

    file: str
    state: Literal["present", "missing", "broken"]
    problem: str  # "" or the code of the error state, e.g. "file_not_utf8"
    text: str
    version: Version
    characters: int
    limit: int  # characters that go into a prompt (PRODUCT §5.4)
    cut: int  # characters the prompt leaves out now
    hidden_characters: int  # zero-width and bidi overrides (PRODUCT §4.8)


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteReply:
    """``saved``: the receipt. ``conflict``: the file is not what the edit was based on; nothing was changed."""

    outcome: Literal["saved", "unchanged", "conflict"]
    file: FileView
    receipt: Receipt | None
    merged_text: str | None  # on conflict: both changes together, where they don't overlap


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionInfo:
    id: str
    file: str
    at: str
    author: Author  # who made this version
    replaced_by: Author | None  # None: it is the current one
    conversation: str | None
    turn: str | None
    bytes: int
    current: bool
    backup: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionList:
    versions: list[VersionInfo]  # newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    kind: Literal["same", "added", "removed"]
    text: str
    old_line: int | None
    new_line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    lines: list[DiffLine]  # the whole file, nothing left out
    added: int
    removed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateInfo:
    id: str
    title: str
    file: str
    text: str
    name: str = ""  # what a soul calls itself
    about: str = ""  # it in one line
    own: bool = False  # the owner's, from the folder of the list


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateList:
    templates: list[TemplateInfo]
    folder: str = ""  # where the owner's own templates are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsView:
    """Every setting the page shows; ``overridden`` names those an environment variable or pet.toml decides."""

    base_url: str
    model: str
    demo: bool  # prepared answers instead of a model
    effort: str
    max_tokens: int
    thinking: Literal["default", "off"]
    memory_default: bool
    language: Literal["system", "zh", "en"]
    theme: Literal["system", "light", "dark"]
    reduced_motion: Literal["system", "on", "off"]
    prompt_file_characters: int
    prompt_total_characters: int
    context_window: int
    max_rounds: int
    daily_tokens: int
    price_input: float
    price_output: float
    history_days: int
    recall: bool
    recall_count: int
    recall_threshold: float
    search_count: int
    search_min_score: float
    search_weights: Literal["calibrated", "fixed"]
    search_meaning_weight: float
    search_word_weight: float
    search_half_life_days: int
    index_pieces: Literal["entries", "windows"]
    index_piece_tokens: int
    index_overlap_tokens: int
    compact_share: float
    compact_keep_turns: int
    upkeep: bool
    shortcut_memory: str
    pet_size: int
    pet_opacity: int
    fade_on_hover: bool
    fade_opacity: int
    hide_fullscreen: bool
    quick_replies: bool
    bubbles: bool
    bubble_seconds: int
    promise_bubbles: bool
    greetings: Literal["off", "daily", "twice"]
    ask_after: bool
    ask_after_count: int
    do_not_disturb: bool
    quiet_from: str
    quiet_until: str
    shortcut_chat: str
    shortcut_pet: str
    shortcut_screenshot: str
    overridden: list[str]
    problems: list[ErrorInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestReply:
    ok: bool
    model: str
    milliseconds: int
    error: ErrorInfo | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelList:
    models: list[str]
    error: ErrorInfo | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WelcomeState:
    """``step`` of the first start, 0: over. ``own_soul``: SOUL.md says something that no template says.
    ``strangers``: one of the two is not known yet, since SOUL.md is as it came or USER.md says next to nothing."""

    step: int
    own_soul: bool
    strangers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """What the pet's character card says first in a new tab; "" without such a card."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Where everything is, for all pets of the home."""

    folders: list[str]


PlaceName = Literal["pet", "data", "config", "state", "cache", "log"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One folder of the program, with all that is below it. ``there``: nothing was ever put into one that is not."""

    name: PlaceName
    path: str
    there: bool
    files: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    places: list[Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopState:
    """``login_other``: the entry starts another program. ``taken_shortcuts``: keys that another program has."""

    login: bool
    login_possible: bool
    login_other: bool
    login_place: str
    taken_shortcuts: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """A model server on this machine."""

    name: str
    base_url: str
    models: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerList:
    servers: list[ServerInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSection:
    name: str  # rules, IDENTITY.md, SOUL.md, ..., tools
    text: str
    characters: int
    tokens: int  # estimated
    cut: int  # characters left out


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptView:
    """``blocks``: the system blocks as sent, in order; ``sections``: the same characters by what they are about."""

    memory: bool
    blocks: list[str]
    sections: list[PromptSection]
    tools: list[str]
    characters: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptReply:
    """None: there was nothing to change."""

    receipt: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HitView:
    """Something found. Lines are 1-based and inclusive; ``turn``: of a conversation, where in it."""

    path: str
    start_line: int
    end_line: int
    score: float  # 0..1, calibrated
    snippet: str
    source: Literal["profile", "memory", "log", "conversation"]
    turn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReply:
    hits: list[HitView]
    embedder: str | None  # None: words and dates only


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """``done`` of ``total`` entries can be found by meaning; by words, all."""

    embedder: str | None
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDay:
    file: str  # memory/YYYY-MM-DD.md
    day: str
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDays:
    days: list[LogDay]  # newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """One entry of a core file or a daily log, with its lines. ``time`` and ``due`` are "" where there is none."""

    start_line: int
    end_line: int
    heading: str  # of a log: the category
    time: str
    due: str
    state: Literal["", "open", "done"]  # of a todo
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesView:
    file: FileView
    entries: list[EntryView]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPiece:
    """Something that would go, or that stays. ``text`` is whole; lines are 0 where it has none."""

    where: Literal["file", "log", "tool_result", "recall", "summary", "history", "said"]
    path: str
    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetList:
    """``goes``: all that would be forgotten. ``stays``: what was said aloud, which only deleting its conversation
    removes."""

    text: str
    goes: list[ForgetPiece]
    stays: list[ForgetPiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport:
    entries: int
    versions: int  # earlier versions of files that were rewritten or removed
    messages: int  # tool results, recall and summaries in transcripts
    left: list[ForgetPiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseView:
    """A todo with a date, not done yet. ``line`` is its heading's."""

    file: str
    line: int
    due: str  # YYYY-MM-DD
    text: str
    overdue: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseList:
    due: list[PromiseView]  # today or before, oldest first
    coming: list[PromiseView]


@dataclass(frozen=True, slots=True, kw_only=True)
class BubblePiece:
    """A part of a reply, without any marks. ``mark`` stands before an item, ``depth`` says how far in it is."""

    kind: Literal["text", "heading", "item", "quote", "code", "row"]
    text: str
    mark: str
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleView:
    """What the speech bubble says, plain. ``number`` counts what was said: the same one is only worded anew.
    ``more``: ``text`` is not all of it, ``pieces`` are; ``ending``: how a reply ends, as it was written, for answers
    to choose from; ``seconds``: how long it stays, 0 until it is answered."""

    number: int
    kind: Literal["none", "reply", "failed", "question", "greeting", "asking", "promises"]
    text: str
    more: bool
    pieces: list[BubblePiece]
    ending: str
    promises: list[PromiseView]
    seconds: float
    language: Literal["zh", "en"]
    theme: Literal["system", "light", "dark"]
    reduced_motion: Literal["system", "on", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BubblePlace:
    """Where the bubble stands, seen from the pet; ``tail``: how far from its left edge the pet's middle is, or from
    its top the pet's face. ``height``: what there was room for."""

    side: Literal["above", "left", "right"]
    tail: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PetInfo:
    id: str
    name: str
    current: bool
    conversations: int
    changed_at: str  # "" where nothing was said yet


@dataclass(frozen=True, slots=True, kw_only=True)
class PetList:
    pets: list[PetInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyInfo:
    """A conflict copy that a sync program left (PRODUCT §2.4). ``copy`` is its name in the workspace."""

    copy: str
    file: str
    at: str
    program: str  # "" where the name does not tell


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyList:
    copies: list[CopyInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyView:
    """Both texts; ``merged`` holds both changes where they don't overlap."""

    info: CopyInfo
    file: FileView
    text: str
    merged: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillInfo:
    """``problem`` is "" or the code of what is wrong with it; then it isn't offered to the pet."""

    name: str
    description: str
    origin: Literal["pet", "shared"]
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillList:
    skills: list[SkillInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinAnimation:
    """Cells of the sheet in the order shown, and how long each stays."""

    name: str
    frames: list[int]
    milliseconds: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinSheet:
    """What a page needs to draw a skin. ``image`` is a data address; "" for the drawn character, whose frames the
    pages have, and for a sheet whose ``stamp`` the page said it has."""

    skin: str
    stamp: str
    image: str
    frame_width: int
    frame_height: int
    columns: int
    animations: list[SkinAnimation]
    looks: list[int]  # 16 cells, clockwise from up; or none
    pixelated: bool  # its hard edges are meant


@dataclass(frozen=True, slots=True, kw_only=True)
class PetLook:
    """Everything the pet's window needs to draw itself. Nothing of what is said or remembered."""

    sheet: SkinSheet
    mood: Mood
    paused: bool
    reduced_motion: Literal["system", "on", "off"]
    language: Literal["zh", "en"]
    name: str
    fades: bool  # while the pointer rests on it


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinInfo:
    """``problem``: why it can't be worn. ``notes``: what about it is not as it should be, and was helped."""

    id: str
    name: str
    description: str
    author: str
    licence: str
    origin: Literal["drawn", "pet", "shared", "codex", "petdex"]
    version: int  # of the Codex format; 0 for the drawn one
    problem: ErrorInfo | None
    notes: list[ErrorInfo]
    current: bool
    deletable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinList:
    skins: list[SkinInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinImported:
    skin: SkinInfo
    skins: list[SkinInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinOffer:
    """What lies at an address. ``host``: who would send it; ``size`` in bytes, None where it isn't said."""

    host: str
    name: str
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinExported:
    """Where the zip was put."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFile:
    """Where something was put that the owner asked for."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageOfModel:
    """``cost`` by the prices in the settings; None: they are not set."""

    model: str
    usage: Usage
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageDay:
    day: str
    tokens: int  # all that was read and written
    cost: float | None
    models: list[UsageOfModel]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageView:
    """All pets of this home. ``limit`` 0: none. ``allowed``: the owner said to go on today all the same."""

    today: UsageDay
    days: list[UsageDay]  # newest first, today's included where there is something
    limit: int
    reached: bool
    allowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentView:
    """What a reply or a whole conversation took. ``cost`` None: the prices are not set. ``uncounted``: model calls
    of which the server did not tell what they took."""

    usage: Usage
    tokens: int
    cost: float | None
    uncounted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentView:
    """``image`` is a data address, "" for a text file; ``text`` is that file's text."""

    attachment: Attachment
    image: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetPiece:
    """A piece of a snippet; ``found``: it is one of the words that were looked for."""

    text: str
    found: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryHit:
    """A turn in which all the words stand."""

    conversation: str
    title: str
    turn: str
    at: str
    who: Literal["owner", "pet"]
    snippet: list[SnippetPiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryHits:
    """The conversation that was written to last comes first. ``more``: there are others."""

    hits: list[HistoryHit]
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPicture:
    """A picture named after a mood; ``image``: a small copy as a data address."""

    name: str
    image: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPreview:
    """A character card and what it would make of the pet; nothing was changed.

    ``base``: the version of SOUL.md that ``diff`` starts from. ``notes`` are its creator's, for the owner alone.
    """

    name: str
    file: str
    carrier: Literal["png", "json", "charx"]
    newer: bool  # of a version this program does not know; what it knows is used
    soul: str
    base: Version
    diff: Diff
    hidden_characters: int  # in the soul
    greetings: list[str]
    notes: str
    has_instructions: bool  # it has system prompts, which stay out unless the owner ticks them
    portrait: str  # a small copy as a data address; "" without one
    pictures: list[CardPicture]  # what it can be dressed in, the portrait left out
    remote_pictures: int  # so many lie on the internet and are not fetched


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


# --- arguments ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationArgs:
    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenArgs:
    """``newest``: only so many turns from the end, so that a very long conversation is there at once."""

    conversation: str
    newest: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnArgs:
    conversation: str
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConversationArgs:
    memory: bool | None = None  # None: "memory on by default" from the settings
    temporary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SendArgs:
    """``attachments``: ids that ``add_attachment`` gave; with one the text may be empty."""

    conversation: str
    text: str
    attachments: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResendArgs:
    """Replace a turn: with ``text`` edit and resend, without it regenerate. ``attachments`` None: the same again,
    an empty list: without them."""

    conversation: str
    turn: str
    text: str | None = None
    attachments: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryArgs:
    conversation: str
    memory: bool


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
class ProposalArgs:
    """``text`` only with ``edit``: what the owner made of the proposal."""

    conversation: str
    proposal: str
    answer: Literal["allow", "edit", "refuse"]
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileArgs:
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteArgs:
    file: str
    text: str
    base: Version


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionArgs:
    file: str
    version: str  # an id of VersionInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffArgs:
    """From version ``old`` to version ``new``; None is the file as it is now."""

    file: str
    old: str
    new: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDiffArgs:
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoArgs:
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsArgs:
    """Only what changes; names as in SettingsView."""

    changes: dict[str, str | int | float | bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyArgs:
    """The key goes in and never comes out. ``keep``: where it stays."""

    key: str
    keep: Literal["keyring", "session", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseArgs:
    """``confirm``: the word that the owner had to type."""

    confirm: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WelcomeArgs:
    """The step to go on with; 0: the first start is over."""

    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseSoulArgs:
    """``name``: what the pet is to be called instead; "" keeps the template's."""

    template: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberArgs:
    """Write the owner's message of this turn into today's log. ``switch_on``: turn the brain on first."""

    conversation: str
    turn: str
    switch_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CallArgs:
    conversation: str
    turn: str
    call: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchArgs:
    query: str
    count: int | None = None  # None: as in the settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetArgs:
    """What to forget: a text, or an entry by its lines, or what a receipt wrote, or what was learned in a
    conversation. Exactly one of them."""

    text: str | None = None
    file: str | None = None
    start_line: int = 0
    end_line: int = 0
    receipt: Receipt | None = None
    conversation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseArgs:
    """``text`` as it was shown: another one at that place is not touched. ``until``: YYYY-MM-DD, with snooze."""

    file: str
    line: int
    text: str
    answer: Literal["done", "snooze"]
    until: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PetArgs:
    pet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPetArgs:
    pet: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPetArgs:
    """``profile_of``: the pet whose USER.md goes along ("copy what I told the other pet")."""

    name: str
    profile_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyArgs:
    copy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleArgs:
    """``text``: what the file shall say, on top of version ``base``; None leaves the file as it is. The copy goes
    into the file's history."""

    copy: str
    base: Version
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinArgs:
    skin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinAddressArgs:
    """What the owner pasted: an https address, or a link that installs a Codex pet."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSkinArgs:
    """``whole``: all of its pictures, which may be megabytes; else the resting one alone, as a sheet of one cell."""

    skin: str
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LookArgs:
    """``have``: the stamp of the sheet the page draws now, so that megabytes travel once."""

    have: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinFile:
    """A file the owner picked or dropped: base64, in pieces of at most a million characters."""

    name: str
    data: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSkinArgs:
    """One zip, one sheet, the pictures of a set, or the files of a folder, named ``folder/file``."""

    files: list[SkinFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class AddAttachmentArgs:
    """``conversation``: the one it will be sent in; a temporary one's attachments never touch the disk."""

    conversation: str
    file: GivenFile


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentArgs:
    """``whole``: as it was sent; else a small copy for the message."""

    attachment: str
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscardArgs:
    attachment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySearchArgs:
    """``count``: hits at most."""

    query: str
    count: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsArgs:
    conversation: str
    turns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentArgs:
    """``turn`` None: the whole conversation, replaced replies and summaries included."""

    conversation: str
    turn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportArgs:
    conversation: str
    format: Literal["markdown", "json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFile:
    """A file the owner picked, dropped or pasted: base64, in pieces of at most a million characters."""

    name: str
    data: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRefusal:
    """What did not get past the pet's window. ``name`` is "" for text and for all the files beyond the last."""

    problem: Literal["too_large", "too_many", "text_too_large", "unreadable"]
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedThings:
    """What was dropped on the pet. Files come one with each call, since one message has a limit."""

    text: str
    files: list[GivenFile]
    refused: list[DropRefusal] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPreviewArgs:
    """``instructions``: with the card's system prompt and closing instructions."""

    file: GivenFile
    instructions: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportCardArgs:
    """``base`` as in the preview: a soul that has changed since is not written over. ``pictures``: the pet also
    wears the card's pictures. ``each_greeting``: a new conversation may begin with any of its first words."""

    file: GivenFile
    base: Version
    instructions: bool = False
    pictures: bool = False
    each_greeting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptArgs:
    memory: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkArgs:
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveArgs:
    """By how much, in screen pixels of the page, since the press."""

    dx: float
    dy: float
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleSizeArgs:
    """What the bubble needs, with the room for its shadow. ``reading``: the owner opened it to read on, and its keys
    are wanted; it may be less high than that."""

    width: int
    height: int
    reading: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleSayArgs:
    """A short answer, chosen in the bubble."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewArgs:
    view: Literal["chat", "settings", "history"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFolderArgs:
    """By name: no page says a path."""

    place: PlaceName = "pet"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchArgs:
    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FadeArgs:
    faded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenshotArgs:
    """The monitor at the pointer, or what the owner frames."""

    area: Literal["screen", "region"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseArgs:
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedArgs:
    """The command line wrote these files of the pet, or forgot these texts, out of these conversations too, or
    deleted a conversation."""

    pet: str
    files: list[str]
    forgotten: list[str] = field(default_factory=list)
    conversations: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)


# --- the table ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    args: type
    reply: type
    clients: frozenset[Client]
    summary: str = field(default="")


_CHAT = frozenset({Client.CHAT})
_WINDOWS = frozenset({Client.CHAT, Client.PET})
_PET = frozenset({Client.PET})
_SOCKET = frozenset({Client.SOCKET})
_BUBBLE = frozenset({Client.BUBBLE})

COMMANDS: tuple[Command, ...] = (
    Command("get_app_state", Nothing, AppState, _CHAT, "Everything the page needs to draw its frame."),
    Command("list_conversations", Nothing, ConversationList, _CHAT, "Newest first; temporary ones are left out."),
    Command("open_conversation", OpenArgs, ConversationView, _CHAT, "The whole conversation, folded."),
    Command("new_conversation", NewConversationArgs, ConversationView, _CHAT, "A new, empty conversation."),
    Command("rename_conversation", RenameArgs, Nothing, _CHAT, "Set the title."),
    Command("delete_conversation", ConversationArgs, Nothing, _CHAT, "Delete the transcript."),
    Command("remove_turn", TurnArgs, Nothing, _CHAT, "Take a message with its reply out of the conversation."),
    Command("restore_turns", TurnsArgs, Nothing, _CHAT, "Put removed turns back where they stood."),
    Command("set_memory", MemoryArgs, Nothing, _CHAT, "Flip the brain switch of one conversation."),
    Command("drop_earlier", ConversationArgs, Nothing, _CHAT, "Continue without earlier messages."),
    Command("look_at", LookAtArgs, Nothing, _CHAT, "Which conversation is in front of the owner: it is seen."),
    Command("mark_seen", ConversationArgs, Nothing, _CHAT, "The owner is done with what came there."),
    Command("save_tabs", TabsArgs, Nothing, _CHAT, "Open tabs with drafts and scroll, for the next start."),
    Command("host_told", Nothing, Nothing, _CHAT, "The owner has read which host gets the memory."),
    Command("send_message", SendArgs, TurnStartedReply, _CHAT, "Store the message, start a turn, return at once."),
    Command("stop_turn", ConversationArgs, Nothing, _CHAT, "Stop the running turn; what was said stays."),
    Command("resend", ResendArgs, TurnStartedReply, _CHAT, "Regenerate, retry, or edit and resend a turn."),
    Command("continue_turn", TurnArgs, TurnStartedReply, _CHAT, "Go on with a reply that was cut or stopped."),
    Command("answer_proposal", ProposalArgs, Nothing, _CHAT, "Allow, edit or refuse a proposed change."),
    Command("read_file", FileArgs, FileView, _CHAT, "A core or optional file for the editor."),
    Command("write_file", WriteArgs, WriteReply, _CHAT, "Save a file that is still at version ``base``."),
    Command("list_versions", FileArgs, VersionList, _CHAT, "The kept versions of a file."),
    Command("diff_versions", DiffArgs, Diff, _CHAT, "What changed between two versions, whole."),
    Command("diff_texts", TextDiffArgs, Diff, _CHAT, "What changed between two texts, whole."),
    Command("restore_version", VersionArgs, WriteReply, _CHAT, "Make a kept version the current one."),
    Command("undo_receipt", UndoArgs, WriteReply, _CHAT, "Take one change back, byte for byte."),
    Command("compact", ConversationArgs, Nothing, _CHAT, "Summarise what was said earlier; returns at once."),
    Command("remember_turn", RememberArgs, ReceiptReply, _CHAT, "Save it now: the owner's message to today's log."),
    Command("keep_secret", CallArgs, ReceiptReply, _CHAT, "Put back what was masked in something the pet wrote."),
    Command("search_memory", SearchArgs, SearchReply, _CHAT, "The owner's search over memory; leaves no trace."),
    Command("get_index_state", Nothing, IndexState, _CHAT, "How much of the memory can be found by meaning."),
    Command("rebuild_index", Nothing, Nothing, _CHAT, "Delete the search index and make it anew."),
    Command("list_logs", Nothing, LogDays, _CHAT, "The days that have a log."),
    Command("read_entries", FileArgs, EntriesView, _CHAT, "A core file or a daily log, cut into its entries."),
    Command("list_forget", ForgetArgs, ForgetList, _CHAT, "What would be forgotten, whole, and what would stay."),
    Command("forget", ForgetArgs, ForgetReport, _CHAT, "Forget it everywhere. There is no undo."),
    Command("list_promises", Nothing, PromiseList, _CHAT, "Todos with a date that are not done."),
    Command("answer_promise", PromiseArgs, PromiseList, _CHAT | _BUBBLE, "Mark a todo done, or put it off."),
    Command("list_pets", Nothing, PetList, _CHAT, "All pets of this home."),
    Command("create_pet", NewPetArgs, PetList, _CHAT, "A new pet from the template."),
    Command("rename_pet", NamedPetArgs, PetList, _CHAT, "Another name; the folder keeps its own."),
    Command("duplicate_pet", NamedPetArgs, PetList, _CHAT, "A second pet with the same files, memory included."),
    Command("delete_pet", PetArgs, PetList, _CHAT, "Move a pet's folder to the bin."),
    Command("switch_pet", PetArgs, Nothing, _CHAT | _SOCKET, "Start again with another pet."),
    Command("list_copies", Nothing, CopyList, _CHAT, "Conflict copies that sync programs left."),
    Command("read_copy", CopyArgs, CopyView, _CHAT, "A conflict copy beside its file."),
    Command("settle_copy", SettleArgs, WriteReply, _CHAT, "Settle a conflict copy; nothing of it is lost."),
    Command("list_skills", Nothing, SkillList, _CHAT, "The skills the pet can load, and those it can't."),
    Command("list_skins", Nothing, SkinList, _CHAT, "The skins the pet can wear, and those that are broken."),
    Command("preview_skin", PreviewSkinArgs, SkinSheet, _CHAT, "A skin's pictures, for the chooser."),
    Command("choose_skin", SkinArgs, SkinList, _CHAT, "Wear this skin."),
    Command("import_skin", ImportSkinArgs, SkinImported, _CHAT, "Take in a zip or a set of pictures."),
    Command("look_at_skin", SkinAddressArgs, SkinOffer, _CHAT, "Who would send the skin there, and how large it is."),
    Command("fetch_skin", SkinAddressArgs, SkinImported, _CHAT, "Download a skin and take it in."),
    Command("stop_fetching_skin", Nothing, Nothing, _CHAT, "End the download that runs."),
    Command("copy_skin", SkinArgs, SkinImported, _CHAT, "Keep a copy of a skin that another program has."),
    Command("export_skin", SkinArgs, SkinExported, _CHAT, "Put a skin as a Codex pet into the downloads folder."),
    Command("delete_skin", SkinArgs, SkinList, _CHAT, "Delete an imported skin."),
    Command("typing", Nothing, Nothing, _CHAT, "The owner is typing: the pet listens up. At most every two seconds."),
    Command("get_skin", LookArgs, PetLook, _PET, "How the pet looks now."),
    Command("list_templates", Nothing, TemplateList, _CHAT, "Starting texts for the core files."),
    Command("get_usage", Nothing, UsageView, _CHAT, "Tokens of each day, and the daily limit."),
    Command("get_spent", SpentArgs, SpentView, _CHAT, "What a reply or a conversation took, in tokens and money."),
    Command("allow_today", Nothing, UsageView, _CHAT, "Go on today, whatever the daily limit says."),
    Command("add_attachment", AddAttachmentArgs, Attachment, _CHAT, "Take in a picture or a text file to be sent."),
    Command("discard_attachment", DiscardArgs, Nothing, _CHAT, "It was taken out of the message again."),
    Command("read_attachment", AttachmentArgs, AttachmentView, _CHAT, "A picture or a text file that was sent."),
    Command("search_history", HistorySearchArgs, HistoryHits, _CHAT, "The owner's search through all that was said."),
    Command("export_conversation", ExportArgs, SavedFile, _CHAT, "Put a conversation into the downloads folder."),
    Command("preview_card", CardPreviewArgs, CardPreview, _CHAT, "What a character card would make of the pet."),
    Command("import_card", ImportCardArgs, WriteReply, _CHAT, "Make SOUL.md from a character card."),
    Command("export_card", Nothing, SavedFile, _CHAT, "Put the pet as a character card into the downloads folder."),
    Command("get_greeting", Nothing, Greeting, _CHAT, "What the pet says first where nothing was said yet."),
    Command("export_pet", Nothing, SavedFile, _CHAT, "Put a zip of the whole pet into the downloads folder."),
    Command("list_folders", Nothing, Folders, _CHAT, "What would go if everything were deleted."),
    Command("erase_everything", EraseArgs, Nothing, _CHAT, "Quit, and move all data of this home to the bin."),
    Command("get_welcome", Nothing, WelcomeState, _CHAT, "Where the owner is in the first start."),
    Command("show_welcome", Nothing, Nothing, _CHAT, "The first start is drawn: its window comes up by itself."),
    Command("save_welcome", WelcomeArgs, Nothing, _CHAT, "Go on with this step of the first start; 0 ends it."),
    Command("find_servers", Nothing, ServerList, _CHAT, "Model servers that answer on this machine now."),
    Command("choose_soul", ChooseSoulArgs, FileView, _CHAT, "Make a shipped personality the pet's soul."),
    Command("get_settings", Nothing, SettingsView, _CHAT, "Current settings."),
    Command("change_settings", SettingsArgs, SettingsView, _CHAT, "Change some settings; all or none."),
    Command("set_key", KeyArgs, KeyState, _CHAT, "Store the API key. Write-only."),
    Command("delete_key", Nothing, KeyState, _CHAT, "Forget the API key."),
    Command("test_connection", Nothing, TestReply, _CHAT, "Ask the model for one word."),
    Command("list_models", Nothing, ModelList, _CHAT, "The models the server names."),
    Command("preview_prompt", PromptArgs, PromptView, _CHAT, "What my pet sees."),
    Command("open_link", LinkArgs, Nothing, _CHAT, "Open http(s) or mailto in the browser."),
    Command("open_folder", OpenFolderArgs, Nothing, _CHAT, "Show one of our folders in the file manager."),
    Command("list_places", Nothing, Places, _CHAT, "Where everything is, and how much."),
    Command("get_desktop", Nothing, DesktopState, _CHAT, "Starting at login, and shortcuts that are not to be had."),
    Command("set_login", SwitchArgs, DesktopState, _CHAT, "Start when the owner logs in, or no longer."),
    Command("try_shortcuts", Nothing, Nothing, _CHAT, "Ask the system for the shortcuts once more."),
    Command("take_screenshot", ScreenshotArgs, Nothing, _CHAT, "A picture of the screen for the composer."),
    Command("fade_pet", FadeArgs, Nothing, _PET, "The pointer came to rest on the pet, or left it."),
    Command("pause_brain", PauseArgs, Nothing, _WINDOWS | _SOCKET, "Pause or resume the brain of the pet."),
    Command("drop_on_pet", DroppedThings, Nothing, _PET, "Something was dropped on the pet: the chat opens for it."),
    Command("take_dropped", Nothing, DroppedThings, _CHAT, "What was dropped, for the composer; once."),
    Command("get_bubble", Nothing, BubbleView, _BUBBLE, "What the speech bubble says now."),
    Command("size_bubble", BubbleSizeArgs, BubblePlace, _BUBBLE, "It is drawn and needs this room: show it."),
    Command("close_bubble", Nothing, Nothing, _BUBBLE, "Read, or closed."),
    Command("open_bubble", Nothing, Nothing, _BUBBLE, "Go on in the chat, where it was said."),
    Command("say_in_bubble", BubbleSayArgs, Nothing, _BUBBLE, "Answer the reply that it shows, in its conversation."),
    Command("leave_alone", Nothing, Nothing, _BUBBLE, "Don't ask about this any more."),
    Command("touched", Nothing, Nothing, _PET, "The owner poked the pet, or set it down."),
    Command("hide_chat", Nothing, Nothing, _CHAT, "Hide the chat window."),
    Command("toggle_chat", Nothing, Nothing, _PET, "Show or hide the chat window."),
    Command("show_view", ViewArgs, Nothing, _PET | _SOCKET, "Show the chat window with this view."),
    Command("move_pet", MoveArgs, Nothing, _PET, "Drag the pet."),
    Command("pet_menu", Nothing, Nothing, _PET, "Open the pet's context menu."),
    Command("quit", Nothing, Nothing, _SOCKET, "Leave the program."),
    Command("show_pet", Nothing, Nothing, _SOCKET, "Bring the running pet forward."),
    Command("get_status", Nothing, Status, _SOCKET, "What the running pet is doing."),
    Command("files_changed", ChangedArgs, Nothing, _SOCKET, "The command line changed files."),
)
