"""``pet settings``, including the key, and ``pet pause``. The key is never printed."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import asdict

from pet.app import App
from pet.cli.arguments import Given, UsageProblem
from pet.cli.format import error_text
from pet.cli.pet_notices import has_others, pet_name
from pet.cli.remote import pause_running
from pet.cli.terminal import Terminal, print_json, safe
from pet.events import ErrorInfo
from pet.i18n import Texts
from pet.serde import to_data
from pet.settings.api_keys import Keep, key_word
from pet.settings.connections import key_slot
from pet.settings.schema import NAMES, Settings, SettingValue

_KEY = "key"
_TRUE = ("on", "true", "yes", "1")
_FALSE = ("off", "false", "no", "0")


def check_settings(given: Given) -> None:
    """Raises UsageProblem for key options without the key, or a key on the command line."""
    if given.word(0) == _KEY:
        if given.word(1) is not None:  # it would be in the shell's history and the process list
            raise UsageProblem("key_on_command_line", command="settings")
        return
    for option in ("--keep", "--delete"):
        if given.has(option) or given.value(option) is not None:
            raise UsageProblem("only_with_key", command="settings", option=option)


def settings(app: App, given: Given) -> int:
    terminal, texts = Terminal.standard(), app.texts()
    name, value = given.word(0), given.word(1)
    if name == _KEY:
        return _key(app, given, terminal, texts)
    if name is not None and value is not None:
        app.settings.change({name: _typed(name, value)})
        if name in _decided_elsewhere(app):
            terminal.complain(texts("cli.settings.overridden", name=name))
    return _show(app, given, terminal, name)


def _typed(name: str, value: str) -> SettingValue:
    """Convert the text to the setting's type; the settings reject what does not fit."""
    shipped = getattr(Settings(), name, None)
    word = value.casefold()
    if isinstance(shipped, bool):
        return True if word in _TRUE else False if word in _FALSE else value
    if isinstance(shipped, int | float):
        with suppress(ValueError):
            return type(shipped)(value)
    return value


def _decided_elsewhere(app: App) -> list[str]:
    return app.effective.own().over(app.settings.current(), app.settings.overridden())[1]


def _show(app: App, given: Given, terminal: Terminal, name: str | None) -> int:
    texts = app.texts()
    shown = asdict(app.effective.current())
    overridden = _decided_elsewhere(app)
    problems = [*app.settings.problems(), *app.effective.own().problems]
    if name is not None and name not in NAMES:
        terminal.complain(texts("error.settings_unknown", setting=safe(name)))
        return 1
    chosen = {name: shown[name]} if name is not None else shown
    if given.has("--json"):
        here = [each for each in overridden if each in chosen]
        infos = [to_data(ErrorInfo.of(problem)) for problem in problems]
        print_json(terminal, {"settings": chosen, "overridden": here, "problems": infos})
        return 0
    for problem in problems:
        terminal.complain(error_text(texts, problem))
    if name is not None:
        terminal.say(_shown(shown[name]))
        return 0
    for each, value in chosen.items():
        mark = "  " + texts("cli.settings.decided") if each in overridden else ""
        terminal.say(f"{each:<26}{_shown(value)}{mark}".rstrip())
    return 0


def _shown(value: object) -> str:
    return ("off", "on")[value] if isinstance(value, bool) else safe(str(value))


def _key(app: App, given: Given, terminal: Terminal, texts: Texts) -> int:
    settings = app.effective.current()
    return keep_key(app, given, terminal, texts, key_slot(settings.connection, settings.base_url))


def keep_key(app: App, given: Given, terminal: Terminal, texts: Texts, origin: str) -> int:
    """Store or delete a key, or with ``--json`` print its status."""
    host = origin.partition("://")[2].partition("#")[0]
    if given.has("--delete"):
        app.keys.delete(origin)
    elif not given.has("--json"):
        key = _typed_key(terminal, texts, host)
        if not key:
            terminal.complain(texts("cli.key.nothing"))
            return 1
        keep = given.value("--keep")
        kept: Keep = "file" if keep == "file" else "keyring"
        if keep is None and not app.keys.status(origin).keyring_available:
            terminal.complain(texts("cli.key.no_keyring"))
            return 1
        app.keys.set(origin, key, kept)
    status = app.keys.status(origin)
    if given.has("--json"):
        print_json(terminal, {"host": host, **asdict(status)})
        return 0
    source = texts(f"cli.key.source.{status.source}")
    terminal.say(texts(f"cli.key.{key_word(status)}", host=host, source=source, last4=status.last4 or "…"))
    return 0


def _typed_key(terminal: Terminal, texts: Texts, host: str) -> str | None:
    """Read a key from a hidden prompt, or without a terminal from the first line of stdin."""
    if sys.stdin.isatty():
        return terminal.ask_hidden(texts("cli.key.ask", host=host))
    return sys.stdin.readline().strip()


def pause(app: App, given: Given) -> int:
    """Pause memory, or with ``off`` resume it, in the running pet or for the next start."""
    terminal, texts = Terminal.standard(), app.texts()
    paused = given.word(0) != "off"
    if not pause_running(app.home, app.pet_id, paused=paused):
        app.pause(paused)
    if given.has("--json"):
        print_json(terminal, {"pet": app.pet_id, "paused": paused})
    elif has_others(app):
        act = "cli.pause.on_named" if paused else "cli.pause.off_named"
        terminal.say(texts(act, name=pet_name(app), id=app.pet_id))
    else:
        terminal.say(texts("cli.pause.on" if paused else "cli.pause.off"))
    return 0
