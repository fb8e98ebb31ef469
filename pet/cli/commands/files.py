"""``pet prompt``, ``history`` and ``restore``: inspect the files and restore versions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pet.access import MemoryMode
from pet.app import Pet
from pet.bridge.commands.files import FileCommands, VersionCommands
from pet.bridge.commands.privacy import PrivacyCommands
from pet.bridge.commands.terminal import open_named
from pet.cli.arguments import Given, UsageProblem
from pet.cli.format import command_for, diff_rows, paused_note, prompt_rows, receipt_text, undo_hint, version_rows
from pet.cli.terminal import Terminal, print_json, safe
from pet.errors import VersionUnknown, WriteFailed
from pet.extra import exports, loaded
from pet.paths import downloads_folder
from pet.serde import to_data
from pet.services.core_files import text_now
from pet.services.file_transfer import save_to_downloads, write_new
from pet.transcripts.export import ExportFormat, exported
from pet.workspace.file_history import KeptVersion
from pet.workspace.file_names import parse_name
from pet.workspace.pet_toml import display_name

if TYPE_CHECKING:
    from pet.app import Pet
    from pet.services.pet_files import PetFiles

_NEW = "new"
_SHORTEST = 6  # minimum length of an abbreviated id


def prompt(app: Pet, given: Given) -> int:
    """Print exactly what would be sent, by section, with sizes."""
    terminal, texts = Terminal.standard(), app.texts()
    memory = given.memory or app.effective.current().default_memory_mode
    if memory is not MemoryMode.OFF and app.conversations.paused:
        terminal.complain(paused_note(app))
    view = app.preview_prompt(memory=memory, mode=given.mode)
    if not given.json:
        for row in prompt_rows(view, texts, terminal):
            terminal.say(row)
        return 0
    data = to_data(view)
    assert isinstance(data, dict)
    data["pet"] = app.pet_id
    print_json(terminal, {"memory": view.memory, "system": data.pop("blocks"), "tools": data.pop("tools"), **data})
    return 0


def history(files: PetFiles, given: Given) -> int:
    """List a file's versions, newest first; with ``--diff`` the changes since one of them."""
    terminal, texts = Terminal.standard(), files.texts()
    name = parse_name(given.file or "")
    versions = VersionCommands(files).list_versions(name).versions
    if given.diff is not None:
        kept = _named_version(files, name, versions, given.diff)
        return _diff(files, given, terminal, kept) if kept else 1
    if given.json:
        rows = [to_data(kept) for kept in versions]
        print_json(terminal, {"pet": files.pet_id, "file": name, "versions": rows})
        return 0
    if not versions:
        terminal.complain(texts("cli.history.none", file=name))
    for row in version_rows(versions, texts):
        terminal.say(row)
    return 0


def _diff(files: PetFiles, given: Given, terminal: Terminal, kept: KeptVersion) -> int:
    text_now(files.store, kept.file)  # an unreadable file is an error here, and empty in the window
    diff = VersionCommands(files).diff_versions(kept.file, kept.id)
    if given.json:
        counts = {"added": diff.added, "removed": diff.removed}
        rows = [to_data(line) for line in diff.lines]
        print_json(terminal, {"pet": files.pet_id, "file": kept.file, "old": kept.id, **counts, "lines": rows})
        return 0
    for row in diff_rows(diff.lines, terminal):
        terminal.say(row)
    terminal.say(files.texts()("cli.history.diff", added=diff.added, removed=diff.removed))
    return 0


def restore(app: Pet, given: Given) -> int:
    """Make a stored version current, byte for byte; for "new", start a lost file again."""
    terminal, texts = Terminal.standard(), app.texts()
    name = parse_name(given.file or "")
    if given.version == _NEW and name in (each.name for each in app.store.lost_files()):
        FileCommands(app).begin_file(name)
        terminal.say(texts("cli.restore.new", file=name, command=command_for(app)))
        return 0
    kept = _named_version(app, name, VersionCommands(app).list_versions(name).versions, given.version)
    if kept is None:
        return 1
    receipt = FileCommands(app).restore_version(name, kept.id).receipt
    if receipt is None:
        terminal.say(texts("cli.restore.same", file=name))
        return 0
    terminal.say(receipt_text(receipt, texts))
    terminal.say(undo_hint(receipt, texts, command_for(app)))
    return 0


def _named_version(files: PetFiles, name: str, versions: Sequence[KeptVersion], reference: str) -> KeptVersion | None:
    """Return the version, or None and say where they are listed."""
    try:
        return find_version(name, versions, reference)
    except VersionUnknown:
        command = f"{command_for(files)} history {name}"
        complaint = files.texts()("cli.history.no_version", version=safe(reference), file=name, command=command)
        Terminal.standard().complain(complaint)
        return None


def find_version(name: str, versions: Sequence[KeptVersion], reference: str) -> KeptVersion:
    """Look up by id or content hash, or an unambiguous part of one. Raises VersionUnknown."""
    for kept in versions:
        if reference in (kept.id, kept.version):
            return kept
    wanted = reference.casefold()
    if len(wanted) >= _SHORTEST:
        matches = [kept for kept in versions if kept.id.startswith(wanted) or kept.id.endswith(wanted)] or [
            kept for kept in versions if kept.version.startswith(wanted)
        ]
        if len({kept.version for kept in matches}) == 1:
            return matches[0]
    raise VersionUnknown(file=name)


_STANDARD_OUTPUT = "-"


def export(app: Pet, given: Given) -> int:
    """Write to FILE, to standard output for ``-``, otherwise to the downloads folder under a free name."""
    pet_name = display_name(app.store.root, app.pet_id, app.texts())
    if given.all:
        return _export_all(app, given.file)
    made = next((make for option, make in exports().items() if given.has(f"--{option}")), None)
    if made is not None:
        name, data = loaded(made)(app)
    else:
        folded = open_named(app.conversations, given.conversation or "").folded()
        kind: ExportFormat = "json" if given.format == "json" else "markdown"
        name, data = exported(folded, kind, app.texts(), pet_name)
    wanted = given.file
    if wanted == _STANDARD_OUTPUT:
        if made is not None and sys.stdout.isatty():
            raise UsageProblem("picture_to_terminal")
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return 0
    if wanted is None:
        return _done(app, save_to_downloads(downloads_folder(), name, data))
    return _write(app, wanted, lambda path: write_new(path, data))


def _export_all(app: Pet, wanted: str | None) -> int:
    """Export the whole pet as a zip, history and pictures included."""
    if wanted is None:
        return _done(app, Path(PrivacyCommands(app).export_pet().path))
    from pet.workspace.pet_zip import export_pet_to

    return _write(app, wanted, lambda path: export_pet_to(app.store.root, path, locks=app.store.locks))


def _write(app: Pet, wanted: str, write: Callable[[Path], object]) -> int:
    """Write to the named file, which must not exist. Return the exit code. Raises WriteFailed."""
    try:
        write(Path(wanted))
    except FileExistsError:
        Terminal.standard().complain(app.texts()("cli.export.exists", file=safe(wanted)))
        return 1
    except OSError as problem:  # in the owner's folder
        raise WriteFailed.from_os_error(wanted, problem) from problem
    return _done(app, Path(wanted))


def _done(app: Pet, path: Path) -> int:
    Terminal.standard().say(app.texts()("cli.export.done", file=safe(str(path))))
    return 0
