"""``pet doctor``: report the installation's state and problems.

Read-only: creates no pet; of the key only its place is reported. A *problem* prevents normal operation, a *note* may
be intended.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pet import __version__
from pet.bridge.dispatch import CommandFailed
from pet.cli.arguments import Given
from pet.cli.commands.connection import model_and_host
from pet.cli.format import error_text, gigabytes, held_text, lost_text, row_about, store_of
from pet.cli.found import ways_to_a_model
from pet.cli.running_pet import meant_pet, pets_on_desktop, status_of_running
from pet.cli.terminal import Terminal, print_json, safe
from pet.desktop import environment
from pet.desktop.environment import InputMethod
from pet.errors import FileBroken, LocalModelRefused
from pet.i18n import Texts
from pet.model import OPTIONAL_FILES, Broken, CoreFile, Missing
from pet.paths import Home, ui_folder
from pet.providers.endpoint import endpoint_of
from pet.providers.local_models import LocalModel, LocalModels, local_models_kind, model_name
from pet.serde import to_data
from pet.services.pet_files import choose_pet
from pet.settings.api_keys import KeyStore, key_word
from pet.settings.connections import key_slot, plain_http_warning
from pet.settings.effective import PetSettingsSource
from pet.settings.pet_settings import PetSettings, own_settings
from pet.settings.program_state import ClosedValues, JsonState, PauseRecord
from pet.settings.schema import Settings
from pet.settings.store import SettingsStore
from pet.workspace.conflict_copies import find_copies
from pet.workspace.file_names import CORE_NAMES, LOG_FOLDER
from pet.workspace.note_files import left_alone
from pet.workspace.pet_registry import list_ids
from pet.workspace.pet_toml import display_name
from pet.workspace.skills import held_back

_PORTAL_SECONDS = 3.0
_PAGES = ("chat.html",)
_SHOWN_FILES = (*CoreFile, *OPTIONAL_FILES)
_MOST_LEFT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopCheck:
    """``why_not``: catalogue key of the reason no window can be opened."""

    backend: str
    display: bool
    has_session: bool  # a desktop session exists, whether or not a window can be shown
    why_not: str | None
    webview_problem: str  # "" or the import error
    compositor: bool | None  # None: unknown on this platform
    pages_missing: tuple[str, ...]
    wayland: bool = False  # the windows are XWayland's
    missing_portals: tuple[str, ...] = ()  # on Wayland: of "shortcuts" and "screenshot"
    restricts_sandbox: bool = False  # AppArmor keeps programs from making the user namespaces of the outer sandbox
    typing: InputMethod | None = None  # None: the platform's own, or no display


def check_desktop() -> DesktopCheck:
    """Examine in depth: loads the web view, connects to the display."""
    display = environment.has_display()
    problem = _webview_problem()
    linux = sys.platform.startswith("linux")
    wayland = display and linux and environment.on_wayland()
    return DesktopCheck(
        backend="none" if problem else "qt",
        display=display,
        has_session=not linux or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")),
        why_not=environment.display_problem(),
        webview_problem=problem,
        compositor=environment.has_compositor() if display and linux and os.environ.get("DISPLAY") else None,
        pages_missing=tuple(name for name in _PAGES if not Path(ui_folder(), name).is_file()),
        wayland=wayland,
        missing_portals=_missing_portals() if wayland else (),
        restricts_sandbox=environment.sandbox_restricted(),
        typing=environment.describe_input_method(os.environ) if display and linux else None,
    )


def _webview_problem() -> str:
    """Return the missing package or system library of the web view; "" if it can be imported."""
    environment.prepare(os.environ)
    try:
        from pet.desktop.web_engine import import_qt_backend

        import_qt_backend()
    except ImportError as error:
        return str(error).partition("\n")[0]
    return ""


def _missing_portals() -> tuple[str, ...]:
    from pet.desktop.linux.portal import Portal

    portal = Portal(lambda: None)
    portal.examined.wait(_PORTAL_SECONDS)
    return tuple(name for name in ("shortcuts", "screenshot") if name not in portal.abilities)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    code: str
    text: str
    problem: bool


class Examined:
    """The collected facts."""

    def __init__(self, home: Home, pet_id: str | None, texts: Texts) -> None:
        state = JsonState(home.state_file)
        closed = ClosedValues(state, records=False)
        store = SettingsStore(home.settings_file, os.environ, lambda: None, closed)
        self.home = home
        self.pet = choose_pet(home, meant_pet(home, pet_id), state)
        self.workspace = home.workspace(self.pet)
        self.exists = self.workspace.is_dir()
        self.name = display_name(self.workspace, self.pet, texts)
        own = own_settings(self.workspace, self.pet, state, records=False) if self.exists else PetSettings()
        used = PetSettingsSource(store, lambda: own, ()).in_use()
        self.settings = used.settings
        problems = (*store.problems(), *own.problems, *([used.problem] if used.problem else []))
        self.setting_problems = tuple(dict.fromkeys(problems))
        slot = key_slot(used.settings.connection, used.settings.base_url)
        self.key = KeyStore(home, os.environ, keyring_seconds=5).status(slot)
        self.running, self.stuck = _running(home)
        self.on_desktop = pets_on_desktop(home)
        self.local_models = local_models_kind()(home, language=lambda: texts.language)
        self.local_model, self.local_model_running, self.local_model_problem = _examine_local_model(
            self.local_models, used.settings
        )
        self.pause_lost = PauseRecord(state, home.pause_file(self.pet), self.pet).is_lost()
        self.desktop = check_desktop()
        self.broken, self.broken_notes, self.lost = _unusable_files(home, self.workspace)
        self.left = list(left_alone(self.workspace)) if self.exists else []
        self.command = f"pet --pet {self.pet}" if len(list_ids(home)) > 1 else "pet"
        folders = (self.workspace, home.locks, home.config, home.state, home.log)
        self.unwritable = [folder for folder in folders if not _may_write(folder)]
        files = (home.state_file, home.machine_file, home.log_file, home.key_file)
        self.irregular = [file for file in files if file.exists() and not file.is_file()]
        self.held = held_back(self.workspace) if self.exists else ()
        self.copies = find_copies(self.workspace) if self.exists else ()


def doctor(given: Given, home: Home, texts: Texts) -> int:
    """Return 1 if there are problems. Raises BadPetId, UnknownPet."""
    terminal = Terminal.standard()
    seen = Examined(home, given.pet, texts)
    results = list(findings(seen, texts))
    problems = [finding for finding in results if finding.problem]
    if given.json:
        print_json(terminal, _data(seen, results))
        return int(bool(problems))
    for label, value in _facts(seen, texts):
        terminal.say(texts("cli.doctor.fact", label=texts(f"cli.doctor.{label}"), value=value))
    for finding in results:
        mark = texts("cli.doctor.problem" if finding.problem else "cli.doctor.note")
        terminal.say(terminal.painted(mark + finding.text, "red" if finding.problem else "dim"))
    if not problems:
        terminal.say(texts("cli.doctor.well"))
    return int(bool(problems))


def findings(seen: Examined, texts: Texts) -> Iterator[Finding]:
    """Yield problems and notes, the most severe first."""
    for broken in seen.broken:
        error = FileBroken(file=broken.name, problem=broken.problem)
        yield Finding(code=error.error_code, text=error_text(texts, error), problem=True)
    for lost in seen.lost:
        yield Finding(code="file_lost", text=lost_text(lost, seen.command, texts), problem=True)
    if seen.held:
        yield Finding(code="instructions_held", text=held_text(seen.held, texts), problem=False)
    for trouble in seen.setting_problems:
        yield Finding(code=trouble.error_code, text=error_text(texts, trouble), problem=True)
    if seen.pause_lost:
        text = texts("cli.pause_lost", file=seen.home.state_file.name, command=seen.command)
        yield Finding(code="pause_lost", text=text, problem=True)
    for file in seen.irregular:
        text = texts("error.file_not_a_file", file=safe(str(file)))
        yield Finding(code="file_not_a_file", text=text, problem=True)
    for folder in seen.unwritable:
        yield Finding(code="not_writable", text=texts("cli.doctor.not_writable", folder=folder), problem=True)
    for copy in seen.copies:
        key = "cli.doctor.marked" if copy.copy == copy.file else "cli.doctor.copy"
        text = texts(key, copy=safe(copy.copy), file=copy.file, program=copy.program)
        yield Finding(code="conflict_copy", text=text, problem=True)
    yield from _of_endpoint(seen, texts)
    yield from _of_desktop(seen.desktop, texts)
    yield from _of_notes(seen, texts)
    if seen.stuck:
        yield Finding(code="not_answering", text=texts("error.not_answering"), problem=True)
    if not seen.exists:
        yield Finding(code="no_pet_yet", text=texts("cli.doctor.no_pet_yet"), problem=False)


def _of_notes(seen: Examined, texts: Texts) -> Iterator[Finding]:
    """Yield what in the folder of the notes is read as none, the first few of each kind."""
    lines_by_code: dict[str, list[str]] = {}
    for broken in seen.broken_notes:
        error = FileBroken(file=safe(broken.name), problem=broken.problem)
        lines_by_code.setdefault(error.error_code, []).append(error_text(texts, error))
    meant = {name.casefold(): name for name in (*CORE_NAMES, LOG_FOLDER)}
    for path, why in seen.left:
        text = texts(f"cli.doctor.left.{why}", file=safe(path), meant=meant.get(path.casefold(), ""))
        lines_by_code.setdefault(f"left_{why}", []).append(text)
    for code, lines in lines_by_code.items():
        more = [texts("cli.doctor.left.more", count=len(lines) - _MOST_LEFT)] if len(lines) > _MOST_LEFT else []
        yield from (Finding(code=code, text=line, problem=False) for line in [*lines[:_MOST_LEFT], *more])


def _of_endpoint(seen: Examined, texts: Texts) -> Iterator[Finding]:
    host = _host(seen)
    if seen.local_model_problem is not None:
        text = error_text(texts, seen.local_model_problem)
        yield Finding(code=seen.local_model_problem.error_code, text=text, problem=True)
    if seen.settings.local_model or seen.settings.demo:
        return  # no endpoint to check
    if plain_http_warning(seen.settings.base_url):
        yield Finding(code="plain_http", text=texts("cli.doctor.plain_http", host=host), problem=False)
    endpoint = endpoint_of(seen.settings.base_url)
    if seen.key.locked and not endpoint.loopback:
        yield Finding(code="key_store_locked", text=texts("error.key_store_locked"), problem=endpoint.anthropic)
    elif not (seen.key.set or seen.key.headers or endpoint.loopback):
        # Anthropic always requires one; a local server may not.
        key = "cli.doctor.no_key" if endpoint.anthropic else "cli.doctor.perhaps_key"
        yield Finding(code="no_key", text=texts(key, host=host), problem=endpoint.anthropic)
        _title, *ways = ways_to_a_model(seen.local_models, host, texts)
        yield from (Finding(code="way_to_a_model", text=line.strip(), problem=False) for line in ways)


def _of_desktop(desktop: DesktopCheck, texts: Texts) -> Iterator[Finding]:
    if desktop.webview_problem:
        reason = desktop.webview_problem
        yield Finding(code="no_webview", text=texts("cli.doctor.no_webview", reason=reason), problem=True)
    if desktop.pages_missing:
        files = ", ".join(desktop.pages_missing)
        yield Finding(code="pages_missing", text=texts("shell.page_missing", file=files), problem=True)
    if desktop.why_not is not None:
        # Without a desktop session (ssh, a server) this is a note: the terminal chat works.
        code = desktop.why_not.removeprefix("shell.")
        yield Finding(code=code, text=texts(desktop.why_not), problem=desktop.has_session)
    typing = desktop.typing
    if typing is not None and typing.named and not typing.program:
        reason = texts(f"cli.doctor.input.{typing.why}", context=typing.context)
        yield Finding(code="no_input_method", text=texts("cli.doctor.no_input", reason=reason), problem=False)
    if desktop.wayland:
        yield Finding(code="wayland", text=texts("cli.doctor.wayland"), problem=False)
    for ability in desktop.missing_portals:
        code = f"no_portal_{ability}"
        yield Finding(code=code, text=texts(f"cli.doctor.{code}"), problem=False)
    if desktop.restricts_sandbox:
        yield Finding(code="sandbox_restricted", text=texts("cli.doctor.sandbox_restricted"), problem=False)
    if desktop.compositor is False:
        yield Finding(code="no_compositor", text=texts("cli.doctor.no_compositor"), problem=False)


def _facts(seen: Examined, texts: Texts) -> Iterator[tuple[str, object]]:
    yield "version", __version__
    yield "home", _root(seen.home)
    yield "settings", seen.home.settings_file
    yield "log", seen.home.log_file
    yield "pet", row_about(safe(seen.name), [seen.pet], texts)
    yield "workspace", seen.workspace
    model, host = model_and_host(seen.settings, texts)
    yield "model", model
    yield "host", host
    key = f"cli.key.{key_word(seen.key)}"
    source = texts(f"cli.key.source.{seen.key.source}")
    if seen.settings.local_model:
        yield "local_model", _local_model(seen, texts)
    yield "key", texts(key, host=_host(seen), source=source, last4=seen.key.last4 or "…")
    yield "backend", seen.desktop.backend
    if (typing := seen.desktop.typing) is not None:
        yield "input", typing.program or texts(f"cli.doctor.input.{typing.why}", context=typing.context)
    runs = texts("cli.doctor.runs" if seen.running is not None else "cli.doctor.runs_not")
    yield "running", ", ".join(seen.on_desktop) if len(seen.on_desktop) > 1 else runs


def _examine_local_model(
    models: LocalModels, settings: Settings
) -> tuple[LocalModel | None, bool, LocalModelRefused | None]:
    """Return the local model, whether a program of this home runs it, and why it could not start."""
    if not settings.local_model:
        return None, False, None
    running = models.runs_elsewhere()
    try:
        return models.check(settings.local_model), running, None
    except LocalModelRefused as refused:
        held = running and refused.problem == "memory_now"  # that program itself uses the memory
        return None, running, None if held else refused


def _local_model(seen: Examined, texts: Texts) -> str:
    phase = texts("local_model.phase.ready" if seen.local_model_running else "local_model.phase.absent")
    if seen.local_model is None:
        return f"{safe(model_name(seen.settings.local_model))}, {phase}"
    size, need = (gigabytes(each, texts) for each in (seen.local_model.size, seen.local_model.need))
    return texts("cli.doctor.local_model_state", name=safe(seen.local_model.name), phase=phase, size=size, need=need)


def _data(seen: Examined, results: list[Finding]) -> dict[str, object]:
    def listed(*, problem: bool) -> list[dict[str, str]]:
        return [{"code": each.code, "text": each.text} for each in results if each.problem is problem]

    return {
        "version": __version__,
        "home": str(_root(seen.home)),
        "data": str(seen.home.data),
        "config": str(seen.home.config),
        "log": str(seen.home.log_file),
        "pet": seen.pet,
        "name": seen.name,
        "workspace": str(seen.workspace),
        "exists": seen.exists,
        "model": seen.settings.model,
        "host": _host(seen),
        "local_model": seen.settings.local_model,
        "demo": seen.settings.demo,
        "local_model_running": seen.local_model_running,
        "key": to_data(seen.key),
        "backend": seen.desktop.backend,
        "display": seen.desktop.display,
        "compositor": seen.desktop.compositor,
        "input_method": None if (typing := seen.desktop.typing) is None else typing.program or typing.why,
        "copies": [{"copy": each.copy, "file": each.file, "program": each.program} for each in seen.copies],
        "running": None if seen.running is None else to_data(seen.running),
        "on_desktop": seen.on_desktop,
        "problems": listed(problem=True),
        "notes": listed(problem=False),
    }


def _root(home: Home) -> Path:
    """Return the ``--home`` folder, or with the platform's own folders the one with the pets."""
    together = home.data.parent == home.config.parent == home.cache.parent and home.data.name == "data"
    return home.data.parent if together else home.data


def _host(seen: Examined) -> str:
    return urlsplit(seen.settings.base_url).netloc


def _running(home: Home) -> tuple[object | None, bool]:
    """Return the running pet's status, and whether one runs but does not respond."""
    try:
        return status_of_running(home), False
    except CommandFailed:
        return None, True


def _unusable_files(home: Home, workspace: Path) -> tuple[list[Broken], list[Broken], list[Missing]]:
    """Return the files that can't be read, such notes, and the files that are lost."""
    if not workspace.is_dir():
        return [], [], []
    store = store_of(home, workspace)
    names = ((*_SHOWN_FILES, *store.log_names()), store.note_names())
    files, notes = ([state for name in each if isinstance(state := store.read(name), Broken)] for each in names)
    return files, notes, store.lost_files()


def _may_write(folder: Path) -> bool:
    """Whether the folder, or its nearest existing parent, is writable."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
