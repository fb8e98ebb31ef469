"""Local models: list, download, choose, stop.

Downloads run on a separate thread and are reported as events. Nothing is downloaded or started without the owner.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING

from pet.bridge.command import Client, command
from pet.errors import LocalModelRefused, PetError
from pet.events import ErrorInfo
from pet.extras.local_models.events import LocalModelArrived, LocalModelArriving
from pet.extras.local_models.machine import free_disk
from pet.extras.local_models.runtime import OwnLocalModels, own_models
from pet.extras.local_models.supervisor import State
from pet.paths import downloads_folder
from pet.providers.local_models import FILE, ModelOffer
from pet.serde import vars_of

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelInfo(ModelOffer):
    """``id``: for the commands and the settings; ``about``: a key of the catalogue. ``size`` and ``need`` (memory) in
    bytes; ``part``: bytes downloaded; ``fits``: "" or the error code of why it can't run; ``host``: the server of the
    download; ``by``: its maker, or the program whose file it is."""

    about: str
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelState(State):
    """State of the model that is running or was tried. ``fetching``: the id of the download, or ""."""

    fetching: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelList:
    """``problem``: "" or the error code of why no model can run on this computer. ``free_disk`` in bytes."""

    local_models: list[LocalModelInfo]
    state: LocalModelState
    problem: str
    free_disk: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelUsed:
    """``error``: why it can't be used; the choice is then unchanged."""

    list: LocalModelList
    error: ErrorInfo | None


_log = logging.getLogger(__name__)


@dataclass(slots=True)
class LocalModelCommands:
    app: Pet

    @property
    def _models(self) -> OwnLocalModels:
        return own_models(self.app)

    @command(Client.CHAT)
    def list_local_models(self) -> LocalModelList:
        """Return the available models, and the state of the one in use."""
        models, chosen = self._models, self.app.effective.current().local_model
        state, problem = models.supervisor.state, models.problem()
        choices = [*models.choices(), *models.files]
        if chosen.startswith(FILE) and not any(each.id == chosen for each in choices):
            models.add_file(chosen)
            choices = [*models.choices(), *models.files]
        return LocalModelList(
            local_models=[_info(each, chosen) for each in choices],
            state=LocalModelState(**vars_of(state), fetching=models.library.fetching),
            problem=f"local_model_{problem}" if problem else "",
            free_disk=free_disk(models.library.folder),
        )

    @command(Client.CHAT)
    def scan_local_models(self, downloads: bool = False) -> LocalModelList:
        """Scan for models of other programs on this computer; takes a moment.

        ``downloads``: also in the owner's folder of downloads, for which the owner asks by a click.
        """
        self._models.files = self._models.library.scan_other_programs(downloads_folder() if downloads else None)
        return self.list_local_models()

    @command(Client.CHAT)
    def fetch_local_model(self, local_model: str) -> LocalModelList:
        """Start a download, reported by events. Raises LocalModelRefused (busy): one runs at a time."""
        if self._models.library.fetching:
            raise LocalModelRefused("busy")
        Thread(target=self._fetch, args=(local_model,), name="fetch-mind", daemon=True).start()
        return self.list_local_models()

    @command(Client.CHAT)
    def stop_fetching_local_model(self) -> None:
        """Stop the download; its part is kept."""
        self._models.library.stop_fetching()

    @command(Client.CHAT)
    def remove_local_model(self, local_model: str) -> LocalModelList:
        """Delete a downloaded model. Raises LocalModelRefused (unknown, busy, disk)."""
        self._models.library.remove(local_model)
        if self.app.settings.current().local_model == local_model:  # the default; not a pet's own choice
            self.app.settings.change({"local_model": ""})
        return self.list_local_models()

    @command(Client.CHAT)
    def use_local_model(self, local_model: str) -> LocalModelUsed:
        """Check a local model, use it by default, and start to load it.

        ``local_model``: an id of the list, ``file:`` and the path of a GGUF file, or "" for the default connection.
        """
        if local_model:
            try:
                self._models.supervisor.check(local_model)
            except LocalModelRefused as refused:
                return LocalModelUsed(list=self.list_local_models(), error=ErrorInfo.of(refused))
        self.app.settings.change({"local_model": local_model, "demo": False})
        if not local_model:
            self._models.supervisor.stop()
        else:
            Thread(target=self._load, args=(local_model,), name="load-mind", daemon=True).start()
        return LocalModelUsed(list=self.list_local_models(), error=None)

    @command(Client.CHAT)
    def choose_local_model_file(self) -> None:
        """Let the owner choose a model file in the system's file dialog; it is offered like a dropped one."""
        path = self.app.windows.choose_path("model")
        if path is not None:
            self._models.offer_file(path)

    @command(Client.CHAT)
    def stop_local_model(self) -> None:
        """Stop the running model; the next message starts it again."""
        self._models.supervisor.stop()

    # --- threads --------------------------------------------------------------------------------

    def _fetch(self, local_model: str) -> None:
        from pet.extras.local_models.fetch import DownloadProgress

        def on_progress(progress: DownloadProgress) -> None:
            self.app.emit(
                LocalModelArriving(local_model=local_model, seconds_left=progress.seconds_left, **vars_of(progress))
            )

        try:
            self._models.library.fetch(local_model, on_progress)
        except PetError as refused:
            self.app.emit(LocalModelArrived(local_model=local_model, error=ErrorInfo.of(refused)))
        except Exception as bug:  # noqa: BLE001  thread boundary: the page must not wait forever
            self.app.emit(LocalModelArrived(local_model=local_model, error=ErrorInfo.of_bug(bug, "download", _log)))
        else:
            self.app.emit(LocalModelArrived(local_model=local_model, error=None))

    def _load(self, local_model: str) -> None:
        """Load a model, and let it compute how its prompts begin; the supervisor reports its state."""
        try:
            self._models.supervisor.acquire(local_model, warming=True)
        except LocalModelRefused as refused:
            _log.info("not loaded: %s", refused.error_code)
        else:
            self._models.supervisor.release()
            app = self.app
            app.loop.submit(app.warm_local_model(app.effective.in_use()))  # a fault is reported by the next turn


def _info(choice: ModelOffer, chosen: str) -> LocalModelInfo:
    about = "local_model.about.file" if choice.kind == "found" else f"local_model.about.{choice.id}"
    fits = f"local_model_{choice.fits}" if choice.fits else ""
    return LocalModelInfo(**vars_of(choice) | {"fits": fits}, about=about, chosen=choice.id == chosen)
