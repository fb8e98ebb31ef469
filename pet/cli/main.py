"""Entry point of ``pet``: parse arguments, run one command, report errors.

Exit codes: 0 success, 1 failed or problems found, 2 usage. Unexpected exceptions are logged under an incident id and
never shown as a traceback. Commands are imported on demand: a bare ``pet`` shows its window before the core is
loaded.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pet import __version__
from pet.cli.arguments import (
    OPEN,
    Given,
    Subcommand,
    UsageProblem,
    commands,
    help_text,
    named_home,
    read_arguments,
    usage_lines,
)
from pet.cli.terminal import Terminal, argument_text, piped_text, safe, use_utf8
from pet.errors import PetError, TextTooLong, WriteFailed
from pet.extra import loaded
from pet.i18n import LANGUAGES, Texts, system_language
from pet.ids import new_id
from pet.paths import Home, find_home
from pet.untrusted.parsers import read_toml
from pet.untrusted.regular_files import NotRegular, read_regular

if TYPE_CHECKING:
    from pet.app import Pet
    from pet.events import Event
    from pet.services.desktop_port import Desktop
    from pet.services.pet_files import PetFiles

_log = logging.getLogger(__name__)
_MOST_SETTINGS = 1024 * 1024  # bytes


def run(arguments: Sequence[str], desktop: Desktop) -> int:
    """Return the exit code of ``pet`` with these arguments."""
    use_utf8()
    # Without a handler, Python prints log records with tracebacks to the terminal until the log is open.
    logging.getLogger().addHandler(logging.NullHandler())
    words = [argument_text(argument) for argument in arguments]
    texts, given = _texts(_home(named_home(words))), Given()
    try:
        read_arguments(words, given)
        if given.help or given.program_version:
            about = f"Soulpet {__version__}" if given.program_version else help_text(given, texts)
            Terminal.standard().say_fitting(about)
            return 0
        return _act(given, _home(given.home), desktop, texts)
    except UsageProblem as problem:
        return _explain(problem, given, texts)
    except PetError as error:
        from pet.cli.format import error_text

        _complain(error_text(texts, error))
        return 1
    except KeyboardInterrupt:
        _complain("")
        return 1
    except BrokenPipeError:
        # The reader closed the pipe. Python's buffered output must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except NotRegular as error:
        _complain(texts("error.file_not_a_file", file=safe(str(error.filename))))
        return 1
    except OSError as error:  # in the program's folders: permissions, a full disk, a file in place of a folder
        _log.error("pet failed", exc_info=error)
        place, reason = safe(str(error.filename or "")), error.strerror or str(error)
        known = {"disk_full": "cli.disk_full", "write_denied": "cli.write_denied"}
        key = known.get(WriteFailed.from_os_error(place, error).error_code, "cli.disk")
        _complain(texts(key, path=place, reason=safe(reason)))
        return 1
    except Exception as error:  # noqa: BLE001  the main thread's boundary
        incident = new_id()
        _log.error("pet failed [%s]", incident, exc_info=error)
        _complain(texts("error.internal", id=incident))
        return 1


_ACTS = {
    "prompt": "pet.cli.commands.files.prompt",
    "forget": "pet.cli.commands.forget.forget",
    "restore": "pet.cli.commands.files.restore",
    "export": "pet.cli.commands.files.export",
    "connection": "pet.cli.commands.connection.connection",
    "pause": "pet.cli.commands.connection.pause",
}
"""By command, the function that runs it on the composed pet and returns the exit code. Loaded on demand."""
_FILE_ACTS = {
    "settings": "pet.cli.commands.settings.settings",
    "search": "pet.cli.commands.search.search",
    "why": "pet.cli.commands.why.why",
    "remind": "pet.cli.commands.reminders.remind",
    "history": "pet.cli.commands.files.history",
}
"""The same on the pet's files alone, for commands that need no engine."""
_WRITING = ("remind",)
"""Those that change files. The others announce versions too, of each log that they are the first to open."""


def _act(given: Given, home: Home, desktop: Desktop, texts: Texts) -> int:
    desktop.start_log(home)
    for option in ("pet", "into", "copy_profile"):
        if (word := getattr(given, option)) is not None:
            from pet.workspace.pets import named_pet

            setattr(given, option, named_pet(home, word, texts))
    pet_id = given.pet
    match given.command:
        case "pets":
            from pet.cli.commands.pets import pets

            return pets(home, pet_id, given, texts)
        case "search":
            from pet.cli.commands.search import search_running

            code = search_running(home, given)
            return _with_files(given, home, pet_id) if code is None else code
        case "chat" if given.once is not None:
            from pet.cli.chat_turn import once_running

            given.once = _with_piped_text(given.once, texts)
            code = once_running(home, given)
            return _with_pet(given, home, pet_id) if code is None else code
        case command if run := commands().get(command, Subcommand()).run:
            code = loaded(run)(given, home, texts)
            return int(code)
        case command if command in _FILE_ACTS:
            return _with_files(given, home, pet_id)
        case command if command != OPEN:
            return _with_pet(given, home, pet_id)
    reason = desktop.why_not()
    if reason is None:
        return desktop.open(home, pet_id, texts)
    _complain(texts(reason))
    if reason == "shell.root_refused" or not Terminal.standard().can_ask:
        return 1
    given.command = "chat"
    return _with_pet(given, home, pet_id)


def _with_piped_text(text: str, texts: Texts) -> str:
    """Return the message of ``--once``, followed by the text from the pipe; for "-" the latter alone.

    Raises TextTooLong, or UsageProblem for what is no text.
    """
    from pet.serde import MAX_TEXT

    alone = text == "-"
    try:
        piped = piped_text(texts, most=MAX_TEXT, needed=alone)
    except ValueError:
        raise UsageProblem("piped_no_text") from None
    whole = "\n\n".join(part for part in ("" if alone else text, piped) if part.strip())
    if not whole:
        raise UsageProblem("empty_text")
    if len(whole) > MAX_TEXT:
        raise TextTooLong(where="", why="too_long", limit=MAX_TEXT // 1024 // 1024)
    return whole


def _with_files(given: Given, home: Home, pet_id: str | None) -> int:
    from pet.services.pet_files import PetFiles

    def report(event: Event) -> None:
        if given.command in _WRITING:
            from pet.cli.running_pet import report_change

            report_change(home, files.pet_id, event)

    files = PetFiles(home, pet_id=_meant(home, pet_id), on_event=report)
    try:
        _say_which(files, given)
        return int(loaded(_FILE_ACTS[given.command])(files, given))
    finally:
        files.close()


def _with_pet(given: Given, home: Home, pet_id: str | None) -> int:
    from pet.app import Pet

    pet = Pet(home, pet_id=_meant(home, pet_id), channel="terminal")
    try:
        if given.command in ("chat", "forget", "restore"):
            from pet.cli.running_pet import report_changes

            report_changes(pet)
        _say_which(pet, given)
        return _command(pet, given)
    finally:
        pet.close()


def _meant(home: Home, pet_id: str | None) -> str | None:
    """Return the id of the named pet, else of the running one, if there are several."""
    from pet.workspace.pet_registry import list_ids

    if pet_id is not None or len(list_ids(home)) < 2:
        return pet_id
    from pet.cli.running_pet import meant_pet

    return meant_pet(home, pet_id)


def _say_which(pet: PetFiles, given: Given) -> None:
    """Name the pet if it isn't obvious. ``pause`` names it itself, and settings are shared by all pets."""
    if given.command not in ("pause", "settings"):
        from pet.cli.format import say_which

        say_which(pet, given)


def _command(pet: Pet, given: Given) -> int:
    if given.command == "chat":
        from pet.cli.chat_session import once
        from pet.cli.repl import chat

        pet.record_use()
        return chat(pet, given) if given.once is None else once(pet, given, given.once)
    return int(loaded(_ACTS[given.command])(pet, given))


def _home(named: str | None) -> Home:
    return find_home(Path(named) if named else None)


def _texts(home: Home) -> Texts:
    """Return the catalogue in the settings' language, else the system's. Without the settings' modules: ``--help``
    loads none."""
    try:
        chosen = read_toml(read_regular(home.settings_file, _MOST_SETTINGS)).get("language")
    except (OSError, ValueError):
        chosen = None
    return Texts(next((each for each in LANGUAGES if each == chosen), system_language()))


def _explain(problem: UsageProblem, given: Given, texts: Texts) -> int:
    arguments = {name: safe(value) for name, value in problem.args_.items()}
    _complain(texts(problem.key, **arguments))
    if given.command != OPEN:  # else the line would be "pet" alone
        _complain(usage_lines(given))
    _complain(texts("cli.usage.help", command=" ".join(filter(None, ("pet", given.command, given.action)))))
    return 2


def _complain(text: str) -> None:
    Terminal.standard().complain(text)
