"""The frame of the program: state for the page, tabs, windows, pause, quit."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import ClassVar, Protocol
from urllib.parse import urlsplit

from pet import __version__
from pet.access.policy import Brain
from pet.bridge.api import (
    AppState,
    ChangedArgs,
    ConversationArgs,
    KeyState,
    LinkArgs,
    LookAtArgs,
    MoveArgs,
    Nothing,
    PauseArgs,
    PointerPlace,
    PromptArgs,
    PromptView,
    Status,
    TabsArgs,
    TabState,
    ViewArgs,
)
from pet.bridge.desktop_port import DesktopPort
from pet.bridge.serde import from_data
from pet.bridge.url_policy import check_link
from pet.engine.conversation.conversations import Conversations
from pet.engine.open_tab import OpenTab
from pet.engine.unread import Unread
from pet.errors import BadArguments, DraftTooLong, PetError, UnknownConversation
from pet.events import ConversationDeleted, Event, ReceiptsChanged
from pet.i18n import Language, Texts
from pet.minds.library import name_of
from pet.model import Attachment
from pet.paths import Home
from pet.settings.api_keys import is_loopback
from pet.settings.json_state import JsonState
from pet.settings.schema import Settings
from pet.workspace.attachments import MOST_IN_A_MESSAGE, Attachments
from pet.workspace.file_names import parse_name
from pet.workspace.versioned.store import WorkspaceStore

_log = logging.getLogger(__name__)

_MAX_TABS = 50
_MAX_DRAFT = 200_000  # characters


class Preview(Protocol):
    def __call__(self, *, memory: bool | Brain) -> PromptView: ...


class AppCommands:
    """Thin handlers over the parts; ``windows`` is whatever the shell gave, or nobody."""

    def __init__(
        self,
        *,
        home: Home,
        pet: str,
        pet_name: Callable[[], str],
        settings: Callable[[], Settings],
        language: Callable[[], Language],
        key_state: Callable[[], KeyState],
        conversations: Conversations,
        attachments: Attachments,
        store: WorkspaceStore,
        preview: Preview,
        windows: DesktopPort,
        pause: Callable[[bool], None],
        unread: Unread,
        open_tab: OpenTab,
        welcome: Callable[[], int],
        forgotten: Callable[[Sequence[str], Sequence[str]], None],
        emit: Callable[[Event], object],
    ) -> None:
        self._home = home
        self._pet = pet
        self._pet_name = pet_name
        self._settings = settings
        self._language = language
        self._key_state = key_state
        self._conversations = conversations
        self._attachments = attachments
        self._store = store
        self._preview = preview
        self._windows = windows
        self._pause = pause
        self._unread = unread
        self._open_tab = open_tab
        self._welcome = welcome
        self._forgotten = forgotten
        self._emit = emit
        self._tabs = JsonState(home.tabs_file)

    def get_app_state(self, _args: Nothing) -> AppState:
        settings = self._settings()
        self._drop_tabs(lambda conversation: not self._conversations.holds(conversation))
        state = self._tabs.read()
        tabs, active = self._open_tabs(state)
        return AppState(
            version=__version__,
            language=self._language(),
            theme=settings.theme,
            reduced_motion=settings.reduced_motion,
            pet=self._pet,
            pet_name=self._pet_name(),
            model=name_of(settings.mind) if settings.mind else settings.model,
            base_url=settings.base_url,
            host=self._host(settings),
            host_told=settings.demo
            or bool(settings.mind)
            or self._host(settings) in _strings(state.get("hosts_told")),
            key=self._key_state(),
            key_needed=not settings.demo and not is_loopback(settings.base_url),
            memory_default=settings.memory_default,
            memory_read_only=settings.memory_read_only,
            paused=self._conversations.paused,
            shortcut_memory=settings.shortcut_memory,
            tabs=tabs,
            active_tab=active,
            backend=self._windows.backend,
            abilities=list(self._windows.abilities),
            home=str(self._store.root),
            demo=settings.demo,
            mind=name_of(settings.mind) if settings.mind else "",
            welcome=self._welcome(),
            quick_replies=settings.quick_replies,
            unread=self._unread.conversations,
        )

    def save_tabs(self, args: TabsArgs) -> None:
        """Temporary conversations leave nothing on disk, their drafts neither.

        Raises DraftTooLong once all is stored, that draft cut.
        """
        kept = [tab for tab in args.tabs[:_MAX_TABS] if self._may_stay(tab)]
        active = args.active if args.active in {tab.conversation for tab in kept} else None
        self._tabs.update(
            {
                f"tabs.{self._pet}": [
                    {
                        "conversation": tab.conversation,
                        "draft": tab.draft[:_MAX_DRAFT],
                        "scroll": tab.scroll,
                        "attachments": [asdict(each) for each in tab.attachments[:MOST_IN_A_MESSAGE]],
                    }
                    for tab in kept
                ],
                f"active.{self._pet}": active,
            }
        )
        if any(len(tab.draft) > _MAX_DRAFT for tab in kept):
            raise DraftTooLong(limit=_MAX_DRAFT)

    HEARS: ClassVar[tuple[type[Event], ...]] = (ConversationDeleted,)

    def hear(self, event: Event) -> None:
        """Drop the tab and the draft of a conversation that was deleted, here or by another process."""
        if isinstance(event, ConversationDeleted):
            self._drop_tabs(lambda conversation: conversation == event.conversation)

    def drafted(self) -> set[str]:
        """The attachments of all drafts."""
        saved = self._tabs.read().get(f"tabs.{self._pet}")
        tabs = [item for item in saved if isinstance(item, dict)] if isinstance(saved, list) else []
        return {each.id for tab in tabs for each in _attachments(tab.get("attachments"))}

    def look_at(self, args: LookAtArgs) -> None:
        self._unread.look_at(args.conversation)
        self._open_tab.look_at(args.conversation)

    def mark_seen(self, args: ConversationArgs) -> None:
        self._unread.mark_seen(args.conversation)

    def host_told(self, _args: Nothing) -> None:
        told = _strings(self._tabs.read().get("hosts_told"))
        self._tabs.update({"hosts_told": sorted({*told, self._host(self._settings())})})

    def preview_prompt(self, args: PromptArgs) -> PromptView:
        return self._preview(memory=Brain.of(args.memory, read_only=args.read_only))

    def pause_brain(self, args: PauseArgs) -> None:
        self._pause(args.paused)

    def open_link(self, args: LinkArgs) -> None:
        self._windows.open_link(check_link(args.url))

    def hide_chat(self, _args: Nothing) -> None:
        self._windows.hide_chat()

    def toggle_chat(self, _args: Nothing) -> None:
        self._windows.toggle_chat()

    def show_view(self, args: ViewArgs) -> None:
        self._windows.show_view(args.view)

    def move_pet(self, args: MoveArgs) -> None:
        self._windows.move_pet(args.dx, args.dy, args.done)

    def find_pointer(self, _args: Nothing) -> PointerPlace:
        found = self._windows.find_pointer()
        return PointerPlace(known=False) if found is None else PointerPlace(known=True, x=found[0], y=found[1])

    def pet_menu(self, _args: Nothing) -> None:
        self._windows.pet_menu()

    def show_pet(self, _args: Nothing) -> None:
        self._windows.show_pet()

    def quit(self, _args: Nothing) -> None:
        self._windows.quit()

    def get_status(self, _args: Nothing) -> Status:
        live = self._conversations.live()
        return Status(
            version=__version__,
            pet=self._pet,
            pid=os.getpid(),
            chat_shown=self._windows.chat_shown,
            paused=self._conversations.paused,
            running_turns=sum(each.running_turn is not None for each in live),
            pet_name=self._pet_name(),
            unread=len(self._unread.conversations),
        )

    def files_changed(self, args: ChangedArgs) -> None:
        """The command line wrote something: look at the files, which announces what is new. What it forgot is to go
        from turns that run here as well."""
        if args.pet == self._pet:
            for file in args.files[:20]:
                self._store.observe(parse_name(file))
            if args.forgotten:
                self._forgotten(args.forgotten, args.conversations)
            elif args.conversations:
                for conversation in args.conversations:
                    self._emit(ReceiptsChanged(conversation=conversation))
            for conversation in args.deleted:
                self._conversations.on_deleted_elsewhere(conversation)

    def _host(self, settings: Settings) -> str:
        """Who gets the memory while the brain is on."""
        if settings.demo:
            return Texts(self._language())("welcome.demo.host")
        if settings.mind:
            return Texts(self._language())("mind.host")
        return urlsplit(settings.base_url).netloc

    def _open_tabs(self, state: dict[str, object]) -> tuple[list[TabState], str | None]:
        """The tabs of the last time whose conversations are still there."""
        saved = state.get(f"tabs.{self._pet}")
        tabs = [tab for item in _items(saved) if (tab := self._tab(item))]
        active = state.get(f"active.{self._pet}")
        known = {tab.conversation for tab in tabs}
        return tabs, active if isinstance(active, str) and active in known else None

    def _drop_tabs(self, gone: Callable[[str], bool]) -> None:
        """Take these conversations' tabs out of what is kept, with their drafts."""

        def is_gone(item: object) -> bool:
            conversation = item.get("conversation") if isinstance(item, dict) else item
            return isinstance(conversation, str) and gone(conversation)

        tabs, active = f"tabs.{self._pet}", f"active.{self._pet}"
        try:
            if not any(map(is_gone, _items(self._tabs.read().get(tabs)))):
                return
            with self._tabs.held():
                state = self._tabs.read()
                kept = [item for item in _items(state.get(tabs)) if not is_gone(item)]
                self._tabs.update({tabs: kept, active: None if is_gone(state.get(active)) else state.get(active)})
        except OSError as error:  # the next start tries again
            _log.warning("the draft of a deleted conversation is kept: %s", type(error).__name__)

    def _tab(self, item: object) -> TabState | None:
        if not isinstance(item, dict) or not isinstance(item.get("conversation"), str):
            return None
        try:
            self._conversations.open(item["conversation"])
        except PetError:
            return None
        draft, scroll = item.get("draft"), item.get("scroll")
        return TabState(
            conversation=item["conversation"],
            draft=draft if isinstance(draft, str) else "",
            scroll=float(scroll) if isinstance(scroll, int | float) else 0.0,
            attachments=self._still_there(item.get("attachments")),
        )

    def _still_there(self, saved: object) -> list[Attachment]:
        found = [each for each in _attachments(saved) if self._attachments.stored(each.id)]
        for each in found:
            self._attachments.know(each)
        return found

    def _may_stay(self, tab: TabState) -> bool:
        """Whether the tab may be written down. An empty conversation with a draft gets its file for it."""
        try:
            live = self._conversations.open(tab.conversation)
            if tab.draft or tab.attachments:
                live.keep()
        except UnknownConversation:  # deleted while the page was still typing
            return False
        return not live.gate.temporary


def _attachments(saved: object) -> list[Attachment]:
    found = []
    for each in saved if isinstance(saved, list) else []:
        with suppress(BadArguments):
            found.append(from_data(Attachment, each))
    return found


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
