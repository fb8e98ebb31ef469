"""State of the chat page: the first view of the program, open tabs, and the conversation in front."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from pet import __version__
from pet.bridge.chat_state import ChatRequest, TabState
from pet.bridge.command import Client, command
from pet.errors import BadArguments
from pet.events import ConversationClosed
from pet.i18n import Language
from pet.providers.local_models import model_name
from pet.services.core_files import LostFile, lost_files
from pet.settings.api_keys import KeyStatus
from pet.settings.connections import UNCHOSEN, is_loopback, plain_http_warning
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.workspace.pet_toml import instructions_answer
from pet.workspace.skills import held_back

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True)
class TabCommands:
    app: Pet

    @command(Client.CHAT)
    def take_request(self) -> ChatRequest:
        """Return the view or conversation to show that was requested before the page was ready; once."""
        return self.app.requests.take()

    @command(Client.CHAT)
    def set_in_front(self, conversation: str | None) -> None:
        """Set the conversation in front of the owner, and mark it as read; None: none is in front."""
        self.app.unread.set_in_front(conversation)
        self.app.open_tab.set_in_front(conversation)

    @command(Client.CHAT)
    def set_focused(self, focused: bool) -> None:
        """Report whether the chat's window has the keyboard focus."""
        self.app.unread.set_focused(focused)

    @command(Client.CHAT)
    def mark_seen(self, conversation: str) -> None:
        """Mark a conversation as read."""
        self.app.unread.mark_seen(conversation)

    @command(Client.CHAT)
    def save_tabs(self, tabs: list[TabState], active: str | None) -> None:
        """Save the open tabs, with drafts and scroll positions, for the next start.

        Raises DraftTooLong after everything was stored, that draft truncated, and TooManyDrafts after all were stored
        that can be.
        """
        for conversation in self.app.tabs.save(tabs, active, self.app.conversations):
            self.app.emit(ConversationClosed(conversation=conversation))


_HOSTS_KEY = "hosts_told"
_LONGEST_HOST = 260  # a name of 253 characters, and a port
_MOST_HOSTS = 100  # beyond these the oldest are shown to the owner again


@dataclass(frozen=True, slots=True, kw_only=True)
class AppState:
    version: str
    language: Language
    theme: Literal["system", "light", "dark"]
    reduced_motion: Literal["system", "on", "off"]
    pet: str
    pet_name: str
    model: str
    base_url: str
    host: str  # the receiver of memory in requests
    acknowledged_hosts: list[str]  # receivers that the owner acknowledged
    key: KeyStatus
    key_needed: bool  # false for a loopback address
    plain_http: bool  # requests are sent unencrypted
    memory_default: bool
    memory_read_only: bool
    paused: bool
    pause_lost: bool  # the state doesn't say any more whether it was paused
    shortcut_memory: str
    tabs: list[TabState]
    active_tab: str | None
    backend: str
    abilities: list[str]  # of this platform, e.g. "tray", "click_through"
    home: str
    demo: bool = False  # scripted replies instead of a model
    unchosen: bool = False  # no model was chosen; the demo or a local model replies meanwhile
    local_model: str = ""  # the name of the local model in use, or ""
    small: Literal["", "tiny", "small"] = ""  # of a small model; a tiny one takes no notes
    welcome: int = 0  # the step of the first start; 0: over
    show_usage: bool = False
    unread: list[str] = field(default_factory=list)  # conversations with unread messages
    lost_files: list[LostFile] = field(default_factory=list)
    held_files: list[str] = field(default_factory=list)  # instructions that came with the workspace and aren't used
    asks_held: bool = False  # the owner hasn't said yet whether to use them


@dataclass(frozen=True, slots=True)
class AppCommands:
    app: Pet

    @command(Client.CHAT)
    def get_app_state(self) -> AppState:
        """Return the state that the page needs to draw its frame."""
        settings = self.app.models.settings()
        held = held_back(self.app.store.root)
        tabs, active = self.app.tabs.restore(self.app.conversations, self.app.attachments)
        return AppState(
            version=__version__,
            language=self.app.language(),
            theme=settings.theme,
            reduced_motion=settings.reduced_motion,
            pet=self.app.pet_id,
            pet_name=self.app.name(),
            model=model_name(settings.local_model) if settings.local_model else settings.model,
            base_url=settings.base_url,
            host=self._host(settings),
            acknowledged_hosts=self._acknowledged_hosts(),
            key=self.app.connections.key_in_use(),
            key_needed=not settings.demo and not is_loopback(settings.base_url),
            plain_http=plain_http_warning(settings.base_url),
            memory_default=settings.memory_default,
            memory_read_only=settings.memory_read_only,
            paused=self.app.conversations.paused,
            pause_lost=self.app.conversations.paused and self.app.pause_record.is_lost(),
            shortcut_memory=settings.shortcut_memory,
            tabs=tabs,
            active_tab=active,
            backend=self.app.windows.backend,
            abilities=[
                *self.app.windows.system.abilities(),
                *(ability for parts in self.app.extras for ability in parts.abilities),
            ],
            home=str(self.app.store.root),
            demo=settings.demo,
            unchosen=settings.connection == UNCHOSEN,
            local_model=model_name(settings.local_model) if settings.local_model else "",
            small=self._small(),
            welcome=self.app.first_start.step(),
            show_usage=settings.show_usage,
            unread=self.app.unread.conversations,
            lost_files=lost_files(self.app.store),
            held_files=list(held),
            asks_held=bool(held) and instructions_answer(self.app.store.root) == "ask",
        )

    @command(Client.CHAT)
    def acknowledge_host(self, host: str) -> None:
        """Record that the owner knows that this host receives memory."""
        if len(host) > _LONGEST_HOST:
            raise BadArguments(where="host", why="value")
        others = [each for each in self._acknowledged_hosts() if each != host]
        self._state.update({_HOSTS_KEY: [*others, host][-_MOST_HOSTS:]})

    @property
    def _state(self) -> JsonState:
        return JsonState(self.app.home.tabs_file)

    def _acknowledged_hosts(self) -> list[str]:
        hosts = self._state.read().get(_HOSTS_KEY)
        return [host for host in hosts if isinstance(host, str)] if isinstance(hosts, list) else []

    def _small(self) -> Literal["", "tiny", "small"]:
        limits = self.app.models.limits(self.app.effective.in_use()).notebook
        return "" if limits is None else "small" if limits.notes else "tiny"

    def _host(self, settings: Settings) -> str:
        """Return the receiver of memory in requests, as the owner reads it."""
        if settings.demo:
            return self.app.texts()("welcome.demo.host")
        if settings.local_model:
            return self.app.texts()("local_model.receiver")
        return urlsplit(settings.base_url).netloc
