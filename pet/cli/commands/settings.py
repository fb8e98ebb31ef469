"""``pet settings``, and keys: read from a hidden prompt or standard input, and never printed.

Imports little: a setting is read and changed without the pet's core, and without its files.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from pet.cli.arguments import Given
from pet.cli.terminal import Terminal, print_json, safe
from pet.errors import SettingsInvalid
from pet.i18n import Texts
from pet.settings.api_keys import Keep, key_word
from pet.settings.connections import key_slot
from pet.settings.schema import NAMES, SETTINGS, values_of
from pet.settings.setting import SettingValue

if TYPE_CHECKING:
    from pet.services.pet_files import PetFiles

_KEY = "key"
_QUIET = ("quiet_from", "quiet_until")
_TRUE = ("on", "true", "yes", "1")
_FALSE = ("off", "false", "no", "0")
_SUGGESTED_WINDOW = 32_768


def settings(files: PetFiles, given: Given) -> int:
    terminal, texts = Terminal.standard(), files.texts()
    name, value = given.name, given.value
    if name == _KEY:
        return _key(files, given, terminal, texts)
    if name is not None and value is not None:
        files.settings.change({name: _typed_value(name, value)})
        if name in files.effective.written().overridden:
            terminal.complain(texts("cli.settings.overridden", name=name))
        now = files.settings.current()
        if name in _QUIET and (now.quiet_from == "") != (now.quiet_until == ""):
            terminal.complain(texts("settings.quiet.hours_half"))
    return _show(files, given, terminal, name)


def _typed_value(name: str, value: str) -> SettingValue:
    """Convert the text to the setting's type; the settings reject what does not fit."""
    shipped = SETTINGS[name].default if name in SETTINGS else None
    word = value.casefold()
    if isinstance(shipped, bool):
        return True if word in _TRUE else False if word in _FALSE else value
    if isinstance(shipped, int | float):
        with suppress(ValueError):
            return type(shipped)(value)
    return value


def _show(files: PetFiles, given: Given, terminal: Terminal, name: str | None) -> int:
    texts = files.texts()
    if name in (None, "notebook"):
        files.effective.with_facts = files.facts.applied
    shown = {**values_of(files.effective.current()), "context_window": files.effective.own_window()}
    written = files.effective.written()
    if name is not None and name not in NAMES:
        terminal.complain(texts("error.settings_unknown", setting=safe(name)))
        return 1
    chosen = {name: shown[name]} if name is not None else shown
    if given.json:
        here = [each for each in written.overridden if each in chosen]
        infos = [_as_data(problem) for problem in written.problems]
        print_json(terminal, {"settings": chosen, "overridden": here, "problems": infos})
        return 0
    for problem in written.problems:
        from pet.cli.format import error_text

        terminal.complain(error_text(texts, problem))
    if name is not None:
        terminal.say(_shown(shown[name]))
        return 0
    for each, value in chosen.items():
        mark = "  " + texts("cli.settings.decided") if each in written.overridden else ""
        if each == "context_window" and not value:
            mark = _window_note(files, texts)
        terminal.say(f"{each:<26}{_shown(value)}{mark}".rstrip())
    return 0


def _as_data(problem: SettingsInvalid) -> object:
    from pet.events import ErrorInfo
    from pet.serde import to_data

    return to_data(ErrorInfo.of(problem))


def _window_note(files: PetFiles, texts: Texts) -> str:
    """Return the window in use and where it is known from, and what helps if the server cuts without a word."""
    from pet.prompt.budget import UNKNOWN_WINDOW

    used = files.effective.in_use().settings
    if used.local_model or used.demo:
        return ""
    facts = files.facts.of(replace(used, context_window=files.effective.own_window()))
    note = "  " + texts(f"cli.settings.window_{facts.source}", tokens=texts.number(facts.window or UNKNOWN_WINDOW))
    if not facts.possible:
        return note
    suggested = min(facts.possible, _SUGGESTED_WINDOW)
    return f"{note}\n  {texts('ui.test.window_cuts', possible=texts.number(facts.possible), suggested=suggested)}"


def _shown(value: object) -> str:
    return ("off", "on")[value] if isinstance(value, bool) else safe(str(value))


def _key(files: PetFiles, given: Given, terminal: Terminal, texts: Texts) -> int:
    settings = files.effective.current()
    return store_secret(files, given, terminal, texts, key_slot(settings.connection, settings.base_url))


def store_secret(
    files: PetFiles, given: Given, terminal: Terminal, texts: Texts, origin: str, header: str = ""
) -> int:
    """Store or delete a key, or a header beside it, or with ``--json`` print the status."""
    host = origin.partition("://")[2].partition("#")[0]
    if given.delete and header:
        files.keys.set_header(origin, header, "", "session")
    elif given.delete:
        files.keys.delete(origin)
    elif not given.json:
        asked = (
            texts("cli.key.ask_header", name=safe(header), host=host) if header else texts("cli.key.ask", host=host)
        )
        key = _typed(terminal, asked)
        if not key:
            terminal.complain(texts("cli.key.nothing"))
            return 1
        keep = given.keep
        kept: Keep = "file" if keep == "file" else "keyring"
        if keep is None and not files.keys.status(origin).keyring_available:
            terminal.complain(texts("cli.key.no_keyring"))
            return 1
        if header:
            files.keys.set_header(origin, header, key, kept)
        else:
            files.keys.set(origin, key, kept)
    status = files.keys.status(origin)
    if given.json:
        print_json(terminal, {"host": host, **asdict(status)})
        return 0
    if header:
        names = ", ".join(status.headers)
        terminal.say(texts("cli.key.headers" if names else "cli.key.no_headers", host=host, names=names))
        return 0
    source = texts(f"cli.key.source.{status.source}")
    terminal.say(texts(f"cli.key.{key_word(status)}", host=host, source=source, last4=status.last4 or "…"))
    return 0


def _typed(terminal: Terminal, asked: str) -> str | None:
    """Read a secret from a hidden prompt, or without a terminal from the first line of stdin."""
    if sys.stdin.isatty():
        return terminal.ask_hidden(asked)
    return sys.stdin.readline().strip()
