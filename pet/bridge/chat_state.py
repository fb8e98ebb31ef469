"""State of the chat window kept by the core: open tabs with drafts, and what waits for the page to load.

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
from pet.events import ConversationAsked, ConversationDeleted, DroppedOnPet, Event, PageAsked
from pet.model import Attachment
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
