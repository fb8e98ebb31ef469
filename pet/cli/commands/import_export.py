"""``pet export`` of a conversation or the pet; ``pet import`` of a character card as the soul.

Never overwrites a file; SOUL.md changes only after the owner reviewed the whole diff.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from pet.app import App
from pet.cli.arguments import Given, UsageProblem
from pet.cli.format import diff_rows, receipt_text, undo_hint
from pet.cli.pet_notices import command_for
from pet.cli.remote import tell_changed
from pet.cli.terminal import Terminal, revealed, safe
from pet.errors import CardRefused, WriteFailed
from pet.i18n import Texts
from pet.paths import downloads_folder
from pet.services.core_files import soul_now
from pet.services.file_transfer import save_to_downloads, write_new
from pet.services.pets.character_cards import CardPreview, card_preview, export_card, import_card, portrait_of
from pet.services.pets.skin_selection import wardrobe_for
from pet.transcripts.conversation.export import ExportFormat, exported
from pet.transcripts.conversation.fold import fold
from pet.transcripts.title import file_stem
from pet.workspace.pets.registry import display_name
from pet.workspace.text.merge import diff_lines

_MOST_BYTES = 64 * 1024 * 1024
_STANDARD_OUTPUT = "-"


def check_export(given: Given) -> None:
    """Require a conversation, ``--card`` or ``--all``. Raises UsageProblem."""
    if given.has("--all") and given.word(0) == _STANDARD_OUTPUT:
        raise UsageProblem("together", command="export", one="--all", other=_STANDARD_OUTPUT)
    if not given.has("--card") and not given.has("--all") and given.value("--conversation") is None:
        raise UsageProblem("export_what", command="export")


def export(app: App, given: Given) -> int:
    """Write to FILE, to standard output for ``-``, otherwise to the downloads folder under a free name."""
    conversation = given.value("--conversation")
    pet_name = display_name(app.store.root, app.pet_id, app.texts())
    if given.has("--all"):
        return _export_all(app, given.word(0), pet_name)
    if conversation is None:
        wardrobe = wardrobe_for(app.home, app.store.root, app.clock, os.environ)
        name, data = export_card(app.store, pet_name, lambda: portrait_of(wardrobe))
    else:
        folded = fold(app.transcripts.open(conversation).entries)
        kind: ExportFormat = "json" if given.value("--format") == "json" else "markdown"
        name, data = exported(folded, kind, app.texts(), pet_name)
    wanted = given.word(0)
    if wanted == _STANDARD_OUTPUT:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return 0
    if wanted is None:
        return _done(app, save_to_downloads(downloads_folder(), name, data))
    return _write(app, wanted, lambda path: write_new(path, data))


def _export_all(app: App, wanted: str | None, pet_name: str) -> int:
    """Export the whole pet as a zip, history and pictures included."""
    from pet.workspace.pets.export_zip import export_pet, export_pet_to

    root, locks = app.store.root, app.store.locks
    if wanted is None:
        name = f"{file_stem(pet_name)} {app.clock.now():%Y-%m-%d}"
        return _done(app, export_pet(root, downloads_folder(), name, locks=locks))
    return _write(app, wanted, lambda path: export_pet_to(root, path, locks=locks))


def _write(app: App, wanted: str, write: Callable[[Path], object]) -> int:
    """Write to the named file, which must not exist. Return the exit code. Raises WriteFailed."""
    try:
        write(Path(wanted))
    except FileExistsError:
        Terminal.standard().complain(app.texts()("cli.export.exists", file=safe(wanted)))
        return 1
    except OSError as problem:  # in the owner's folder
        raise WriteFailed.from_os_error(wanted, problem) from problem
    return _done(app, Path(wanted))


def _done(app: App, path: Path) -> int:
    Terminal.standard().say(app.texts()("cli.export.done", file=safe(str(path))))
    return 0


def import_(app: App, given: Given) -> int:
    """Turn a character card into SOUL.md after the owner reviewed the change. Return 1 if unchanged."""
    terminal, texts = Terminal.standard(), app.texts()
    for option in ("--new", "--memory", "--json"):
        if given.has(option) or given.value(option) is not None:
            raise UsageProblem("import_card", command="import", option=option)
    name, instructions = given.words[0], given.has("--instructions")
    content = _read(Path(name))
    seen = card_preview(app.store, name, content, app.language(), instructions=instructions)
    _show_card(app, terminal, seen, instructions=instructions)
    if not given.has("--yes") and not agreed(terminal, texts, texts("cli.import.question")):
        return 1
    receipt = import_card(app.store, content, app.language(), instructions=instructions, base=seen.base)
    if receipt is None:
        terminal.say(texts("cli.restore.same", file="SOUL.md"))
        return 0
    tell_changed(app.home, app.pet_id, [receipt.file])
    terminal.say(receipt_text(receipt, texts))
    terminal.say(undo_hint(receipt, texts, command_for(app)))
    return 0


def _read(path: Path) -> bytes:
    """Raises CardRefused."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES + 1)
    except OSError:
        raise CardRefused(problem="unreadable", file=safe(path.name)) from None


def _show_card(app: App, terminal: Terminal, seen: CardPreview, *, instructions: bool) -> None:
    """Print the character, its creator's notes, and the whole diff."""
    texts = app.texts()
    terminal.say(texts("cli.import.card", name=safe(seen.name)))
    if seen.newer:
        terminal.say(texts("cli.import.newer"))
    if seen.notes:
        terminal.say(texts("cli.import.notes"))
        for line in seen.notes.splitlines():
            terminal.say(f"  {revealed(line)}")
    if seen.has_instructions and not instructions:
        terminal.say(texts("cli.import.instructions"))
    terminal.say()
    for row in diff_rows(diff_lines(soul_now(app.store).text, seen.soul), terminal):
        terminal.say(row)
    terminal.say()


def agreed(terminal: Terminal, texts: Texts, question: str) -> bool:
    """Prompt for consent; False for Enter, end of input and a missing terminal."""
    if not terminal.can_ask:
        terminal.complain(texts("cli.import.nobody"))
        return False
    if terminal.agrees(question, texts("cli.forget.words.yes")):
        return True
    terminal.complain(texts("cli.import.refused"))
    return False
