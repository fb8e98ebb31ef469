"""``pet model``: list, download, select and remove local models.

Works without composing a pet. Shows download progress; Ctrl+C stops, keeping the partial file.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import asdict, replace
from pathlib import Path

from pet.cli.arguments import Given
from pet.cli.format import gigabytes, row_about
from pet.cli.terminal import Terminal, print_json, safe
from pet.clock import SystemClock
from pet.errors import LocalModelRefused
from pet.extras.local_models.fetch import DownloadProgress
from pet.extras.local_models.library import Library
from pet.extras.local_models.runtime import OwnLocalModels, read_soul
from pet.extras.local_models.supervisor import Supervisor
from pet.i18n import Texts
from pet.paths import Home
from pet.providers.local_models import FILE, MODEL_SUFFIX, ModelOffer, model_name
from pet.services.pet_files import choose_pet
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.settings.store import SettingsStore
from pet.workspace.store import WorkspaceStore

_NONE = "none"


def model(given: Given, home: Home, texts: Texts, library: Library | None = None) -> int:
    """Run one action. ``library``: for tests. Raises LocalModelRefused."""
    terminal = Terminal.standard()
    store = SettingsStore(home.settings_file, os.environ, lambda: None)
    supervisor = Supervisor(home.local_models, home.local_model_state)
    library = library or Library(supervisor, language=lambda: texts.language)
    word = given.id
    try:
        match given.action:
            case "get":
                _get(library, word, terminal, texts)
            case "use":
                _use(home, supervisor, store, word, terminal, texts)
            case "remove":
                library.remove(word)
                if store.current().local_model == word:
                    store.change({"local_model": ""})
                terminal.say(texts("cli.model.removed", name=model_name(word)))
            case _:
                _list(library, store.current().local_model, given, terminal, texts)
    finally:
        supervisor.close()
    return 0


def _list(library: Library, chosen: str, given: Given, terminal: Terminal, texts: Texts) -> None:
    local_models = [*library.choices(), *library.scan_other_programs()]
    if given.json:
        problem = library.problem()
        print_json(
            terminal,
            {
                "local_models": [{**asdict(each), "chosen": each.id == chosen} for each in local_models],
                "problem": f"local_model_{problem}" if problem else "",
            },
        )
        return
    if library.problem():
        terminal.say(texts(f"error.local_model_{library.problem()}"))
    for each in local_models:
        mark = "*" if each.id == chosen else " "
        terminal.say(f"{mark} {safe(each.id)}  {row_about(safe(each.name), _about(each, texts), texts)}")
        if each.kind != "found":
            terminal.say(f"    {texts(f'local_model.about.{each.id}')}")


def _about(choice: ModelOffer, texts: Texts) -> list[str]:
    parts = [texts("local_model.need", size=gigabytes(choice.size, texts), need=gigabytes(choice.need, texts))]
    if choice.by:
        parts.append(safe(choice.by))
    if choice.licence:
        parts.append(safe(choice.licence))
    if choice.here:
        parts.append(texts("local_model.here"))
    elif choice.part:
        parts.append(
            texts("local_model.part", done=gigabytes(choice.part, texts), size=gigabytes(choice.size, texts))
        )
    if choice.recommended:
        parts.append(texts("local_model.recommended"))
    if choice.fits:
        parts.append(texts(f"local_model.fits.{choice.fits}"))
    return parts


def _get(library: Library, chosen: str, terminal: Terminal, texts: Texts) -> None:
    choice = next((each for each in library.choices() if each.id == chosen and each.kind == "catalogue"), None)
    if choice is None:
        raise LocalModelRefused("unknown", local_model=safe(chosen)[:60])
    terminal.say(
        texts(
            "local_model.before",
            size=gigabytes(choice.size, texts),
            need=gigabytes(choice.need, texts),
            licence=choice.licence,
        )
    )
    progress = _Progress(terminal, texts)
    try:
        library.fetch(chosen, progress)
    except KeyboardInterrupt:
        raise LocalModelRefused("stopped") from None
    finally:
        progress.end()
    terminal.say(texts("cli.model.got", name=choice.name, id=choice.id))


class _Progress:
    """Download progress on one terminal line; without a terminal, a line per 10 %."""

    def __init__(self, terminal: Terminal, texts: Texts) -> None:
        self._terminal = terminal
        self._texts = texts
        self._live = terminal.talk.isatty()
        self._tenth = -1
        self._open = False

    def __call__(self, progress: DownloadProgress) -> None:
        tenth = progress.done * 10 // max(1, progress.total)
        if not self._live and tenth == self._tenth:
            return
        self._tenth = tenth
        line = self._line(progress)
        if self._live:
            self._terminal.talk.write(f"\r\033[K{line}")
            self._terminal.talk.flush()
            self._open = True
        else:
            self._terminal.say(line)

    def end(self) -> None:
        if self._open:
            self._terminal.say()

    def _line(self, progress: DownloadProgress) -> str:
        if progress.checking:
            return self._texts("cli.model.checking", done=gigabytes(progress.done, self._texts))
        left = progress.seconds_left
        return self._texts(
            "cli.model.arriving" if left is None else "cli.model.arriving_left",
            host=safe(progress.host),
            done=gigabytes(progress.done, self._texts),
            size=gigabytes(progress.total, self._texts),
            speed=self._texts.number(progress.speed / 1e6, 1),
            minutes=0 if left is None else left // 60 + 1,
        )


def _use(
    home: Home, supervisor: Supervisor, store: SettingsStore, word: str, terminal: Terminal, texts: Texts
) -> None:
    """Select a model after loading it once, so that an unusable file is reported now, and the beginning of its
    prompts is computed before the first message."""
    if word == _NONE:
        store.change({"local_model": ""})
        terminal.say(texts("cli.model.none"))
        return
    chosen = f"{FILE}{Path(word).expanduser().absolute()}" if word.casefold().endswith(MODEL_SUFFIX) else word
    model = supervisor.check(chosen)
    terminal.say(texts("cli.model.loading", name=safe(model.name)))
    if supervisor.runs_elsewhere():  # by the running pet, which computes it itself
        supervisor.acquire(chosen)
        supervisor.release()
    else:
        settings = replace(store.current(), local_model=chosen, demo=False)
        asyncio.run(_load_and_warm(home, supervisor, settings, texts))
    store.change({"local_model": chosen, "demo": False})
    terminal.say(texts("cli.model.used", name=safe(model.name)))


async def _load_and_warm(home: Home, supervisor: Supervisor, settings: Settings, texts: Texts) -> None:
    root = home.workspace(choose_pet(home, None, JsonState(home.state_file)))
    files = WorkspaceStore(root, locks=home.locks, clock=SystemClock())
    models = OwnLocalModels(
        home,
        language=lambda: texts.language,
        supervisor=supervisor,
        soul=lambda: read_soul(files) if root.is_dir() else "",
        settings=lambda: settings,
    )
    try:
        await models.warm(settings.local_model)
    finally:
        await models.close_providers()
