"""Local models: list, download, choose, stop.

Downloads run on a separate thread and are reported as events. Nothing is downloaded or started without the owner.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from pet.bridge.command import Client, command
from pet.errors import BadArguments, MindRefused, PetError
from pet.events import ErrorInfo, Event, MindArrived, MindArriving, MindChanged, MindOffered
from pet.minds.library import Library, ModelOffer
from pet.minds.machine import free_disk
from pet.minds.model_store import FILE, MODEL_SUFFIX
from pet.minds.supervisor import State, Supervisor
from pet.serde import vars_of
from pet.services.desktop_port import DesktopPort
from pet.settings.schema import Settings
from pet.settings.store import SettingsStore


@dataclass(frozen=True, slots=True, kw_only=True)
class MindInfo(ModelOffer):
    """``id``: for the commands and the settings; ``about``: a key of the catalogue. ``size`` and ``need`` (memory) in
    bytes; ``part``: bytes downloaded; ``fits``: "" or the error code of why it can't run; ``host``: the server of the
    download; ``by``: its maker, or the program whose file it is."""

    about: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MindState(State):
    """State of the model that is running or was tried. ``fetching``: the id of the download, or ""."""

    fetching: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MindList:
    """``problem``: "" or the error code of why no model can run on this computer. ``free_disk`` in bytes."""

    minds: list[MindInfo]
    state: MindState
    problem: str
    free_disk: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MindUsed:
    """``error``: why it can't be used; the choice is then unchanged."""

    list: MindList
    error: ErrorInfo | None


_log = logging.getLogger(__name__)


def mind_changed(state: State) -> MindChanged:
    """Return the supervisor's state as an event."""
    return MindChanged(**vars_of(state))


@dataclass(slots=True)
class MindCommands:
    models: Library
    supervisor: Supervisor
    store: SettingsStore
    settings: Callable[[], Settings]
    emit: Callable[[Event], object]
    windows: DesktopPort
    _files: list[ModelOffer] = field(init=False, default_factory=list)

    @command(Client.CHAT)
    def list_minds(self) -> MindList:
        """Return the available models, and the state of the one in use."""
        return self._list()

    @command(Client.CHAT)
    def look_for_minds(self) -> MindList:
        """Scan for models of other programs on this computer; takes a moment."""
        self._files = self.models.look()
        return self._list()

    @command(Client.CHAT)
    def fetch_mind(self, mind: str) -> MindList:
        """Start a download, reported by events. Raises MindRefused (busy): one runs at a time."""
        if self.models.fetching:
            raise MindRefused("busy")
        Thread(target=self._fetch, args=(mind,), name="fetch-mind", daemon=True).start()
        return self._list()

    @command(Client.CHAT)
    def stop_fetching_mind(self) -> None:
        """Stop the download; its part is kept."""
        self.models.stop_fetching()

    @command(Client.CHAT)
    def remove_mind(self, mind: str) -> MindList:
        """Delete a downloaded model. Raises MindRefused (unknown, busy, disk)."""
        self.models.remove(mind)
        if self.store.current().mind == mind:  # the default; not a pet's own choice
            self.store.change({"mind": ""})
        return self._list()

    @command(Client.CHAT)
    def use_mind(self, mind: str) -> MindUsed:
        """Check a local model, use it by default, and start to load it.

        ``mind``: an id of the list, ``file:`` and the path of a GGUF file, or "" for the default connection.
        """
        if mind:
            try:
                self.supervisor.check(mind)
            except MindRefused as refused:
                return MindUsed(list=self._list(), error=ErrorInfo.of(refused))
        self.store.change({"mind": mind, "demo": False})
        if not mind:
            self.supervisor.stop()
        else:
            Thread(target=self._load, args=(mind,), name="load-mind", daemon=True).start()
        return MindUsed(list=self._list(), error=None)

    @command(Client.SOCKET)
    def offer_mind(self, path: str) -> None:
        """Check a model file and offer it to the owner in the chat."""
        file = Path(path)
        if not file.is_absolute() or file.suffix.casefold() != MODEL_SUFFIX:
            raise BadArguments(where="path", why="value")
        self.windows.show_view("chat")
        self._offer(file)

    @command(Client.CHAT)
    def choose_mind_file(self) -> None:
        """Let the owner choose a model file in the system's file dialog; it is offered like a dropped one."""
        path = self.windows.choose_path("file")
        if path is not None:
            self._offer(path)

    def _offer(self, path: Path) -> None:
        mind = f"{FILE}{path}"
        try:
            checked = self.supervisor.check(mind)
        except MindRefused as refused:
            error = ErrorInfo.of(refused)
            self.emit(MindOffered(mind=mind, name=path.name, size=0, need=0, error=error))
        else:
            self._files += [each for each in self.models.look_at(mind) if each not in self._files]
            self.emit(MindOffered(mind=mind, name=checked.name, size=checked.size, need=checked.need, error=None))

    @command(Client.CHAT)
    def stop_mind(self) -> None:
        """Stop the running model; the next message starts it again."""
        self.supervisor.stop()

    def close(self) -> None:
        """Stop a download; its part is kept for later."""
        self.models.stop_fetching()

    # --- threads --------------------------------------------------------------------------------

    def _fetch(self, mind: str) -> None:
        from pet.minds.fetch import DownloadProgress

        def on_progress(progress: DownloadProgress) -> None:
            self.emit(MindArriving(mind=mind, seconds_left=progress.seconds_left, **vars_of(progress)))

        try:
            self.models.fetch(mind, on_progress)
        except PetError as refused:
            self.emit(MindArrived(mind=mind, error=ErrorInfo.of(refused)))
        except Exception as bug:  # noqa: BLE001  thread boundary: the page must not wait forever
            self.emit(MindArrived(mind=mind, error=ErrorInfo.of_bug(bug, "download", _log)))
        else:
            self.emit(MindArrived(mind=mind, error=None))

    def _load(self, mind: str) -> None:
        """Load a model; the supervisor reports its state."""
        try:
            self.supervisor.acquire(mind)
        except MindRefused as refused:
            _log.info("not loaded: %s", refused.error_code)
        else:
            self.supervisor.release()

    # --- views ----------------------------------------------------------------------------------

    def _list(self) -> MindList:
        chosen, state, problem = self.settings().mind, self.supervisor.state, self.models.problem()
        minds = [_info(each, chosen) for each in (*self.models.choices(), *self._files)]
        if chosen.startswith(FILE) and not any(each.chosen for each in minds):
            self._files += [each for each in self.models.look_at(chosen) if each not in self._files]
            minds = [_info(each, chosen) for each in (*self.models.choices(), *self._files)]
        return MindList(
            minds=minds,
            state=MindState(**vars_of(state), fetching=self.models.fetching),
            problem=f"mind_{problem}" if problem else "",
            free_disk=free_disk(self.models.folder),
        )


def _info(choice: ModelOffer, chosen: str) -> MindInfo:
    about = "mind.about.file" if choice.kind == "found" else f"mind.about.{choice.id}"
    fits = f"mind_{choice.fits}" if choice.fits else ""
    return MindInfo(**vars_of(choice) | {"fits": fits}, about=about, chosen=choice.id == chosen)
