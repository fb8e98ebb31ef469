"""``pet export``: a conversation, the whole pet, or what an extra makes of it. Never overwrites a file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from pet.app import Pet
from pet.bridge.commands.terminal import open_named
from pet.cli.arguments import Given, UsageProblem
from pet.cli.terminal import Terminal, safe
from pet.errors import WriteFailed
from pet.extra import exports, loaded
from pet.paths import downloads_folder
from pet.services.file_transfer import save_to_downloads, write_new
from pet.transcripts.export import ExportFormat, exported
from pet.transcripts.titles import file_stem
from pet.workspace.pet_toml import display_name

_STANDARD_OUTPUT = "-"


def export(app: Pet, given: Given) -> int:
    """Write to FILE, to standard output for ``-``, otherwise to the downloads folder under a free name."""
    pet_name = display_name(app.store.root, app.pet_id, app.texts())
    if given.all:
        return _export_all(app, given.file, pet_name)
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


def _export_all(app: Pet, wanted: str | None, pet_name: str) -> int:
    """Export the whole pet as a zip, history and pictures included."""
    from pet.workspace.pet_zip import export_pet, export_pet_to

    root, locks = app.store.root, app.store.locks
    if wanted is None:
        name = f"{file_stem(pet_name)} {app.clock.now():%Y-%m-%d}"
        return _done(app, export_pet(root, downloads_folder(), name, locks=locks))
    return _write(app, wanted, lambda path: export_pet_to(root, path, locks=locks))


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
