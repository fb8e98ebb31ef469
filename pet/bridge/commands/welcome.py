"""The first start: its step, servers on this machine, and the choice of a personality.

A personality is written to SOUL.md only when the owner chooses it, as a version like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.bridge.command import Client, command
from pet.errors import UnknownTemplate
from pet.events import SettingsChanged
from pet.model import Author, Broken, CoreFile, Present
from pet.prompt.build import user_state
from pet.providers.local_models import LocalServer
from pet.services.core_files import FileView, file_view, soul_now
from pet.settings.program_state import FIRST_START_OVER, FIRST_START_STEP, JsonState
from pet.workspace.templates import Template, gallery, is_untouched, templates
from pet.workspace.text_encoding import normalize_newlines

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True, kw_only=True)
class WelcomeState:
    """``step`` of the first start, 0: over. ``own_soul``: SOUL.md differs from every template. ``strangers``: SOUL.md
    is a template, or USER.md is almost empty. ``acquainted``: something about the owner was noted.
    """

    step: int
    own_soul: bool
    strangers: bool = False
    acquainted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerList:
    servers: list[LocalServer]


FIRST_STEP, LAST_STEP = 1, 3


class FirstStart:
    """The step to show; ``used``: whether the home was used before, which skips the first start."""

    def __init__(self, state: JsonState, used: Callable[[], bool]) -> None:
        self._state = state
        self._used = used

    def step(self) -> int:
        stored = self._state.read().get(FIRST_START_STEP)
        if isinstance(stored, int) and not isinstance(stored, bool) and FIRST_START_OVER <= stored <= LAST_STEP:
            return stored
        step = FIRST_START_OVER if self._used() else FIRST_STEP
        with suppress(OSError):  # stored at the next start
            self.go(step)
        return step

    def go(self, step: int) -> None:
        self._state.update({FIRST_START_STEP: min(max(step, FIRST_START_OVER), LAST_STEP)})


_SOUL, _USER = CoreFile.SOUL.value, CoreFile.USER.value


@dataclass(frozen=True, slots=True)
class WelcomeCommands:
    app: Pet

    @command(Client.CHAT)
    def get_welcome(self) -> WelcomeState:
        """Return the state of the first start."""
        soul = self.app.store.read(_SOUL)
        own = isinstance(soul, Broken) or (isinstance(soul, Present) and _is_own(normalize_newlines(soul.text)))
        unknown = self._owner_unknown()
        return WelcomeState(
            step=self.app.first_start.step(),
            own_soul=own,
            strangers=not own or unknown,
            acquainted=not unknown or bool(self.app.store.log_names()),
        )

    def _owner_unknown(self) -> bool:
        """Return whether USER.md is readable and almost empty."""
        state, limit = self.app.store.read(_USER), self.app.effective.current().prompt_file_characters
        return not isinstance(state, Broken) and user_state(state, limit) in ("none", "thin")

    @command(Client.CHAT)
    def show_welcome(self) -> None:
        """Show the chat window once the first start is drawn."""
        if self.app.first_start.step() != FIRST_START_OVER:
            self.app.windows.show_chat()

    @command(Client.CHAT)
    def save_welcome(self, step: int) -> None:
        """Set the step of the first start; 0 ends it."""
        self.app.first_start.go(step)

    @command(Client.CHAT, Client.TERMINAL)
    def find_servers(self) -> ServerList:
        """Return the model servers that answer on this machine."""
        return ServerList(servers=list(self.app.loop.submit(self.app.local_models.find_servers()).result()))

    @command(Client.CHAT)
    def choose_soul(self, template: str, name: str = "") -> FileView:
        """Write a shipped personality to SOUL.md. Raises UnknownTemplate, FileBroken, FileConflict, WriteFailed.

        ``name``: of the pet; "" keeps the template's.
        """
        chosen = self._template(template)
        text = chosen.named(" ".join(name.split()))
        self.app.store.write(_SOUL, text, base=soul_now(self.app.store).version, author=Author.OWNER, restart=True)
        self._translate_templates()
        if self.app.wardrobe.dress_as(chosen.id):
            self.app.emit(SettingsChanged())  # the pet's page reloads its appearance
        return file_view(self.app.store.read(_SOUL), self.app.effective.current().prompt_file_characters)

    def _template(self, wanted: str) -> Template:
        for each in gallery(self.app.language()):
            if each.id == wanted and each.file == _SOUL:
                return each
        raise UnknownTemplate(template=wanted[:60])

    def _translate_templates(self) -> None:
        """Rewrite untouched templates in the current language, which the owner may have changed since."""
        for each in templates(self.app.language()):
            if each.file != _SOUL:
                state = self.app.store.read(each.file)
                if isinstance(state, Present) and is_untouched(each.file, state.text):
                    self.app.store.write(each.file, each.text, base=state.version, author=Author.SYSTEM)


def _is_own(soul: str) -> bool:
    return soul.strip() != "" and not is_untouched(_SOUL, soul)
