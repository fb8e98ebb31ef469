"""The first start: where its owner is in it, servers on this machine, who the pet is to be.

Owns one number in the program's state, the same for all pets of a home. Refuses to write a file that the owner did
not ask for: a personality goes into SOUL.md only when it is chosen, as a version like any other.
"""

from __future__ import annotations

from collections.abc import Callable

from pet.bridge.api import (
    ChooseSoulArgs,
    FileView,
    Nothing,
    ServerInfo,
    ServerList,
    WelcomeArgs,
    WelcomeState,
)
from pet.bridge.desktop_port import DesktopPort
from pet.bridge.handlers.cards import soul_now
from pet.bridge.handlers.files import file_view
from pet.engine.event_loop import EngineLoop
from pet.errors import UnknownTemplate
from pet.events import Event, SettingsChanged
from pet.i18n import Language
from pet.model import Author, Broken, CoreFile, Present
from pet.prompt.state import user_state
from pet.settings.json_state import JsonState
from pet.settings.schema import Settings
from pet.skins.selection import SkinSelector
from pet.workspace.templates import Template, gallery, is_untouched, templates
from pet.workspace.versioned.store import WorkspaceStore

FIRST, LAST, OVER = 1, 3, 0
_STEP = "welcome"
_SOUL, _USER = CoreFile.SOUL.value, CoreFile.USER.value


class FirstStart:
    """Which step is to be shown. A home that was used before this was asked has no first start any more."""

    def __init__(self, state: JsonState, used: Callable[[], bool]) -> None:
        self._state = state
        self._used = used

    def step(self) -> int:
        said = self._state.read().get(_STEP)
        if isinstance(said, int) and not isinstance(said, bool) and OVER <= said <= LAST:
            return said
        step = OVER if self._used() else FIRST
        self.go(step)
        return step

    def go(self, step: int) -> None:
        self._state.update({_STEP: min(max(step, OVER), LAST)})


class WelcomeCommands:
    def __init__(
        self,
        first_start: FirstStart,
        store: WorkspaceStore,
        loop: EngineLoop,
        settings: Callable[[], Settings],
        language: Callable[[], Language],
        windows: DesktopPort,
        *,
        wardrobe: SkinSelector,
        emit: Callable[[Event], None],
    ) -> None:
        self._first_start = first_start
        self._store = store
        self._loop = loop
        self._settings = settings
        self._language = language
        self._windows = windows
        self._wardrobe = wardrobe
        self._emit = emit

    def get_welcome(self, _args: Nothing) -> WelcomeState:
        soul = soul_now(self._store).text
        own = soul.strip() != "" and not is_untouched(_SOUL, soul)
        return WelcomeState(step=self._first_start.step(), own_soul=own, strangers=not own or self._owner_unknown())

    def _owner_unknown(self) -> bool:
        """A profile that can't be read is no empty one."""
        state, limit = self._store.read(_USER), self._settings().prompt_file_characters
        return not isinstance(state, Broken) and user_state(state, limit) in ("none", "thin")

    def show_welcome(self, _args: Nothing) -> None:
        if self._first_start.step() != OVER:
            self._windows.show_chat()

    def save_welcome(self, args: WelcomeArgs) -> None:
        self._first_start.go(args.step)

    def find_servers(self, _args: Nothing) -> ServerList:
        from pet.providers.local_servers import find_local_servers  # late: nobody looks for servers twice

        found = self._loop.submit(find_local_servers()).result()
        return ServerList(
            servers=[ServerInfo(name=each.name, base_url=each.base_url, models=list(each.models)) for each in found]
        )

    def choose_soul(self, args: ChooseSoulArgs) -> FileView:
        """Raises UnknownTemplate, FileBroken, FileConflict, WriteFailed."""
        template = self._template(args.template)
        text = template.named(" ".join(args.name.split()))
        self._store.write(_SOUL, text, base=soul_now(self._store).version, author=Author.OWNER)
        self._speak_the_language()
        if self._wardrobe.dress_as(template.id):
            self._emit(SettingsChanged())  # the pet's page asks for its look again
        return file_view(self._store.read(_SOUL), self._settings().prompt_file_characters)

    def _template(self, wanted: str) -> Template:
        for each in gallery(self._language()):
            if each.id == wanted and each.file == _SOUL:
                return each
        raise UnknownTemplate(template=wanted[:60])

    def _speak_the_language(self) -> None:
        """The owner may have chosen another language than the one that the empty profile was made in."""
        for each in templates(self._language()):
            if each.file != _SOUL:
                state = self._store.read(each.file)
                if isinstance(state, Present) and is_untouched(each.file, state.text):
                    self._store.write(each.file, each.text, base=state.version, author=Author.SYSTEM)
