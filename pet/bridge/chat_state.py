"""State of the chat window kept by the core: open tabs with drafts, what waits for the page to load, and what the
pet's body shows of it: the open tab's memory mode, and unread replies.

Pending requests and dropped files stay in memory until the page takes them. Tabs and drafts are stored in the
program's state; temporary conversations store nothing, and a deleted conversation removes its tab.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from threading import Lock
from typing import ClassVar

from pet.engine.conversations import Conversations
from pet.errors import (
    BadArguments,
    DraftTooLong,
    NewerFormat,
    PetError,
    TooManyDrafts,
    UnknownConversation,
    WriteFailed,
)
from pet.events import (
    ChatShown,
    ConversationAsked,
    ConversationDeleted,
    DroppedOnPet,
    Event,
    MemorySwitched,
    PageAsked,
    ProposalAsked,
    TabMemoryChanged,
    TurnEnded,
    TurnStarted,
    UnreadChanged,
)
from pet.model import Attachment, TurnEnd
from pet.serde import from_data
from pet.services.desktop_port import DesktopPort, View
from pet.services.file_transfer import (
    MOST_DROPPED,
    MOST_DROPPED_CHARACTERS,
    MOST_REFUSED,
    DroppedThings,
    DropRefusal,
    GivenFile,
    check_dropped,
    plain_name,
)
from pet.settings.program_state import JsonState
from pet.workspace.attachments import MOST_IN_A_MESSAGE, Attachments


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """Show the conversation first, then the view; None: neither."""

    view: View | None = None
    conversation: str | None = None


class ChatRequests:
    """Keeps the last request. Thread-safe."""

    EVENTS: ClassVar[tuple[type[Event], ...]] = (PageAsked, ConversationAsked)

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: ChatRequest | None = ChatRequest()

    def on_event(self, event: Event) -> None:
        with self._lock:
            match self._kept, event:
                case ChatRequest() as kept, PageAsked(view=view):
                    self._kept = replace(kept, view=view)
                case ChatRequest() as kept, ConversationAsked(conversation=conversation):
                    self._kept = replace(kept, conversation=conversation, view=None)

    def take(self) -> ChatRequest:
        """Return the last request; later ones are not kept, since the page receives events from now on."""
        with self._lock:
            kept, self._kept = self._kept, None
        return kept or ChatRequest()


class DropBox:
    """Thread-safe."""

    def __init__(self, windows: DesktopPort, emit: Callable[[Event], object]) -> None:
        self._windows = windows
        self._emit = emit
        self._lock = Lock()
        self._text = ""
        self._files: list[GivenFile] = []
        self._refused: list[DropRefusal] = []

    def put(self, args: DroppedThings) -> None:
        """Open the chat and notify it. Further drops before the first was taken are queued."""
        check_dropped(args)
        with self._lock:
            self._keep(args)
        self._windows.show_chat("chat")
        self._emit(DroppedOnPet())

    def take(self) -> DroppedThings:
        """Remove and return one file with the text; call until nothing is left."""
        with self._lock:
            files, self._files = self._files[:1], self._files[1:]
            text, self._text = self._text, ""
            refused, self._refused = self._refused, []
        return DroppedThings(text=text, files=files, refused=refused)

    def _keep(self, args: DroppedThings) -> None:
        room = max(0, MOST_DROPPED - len(self._files))
        refused = [DropRefusal(problem=each.problem, name=plain_name(each.name)) for each in args.refused]
        if len(args.files) > room:
            refused.append(DropRefusal(problem="too_many", name=""))
        self._files += args.files[:room]
        self._refused = [*self._refused, *refused][-MOST_REFUSED:]
        text = "\n".join(each for each in (self._text, args.text) if each)
        if len(text) > MOST_DROPPED_CHARACTERS:
            self._refused.append(DropRefusal(problem="text_too_large", name=""))
        else:
            self._text = text


_MAX_TABS = 50  # beyond them only those with a draft, pinned ones, and the active one
_MOST_TABS = 500  # with these
_MAX_DRAFT = 200_000  # characters

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TabState:
    """An open tab, restored after a restart."""

    conversation: str
    draft: str = ""
    scroll: float = 0.0  # CSS pixels from the end
    attachments: list[Attachment] = field(default_factory=list)  # of the draft
    pinned: bool = False  # stays before the others


class SavedTabs:
    """The tabs of one pet in the program's state."""

    EVENTS: ClassVar[tuple[type[Event], ...]] = (ConversationDeleted,)

    def __init__(self, state: JsonState, pet: str) -> None:
        self._state = state
        self._tabs, self._active = f"tabs.{pet}", f"active.{pet}"

    def restore(self, conversations: Conversations, attachments: Attachments) -> tuple[list[TabState], str | None]:
        """Return the tabs whose conversations still exist, and the active conversation; drop the others."""
        self._drop(lambda conversation: not conversations.holds(conversation))
        tabs = []
        for tab in self._read():
            with suppress(PetError):
                conversations.open(tab.conversation)
                there = [each for each in tab.attachments if attachments.stored(each.id)]
                for each in there:
                    attachments.know(each)
                tabs.append(replace(tab, attachments=there))
        active = self._state.read().get(self._active)
        return tabs, next((tab.conversation for tab in tabs if tab.conversation == active), None)

    def save(self, tabs: Sequence[TabState], active: str | None, conversations: Conversations) -> set[str]:
        """Store the tabs. Return the conversations whose tabs are no longer open.

        Raises NewerFormat, WriteFailed; DraftTooLong after storing a truncated draft, and TooManyDrafts after storing
        all but some.
        """
        wanted = [
            tab
            for place, tab in enumerate(tabs)
            if place < _MAX_TABS or tab.draft or tab.attachments or tab.pinned or tab.conversation == active
        ]
        beyond = [tab for tab in wanted[_MOST_TABS:] if tab.conversation != active]
        wanted[_MOST_TABS:] = [tab for tab in wanted[_MOST_TABS:] if tab.conversation == active][:1]
        kept = [tab for tab in wanted if _may_stay(tab, conversations)]
        cut = [
            replace(tab, draft=tab.draft[:_MAX_DRAFT], attachments=tab.attachments[:MOST_IN_A_MESSAGE])
            for tab in kept
        ]
        known = {tab.conversation for tab in kept}
        before = {tab.conversation for tab in self._read()}
        active = active if active in known else None
        try:
            self._state.require_known_format()
            self._state.update({self._tabs: [asdict(tab) for tab in cut], self._active: active})
        except OSError as problem:
            raise WriteFailed.from_os_error(self._state.name, problem) from problem
        if any(len(tab.draft) > _MAX_DRAFT for tab in kept):
            raise DraftTooLong(limit=_MAX_DRAFT)
        if any(tab.draft or tab.attachments for tab in beyond):
            raise TooManyDrafts(limit=_MOST_TABS)
        return before - {tab.conversation for tab in tabs}

    def drafted(self) -> set[str] | None:
        """Return the attachments of all drafts; None if they can't be read or a newer program wrote them."""
        try:
            self._state.require_known_format()
        except (NewerFormat, OSError):
            return None
        return {each.id for tab in self._read() for each in tab.attachments}

    def on_event(self, event: Event) -> None:
        """Drop the tab and the draft of a conversation that was deleted, here or by another process."""
        if isinstance(event, ConversationDeleted):
            self._drop(lambda conversation: conversation == event.conversation)

    def _read(self) -> Iterator[TabState]:
        for item in _items(self._state.read().get(self._tabs)):
            if isinstance(item, dict) and isinstance(item.get("conversation"), str):
                draft, scroll = item.get("draft"), item.get("scroll")
                yield TabState(
                    conversation=item["conversation"],
                    draft=draft if isinstance(draft, str) else "",
                    scroll=float(scroll) if isinstance(scroll, int | float) else 0.0,
                    attachments=list(_attachments(item.get("attachments"))),
                    pinned=item.get("pinned") is True,
                )

    def _drop(self, gone: Callable[[str], bool]) -> None:
        def is_gone(item: object) -> bool:
            conversation = item.get("conversation") if isinstance(item, dict) else item
            return isinstance(conversation, str) and gone(conversation)

        try:
            if not any(map(is_gone, _items(self._state.read().get(self._tabs)))):
                return
            with self._state.held():
                state = self._state.read_known()
                kept = [item for item in _items(state.get(self._tabs)) if not is_gone(item)]
                active = None if is_gone(state.get(self._active)) else state.get(self._active)
                self._state.update({self._tabs: kept, self._active: active})
        except OSError as error:  # retried at the next start
            _log.warning("the draft of a deleted conversation is kept: %s", type(error).__name__)


def _may_stay(tab: TabState, conversations: Conversations) -> bool:
    """Return whether the tab may be stored. An empty conversation with a draft is saved for it."""
    try:
        live = conversations.open(tab.conversation)
        if tab.draft or tab.attachments:
            live.keep()
    except UnknownConversation:  # deleted while the owner was typing
        return False
    return not live.gate.temporary


def _attachments(saved: object) -> Iterator[Attachment]:
    for each in _items(saved):
        with suppress(BadArguments):
            yield from_data(Attachment, each)


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


class OpenTab:
    """State of the open tab's memory. Any thread. ``has_memory``: whether a conversation may see the memory; raises
    PetError for one that can't be opened."""

    def __init__(self, emit: Callable[[Event], object], has_memory: Callable[[str], bool]) -> None:
        self._emit = emit
        self._has_memory = has_memory
        self._lock = Lock()
        self._open: str | None = None
        self._off = False

    @property
    def off(self) -> bool:
        return self._off

    @property
    def conversation(self) -> str | None:
        return self._open

    def set_in_front(self, conversation: str | None) -> None:
        """Record that the page shows this conversation now; None changes nothing."""
        if conversation is None:
            return
        try:
            off = not self._has_memory(conversation)
        except PetError:
            off = False
        with self._lock:
            self._open = conversation
        self._change(off)

    EVENTS: ClassVar[tuple[type[Event], ...]] = (MemorySwitched, ConversationDeleted)

    def on_event(self, event: Event) -> None:
        match event:
            case MemorySwitched(conversation=conversation, memory=memory, read_only=reads) if (
                conversation == self._open
            ):
                self._change(not (memory or reads))
            case ConversationDeleted(conversation=conversation) if conversation == self._open:
                self._change(False)
            case _:
                return

    def _change(self, off: bool) -> None:
        with self._lock:
            if off == self._off:
                return
            self._off = off
        self._emit(TabMemoryChanged(off=off))


_MOST_UNREAD = 200


class Unread:
    """Event listener. ``chat_shown``: whether the chat is visible; ``stays``: whether a conversation still exists on
    disk, checked for those restored from the last start.
    """

    def __init__(
        self,
        state: JsonState,
        pet: str,
        emit: Callable[[Event], object],
        *,
        chat_shown: Callable[[], bool],
        stays: Callable[[str], bool],
    ) -> None:
        self._state = state
        self._name = f"unread.{pet}"
        self._emit = emit
        self._chat_shown = chat_shown
        self._stays = stays
        self._lock = Lock()
        self._in_front: str | None = None
        self._focused = False
        stored = state.read().get(self._name)
        kept = [each for each in stored if isinstance(each, str) and stays(each)] if isinstance(stored, list) else []
        self._waiting = tuple(dict.fromkeys(kept[:_MOST_UNREAD]))

    @property
    def conversations(self) -> list[str]:
        """Return the unread conversations, oldest first."""
        return list(self._waiting)

    @property
    def in_front(self) -> str | None:
        """Return the conversation the page shows; None: none, or not known yet."""
        return self._in_front

    @property
    def chat_in_front(self) -> bool:
        """Whether the chat is visible and has the keyboard focus, so that the owner sees it."""
        return self._focused and self._chat_shown()

    EVENTS: ClassVar[tuple[type[Event], ...]] = (
        TurnEnded,
        ProposalAsked,
        ChatShown,
        TurnStarted,
        ConversationDeleted,
    )

    def on_event(self, event: Event) -> None:
        match event:
            case TurnEnded(end=TurnEnd.STOPPED):
                return
            case TurnEnded(conversation=conversation) | ProposalAsked(conversation=conversation):
                if not self._sees(conversation):
                    self._change(add=conversation, keep=False)
                self._keep()
            case ChatShown(shown=True) if self._in_front is not None:
                self._change(drop=self._in_front)
            case TurnStarted(conversation=conversation):  # writing in it implies having seen it
                self._change(drop=conversation, keep=False)  # stored with the turn's end: a request waits for this
            case ConversationDeleted(conversation=conversation):
                self._change(drop=conversation)
            case _:
                return

    def set_in_front(self, conversation: str | None) -> None:
        """Record the conversation the page shows now; None: none, for example the settings."""
        self._in_front = conversation
        if conversation is not None and self._chat_shown():
            self._change(drop=conversation)

    def set_focused(self, focused: bool) -> None:
        """Record whether the chat's window has the keyboard focus, as its page reports it."""
        self._focused = focused

    def mark_seen(self, conversation: str) -> None:
        """Mark a conversation as seen."""
        self._change(drop=conversation)

    def _sees(self, conversation: str) -> bool:
        return conversation == self._in_front and self._chat_shown()

    def _change(self, *, add: str | None = None, drop: str | None = None, keep: bool = True) -> None:
        """Emit under the lock, so that the last event is the current state."""
        with self._lock:
            before = self._waiting
            after = tuple(each for each in before if each != drop)
            if add is not None and add not in after:
                after = (*after, add)[-_MOST_UNREAD:]
            if after == before:
                return
            self._waiting = after
            self._emit(UnreadChanged(conversations=list(after)))
        if keep:
            self._keep()

    def _keep(self) -> None:
        """Persist, except temporary conversations."""
        kept = [each for each in self._waiting if self._stays(each)]
        if self._state.read().get(self._name, []) == kept:
            return
        try:
            self._state.update({self._name: kept})
        except OSError as error:  # not persisted: lost on restart
            _log.warning("not stored: %s", type(error).__name__)
